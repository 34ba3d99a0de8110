#include <time.h>

typedef struct candidate { int region, number, is_known, is_alone; double median; } candidate;

void nw_listen_for_times(void (*listener)(const char *where, double milliseconds));
typedef struct device_words { const char *label, *name, *version; } device_words;
device_words nw_device_in_words(void);

static candidate candidates[MOST_CANDIDATES];
static int candidate_count;
static FILE *nw_log;
static double best[REGIONS];            /* so far */
static int is_untuned_known[REGIONS];
static double nw_last[REGIONS];         /* milliseconds of the last call */
static int nw_reached[REGIONS];         /* how often the last call came to the region and ran it on the device */
static struct timespec nw_begin;

static double since(const struct timespec *begin) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)(now.tv_sec - begin->tv_sec) + (double)(now.tv_nsec - begin->tv_nsec) * 1e-9;
}

static void note(const char *format, ...) __attribute__((format(printf, 1, 2)));
#include <stdarg.h>
static void note(const char *format, ...) {
  va_list list;
  va_start(list, format);
  vfprintf(nw_log, format, list);
  va_end(list);
  fflush(nw_log);
}

static void take_time(const char *where, double milliseconds) {
  for (int r = 0; r < REGIONS; r++)
    if (strcmp(where, nw_where[r]) == 0) {
      nw_last[r] += milliseconds;
      nw_reached[r]++;
    }
}

static candidate *find(int region, int number) {
  for (int i = 0; i < candidate_count; i++)
    if (candidates[i].region == region && candidates[i].number == number)
      return &candidates[i];
  return NULL;
}

/* What is to be done, less what an earlier driver has done. */
static void read_work(const char *list, const char *log) {
  char line[4096], word[32];
  int region, number;
  double median;
  FILE *in = fopen(list, "r");
  while (in && candidate_count < MOST_CANDIDATES && fgets(line, sizeof line, in))
    if (sscanf(line, "%d\t%d", &region, &number) == 2 && region >= 0 && region < REGIONS && number > 0)
      candidates[candidate_count++] = (candidate){region, number, 0, 0, 0};
  if (in)
    fclose(in);
  in = fopen(log, "r");
  while (in && fgets(line, sizeof line, in)) {
    int found = sscanf(line, "%31[a-z]\t%d\t%d\t%lf", word, &region, &number, &median);
    if (found < 3 || region < 0 || region >= REGIONS || !strcmp(word, "try") || !strcmp(word, "final"))
      continue;
    candidate *c = find(region, number);
    if (c && strcmp(word, "again") == 0)
      c->is_alone = 1;
    else if (c)
      c->is_known = 1;
    if (strcmp(word, "time") == 0 && found == 4) {
      if (c)
        c->median = median;
      if (number == 0)
        is_untuned_known[region] = 1;
      if (best[region] == 0 || median < best[region])
        best[region] = median;
    }
  }
  if (in)
    fclose(in);
}

/* Makes a region go this way; 0 where the candidate cannot be loaded. Form 0 is the candidate itself. A library stays: the runtime knows its kernels. */
static int choose_form(int region, int number, int form) {
  static void *known[REGIONS];
  static int known_number[REGIONS], known_form[REGIONS];
  char path[64];
  if (!known[region] || known_number[region] != number || known_form[region] != form) {
    if (form)
      snprintf(path, sizeof path, "./form-%d-%d-%d.so", region, number, form);
    else
      snprintf(path, sizeof path, "./candidate-%d-%d.so", region, number);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    void *entry = library ? dlsym(library, nw_entry[region]) : NULL;
    if (!entry)
      return 0;
    known[region] = entry;
    known_number[region] = number;
    known_form[region] = form;
  }
  ((void (*)(int, void *))dlsym(libraries[GENERATED], "nw_choose_region"))(region, known[region]);
  return 1;
}

static int choose(int region, int number) { return choose_form(region, number, 0); }

static void choose_untuned(void) {
  for (int r = 0; r < REGIONS; r++)
    if (!choose(r, 0)) {
      fprintf(stderr, "tune: the proposed plan cannot be loaded: %s\n", dlerror());
      exit(3);
    }
}

static account so_far(void) { return nw_account_so_far(); }

static const char *why_on_host(void) {
  account a = so_far();
  return a.reason ? a.reason : "it was not reached";
}

static void copy_bytes(int from, int to, const char *chosen) {
  for (int k = 0; k < object_count; k++)
    if (!chosen || chosen[k])
      memcpy(objects[k].data[to], objects[k].data[from], (size_t)objects[k].count * objects[k].size);
}

/* The number of regions that ran on the device. */
static long long run_once(int inputs, const char *written) {
  long long before = so_far().on_device;
  copy_bytes(inputs, GENERATED, written);
  memset(nw_last, 0, sizeof nw_last);
  memset(nw_reached, 0, sizeof nw_reached);
  call(GENERATED, "nw_call", GENERATED);
  return so_far().on_device - before;
}

static void say_device(void) {
  device_words d = nw_device_in_words();
  note("device\t%s\t%s\t%s\n", d.label, d.name, d.version);
}

static void note_wrong(int region, int number, const object *o, int reference, long long at) {
  note("wrong\t%d\t%d\t%s\t%lld\t%.17Lg\t%.17Lg\n", region, number, o->name, at, value(o, reference, at), value(o, GENERATED, at));
}
