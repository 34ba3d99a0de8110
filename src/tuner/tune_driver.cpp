// The driver of nestwarp tune, in three parts: this one, what it does at small sizes
// (tuner/tune_check.cpp) and at those to tune for (tuner/tune_measure.cpp). It is called as
//   driver REPORT small|full REPEATS LIST LOG SECONDS BUDGET FINALISTS
// LIST has a line for each candidate, REGION and NUMBER parted by a tab; number 0 is the proposed
// plan and is not listed. What it finds it adds to LOG, line by line, words parted by tabs, so that
// a driver that is called again goes on where the last one was:
//   device LABEL NAME VERSION
//   try REGION NUMBER                          what follows belongs to it; if nothing does, it was
//   the end of the driver again REGION NUMBER                        from nestwarp-run: the driver
//   ended when it was at several; this one is to be tried alone right REGION NUMBER small: its
//   results are the original's wrong REGION NUMBER OBJECT ELEMENT EXPECTED FOUND host REGION NUMBER
//   WHY                     it did not run on the device time REGION NUMBER MEDIAN SPREAD RUNS
//   full: milliseconds; the distance of the quartiles as a part of the median slow REGION NUMBER
//   MILLISECONDS            full: given up after two slow runs; the shorter one final REGION NUMBER
//   MEDIAN SPREAD RUNS     full: the fastest and the proposed plan once more, in turns end
// A candidate gets SECONDS, then SIGALRM ends the driver. After BUDGET seconds (0: none) no other
// is begun.
#include "tuner/tune_driver.h"
#include "support/text.h"
#include <fmt/format.h>

namespace nw {

namespace {

const char *const kCandidates = R"(
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
)";

const char *const kMain = R"(
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

std::string tunedWrapperText(const CheckedFunction &f, const std::string &rewritten,
                             const std::vector<TunedRegion> &regions, bool isDouble) {
  std::string out, choices;
  for (size_t r = 0; r < regions.size(); r++) {
    // Its prototype in the rewritten file becomes that of a pointer.
    out += fmt::format("#define {} (*nw_chosen_{})\n", regions[r].entry, r);
    choices += fmt::format("  case {0}: *(void **)&nw_chosen_{0} = entry; break;\n", r);
  }
  out += wrapperText(f, rewritten, Version::Generated, isDouble);
  return out + fmt::format("void nw_choose_region(int number, void *entry) {{\n  switch (number) "
                           "{{\n{}  }}\n}}\n",
                           choices);
}

std::string tuneDriverText(const CheckedFunction &f,
                           const std::map<std::string, std::string> &sizes,
                           const std::map<std::string, std::string> &small,
                           const std::vector<TunedRegion> &regions,
                           const std::vector<FormsOfCandidate> &forms,
                           const DriverOptions &options) {
  std::map<std::string, std::string> both = sizes;
  for (auto &[name, value] : both)
    if (auto other = small.find(name); other != small.end() && other->second != value)
      value =
          fmt::format("(strcmp(nw_words[2], \"small\") == 0 ? ({}) : ({}))", other->second, value);
  std::string core = fmt::format(
      "#define IS_EXACT {}\n#define IS_FAST {}\n#define HAS_NAN {}\n#define FACTOR {}\n",
      int(options.isExact), int(options.isFast), int(!options.isFast),
      options.callsFunctions ? 16 : 4);
  core += fmt::format("#define TOLERANCE(type) (sizeof(type) == 4 ? {} : {})\n",
                      options.isFast ? "1e-3" : "1e-4", options.isFast ? "1e-9" : "1e-11");
  core += "static int nw_is_small;\n#define IS_USED(version) (nw_is_small || (version) == ORIGINAL "
          "|| (version) == GENERATED)\n";
  core += fmt::format("enum {{ REGIONS = {}, MOST_CANDIDATES = 100000 }};\n", regions.size());
  std::string entries, places;
  for (const TunedRegion &r : regions) {
    entries += fmt::format("{}\"{}\"", entries.empty() ? "" : ", ", r.entry);
    places += fmt::format("{}{}", places.empty() ? "" : ", ", quotedForC(r.where));
  }
  std::vector<std::string> checked;
  for (auto &[name, value] : sizes)
    checked.push_back(name + "=" + (small.count(name) ? small.at(name) : value));
  core += fmt::format("static const char *const nw_small_sizes = {};\n",
                      quotedForC(checked.empty() ? "those of the program" : joined(checked, ", ")));
  core += "static const struct { int region, number, count; } nw_forms[] = {";
  for (const FormsOfCandidate &c : forms)
    core += fmt::format("{{{}, {}, {}}}, ", c.region, c.number, c.count);
  core += "{-1, -1, 0}};\n";
  core += fmt::format("static const char *const nw_entry[] = {{{}}};\nstatic const char *const "
                      "nw_where[] = {{{}}};\n",
                      entries, places);
  std::string text =
      driverFrame(f, both, options.isDouble, {"./original.so", "./generated.so", "./wider.so"},
                  core + driverData() + "account nw_account_so_far(void);\n" + driverComparison() +
                      kCandidates + tuneCheckText() + tuneMeasureText() + kMain);
  // What is allocated depends on it.
  size_t begin = text.find("  is_special = ", text.find("int main("));
  return text.insert(begin, "  nw_is_small = !strcmp(nw_words[2], \"small\");\n");
}

} // namespace nw
