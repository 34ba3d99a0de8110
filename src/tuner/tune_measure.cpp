// What the driver of nestwarp tune does at the sizes to tune for: candidates are compared with what
// the proposed plan computes, and timed.
#include "support/embedded.h"
#include "tuner/tune_driver.h"

namespace nw {

namespace {

const std::string kText = "\n" + embedded("tuner/text/tune_measure.c");

} // namespace

std::string tuneMeasureText() { return kText; }

} // namespace nw
