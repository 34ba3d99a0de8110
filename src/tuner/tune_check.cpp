// What the driver of nestwarp tune does at small sizes: candidates are compared with the original.
#include "support/embedded.h"
#include "tuner/tune_driver.h"

namespace nw {

namespace {

const std::string kText = "\n" + embedded("tuner/text/tune_check.c");

} // namespace

std::string tuneCheckText() { return kText; }

} // namespace nw
