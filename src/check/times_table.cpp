// Times in words.
#include "check/times_table.h"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace nw {

using Json = nlohmann::json;

Spread spreadOf(std::vector<double> values) {
  if (values.empty())
    return {};
  std::sort(values.begin(), values.end());
  double median = values[values.size() / 2],
         apart = values[values.size() * 3 / 4] - values[values.size() / 4];
  return {median, median > 0 ? 100 * apart / median : 0};
}

void printTimes(const std::string &regions, const std::string &kernels) {
  Json whole = regions.empty() ? Json() : Json::parse(regions, nullptr, false),
       each = kernels.empty() ? Json() : Json::parse(kernels, nullptr, false);
  if (!whole.is_object() || !whole.contains("regions") || !whole["regions"].is_array())
    return;
  for (const Json &r : whole["regions"]) {
    std::vector<double> times;
    for (const Json &t : r.value("milliseconds", Json::array()))
      if (t.is_number())
        times.push_back(t.get<double>());
    if (times.size() > 1)
      times.erase(times.begin()); // the first warms up
    Spread s = spreadOf(times);
    std::printf("  %-28s %12.4f ms  (%zu calls, spread %.0f %%)\n", r.value("where", "").c_str(),
                s.median, times.size(), s.percent);
    if (!each.is_object() || !each.contains("regions"))
      continue;
    for (const Json &other : each["regions"])
      if (other.value("where", "") == r.value("where", ""))
        for (const Json &k : other.value("kernels", Json::array()))
          std::printf("    %-34s %6.0f launches, each %10.4f ms at least\n",
                      k.value("name", "").c_str(),
                      std::floor(k.value("launches", 0.0) / double(times.size() + 1)),
                      k.value("least", 0.0));
  }
}

} // namespace nw
