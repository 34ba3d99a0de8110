// Splits and tiles of the paper share, with the values of its section 3.2.1 and of the
// specification.
#include "share_build.h"

namespace nw::testing {

using namespace share;

namespace {

std::vector<Seed> gemmSeeds() {
  return {{"A", {threadsY(), anyLength()}, false}, {"B", {anyLength(), threadsX()}, false}};
}

} // namespace

TEST(ShareSplit, Gemm) {
  Shared nestOf(gemm());
  Nest nest = nestOf.nest();
  std::vector<Split> splits = splitsOf(nest, gemmSeeds());
  ASSERT_EQ(splits.size(), 1u);
  EXPECT_EQ(text(nest, splits[0]), "i:[0:n:TB_Y], j:[0:n:TB_X], k:[0:n:*]");
  // Of A alone: i and k; of B alone: j and k.
  EXPECT_EQ(text(nest, splitsOf(nest, {gemmSeeds()[0]})[0]), "i:[0:n:TB_Y], k:[0:n:*]");
  EXPECT_EQ(text(nest, splitsOf(nest, {gemmSeeds()[1]})[0]), "j:[0:n:TB_X], k:[0:n:*]");
}

TEST(ShareSplit, AStarGivesWayToALength) {
  Shared nestOf(gemm());
  Nest nest = nestOf.nest();
  std::vector<Seed> seeds = gemmSeeds();
  seeds[1].lengths[0] = number(16);
  EXPECT_EQ(text(nest, splitsOf(nest, seeds)[0]), "i:[0:n:TB_Y], j:[0:n:TB_X], k:[0:n:16]");
}

TEST(ShareSplit, IncompatibleSeedsAreNamed) {
  Shared nestOf(gemm());
  Nest nest = nestOf.nest();
  std::vector<Seed> seeds = gemmSeeds();
  seeds[0].lengths[1] = number(8);
  seeds[1].lengths[0] = number(16);
  std::string message = messageOf([&] { splitsOf(nest, seeds); });
  for (const char *part : {"'A'", "'B'", "loop k", "8", "16"})
    EXPECT_NE(message.find(part), std::string::npos) << message;
  seeds[1].lengths[0] = number(4) + number(4); // the same length, written otherwise
  EXPECT_EQ(messageOf([&] { splitsOf(nest, seeds); }), "");
}

TEST(ShareSplit, WrongRanksAreRefused) {
  Shared nestOf(gemm());
  Nest nest = nestOf.nest();
  EXPECT_NE(messageOf([&] { splitsOf(nest, {{"A", {threadsY()}, false}}); }).find("'A'"),
            std::string::npos);
}

// c[i][j] = a[i][j] + a[j][i], a in parts of TB_Y by TB_X: two plans, one for each reference.
TEST(ShareSplit, ReferencesThatContradictAreTwoPlans) {
  ExprP i = v("i"), j = v("j"), n = v("n");
  StmtP s = assign(f32("c", {i, j}), op("+", f32("a", {i, j}), f32("a", {j, i})));
  Shared nestOf(regionOf({loop("i", i32(0), n, {loop("j", i32(0), n, {s})})},
                         {scalar("n"), matrix("a"), matrix("c")}));
  Nest nest = nestOf.nest();
  std::vector<Split> splits = splitsOf(nest, {{"a", {threadsY(), threadsX()}, false}});
  ASSERT_EQ(splits.size(), 2u);
  EXPECT_EQ(text(nest, splits[0]), "i:[0:n:TB_Y], j:[0:n:TB_X]");
  EXPECT_EQ(text(nest, splits[1]), "i:[0:n:TB_X], j:[0:n:TB_Y]");
  EXPECT_EQ(tilesOf(nest, splits[0], {"a"}).size(), 2u); // a[i][j] and a[j][i] do not move alike
}

// out[i] = a[i + j] over two parallel loops (a write to a matrix).
TEST(ShareSplit, ASubscriptAlongTwoParallelLoopsIsRefused) {
  ExprP i = v("i"), j = v("j"), n = v("n");
  StmtP s = assign(f32("c", {i, j}), f32("a", {op("+", i, j)}));
  Shared nestOf(regionOf({loop("i", i32(0), n, {loop("j", i32(0), n, {s})})},
                         {scalar("n"), vector("a"), matrix("c")}));
  Nest nest = nestOf.nest();
  std::string message = messageOf([&] { splitsOf(nest, {{"a", {threadsX()}, false}}); });
  EXPECT_NE(message.find("i and j"), std::string::npos) << message;
}

TEST(ShareTiles, Gemm) {
  Shared nestOf(gemm());
  Nest nest = nestOf.nest();
  Split split = completed(nest, splitsOf(nest, gemmSeeds())[0]);
  std::vector<Tile> tiles = tilesOf(nest, split, {"A", "B", "C"});
  ASSERT_EQ(tiles.size(), 3u);
  EXPECT_EQ(text(split, tiles[0]), "A[TB_Y][k1]");
  EXPECT_EQ(text(split, tiles[1]), "B[k2][TB_X]");
  EXPECT_EQ(text(split, tiles[2]), "C[TB_Y][TB_X]");
  EXPECT_EQ(elementsOf(tiles[0], {16, 32, 8}), 16 * 8);
}

// i split by 8: tiles of 10 that share 2.
TEST(ShareTiles, AStencilOverlaps) {
  Shared nestOf(neighbours());
  Nest nest = nestOf.nest();
  std::vector<Split> splits = splitsOf(nest, {{"B", {number(8)}, false}});
  ASSERT_EQ(splits.size(), 1u);
  EXPECT_EQ(text(nest, splits[0]), "i:[1:n - 1:8]");
  Split split = completed(nest, splits[0]);
  std::vector<Tile> tiles = tilesOf(nest, split, {"B", "out"});
  ASSERT_EQ(tiles.size(), 2u);
  EXPECT_EQ(lengthOf(tiles[0].rows[0], {8}), 10);
  EXPECT_EQ(overlapOf(tiles[0].rows[0], {8}), 2);
  EXPECT_EQ(text(split, tiles[0]), "B[10]");
  EXPECT_EQ(lengthOf(tiles[1].rows[0], {8}), 8);
  EXPECT_EQ(overlapOf(tiles[1].rows[0], {8}), 0);
  EXPECT_EQ(text(completed(nest, Split{}), tilesOf(nest, completed(nest, Split{}), {"B"})[0]),
            "B[TB_X + 2]");
}

// The same stencil as a loop over 5 neighbours: B[i + t], t inside.
TEST(ShareTiles, ALoopOfNeighboursIsRunThroughAsAWhole) {
  ExprP i = v("i"), t = v("t"), n = v("n"), sum = v("sum", kF32);
  StmtP inner = loop("t", i32(0), i32(5), {assign(sum, op("+", sum, f32("B", {op("+", i, t)})))});
  Shared nestOf(
      regionOf({loop("i", i32(0), plus(n, -4),
                     {assign(sum, floatConst(0, kF32)), inner, assign(f32("out", {i}), sum)})},
               {scalar("n"), temporary("sum"), vector("B"), vector("out")}));
  Nest nest = nestOf.nest();
  std::vector<Split> splits = splitsOf(nest, {{"B", {number(8)}, false}});
  EXPECT_EQ(text(nest, splits.at(0)), "i:[0:n - 4:8]");
  Split split = completed(nest, splits[0]);
  EXPECT_EQ(extentOf(nest.axes.at(1), {}, 100), 5);
  EXPECT_EQ(lengthOf(tilesOf(nest, split, {"B"}).at(0).rows[0], {8, 5}), 12);
}

// for t: b[i] = a[i-1] + a[i+1]; then a[i] = b[i]: the loop over t stands around the step and has
// one value in it.
TEST(ShareNest, LoopsAroundTheStepAreAxes) {
  ExprP i = v("i"), n = v("n");
  StmtP sweep =
      loop("i", i32(1), plus(n, -1),
           {assign(f32("b", {i}), op("+", f32("a", {plus(i, -1)}), f32("a", {plus(i, 1)})))});
  StmtP back = loop("i", i32(1), plus(n, -1), {assign(f32("a", {i}), f32("b", {i}))});
  Shared s(regionOf({loop("t", i32(0), v("m"), {sweep, back})},
                    {scalar("n"), scalar("m"), vector("a"), vector("b")}));
  const Step *around = &s.scheduled.root;
  while (around->kind == StepKind::Sequence)
    around = &around->children.at(0);
  ASSERT_EQ(around->kind, StepKind::Loop);
  Nest nest = nestOf(s.program, s.step(), {around->dimension});
  ASSERT_EQ(nest.axes.size(), 2u);
  EXPECT_EQ(nest.axes[0].kind, AxisKind::Outer);
  Split split = completed(nest, splitsOf(nest, {{"a", {threadsX()}, false}}).at(0));
  EXPECT_EQ(text(split, tilesOf(nest, split, {"a"}).at(0)), "a[TB_X + 2]");
}

TEST(ShareNest, ExtentsAndStrides) {
  Shared s(gemm());
  Nest nest = s.nest();
  ASSERT_EQ(nest.axes.size(), 3u);
  EXPECT_EQ(nest.axes[2].name, "k");
  EXPECT_EQ(nest.axes[2].kind, AxisKind::Inside);
  EXPECT_EQ(nest.threads, (std::vector<size_t>{1, 0})); // j along x, i along y
  EXPECT_EQ(extentOf(nest.axes[0], {{"n", 100}}, 4096), 100);
  EXPECT_EQ(extentOf(nest.axes[0], {}, 4096), 4096);
  const Reference &a = nest.references.at(0);
  ASSERT_EQ(a.array, "A");
  EXPECT_EQ(strideBytes(s.program, a, 0, {{"n", 100}}, 4096), 400); // a row further
  EXPECT_EQ(strideBytes(s.program, a, 1, {{"n", 100}}, 4096), 0);
  EXPECT_EQ(strideBytes(s.program, a, 2, {{"n", 100}}, 4096), 4);
}

} // namespace nw::testing
