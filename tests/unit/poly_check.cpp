// check --poly bites: kernels that are bent by hand break dependences, and the run shows it. Needs
// an OpenCL device.
#include "build.h"
#include "check/poly_harness.h"
#include "device/device_spec.h"
#include "driver/host_compiler.h"
#include "frontend/affine/build_program.h"
#include "kernel/partial_results.h"
#include "lower/lower.h"
#include "plan/planner.h"
#include "poly/schedule.h"
#include "support/process.h"
#include "support/text.h"
#include <fmt/format.h>

namespace nw::testing {

namespace {

Variable array(const std::string &name, std::vector<ExprP> inner = {}) {
  Variable x = pointer(name, kI32, std::move(inner));
  x.extents[0] = cast(v("n"), kI64);
  return x;
}

CompiledRegion compiled(Region region) {
  for (auto &[name, x] : region.variables)
    if (name.size() == 1 && (name == "i" || name == "j"))
      x.storage = Storage::Local;
  CompiledRegion r;
  r.program = buildProgram(region);
  r.dependences = computeDependences(r.program);
  r.schedule = schedule(r.program, r.dependences, true);
  r.plan = propose(r.program, r.schedule, commonDevice());
  r.kernels = lower(r.program, r.dependences, r.schedule, r.plan, commonDevice());
  r.entry = "nw_f_0";
  r.where = "f.c:1";
  return r;
}

// b[i] = a[i], then c[i] = b[n - 1 - i]: two launches.
CompiledRegion copies() {
  ExprP n = v("n"), last = op("-", op("-", n, i32(1)), v("i"));
  StmtP first = loop("i", i32(0), n, {assign(at("b", {v("i")}), at("a", {v("i")}))});
  StmtP second = loop("i", i32(0), n, {assign(at("c", {v("i")}), at("b", {last}))});
  return compiled(
      regionOf({first, second}, {scalar("n"), scalar("i"), array("a"), array("b"), array("c")}));
}

// a[i][j] from a[i - 1][j - 1] and a[i - 1][j + 1]: rows in order, by a resident kernel with
// barriers.
CompiledRegion rows() {
  ExprP n = v("n"), above = op("-", v("i"), i32(1));
  StmtP s = assign(at("a", {v("i"), v("j")}), op("+", at("a", {above, op("-", v("j"), i32(1))}),
                                                 at("a", {above, op("+", v("j"), i32(1))})));
  StmtP nest = loop("i", i32(1), n, {loop("j", i32(1), op("-", n, i32(1)), {s})});
  return compiled(
      regionOf({nest}, {scalar("n"), scalar("i"), scalar("j"), array("a", {cast(n, kI64)})}));
}

// sum[0] over a: reduced by two kernels.
CompiledRegion total() {
  StmtP nest = loop("i", i32(0), v("n"),
                    {assign(at("sum", {i32(0)}), op("+", at("sum", {i32(0)}), at("a", {v("i")})))});
  return compiled(regionOf({nest}, {scalar("n"), scalar("i"), array("a"), array("sum")}));
}

// Runs the region's kernels on n = 19, beside the source order.
PolyReport reportOf(const CompiledRegion &r) {
  ScratchDirectory scratch;
  Compilation c;
  c.emitOptions.always = true;
  c.regions.push_back(r);
  EmittedRegion own{&r.program, &r.kernels, r.entry, r.where};
  CheckedFunction f;
  f.signature.name = "f";
  f.signature.parameters = {scalar("n")};
  f.objects = {{"n", kI32, false, false, ""}};
  std::string call;
  for (const std::string &name : regionParameters(own)) {
    if (name == "n") {
      call += ", *(int *)a[0]";
      continue;
    }
    call += fmt::format(", a[{}]", f.objects.size());
    f.signature.parameters.push_back(pointer(name));
    f.objects.push_back({name, kI32, false, true, "(long long)n * n"});
  }
  writeFile(scratch.path + "/regions.nw.c", polyFile(c, {polyRegion(r)}));
  std::string wrapper = fmt::format(
      "{};\nvoid nw_call(void **a) {{ nw_f_0({}); }}\nvoid *nw_global(int k) {{ return 0; }}\n",
      regionPrototype(own), call.substr(2));
  writeFile(scratch.path + "/generated.c", wrapper);
  EXPECT_EQ(
      buildLibrary("generated", {"-O0"}, scratch.path,
                   {scratch.path + "/regions.nw.c", "-I" + runtimeSources(), runtimeLibrary()}),
      0);
  std::string library = scratch.path + "/generated.so";
  writeFile(scratch.path + "/driver.c",
            polyDriverText(f, {{"n", "19"}}, false, {library, library}));
  EXPECT_EQ(runCompiler(false, {"-w", "-rdynamic", scratch.path + "/driver.c", "-o",
                                scratch.path + "/driver", "-ldl", "-lm"}),
            0);
  int status = nw::run({scratch.path + "/driver", scratch.path + "/report", "ordinary"});
  std::string text = readFile(scratch.path + "/report");
  EXPECT_GT(readReport(text).onDevice, 0);
  PolyReport report = readPolyReport(text);
  EXPECT_EQ(status, report.violations.empty() ? 0 : 1);
  return report;
}

StmtP withoutBarriers(const StmtP &s) {
  auto copy = std::make_shared<Stmt>(*s);
  copy->body.clear();
  for (const StmtP &b : s->body)
    if (b->kind != StmtKind::GridBarrier)
      copy->body.push_back(withoutBarriers(b));
  return copy;
}

StmtP withoutFirstPart(const StmtP &s, bool &changed) {
  auto copy = std::make_shared<Stmt>(*s);
  if (s->kind == StmtKind::For && s->loop.counter == "nw_block") {
    copy->loop.start = intConst(1);
    changed = true;
  }
  for (StmtP &b : copy->body)
    b = withoutFirstPart(b, changed);
  return copy;
}

} // namespace

TEST(PolyCheck, WhatIsRightIsAccepted) {
  for (const CompiledRegion &r : {copies(), rows(), total()}) {
    PolyReport report = reportOf(r);
    EXPECT_TRUE(report.violations.empty());
    EXPECT_GE(report.reads, 19);
  }
}

TEST(PolyCheck, LaunchesInTheWrongOrderAreSeen) {
  CompiledRegion r = copies();
  ASSERT_EQ(r.kernels.host.children.size(), 2u);
  std::swap(r.kernels.host.children[0], r.kernels.host.children[1]);
  PolyReport report = reportOf(r);
  ASSERT_FALSE(report.violations.empty());
  EXPECT_EQ(report.violations[0].kind, "read");
  EXPECT_EQ(statementIn(report.violations[0].writer), 2);
  EXPECT_EQ(statementIn(report.violations[0].expected), 1);
}

TEST(PolyCheck, ALoopThatEndsEarlyIsSeen) {
  CompiledRegion r = copies();
  Kernel &k = r.kernels.kernels[0];
  k.body = rewriteExprs(k.body, [](const ExprP &e) {
    return e->kind == ExprKind::Var && e->name == "n" ? op("-", v("n"), i32(1)) : e;
  });
  PolyReport report = reportOf(r);
  ASSERT_FALSE(report.violations.empty());
  EXPECT_EQ(report.violations[0].kind, "missing");
  EXPECT_EQ(statementIn(report.violations[0].writer), 1);
}

TEST(PolyCheck, AMissingBarrierIsSeen) {
  CompiledRegion r = rows();
  bool resident = false;
  for (Kernel &k : r.kernels.kernels)
    if (k.isResident()) {
      k.body = withoutBarriers(k.body);
      resident = true;
    }
  ASSERT_TRUE(resident);
  PolyReport report = reportOf(r);
  ASSERT_FALSE(report.violations.empty());
  EXPECT_EQ(report.violations[0].kind, "read");
  EXPECT_EQ(report.violations[0].form, "as launched");
}

TEST(PolyCheck, AnArrayThatIsNotCopiedInIsSeen) {
  CompiledRegion r = copies();
  for (Buffer &b : r.kernels.buffers)
    if (b.name == "a")
      b.copyIn = false;
  PolyReport report = reportOf(r);
  ASSERT_FALSE(report.violations.empty());
  EXPECT_EQ(statementIn(report.violations[0].found), 255);
}

TEST(PolyCheck, APartOfAReductionThatIsLeftOutIsSeen) {
  CompiledRegion r = total();
  bool changed = false;
  for (Kernel &k : r.kernels.kernels) // what reduces the partial results skips the first of them
    k.body = withoutFirstPart(withoutPartialResults(k).body, changed);
  ASSERT_TRUE(changed);
  PolyReport report = reportOf(r);
  ASSERT_FALSE(report.violations.empty());
  EXPECT_EQ(report.violations[0].kind, "final");
}

} // namespace nw::testing
