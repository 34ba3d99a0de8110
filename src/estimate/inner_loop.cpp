// Bringing tree and PTX together.
#include "estimate/inner_loop.h"
#include <algorithm>
#include <array>
#include <cmath>

namespace nw {

namespace {

// What compilers neither add nor take away.
std::array<double, 3> anchors(const InstructionMix &m) {
  return {m.loadGlobal + m.loadShared, m.storeGlobal + m.storeShared,
          m.fma + m.add + m.multiply + m.fp64};
}

// How many iterations the body has; 0: it is another loop's.
double iterationsIn(const InstructionMix &body, const InstructionMix &iteration) {
  std::array<double, 3> has = anchors(body), wants = anchors(iteration);
  double all = 0, one = 0;
  for (size_t k = 0; k < 3; k++)
    all += has[k], one += wants[k];
  double times = one > 0 ? std::round(all / one) : 0;
  for (size_t k = 0; k < 3; k++)
    if (std::fabs(has[k] - times * wants[k]) > 0.25 * std::max(times * wants[k], has[k]) + 1e-9)
      return 0;
  return times;
}

} // namespace

std::optional<InnerLoop> innerLoopOf(const KernelWalk &walk,
                                     const std::vector<InstructionMix> &bodies) {
  std::optional<size_t> most;
  for (size_t n = 0; n < walk.stages.size(); n++)
    if (walk.stages[n].loop > 0 && walk.stages[n].visits > 0 &&
        (!most || walk.stages[n].mix.total() > walk.stages[*most].mix.total()))
      most = n;
  if (!most)
    return std::nullopt;
  const Stage &s = walk.stages[*most];
  InnerLoop out{
      s.counter,    *most, s.visits * walk.warps, s.mix.scaled(1 / (s.visits * walk.warps)),
      std::nullopt, 1};
  double times = 0;
  for (const InstructionMix &body : bodies)
    if (double here = iterationsIn(body, out.tree); here > times) {
      times = here;
      out.compiler = body.scaled(1 / here);
      out.unrolled = here;
    }
  return out;
}

void takeCompilersMix(KernelWalk &walk, const InnerLoop &loop) {
  if (!loop.compiler)
    return;
  Stage &s = walk.stages[loop.stage];
  InstructionMix &phase = walk.phases[size_t(s.phase)],
                 changed = loop.compiler->scaled(loop.iterations);
  double before = phase.total();
  InstructionMix without = s.mix.scaled(-1);
  for (InstructionMix *m : {&phase, &walk.mix}) {
    *m += without;
    *m += changed;
  }
  s.mix = changed;
  for (std::vector<double> &warp : walk.instructionsOfWarps)
    warp[size_t(s.phase)] *= before > 0 ? phase.total() / before : 1;
}

} // namespace nw
