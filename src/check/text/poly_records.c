/* ---- records: who wrote what, of the run in source order (0) and of the kernels (1) */
typedef unsigned long long word;
typedef struct record {
  char name[200];
  int is_log, is_visible;
  long long count;
  word *words;
} record;
enum { MOST_RECORDS = 600 };
static record records[2][MOST_RECORDS];
static int record_count[2], current;
static int failures;

void *nw_record(const char *name, const char *what, long long low, long long high) {
  record *r = &records[current][record_count[current]++];
  long long bytes = high > low ? high - low : 0;
  if (record_count[current] == MOST_RECORDS || bytes > 1ll << 31 ||
      !(r->words = (word *)calloc((size_t)bytes / 8 + 1, 8))) {
    fprintf(stderr, "check: the records would take %lld bytes; use smaller sizes\n", bytes);
    exit(3);
  }
  snprintf(r->name, sizeof r->name, "%s", name);
  r->is_log = !strcmp(what, "log"), r->is_visible = strstr(what, "visible") != 0,
  r->count = bytes / 8;
  for (long long i = 0; i < r->count && !r->is_log; i++)
    r->words[i] = strstr(what, "live-in") ? (word)(i + 1) << 8 : 255ull << 56;
  return (char *)r->words - low;
}

void nw_poly_run(int which) {
  for (int k = 0; k < record_count[which]; k++)
    free(records[which][k].words);
  record_count[which] = 0;
  current = which;
}

static record *find(int which, const char *name) {
  for (int k = 0; k < record_count[which]; k++)
    if (!strcmp(records[which][k].name, name))
      return &records[which][k];
  return 0;
}

typedef struct violation {
  const char *kind, *array;
  word writer, expected, found, time;
  int site;
  long long element, many;
} violation;

static void note(violation *first, const char *kind, word time, word writer, int site,
                 word expected, word found) {
  first->many++;
  if (first->kind && first->time <= time)
    return;
  first->kind = kind, first->time = time, first->writer = writer, first->site = site,
  first->expected = expected, first->found = found;
}

/* `sites` has for each statement one letter for each read: n where the kernels may have kept its
 * place in a register. */
void nw_poly_compare(int region, const char *form, int words, const char *const *sites) {
  const record *a = find(0, "nw_log"), *b = find(1, "nw_log");
  violation first;
  memset(&first, 0, sizeof first);
  long long cells = a->count / words, instances = 0, reads = 0;
  if (a->count != b->count)
    exit(3);
  for (long long c = 0; c < cells; c++) {
    const word *x = a->words + c * words, *y = b->words + c * words;
    instances += x[0] != 0;
    if (!x[0] && !y[0])
      continue;
    if (!x[0] || c == cells - 1)
      note(&first, "foreign", ~0ull, y[1], -1, x[0], y[0]);
    else if (y[0] != 1)
      note(&first, y[0] ? "repeated" : "missing", x[2], x[1], -1, x[0], y[0]);
    const char *letters = sites[(x[0] ? x[1] : y[1]) >> 56];
    for (int s = 0; x[0] && y[0] && letters[s]; s++) {
      reads += x[3 + s] != 0;
      if (x[3 + s] != y[3 + s] && !(letters[s] == 'n' && !y[3 + s]))
        note(&first, "read", x[2], x[1], s, x[3 + s], y[3 + s]);
    }
  }
  for (int k = 0; k < record_count[0]; k++) {
    const record *x = &records[0][k], *y = find(1, x->name);
    if (x->is_log || !x->is_visible || !y)
      continue;
    for (long long i = 0; i < x->count; i++)
      if (x->words[i] != y->words[i]) {
        if (!first.many)
          first.array = x->name, first.element = i;
        note(&first, "final", ~0ull - 1, 0, -1, x->words[i], y->words[i]);
      }
  }
  fprintf(nw_report, "poly\t%d\t%s\t%lld\t%lld\n", region, form, instances, reads);
  if (first.many) {
    fprintf(nw_report, "violation\t%d\t%s\t%s\t%llu\t%d\t%llu\t%llu\t%s\t%lld\t%lld\n", region,
            form, first.kind, first.writer, first.site, first.expected, first.found,
            first.array ? first.array : "-", first.element, first.many);
    failures++;
  }
  fflush(nw_report);
}

static int nw_check(void) {
  make_up();
  copy_to(GENERATED);
  call(GENERATED, "nw_call", GENERATED);
  stage("generated");
  report_devices();
  fclose(nw_report);
  return failures ? 1 : 0;
}
