// Reuse, coalescing, profit and the best block of the paper share: gemm on the GTX 690 as in its
// section 3.2.3 and in the specification, and on devices with other limits.
#include "plan/share_choice.h"
#include "share_build.h"
#include <algorithm>

namespace nw::testing {

using namespace share;

namespace {

std::vector<Seed> gemmSeeds() {
  return {{"A", {threadsY(), anyLength()}, true}, {"B", {anyLength(), threadsX()}, false}};
}

Options paperOptions() {
  Options o;
  o.transactionBytes = 256;
  return o;
}

Decision decided(const Shared &s, const std::vector<Seed> &seeds, const DeviceSpec &device,
                 const Options &options = paperOptions(), Sizes sizes = {{"n", 4096}}) {
  return decide(s.program, s.dependences, s.step().statements, s.nest(), seeds, sizes, device,
                options);
}

bool says(const Choice &c, const std::string &part) {
  return std::ranges::any_of(
      c.why, [&](const std::string &line) { return line.find(part) != std::string::npos; });
}

const Reference &referenceTo(const Nest &nest, const std::string &array) {
  for (const Reference &r : nest.references)
    if (r.array == array)
      return r;
  throw std::runtime_error("no reference to " + array);
}

const Feature &featureOf(const Profit &p, const std::string &array) {
  for (const Feature &f : p.features)
    if (f.array == array)
      return f;
  throw std::runtime_error("no feature of " + array);
}

} // namespace

// "A suffers from non-coalescing global reference as it violates the time schedule constraint; B
// and C comply"; "the input vector in mv violates the time constraint, whereas the input matrices
// in both mt and mv break the space constraint".
TEST(ShareAdjacency, AsThePaperSays) {
  Shared productOf(gemm());
  Nest product = productOf.nest();
  EXPECT_FALSE(adjacencyOf(product, referenceTo(product, "A")).inTime);
  EXPECT_TRUE(adjacencyOf(product, referenceTo(product, "A")).inSpace);
  for (const char *name : {"B", "C"}) {
    EXPECT_TRUE(adjacencyOf(product, referenceTo(product, name)).inTime) << name;
    EXPECT_TRUE(adjacencyOf(product, referenceTo(product, name)).inSpace) << name;
  }
  Shared transposedOf(mt());
  Nest transposed = transposedOf.nest();
  EXPECT_FALSE(adjacencyOf(transposed, referenceTo(transposed, "in")).inSpace);
  EXPECT_TRUE(adjacencyOf(transposed, referenceTo(transposed, "out")).inSpace);
  Shared timesOf(mv());
  Nest times = timesOf.nest();
  EXPECT_FALSE(adjacencyOf(times, referenceTo(times, "y")).inTime);
  EXPECT_FALSE(adjacencyOf(times, referenceTo(times, "a")).inSpace);
  EXPECT_TRUE(adjacencyOf(times, referenceTo(times, "x")).inTime);
  EXPECT_TRUE(adjacencyOf(times, referenceTo(times, "x")).inSpace);
}

// With i along neighbouring threads the other matrix is the one that is not coalesced.
TEST(ShareAdjacency, MovesWithTheMapping) {
  Shared nestOf(mt());
  Nest nest = nestOf.nest({"i", "j"});
  EXPECT_TRUE(adjacencyOf(nest, referenceTo(nest, "in")).inSpace);
  EXPECT_FALSE(adjacencyOf(nest, referenceTo(nest, "out")).inSpace);
}

TEST(ShareProfit, GemmIsEquationTwelve) {
  Shared s(gemm());
  Nest nest = s.nest();
  for (int64_t n : {1024, 4096}) {
    Problem p = problemOf(s.program, nest, splitsOf(nest, gemmSeeds())[0], {"A", "B", "C"}, {},
                          {{"n", n}}, *findDevice("gtx-690"), paperOptions());
    for (Shape shape : {Shape{32, 32, 1}, Shape{64, 16, 1}, Shape{32, 4, 1}}) {
      Profit profit = profitOf(p, shape);
      EXPECT_EQ(profit.bytes, 8.0 * double(n) * double(shape.y) * double(shape.x + 32))
          << text(shape);
      EXPECT_EQ(text(profit.terms), "8*n*TB_Y*(TB_X + 32)");
      EXPECT_EQ(featureOf(profit, "A").accesses, double(shape.x * shape.y * n));
      EXPECT_EQ(featureOf(profit, "A").transactions, double(shape.y * n));
      EXPECT_TRUE(featureOf(profit, "A").isReused && featureOf(profit, "A").isUncoalesced);
      EXPECT_TRUE(featureOf(profit, "B").isReused && !featureOf(profit, "B").isUncoalesced);
      EXPECT_FALSE(featureOf(profit, "C").isStaged()) << featureOf(profit, "C").why;
    }
  }
}

// Transactions of 128 bytes: 8*n*TB_Y*(TB_X + 16).
TEST(ShareProfit, MovesWithTheTransactions) {
  Shared s(gemm());
  Nest nest = s.nest();
  Problem p = problemOf(s.program, nest, splitsOf(nest, gemmSeeds())[0], {"A", "B", "C"}, {},
                        {{"n", 1024}}, *findDevice("gtx-690"), Options{});
  EXPECT_EQ(text(profitOf(p, {32, 32, 1}).terms), "8*n*TB_Y*(TB_X + 16)");
}

TEST(ShareProfit, TheThresholdDecidesOnReuse) {
  Shared s(neighbours());
  Nest nest = s.nest();
  // 2*32 accesses for 34 elements: 1.88 each.
  for (auto [threshold, isReused] : {std::pair{1.4, true}, std::pair{2.0, false}}) {
    Options o = paperOptions();
    o.reuseThreshold = threshold;
    Problem p = problemOf(s.program, nest, Split{}, {"B", "out"}, {}, {{"n", 4096}},
                          *findDevice("gtx-690"), o);
    Profit profit = profitOf(p, {32, 1, 1});
    EXPECT_EQ(featureOf(profit, "B").accesses, 64);
    EXPECT_EQ(featureOf(profit, "B").elements, 34);
    EXPECT_EQ(featureOf(profit, "B").isReused, isReused);
    EXPECT_FALSE(featureOf(profit, "out").isStaged());
  }
}

TEST(ShareChoice, GemmOnTheGtx690) {
  Shared s(gemm());
  Decision d = decided(s, gemmSeeds(), *findDevice("gtx-690"));
  ASSERT_FALSE(d.choices.empty());
  const Choice &c = d.choices[0];
  EXPECT_EQ(c.shape, (Shape{32, 32, 1}));
  EXPECT_EQ(c.freeLength, 32);
  EXPECT_EQ(c.freeLimit, "k1 + k2 <= 96");
  EXPECT_EQ(c.profitText, "8*n*TB_Y*(TB_X + 32)");
  EXPECT_EQ(c.profit, 8.0 * 4096 * 32 * (32 + 32));
  ASSERT_EQ(c.staged.size(), 2u);
  EXPECT_EQ(c.staged[0].tile, "A[TB_Y][k1]");
  EXPECT_EQ(c.staged[0].lengths, (std::vector<int64_t>{32, 32}));
  EXPECT_EQ(c.staged[1].tile, "B[k2][TB_X]");
  EXPECT_EQ(c.sharedBytes, 8192);
  EXPECT_EQ(c.residentBlocks, 2); // 6 by shared memory, 2 by 2048 threads
  EXPECT_TRUE(says(c, "C is a candidate"));
  EXPECT_TRUE(says(c, "a block has at most 1024"));
  EXPECT_TRUE(says(c, "1024 threads * 6 blocks that shared memory holds <= 2048"));
  // Nobody has to say ':coalesce', and the titan is like it.
  std::vector<Seed> plain = gemmSeeds();
  plain[0].coalesce = false;
  EXPECT_EQ(decided(s, plain, *findDevice("gtx-690")).choices.at(0).profitText, c.profitText);
  EXPECT_EQ(decided(s, plain, *findDevice("gtx-titan")).choices.at(0).shape, c.shape);
}

// Nothing is named: the arrays and the split come out the same.
TEST(ShareChoice, GemmWithoutSeeds) {
  Decision d = decided(Shared(gemm()), {}, *findDevice("gtx-690"));
  EXPECT_EQ(d.choices.at(0).shape, (Shape{32, 32, 1}));
  EXPECT_EQ(d.choices.at(0).freeLimit, "k1 + k2 <= 96");
}

// 16 KB and 512 threads: 4096 bytes a block; at 32x16 they are 64*k1 + 128*k2, so that 32 does not
// fit and 16 does.
TEST(ShareChoice, GemmMovesWithTheDevice) {
  Shared s(gemm());
  DeviceSpec small = *findDevice("gtx-690");
  small.blockThreads = 512;
  small.sharedBytes = small.sharedOptInBytes = small.sharedPerMultiprocessor = 16384;
  Decision d = decided(s, gemmSeeds(), small);
  const Choice &c = d.choices.at(0);
  EXPECT_EQ(c.shape, (Shape{32, 16, 1}));
  EXPECT_EQ(c.freeLength, 16);
  EXPECT_EQ(c.freeLimit, "k1 + 2*k2 <= 64");
  EXPECT_TRUE(says(c, "a block has at most 512"));
  EXPECT_TRUE(says(c, "no block shape that stages all of them fits 0.25 of 16384 bytes"));
  // Only the threads of a multiprocessor.
  DeviceSpec narrow = *findDevice("gtx-690");
  narrow.residentThreads = 512;
  EXPECT_EQ(decided(s, gemmSeeds(), narrow).choices.at(0).shape, (Shape{32, 16, 1}));
  EXPECT_TRUE(
      says(decided(s, gemmSeeds(), narrow).choices.at(0), "a multiprocessor holds at most 512"));
  // 256 threads a block.
  EXPECT_EQ(decided(s, gemmSeeds(), *findDevice("hd-7850")).choices.at(0).shape, (Shape{32, 8, 1}));
}

// delta_s = 0.125: 6144 bytes; with k = 32 a block of 32x16 fits exactly (32*16 + 32*32 elements).
TEST(ShareChoice, GemmMovesWithTheFraction) {
  Options o = paperOptions();
  o.sharedFraction = 0.125;
  Decision d = decided(Shared(gemm()), gemmSeeds(), *findDevice("gtx-690"), o);
  EXPECT_EQ(d.choices.at(0).shape, (Shape{32, 16, 1}));
  EXPECT_EQ(d.choices.at(0).sharedBytes, 6144);
  EXPECT_TRUE(says(d.choices[0], "over 0.125 of 49152"));
}

TEST(ShareChoice, AsManyAsAskedForBestFirst) {
  Options o = paperOptions();
  o.candidates = 3;
  Decision d = decided(Shared(gemm()), gemmSeeds(), *findDevice("gtx-690"), o);
  ASSERT_EQ(d.choices.size(), 3u);
  EXPECT_GT(d.choices[0].profit, d.choices[1].profit);
  EXPECT_GE(d.choices[1].profit, d.choices[2].profit);
}

// C[i][j] += A[i][k]*B[k][j] without the scalar: C belongs to its thread.
TEST(ShareChoice, WhatBelongsToOneThreadIsLeftToARegister) {
  ExprP i = v("i"), j = v("j"), k = v("k"), n = v("n");
  StmtP s = assign(f32("C", {i, j}),
                   op("+", f32("C", {i, j}), op("*", f32("A", {i, k}), f32("B", {k, j}))));
  Shared shared(
      regionOf({loop("i", i32(0), n, {loop("j", i32(0), n, {loop("k", i32(0), n, {s})})})},
               {scalar("n"), matrix("A"), matrix("B"), matrix("C")}));
  Choice c = decided(shared, gemmSeeds(), *findDevice("gtx-690")).choices.at(0);
  EXPECT_EQ(c.profitText, "8*n*TB_Y*(TB_X + 32)");
  EXPECT_TRUE(says(c, "C: each element belongs to one thread"));
}

// mv: the vector is reused, vector and matrix are not coalesced. 32 threads: with TB_X free columns
// 64 would need (64*64 + 64)*4 = 16640 bytes of 12288.
TEST(ShareChoice, Mv) {
  Choice c =
      decided(Shared(mv()), {{"a", {threadsX(), anyLength()}, false}}, *findDevice("gtx-690"))
          .choices.at(0);
  EXPECT_EQ(c.shape, (Shape{32, 1, 1}));
  EXPECT_EQ(c.freeLength, 32);
  ASSERT_EQ(c.staged.size(), 2u);
  EXPECT_EQ(c.staged[0].tile, "a[TB_X][k1]");
  EXPECT_TRUE(!c.staged[0].isReused && c.staged[0].isUncoalesced);
  EXPECT_EQ(c.staged[1].tile, "y[k2]");
  EXPECT_TRUE(c.staged[1].isReused && c.staged[1].isUncoalesced);
  EXPECT_TRUE(says(c, "16640 bytes of shared memory, over 0.25 of 49152"));
  // Twice the memory of a multiprocessor, and a block may have it: 64 threads.
  DeviceSpec large = *findDevice("gtx-690");
  large.sharedPerMultiprocessor = 98304;
  EXPECT_EQ(
      decided(Shared(mv()), {{"a", {threadsX(), anyLength()}, false}}, large).choices.at(0).shape,
      (Shape{64, 1, 1}));
}

// mt: only the matrix that is read across is staged.
TEST(ShareChoice, Mt) {
  Choice c = decided(Shared(mt()), {}, *findDevice("gtx-690")).choices.at(0);
  ASSERT_EQ(c.staged.size(), 1u);
  EXPECT_EQ(c.staged[0].tile, "in[TB_X][TB_Y]");
  EXPECT_EQ(c.shape, (Shape{32, 32, 1}));
  EXPECT_EQ(c.profitText, "256*TB_X*TB_Y");
}

// A 3 by 3 stencil: 9*32*32 accesses for 34*34 elements; tiles overlap by 2 in both directions.
TEST(ShareChoice, AStencilIsReused) {
  ExprP i = v("i"), j = v("j"), n = v("n"), sum;
  for (int di = -1; di <= 1; di++)
    for (int dj = -1; dj <= 1; dj++) {
      ExprP one = f32("in", {plus(i, di), plus(j, dj)});
      sum = sum ? op("+", sum, one) : one;
    }
  Shared s(regionOf({loop("i", i32(1), plus(n, -1),
                          {loop("j", i32(1), plus(n, -1), {assign(f32("out", {i, j}), sum)})})},
                    {scalar("n"), matrix("in"), matrix("out")}));
  Choice c =
      decided(s, {{"in", {threadsY(), threadsX()}, false}}, *findDevice("gtx-690")).choices.at(0);
  ASSERT_EQ(c.staged.size(), 1u);
  EXPECT_EQ(c.staged[0].tile, "in[TB_Y + 2][TB_X + 2]");
  EXPECT_TRUE(c.staged[0].isReused && !c.staged[0].isUncoalesced);
  EXPECT_EQ(c.profitText, "36*TB_X*TB_Y");
  EXPECT_EQ(c.shape, (Shape{32, 32, 1})); // 34*34 is the least of all blocks of 1024
  EXPECT_EQ(c.sharedBytes, 34 * 34 * 4);
  EXPECT_EQ(c.freeLength, 0);
}

// out[i] = a[i]: nothing to gain, and the reason is said; ':coalesce' makes the compiler do it all
// the same.
TEST(ShareChoice, NothingIsStagedWithoutGain) {
  ExprP i = v("i"), n = v("n");
  Shared s(regionOf({loop("i", i32(0), n, {assign(f32("out", {i}), f32("a", {i}))})},
                    {scalar("n"), vector("a"), vector("out")}));
  Decision d = decided(s, {}, *findDevice("gtx-690"));
  EXPECT_TRUE(d.choices.empty());
  ASSERT_FALSE(d.why.empty());
  EXPECT_NE(d.why[0].find("nothing is worth staging"), std::string::npos) << d.why[0];
  Decision asked = decided(s, {{"a", {threadsX()}, true}}, *findDevice("gtx-690"));
  ASSERT_FALSE(asked.choices.empty());
  EXPECT_EQ(asked.choices[0].staged.at(0).array, "a");
}

} // namespace nw::testing
