// The driver of nestwarp tune: a C program that loads candidates for the regions of a function,
// checks what they compute and times them.
#pragma once
#include "check/check_harness.h"

namespace nw {

// One region that candidates are for.
struct TunedRegion {
  std::string entry; // its function
  std::string where; // as the runtime names it
};

// How many other forms a candidate is checked in: form-REGION-NUMBER-1.nw.c and so on.
struct FormsOfCandidate {
  int region = 0, number = 0, count = 0;
};

// Text that includes the rewritten file, whose calls of these regions go where nw_choose_region
// says.
std::string tunedWrapperText(const CheckedFunction &f, const std::string &rewritten,
                             const std::vector<TunedRegion> &regions, bool isDouble);

// Texts of its two phases.
std::string tuneCheckText();
std::string tuneMeasureText();

// The driver. `sizes` are for measuring, `small` for checks against the original; names that
// `small` lacks have the same value in both.
std::string tuneDriverText(const CheckedFunction &f,
                           const std::map<std::string, std::string> &sizes,
                           const std::map<std::string, std::string> &small,
                           const std::vector<TunedRegion> &regions,
                           const std::vector<FormsOfCandidate> &forms,
                           const DriverOptions &options);

} // namespace nw
