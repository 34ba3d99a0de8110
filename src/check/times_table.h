// Times of regions and kernels as the runtime wrote them (runtime/timing.c), as lines of a table.
#pragma once
#include <string>
#include <vector>

namespace nw {

// Both are JSON, or empty where nothing was timed.
void printTimes(const std::string &regions, const std::string &kernels);

// The value in the middle; and how far, in percent of it, the middle half of the values lies apart.
struct Spread {
  double median = 0, percent = 0;
};
Spread spreadOf(std::vector<double> values);

} // namespace nw
