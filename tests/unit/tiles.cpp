// Tiles: that products and transpositions in tiles are right and accepted, and that the verifier sees, for all sizes, when a copy, a barrier, a
// register or a guard is not as it should be.
#include "build.h"
#include "frontend/affine/build_program.h"
#include "lower/lower.h"
#include "plan/planner.h"
#include "poly/schedule.h"
#include "verify/interpreter.h"
#include "verify/kernel_checks.h"
#include "verify/verify.h"
#include <algorithm>

namespace nw::testing {

namespace {

using Change = std::function<StmtP(const StmtP &)>;

StmtP rewritten(const StmtP &s, const Change &change) {
  auto copy = std::make_shared<Stmt>(*s);
  for (StmtP &b : copy->body)
    b = rewritten(b, change);
  return change(copy);
}

Type real() { return typeOf(Scalar::F32); }

Region product() {
  auto element = [](const char *a, const char *x, const char *y) { return index(index(var(a, real()), v(x), real()), v(y), real()); };
  ExprP c = element("C", "i", "j");
  StmtP update = assign(c, binary("+", c, binary("*", element("A", "i", "l"), element("B", "l", "j"), real()), real()));
  Region r = regionOf({loop("i", i32(0), v("m"), {loop("j", i32(0), v("n"), {loop("l", i32(0), v("k"), {update})})})},
                      {scalar("m"), scalar("n"), scalar("k"), scalar("i"), scalar("j"), scalar("l"), pointer("A", real(), {v("k")}), pointer("B", real(), {v("n")}), pointer("C", real(), {v("n")})});
  for (const char *name : {"i", "j", "l"})
    r.variables[name].storage = Storage::Local;
  return r;
}

TilePlan smallTiles() {
  TilePlan t;
  t.grid = {"j", "i"};
  t.block = {4, 2};
  t.points = {4, 2};
  t.run = {2, 1};
  t.strip = "l";
  t.length = 3;
  t.staged = {{"A", 1}, {"B", 0}};
  return t;
}

struct Tiled {
  explicit Tiled(const TilePlan &tile = smallTiles()) : program(buildProgram(product())), device(*findDevice("h200")) {
    Dependences d = computeDependences(program);
    Schedule s = schedule(program, d, true);
    Plan plan = propose(program, s, device);
    plan.kernels[0].tiles = {tile};
    kernels = lower(program, d, s, plan, device);
  }

  Kernel &tiles() { return kernels.kernels.at(0); }

  size_t findings() const {
    PlaceReport report = readPlaces(program, kernels, HostForm::Plain);
    size_t many = report.findings.size();
    many += checkBodies(program, report).size() + checkCover(program, report).size() + checkOrder(program, report).size() + checkLocals(program, report).size();
    return many;
  }

  // Findings after a change of the tile kernel alone; the change must have met something.
  size_t bent(const Change &change) const {
    Tiled copy = *this;
    int many = 0;
    copy.tiles().body = rewritten(copy.tiles().body, [&](const StmtP &s) {
      StmtP made = change(s);
      many += made != s;
      return made;
    });
    EXPECT_GT(many, 0);
    return copy.findings();
  }
  size_t bentExprs(const std::function<ExprP(const ExprP &)> &change) const {
    Tiled copy = *this;
    int many = 0;
    copy.tiles().body = rewriteExprs(copy.tiles().body, [&](const ExprP &e) {
      ExprP made = change(e);
      many += made != e;
      return made;
    });
    EXPECT_GT(many, 0);
    return copy.findings();
  }

  Program program;
  DeviceSpec device;
  Kernels kernels;
};

bool writes(const StmtP &s, const std::string &name) { return s->kind == StmtKind::Assign && baseOf(s->exprs[0]) && baseOf(s->exprs[0])->name == name; }

} // namespace

TEST(Tiles, AProductInTilesIsAcceptedAndRight) {
  Tiled tiled;
  ASSERT_TRUE(tiled.tiles().isTiled);
  EXPECT_EQ(tiled.findings(), 0u);
  EXPECT_TRUE(verifyKernels(tiled.program, tiled.kernels, tiled.device).empty());
  SampleInput input;
  RunLimits limits;
  limits.steps = 20000000;
  for (auto [m, n, k] : {std::tuple(4, 16, 3), {9, 35, 7}, {8, 32, 0}, {1, 1, 1}, {5, 17, 2}}) {
    input.scalars = {{"m", m}, {"n", n}, {"k", k}};
    RunResult original = runOriginal(tiled.program.region, input, limits), kernels = runKernels(tiled.program, tiled.kernels, input, limits);
    EXPECT_TRUE(kernels.findings.empty());
    EXPECT_TRUE(compareRuns(tiled.program.region, original, kernels).empty());
  }
}

TEST(Tiles, AMissingBarrierIsSeen) {
  int number = 0;
  for (int which = 0; which < 8; which++) { // one of them at a time
    number = 0;
    Tiled tiled;
    size_t found = 0;
    Tiled copy = tiled;
    copy.tiles().body = rewritten(copy.tiles().body, [&](const StmtP &s) { return s->kind == StmtKind::Barrier && number++ == which ? block({}) : s; });
    if (which < number)
      found = copy.findings();
    EXPECT_TRUE(which >= number || found > 0) << which;
  }
  EXPECT_EQ(number, 8);
}

TEST(Tiles, ACopyOfOtherElementsIsSeen) {
  Tiled tiled;
  for (const char *name : {"A", "B"}) {
    // B is loaded to registers first; A is copied at once, since its elements are not as many for each thread.
    std::string next = std::string(name) + (*name == 'B' ? "_tile_next" : "_tile");
    EXPECT_GT(tiled.bent([&](const StmtP &s) {
      if (!writes(s, next))
        return s;
      const ExprP &from = s->exprs[1];
      return assign(s->exprs[0], index(from->args[0], binary("+", from->args[1], intConst(1, kI32), kI32), from->type));
    }), 0u);
    EXPECT_GT(tiled.bent([&](const StmtP &s) { return writes(s, next) ? block({}) : s; }), 0u); // not loaded
    EXPECT_GT(tiled.bent([&](const StmtP &s) { return writes(s, std::string(name) + "_tile") ? block({}) : s; }), 0u); // not copied
    EXPECT_GT(tiled.bent([&](const StmtP &s) { return writes(s, std::string(name) + "_tile") ? block({s, s}) : s; }), 0u);
  }
}

TEST(Tiles, AReadOfAnotherElementOfTheCopyIsSeen) {
  Tiled tiled;
  EXPECT_GT(tiled.bentExprs([](const ExprP &e) {
    if (e->kind != ExprKind::Staged || baseOf(e)->name != "A_tile")
      return e;
    return staged(index(e->args[0]->args[0], binary("+", e->args[0]->args[1], intConst(1, kI32), kI32), e->type), e->args[1]);
  }), 0u);
  EXPECT_GT(tiled.bentExprs([](const ExprP &e) { return e->kind == ExprKind::Staged && baseOf(e)->name == "B_tile" ? staged(e->args[0], index(e->args[1]->args[0], intConst(0, kI32), e->type)) : e; }), 0u);
}

TEST(Tiles, RegistersThatAreNotLoadedOrStoredAreSeen) {
  Tiled tiled;
  EXPECT_GT(tiled.bent([](const StmtP &s) { return s->kind == StmtKind::Assign && s->exprs[1]->kind == ExprKind::Index && baseOf(s->exprs[1])->name == "C" && writes(s, "C_kept") ? block({}) : s; }), 0u);
  EXPECT_GT(tiled.bent([](const StmtP &s) { return writes(s, "C") ? block({}) : s; }), 0u);
  EXPECT_GT(tiled.bentExprs([](const ExprP &e) { return e->kind == ExprKind::Index && e->args[1]->kind == ExprKind::Var && e->args[1]->name == "j_point" && e->args[0]->kind == ExprKind::Index && baseOf(e)->name == "C_kept" ? index(e->args[0], intConst(0, kI32), e->type) : e; }), 0u);
}

TEST(Tiles, PointsThatMeetOrAreMissingAreSeen) {
  Tiled tiled;
  auto scaled = [](int64_t from, int64_t to) {
    return [from, to](const ExprP &e) { return e->kind == ExprKind::Binary && e->name == "*" && e->args[1]->kind == ExprKind::Int && e->args[1]->integer == from && e->args[0]->kind == ExprKind::Builtin && e->args[0]->name == "lane.x" ? binary("*", e->args[0], intConst(to, kI32), kI32) : e; };
  };
  EXPECT_GT(tiled.bentExprs(scaled(2, 1)), 0u);
  EXPECT_GT(tiled.bentExprs(scaled(2, 3)), 0u);
  EXPECT_GT(tiled.bent([](const StmtP &s) {
    if (s->kind != StmtKind::For || s->loop.counter != "i_point")
      return s;
    auto copy = std::make_shared<Stmt>(*s);
    copy->loop.condition = binary("<", var("i_point", kI32), intConst(1, kI32), kI32);
    return StmtP(copy);
  }), 0u);
}

TEST(Tiles, AMissingGuardIsSeen) {
  Tiled tiled;
  int number = 0, guards = 0;
  walkStmts(tiled.tiles().body, [&](const StmtP &s) { guards += s->kind == StmtKind::If && s->body.size() == 1 && !s->isSpeculated; });
  ASSERT_GT(guards, 4);
  for (int which = 0; which < guards; which++) {
    number = 0;
    Tiled copy = tiled;
    bool isEquivalent = false; // whether a strip is left over, and whether there are any: without asking, nothing is copied and nothing is done
    copy.tiles().body = rewritten(copy.tiles().body, [&](const StmtP &s) -> StmtP {
      if (s->kind != StmtKind::If || s->body.size() != 1 || s->isSpeculated || number++ != which)
        return s;
      isEquivalent = s->exprs[0]->name == "<" && mentions(s->exprs[0]->args[1], "k") && !mentions(s->exprs[0], "i");
      return s->body[0];
    });
    if (!isEquivalent) {
      EXPECT_GT(copy.findings(), 0u) << which;
    }
  }
}

TEST(Tiles, MoreThanComputingInRegistersIsNotSpeculated) {
  Tiled tiled;
  EXPECT_GT(tiled.bent([](const StmtP &s) {
    if (s->kind != StmtKind::If || s->isSpeculated || s->body.size() != 1 || mentions(s->exprs[0], "l_rest") || !mentions(s->exprs[0], "i"))
      return s;
    auto copy = std::make_shared<Stmt>(*s);
    copy->isSpeculated = true; // loads and stores of elements that are none
    return StmtP(copy);
  }), 0u);
}

namespace {

// Whole rounds of the copies for every thread, so that the next strip can be loaded while one is computed.
TilePlan aheadTiles() {
  TilePlan t = smallTiles();
  t.length = 4;
  t.ahead = 1;
  return t;
}

// if (l_strip + 4 <= k - 4) loads of the next strip
bool isNextStrip(const StmtP &s) {
  return s->kind == StmtKind::If && s->exprs[0]->kind == ExprKind::Binary && s->exprs[0]->name == "<=" && s->exprs[0]->args[0]->kind == ExprKind::Binary && mentions(s->exprs[0]->args[0], "l_strip");
}

} // namespace

TEST(Ahead, StripsThatAreLoadedAheadAreAcceptedAndRight) {
  Tiled tiled(aheadTiles());
  int loads = 0;
  walkStmts(tiled.tiles().body, [&](const StmtP &s) { loads += isNextStrip(s); });
  EXPECT_EQ(loads, 2); // in whole tiles and at the edge
  EXPECT_EQ(tiled.findings(), 0u);
  SampleInput input;
  RunLimits limits;
  limits.steps = 20000000;
  for (auto [m, n, k] : {std::tuple(4, 16, 4), {9, 35, 13}, {8, 32, 0}, {4, 16, 3}, {5, 17, 8}}) {
    input.scalars = {{"m", m}, {"n", n}, {"k", k}};
    RunResult original = runOriginal(tiled.program.region, input, limits), kernels = runKernels(tiled.program, tiled.kernels, input, limits);
    EXPECT_TRUE(kernels.findings.empty());
    EXPECT_TRUE(compareRuns(tiled.program.region, original, kernels).empty());
  }
}

TEST(Ahead, LoadsOfAnotherStripAreSeen) {
  Tiled tiled(aheadTiles());
  for (int64_t further : {0, 8})
    EXPECT_GT(tiled.bent([&](const StmtP &s) {
      if (!isNextStrip(s))
        return s;
      auto copy = std::make_shared<Stmt>(*s);
      copy->body[0] = rewriteExprs(s->body[0], [&](const ExprP &e) { return sameTree(e, s->exprs[0]->args[0]) ? binary("+", e->args[0], intConst(further, e->type), e->type) : e; });
      return StmtP(copy);
    }), 0u) << further;
}

TEST(Ahead, LoadsUnderAnotherConditionAreSeen) {
  Tiled tiled(aheadTiles());
  EXPECT_GT(tiled.bent([](const StmtP &s) { return isNextStrip(s) ? s->body[0] : s; }), 0u);
  EXPECT_GT(tiled.bent([](const StmtP &s) {
    if (!isNextStrip(s))
      return s;
    auto copy = std::make_shared<Stmt>(*s);
    copy->exprs[0] = binary("<", s->exprs[0]->args[0], s->exprs[0]->args[1], kI32);
    return StmtP(copy);
  }), 0u);
}

TEST(Ahead, AFirstStripThatIsNotLoadedIsSeen) {
  Tiled tiled(aheadTiles());
  EXPECT_GT(tiled.bent([](const StmtP &s) { return s->kind == StmtKind::If && s->exprs[0]->kind == ExprKind::Binary && s->exprs[0]->name == "<=" && s->exprs[0]->args[0]->kind == ExprKind::Int ? block({}) : s; }), 0u);
}

TEST(Ahead, RegistersThatAreLoadedAnewBeforeTheyAreStoredAreSeen) {
  Tiled tiled(aheadTiles());
  EXPECT_GT(tiled.bent([](const StmtP &s) {
    auto next = std::find_if(s->body.begin(), s->body.end(), isNextStrip);
    if (s->kind != StmtKind::Block || next == s->body.end())
      return s;
    auto copy = std::make_shared<Stmt>(*s);
    size_t at = size_t(next - s->body.begin());
    copy->body.erase(copy->body.begin() + long(at));
    copy->body.insert(copy->body.begin(), s->body[at]);
    return StmtP(copy);
  }), 0u);
}

namespace {

TilePlan twoBuffers(int ahead) {
  TilePlan t = aheadTiles();
  t.ahead = ahead;
  t.buffers = 2;
  return t;
}

bool isTurn(const ExprP &e) { return e->kind == ExprKind::Binary && e->name == "%" && e->args[1]->kind == ExprKind::Int && e->args[1]->integer == 2 && mentions(e, "l_strip"); }

} // namespace

TEST(Buffers, StripsThatTakeTurnsAreAcceptedAndRight) {
  for (int ahead : {0, 1}) {
    Tiled tiled(twoBuffers(ahead));
    EXPECT_EQ(tiled.findings(), 0u) << ahead;
    SampleInput input;
    RunLimits limits;
    limits.steps = 20000000;
    for (auto [m, n, k] : {std::tuple(4, 16, 4), {9, 35, 13}, {8, 32, 0}, {4, 16, 3}, {5, 17, 16}}) {
      input.scalars = {{"m", m}, {"n", n}, {"k", k}};
      RunResult original = runOriginal(tiled.program.region, input, limits), kernels = runKernels(tiled.program, tiled.kernels, input, limits);
      EXPECT_TRUE(kernels.findings.empty()) << ahead;
      EXPECT_TRUE(compareRuns(tiled.program.region, original, kernels).empty()) << ahead;
    }
  }
}

TEST(Buffers, AMissingBarrierIsSeen) {
  Tiled tiled(twoBuffers(1));
  int number = 0;
  for (int which = 0; which < 8; which++) {
    number = 0;
    Tiled copy = tiled;
    copy.tiles().body = rewritten(copy.tiles().body, [&](const StmtP &s) { return s->kind == StmtKind::Barrier && number++ == which ? block({}) : s; });
    EXPECT_TRUE(which >= number || copy.findings() > 0) << which;
  }
  EXPECT_EQ(number, 8);
}

TEST(Buffers, BuffersThatDoNotTakeTurnsAreSeen) {
  Tiled tiled(twoBuffers(1));
  EXPECT_GT(tiled.bentExprs([](const ExprP &e) { return isTurn(e) ? intConst(0, e->type) : e; }), 0u);
  EXPECT_GT(tiled.bentExprs([](const ExprP &e) { return isTurn(e) ? binary("%", binary("/", e->args[0]->args[0], intConst(8, e->type), e->type), e->args[1], e->type) : e; }), 0u);
  int number = 0; // the other one is read
  EXPECT_GT(tiled.bent([&](const StmtP &s) {
    if (!s->isInstance())
      return s;
    bool found = false;
    StmtP other = rewriteExprs(s, [&](const ExprP &e) {
      found |= isTurn(e);
      return isTurn(e) ? binary("-", intConst(1, e->type), e, e->type) : e;
    });
    return found && number++ == 0 ? other : s;
  }), 0u);
}

// ---- copies that are under way ----

static TilePlan underWay() {
  TilePlan t = twoBuffers(0);
  t.async = 1;
  return t;
}

TEST(Async, CopiesUnderWayAreAcceptedAndRight) {
  Tiled tiled(underWay());
  int many = 0;
  walkStmts(tiled.tiles().body, [&](const StmtP &s) { many += s->kind == StmtKind::Assign && s->isAsync; });
  EXPECT_EQ(many, 8); // of A and B, the first strip and the next, whole tiles and edges
  EXPECT_EQ(tiled.findings(), 0u);
  SampleInput input;
  RunLimits limits;
  limits.steps = 20000000;
  for (auto [m, n, k] : {std::tuple(4, 16, 4), {9, 35, 13}, {8, 32, 0}, {4, 16, 3}, {5, 17, 16}}) {
    input.scalars = {{"m", m}, {"n", n}, {"k", k}};
    RunResult original = runOriginal(tiled.program.region, input, limits), kernels = runKernels(tiled.program, tiled.kernels, input, limits);
    EXPECT_TRUE(kernels.findings.empty());
    EXPECT_TRUE(compareRuns(tiled.program.region, original, kernels).empty());
  }
}

TEST(Async, AMissingBarrierIsSeen) {
  Tiled tiled(underWay());
  int number = 0;
  for (int which = 0; which < 8; which++) {
    number = 0;
    Tiled copy = tiled;
    copy.tiles().body = rewritten(copy.tiles().body, [&](const StmtP &s) { return s->kind == StmtKind::Barrier && number++ == which ? block({}) : s; });
    EXPECT_TRUE(which >= number || copy.findings() > 0) << which;
  }
  EXPECT_EQ(number, 8);
}

TEST(Async, CopiesThatGoWhereSomethingIsReadAreSeen) {
  Tiled tiled(underWay());
  // into the buffer of this turn, a strip too late, and copies of the rest that are not waited for
  EXPECT_GT(tiled.bentExprs([](const ExprP &e) { return isTurn(e) ? intConst(0, e->type) : e; }), 0u);
  EXPECT_GT(tiled.bent([](const StmtP &s) {
    if (s->kind != StmtKind::If || !mentions(s->exprs[0], "l_strip"))
      return s;
    return rewriteExprs(s, [](const ExprP &e) { return e->kind == ExprKind::Binary && e->name == "+" && e->args[0]->kind == ExprKind::Var && e->args[0]->name == "l_strip" && e->args[1]->kind == ExprKind::Int ? e->args[0] : e; });
  }), 0u);
  EXPECT_GT(tiled.bent([](const StmtP &s) {
    if (s->kind != StmtKind::Assign || s->isAsync || !(writes(s, "A_tile") || writes(s, "B_tile")))
      return s;
    auto copy = std::make_shared<Stmt>(*s);
    copy->isAsync = true;
    return StmtP(copy);
  }), 0u);
}

TEST(Buffers, AStoreBehindTheBarrierIsSeen) {
  Tiled tiled(twoBuffers(0));
  EXPECT_GT(tiled.bent([](const StmtP &s) {
    if (s->kind != StmtKind::For || s->loop.counter != "l_strip")
      return s;
    std::vector<StmtP> body = s->body[0]->body;
    auto barrier = std::find_if(body.begin(), body.end(), [](const StmtP &b) { return b->kind == StmtKind::Barrier; });
    if (barrier == body.begin() || barrier == body.end())
      return s;
    std::iter_swap(barrier - 1, barrier);
    auto copy = std::make_shared<Stmt>(*s);
    copy->body = {block(body)};
    return StmtP(copy);
  }), 0u);
}

} // namespace nw::testing
