// The model of registers: tiles of products hold sums and operands, code side by side shares
// registers, and launch bounds are kept.
#include "build.h"
#include "estimate/resources.h"
#include "frontend/affine/build_program.h"
#include "lower/lower.h"
#include "plan/planner.h"
#include "poly/schedule.h"

namespace nw::testing {

namespace {

Region product() {
  auto element = [](const char *a, const char *x, const char *y) {
    return index(index(var(a, kF32), v(x), kF32), v(y), kF32);
  };
  ExprP c = element("C", "i", "j");
  StmtP update = assign(
      c, binary("+", c, binary("*", element("A", "i", "l"), element("B", "l", "j"), kF32), kF32));
  Region r = regionOf({loop("i", i32(0), v("m"),
                            {loop("j", i32(0), v("n"), {loop("l", i32(0), v("k"), {update})})})},
                      {scalar("m"), scalar("n"), scalar("k"), scalar("i"), scalar("j"), scalar("l"),
                       pointer("A", kF32, {v("k")}), pointer("B", kF32, {v("n")}),
                       pointer("C", kF32, {v("n")})});
  for (const char *name : {"i", "j", "l"})
    r.variables[name].storage = Storage::Local;
  return r;
}

// Of a product in tiles; strips of 8.
int registersOf(std::vector<int> points, int together) {
  Program p = buildProgram(product());
  DeviceSpec device = *findDevice("h200");
  Dependences d = computeDependences(p);
  Schedule s = schedule(p, d, true);
  Plan plan = propose(p, s, device);
  TilePlan t;
  t.grid = {"j", "i"};
  t.block = {16, 16};
  t.threadTile = points;
  t.contiguous = {std::min(points[0], 4), std::min(points[1], 4)};
  t.strip = "l";
  t.stripLength = 8;
  t.staged = {{"A", 4}, {"B", 0}};
  t.minBlocksPerSm = together;
  plan.kernels[0].tiles = {t};
  Kernels kernels = lower(p, d, s, plan, device);
  EXPECT_TRUE(kernels.kernels.at(0).isTiled());
  return modelledResources(p, kernels.kernels[0], device).registers;
}

} // namespace

// nvcc 12 for sm_90: bench/kernels/mm.c has 90 and 128 registers, tests/programs/gemm.c 87 and,
// with 4 x 8 points, 110.
TEST(Registers, OfTiles) {
  EXPECT_NEAR(registersOf({4, 4}, 2), 89, 8);
  EXPECT_NEAR(registersOf({4, 8}, 2), 110, 8);
  EXPECT_NEAR(registersOf({8, 8}, 2), 124, 8);
}

TEST(Registers, GrowWithPoints) {
  EXPECT_LT(registersOf({1, 1}, 1), registersOf({2, 2}, 1));
  EXPECT_LT(registersOf({2, 2}, 1), registersOf({4, 4}, 1));
  EXPECT_LT(registersOf({8, 8}, 1), 256);
}

TEST(Registers, KeepToLaunchBounds) {
  for (int together : {2, 4, 8})
    EXPECT_LE(registersOf({8, 8}, together), 65536 / (256 * together));
}

} // namespace nw::testing
