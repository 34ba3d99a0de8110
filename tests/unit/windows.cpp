// Threads of several neighbouring points, copies of their variables, and windows: the verifier
// accepts what lowering makes, and notices when it is bent.
#include "build.h"
#include "choices.h"
#include "frontend/affine/build_program.h"
#include "kernel/copies.h"
#include "kernel/window.h"
#include "lower/lower.h"
#include "plan/planner.h"
#include "poly/privatize.h"
#include "poly/schedule.h"
#include "verify/verify.h"

namespace nw::testing {

namespace {

// for i for j { s = 0; for k s += a[i][k] * b[k][j]; c[i][j] = s; }
Region product() {
  ExprP n = v("n");
  StmtP zero = assign(v("s"), i32(0)),
        add = assign(
            v("s"), op("+", v("s"), op("*", at("a", {v("i"), v("k")}), at("b", {v("k"), v("j")}))));
  StmtP store = assign(at("c", {v("i"), v("j")}), v("s"));
  Region r = regionOf(
      {loop("i", i32(0), n, {loop("j", i32(0), n, {zero, loop("k", i32(0), n, {add}), store})})},
      {scalar("n"), scalar("i"), scalar("j"), scalar("k"), scalar("s"),
       pointer("a", kI32, {cast(n, kI64)}), pointer("b", kI32, {cast(n, kI64)}),
       pointer("c", kI32, {cast(n, kI64)})});
  for (const char *name : {"i", "j", "k", "s"}) {
    r.variables[name].storage = Storage::Local;
    r.variables[name].liveAfter = r.variables[name].addressKnown = false;
  }
  return r;
}

// for i c[i] = c[i] + a[i]
Region update() {
  StmtP s = assign(at("c", {v("i")}), op("+", at("c", {v("i")}), at("a", {v("i")})));
  Region r = regionOf({loop("i", i32(0), v("n"), {s})},
                      {scalar("n"), scalar("i"), pointer("a"), pointer("c")});
  r.variables["i"].storage = Storage::Local;
  return r;
}

// for i, j from 1 on: c[i][j] = a[i - 1][j] + a[i][j - 1] + a[i][j + 1]
Region stencil() {
  ExprP n = v("n"), i = v("i"), j = v("j");
  ExprP sum = op("+", op("+", at("a", {op("-", i, i32(1)), j}), at("a", {i, op("-", j, i32(1))})),
                 at("a", {i, op("+", j, i32(1))}));
  StmtP s = assign(at("c", {i, j}), sum);
  ExprP last = op("-", n, i32(1));
  Region r = regionOf({loop("i", i32(1), last, {loop("j", i32(1), last, {s})})},
                      {scalar("n"), scalar("i"), scalar("j"), pointer("a", kI32, {cast(n, kI64)}),
                       pointer("c", kI32, {cast(n, kI64)})});
  r.variables["i"].storage = r.variables["j"].storage = Storage::Local;
  return r;
}

struct Made {
  Made(const Region &region, std::vector<int> points, int vectors, std::vector<int> windows = {},
       const DeviceSpec &given = commonDevice())
      : device(given) {
    Program plain = buildProgram(region);
    program = privatize(plain);
    Dependences dependences = computeDependences(program);
    Schedule order = schedule(program, dependences, true);
    Plan plan = propose(program, order, device);
    plan.kernels.at(0).threadTile = std::move(points);
    plan.kernels[0].tiles.clear();
    plan.kernels[0].blockReductions.clear();
    plan.kernels[0].vectorBytes = vectors;
    plan.kernels[0].vectorsProfitableFrom = 1;
    plan.kernels[0].windowTile = std::move(windows);
    plan.kernels[0].windowsProfitableFrom = 1;
    kernels = lower(program, dependences, order, plan, device);
  }

  std::set<std::string> found() const {
    std::set<std::string> names;
    for (const Finding &f : verifyKernels(program, kernels, device))
      names.insert(f.check);
    return names;
  }

  // Statements of a kind in all kernels.
  int count(StmtKind kind) const {
    int all = 0;
    for (const Kernel &k : kernels.kernels)
      walkStmts(k.body, [&](const StmtP &s) { all += s->kind == kind; });
    return all;
  }

  Made &bend(StmtKind kind, const std::function<void(Stmt &)> &change) {
    for (Kernel &k : kernels.kernels)
      k.body = rewritten(k.body, [&](const StmtP &s) -> StmtP {
        if (s->kind != kind)
          return s;
        auto copy = std::make_shared<Stmt>(*s);
        change(*copy);
        return copy;
      });
    return *this;
  }

  DeviceSpec device;
  Program program;
  Kernels kernels;
};

const std::set<std::string> kNothing;

} // namespace

TEST(Copies, EachPointHasItsOwn) {
  StmtP code = assign(v("s"), op("+", v("s"), v("t")));
  Copies made = withCopies({declare("s", kI32, {}, {})}, {code, code, code},
                           [](const std::string &name) { return name == "s_2"; });
  ASSERT_EQ(made.declarations.size(), 3u);
  EXPECT_EQ(made.declarations[0]->name, "s");
  EXPECT_EQ(made.declarations[1]->name, "s_1");
  EXPECT_EQ(made.declarations[1]->copyOf, "s");
  EXPECT_EQ(made.declarations[2]->name, "nw_s_2");
  EXPECT_TRUE(mentions(made.codes[1]->exprs[1], "s_1"));
  EXPECT_TRUE(mentions(made.codes[1]->exprs[1], "t"));
  EXPECT_FALSE(mentions(made.codes[1]->exprs[1], "s"));
}

TEST(Points, AlongBothDimensionsWithCopiesPass) {
  EXPECT_EQ(Made(product(), {2, 2}, 0).found(), kNothing);
  EXPECT_EQ(Made(product(), {3, 1}, 0).found(), kNothing);
  EXPECT_EQ(Made(update(), {4}, 0).found(), kNothing);
}

TEST(Points, TheLoopOfAProductIsOne) {
  Made made(product(), {2, 2}, 0);
  int loops = 0;
  walkStmts(made.kernels.kernels.at(0).body,
            [&](const StmtP &s) { loops += s->kind == StmtKind::For && s->loop.counter == "k"; });
  EXPECT_EQ(loops, 2); // of whole tiles, and of points that are left over
}

TEST(Points, ACopyOfAnotherPointIsSeen) {
  Made made(product(), {2, 1}, 0);
  for (Kernel &k : made.kernels.kernels)
    k.body = rewritten(k.body, [&](const StmtP &s) {
      return s->isInstance() && s->name == "S2"
                 ? rewriteExprs(s,
                                [](const ExprP &e) {
                                  return e->kind == ExprKind::Var && e->name == "s_p_1"
                                             ? var("s_p", e->type)
                                             : e;
                                })
                 : s;
    });
  EXPECT_TRUE(made.found().count("locals"));
}

TEST(Points, ACopyThatIsNoneIsSeen) {
  Made made(product(), {2, 1}, 0);
  made.bend(StmtKind::Declare, [](Stmt &s) { s.copyOf.clear(); });
  EXPECT_TRUE(made.found().count("bodies"));
}

TEST(Windows, WhatLoweringMakesPasses) {
  for (int points : {2, 4}) {
    Made made(update(), {points}, 16);
    EXPECT_TRUE(hasForm(made.kernels.host, KernelForm::WideWindows));
    EXPECT_EQ(made.found(), kNothing);
  }
  for (int rows : {1, 2, 3}) {
    Made made(stencil(), {4, rows}, 16);
    EXPECT_TRUE(hasForm(made.kernels.host, KernelForm::WideWindows));
    EXPECT_EQ(made.found(), kNothing);
  }
}

TEST(Windows, ProductsHaveNone) {
  Made made(product(), {4, 1}, 16);
  EXPECT_EQ(selectionsOf(made.kernels.host).size(), 1u);
  EXPECT_EQ(made.found(), kNothing);
}

TEST(Windows, PartsOfARow) {
  StmtP w = window("w", at("a", {v("i"), v("j")}), {1, 8}, {true, false, 4}, 2, block({}));
  std::vector<std::pair<int64_t, int64_t>> parts;
  for (const WindowPart &p : partsOf(*w))
    parts.push_back({p.first, p.count});
  EXPECT_EQ(parts, (std::vector<std::pair<int64_t, int64_t>>{{0, 2}, {2, 4}, {6, 2}}));
}

TEST(Windows, OtherSizesAreSeen) {
  EXPECT_TRUE(Made(update(), {4}, 16)
                  .bend(StmtKind::Window, [](Stmt &s) { s.extents[0]++; })
                  .found()
                  .count("windows"));
  EXPECT_TRUE(Made(update(), {4}, 16)
                  .bend(StmtKind::Window, [](Stmt &s) { s.extents[0]--; })
                  .found()
                  .count("windows"));
  EXPECT_TRUE(Made(stencil(), {4, 2}, 16)
                  .bend(StmtKind::Window, [](Stmt &s) { s.extents[0]++; })
                  .found()
                  .count("windows"));
}

TEST(Windows, MissingLoadsAndStoresAreSeen) {
  EXPECT_TRUE(Made(update(), {4}, 16)
                  .bend(StmtKind::Window, [](Stmt &s) { s.section.loads = false; })
                  .found()
                  .count("windows"));
  EXPECT_TRUE(Made(update(), {4}, 16)
                  .bend(StmtKind::Window, [](Stmt &s) { s.section.stores = false; })
                  .found()
                  .count("windows"));
}

TEST(Windows, AnotherPositionIsSeen) {
  auto move = [](Stmt &s) {
    s.exprs[0] = index(s.exprs[0]->args[0],
                       binary("+", s.exprs[0]->args[1], intConst(1, s.exprs[0]->args[1]->type),
                              s.exprs[0]->args[1]->type),
                       s.type);
  };
  std::set<std::string> found = Made(update(), {4}, 16).bend(StmtKind::Window, move).found();
  EXPECT_TRUE(found.count("windows"));
  EXPECT_TRUE(found.count("bodies"));
}

TEST(Windows, AnotherElementIsSeen) {
  Made made(stencil(), {4, 2}, 16);
  for (Kernel &k : made.kernels.kernels)
    k.body = rewriteExprs(k.body, [](const ExprP &e) {
      bool isElement = e->kind == ExprKind::Index && baseOf(e) && baseOf(e)->name == "a_window" &&
                       e->args[0]->kind == ExprKind::Index;
      return isElement ? index(e->args[0], intConst(1, e->args[1]->type), e->type) : e;
    });
  EXPECT_TRUE(made.found().count("bodies"));
}

TEST(Windows, AGuardAroundAStoreIsSeen) {
  Made made(update(), {4}, 16);
  made.bend(StmtKind::For, [](Stmt &s) {
    if (s.loop.isUnrolled)
      s.body[0] = ifElse(binary(">", v("i"), v("n"), kI32), block({}), s.body[0]);
  });
  EXPECT_TRUE(made.found().count("windows"));
}

TEST(Windows, AHostThatDoesNotAskIsSeen) {
  for (bool rows : {false, true}) {
    Made made(stencil(), {4, 2}, 16);
    HostAlternative *wide = alternativeOf(made.kernels.host, KernelForm::WideWindows);
    ASSERT_TRUE(wide && wide->legalIf && !wide->aligned.empty());
    if (rows)
      wide->legalIf = nullptr;
    else
      wide->aligned.clear();
    EXPECT_TRUE(made.found().count("windows")) << rows;
  }
}

TEST(Windows, AWideLaunchWithoutAskingIsSeen) {
  Made made(update(), {4}, 16);
  ASSERT_EQ(made.kernels.host.kind, HostKind::Choice);
  std::swap(made.kernels.host.alternatives.at(0).body, made.kernels.host.children.at(0));
  EXPECT_TRUE(made.found().count("windows"));
}

// Where memory does not lie as wide accesses need it: windows of single elements, else single
// points.
TEST(Windows, OfSingleElementsPassBesideWideOnes) {
  Made made(stencil(), {4, 2}, 16, {1, 4});
  EXPECT_EQ(made.found(), std::set<std::string>());
  const HostStep &choice = made.kernels.host;
  ASSERT_EQ(choice.kind, HostKind::Choice);
  ASSERT_EQ(choice.alternatives.size(), 2u);
  EXPECT_EQ(choice.alternatives[0].form, KernelForm::WideWindows);
  EXPECT_FALSE(choice.alternatives[0].aligned.empty());
  EXPECT_EQ(choice.alternatives[1].form, KernelForm::Windows);
  EXPECT_TRUE(choice.alternatives[1].aligned.empty());
  EXPECT_EQ(fallbackOf(choice).kind, HostKind::Launch);
}

// Windows have a thread each; where the grid has no room for these, the host takes the plain
// launch.
TEST(Windows, AGridWithoutRoomIsNotLaunched) {
  DeviceSpec narrow = commonDevice();
  narrow.gridLimit[1] = 1;
  Made made(stencil(), {4, 1}, 16, {1, 1}, narrow);
  ASSERT_TRUE(hasForm(made.kernels.host, KernelForm::WideWindows));
  EXPECT_EQ(made.found(), std::set<std::string>());
}

TEST(Windows, OfSingleElementsThatAreBentAreSeen) {
  Made made(stencil(), {}, 0, {1, 4});
  ASSERT_EQ(made.found(), std::set<std::string>());
  int windows = 0;
  Kernel &kernel = made.kernels.kernels[size_t(made.kernels.host.alternatives.at(0).body.kernel)];
  kernel.body = rewritten(kernel.body, [&](const StmtP &s) {
    if (s->kind != StmtKind::Window || !s->section.loads)
      return s;
    windows++;
    auto copy = std::make_shared<Stmt>(*s);
    copy->extents[0]--; // a row less
    return StmtP(copy);
  });
  EXPECT_GT(windows, 0);
  EXPECT_TRUE(made.found().count("windows"));
}

} // namespace nw::testing
