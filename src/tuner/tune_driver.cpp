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
#include "support/embedded.h"
#include "support/text.h"
#include <fmt/format.h>

namespace nw {

namespace {

const std::string kCandidates = "\n" + embedded("tuner/text/tune_candidates.c");

const std::string kMain = "\n" + embedded("tuner/text/tune_main.c");

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
  std::string entries, positions;
  for (const TunedRegion &r : regions) {
    entries += fmt::format("{}\"{}\"", entries.empty() ? "" : ", ", r.entry);
    positions += fmt::format("{}{}", positions.empty() ? "" : ", ", quotedForC(r.where));
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
                      entries, positions);
  std::string text =
      driverSource(f, both, options.isDouble, {"./original.so", "./generated.so", "./wider.so"},
                   core + driverData() + "account nw_account_so_far(void);\n" + driverComparison() +
                       kCandidates + tuneCheckText() + tuneMeasureText() + kMain);
  // What is allocated depends on it.
  size_t begin = text.find("  is_special = ", text.find("int main("));
  return text.insert(begin, "  nw_is_small = !strcmp(nw_words[2], \"small\");\n");
}

} // namespace nw
