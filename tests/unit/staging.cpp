// Kernels whose copies are wrong in ways that small sizes do not show: each of them was accepted
// once, until a review found it.
#include "row_strips.h"
#include "verify/executor/block_executor.h"

namespace nw::testing {

namespace {

ExprP of(const char *op, const ExprP &a, const ExprP &b) { return binary(op, a, b, kI32); }
ExprP local(const char *name) { return node(ExprKind::Builtin, {}, kI32, name); }
StmtP barrier() { return marker(StmtKind::Barrier); }
StmtP byOneThread(const StmtP &s) {
  return ifElse(of("&&", of("==", local("local.x"), i32(0)), of("==", local("local.y"), i32(0))),
                s);
}

// b by way of a tile
TiledRegion storing() { return {scaling(), strips({{"b", 1}})}; }

TiledRegion multiplying() { return {product(), smallTiles()}; }

bool isStore(const StmtP &s) {
  return writes(s, "b") && baseOf(s->exprs[1]) && baseOf(s->exprs[1])->name == "b_tile";
}

// The product with more code behind the copies of what is left of the strips.
size_t withMore(const std::vector<StmtP> &more) {
  return multiplying().bent([&](const StmtP &s) {
    bool is = s->kind == StmtKind::Block && !s->body.empty() &&
              s->body.back()->kind == StmtKind::For && s->body.back()->loop.counter == "l" &&
              isVar(s->body.back()->loop.start, "l_rest");
    if (!is)
      return s;
    auto copy = std::make_shared<Stmt>(*s);
    copy->body.insert(copy->body.end() - 1, more.begin(), more.end());
    return StmtP(copy);
  });
}

StmtP ofAnyLength(const std::vector<StmtP> &body) { return loop("z", i32(7), v("k"), body); }
StmtP copyOf(const ExprP &column) {
  return byOneThread(assign(at("A_tile", i32(0), i32(0)), at("A", v("i_tile"), column)));
}

// Problems of a block of one thread with a shared array of two elements.
size_t problems(const std::vector<StmtP> &code) {
  auto shared = std::make_shared<Stmt>(*declare("T", real(), {2}, {}));
  shared->kind = StmtKind::Shared;
  BlockExecutor executor({1, 1, 1});
  executor.addInteger("n");
  for (const char *name : {"A", "b", "o"})
    executor.addArray(name);
  std::vector<StmtP> all = {shared};
  all.insert(all.end(), code.begin(), code.end());
  executor.run(block(all));
  return executor.problems().size();
}

StmtP instance(const StmtP &s) { return instanceBlock("S", {}, {s}); }
ExprP held(int64_t slot, const char *array) {
  return staged(at("T", i32(slot)), at(array, i32(0)));
}
StmtP reading(int64_t slot, const char *array = "A") {
  return instance(assign(at("o", i32(0)), held(slot, array)));
}

} // namespace

TEST(Staging, ABarrierThatMayNotComeIsSeen) {
  auto never = of("<", v("k"), i32(100000));
  for (const std::function<StmtP(const StmtP &)> &wrapped :
       std::vector<std::function<StmtP(const StmtP &)>>{
           [&](const StmtP &s) { return ifElse(never, block({s})); },
           [&](const StmtP &s) { return loop("z", v("k"), i32(100000), {s}); }}) {
    int needed = 0;
    for (int which = 0; which < 8; which++) {
      int number = 0;
      needed += multiplying().bent([&](const StmtP &s) {
        return s->kind == StmtKind::Barrier && number++ == which ? wrapped(s) : s;
      }) > 0;
    }
    EXPECT_EQ(needed, 8);
  }
}

TEST(Staging, WhatTheLastTurnLeavesCounts) {
  ExprP isOdd = of("==", of("%", v("z"), i32(2)), i32(1)),
        hasNext = of("<", of("+", v("z"), i32(1)), v("k"));
  EXPECT_GT(withMore({ofAnyLength(
                {barrier(), ifElse(isOdd, copyOf(i32(0)), copyOf(v("l_rest"))), barrier()})}),
            0u);
  EXPECT_GT(withMore({ofAnyLength(
                {barrier(), copyOf(i32(0)), ifElse(hasNext, copyOf(v("l_rest"))), barrier()})}),
            0u);
  EXPECT_GT(withMore({ofAnyLength({barrier(), copyOf(i32(0)), barrier()})}), 0u);
}

TEST(Staging, ACopyBackThatMayNotComeIsSeen) {
  for (const ExprP &condition : {of("!=", v("m"), i32(100003)), of("<", v("m"), i32(100003))})
    EXPECT_GT(storing().bent([&](const StmtP &s) { return isStore(s) ? ifElse(condition, s) : s; }),
              0u);
  EXPECT_GT(storing().bent([&](const StmtP &s) {
    return s->kind == StmtKind::Copy && s->name == "b_tile" ? loop("z", i32(100003), v("m"), {s})
                                                            : s;
  }),
            0u);
}

TEST(Staging, SharedArraysAreDeclaredOnceAtTheTop) {
  TiledRegion tiled = multiplying();
  ASSERT_EQ(tiled.findings(), 0u);
  std::vector<StmtP> shared, registers, rest;
  for (const StmtP &s : tiled.tiles().body->body)
    if (s->kind == StmtKind::Shared) {
      shared.push_back(s);
      registers.push_back(declare(s->name, s->type, s->extents, {}));
    } else
      rest.push_back(s);
  auto with = [&](std::vector<StmtP> first) {
    first.insert(first.end(), rest.begin(), rest.end());
    return block(first);
  };
  ExprP isLarge = of(">=", v("k"), i32(100000));
  tiled.tiles().body = block({ifElse(isLarge, with(registers), with(shared))});
  EXPECT_GT(tiled.findings(), 0u);
  tiled.tiles().body = block({with(shared), block({shared[0]})});
  EXPECT_GT(tiled.findings(), 0u);
}

TEST(Staging, OtherAssignmentsFromCopiesAreSeen) {
  EXPECT_GT(withMore({assign(at("C_kept", i32(0), i32(0)), at("A_tile", i32(0), i32(0)))}), 0u);
}

TEST(Staging, LoadsOfVariablesAreSeen) {
  EXPECT_EQ(withMore({declare("junk", real(), {}, {})}), 0u);
  EXPECT_GT(withMore({declare("junk", real(), {}, {at("A", i32(0), v("l_rest"))})}), 0u);
}

TEST(Staging, ElementsOfAnotherTypeAreSeen) {
  for (StmtKind kind : {StmtKind::Shared, StmtKind::Declare})
    EXPECT_GT(multiplying().bent([&](const StmtP &s) {
      if (s->kind != kind || (s->name != "B_tile" && s->name != "B_tile_next"))
        return s;
      auto copy = std::make_shared<Stmt>(*s);
      copy->type = typeOf(Scalar::F64);
      return StmtP(copy);
    }),
              0u);
}

TEST(Staging, NumbersThatDoNotFitAreSeen) {
  TiledRegion tiled = multiplying();
  // x + block.x * 10^8 / 10^8 - block.x, which is x while the product fits
  auto strayed = [](const ExprP &x, const Type &type) {
    ExprP block = cast(local("block.x"), type), many = intConst(100000000, type);
    ExprP zero = binary("-", binary("/", binary("*", block, many, type), many, type), block, type);
    return of("+", x, type == kI32 ? zero : cast(zero, kI32));
  };
  EXPECT_GT(tiled.bentExprs([&](const ExprP &e) {
    return e->kind == ExprKind::Staged && baseOf(e)->name == "A_tile"
               ? staged(index(e->args[0]->args[0], strayed(e->args[0]->args[1], kI32), e->type),
                        e->args[1])
               : e;
  }),
            0u);
  auto bentCopies = [&](const std::function<StmtP(const StmtP &, const ExprP &)> &change) {
    return tiled.bent(
        [&](const StmtP &s) { return writes(s, "A_tile") ? change(s, s->exprs[0]->args[1]) : s; });
  };
  auto to = [](const StmtP &s, const ExprP &column) {
    return moving(s, index(s->exprs[0]->args[0], column, s->exprs[0]->type), s->exprs[1]);
  };
  EXPECT_GT(bentCopies([&](const StmtP &s, const ExprP &x) { return to(s, strayed(x, kU32)); }),
            0u);
  for (const Type &type : {typeOf(Scalar::I8), kI32}) // short variables
    EXPECT_GT(bentCopies([&](const StmtP &s, const ExprP &x) {
                ExprP product = binary("*", cast(v("i_tile"), kI64), intConst(256), kI64);
                ExprP zero =
                    of("-", of("/", cast(var("stray", type), kI32), i32(256)), v("i_tile"));
                return block({declare("stray", type, {}, {product}), to(s, of("+", x, zero))});
              }),
              0u);
  EXPECT_GT(bentCopies([&](const StmtP &s, const ExprP &) {
              auto again = std::make_shared<Stmt>(*loop("z", i32(0), i32(2147483647), {s}));
              again->loop.step = 1500000000;
              return StmtP(again);
            }),
            0u);
}

TEST(Staging, OlderValuesAreSeen) {
  // Two copies of one element, of which the older is brought back last.
  EXPECT_GT(problems({instance(assign(held(0, "b"), at("A", i32(0)))),
                      instance(assign(held(1, "b"), at("A", i32(1)))), barrier(),
                      assign(at("b", i32(0)), at("T", i32(1))),
                      assign(at("b", i32(0)), at("T", i32(0)))}),
            0u);
  // What is computed is put into its own place once more, and never goes anywhere.
  EXPECT_GT(problems({declare("r", real(), {}, {}), instance(assign(held(0, "b"), at("A", i32(0)))),
                      assign(var("r", real()), at("T", i32(0))),
                      assign(at("T", i32(0)), var("r", real()))}),
            0u);
  // A copy of what an element was before somebody stored it.
  EXPECT_GT(problems({assign(at("T", i32(0)), at("b", i32(0))), barrier(),
                      assign(at("b", i32(0)), at("A", i32(0))), reading(0, "b")}),
            0u);
}

TEST(Staging, WhatHoldsUnderAConditionHoldsThereAlone) {
  ExprP isSmall = of("<", v("n"), i32(5));
  auto speculated =
      std::make_shared<Stmt>(*ifElse(isSmall, instance(assign(var("r", real()), held(0, "A")))));
  speculated->isSpeculated = true;
  EXPECT_GT(
      problems({declare("r", real(), {}, {}),
                ifElse(isSmall, assign(at("T", i32(0)), at("A", i32(0)))), barrier(), speculated,
                assign(at("T", i32(1)), var("r", real())), barrier(), reading(1)}),
      0u);
  ExprP apart = of("-", v("n"), i32(5));
  EXPECT_GT(
      problems({ifElse(of(">", apart, i32(3)), assign(at("T", i32(0)), at("A", i32(0)))), barrier(),
                instance(ifElse(binary(">", cast(apart, kU32), intConst(3, kU32), kI32),
                                assign(at("o", i32(0)), held(0, "A"))))}),
      0u);
}

} // namespace nw::testing
