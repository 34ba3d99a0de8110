// Elements that loops keep in registers: what the node becomes, when it is legal, and that neither
// wrong nodes nor wrong registers pass.
#include "kernel/keep.h"
#include "../mutation/bend_tree.h"
#include "build.h"
#include "frontend/affine/build_program.h"
#include "kernel/expand.h"
#include "lower/lower.h"
#include "lower/short_loops.h"
#include "plan/planner.h"
#include "poly/schedule.h"
#include "proved.h"
#include "verify/checks/keeps.h"
#include "verify/interpreter/interpreter.h"

namespace nw::testing {

namespace {

ExprP atMost(ExprP a, ExprP b) { return binary("<=", std::move(a), std::move(b), kI32); }

// a[x] += b[k]
StmtP update(const char *x = "i") {
  return assign(at("a", {v(x)}), op("+", at("a", {v(x)}), at("b", {v("k")})));
}
StmtP overK(std::vector<StmtP> body) { return loop("k", i32(0), v("m"), std::move(body)); }
ExprP runs() { return less(i32(0), v("m")); }

// Registers for a[i] while the code runs for all k.
StmtP kept(std::vector<StmtP> body, ExprP guard = runs()) {
  return keepStmt(std::move(guard), {at("a", {v("i")})}, overK(std::move(body)));
}
std::string wrong(const StmtP &keep, std::vector<StmtP> before = {}) {
  before.push_back(keep);
  return illegalKeep(*keep, block(before));
}

// The kernels of a region.
struct Lowered {
  explicit Lowered(const Region &r) : program(buildProgram(r)) {
    Dependences d = computeDependences(program);
    Schedule s = schedule(program, d, true);
    kernels = lower(program, d, s, propose(program, s, *findDevice("h200")), *findDevice("h200"));
  }
  std::vector<Finding> findings() const { return provedFindings(program, kernels); }
  StmtP keep() const {
    StmtP found;
    for (const Kernel &k : kernels.kernels)
      walkStmts(k.body, [&](const StmtP &s) { found = s->kind == StmtKind::Keep ? s : found; });
    return found;
  }

  Program program;
  Kernels kernels;
};

// for i for k a[i] += b[k], where the condition holds; b has rows of `columns`, if it is given.
Region rows(ExprP low, ExprP high, const ExprP &where = nullptr, const ExprP &columns = nullptr) {
  ExprP b = columns ? at("b", {v("i"), v("k")}) : at("b", {v("k")});
  StmtP s = assign(at("a", {v("i")}), op("+", at("a", {v("i")}), b));
  Region r =
      regionOf({loop("i", i32(0), v("n"),
                     {loop("k", std::move(low), std::move(high), {where ? ifElse(where, s) : s})})},
               {scalar("n"), scalar("m"), scalar("i"), scalar("k"), pointer("a"),
                columns ? pointer("b", kI32, {columns}) : pointer("b")});
  r.variables["i"].storage = r.variables["k"].storage = Storage::Local;
  return r;
}

// for k < 8 with i + k < n: the loop is written out, with a question in each iteration.
Region shortRows() { return rows(i32(0), i32(8), less(op("+", v("i"), v("k")), v("n"))); }

} // namespace

TEST(Keep, BecomesALoadALoopAndAStore) {
  EXPECT_EQ(print(withKeptRegisters(kept({update()})), 0), "if ((0 < m)) {\n"
                                                           "  int a_kept = a[i];\n"
                                                           "  for (int k = 0; (k < m); k += 1) {\n"
                                                           "    a_kept = (a_kept + b[k]);\n"
                                                           "  }\n"
                                                           "  a[i] = a_kept;\n"
                                                           "}\n");
  EXPECT_EQ(print(withKeptRegisters(
                      keepStmt(i32(1), {at("a", {v("i")})}, loop("k", i32(0), i32(2), {update()}))),
                  0)
                .substr(0, 4),
            "int ");
}

TEST(Keep, RegistersHaveNamesOfTheirOwn) {
  StmtP code = block({declare("a_kept", kI32, {}, {i32(1)}), kept({update()}), kept({update()})});
  std::string text = print(withKeptRegisters(code, {"a_kept2"}), 0);
  EXPECT_NE(text.find("int a_kept1 = a[i]"), std::string::npos);
  EXPECT_EQ(text.find("int a_kept2 = a[i]"), std::string::npos);
  EXPECT_NE(text.find("int a_kept3 = a[i]"), std::string::npos);
}

// The size of a row is in the emitted text alone: b[i * a_kept + k].
TEST(Keep, NoRegisterHidesTheSizeOfARow) {
  Region r = rows(i32(0), v("m"), nullptr, cast(v("a_kept"), kI64));
  r.variables["a_kept"] = scalar("a_kept");
  Lowered one(r);
  ASSERT_TRUE(one.keep());
  EXPECT_EQ(textOf(one.findings()), "");
  for (const Kernel &k : one.kernels.kernels)
    walkStmts(spelledOut(k).body, [&](const StmtP &s) {
      EXPECT_FALSE(s->kind == StmtKind::Declare && s->name == "a_kept");
    });
}

TEST(Keep, MeansTheLoopWithTheElement) {
  StmtP loop = overK({update()});
  auto plain = [&](const ExprP &guard) {
    return print(withoutKeeps(keepStmt(guard, {at("a", {v("i")})}, loop)), 0);
  };
  EXPECT_EQ(plain(runs()), print(loop, 0));
  EXPECT_EQ(plain(i32(1)), print(loop, 0));
  ExprP other = less(v("i"), v("n"));
  EXPECT_EQ(plain(other), print(ifElse(other, loop), 0));
  EXPECT_EQ(plain(binary("&&", other, runs(), kI32)), print(ifElse(other, loop), 0));
}

TEST(Keep, WhatIsNoneStaysAndIsRefused) {
  StmtP fine = kept({update()});
  EXPECT_EQ(wrongKeep(*fine), "");
  for (const std::function<void(Stmt &)> &bend : std::vector<std::function<void(Stmt &)>>{
           [](Stmt &s) { s.exprs.pop_back(); },
           [](Stmt &s) { s.exprs[1] = v("a"); },
           [](Stmt &s) { s.exprs[1] = op("+", at("a", {v("i")}), i32(1)); },
           [](Stmt &s) { s.body = {block({s.body[0]})}; },
           [](Stmt &s) { s.body.clear(); },
           [&](Stmt &s) { s.body = {overK({fine})}; },
       }) {
    auto bent = std::make_shared<Stmt>(*fine);
    bend(*bent);
    EXPECT_NE(wrongKeep(*bent), "");
    EXPECT_NE(illegalKeep(*bent, bent), "");
    EXPECT_EQ(withKeptRegisters(StmtP(bent)), StmtP(bent));
    EXPECT_EQ(withoutKeeps(StmtP(bent)), StmtP(bent));
  }
}

TEST(Keep, IsLegalWhereTheElementIsFixedAloneAndWritten) {
  EXPECT_EQ(wrong(kept({update()})), "");
  EXPECT_EQ(wrong(kept({instanceBlock("S0", {v("i"), v("k")}, {update()})})), "");
  ExprP other = less(v("i"), v("n"));
  EXPECT_EQ(wrong(kept({update()}, binary("&&", other, runs(), kI32))), "");
}

TEST(Keep, ElementsThatChangeOrAreSeenOtherwiseAreRefused) {
  StmtP moving = assign(v("i"), op("+", v("i"), i32(1)));
  for (const std::vector<StmtP> &body : std::vector<std::vector<StmtP>>{
           {update(), moving},                           // a variable of the subscript
           {declare("i", kI32, {}, {v("k")}), update()}, // hides one
           {update(), update("k")},                      // perhaps the same element
           {update(), assign(at("c", {v("k")}), at("a", {v("k")}))},
           {update(), assign(at("a", {op("+", v("i"), i32(1))}), i32(0))},
           {update(), assign(v("k"), op("+", v("k"), i32(1)))},
       })
    EXPECT_NE(wrong(kept(body)), "") << print(block(body), 0);
  // a[k], a[b[i]] with b written, a[a[i]]
  EXPECT_NE(wrong(keepStmt(runs(), {at("a", {v("k")})}, overK({update("k")}))), "");
  ExprP far = at("a", {at("b", {v("i")})}), twice = at("a", {at("a", {v("i")})});
  StmtP writesB = assign(at("b", {v("k")}), i32(0));
  EXPECT_EQ(wrong(keepStmt(runs(), {far}, overK({assign(far, i32(1))}))), "");
  EXPECT_NE(wrong(keepStmt(runs(), {far}, overK({assign(far, i32(1)), writesB}))), "");
  EXPECT_NE(wrong(keepStmt(runs(), {twice}, overK({assign(twice, i32(1))}))), "");
}

TEST(Keep, TwoElementsOfOneArrayAreCertainlyDifferent) {
  StmtP both =
      keepStmt(runs(), {at("a", {v("i")}), at("a", {v("j")})}, overK({update("i"), update("j")}));
  EXPECT_NE(wrong(both), "");
  EXPECT_EQ(wrong(both, {declare("j", kI32, {}, {op("+", v("i"), i32(4))})}), "");
  EXPECT_NE(wrong(both, {declare("j", kI32, {}, {op("+", v("i"), i32(0))})}), "");
}

TEST(Keep, CodeThatWaitsOrLeavesIsRefused) {
  for (StmtKind kind : {StmtKind::Barrier, StmtKind::GridBarrier, StmtKind::Break,
                        StmtKind::Continue, StmtKind::Return, StmtKind::Reduce, StmtKind::Window})
    EXPECT_NE(wrong(kept({marker(kind), update()})), "") << int(kind);
}

// What is loaded and stored where nobody writes it may be another thread's, or no element.
TEST(Keep, ElementsThatMayNotBeWrittenAreRefused) {
  ExprP some = less(v("i"), v("k"));
  EXPECT_NE(wrong(kept({ifElse(some, update())})), "");
  EXPECT_NE(wrong(kept({loop("l", i32(0), v("m"), {update()})})), "");
  EXPECT_NE(wrong(kept({update()}, i32(1))), "");
  EXPECT_NE(wrong(kept({update()}, atMost(i32(0), v("m")))), "");
  EXPECT_NE(wrong(kept({assign(at("c", {v("k")}), at("a", {v("i")}))})), "");
  EXPECT_EQ(wrong(keepStmt(i32(1), {at("a", {v("i")})}, loop("k", i32(0), i32(2), {update()}))),
            "");
  EXPECT_NE(wrong(keepStmt(i32(1), {at("a", {v("i")})}, loop("k", i32(2), i32(2), {update()}))),
            "");
}

// for k in 0 … 7, where low <= k <= high: if (max(0, low) <= min(7, high)) all of it.
// A thread whose first value lies in front of the loop, and whose next one behind it, runs nothing.
TEST(Keep, LoopsThatBeginAtALineAreRefused) {
  auto line = std::make_shared<Stmt>(*overK({update()}));
  line->loop.start = node(ExprKind::Builtin, {}, kI32, "local.x");
  line->loop.stride = nullptr;
  line->loop.step = 32;
  line->loop.line = {intConst(5, kI64), "nw_begin"};
  auto keep = [](const StmtP &loop) {
    return keepStmt(whetherItRuns(loop->loop), {at("a", {v("i")})}, loop);
  };
  EXPECT_NE(wrong(keep(line)), "");
  auto plain = std::make_shared<Stmt>(*line);
  plain->loop.line = {};
  EXPECT_EQ(wrong(keep(plain)), "");
}

// Loops beside the registers are as they were, from the same line on.
TEST(Keep, OtherLinesAreSeen) {
  auto line = std::make_shared<Stmt>(*loop("j", node(ExprKind::Builtin, {}, kI32, "local.x"),
                                           v("m"), {assign(at("c", {v("j")}), at("b", {v("j")}))}));
  line->loop.stride = nullptr;
  line->loop.step = 32;
  line->loop.line = {intConst(5, kI64), "nw_begin"};
  Kernel kernel;
  kernel.body = block({line, kept({update()})});
  StmtP right = withKeptRegisters(kernel).body;
  EXPECT_EQ(wrongRegisters(kernel, right), "");
  auto bent = [&](const LineMapping &mapping) {
    return rewritten(right, [&](const StmtP &s) -> StmtP {
      if (s->kind != StmtKind::For || !s->loop.line.before)
        return s;
      auto copy = std::make_shared<Stmt>(*s);
      copy->loop.line = mapping;
      return copy;
    });
  };
  EXPECT_NE(wrongRegisters(kernel, bent({intConst(6, kI64), "nw_begin"})), "");
  EXPECT_NE(wrongRegisters(kernel, bent({intConst(5, kI64), "other"})), "");
  EXPECT_NE(wrongRegisters(kernel, bent({})), "");
}

TEST(Keep, LoopsThatAskInEachIterationAreAskedInFront) {
  ExprP low = node(ExprKind::Max, {i32(0), v("p")}, kI32),
        high = node(ExprKind::Min, {i32(7), v("q")}, kI32);
  auto asking = [&](const ExprP &in, std::vector<StmtP> body, int64_t first, int64_t last) {
    return forLoop("k", kI32, i32(first), atMost(v("k"), i32(last)), i32(1),
                   ifElse(in, block(std::move(body))));
  };
  auto found = [&](const ExprP &guard, const StmtP &loop) {
    return wrong(keepStmt(guard, {at("a", {v("i")})}, loop));
  };
  ExprP above = binary(">=", v("k"), v("p"), kI32), below = atMost(v("k"), v("q")),
        in = binary("&&", above, below, kI32);
  EXPECT_EQ(found(atMost(low, high), asking(in, {update()}, 0, 7)), "");
  EXPECT_EQ(found(atMost(low, high), asking(in, {update()}, -1, 8)), "");
  EXPECT_NE(found(atMost(low, high), asking(in, {update()}, 1, 7)), "");
  EXPECT_NE(found(atMost(low, high), asking(in, {update()}, 0, 6)), "");
  EXPECT_NE(found(atMost(v("p"), high), asking(in, {update()}, 0, 7)), "");
  EXPECT_NE(found(atMost(low, i32(7)), asking(in, {update()}, 0, 7)), "");
  EXPECT_NE(found(less(low, high), asking(in, {update()}, 0, 7)), "");
  EXPECT_NE(found(i32(1), asking(in, {update()}, 0, 7)), "");
  ExprP more = binary("&&", in, less(v("k"), v("i")), kI32);
  EXPECT_NE(found(atMost(low, high), asking(more, {update()}, 0, 7)), "");
  StmtP moving = assign(v("p"), op("+", v("p"), i32(1)));
  EXPECT_NE(found(atMost(low, high), asking(in, {moving, update()}, 0, 7)), "");
}

// if (p <= x && x <= q && 0 <= r) … for x in 0 … 3, around a loop over k in 0 … r with r at most 7:
// one question in front.
TEST(Keep, QuestionsOfTheLoopsAroundJoinTheGuard) {
  ExprP r = node(ExprKind::Min, {i32(7), v("r")}, kI32), asked = atMost(i32(0), r);
  StmtP inner = forLoop("k", kI32, i32(0), atMost(v("k"), r), i32(1), block({update()}));
  StmtP outer = forLoop("x", kI32, node(ExprKind::Max, {i32(0), v("p")}, kI32),
                        atMost(v("x"), node(ExprKind::Min, {i32(3), v("q")}, kI32)), i32(1),
                        block({keepStmt(asked, {at("a", {v("i")})}, inner)}));
  StmtP found;
  walkStmts(withShortLoops(outer), [&](const StmtP &s) {
    found = s->kind == StmtKind::Keep ? s : found;
    EXPECT_TRUE(s->kind != StmtKind::If || mentions(s->exprs[0], "k"));
  });
  ASSERT_TRUE(found);
  EXPECT_EQ(print(found->exprs[0]), "(((x >= p) && (x <= q)) && (0 <= min(7, r)))");
  EXPECT_EQ(wrong(found), "");
  EXPECT_EQ(withoutKeeps(found)->kind, StmtKind::If); // it asks more than whether the loop runs
}

TEST(Keep, LoweringMakesThemAndTheyPass) {
  for (const Region &r : {rows(i32(0), v("m")), rows(i32(0), i32(9)), shortRows()}) {
    Lowered one(r);
    EXPECT_TRUE(one.keep());
    EXPECT_EQ(textOf(one.findings()), "");
  }
}

// Each change of what the nodes have become is another program, or not told from one.
TEST(Keep, BentRegistersAreSeen) {
  int all = 0;
  for (const Region &r : {rows(i32(0), v("m")), rows(i32(0), i32(9)), shortRows()}) {
    Lowered one(r);
    for (const Kernel &k : one.kernels.kernels) {
      StmtP code = withKeptRegisters(k).body;
      EXPECT_EQ(wrongRegisters(k, code), "");
      mutation::bend(code, [&](const StmtP &bent, const std::string &what) {
        all++;
        EXPECT_NE(wrongRegisters(k, bent), "") << what;
      });
    }
  }
  EXPECT_GT(all, 100);
}

// Bends that change more than one position.
TEST(Keep, OtherRegistersAreSeen) {
  Kernel k;
  k.body = keepStmt(runs(), {at("a", {v("i")}), at("c", {v("i")})},
                    overK({update(), assign(at("c", {v("i")}), at("a", {v("i")}))}));
  StmtP code = withKeptRegisters(k).body;
  EXPECT_EQ(wrongRegisters(k, code), "");
  auto named = [&](const StmtP &s, const std::function<std::string(const std::string &)> &name) {
    StmtP changed = rewriteExprs(s, [&](const ExprP &e) {
      return e->kind == ExprKind::Var ? var(name(e->name), e->type) : e;
    });
    return rewritten(changed, [&](const StmtP &x) {
      auto copy = std::make_shared<Stmt>(*x);
      copy->name = name(x->name);
      return StmtP(copy);
    });
  };
  auto to = [](const char *from, const char *to) {
    return [=](const std::string &name) { return name == from ? std::string(to) : name; };
  };
  EXPECT_EQ(wrongRegisters(k, named(code, to("a_kept", "x"))), ""); // any name that is free
  for (const char *taken : {"a", "i", "k", "m", "c_kept"})
    EXPECT_NE(wrongRegisters(k, named(code, to("a_kept", taken))), "") << taken;
  EXPECT_NE(wrongRegisters(k, named(code, to("a", "b"))), "");
  EXPECT_NE(wrongRegisters(k, k.body), "");
  EXPECT_NE(wrongRegisters(k, withoutKeeps(k.body)), "");
}

// An element that is kept against the rules is not what it was: the interpreter sees it, too.
TEST(Keep, WrongNodesComputeSomethingElse) {
  Lowered one(rows(i32(0), v("m")));
  for (Kernel &k : one.kernels.kernels)
    k.body = rewritten(k.body, [](const StmtP &s) {
      if (s->kind != StmtKind::Keep)
        return s;
      auto copy = std::make_shared<Stmt>(*s);
      copy->exprs[0] = i32(0);
      return StmtP(copy);
    });
  EXPECT_FALSE(one.findings().empty());
  SampleInput input;
  input.scalars = {{"n", 3}, {"m", 4}};
  RunResult original = runOriginal(one.program.region, input, {}),
            made = runKernels(one.program, one.kernels, input, {});
  EXPECT_FALSE(compareRuns(one.program.region, original, made).empty());
}

} // namespace nw::testing
