// What the walk reads off small kernels.
// Over 500 lines: one kernel after the other, each with what it should cost.
#include "build.h"
#include "estimate/lane_value.h"
#include "estimate/launch_estimate.h"
#include "estimate/loop_facts.h"
#include "estimate/region_estimate.h"
#include "kernel/window.h"
#include <cmath>

namespace nw::testing {

namespace {

ExprP threadX() { return node(ExprKind::Builtin, {}, kI32, "thread.x"); }
ExprP threadY() { return node(ExprKind::Builtin, {}, kI32, "thread.y"); }
ExprP a(std::vector<ExprP> subscripts) { return at("A", std::move(subscripts), kF32); }
ExprP b(std::vector<ExprP> subscripts) { return at("B", std::move(subscripts), kF32); }
ExprP c(std::vector<ExprP> subscripts) { return at("C", std::move(subscripts), kF32); }

// A kernel over buffers of floats with rows of `row` elements (0: vectors), and what belongs to it.
struct Built {
  Program program;
  Kernels kernels;
  std::map<std::string, int64_t> values;

  Built(StmtP body, std::vector<std::string> buffers, int64_t row = 0,
        std::map<std::string, int64_t> sizes = {})
      : values(std::move(sizes)) {
    Kernel k;
    k.name = "k";
    k.body = std::move(body);
    for (const std::string &name : buffers) {
      Buffer buffer;
      buffer.name = buffer.array = name;
      buffer.element = kF32;
      buffer.low = intConst(0);
      buffer.high = intConst(1 << 20);
      KernelParameter p;
      p.name = name;
      p.type = kF32;
      p.buffer = int(kernels.buffers.size());
      p.extents = {nullptr};
      if (row)
        p.extents.push_back(intConst(row));
      kernels.buffers.push_back(buffer);
      k.parameters.push_back(p);
    }
    for (auto &[name, value] : values) {
      KernelParameter p;
      p.name = name;
      p.type = kI32;
      p.value = v(name);
      k.parameters.push_back(p);
    }
    kernels.kernels.push_back(k);
  }

  KernelWalk walk(std::array<int64_t, 3> grid, std::array<int, 3> block, int samples = 4) const {
    LaunchShape shape{grid, block};
    return walkKernel(program, kernels, kernels.kernels[0], values, shape, *findDevice("h200"),
                      {samples, true});
  }
};

StmtP declared(const std::string &name, ExprP value) {
  return declare(name, value->type, {}, {value});
}

const Reference &find(const KernelWalk &w, const std::string &array, bool isWrite = false) {
  for (const Reference &r : w.references)
    if (r.array == array && r.isWrite == isWrite)
      return r;
  throw std::runtime_error("no reference to " + array);
}

// C[i][j] += A[i][k] * B[k][j] in a register.
Built product(int64_t n) {
  ExprP sum = v("sum", kF32), k = v("k"), i = v("i"), j = v("j");
  StmtP inner =
      loop("k", i32(0), v("n"), {assign(sum, op("+", sum, op("*", a({i, k}), b({k, j}))))});
  return Built(block({declared("j", threadX()), declared("i", threadY()),
                      declared("sum", floatConst(0, kF32)), inner, assign(c({i, j}), sum)}),
               {"A", "B", "C"}, n, {{"n", n}});
}

} // namespace

// A function's parameter may have the name of a variable, which has its value again afterwards.
TEST(KernelWalk, FunctionsHideVariables) {
  ExprP x = v("x"), k = v("k");
  StmtP again = loop("k", i32(0), i32(4), {assign(v("s", kF32), call("f", {i32(7)}, kF32))});
  Built built(block({declared("x", threadX()), declared("s", floatConst(0, kF32)), again,
                     assign(b({x}), v("s", kF32))}),
              {"B"});
  Function f;
  f.name = "f";
  f.parameters = {scalar("x")};
  StmtP result = std::make_shared<Stmt>(*marker(StmtKind::Return));
  f.body = block({assign(x, op("+", x, i32(1))), result});
  built.program.region.functions.push_back(f);
  const Reference r = find(built.walk({1, 1, 1}, {32, 1, 1}), "B", true);
  EXPECT_EQ(r.strides[kThreadX], 4);
}

TEST(Samples, WeightsAddUpToTheCount) {
  for (int64_t count : {0, 1, 2, 3, 4, 5, 17, 1000})
    for (int samples : {0, 2, 3, 4, 7}) {
      double sum = 0, moment = 0;
      for (auto [k, weight] : sampled(count, samples)) {
        sum += weight;
        moment += weight * double(k);
        EXPECT_LT(k, count);
      }
      EXPECT_EQ(sum, double(count));
      EXPECT_NEAR(moment, double(count) * double(count - 1) / 2, 0.5 * double(count))
          << count << " " << samples; // lines are integrated exactly, but for rounding
    }
}

TEST(KernelWalk, Copy) {
  Built k(block({declared("i", threadX()), assign(b({v("i")}), a({v("i")}))}), {"A", "B"});
  KernelWalk w = k.walk({4, 1, 1}, {256, 1, 1});
  EXPECT_EQ(w.warps, 32);
  EXPECT_EQ(find(w, "A").accesses, 32);
  EXPECT_EQ(find(w, "A").transactions, 32 * 4);
  EXPECT_EQ(find(w, "B", true).transactions, 32 * 4);
  EXPECT_EQ(find(w, "A").strides[kThreadX], 4);
  EXPECT_EQ(find(w, "A").strides[kBlockX], 1024);
  EXPECT_EQ(w.mix.loadGlobal, 32);
  EXPECT_EQ(w.mix.storeGlobal, 32);
  EXPECT_EQ(w.mix.fma, 0);
}

// Large grids are counted whole from the blocks on the diagonal.
TEST(KernelWalk, BlocksAlikeAreNotFollowedOneByOne) {
  ExprP inside = op("&&", less(threadX(), v("n")), less(threadY(), v("n")));
  Built k(block({ifElse(inside, assign(b({threadY(), threadX()}), a({threadY(), threadX()})))}),
          {"A", "B"}, 3200, {{"n", 3200}});
  KernelWalk w = k.walk({100, 400, 1}, {32, 8, 1}, 3);
  EXPECT_EQ(w.visitsOfWarps.size(), 3u * 4);
  EXPECT_DOUBLE_EQ(find(w, "A").accesses, 100 * 400 * 8);
  EXPECT_DOUBLE_EQ(find(w, "B", true).transactions, 100 * 400 * 8 * 4);
  EXPECT_DOUBLE_EQ(w.mix.loadGlobal, 100 * 400 * 8);
  EXPECT_EQ(find(w, "A").strides[kBlockX], 32 * 4);
  EXPECT_EQ(find(w, "A").last[kBlockY], 399);
}

// Conditions that ask how two of a block's numbers meet, or that blocks answer differently.
TEST(KernelWalk, BlocksThatDifferAreAllFollowed) {
  auto blockX = node(ExprKind::Builtin, {}, kI32, "block.x"),
       blockY = node(ExprKind::Builtin, {}, kI32, "block.y");
  auto accesses = [&](const std::vector<StmtP> &before, const ExprP &condition) {
    std::vector<StmtP> all = before;
    all.push_back(ifElse(condition, assign(b({threadX()}), a({threadX()}))));
    return find(Built(block(all), {"A", "B"}).walk({3, 3, 1}, {32, 1, 1}, 3), "A").accesses;
  };
  EXPECT_EQ(accesses({}, op("==", blockX, blockY)), 3);
  EXPECT_EQ(accesses({declared("far", op("-", blockX, blockY))}, op("==", v("far"), i32(0))), 3);
  EXPECT_EQ(accesses({}, op("&&", less(blockX, i32(1)), less(blockY, i32(1)))), 1);
  EXPECT_EQ(accesses({}, less(blockX, i32(2))), 6);
  // A variable that depends on one number by a guard, and on the other by its value.
  StmtP guarded = ifElse(less(i32(0), blockX), assign(v("y"), blockY));
  EXPECT_EQ(accesses({declared("y", i32(0)), guarded}, op("<", v("y"), i32(1))), 5);
}

TEST(KernelWalk, GuardsCutTheLastWarp) {
  StmtP guarded = ifElse(less(v("i"), v("n")), assign(b({v("i")}), a({op("*", v("i"), i32(2))})));
  Built k(block({declared("i", threadX()), guarded}), {"A", "B"}, 0, {{"n", 40}});
  KernelWalk w = k.walk({1, 1, 1}, {256, 1, 1});
  EXPECT_EQ(find(w, "A").accesses, 2); // 32 lanes and 8
  EXPECT_EQ(find(w, "A").transactions, 8 + 2);
  EXPECT_EQ(find(w, "B", true).transactions, 4 + 1);
}

TEST(KernelWalk, ProductCountsItsOperations) {
  KernelWalk w = product(64).walk({2, 8, 1}, {32, 8, 1});
  double warps = 64 * 64 / 32;
  EXPECT_EQ(w.warps, warps);
  EXPECT_EQ(w.mix.fma, warps * 64);
  EXPECT_EQ(w.mix.multiply + w.mix.add, 0);
  EXPECT_EQ(w.mix.loadGlobal, warps * 128);
  EXPECT_EQ(find(w, "A").transactions, warps * 64);     // one element for all lanes
  EXPECT_EQ(find(w, "B").transactions, warps * 64 * 4); // neighbours
  EXPECT_EQ(find(w, "A").strides[kFirstLoop], 4);
  EXPECT_EQ(find(w, "B").strides[kFirstLoop], 256);
  EXPECT_EQ(find(w, "A").strides[kThreadY], 256);
  EXPECT_EQ(find(w, "A").counts[0], 64);
  EXPECT_EQ(w.stages[1].overlap, 4);    // iterations do not wait for each other
  EXPECT_EQ(w.stages[1].recurrence, 1); // but for the sum
}

// Points of a thread tile have variables of the same name: what is computed of them is shared only
// where their values are the same.
TEST(KernelWalk, VariablesThatAreDeclaredAgain) {
  auto products = [](const ExprP &second) {
    auto point = [](const ExprP &value, const ExprP &position) {
      return block(
          {declared("t", value), assign(c({position}), op("*", v("t", kF32), v("t", kF32)))});
    };
    Built k(block({declared("i", threadX()), point(a({v("i")}), v("i")),
                   point(second, op("+", v("i"), i32(512)))}),
            {"A", "C"});
    KernelWalk w = k.walk({1, 1, 1}, {32, 1, 1});
    return w.mix.multiply / w.warps;
  };
  EXPECT_EQ(products(a({v("i")})), 1);
  EXPECT_EQ(products(a({op("+", v("i"), i32(512))})), 2);
}

// A variable that is computed of one that is declared again has another value, too.
TEST(KernelWalk, WhatIsComputedOfThoseIsAnother) {
  auto point = [](int64_t offset) {
    return block({declared("t", op("+", v("i"), i32(offset))),
                  declared("u", op("+", v("t"), i32(1))), assign(c({v("u")}), a({v("u")}))});
  };
  KernelWalk w = Built(block({declared("i", threadX()), point(0), point(512)}), {"A", "C"})
                     .walk({1, 1, 1}, {32, 1, 1});
  EXPECT_EQ(w.mix.loadGlobal, 2);
}

// Copies of an unrolled loop's body share their expressions and not their memory.
TEST(KernelWalk, CopiesAreReferencesOfTheirOwn) {
  auto rows =
      std::make_shared<Stmt>(*loop("r", i32(0), i32(8),
                                   {declared("row", op("+", op("*", threadY(), i32(8)), v("r"))),
                                    assign(c({v("row"), threadX()}), a({v("row"), threadX()}))}));
  rows->loop.isUnrolled = true;
  Built k(rows, {"A", "C"}, 1024);
  EstimatedLaunch e =
      estimateLaunch(k.program, k.kernels, k.kernels.kernels[0], k.values,
                     {{32, 16, 1}, {32, 8, 1}}, {32, 0, 0, true}, *findDevice("h200"));
  EXPECT_NEAR(e.work.secondBytes, 2 * 1024 * 1024 * 4, 1e3); // all of both
}

// A window's pieces, one access each; the rows that two threads read come from memory once.
TEST(KernelWalk, Windows) {
  ExprP i = v("i"), j = v("j");
  Section section;
  section.loads = true;
  section.unit = 4;
  StmtP body = assign(c({op("+", i, i32(1)), j}), at("w", {i32(1), i32(1)}, kF32));
  StmtP code =
      block({declared("j", op("*", threadX(), i32(4))), declared("i", op("*", threadY(), i32(4))),
             window("w", a({i, j}), {6, 5}, section, 0, body)});
  Built k(code, {"A", "C"}, 1024);
  EstimatedLaunch e =
      estimateLaunch(k.program, k.kernels, k.kernels.kernels[0], k.values, {{8, 8, 1}, {32, 8, 1}},
                     {32, 0, 0, true}, *findDevice("h200"));
  EXPECT_EQ(e.walk.mix.loadGlobal / e.walk.warps,
            12); // for each row four elements together, and one
  double read = 0;
  for (size_t n = 0; n < e.traffic.size(); n++)
    read += e.walk.references[n].isWrite ? 0 : e.traffic[n].secondBytes;
  EXPECT_NEAR(read, 64 * 34 * 17 * 32,
              0.1 * read); // for each block 34 rows of 512 bytes, and the sector behind
}

// What lies side by side in shared memory is loaded together, as far as it is aligned.
TEST(KernelWalk, NeighboursInSharedMemoryAreOneAccess) {
  auto loads = [](int64_t first) {
    auto tile = std::make_shared<Stmt>(*declare("t", kF32, {1024}, {}));
    tile->kind = StmtKind::Shared;
    ExprP sum = at(
        "t", {op("+", op("*", node(ExprKind::Builtin, {}, kI32, "local.x"), i32(8)), i32(first))},
        kF32);
    for (int64_t k = 1; k < 4; k++)
      sum = op("+", sum,
               at("t",
                  {op("+", op("*", node(ExprKind::Builtin, {}, kI32, "local.x"), i32(8)),
                      i32(first + k))},
                  kF32));
    KernelWalk w =
        Built(block({tile, assign(a({threadX()}), sum)}), {"A"}).walk({1, 1, 1}, {32, 1, 1});
    double turns = 0;
    for (const Reference &r : w.references)
      turns += r.issuedTurns;
    return std::pair(w.mix.loadShared, turns);
  };
  EXPECT_EQ(loads(0), std::pair(1.0, 8.0));  // lanes are 32 bytes apart: half of the banks
  EXPECT_EQ(loads(2), std::pair(2.0, 16.0)); // two and two
  EXPECT_EQ(loads(1).first, 3);              // one, two, one
}

TEST(KernelWalk, WithoutContraction) {
  Built k = product(64);
  KernelWalk w = walkKernel(k.program, k.kernels, k.kernels.kernels[0], k.values,
                            {{2, 8, 1}, {32, 8, 1}}, *findDevice("h200"), {4, false});
  EXPECT_EQ(w.mix.fma, 0);
  EXPECT_EQ(w.mix.multiply, 128 * 64);
  EXPECT_EQ(w.mix.add, 128 * 64);
}

// for (k = 0; k < i; k++): the lanes of a warp go on until the longest is done.
TEST(KernelWalk, TrianglesRunAsLongAsTheirLongestLane) {
  StmtP inner = loop("k", i32(0), v("i"),
                     {assign(v("sum", kF32), op("+", v("sum", kF32), a({v("k"), v("i")})))});
  Built k(block({declared("i", threadX()), declared("sum", floatConst(0, kF32)), inner,
                 assign(b({v("i"), i32(0)}), v("sum", kF32))}),
          {"A", "B"}, 128);
  KernelWalk all = k.walk({1, 1, 1}, {128, 1, 1}, 0), some = k.walk({1, 1, 1}, {128, 1, 1});
  EXPECT_EQ(find(all, "A").accesses, 31 + 63 + 95 + 127);
  EXPECT_NEAR(find(some, "A").accesses, 31 + 63 + 95 + 127, 1e-9);
  EXPECT_NEAR(find(some, "A").transactions, find(all, "A").transactions,
              0.12 * find(all, "A").transactions);
}

TEST(KernelWalk, DataDecide) {
  ExprP position = index(var("B", kI32), v("i"), kI32);
  Built k(block({declared("i", threadX()), assign(c({v("i")}), a({position}))}), {"A", "B", "C"});
  KernelWalk w = k.walk({1, 1, 1}, {32, 1, 1});
  EXPECT_FALSE(find(w, "A").isRegular);
  EXPECT_NEAR(find(w, "A").transactions, std::pow(4, 0.75) * std::pow(32, 0.25),
              1e-9); // between side by side and all over the position
  EXPECT_TRUE(find(w, "B").isRegular);
  EXPECT_EQ(find(w, "B").transactions, 4);
}

// What does not change in a loop is loaded once, and what stands twice, too.
TEST(KernelWalk, InvariantLoadsAreHoisted) {
  ExprP sum = v("sum", kF32);
  StmtP inner =
      loop("k", i32(0), i32(100), {assign(sum, op("+", sum, op("*", a({v("i")}), a({v("i")}))))});
  Built k(block({declared("i", threadX()), declared("sum", floatConst(0, kF32)), inner,
                 assign(b({v("i")}), sum)}),
          {"A", "B"});
  KernelWalk w = k.walk({1, 1, 1}, {32, 1, 1});
  EXPECT_EQ(w.mix.loadGlobal, 1);
  double accesses = 0;
  for (const Reference &r : w.references)
    accesses += r.array == "A" ? r.accesses : 0;
  EXPECT_EQ(accesses, 200); // as the text has them
}

TEST(KernelWalk, StoresInTheLoopForbidThat) {
  StmtP inner = loop("k", i32(0), i32(100), {assign(a({op("+", v("i"), v("k"))}), a({v("i")}))});
  Built k(block({declared("i", threadX()), inner}), {"A"});
  KernelWalk w = k.walk({1, 1, 1}, {32, 1, 1});
  EXPECT_EQ(w.mix.loadGlobal, 100);
  EXPECT_EQ(w.stages[1].overlap, 1);
}

// Iterations are put side by side when none needs what another has stored; what an iteration has
// stored itself is in a register.
TEST(KernelWalk, IterationsSideBySide) {
  ExprP sum = v("sum", kF32), k = v("k"), i = v("i");
  auto overlap = [&](std::vector<StmtP> statements) {
    StmtP inner = loop("k", i32(0), i32(100), std::move(statements));
    return Built(block({declared("i", threadX()), declared("sum", floatConst(0, kF32)), inner,
                        assign(c({i, i32(0)}), sum)}),
                 {"A", "B", "C"}, 128)
        .walk({1, 1, 1}, {32, 1, 1})
        .stages[1]
        .overlap;
  };
  EXPECT_EQ(overlap({assign(sum, op("+", sum, a({k, i})))}), kUnrolledSmall); // one load
  EXPECT_EQ(overlap({assign(sum, op("+", sum, op("*", a({k, i}), b({i, k}))))}), kUnrolled); // two
  EXPECT_EQ(overlap({assign(a({k, i}), op("+", b({k, i}), sum)), assign(sum, a({k, i}))}),
            kUnrolledSmall); // read back: no load
  EXPECT_EQ(overlap({assign(a({k, i}), op("+", b({k, i}), a({op("+", k, i32(1)), i})))}),
            1); // of another iteration
  EXPECT_EQ(overlap({assign(sum, a({k, i})), assign(a({k, i}), op("+", b({k, i}), sum))}),
            1); // read before it is stored
}

TEST(KernelWalk, SharedMemoryAndBarriers) {
  auto tile = std::make_shared<Stmt>(*declare("t", kF32, {32, 32}, {}));
  tile->kind = StmtKind::Shared;
  ExprP laneX = node(ExprKind::Builtin, {}, kI32, "local.x"),
        laneY = node(ExprKind::Builtin, {}, kI32, "local.y");
  std::vector<StmtP> body = {tile, assign(at("t", {laneX, laneY}, kF32), floatConst(1, kF32)),
                             marker(StmtKind::Barrier),
                             assign(a({threadX()}), at("t", {laneY, laneX}, kF32))};
  KernelWalk w = Built(block(body), {"A"}).walk({1, 1, 1}, {32, 32, 1}, 0);
  EXPECT_EQ(w.sharedBytes, 4096);
  EXPECT_EQ(find(w, "t", true).turns, 32 * 32); // columns: all lanes in one bank
  EXPECT_EQ(find(w, "t").turns, 32);
  EXPECT_EQ(w.blockBarriers, 1);
  EXPECT_EQ(w.mix.barrier, 32);
}

TEST(KernelWalk, GridBarriersAreCounted) {
  StmtP body = loop("t", i32(0), i32(10),
                    {assign(a({threadX()}), floatConst(0, kF32)), marker(StmtKind::GridBarrier)});
  Built k(body, {"A"});
  EXPECT_EQ(k.walk({4, 1, 1}, {32, 1, 1}).gridBarriers, 10);
  EXPECT_EQ(k.walk({1, 1, 1}, {32, 1, 1}).gridBarriers, 0); // one block needs none
  EXPECT_EQ(k.walk({1, 1, 1}, {32, 1, 1}).blockBarriers, 10);
  EXPECT_EQ(k.walk({1, 1, 1}, {32, 1, 1}).reducedBarriers, 10);
}

// In a loop with barriers of the grid, several blocks find nothing in the first-level cache after
// one; a single block finds what nobody wrote.
TEST(KernelWalk, WhatTheFirstLevelKeepsOverBarriers) {
  StmtP body =
      loop("t", i32(0), i32(10),
           {assign(b({threadX()}), op("+", a({threadX()}), b({op("+", threadX(), i32(1))}))),
            marker(StmtKind::GridBarrier)});
  Built k(body, {"A", "B"});
  KernelWalk one = k.walk({1, 1, 1}, {32, 1, 1}), four = k.walk({4, 1, 1}, {32, 1, 1});
  EXPECT_EQ(find(one, "A").keptLoops, 1u);
  EXPECT_EQ(find(one, "B").keptLoops, 0u);
  EXPECT_EQ(find(four, "A").keptLoops, 0u);
}

// Code between barriers is told apart, also when a loop comes back to it.
TEST(KernelWalk, PhasesBetweenGridBarriers) {
  StmtP second = ifElse(
      less(threadX(), i32(32)),
      loop("k", i32(0), i32(50), {assign(b({op("+", v("k"), threadX())}), floatConst(0, kF32))}));
  StmtP body = loop("t", i32(0), i32(10),
                    {assign(a({threadX()}), floatConst(0, kF32)), marker(StmtKind::GridBarrier),
                     second, marker(StmtKind::GridBarrier)});
  KernelWalk w = Built(body, {"A", "B"}).walk({4, 1, 1}, {64, 1, 1}, 0);
  ASSERT_EQ(w.phases.size(), 3u);
  EXPECT_EQ(w.phases[0].storeGlobal, 8 * 10);
  EXPECT_EQ(w.phases[1].storeGlobal, 10 * 50); // one warp
  EXPECT_EQ(w.phases[2].storeGlobal, 0);
  EXPECT_EQ(find(w, "A", true).phase, 0);
  EXPECT_EQ(find(w, "B", true).phase, 1);
  EXPECT_EQ(find(w, "B", true).last[kBlockX], 0); // the others have no part in it
  EXPECT_EQ(w.mix.storeGlobal, 580);
}

TEST(KernelWalk, LoopsThatDataEnd) {
  auto body = std::make_shared<Stmt>(*loop("k", i32(0), index(var("B", kI32), i32(0), kI32),
                                           {assign(a({v("k")}), floatConst(0, kF32))}));
  KernelWalk w = Built(block({body}), {"A", "B"}).walk({1, 1, 1}, {32, 1, 1});
  ASSERT_EQ(w.assumed.size(), 1u);
  EXPECT_NE(w.assumed[0].find("the loop over k"), std::string::npos);
}

// The product from its tree to a time: what the paper says of the naive kernel holds on its device.
TEST(LaunchEstimate, NaiveProductOnTheOldDevice) {
  Built k = product(4096);
  EstimatedLaunch e =
      estimateLaunch(k.program, k.kernels, k.kernels.kernels[0], k.values,
                     {{256, 256, 1}, {16, 16, 1}}, {10, 0, 0, true}, *findDevice("gtx-8800"));
  EXPECT_EQ(e.estimate.bottleneck, "global memory bandwidth");
  EXPECT_EQ(e.estimate.occupancy.threads, 768);
  EXPECT_NEAR(e.work.mix.fma, 4096.0 * 4096 * 4096 / 32, 1);
  double gflops = 2 * 4096.0 * 4096 * 4096 / e.estimate.seconds * 1e-9;
  EXPECT_LT(gflops, 15); // 10.58 in the paper
  EXPECT_GT(gflops, 1);
}

TEST(LaunchEstimate, TodaysCachesTakeItAway) {
  Built k = product(4096);
  EstimatedLaunch e =
      estimateLaunch(k.program, k.kernels, k.kernels.kernels[0], k.values,
                     {{128, 512, 1}, {32, 8, 1}}, {32, 0, 0, true}, *findDevice("h200"));
  EXPECT_EQ(e.estimate.bottleneck, "load and store issue");
  EXPECT_LT(e.work.secondBytes,
            0.2 * 4096.0 * 4096 * 4096 / 32 * 5 * 32); // of 5 sectors for each step of a warp
  EXPECT_LT(e.work.memoryBytes, 0.2 * e.work.secondBytes);
}

// A phase in which one block works and all others only find that they have nothing to do: the
// others' instructions do not count as the one's.
TEST(LaunchEstimate, IdleBlocksCostNoTimeOfTheBusyOne) {
  auto phase = [](int64_t blocks) {
    StmtP work = ifElse(
        less(threadX(), i32(32)),
        loop("k", i32(0), i32(50), {assign(b({op("+", v("k"), threadX())}), floatConst(0, kF32))}));
    Built k(loop("t", i32(0), i32(10), {work, marker(StmtKind::GridBarrier)}), {"A", "B"});
    return estimateLaunch(k.program, k.kernels, k.kernels.kernels[0], k.values,
                          {{blocks, 1, 1}, {512, 1, 1}}, {32, 0, 0, true}, *findDevice("h200"))
        .phases.at(0)
        .seconds;
  };
  EXPECT_LT(phase(512), 3 * phase(4)); // 14 times if they did
}

TEST(Resources, ReportOfPtxas) {
  auto found =
      resourcesFromReport("ptxas info    : 0 bytes gmem\n"
                          "ptxas info    : Compiling entry function 'f_0_step0' for 'sm_90'\n"
                          "ptxas info    : Function properties for f_0_step0\n"
                          "    48 bytes stack frame, 24 bytes spill stores, 32 bytes spill loads\n"
                          "ptxas info    : Used 40 registers, used 1 barriers, 48 bytes cumulative "
                          "stack size, 1024 bytes smem\n"
                          "ptxas info    : Compile time = 8.1 ms\n"
                          "ptxas info    : Compiling entry function 'g_0_step1' for 'sm_90'\n"
                          "ptxas info    : Used 12 registers, used 0 barriers\n");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found["f_0_step0"].registers, 40);
  EXPECT_EQ(found["f_0_step0"].spilledBytes, 56);
  EXPECT_EQ(found["f_0_step0"].sharedBytes, 1024);
  EXPECT_EQ(found["g_0_step1"].registers, 12);
  EXPECT_EQ(found["g_0_step1"].spilledBytes, 0);
  EXPECT_TRUE(resourcesFromReport("nvcc fatal : Unsupported gpu architecture 'sm_10'").empty());
}

TEST(RegionEstimate, ResidentShapesAreThoseOfTheRuntime) {
  Kernel k;
  k.block = {512, 1, 1};
  HostStep h;
  h.threads = {v("n"), i32(1), i32(1)};
  KernelResources r{32, 0, 0, true};
  const DeviceSpec &d = *findDevice("h200");
  auto blocks = [&](int64_t n, const DeviceSpec &device) {
    std::optional<LaunchShape> s = residentShape(h, k, r, device, {{"n", n}});
    return s ? s->blocks() : 0;
  };
  EXPECT_EQ(blocks(3072, d), 1); // six rounds of a block
  EXPECT_EQ(blocks(3073, d), 7);
  EXPECT_EQ(blocks(1 << 20, d), 528); // all that are resident: 4 on each of 132
  EXPECT_EQ(blocks(528 * 512 * 8, d), 528);
  EXPECT_EQ(blocks(528 * 512 * 8 + 1, d), 0);             // too many rounds: launches
  EXPECT_EQ(blocks(3073, *findDevice("h200-opencl")), 0); // no barrier across the grid
  EXPECT_EQ(blocks(3072, *findDevice("h200-opencl")), 1);
  k.block = {32, 1, 1}; // threads with long loops
  EXPECT_EQ(blocks(64, d), 1);
  EXPECT_EQ(blocks(65, d), 3);
}

// A launch that comes again is looked up; another grid, size or number of registers is another
// launch.
TEST(LaunchMemory, KnowsLaunchesAgain) {
  Built k(block({declared("i", threadX()), assign(c({v("i")}), a({op("+", v("i"), v("n"))}))}),
          {"A", "C"}, 0, {{"n", 3}});
  DeviceSpec device = *findDevice("h200");
  LaunchMemory memory;
  KernelResources resources;
  resources.registers = 32;
  auto seconds = [&](int64_t blocks) {
    return memory
        .estimate(k.program, k.kernels, k.kernels.kernels[0], k.values,
                  {{blocks, 1, 1}, {256, 1, 1}}, resources, device, {})
        .estimate.seconds;
  };
  double first = seconds(10000);
  EXPECT_EQ(seconds(10000), first);
  EXPECT_EQ(memory.size(), 1u);
  EXPECT_GT(seconds(20000), first);
  resources.registers = 128;
  seconds(10000);
  k.values["n"] = 4;
  seconds(10000);
  EXPECT_EQ(memory.size(), 4u);
}

TEST(ShortVector, MovesToTheHeapAndBack) {
  ShortVector<int, 3> x = {1, 2};
  x.push_back(3);
  x.push_back(4);
  x.resize(6, 7);
  EXPECT_EQ(std::vector<int>(x.begin(), x.end()), (std::vector<int>{1, 2, 3, 4, 7, 7}));
  ShortVector<int, 3> y = x;
  y.resize(2);
  y.push_back(9);
  EXPECT_EQ(std::vector<int>(y.begin(), y.end()), (std::vector<int>{1, 2, 9}));
  x = y;
  y.clear();
  EXPECT_EQ(x.back(), 9);
  EXPECT_TRUE(y.empty());
}

} // namespace nw::testing
