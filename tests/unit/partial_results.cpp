// Partial results that blocks leave for the next launch: the nodes, what they become, and that what
// is bent of it is seen.
#include "kernel/partial_results.h"
#include "build.h"
#include "kernel/reduction_steps.h"
#include "verify/checks/partial_results.h"

namespace nw::testing {

namespace {

ExprP builtin(const char *name, Type type = kI64) {
  return node(ExprKind::Builtin, {}, type, name);
}

Kernel kernelOf(const StmtP &end, std::array<int, 3> block) {
  Kernel k;
  k.name = "k";
  k.body = nw::block({declare("i", kI32, {}, {builtin("thread.x", kI32)}), end});
  k.block = block;
  for (const char *name : {"rows", "columns"})
    k.parameters.push_back({name, kI64, -1, false, {}, false, intConst(3)});
  return k;
}

LeftResult leftOf() {
  return {.buffer = var("p", kI32),
          .value = v("own"),
          .axis = 1,
          .column = builtin("thread.x"),
          .columns = var("columns", kI64)};
}

TakenResults takenOf(int axis, bool hasColumns, const ExprP &guard) {
  return {.target = at("y", {v("i")}),
          .buffer = var("p", kI32),
          .rows = var("rows", kI64),
          .guard = guard,
          .op = "+",
          .axis = axis,
          .type = kI32,
          .columns = hasColumns ? var("columns", kI64) : nullptr};
}

// The kernels with each kind of end.
std::vector<Kernel> kernels() {
  ExprP always = i32(1), some = less(v("i"), v("n"));
  LeftResult only = leftOf();
  only.column = only.columns = nullptr;
  return {kernelOf(leaveStmt(leftOf()), {32, 8, 1}),
          kernelOf(leaveStmt(only), {32, 8, 1}),
          kernelOf(takeStmt(takenOf(kAllThreads, false, always)), {64, 1, 1}),
          kernelOf(takeStmt(takenOf(1, true, some)), {32, 8, 1}),
          kernelOf(takeStmt(takenOf(kOneThread, true, some)), {32, 1, 1}),
          kernelOf(takeStmt(takenOf(kOneThread, true, always)), {32, 1, 1})};
}

std::string textOf(const Kernel &k) { return print(withoutPartialResults(k).body, 0); }

// Problems after each change of one statement of what the kernel becomes; none of them is missed.
void expectSeen(const Kernel &k, const std::function<StmtP(const StmtP &)> &change) {
  StmtP code = withoutPartialResults(k).body, bent = rewritten(code, change);
  if (print(bent, 0) != print(code, 0))
    EXPECT_NE(wrongPartialResults(k, bent), "") << print(bent, 0);
}

void expectExprsSeen(const Kernel &k, const std::function<ExprP(const ExprP &)> &change) {
  StmtP code = withoutPartialResults(k).body;
  auto copy = std::make_shared<Stmt>(*code);
  for (size_t n = 1; n < copy->body.size(); n++) // not the variable before
    copy->body[n] = rewriteExprs(code->body[n], change);
  if (print(copy, 0) != print(code, 0))
    EXPECT_NE(wrongPartialResults(k, copy), "") << print(copy, 0);
}

ExprP more(const ExprP &e) { return binary("+", e, intConst(1, e->type), e->type); }

} // namespace

TEST(PartialResults, AResultIsLeftInTheRowOfTheBlock) {
  EXPECT_EQ(textOf(kernels()[0]), "int i = thread.x;\n"
                                  "p[((block.y * columns) + thread.x)] = own;\n");
  EXPECT_EQ(textOf(kernels()[1]), "int i = thread.x;\np[block.y] = own;\n");
}

TEST(PartialResults, RowsAreTakenInOrder) {
  EXPECT_EQ(textOf(kernels()[2]),
            "int i = thread.x;\n"
            "int nw_reduced = 0;\n"
            "for (long long nw_block = local.x; (nw_block < rows); nw_block += 64) {\n"
            "  nw_reduced = (nw_reduced + p[nw_block]);\n"
            "}\n"
            "reduce nw_reduced by + in the block;\n"
            "if ((local.x == 0)) {\n"
            "  y[i] = (y[i] + nw_reduced);\n"
            "}\n");
  EXPECT_EQ(textOf(kernels()[4]),
            "int i = thread.x;\n"
            "if ((i < n)) {\n"
            "  keep y[i] in registers where (0 < rows)\n"
            "  for (long long nw_block = 0; (nw_block < rows); nw_block += 1) {\n"
            "    y[i] = (y[i] + p[((nw_block * columns) + thread.x)]);\n"
            "  }\n"
            "}\n");
}

TEST(PartialResults, WhatTheyBecomePasses) {
  for (const Kernel &k : kernels()) {
    EXPECT_EQ(wrongPartialResults(k, withoutPartialResults(k).body), "") << print(k.body, 0);
    EXPECT_NE(wrongPartialResults(k, k.body), "");
  }
  for (const char *op_ : {"*", "&", "|", "^", "<", ">"}) {
    TakenResults taken = takenOf(kAllThreads, false, i32(1));
    taken.op = op_;
    Kernel k = kernelOf(takeStmt(taken), {64, 1, 1});
    EXPECT_EQ(wrongPartialResults(k, withoutPartialResults(k).body), "") << op_;
  }
}

TEST(PartialResults, WhatTheyBecomeIsSeenWhereItIsBent) {
  for (const Kernel &k : kernels()) {
    for (const ExprKind kind : {ExprKind::Int, ExprKind::Builtin})
      expectExprsSeen(k, [&](const ExprP &e) { return e->kind == kind ? more(e) : e; });
    for (const char *name : {"rows", "columns", "own", "nw_block", "nw_reduced", "i"})
      expectExprsSeen(k, [&](const ExprP &e) { return isVar(e, name) ? more(e) : e; });
    for (const char *op_ : {"+", "*", "<", "==", "&&"})
      expectExprsSeen(k, [&](const ExprP &e) {
        return e->kind == ExprKind::Binary && e->name == op_ ? e->args[0] : e;
      });
    expectExprsSeen(k, [](const ExprP &e) { // in 32 bits
      return e->kind == ExprKind::Binary && e->name == "*"
                 ? binary("*", e->args[0], e->args[1], kI32)
                 : e;
    });
    expectExprsSeen(k, [](const ExprP &e) {
      return e->kind == ExprKind::Builtin ? node(ExprKind::Builtin, {}, e->type, "block.z") : e;
    });
    for (StmtKind kind :
         {StmtKind::Assign, StmtKind::For, StmtKind::If, StmtKind::Reduce, StmtKind::Keep}) {
      auto ofKind = [&](const std::function<StmtP(const StmtP &)> &change) {
        expectSeen(k, [&](const StmtP &s) { return s->kind == kind ? change(s) : s; });
      };
      ofKind([](const StmtP &) { return block({}); });
      ofKind([](const StmtP &s) { return block({s, s}); });
      if (kind != StmtKind::Keep) // which does the same without a register
        ofKind([](const StmtP &s) { return s->body.empty() ? s : s->body[0]; });
      ofKind([](const StmtP &s) { return ifElse(less(v("i"), i32(9)), s); });
    }
    auto changed = [&](const std::function<void(Stmt &)> &change) {
      expectSeen(k, [&](const StmtP &s) {
        if (s->kind == StmtKind::Block)
          return s;
        auto copy = std::make_shared<Stmt>(*s);
        change(*copy);
        return StmtP(copy);
      });
    };
    changed([](Stmt &s) { s.loop.step *= 2; });
    changed([](Stmt &s) { s.loop.type = s.kind == StmtKind::For ? kI32 : s.loop.type; });
    changed([](Stmt &s) { s.isSpeculated = s.kind == StmtKind::If; });
    changed([](Stmt &s) { s.isAsync = s.kind == StmtKind::Assign; });
    changed(
        [](Stmt &s) { s.collective.axis = s.kind == StmtKind::Reduce ? 0 : s.collective.axis; });
    changed([](Stmt &s) {
      if (s.kind == StmtKind::Reduce)
        s.collective.op = "*";
    });
    changed([](Stmt &s) {
      if (s.kind == StmtKind::Declare && s.name == "nw_reduced")
        s.name = "i"; // another variable's
    });
    changed([](Stmt &s) {
      if (s.kind == StmtKind::Declare && s.name == "nw_reduced")
        s.exprs = {i32(1)};
    });
  }
}

TEST(PartialResults, TwoRegistersOfOneNameAreSeen) {
  StmtP end = takeStmt(takenOf(1, true, i32(1)));
  Kernel k = kernelOf(block({end, declare(kReducedName, kI32, {}, {i32(0)})}), {32, 8, 1});
  EXPECT_NE(wrongPartialResults(k, withoutPartialResults(k).body), "");
}

TEST(PartialResults, NodesThatAreNoneAreRefused) {
  auto left = [](const std::function<void(Stmt &)> &change) {
    auto s = std::make_shared<Stmt>(*leaveStmt(leftOf()));
    change(*s);
    return leftBy(*s).has_value();
  };
  auto taken = [](const std::function<void(Stmt &)> &change) {
    auto s = std::make_shared<Stmt>(*takeStmt(takenOf(1, true, i32(1))));
    change(*s);
    return takenBy(*s).has_value();
  };
  EXPECT_TRUE(left([](Stmt &) {}));
  EXPECT_TRUE(taken([](Stmt &) {}));
  EXPECT_FALSE(left([](Stmt &s) { s.exprs.pop_back(); }));
  EXPECT_FALSE(left([](Stmt &s) { s.collective.axis = 2; }));
  EXPECT_FALSE(left([](Stmt &s) { s.exprs[0] = at("p", {i32(0)}); }));
  EXPECT_FALSE(left([](Stmt &s) { s.exprs[1] = var("own", kI64); }));
  EXPECT_FALSE(left([](Stmt &s) { s.exprs[2] = v("i"); }));
  EXPECT_FALSE(left([](Stmt &s) { s.exprs[3] = intConst(7); }));
  EXPECT_FALSE(taken([](Stmt &s) { s.collective.op = "-"; }));
  EXPECT_FALSE(taken([](Stmt &s) { s.collective.axis = 0; }));
  EXPECT_FALSE(taken([](Stmt &s) { s.exprs[0] = i32(1); }));
  EXPECT_FALSE(taken([](Stmt &s) { s.exprs[0] = var("y", kI64); }));
  EXPECT_FALSE(taken([](Stmt &s) { s.exprs[2] = v("rows"); }));
  EXPECT_FALSE(taken([](Stmt &s) { s.type = typeOf(Scalar::I8); }));
  EXPECT_FALSE(taken([](Stmt &s) { s.exprs.resize(3); }));
}

TEST(PartialResults, BlocksOfALaunchAreCounted) {
  ExprP n = var("n", kI64);
  EXPECT_EQ(print(blocksOf(n, 0, 32)), "((n + 31) / 32)");
  EXPECT_EQ(print(blocksOf(n, 7, 32)), "min(7, ((n + 31) / 32))");
  EXPECT_EQ(print(blocksOf(binary("*", n, intConst(32), kI64), 7, 32)), "min(7, n)");
  EXPECT_EQ(print(blocksOf(binary("*", n, intConst(16), kI64), 7, 32)),
            "min(7, (((n * 16) + 31) / 32))");
}

} // namespace nw::testing
