// Settings of nestwarp check: sizes, extents and kinds of data, for one run or several.
#pragma once
#include "emit/kernel_text.h"
#include <map>
#include <string>
#include <vector>

namespace nw {

struct CheckSettings {
  FloatingPoint floatingPoint = FloatingPoint::Reduce;
  std::map<std::string, std::string> sizes, extents; // NAME=VALUE, as given
  std::string data; // ordinary, special, both, or empty for what fits the function
};

// The settings that hold for a function: NAME, or FUNCTION.NAME where several functions have
// different ones.
CheckSettings settingsFor(const CheckSettings &all, const std::string &function);
// Reads NAME=VALUE; throws a UserError where it is none.
std::map<std::string, std::string> settingsOf(const std::vector<std::string> &words);

// The same of --size: values are numbers.
std::map<std::string, std::string> numbersOf(const std::vector<std::string> &words);

// The sizes of each run that --size asks for, at least one: n=1,33,200 asks for three. Lists of
// several names go side by side and are equally long; a single value holds in every run.
std::vector<std::map<std::string, std::string>> numbersByRun(const std::vector<std::string> &words);
// One driver for several runs: for each name, C text with its value in the run `nw_run`.
std::map<std::string, std::string> sizesOfRuns(const std::vector<CheckSettings> &runs);
// What tells a run from the others, as in " (n=33 m=17)"; empty if there is only one.
std::string runInWords(const std::vector<CheckSettings> &runs, size_t run);

} // namespace nw
