// Rows in phases: which steps have them, where their barriers are, and that the verifier sees what
// is bent, for all sizes.
#include "plan/phases.h"
#include "block_reduction_kernels.h"
#include "verify/interpreter/sampled.h"
#include "verify/verify.h"

namespace nw::testing {

namespace {

Region rows(std::vector<StmtP> ofRow) {
  Region r =
      local(regionOf({loop("i", i32(0), v("n"), std::move(ofRow))},
                     {scalar("n"), scalar("m"), scalar("i"), scalar("j"), scalar("s"), scalar("d"),
                      pointer("A", kI32, {v("m")}), pointer("B", kI32, {v("m")}), pointer("y")}));
  for (const char *name : {"s", "d"}) {
    r.variables[name].storage = Storage::Local;
    r.variables[name].liveAfter = r.variables[name].addressKnown = false;
  }
  return r;
}

ExprP a() { return at("A", {v("i"), v("j")}); }
ExprP b() { return at("B", {v("i"), v("j")}); }
StmtP overRow(std::vector<StmtP> body) { return loop("j", i32(0), v("m"), std::move(body)); }
StmtP summed(const ExprP &e) { return assign(v("s"), op("+", v("s"), e)); }

// s = 0; for j: s += A[i][j]; for j: B[i][j] = A[i][j] * s
Region scaledBySum() {
  return rows({assign(v("s"), i32(0)), overRow({summed(a())}),
               overRow({assign(b(), op("*", a(), v("s")))})});
}

// The sum of squares of a variable that each iteration has for itself.
Region withOwn() {
  return rows({assign(v("s"), i32(0)),
               overRow({assign(v("d"), op("-", a(), v("n"))), summed(op("*", v("d"), v("d")))}),
               overRow({assign(b(), op("*", a(), v("s")))})});
}

bool isBarrier(const StmtP &s) { return s->kind == StmtKind::Barrier; }
bool isByFirst(const StmtP &s) {
  return s->kind == StmtKind::If && s->body[0]->kind == StmtKind::Assign &&
         mentions(s->body[0]->exprs[1], "nw_reduced");
}

// By blocks that have a row each, and by blocks that have several.
constexpr size_t kOfBlock = 1, kOfWarps = 3, kForms[] = {kOfBlock, kOfWarps};
Lowered inForm(const Region &r, size_t form) { return Lowered(r, commonDevice(), {}, false, form); }

const BlockReductionParts *phasesOf(const Lowered &l) {
  for (const StepFacts &f : l.facts)
    if (f.reduction && f.reduction->inPhases)
      return &*f.reduction;
  return nullptr;
}

} // namespace

TEST(Phases, ARowIsABlocks) {
  for (const Region &r : {scaledBySum(), withOwn()}) {
    Lowered l = inForm(r, kOfBlock);
    const BlockReductionParts *parts = phasesOf(l);
    ASSERT_TRUE(parts);
    EXPECT_EQ(parts->shared, std::set<std::string>{"s_p"});
    ASSERT_TRUE(l.blockReduction());
    EXPECT_EQ(l.blockReduction()->block, (std::array<int, 3>{256, 1, 1}));
    EXPECT_EQ(textOf(provedFindings(l.program, l.kernels)), "");
    EXPECT_TRUE(verifyKernels(l.program, l.kernels, l.device).empty());
  }
}

TEST(Phases, AShortRowIsAWarps) {
  for (const Region &r : {scaledBySum(), withOwn()}) {
    Lowered l = inForm(r, kOfWarps);
    ASSERT_TRUE(l.blockReduction());
    EXPECT_EQ(l.blockReduction()->block, (std::array<int, 3>{32, 8, 1}));
    int many = 0;
    walkStmts(l.blockReduction()->body, [&](const StmtP &s) {
      many += s->kind == StmtKind::Shared;
      if (s->kind == StmtKind::Shared)
        EXPECT_EQ(s->extents, std::vector<int64_t>{8}) << s->name;
    });
    EXPECT_EQ(many, 1);
    EXPECT_EQ(textOf(provedFindings(l.program, l.kernels)), "");
    EXPECT_TRUE(verifyKernels(l.program, l.kernels, l.device).empty());
  }
}

TEST(Phases, FormsAreForLengthsOfRows) {
  auto formsOn = [](DeviceSpec device) {
    std::vector<std::vector<int>> forms;
    for (const KernelPlan &k : Lowered(scaledBySum(), device).plan.kernels)
      for (const BlockReductionPlan &b : k.blockReductions)
        forms.push_back({b.block[0], b.block[1], b.profitableFrom});
    return forms;
  };
  using Forms = std::vector<std::vector<int>>;
  DeviceSpec d = commonDevice();
  Forms all{{1024, 1, 8192}, {256, 1, 2048}, {64, 4, 512}, {32, 8, 32}};
  EXPECT_EQ(formsOn(d), all);
  d.sharedBytes = 1100; // of which a block of 256 threads takes 1028, and a row of 32 132
  EXPECT_EQ(formsOn(d), (Forms{{256, 1, 2048}, {64, 4, 512}, {32, 8, 32}}));
  d.sharedBytes = 600;
  EXPECT_EQ(formsOn(d), (Forms{{64, 2, 512}, {32, 4, 32}}));
  d.sharedBytes = 100;
  EXPECT_EQ(formsOn(d), Forms{});
  d = commonDevice();
  d.blockThreads = d.preferredBlock = 32;
  EXPECT_EQ(formsOn(d), (Forms{{32, 1, 32}}));
}

// Each form is run on samples, although all of them are right for all sizes.
TEST(Phases, EachFormIsRun) {
  Lowered l(scaledBySum());
  EXPECT_EQ(selectionsOf(l.kernels.host).size(), 5u);
  EXPECT_TRUE(checkSamples(l.program, l.kernels, l.device).empty());
  int forms = 0;
  for (size_t n = 0; n < l.kernels.kernels.size(); n++) {
    Kernels bent = l.kernels;
    Kernel &k = bent.kernels[n];
    if (!hasReductions(k.body))
      continue;
    EXPECT_EQ(k.reduction, forms++);
    k.body = rewritten(k.body, [](const StmtP &s) {
      return isSharedLoop(s)
                 ? changed(s, [](Stmt &x) { x.loop.start = op("+", x.loop.start, i32(1)); })
                 : s;
    });
    EXPECT_FALSE(checkSamples(l.program, bent, l.device).empty()) << k.name;
  }
  EXPECT_EQ(forms, 4);
}

// The variable that the rows of a block have each for itself.
TEST(Phases, VariablesOfOtherRowsAreSeen) {
  Lowered l = inForm(scaledBySum(), kOfWarps);
  ASSERT_TRUE(l.blockReduction());
  auto rowsBent = [&](const std::function<ExprP(const ExprP &)> &change, int64_t extent) {
    Kernels bent = l.kernels;
    for (Kernel &k : bent.kernels)
      if (hasReductions(k.body))
        k.body = rewriteExprs(
            rewritten(k.body,
                      [&](const StmtP &s) {
                        return s->kind == StmtKind::Shared
                                   ? changed(s, [&](Stmt &x) { x.extents = {extent}; })
                                   : s;
                      }),
            [&](const ExprP &e) {
              return e->kind == ExprKind::Index && isVar(e->args[0], "s_p") ? change(e) : e;
            });
    return provedFindings(l.program, bent).size();
  };
  auto atRow = [](const ExprP &number) {
    return [number](const ExprP &e) { return index(e->args[0], number, e->type); };
  };
  auto coordinate = [](const char *name) { return node(ExprKind::Builtin, {}, kI32, name); };
  EXPECT_EQ(rowsBent([](const ExprP &e) { return e; }, 8), 0u);
  EXPECT_GT(rowsBent([](const ExprP &e) { return e; }, 7), 0u);
  EXPECT_GT(rowsBent(atRow(i32(0)), 8), 0u) << "one for all rows";
  EXPECT_GT(rowsBent(atRow(coordinate("local.x")), 8), 0u);
  EXPECT_GT(rowsBent(atRow(op("+", coordinate("local.y"), i32(1))), 8), 0u);
  int uses = 0; // by one use of several
  EXPECT_GT(rowsBent([&](const ExprP &e) { return uses++ ? e : atRow(i32(0))(e); }, 8), 0u);
}

TEST(Phases, BarriersAreWhereThreadsMeet) {
  Lowered l(scaledBySum());
  ASSERT_TRUE(phasesOf(l));
  std::vector<bool> waits;
  for (const BlockReductionPiece &piece : phasesOf(l)->pieces)
    waits.push_back(piece.waits);
  EXPECT_EQ(waits, (std::vector<bool>{false, false, true}));
}

TEST(Phases, LoopsWhoseIterationsDependStayInOrder) {
  ExprP before = at("B", {v("i"), op("-", v("j"), i32(1))});
  for (const StmtP &second :
       {loop("j", i32(1), v("m"), {assign(b(), op("+", before, v("s")))}),
        overRow({summed(a()), assign(b(), v("s"))})}) { // a value carried on, a sum so far
    Lowered l(rows({assign(v("s"), i32(0)), overRow({summed(a())}), second}));
    EXPECT_FALSE(phasesOf(l));
  }
}

static void expectBentIsSeen(size_t form) {
  Lowered l = inForm(scaledBySum(), form);
  ASSERT_TRUE(l.blockReduction());
  EXPECT_GT(l.bent([](const StmtP &s) { return isBarrier(s) ? block({}) : s; }, "order"), 0u);
  EXPECT_GT(l.bent([](const StmtP &s) {
    return isBarrier(s) ? ifElse(less(v("n"), i32(100000)), block({s})) : s;
  }),
            0u)
      << "not for all sizes";
  EXPECT_GT(l.bent([](const StmtP &s) {
    return isBarrier(s)
               ? ifElse(less(node(ExprKind::Builtin, {}, kI32, "local.x"), i32(7)), block({s}))
               : s;
  }),
            0u)
      << "not for all threads";
  EXPECT_GT(l.bent(
                [](const StmtP &s) {
                  return s->kind == StmtKind::Shared && s->name == "s_p"
                             ? changed(s, [](Stmt &x) { x.kind = StmtKind::Declare; })
                             : s;
                },
                "locals"),
            0u)
      << "a variable of each thread";
  EXPECT_GT(l.bent([](const StmtP &s) {
    return isSharedLoop(s) ? changed(s, [](Stmt &x) { x.loop.step *= 2; }) : s;
  }),
            0u);
  EXPECT_GT(l.bent([](const StmtP &s) { return isByFirst(s) ? s->body[0] : s; }), 0u)
      << "by all threads";
}

TEST(Phases, WhatIsBentIsSeen) {
  for (size_t form : kForms)
    expectBentIsSeen(form);
}

// What the kernel becomes with another declaration of the variable, in front of all.
static std::vector<Finding> declaredAs(const Lowered &l, const std::string &name,
                                       const std::function<void(Stmt &)> &change) {
  Kernels bent = l.kernels;
  for (Kernel &k : bent.kernels)
    if (hasReductions(k.body)) {
      std::vector<StmtP> body;
      for (const StmtP &s : k.body->body)
        if (bool is = s->kind == StmtKind::Declare || s->kind == StmtKind::Shared;
            is && s->name == name)
          body.insert(body.begin(), changed(s, change));
        else
          body.push_back(s);
      EXPECT_EQ(body[0]->name, name);
      k.body = block(body);
    }
  return provedFindings(l.program, bent);
}

TEST(Phases, AVariableOfAThreadThatIsSharedIsSeen) {
  Lowered l = inForm(withOwn(), kOfBlock);
  ASSERT_TRUE(l.blockReduction());
  std::vector<Finding> found = declaredAs(l, "d_p", [](Stmt &x) { x.kind = StmtKind::Shared; });
  EXPECT_TRUE(std::any_of(found.begin(), found.end(),
                          [](const Finding &f) { return f.check == "locals"; }));
  auto inside = [](const StmtP &s) { // of the first loop
    if (!isSharedLoop(s) || !mentions(s, "d_p"))
      return s;
    auto own = changed(declare("d_p", kI32, {}, {}), [](Stmt &x) { x.kind = StmtKind::Shared; });
    return changed(s, [&](Stmt &x) { x.body[0] = block({own, x.body[0]}); });
  };
  EXPECT_GT(l.bent([&](const StmtP &s) {
    return s->kind == StmtKind::Declare && s->name == "d_p" ? block({}) : inside(s);
  }),
            0u);
}

TEST(Phases, VariablesOfOtherTypesAreSeen) {
  Lowered l = inForm(withOwn(), kOfBlock);
  ASSERT_TRUE(l.blockReduction());
  for (const char *name : {"s_p", "d_p"})
    EXPECT_FALSE(declaredAs(l, name, [](Stmt &x) { x.type = typeOf(Scalar::I8); }).empty());
  EXPECT_FALSE(declaredAs(l, "s_p", [](Stmt &x) { x.extents = {2}; }).empty());
  EXPECT_FALSE(declaredAs(l, "s_p", [](Stmt &x) { x.exprs = {i32(0)}; }).empty());
}

// s = 0; for j: s += A[i][j]; for k < 3: for j from k on: B[i][j] = B[i][j] * 3 + s, in a kernel by
// hand. Where threads begin at k, element j is another thread's in each turn.
TEST(Phases, ThreadsThatChangeFromTurnToTurnAreSeen) {
  ExprP element = at("B", {v("i"), v("l")}),
        isRow = op("&&", less(v("i"), v("n")), op(">=", v("m"), i32(1))),
        lane = node(ExprKind::Builtin, {}, kI32, "local.x"), isFirst = op("==", lane, i32(0));
  Region r = rows({assign(v("s"), i32(0)), overRow({summed(a())}),
                   loop("k", i32(0), i32(3),
                        {loop("l", v("k"), v("m"),
                              {assign(element, op("+", op("*", element, i32(3)), v("s")))})})});
  for (const char *name : {"k", "l"}) {
    r.variables[name] = scalar(name);
    r.variables[name].storage = Storage::Local;
  }
  Lowered l(r);
  ASSERT_EQ(l.kernels.kernels.size(), 1u);
  std::vector<StmtP> instances;
  walkStmts(l.kernels.kernels[0].body, [&](const StmtP &s) {
    if (s->isInstance())
      instances.push_back(s);
  });
  ASSERT_EQ(instances.size(), 3u);
  StmtP reducing = rewriteExprs(
      instances[1], [](const ExprP &e) { return isVar(e, "s_p") ? v("nw_reduced") : e; });
  std::string turn = instances[2]->values[1]->name, counter = instances[2]->values[2]->name;
  auto dealtOut = [&](const std::string &name, const ExprP &start, const StmtP &body) {
    return forLoop(name, kI32, start, binary("<=", v(name), op("-", v("m"), i32(1)), kI32),
                   intConst(256), body);
  };
  auto findings = [&](const ExprP &start) {
    Kernels made = l.kernels;
    StmtP asked = ifElse(op(">=", v(counter), v(turn)), block({instances[2]}));
    made.kernels[0].body = block(
        {changed(declare("s_p", kI32, {}, {}), [](Stmt &x) { x.kind = StmtKind::Shared; }),
         declare("i", kI32, {}, {node(ExprKind::Builtin, {}, kI32, "block.x")}),
         ifElse(op("&&", isFirst, less(v("i"), v("n"))), block({instances[0]})),
         declare("nw_reduced", kI32, {}, {i32(0)}),
         ifElse(isRow, dealtOut("j", lane, block({reducing}))),
         reduceStmt("nw_reduced", kI32, "+", 0),
         ifElse(op("&&", isFirst, isRow), assign(v("s_p"), op("+", v("s_p"), v("nw_reduced")))),
         marker(StmtKind::Barrier),
         ifElse(isRow, forLoop(turn, kI32, i32(0), binary("<=", v(turn), i32(2), kI32), intConst(1),
                               block({dealtOut(counter, start, asked)})))});
    made.kernels[0].block = {256, 1, 1};
    std::function<void(HostStep &)> launch = [&](HostStep &h) {
      if (h.kernel == 0)
        h.threads[0] = binary("*", cast(v("n"), kI64), intConst(256), kI64);
      forEachPart(h, launch);
    };
    launch(made.host);
    return textOf(provedFindings(l.program, made));
  };
  EXPECT_EQ(findings(lane), "");
  EXPECT_NE(findings(op("+", v(turn), lane)), "");
}

} // namespace nw::testing
