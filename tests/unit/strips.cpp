// Strips of rows and halos: that loads and stores through shared memory are right and accepted, for
// one and two dimensions, and that the verifier sees, for all sizes, when a barrier is missing, a
// element is another one, a store brings what nobody wrote, or a copy reaches beyond the array.
#include "plan/row_strips.h"
#include "row_strips.h"
#include <algorithm>

namespace nw::testing {

namespace {

// b[i][j] = a[i][j] + (i > 0 ? a[i - 1][j] : 0) + (j < m - 1 ? a[i][j + 1] : 0)
Region neighbours() {
  auto asked = [](const ExprP &condition, const ExprP &value) {
    return node(ExprKind::Select, {condition, value, cast(i32(0), real())}, real());
  };
  ExprP above =
      asked(binary(">", v("i"), i32(0), kI32), at("a", binary("-", v("i"), i32(1), kI32), v("j")));
  ExprP right = asked(binary("<", v("j"), binary("-", v("m"), i32(1), kI32), kI32),
                      at("a", v("i"), binary("+", v("j"), i32(1), kI32)));
  return regionWith(
      assign(at("b", v("i"), v("j")),
             binary("+", binary("+", at("a", v("i"), v("j")), above, real()), right, real())),
      {pointer("a", real(), {v("m")}), pointer("b", real(), {v("m")})});
}

TilePlan halo() {
  TilePlan t;
  t.grid = {"j", "i"};
  t.block = {4, 2};
  t.threadTile = {1, 2};
  t.contiguous = {1, 1};
  t.staged = {{"a", 1}};
  return t;
}

void expectAcceptedAndRight(TiledRegion tiled, const std::vector<std::pair<int, int>> &sizes) {
  ASSERT_TRUE(tiled.tiles().isTiled());
  EXPECT_EQ(textOf(provedFindings(tiled.program, tiled.kernels)), "");
  EXPECT_TRUE(verifyKernels(tiled.program, tiled.kernels, tiled.device).empty());
  for (auto [n, m] : sizes)
    tiled.expectSame({{{"n", n}, {"m", m}}});
}

bool isStore(const StmtP &s) {
  return writes(s, "b") && baseOf(s->exprs[1]) && baseOf(s->exprs[1])->name == "b_tile";
}
const std::vector<std::pair<int, int>> kSizes = {{1, 1}, {4, 3}, {9, 7}, {3, 10}, {8, 2}};

} // namespace

TEST(Strips, LoadsStoresAndBothAreAcceptedAndRight) {
  for (const std::vector<StagedArray> &staged : {std::vector<StagedArray>{{"a", 1}},
                                                 {{"b", 1}},
                                                 {{"a", 1}, {"b", 1}},
                                                 {{"a", 0, 4}, {"b", 0, 4}}})
    expectAcceptedAndRight(TiledRegion(scaling(), strips(staged)), kSizes);
}

TEST(Strips, AMissingBarrierIsSeen) {
  TiledRegion tiled(scaling(), strips({{"a", 1}, {"b", 1}}));
  int number = 0, which = 0;
  do {
    number = 0;
    TiledRegion copy = tiled;
    copy.tiles().body = rewritten(copy.tiles().body, [&](const StmtP &s) {
      return s->kind == StmtKind::Barrier && number++ == which ? block({}) : s;
    });
    // The one before the copies is not needed: that before the stores has come since the last read.
    EXPECT_EQ(copy.findings() > 0, which % 3 != 0) << which;
  } while (++which < number);
  EXPECT_EQ(number, 12); // before and after the copies, and before the stores; strips and the rest;
                         // whole tiles and edges
}

TEST(Strips, AStoreOfAnotherPositionOrElementIsSeen) {
  TiledRegion tiled(scaling(), strips({{"b", 1}}));
  auto next = [](const ExprP &e) {
    return index(e->args[0], binary("+", e->args[1], intConst(1, kI32), kI32), e->type);
  };
  EXPECT_GT(tiled.bent([&](const StmtP &s) {
    return isStore(s) ? moving(s, next(s->exprs[0]), s->exprs[1]) : s;
  }),
            0u);
  EXPECT_GT(tiled.bent([&](const StmtP &s) {
    return isStore(s) ? moving(s, s->exprs[0], next(s->exprs[1])) : s;
  }),
            0u);
  // An instance that writes another element than the one that its element is brought from.
  EXPECT_GT(tiled.bent([&](const StmtP &s) {
    return writes(s, "b_tile")
               ? assign(staged(next(s->exprs[0]->args[0]), s->exprs[0]->args[1]), s->exprs[1])
               : s;
  }),
            0u);
}

static StmtP unguarded(const StmtP &copy) {
  auto all = std::make_shared<Stmt>(*copy);
  all->exprs.pop_back();
  return all;
}

TEST(Strips, AStoreOfWhatNobodyWroteIsSeen) {
  TiledRegion tiled(scaling(), strips({{"b", 1}}));
  // Without its guard, a store at an edge brings elements of points that are not there.
  int guards = 0, which = 0;
  do {
    guards = 0;
    TiledRegion copy = tiled;
    copy.tiles().body = rewritten(copy.tiles().body, [&](const StmtP &s) {
      bool isGuarded = isStore(s) && s->exprs.size() > 2;
      return isGuarded && guards++ == which ? unguarded(s) : s;
    });
    EXPECT_GT(copy.findings(), 0u) << which;
  } while (++which < guards);
  EXPECT_EQ(guards, 3); // the rest of whole tiles; strips and the rest at the edge
  // A write under a condition on data need not happen.
  EXPECT_GT(tiled.bent([&](const StmtP &s) {
    return writes(s, "b_tile") ? ifElse(binary(">", index(var("t", real()), v("i"), real()),
                                               cast(i32(0), real()), kI32),
                                        s)
                               : s;
  }),
            0u);
}

TEST(Strips, AnArrayThatIsReadElsewhereIsNoneThatIsOnlyStored) {
  TiledRegion tiled(scaling(), strips({{"b", 1}}));
  EXPECT_GT(tiled.bent([&](const StmtP &s) {
    return writes(s, "b_tile")
               ? assign(s->exprs[0], binary("+", s->exprs[1], at("b", v("i"), i32(0)), real()))
               : s;
  }),
            0u);
}

TEST(Strips, NeighboursUnderConditionsAreCopiedOnlyWhereTheyAre) {
  TiledRegion tiled(neighbours(), halo());
  expectAcceptedAndRight(tiled, {{1, 1}, {4, 4}, {9, 7}, {5, 13}});
  int copies = 0;
  walkStmts(tiled.tiles().body, [&](const StmtP &s) { copies += writes(s, "a_tile"); });
  EXPECT_GT(copies, 0);
  // No copy may go without its questions: the first row has none above it, the last column none to
  // its right.
  EXPECT_GT(tiled.bent([&](const StmtP &s) {
    return writes(s, "a_tile") && s->exprs.size() > 2 ? unguarded(s) : s;
  }),
            0u);
  // Nor may an instance read a neighbour that is not there.
  TiledRegion copy = tiled;
  copy.tiles().body = rewriteExprs(copy.tiles().body, [&](const ExprP &e) {
    return e->kind == ExprKind::Select ? e->args[1] : e;
  });
  EXPECT_GT(copy.findings(), 0u);
}

TEST(Strips, ThePlannerFindsThreadsThatWalkAlongRows) {
  TiledRegion tiled(scaling(), strips({{"a", 1}}));
  const Step &step =
      tiled.s.root.kind == StepKind::Parallel ? tiled.s.root : tiled.s.root.children.at(0);
  std::vector<StripForm> forms = rowStrips(tiled.program, step, {"j", "i"}, tiled.device);
  ASSERT_EQ(forms.size(), 3u);
  EXPECT_EQ(forms[0].what, "loads");
  EXPECT_EQ(forms[2].what, "both");
  EXPECT_EQ(forms[2].tiles.staged.size(), 2u);
  EXPECT_EQ(forms[0].tiles.grid, std::vector<std::string>{"i"});
  EXPECT_EQ(forms[0].tiles.strip, "j");
}

} // namespace nw::testing
