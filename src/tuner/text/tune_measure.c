static char written[MOST_OBJECTS];
static long double scale[MOST_OBJECTS]; /* root mean square of what is written */

static void keep_reference(void) {
  for (int k = 0; k < object_count; k++) {
    object *o = &objects[k];
    written[k] = memcmp(o->data[ORIGINAL], o->data[GENERATED], (size_t)o->count * o->size) != 0;
    if (!written[k])
      continue;
    o->data[UPWARD] = malloc((size_t)o->count * o->size);
    if (!o->data[UPWARD]) {
      fprintf(stderr, "tune: no memory for %lld elements of %s\n", o->count, o->name);
      exit(3);
    }
    memcpy(o->data[UPWARD], o->data[GENERATED], (size_t)o->count * o->size);
    double sum = 0;
    long long finite = 0;
    for (long long i = 0; is_float(o) && i < o->count; i++) {
      double x = o->code == 'f' ? ((float *)o->data[UPWARD])[i] : ((double *)o->data[UPWARD])[i];
      if (isfinite(x))
        sum += x * x, finite++;
    }
    scale[k] = finite ? sqrt(sum / (double)finite) : 0;
  }
}

/* Root mean square of what the proposed plan computes around an element. */
static double scale_around(const object *o, long long at) {
  enum { NEIGHBOURS = 32 };
  long long finite = 0;
  double sum = 0;
  for (long long i = at < NEIGHBOURS ? 0 : at - NEIGHBOURS; i <= at + NEIGHBOURS && i < o->count; i++) {
    double x = (double)value(o, UPWARD, i);
    if (isfinite(x))
      sum += x * x, finite++;
  }
  return finite ? sqrt(sum / (double)finite) : 0;
}

/* How far an element may be off besides a part of itself. What is left where terms cancel each other is as inexact as they were, and those around it tell how
 * large they were; where all of them cancel, the array does, but a few units of that are enough. */
static double slack(int k, long long at) {
  const object *o = &objects[k];
  int is_single = o->code == 'f';
  return (is_single ? TOLERANCE(float) : TOLERANCE(double)) * scale_around(o, at) + 4 * (is_single ? 0x1p-23 : 0x1p-52) * (double)scale[k];
}

#define FIND_DIFFERENCE(type)                                                                                  \
  {                                                                                                            \
    const type *a = (const type *)o->data[UPWARD], *b = (const type *)o->data[GENERATED];                      \
    type part = (type)TOLERANCE(type);                                                                         \
    for (long long i = 0; i < o->count; i++)                                                                   \
      if (!(fabs((double)(a[i] - b[i])) <= part * fabs((double)a[i])) && memcmp(&a[i], &b[i], sizeof *a) != 0 && \
          !(isnan(a[i]) && isnan(b[i])) && !(isinf(a[i]) && a[i] == b[i]) &&                                   \
          !(fabs((double)(a[i] - b[i])) <= part * fabs((double)a[i]) + slack(k, i)))                           \
        return i;                                                                                              \
    return -1;                                                                                                 \
  }

/* The first element that differs, or -1. What the proposed plan does not write must be as it was. */
static long long find_difference(int k) {
  const object *o = &objects[k];
  const void *expected = o->data[written[k] ? UPWARD : ORIGINAL];
  if (memcmp(expected, o->data[GENERATED], (size_t)o->count * o->size) == 0)
    return -1;
  if (written[k] && !IS_EXACT && o->code == 'f')
    FIND_DIFFERENCE(float)
  if (written[k] && !IS_EXACT && o->code == 'd')
    FIND_DIFFERENCE(double)
  for (long long i = 0; i < o->count; i++)
    if (memcmp((const char *)expected + (size_t)i * o->size, (const char *)o->data[GENERATED] + (size_t)i * o->size, o->size) != 0)
      return i;
  return -1;
}

static int find_wrong(long long *at) {
  for (int k = 0; k < object_count; k++)
    if ((*at = find_difference(k)) >= 0)
      return k;
  return -1;
}

static int compare_doubles(const void *a, const void *b) { return *(const double *)a < *(const double *)b ? -1 : *(const double *)a > *(const double *)b; }

typedef struct summary { double median, spread; } summary;
static summary summed(double *times, int count) {
  qsort(times, (size_t)count, sizeof *times, compare_doubles);
  double median = times[count / 2];
  return (summary){median, median > 0 ? (times[count * 3 / 4] - times[count / 4]) / median : 0};
}

enum { MOST_RUNS = 201 };
static double runs[REGIONS][MOST_RUNS];

static void time_untuned(int repeats) {
  int is_known = 1;
  for (int r = 0; r < REGIONS; r++)
    is_known &= is_untuned_known[r];
  if (is_known)
    return;
  choose_untuned();
  for (int i = 0; i < repeats; i++) {
    run_once(ORIGINAL, written);
    for (int r = 0; r < REGIONS; r++)
      runs[r][i] = nw_last[r];
  }
  for (int r = 0; r < REGIONS; r++) {
    summary s = summed(runs[r], repeats);
    note("time\t%d\t0\t%.6f\t%.4f\t%d\n", r, s.median, s.spread, repeats);
    if (best[r] == 0 || s.median < best[r])
      best[r] = s.median;
  }
}

/* A plan that takes twice the time of the fastest, two times in a row, is given up: a single time may be the machine's. The run before, which is checked, is
 * not judged: it finds caches cold, and OpenCL may compile a kernel for the size of its first launch. */
static int is_slow(int region, int run) { return run == 1 && runs[region][0] > 2 * best[region] && runs[region][1] > 2 * best[region]; }

static int measure_round(candidate **chosen, int repeats, long long expected, unsigned seconds);

/* Which of several is it? 0: the device has been given up. */
static int measure_each(candidate **chosen, int repeats, long long expected, unsigned seconds) {
  for (int r = 0; r < REGIONS; r++)
    if (chosen[r]) {
      candidate *alone[REGIONS] = {0};
      alone[r] = chosen[r];
      alarm(seconds);
      if (!measure_round(alone, repeats, expected, seconds))
        return 0;
    }
  return 1;
}

static void note_time(int region, candidate *c, int repeats) {
  summary s = summed(runs[region], repeats);
  note("time\t%d\t%d\t%.6f\t%.4f\t%d\n", region, c->number, s.median, s.spread, repeats);
  c->median = s.median;
  if (s.median < best[region])
    best[region] = s.median;
}

/* Times of those that are chosen; those that are slow are dropped. Their number. */
static int time_chosen(candidate **chosen, int active, int repeats) {
  for (int i = 0; i < repeats && active; i++) {
    run_once(ORIGINAL, written);
    for (int r = 0; r < REGIONS; r++) {
      runs[r][i] = nw_last[r];
      if (!chosen[r] || !is_slow(r, i))
        continue;
      note("slow\t%d\t%d\t%.6f\n", r, chosen[r]->number, runs[r][0] < runs[r][1] ? runs[r][0] : runs[r][1]);
      chosen[r] = NULL;
      choose(r, 0);
      active--;
    }
  }
  return active;
}

/* One candidate of each region at most, all at a time, since each region has a time of its own. 0: the device has been given up. */
static int measure_round(candidate **chosen, int repeats, long long expected, unsigned seconds) {
  long long at = 0;
  int many = 0;
  for (int r = 0; r < REGIONS; r++)
    if (chosen[r]) {
      note("try\t%d\t%d\n", r, chosen[r]->number);
      chosen[r]->is_known = 1;
      many++;
    }
  choose_untuned();
  for (int r = 0; r < REGIONS; r++)
    if (chosen[r] && !choose(r, chosen[r]->number)) {
      note("host\t%d\t%d\tit was not built\n", r, chosen[r]->number);
      chosen[r] = NULL;
      many--;
    }
  if (!many)
    return 1;
  long long found = run_once(ORIGINAL, NULL); /* all data: the candidate before may have written where the proposed plan does not */
  int wrong = find_wrong(&at);
  if (many > 1 && (found < expected || wrong >= 0))
    return measure_each(chosen, repeats, expected, seconds);
  for (int r = 0; r < REGIONS; r++)
    if (chosen[r] && found < expected) {
      note("host\t%d\t%d\t%s\n", r, chosen[r]->number, why_on_host());
      choose_untuned();
      return run_once(ORIGINAL, NULL) >= expected;
    } else if (chosen[r] && wrong >= 0) {
      note_wrong(r, chosen[r]->number, &objects[wrong], written[wrong] ? UPWARD : ORIGINAL, at);
      return 1;
    }
  many = time_chosen(chosen, many, repeats);
  if (!many)
    return 1;
  wrong = find_wrong(&at); /* a race may have shown by now */
  if (many > 1 && wrong >= 0)
    return measure_each(chosen, repeats, expected, seconds);
  for (int r = 0; r < REGIONS; r++)
    if (chosen[r] && wrong >= 0)
      note_wrong(r, chosen[r]->number, &objects[wrong], written[wrong] ? UPWARD : ORIGINAL, at);
    else if (chosen[r])
      note_time(r, chosen[r], repeats);
  return 1;
}

/* The fastest of a region that is none of those taken, or NULL. */
static candidate *next_fastest(int region, candidate *const *taken, int count) {
  candidate *found = NULL;
  for (int i = 0; i < candidate_count; i++) {
    candidate *c = &candidates[i];
    int is_taken = c->region != region || c->median <= 0;
    for (int k = 0; k < count; k++)
      is_taken |= taken[k] == c;
    if (!is_taken && (!found || c->median < found->median))
      found = c;
  }
  return found;
}

/* The fastest ones and the proposed plan, in turns, so that whatever disturbs one disturbs all. */
static void measure_finals(int finalists, int repeats, unsigned seconds) {
  enum { MOST_FINALISTS = 9 };
  static double times[REGIONS][MOST_FINALISTS][MOST_RUNS];
  candidate *final[REGIONS][MOST_FINALISTS] = {{0}};
  if (finalists > MOST_FINALISTS - 1)
    finalists = MOST_FINALISTS - 1;
  for (int r = 0; r < REGIONS; r++)
    for (int f = 1; f <= finalists; f++)
      final[r][f] = next_fastest(r, final[r] + 1, f - 1);
  for (int i = -1; i < repeats; i++)
    for (int f = 0; f <= finalists; f++) {
      alarm(seconds);
      choose_untuned();
      for (int r = 0; r < REGIONS; r++)
        if (final[r][f])
          choose(r, final[r][f]->number);
      run_once(ORIGINAL, i < 0 ? NULL : written);
      for (int r = 0; r < REGIONS && i >= 0; r++)
        times[r][f][i] = nw_last[r];
    }
  for (int r = 0; r < REGIONS; r++)
    for (int f = 0; f <= finalists; f++)
      if (f == 0 || final[r][f]) {
        summary s = summed(times[r][f], repeats);
        note("final\t%d\t%d\t%.6f\t%.4f\t%d\n", r, f ? final[r][f]->number : 0, s.median, s.spread, repeats);
      }
}

/* The next candidates, one of each region at most; one that is to be tried alone is. Their number. */
static int next_round(candidate **chosen) {
  int many = 0;
  for (int i = 0; i < candidate_count; i++) {
    candidate *c = &candidates[i];
    if (c->is_known || chosen[c->region] || (c->is_alone && many))
      continue;
    chosen[c->region] = c;
    many++;
    if (c->is_alone)
      break;
  }
  return many;
}

static int measure_full(int repeats, unsigned seconds, double budget, int finalists) {
  make_up();
  copy_bytes(ORIGINAL, GENERATED, NULL);
  nw_listen_for_times(take_time);
  choose_untuned();
  alarm(seconds);
  long long expected = run_once(ORIGINAL, NULL);
  say_device();
  if (!expected) {
    note("host\t0\t0\t%s\n", why_on_host());
    return 3;
  }
  keep_reference();
  time_untuned(repeats);
  while (budget <= 0 || since(&nw_begin) < budget) {
    candidate *chosen[REGIONS] = {0};
    if (!next_round(chosen))
      break;
    alarm(seconds);
    if (!measure_round(chosen, repeats, expected, seconds))
      return 4;
  }
  if (finalists > 0)
    measure_finals(finalists, repeats < 9 ? 9 : repeats, seconds);
  note("end\n");
  return 0;
}
