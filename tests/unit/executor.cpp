// The block executor: copies in shared memory, and reductions of a block.
#include "../mutation/bend_tree.h"
#include "kernel/box_copy.h"
#include "kernel/reduction_steps.h"
#include "product.h"
#include "proved.h"
#include "verify/executor/block_executor.h"
#include <fmt/format.h>

namespace nw::testing {

namespace {

std::set<std::string> stagingOf(const Kernel &kernel) {
  std::set<std::string> all;
  for (const Finding &f : checkStaging(kernel))
    all.insert(f.what);
  return all;
}

TilePlan plan(int prefetch, int stages, int swizzle) {
  TilePlan t = prefetchingTiles();
  t.prefetch = prefetch;
  t.stages = stages;
  if (swizzle)
    t.staged = {{"A", 0, swizzle}, {"B", 0, 4 * swizzle}};
  return t;
}

// Reductions of the block's threads in three rounds, so that one meets the other.
const char *const kNames[3][2] = {{"x0", "y0"}, {"x1", "y1"}, {"x2", "y2"}};

StmtP rounds(const std::string &op, int axis) {
  std::vector<StmtP> all;
  for (auto &[x, y] : kNames)
    all.push_back(block({reduceStmt(x, typeOf(Scalar::F32), op, axis),
                         reduceStmt(y, typeOf(Scalar::F32), op, axis)}));
  return block(all);
}

// What is wrong with them: each thread should have the values of its row or column, or of the
// block, each once.
std::string wrongReduction(const StmtP &code, const std::array<int, 3> &shape,
                           const std::string &op, int axis) {
  BlockExecutor executor(shape);
  for (auto &names : kNames)
    for (const char *name : names)
      executor.addPart(name, typeOf(Scalar::F32));
  executor.run(code);
  for (const std::string &problem : executor.problems())
    return problem;
  for (auto &names : kNames)
    for (const char *name : names)
      for (int t = 0; t < shape[0] * shape[1]; t++) {
        std::vector<int> wanted;
        for (int k = 0; axis == kAllThreads && k < shape[0] * shape[1]; k++)
          wanted.push_back(k);
        for (int k = 0; axis != kAllThreads && k < shape[size_t(axis)]; k++)
          wanted.push_back(axis == 0 ? t / shape[0] * shape[0] + k : k * shape[0] + t % shape[0]);
        if (executor.threadsIn(name, t, op) != wanted)
          return fmt::format("thread {} has not all of {}", t, name);
      }
  return "";
}

} // namespace

TEST(Executor, ProductsInTilesAreAccepted) {
  for (int prefetch : {0, 1})
    for (int stages : {1, 2})
      for (int swizzle : {0, 2, 4})
        EXPECT_EQ(stagingOf(TiledRegion(product(), plan(prefetch, stages, swizzle)).tiles()),
                  std::set<std::string>{})
            << prefetch << " " << stages << " " << swizzle;
}

// int a = 0; if (n > 5) a = 1; T[a] = x: which slot that is depends on n.
TEST(Executor, WhatIsAssignedUnderAConditionIsNotCertain) {
  Type real = typeOf(Scalar::F32);
  auto shared = std::make_shared<Stmt>(*marker(StmtKind::Shared));
  shared->name = "T";
  shared->type = real;
  shared->extents = {2};
  auto problems = [&](const ExprP &condition) {
    BlockExecutor executor({1, 1, 1});
    executor.addInteger("n");
    executor.addPart("x", typeOf(Scalar::F32));
    executor.run(
        block({shared, declare("a", kI32, {}, {i32(0)}), ifElse(condition, assign(v("a"), i32(1))),
               assign(index(var("T", real), v("a"), real), var("x", real))}));
    return executor.problems().size();
  };
  EXPECT_GT(problems(binary(">", v("n"), i32(5), kI32)), 0u);
  EXPECT_EQ(problems(binary(">", i32(6), i32(5), kI32)), 0u);
}

TEST(Executor, ReductionsOfABlockTakeEachThreadOnce) {
  for (const std::array<int, 3> &shape :
       {std::array{32, 1, 1}, std::array{8, 4, 1}, std::array{128, 1, 1}, std::array{16, 16, 1}})
    for (int warp : {1, 32})
      for (int axis : {0, 1, kAllThreads})
        for (const char *op : {"+", "<", "fmax"})
          EXPECT_EQ(
              wrongReduction(withReductionSteps(rounds(op, axis), shape, warp), shape, op, axis),
              "")
              << shape[0] << " " << shape[1] << " " << warp << " " << axis << op;
}

// Statements dropped, operators and numbers bent. 573 of the bent ones are accepted. They were
// looked at by kind, and each kind is right all the same: independent statements that change
// places; exchanges at distances that reach all threads, too (4 -> 5 beside 2 and 1); terms that
// are zero where they are executed; threads that add to slots that nobody reads any more; an array
// that is larger than needed; the last barrier and the last turn, after which nothing comes.
TEST(Executor, BentReductionsAreSeen) {
  int all = 0, accepted = 0;
  for (const std::array<int, 3> &shape : {std::array{8, 2, 1}, std::array{64, 1, 1}})
    for (int warp : {1, 32})
      for (int axis : {0, 1, kAllThreads}) {
        if (axis == kAllThreads ? shape[1] == 1 : shape[size_t(axis)] == 1)
          continue; // the same as along x, or nothing to do
        mutation::bend(withReductionSteps(rounds("+", axis), shape, warp),
                       [&](const StmtP &bent, const std::string &) {
                         all++;
                         accepted += wrongReduction(bent, shape, "+", axis).empty();
                       });
      }
  EXPECT_EQ(all, 5188);
  EXPECT_EQ(accepted, 573);
}

TEST(Executor, BentCopiesAreSeen) {
  TiledRegion tiled(product(), plan(1, 2, 2));
  auto bent = [&](const std::function<StmtP(const StmtP &)> &change) {
    TiledRegion copy = tiled;
    copy.tiles().body = change(copy.tiles().body);
    return stagingOf(copy.tiles()).size();
  };
  auto exprs = [&](const std::function<ExprP(const ExprP &)> &change) {
    return bent([&](const StmtP &body) { return rewriteExprs(body, change); });
  };
  int barriers = 0;
  walkStmts(tiled.tiles().body, [&](const StmtP &s) { barriers += s->kind == StmtKind::Barrier; });
  ASSERT_EQ(barriers, 8);
  for (int which = 0; which < barriers; which++) {
    int number = 0;
    bool isNeeded = which % 4 != 0; // nothing is shared before the first of a tile
    EXPECT_EQ(bent([&](const StmtP &body) {
                return rewritten(body, [&](const StmtP &s) {
                  return s->kind == StmtKind::Barrier && number++ == which ? block({}) : s;
                });
              }) > 0,
              isNeeded)
        << which;
  }
  for (const char *array : {"A", "B"}) { // other elements, other slots, none
    std::string tile = std::string(array) + "_tile", next = tile + "_next";
    EXPECT_GT(bent([&](const StmtP &body) {
                return rewritten(body, [&](const StmtP &s) {
                  const ExprP &from = writes(s, next) ? s->exprs[1] : nullptr;
                  return from ? moving(s, s->exprs[0],
                                       index(from->args[0],
                                             binary("+", from->args[1], i32(1), kI32), from->type))
                              : s;
                });
              }),
              0u);
    EXPECT_GT(bent([&](const StmtP &body) {
                return rewritten(body, [&](const StmtP &s) {
                  return writes(s, tile)
                             ? moving(s,
                                      rewrite(s->exprs[0],
                                              [](const ExprP &e) {
                                                return e->kind == ExprKind::Binary && e->name == "^"
                                                           ? e->args[0]
                                                           : e;
                                              }),
                                      s->exprs[1])
                             : s;
                });
              }),
              0u);
    EXPECT_GT(bent([&](const StmtP &body) {
                return rewritten(body,
                                 [&](const StmtP &s) { return writes(s, tile) ? block({}) : s; });
              }),
              0u);
  }
  EXPECT_GT(exprs([](const ExprP &e) { // buffers that do not take turns
              return e->kind == ExprKind::Binary && e->name == "%" &&
                             mentions(e->args[0], "l_strip")
                         ? intConst(0, e->type)
                         : e;
            }),
            0u);
  EXPECT_GT(exprs([](const ExprP &e) { // the strip that is there already
              return e->kind == ExprKind::Select && mentions(e, "l_strip") ? e->args[2] : e;
            }),
            0u);
}

// What copies become, bent mechanically: one of three of the bent ones. Those that are accepted
// were looked at by kind. Guards that let more through load what nobody reads; that these elements
// are there is asked of the copies, not here ('bounds'). What is left of the strips has fewer
// values than a strip, so that nobody misses the last of a box. The others reach into the padding.
TEST(Executor, BentExpansionsOfCopiesAreSeen) {
  TiledRegion tiled(product(), smallTiles());
  std::vector<StmtP> copies;
  walkStmts(tiled.tiles().body, [&](const StmtP &s) {
    if (s->kind == StmtKind::Copy)
      copies.push_back(s);
  });
  EXPECT_EQ(copies.size(), 12u); // A at once, B by way of registers; whole and not, twice
  int all = 0, accepted = 0;
  for (const StmtP &copy : copies)
    mutation::bend(withoutCopies(copy), [&](const StmtP &bent, const std::string &) {
      if (all++ % 3)
        return;
      Kernel kernel = tiled.tiles();
      kernel.body = rewritten(kernel.body, [&](const StmtP &s) {
        return s->kind == StmtKind::Copy && print(s, 0) == print(copy, 0) ? bent : s;
      });
      accepted += checkStaging(kernel).empty();
    });
  EXPECT_EQ(all, 578);
  EXPECT_EQ(accepted, 27);
}

} // namespace nw::testing
