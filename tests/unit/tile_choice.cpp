// Tiles that are proposed, and made-up ones, on devices of all sizes.
#include "build.h"
#include "frontend/affine/build_program.h"
#include "lower/lower.h"
#include "plan/planner.h"
#include "poly/schedule.h"
#include "support/diagnostics.h"
#include "verify/verify.h"

namespace nw::testing {

namespace {

ExprP element(const char *a, const char *x, const char *y) {
  return index(index(var(a, kF32), v(x), kF32), v(y), kF32);
}

Region withLocals(Region r, std::vector<std::string> names) {
  for (const std::string &name : names)
    r.variables[name].storage = Storage::Local;
  return r;
}

Region product() {
  StmtP update =
      assign(element("C", "i", "j"),
             binary("+", element("C", "i", "j"),
                    binary("*", element("A", "i", "l"), element("B", "l", "j"), kF32), kF32));
  return withLocals(
      regionOf({loop("i", i32(0), v("m"),
                     {loop("j", i32(0), v("n"), {loop("l", i32(0), v("k"), {update})})})},
               {scalar("m"), scalar("n"), scalar("k"), scalar("i"), scalar("j"), scalar("l"),
                pointer("A", kF32, {v("k")}), pointer("B", kF32, {v("n")}),
                pointer("C", kF32, {v("n")})}),
      {"i", "j", "l"});
}

Region transposition() {
  return withLocals(
      regionOf({loop("i", i32(0), v("m"),
                     {loop("j", i32(0), v("n"),
                           {assign(element("B", "j", "i"), element("A", "i", "j"))})})},
               {scalar("m"), scalar("n"), scalar("i"), scalar("j"), pointer("A", kF32, {v("n")}),
                pointer("B", kF32, {v("m")})}),
      {"i", "j"});
}

} // namespace

// What is proposed for a device fits it, however small its blocks are.
TEST(TileChoice, FitsTheDevice) {
  for (const Region &region : {transposition(), product()}) {
    Program program = buildProgram(region);
    Dependences d = computeDependences(program);
    Schedule s = schedule(program, d, true);
    for (int warp : {8, 16, 32, 64})
      for (int threads : {warp, 2 * warp, 96, 3 * warp, 192, 256, 1024}) {
        DeviceSpec device = *findDevice("h200");
        device.warp = warp;
        device.blockThreads = std::max(warp, threads);
        device.preferredBlock = std::min(device.preferredBlock, device.blockThreads);
        Plan plan = propose(program, s, device);
        try {
          adopt(plan, factsOf(program, s, device), plan, device);
        } catch (const UserError &e) {
          ADD_FAILURE() << "warps of " << warp << ", blocks of " << threads << ": " << e.message;
        }
      }
  }
}

// Without copies in shared memory, too, threads depend on the shape of their block: samples run
// them in blocks as planned.
TEST(TileChoice, WithoutCopiesIsAccepted) {
  Program program = buildProgram(transposition());
  DeviceSpec device = *findDevice("h200");
  Dependences d = computeDependences(program);
  Schedule s = schedule(program, d, true);
  Plan plan = propose(program, s, device);
  TilePlan t;
  t.grid = {"i", "j"};
  t.block = {2, 3};
  t.threadTile = {1, 4};
  t.contiguous = {1, 2};
  plan.kernels[0].tiles = {t};
  Kernels kernels = lower(program, d, s, plan, device);
  EXPECT_TRUE(kernels.kernels.at(0).isTiled());
  for (const Finding &f : verifyKernels(program, kernels, device))
    ADD_FAILURE() << f.check << ": " << f.what;
}

} // namespace nw::testing
