// The search for N.
#include "plan/share_ilp.h"
#include "support/text.h"
#include <algorithm>
#include <fmt/format.h>

namespace nw::share {

std::vector<Factor> legalFactors(const Shape &block, const DeviceSpec &device) {
  std::vector<Factor> factors;
  for (int64_t z = 1; z <= block.z; z *= 2)
    for (int64_t y = 1; y <= block.y; y *= 2) {
      bool isLegal =
          block.y % y == 0 && block.z % z == 0 && block.threads() / (y * z) >= device.warp;
      if (isLegal || (y == 1 && z == 1))
        factors.push_back({y, z});
    }
  std::ranges::stable_sort(factors, {}, &Factor::elements);
  return factors;
}

static std::string textOf(const Factor &f) {
  return f.z > 1 ? fmt::format("{}x{}", f.y, f.z) : std::to_string(f.y);
}

FactorChoice chooseFactor(const Shape &block, const DeviceSpec &device,
                          const std::vector<std::string> &unclean, const FactorCost &cost) {
  FactorChoice choice{{}, block, ""};
  if (!unclean.empty()) {
    choice.why =
        "one element a thread: more would only wait longer while " + joined(unclean, ", and ");
    return choice;
  }
  std::optional<double> best;
  std::vector<std::string> tried;
  for (const Factor &f : legalFactors(block, device)) {
    std::optional<double> time = cost(f);
    tried.push_back(time ? fmt::format("{}: {:.4g}", textOf(f), *time)
                         : textOf(f) + ": not possible");
    if (!time || (best && *time >= *best))
      continue;
    best = time;
    choice.factor = f;
  }
  choice.threads = {block.x, block.y / choice.factor.y, block.z / choice.factor.z};
  choice.why =
      best ? fmt::format("{} elements a thread, the least predicted time of {}",
                         textOf(choice.factor), joined(tried, "; "))
           : "one element a thread: no time could be predicted (" + joined(tried, "; ") + ")";
  return choice;
}

} // namespace nw::share
