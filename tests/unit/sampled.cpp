// Sampled runs of a region that went through all stages, and of the same kernels with something
// wrong.
#include "verify/interpreter/sampled.h"
#include "build.h"
#include "frontend/affine/build_program.h"
#include "kernel/reduction_steps.h"
#include "lower/lower.h"
#include "plan/planner.h"
#include "poly/privatize.h"
#include "poly/schedule.h"

namespace nw::testing {

namespace {

struct Compiled {
  Program program;
  Kernels kernels;
};

// for (i = 0; i < n; i++) s += x[i], or y[i] = x[i] + x[n - 1 - i]
Compiled compiled(StmtP inside, ExprP count = v("n")) {
  Region region =
      regionOf({loop("i", i32(0), std::move(count), {std::move(inside)})},
               {scalar("n"), pointer("x", kF32), pointer("y", kF32), scalar("s", kF32)});
  Program plain = buildProgram(region);
  Program p = privatize(plain);
  Dependences d = computeDependences(p);
  Schedule s = schedule(p, d, true);
  DeviceSpec device = commonDevice();
  return {p, lower(p, d, s, propose(p, s, device), device)};
}

Compiled mirror() {
  ExprP other = op("-", op("-", v("n"), i32(1)), v("i"));
  return compiled(assign(at("y", {v("i")}, kF32),
                         binary("+", at("x", {v("i")}, kF32), at("x", {other}, kF32), kF32)));
}
Compiled reduce() {
  return compiled(assign(v("s", kF32), binary("+", v("s", kF32), at("x", {v("i")}, kF32), kF32)));
}

size_t bufferOf(const Kernels &k, const std::string &name) {
  for (size_t n = 0; n < k.buffers.size(); n++)
    if (k.buffers[n].name == name)
      return n;
  ADD_FAILURE() << "no buffer " << name;
  return 0;
}

std::string firstCheck(const Compiled &c) {
  std::vector<Finding> found = checkSamples(c.program, c.kernels, commonDevice());
  return found.empty() ? "" : found[0].check;
}

} // namespace

TEST(Sampled, RightKernelsHaveNoFinding) {
  for (const Compiled &c : {mirror(), reduce()}) {
    SampleReport report = runSamples(c.program, c.kernels, commonDevice());
    EXPECT_TRUE(report.findings.empty()) << report.findings[0].what;
    EXPECT_GT(report.inputs, 3) << report.skippedWhy;
  }
}

TEST(Sampled, WrongCopiesAreFound) {
  Compiled c = mirror();
  c.kernels.buffers[bufferOf(c.kernels, "x")].copyIn = false;
  EXPECT_EQ(firstCheck(c), "uninitialised");
  c = mirror();
  c.kernels.buffers[bufferOf(c.kernels, "y")].copyOut = false;
  EXPECT_EQ(firstCheck(c), "result");
  c = mirror();
  Buffer &x = c.kernels.buffers[bufferOf(c.kernels, "x")];
  x.high = binary("+", x.high, intConst(1), kI64);
  EXPECT_EQ(firstCheck(c), "transfers");
}

TEST(Sampled, AMissingBarrierOfAReductionIsFound) {
  Compiled c = reduce();
  Kernel &kernel = c.kernels.kernels[0];
  StmtP body = withReductionSteps(kernel.body, kernel.block, 1);
  int barriers = 0;
  kernel.body = rewritten(body, [&](const StmtP &s) {
    return s->kind == StmtKind::Barrier && barriers++ == 0 ? block({}) : s;
  });
  ASSERT_GT(barriers, 1);
  EXPECT_EQ(firstCheck(c), "race");
}

TEST(Sampled, FixedSizesThatAreTooLargeAreSaid) {
  StmtP copy = assign(at("y", {v("i")}, kF32), at("x", {v("i")}, kF32));
  Compiled large = compiled(copy, i32(10000000)), small = compiled(copy, i32(1000));
  SampleReport report = runSamples(large.program, large.kernels, commonDevice());
  EXPECT_EQ(report.inputs, 0);
  EXPECT_NE(report.skippedWhy.find("steps"), std::string::npos);
  EXPECT_TRUE(report.findings.empty());
  EXPECT_GT(runSamples(small.program, small.kernels, commonDevice()).inputs, 0);
}

} // namespace nw::testing
