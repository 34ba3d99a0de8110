// Conditions on which the threads of most warps of a block part. A check at the edge of a range
// parts one warp, and one lane that writes a result parts nothing that would have had work: neither
// is told.
#include "lint/findings.h"
#include <algorithm>
#include <fmt/format.h>

namespace nw::lint {

namespace {

struct Parting {
  int warps = 0, split = 0; // that get there; that part
  int in = 0, lanes = 0;    // of the first that parts
};

std::optional<Parting> partingOf(const Condition &c, const Subject &subject, Surroundings iteration,
                                 int64_t block) {
  iteration.block = {block, block, block};
  Parting p;
  for (int warp = 0; warp < subject.setting.warps(); warp++) {
    std::optional<Lanes> lanes = lanesOf(c.value, c.guards, warp, subject.setting, iteration);
    if (!lanes)
      return std::nullopt;
    int in = 0, all = 0, switches = 0;
    std::optional<bool> last;
    for (const auto &v : *lanes)
      if (v) {
        all++;
        in += *v != 0;
        switches += last && *last != (*v != 0);
        last = *v != 0;
      }
    if (!all)
      continue;
    p.warps++;
    // The end of a row, as where halos are loaded; with one warp only, any end.
    int64_t rows = std::max<int64_t>(1, subject.setting.warp / subject.setting.block[0]);
    bool isEdge = switches < 2 * rows && (4 * std::min(in, all - in) <= all ||
                                          (subject.setting.warps() == 1 && rows == 1));
    if (in > 0 && in < all && !isEdge && 8 * std::min(in, all - in) > all) {
      p.split++;
      if (p.split == 1) {
        p.in = in;
        p.lanes = all;
      }
    }
  }
  return p;
}

} // namespace

void checkDivergence(const Subject &subject, Findings &found) {
  for (const Condition &c : subject.trace.conditions) {
    if (!c.hasWork || !c.value->differs || !isCertain(c.value, subject.setting))
      continue;
    std::vector<SymbolP> symbols = c.guards;
    symbols.push_back(c.value);
    for (const Surroundings &iteration :
         iterationsOf(symbols, c.loops, subject.trace, subject.setting)) {
      std::optional<Parting> one = partingOf(c, subject, iteration, 1),
                             two = partingOf(c, subject, iteration, 2);
      if (!one || !two || 2 * one->split < std::max(one->warps, 1) ||
          2 * two->split < std::max(two->warps, 1))
        continue;
      found.push_back(finding(
          subject, "NW0507", Severity::Warning, c.at, c.length,
          fmt::format("threads of a warp diverge here: {} holds for {} of {} lanes, in {} of "
                      "{} warps of a block{}",
                      textOf(c.value), one->in, one->lanes, one->split, one->warps,
                      iterationText(iteration, c.loops, subject.trace)),
          fmt::format("let whole warps take the same branch: choose by threadIdx / {}, or give the "
                      "work to the first threads",
                      subject.setting.warp)));
      break;
    }
  }
}

} // namespace nw::lint
