// The passes over Programs.
#include "driver/program_passes.h"
#include "driver/refusals.h"
#include "driver/region_plans.h"
#include "driver/try_renaming.h"
#include "frontend/affine/build_program.h"
#include "frontend/affine/reductions.h"
#include "frontend/cuda/covering.h"
#include "plan/tile_choice.h"
#include "poly/accumulate.h"
#include "poly/delinearize.h"
#include "poly/privatize.h"
#include "poly/promises.h"
#include "poly/schedule.h"
#include "poly/split.h"
#include <filesystem>
#include <fmt/format.h>

namespace nw {

namespace {

// Promises that subscripts alone show to be false: in a CUDA kernel they leave it as it was.
void takeBackPromises(Program &program, RegionContext &context) {
  const Region &region = program.region;
  for (const FalsePromise &f : takeBackFalsePromises(program))
    if (region.isOnDevice)
      throw Diagnostic{"NW0124", Severity::Remark, region.at,
                       fmt::format("different threads of the kernel touch the same elements of "
                                   "'{}', and nothing orders them",
                                   f.array),
                       "it is left as it was written"};
    else
      context.out.diagnostics.push_back(asDiagnostic(f));
}

Program built(const Region &region, const std::shared_ptr<IslContext> &isl,
              RegionContext &context) {
  Program program = buildProgram(region, isl);
  for (const CudaKernel &k : context.out.kernels)
    if (k.function == region.function)
      assumeCovered(program, k);
  refuseImpossible(program);
  refuseWrongReductions(program);
  takeBackPromises(program, context);
  return program;
}

void privatizeScalars(CompiledRegion &r, RegionContext &) { r.program = privatize(r.program); }

void fixOrder(CompiledRegion &r, RegionContext &context) {
  if (context.options.floatingPoint == FloatingPoint::Strict)
    refuseInexactCalls(r.program);
  keepOrder(r.program, context.options.floatingPoint);
}

void recoverRows(CompiledRegion &r, RegionContext &context) {
  if (context.staysFlat)
    return;
  if (std::optional<Program> rows = delinearized(r.program); rows && context.isAccepted(*rows)) {
    r.program = *rows;
    context.hasRows = true;
  }
}

void findSchedule(CompiledRegion &r, RegionContext &context) {
  r.dependences = computeDependences(r.program);
  context.inLimits(r.program.region);
  r.schedule = schedule(r.program, r.dependences, true);
}

// Takes the program split at collisions when that leaves shorter chains.
void split(CompiledRegion &r, RegionContext &context) {
  if (!hasLongChains(r.program, r.schedule.root))
    return;
  std::optional<Program> split = splitAtCollisions(r.program);
  if (!split)
    return;
  Dependences dependences = computeDependences(*split);
  Schedule other = schedule(*split, dependences, true);
  if (!isBetter(*split, other.root, r.program, r.schedule.root) || !context.isAccepted(*split))
    return;
  r.program = *split;
  r.dependences = dependences;
  r.schedule = other;
}

void rename(CompiledRegion &r, RegionContext &context) {
  if (!context.options.renaming || chainsIn(r.program, r.schedule.root) == 0)
    return;
  if (std::optional<CompiledRegion> other = tryRenaming(r, context))
    r = *other;
}

// Takes the program with reductions into variables of their own where there are such.
void replaceByScalars(CompiledRegion &r, RegionContext &context) {
  if (r.isLowered)
    return;
  std::optional<ScalarReplaced> replaced = replaceScalars(r.program, r.schedule, findReduction);
  if (!replaced || !context.isAccepted(replaced->program))
    return;
  r.program = replaced->program;
  r.schedule = replaced->schedule;
  keepOrder(r.program, context.options.floatingPoint);
  r.dependences = computeDependences(r.program);
}

// Takes the program with sums in variables where points share what they sum up: these have many
// sums in registers.
void accumulateSums(CompiledRegion &r, RegionContext &context) {
  if (r.isLowered)
    return;
  auto pays = [&](const Step &step, const Statement &sum) {
    return sharesOperands(r.program, step, sum) && fillsBox(r.program, step, sum);
  };
  std::optional<ScalarReplaced> made = accumulate(r.program, r.schedule, pays);
  if (!made || !context.isAccepted(made->program))
    return;
  r.program = made->program;
  r.schedule = made->schedule;
  r.dependences = computeDependences(r.program);
}

constexpr ProgramPass kPasses[] = {
    {"privatize", "scalars that each iteration sets anew get a copy per iteration",
     privatizeScalars},
    {"order", "reductions that must keep their order are no reductions", fixOrder},
    {"delinearize", "flattened arrays get rows", recoverRows},
    {"schedule", "dependences, and the order that leaves the most parallel loops", findSchedule},
    {"split", "statements are split where their instances collide", split},
    {"rename", "arrays that are used again for other values get memory of their own", rename},
    {"scalar-replacement", "elements that a loop reduces into are kept in a variable",
     replaceByScalars},
    {"accumulate", "sums in memory are formed in a variable and added at the end", accumulateSums},
};

} // namespace

std::span<const ProgramPass> programPasses() { return kPasses; }

std::vector<std::string> programPassNames() {
  std::vector<std::string> names = {"build"};
  for (const ProgramPass &pass : kPasses)
    names.push_back(pass.name);
  return names;
}

CompiledRegion analysed(const Region &region, const std::shared_ptr<IslContext> &isl,
                        RegionContext &context) {
  context.inLimits(region);
  CompiledRegion r;
  r.where = fmt::format("{}:{}", std::filesystem::path(context.options.file).filename().string(),
                        region.at.line);
  r.program = built(region, isl, context);
  auto record = [&](const char *name) {
    if (context.options.keepsHistory)
      r.history.push_back({name, r.program});
  };
  record("build");
  for (const ProgramPass &pass : kPasses) {
    context.inLimits(region);
    pass.run(r, context);
    record(pass.name);
  }
  return r;
}

} // namespace nw
