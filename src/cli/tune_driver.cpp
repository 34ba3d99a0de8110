// The driver of nestwarp tune. It is called as
//   driver REPORT small|full REPEATS LIST LOG SECONDS BUDGET FINALISTS
// LIST has a line for each candidate, REGION and NUMBER parted by a tab; number 0 is the proposed plan and is not listed. What it finds it adds
// to LOG, line by line, words parted by tabs, so that a driver that is called again goes on where the last one was:
//   device LABEL NAME VERSION
//   try REGION NUMBER                          what follows belongs to it; if nothing does, it was the end of the driver
//   right REGION NUMBER                        small: its results are the original's
//   wrong REGION NUMBER OBJECT ELEMENT EXPECTED FOUND
//   host REGION NUMBER WHY                     it did not run on the device
//   time REGION NUMBER MEDIAN SPREAD RUNS      full: milliseconds; the distance of the quartiles as a part of the median
//   slow REGION NUMBER MILLISECONDS            full: given up after one or two runs
//   final REGION NUMBER MEDIAN SPREAD RUNS     full: the fastest and the proposed plan once more, in turns
//   end
// A candidate gets SECONDS, then SIGALRM ends the driver. After BUDGET seconds (0: none) no other is begun.
#include "cli/tune_driver.h"
#include "support/text.h"
#include <fmt/format.h>

namespace nw {

namespace {

const char *const kCandidates = R"(
#include <time.h>

typedef struct candidate { int region, number, is_known; double median; } candidate;

void nw_listen_for_times(void (*listener)(const char *where, double milliseconds));
typedef struct device_words { const char *label, *name, *version; } device_words;
device_words nw_device_in_words(void);

static candidate candidates[MOST_CANDIDATES];
static int candidate_count;
static FILE *nw_log;
static double best[REGIONS];            /* so far */
static int is_untuned_known[REGIONS];
static double nw_last[REGIONS];         /* milliseconds of the last call */
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
    if (strcmp(where, nw_where[r]) == 0)
      nw_last[r] += milliseconds;
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
      candidates[candidate_count++] = (candidate){region, number, 0, 0};
  if (in)
    fclose(in);
  in = fopen(log, "r");
  while (in && fgets(line, sizeof line, in)) {
    int found = sscanf(line, "%31[a-z]\t%d\t%d\t%lf", word, &region, &number, &median);
    if (found < 3 || region < 0 || region >= REGIONS || !strcmp(word, "try") || !strcmp(word, "final"))
      continue;
    candidate *c = find(region, number);
    if (c)
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

/* Makes a region go this way; 0 where the candidate cannot be loaded. A library stays: the runtime knows its kernels. */
static int choose(int region, int number) {
  static void *known[REGIONS];
  static int known_number[REGIONS];
  char path[64];
  if (!known[region] || known_number[region] != number) {
    snprintf(path, sizeof path, "./candidate-%d-%d.so", region, number);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    void *entry = library ? dlsym(library, nw_entry[region]) : NULL;
    if (!entry)
      return 0;
    known[region] = entry;
    known_number[region] = number;
  }
  ((void (*)(int, void *))dlsym(libraries[GENERATED], "nw_choose_region"))(region, known[region]);
  return 1;
}

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

/* ---- small: against the original */

static int is_wrong_small(int region, int number) {
  long long first = 0;
  for (int again = 0; again < 2; again++) {
    int differing = -1;
    for (int k = 0; k < object_count && differing < 0; k++)
      if (count_differing(&objects[k], &first))
        differing = k;
    if (differing < 0)
      return 0;
    if (again || IS_EXACT || has_roundings) {
      note_wrong(region, number, &objects[differing], ORIGINAL, first);
      return 1;
    }
    look_again(); /* how far the original strays; its data are used up by that, so it is done once */
  }
  return 0;
}

static int check_small(unsigned seconds) {
  alarm(5 * seconds); /* for the original */
  make_up();
  for (int v = 1; v < VERSIONS; v++)
    copy_to(v);
  call(ORIGINAL, "nw_call", ORIGINAL);
  if (!IS_EXACT)
    call(WIDER, "nw_call", WIDER);
  choose_untuned();
  alarm(seconds);
  long long expected = run_once(INPUTS, NULL);
  say_device();
  if (is_wrong_small(0, 0))
    return 1;
  for (int i = 0; i < candidate_count; i++) {
    candidate *c = &candidates[i];
    if (c->is_known)
      continue;
    alarm(seconds);
    note("try\t%d\t%d\n", c->region, c->number);
    choose_untuned();
    if (!choose(c->region, c->number)) {
      note("host\t%d\t%d\tit was not built\n", c->region, c->number);
      continue;
    }
    long long found = run_once(INPUTS, NULL);
    if (found < expected)
      note("host\t%d\t%d\t%s\n", c->region, c->number, why_on_host());
    else if (!is_wrong_small(c->region, c->number))
      note("right\t%d\t%d\n", c->region, c->number);
    if (found < expected) { /* has the device been given up? */
      choose_untuned();
      if (run_once(INPUTS, NULL) < expected)
        return 4;
    }
  }
  return 0;
}

/* ---- full: against what the proposed plan computes, and timed */

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

#define FIND_DIFFERENCE(type)                                                                                  \
  {                                                                                                            \
    const type *a = (const type *)o->data[UPWARD], *b = (const type *)o->data[GENERATED];                      \
    type limit = (type)(TOLERANCE(type) * scale[k]), part = (type)TOLERANCE(type);                             \
    for (long long i = 0; i < o->count; i++)                                                                   \
      if (!(fabs((double)(a[i] - b[i])) <= limit + part * fabs((double)a[i])) && memcmp(&a[i], &b[i], sizeof *a) != 0 && \
          !(isnan(a[i]) && isnan(b[i])) && !(isinf(a[i]) && a[i] == b[i]))                                     \
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

/* One candidate of each region at most, all at a time, since each region has a time of its own. 0: the device has been given up. */
static int measure_round(candidate **chosen, int repeats, long long expected) {
  long long at = 0;
  int many = 0, active = 0;
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
  long long found = run_once(ORIGINAL, written);
  int wrong = find_wrong(&at);
  if (many > 1 && (found < expected || wrong >= 0)) { /* which of them is it? */
    for (int r = 0; r < REGIONS; r++)
      if (chosen[r]) {
        candidate *alone[REGIONS] = {0};
        alone[r] = chosen[r];
        if (!measure_round(alone, repeats, expected))
          return 0;
      }
    return 1;
  }
  for (int r = 0; r < REGIONS; r++)
    if (chosen[r] && found < expected) {
      note("host\t%d\t%d\t%s\n", r, chosen[r]->number, why_on_host());
      choose_untuned();
      return run_once(ORIGINAL, written) >= expected;
    } else if (chosen[r] && wrong >= 0) {
      note_wrong(r, chosen[r]->number, &objects[wrong], written[wrong] ? UPWARD : ORIGINAL, at);
      return 1;
    }
  for (int i = 0; i < repeats; i++) {
    for (int r = 0; r < REGIONS; r++)
      if (chosen[r] && i < 2 && nw_last[r] > (i ? 2 : 4) * best[r]) { /* the first run finds caches cold */
        note("slow\t%d\t%d\t%.6f\n", r, chosen[r]->number, nw_last[r]);
        chosen[r] = NULL;
        choose(r, 0);
      }
    active = 0;
    for (int r = 0; r < REGIONS; r++)
      active += chosen[r] != NULL;
    if (!active)
      return 1;
    run_once(ORIGINAL, written);
    for (int r = 0; r < REGIONS; r++)
      runs[r][i] = nw_last[r];
  }
  wrong = find_wrong(&at); /* a race may have shown by now */
  for (int r = 0; r < REGIONS; r++)
    if (chosen[r] && wrong >= 0)
      note_wrong(r, chosen[r]->number, &objects[wrong], written[wrong] ? UPWARD : ORIGINAL, at);
    else if (chosen[r]) {
      summary s = summed(runs[r], repeats);
      note("time\t%d\t%d\t%.6f\t%.4f\t%d\n", r, chosen[r]->number, s.median, s.spread, repeats);
      chosen[r]->median = s.median;
      if (s.median < best[r])
        best[r] = s.median;
    }
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
      run_once(ORIGINAL, written);
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
  for (int is_left = 1; is_left && (budget <= 0 || since(&nw_begin) < budget);) {
    candidate *chosen[REGIONS] = {0};
    is_left = 0;
    for (int i = 0; i < candidate_count; i++)
      if (!candidates[i].is_known && !chosen[candidates[i].region]) {
        chosen[candidates[i].region] = &candidates[i];
        is_left = 1;
      }
    alarm(seconds);
    if (is_left && !measure_round(chosen, repeats, expected))
      return 4;
  }
  if (finalists > 0)
    measure_finals(finalists, repeats < 9 ? 9 : repeats, seconds);
  note("end\n");
  return 0;
}

static int nw_check(void) {
  char **words = nw_argument_words;
  if (nw_argument_count != 9)
    return 2;
  clock_gettime(CLOCK_MONOTONIC, &nw_begin);
  read_work(words[4], words[5]);
  nw_log = fopen(words[5], "a");
  if (!nw_log)
    return 2;
  int repeats = nw_repeats < 1 ? 1 : nw_repeats >= MOST_RUNS ? MOST_RUNS - 1 : nw_repeats;
  if (strcmp(words[2], "small") == 0)
    return check_small((unsigned)atoi(words[6]));
  return measure_full(repeats, (unsigned)atoi(words[6]), atof(words[7]), atoi(words[8]));
}
)";

} // namespace

std::string tunedWrapperText(const CheckedFunction &f, const std::string &rewritten, const std::vector<TunedRegion> &regions, bool isDouble) {
  std::string out, choices;
  for (size_t r = 0; r < regions.size(); r++) {
    // Its prototype in the rewritten file becomes that of a pointer.
    out += fmt::format("#define {} (*nw_chosen_{})\n", regions[r].entry, r);
    choices += fmt::format("  case {0}: *(void **)&nw_chosen_{0} = entry; break;\n", r);
  }
  out += wrapperText(f, rewritten, Version::Generated, isDouble);
  return out + fmt::format("void nw_choose_region(int number, void *entry) {{\n  switch (number) {{\n{}  }}\n}}\n", choices);
}

std::string tuneDriverText(const CheckedFunction &f, const std::map<std::string, std::string> &sizes, const std::map<std::string, std::string> &small, const std::vector<TunedRegion> &regions,
                           const DriverOptions &options) {
  std::map<std::string, std::string> both = sizes;
  for (auto &[name, value] : both)
    if (auto other = small.find(name); other != small.end() && other->second != value)
      value = fmt::format("(strcmp(nw_words[2], \"small\") == 0 ? ({}) : ({}))", other->second, value);
  std::string core = fmt::format("#define IS_EXACT {}\n#define IS_FAST {}\n#define HAS_NAN {}\n#define FACTOR {}\n", int(options.isExact), int(options.isFast), int(!options.isFast), options.callsFunctions ? 16 : 4);
  core += fmt::format("#define TOLERANCE(type) (sizeof(type) == 4 ? {} : {})\n", options.isFast ? "1e-3" : "1e-4", options.isFast ? "1e-9" : "1e-11");
  core += "static int nw_is_small;\n#define IS_USED(version) (nw_is_small || (version) == ORIGINAL || (version) == GENERATED)\n";
  core += fmt::format("enum {{ REGIONS = {}, MOST_CANDIDATES = 100000 }};\n", regions.size());
  std::string entries, places;
  for (const TunedRegion &r : regions) {
    entries += fmt::format("{}\"{}\"", entries.empty() ? "" : ", ", r.entry);
    places += fmt::format("{}{}", places.empty() ? "" : ", ", quotedForC(r.where));
  }
  core += fmt::format("static const char *const nw_entry[] = {{{}}};\nstatic const char *const nw_where[] = {{{}}};\n", entries, places);
  std::string text = driverFrame(f, both, options.isDouble, {"./original.so", "./generated.so", "./wider.so"}, core + driverData() + "account nw_account_so_far(void);\n" + driverComparison() + kCandidates);
  // What is allocated depends on it.
  size_t begin = text.find("  is_special = ", text.find("int main("));
  return text.insert(begin, "  nw_is_small = !strcmp(nw_words[2], \"small\");\n");
}

} // namespace nw
