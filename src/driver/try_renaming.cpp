// Trying renamings.
#include "driver/try_renaming.h"
#include "driver/region_plans.h"
#include "frontend/affine/reductions.h"
#include "poly/rename.h"
#include "poly/scalar_replacement.h"
#include "poly/schedule.h"

namespace nw {

namespace {

CompiledRegion renamed(const CompiledRegion &plain, const std::vector<Renaming> &wanted,
                       FloatingPoint floatingPoint) {
  CompiledRegion r = plain;
  r.program = withRenamings(plain.program, wanted);
  for (Statement &s : r.program.statements) // what it read beside the element that it reduces into
                                            // may be another array's now
    if (!s.reduction && !s.isCopy && (s.reduction = findReduction(s.body)) &&
        (!r.program.arrays.count(s.reduction->array) || restartsAtNan(s.body, *s.reduction)))
      s.reduction.reset();
  keepOrder(r.program, floatingPoint);
  r.dependences = computeDependences(r.program);
  r.schedule = schedule(r.program, r.dependences, true);
  return r;
}

// The region with as few of these as do, or as it is where they do not help.
CompiledRegion withFewest(const CompiledRegion &plain, std::vector<Renaming> wanted,
                          FloatingPoint floatingPoint) {
  CompiledRegion best = renamed(plain, wanted, floatingPoint);
  if (!leavesShorterChains(best.program, best.schedule, plain.program, plain.schedule))
    return plain;
  for (size_t k = wanted.size(); k-- > 0 && wanted.size() > 1;) {
    std::vector<Renaming> fewer = wanted;
    fewer.erase(fewer.begin() + long(k));
    CompiledRegion other = renamed(plain, fewer, floatingPoint);
    if (leavesShorterChains(other.program, other.schedule, plain.program, plain.schedule) &&
        chainsIn(other.program, other.schedule.root) <=
            chainsIn(best.program, best.schedule.root)) {
      wanted = fewer;
      best = other;
    }
  }
  return best;
}

} // namespace

std::optional<CompiledRegion> tryRenaming(const CompiledRegion &plain, RegionContext &context) {
  resetOperations(plain.program); // a budget of its own
  std::optional<CompiledRegion> made;
  try {
    std::vector<Renaming> wanted = findRenamings(plain.program, plain.dependences);
    CompiledRegion best =
        wanted.empty() ? plain : withFewest(plain, wanted, context.options.floatingPoint);
    if (best.program.before && best.program.rewriting == Rewriting::Renaming) {
      toKernels(best, context);
      made = best;
    }
  } catch (const Diagnostic &) {
    context.inLimits(plain.program.region);
  } catch (const isl::exception &) {
    context.inLimits(plain.program.region);
  }
  resetOperations(plain.program);
  return made;
}

} // namespace nw
