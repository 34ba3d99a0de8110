// Context of a region.
#include "driver/region_context.h"
#include "support/text.h"
#include "verify/rewriting/rewriting.h"
#include <algorithm>
#include <fmt/format.h>
#include <isl/ctx.h>

namespace nw {

void RegionContext::inLimits(const Region &region) const {
  if (auto reached = options.watch ? options.watch->reached(region.at) : std::nullopt)
    throw *reached;
}

const Plan *RegionContext::givenFor(const Plan &p) const {
  auto found = std::find_if(givenPlans.begin(), givenPlans.end(), [&](const Plan &g) {
    return g.function == p.function && g.region == p.region;
  });
  return found == givenPlans.end() ? nullptr : &*found;
}

bool RegionContext::isAccepted(const Program &made) {
  std::vector<Finding> all = checkRewriting(made);
  if (!all.empty())
    out.diagnostics.push_back(bugIn(made.region, all, print(made) + "\n" + print(*made.before),
                                    "the nest is compiled without this step", options.file));
  return all.empty();
}

void resetOperations(const Program &program) { isl_ctx_reset_operations(program.isl->get().get()); }

Diagnostic bugIn(const Region &region, const std::vector<Finding> &all, const std::string &shown,
                 const char *outcome, const std::string &source) {
  std::string file = fmt::format("nestwarp-reproducer-{}-{}.txt", region.function, region.number);
  std::string text = source + "\n";
  for (const Finding &f : all)
    text += fmt::format("{}: {}\n", f.check, f.what);
  writeFile(file, text + "\n" + shown);
  return {"NW0297", Severity::Warning, region.at,
          fmt::format(
              "the verifier rejects the kernels that nestwarp made for this nest (check '{}': {})",
              all[0].check, all[0].what),
          fmt::format("{}; this is a bug of nestwarp: please report it with {}", outcome, file)};
}

} // namespace nw
