// Plans and Kernels of regions.
#include "driver/region_plans.h"
#include "driver/refusals.h"
#include "driver/share_regions.h"
#include "lower/lower.h"
#include "poly/promises.h"
#include "verify/verify.h"
#include <algorithm>
#include <fmt/format.h>

namespace nw {

namespace {

// Proposals of wide accesses and of reductions that threads share cost isl work that a nest may
// have no budget for: it is taken to the device without them then. Not so in a plan that somebody
// wrote.
template <class Make>
void lowerInBudget(CompiledRegion &r, RegionContext &context, const Make &make) {
  const CompileOptions &options = context.options;
  const DeviceSpec &device = context.device;
  bool isProposed =
      !options.varyPlan && !context.givenFor(r.plan) &&
      std::any_of(r.plan.kernels.begin(), r.plan.kernels.end(), [](const KernelPlan &k) {
        return k.vectorBytes > 0 || !k.blockReductions.empty();
      });
  try {
    make(false);
  } catch (const isl::exception &) {
    if (!isProposed || (options.watch && options.watch->reached(r.program.region.at)))
      throw;
    resetOperations(r.program);
    PlanOptions without = options.planning;
    without.vectors = without.blockReduction = false;
    r.plan = propose(r.program, r.schedule, r.facts, device, without);
    make(true);
  }
}

// `isFinal`: it will be kept, so that the plan given for its number is meant for it.
void planAndLower(CompiledRegion &r, RegionContext &context, bool isFinal) {
  const CompileOptions &options = context.options;
  const DeviceSpec &device = context.device;
  r.facts = factsOf(r.program, r.schedule, device);
  r.plan = propose(r.program, r.schedule, r.facts, device, options.planning);
  if (const Plan *given = isFinal ? context.givenFor(r.plan) : nullptr)
    r.plan = adopt(r.plan, r.facts, *given, device);
  if (options.varyPlan) {
    Plan varied = r.plan;
    options.varyPlan(varied, r.facts, device);
    r.plan = adopt(r.plan, r.facts, varied, device);
  }
  lowerInBudget(r, context, [&](bool) {
    r.kernels = lower(r.program, r.dependences, r.schedule, r.plan, device);
  });
}

// The region with the plan that was found by measuring; nothing where there is none, or it does
// not fit any more. It has passed the verifier.
std::optional<CompiledRegion> tuned(CompiledRegion r, const RegionContext &context) {
  const CompileOptions &options = context.options;
  const DeviceSpec &device = context.device;
  std::optional<TunedPlan> found =
      options.tuned && !options.varyPlan ? options.tuned(r.program) : std::nullopt;
  if (!found)
    return std::nullopt;
  found->plan.function = r.plan.function;
  found->plan.region = r.plan.region;
  try {
    r.plan = adopt(r.plan, r.facts, found->plan, device);
    r.kernels = lower(r.program, r.dependences, r.schedule, r.plan, device);
    if (verifyKernels(r.program, r.kernels, device).empty()) {
      r.tuned = found->about;
      return std::move(r);
    }
  } catch (const UserError &) {
  } catch (const Diagnostic &) {
  } catch (const isl::exception &) {
  }
  resetOperations(r.program); // what was spent is not the proposed plan's
  return std::nullopt;
}

// The region with the tiles of a share hint; nothing where the proposed plan is to be taken. What
// of the hint is not carried out is said.
std::optional<CompiledRegion> withShareHint(CompiledRegion &r, const openacc::ShareHint &hint,
                                            RegionContext &context) {
  resetOperations(r.program);
  HintedRegion made;
  try {
    made = withHint(r, hint, context.device, context.options.obeysShare);
  } catch (const UserError &e) {
    throw UserError{render({"NW0311", Severity::Error, hint.at, e.message,
                            "name parts that one tiling of the loops can give"},
                           context.options.file, context.out.parsed.source)};
  }
  resetOperations(r.program);
  CompiledRegion &taken = made.region ? *made.region : r;
  taken.share = made.lines;
  for (const std::string &text : made.undone) {
    taken.share.push_back("not carried out: " + text);
    context.out.diagnostics.push_back(
        {"NW0312", Severity::Remark, hint.at, "of this share hint: " + text,
         "`nestwarp explain` shows what was decided; the nest still runs on the device"});
  }
  return made.region;
}

// The region without the forms in which threads of a block work together; nothing where it has none
// of them, or where what is left cannot be proved either.
std::optional<CompiledRegion> withPlainKernels(const CompiledRegion &r, const DeviceSpec &device) {
  CompiledRegion plain = r;
  bool had = false;
  for (KernelPlan &k : plain.plan.kernels)
    if (!k.tiles.empty() || k.fuse || !k.blockReductions.empty()) {
      had = true;
      k.tiles.clear();
      k.fuse.reset();
      k.blockReductions.clear();
      k.why += (k.why.empty() ? "" : "; ") +
               std::string("no tiles, fusion and shared reductions, which were not proved");
    }
  if (!had)
    return std::nullopt;
  resetOperations(plain.program);
  plain.kernels = lower(plain.program, plain.dependences, plain.schedule, plain.plan, device);
  return verifyKernels(plain.program, plain.kernels, device).empty() ? std::optional(plain)
                                                                     : std::nullopt;
}

} // namespace

void keepOrder(Program &p, FloatingPoint floatingPoint) {
  keepAskedOrder(p);
  for (Statement &s : p.statements)
    if (s.reduction && s.reduction->type.isFloat() && floatingPoint == FloatingPoint::Strict)
      s.reduction.reset();
}

void toKernels(CompiledRegion &r, RegionContext &context) {
  if (r.isLowered)
    return;
  refuseSerial(r.program, r.schedule);
  context.inLimits(r.program.region);
  planAndLower(r, context, false);
  r.isLowered = true;
}

void refuseUnfit(const CompiledRegion &r, RegionContext &context) {
  if (r.isLowered)
    return;
  refuseSerial(r.program, r.schedule);
  context.inLimits(r.program.region);
  refuseUnknownExtents(r.program, r.dependences, r.schedule, context.device);
}

CompiledRegion numbered(CompiledRegion r, int number, RegionContext &context) {
  if (r.program.region.number != number) {
    r.program.region.number = number;
    planAndLower(r, context, false);
  }
  return r;
}

CompiledRegion verified(CompiledRegion r, const std::optional<openacc::ShareHint> &hint,
                        RegionContext &context) {
  const DeviceSpec &device = context.device;
  if (hint && !context.givenFor(r.plan))
    if (std::optional<CompiledRegion> other = withShareHint(r, *hint, context))
      return *other;
  resetOperations(r.program); // a budget of its own
  if (context.givenFor(r.plan)) {
    planAndLower(r, context, true);
    resetOperations(r.program); // as where the plan is the proposed one
  } else if (std::optional<CompiledRegion> better = tuned(r, context))
    return *better;
  context.inLimits(r.program.region);
  std::vector<Finding> all;
  lowerInBudget(r, context, [&](bool hasNewPlan) {
    if (hasNewPlan)
      r.kernels = lower(r.program, r.dependences, r.schedule, r.plan, device);
    all = verifyKernels(r.program, r.kernels, device);
  });
  if (!all.empty() &&
      std::all_of(all.begin(), all.end(), [](const Finding &f) { return f.check == "widths"; })) {
    r.kernels = lower(r.program, r.dependences, r.schedule, r.plan, device, true);
    all = verifyKernels(r.program, r.kernels, device);
  }
  if (all.empty())
    return r;
  std::string shown = fmt::format("{}\n{}\n{}\n{}", print(r.program), print(r.dependences),
                                  print(r.schedule), print(r.kernels));
  if (std::optional<CompiledRegion> plain =
          context.givenFor(r.plan) ? std::nullopt : withPlainKernels(r, device)) {
    context.out.diagnostics.push_back(
        bugIn(r.program.region, all, shown,
              "the nest is compiled without tiles, fusion and reductions that threads share",
              context.options.file));
    return *plain;
  }
  throw bugIn(r.program.region, all, shown, "it stays on the host", context.options.file);
}

} // namespace nw
