// Reductions that begin at a line of memory: where rows begin, what becomes of it, and that the
// verifier sees what is bent, for all sizes.
#include "plan/lines.h"
#include "block_reduction_kernels.h"
#include "kernel/line_loop.h"
#include "support/diagnostics.h"
#include "verify/interpreter/interpreter.h"
#include "verify/verify.h"

namespace nw::testing {

namespace {

std::vector<Variable> variables(std::vector<ExprP> inner = {v("m")}) {
  return {scalar("n"),
          scalar("m"),
          scalar("i"),
          scalar("j"),
          pointer("A", kI32, inner),
          pointer("B", kI32, inner),
          pointer("x"),
          pointer("y")};
}

// for i < n: for first <= j < m: y[i] = y[i] + value.
Region reduced(const ExprP &value, const ExprP &first = i32(0),
               std::vector<ExprP> inner = {v("m")}) {
  ExprP y = at("y", {v("i")});
  return local(regionOf(
      {loop("i", i32(0), v("n"), {loop("j", first, v("m"), {assign(y, op("+", y, value))})})},
      variables(inner)));
}

ExprP longer() { return op("+", op("*", v("m"), i32(2)), i32(9)); } // than j gets
ExprP a() { return at("A", {v("i"), v("j")}); }

bool isOfLine(const StmtP &s) { return s->kind == StmtKind::For && s->loop.line.before; }

bool isBegun(const Lowered &l) {
  bool is = false;
  walkStmts(l.blockReduction()->body, [&](const StmtP &s) { is |= isOfLine(s); });
  EXPECT_EQ(is, l.plan.kernels[0].blockReductions[0].lineAligned);
  return is;
}

// Runs original and kernels side by side.
void expectSameResults(const Lowered &l, int64_t n, int64_t m) {
  SampleInput input;
  RunLimits limits;
  limits.selection = {{KernelForm::BlockReduction}};
  limits.steps = 20000000;
  input.scalars = {{"n", n}, {"m", m}};
  RunResult original = runOriginal(l.program.region, input, limits),
            kernels = runKernels(l.program, l.kernels, input, limits);
  ASSERT_EQ(kernels.kind, RunResult::Kind::Finished) << n << " " << m;
  EXPECT_TRUE(kernels.findings.empty()) << n << " " << m << ": " << kernels.findings[0].what;
  EXPECT_TRUE(compareRuns(l.program.region, original, kernels).empty()) << n << " " << m;
}

} // namespace

TEST(Lines, RowsThatBeginAnywhereAreTakenFromALineOn) {
  Lowered l(product("+", false));
  EXPECT_TRUE(isBegun(l));
  EXPECT_EQ(l.findings(), 0u);
  EXPECT_TRUE(verifyKernels(l.program, l.kernels, l.device).empty());
  int number = 0;
  for (const Region &r :
       {reduced(a()), reduced(op("*", a(), at("x", {v("j")}))),
        reduced(op("*", a(), at("B", {v("i"), v("j")}))),
        reduced(at("A", {op("+", v("i"), i32(1)), op("+", v("j"), i32(3))}), i32(0), {longer()}),
        reduced(op("*", a(), at("x", {op("+", v("i"), v("j"))}))), reduced(a(), v("i")),
        reduced(a(), i32(5)),
        reduced(at("A", {v("i"), op("+", v("j"), i32(9))}), i32(-9), {longer()}),
        reduced(a(), i32(0), {i32(33)}),
        reduced(at("x", {op("+", op("*", v("i"), v("m")), v("j"))}))}) {
    Lowered one(r);
    ASSERT_TRUE(one.blockReduction()) << number;
    EXPECT_TRUE(isBegun(one)) << number;
    EXPECT_TRUE(verifyKernels(one.program, one.kernels, one.device).empty()) << number;
    number++;
  }
}

TEST(Lines, OtherRowsAreTakenFromTheirFirstElementOn) {
  auto expectPlain = [](const Region &r, const std::string &why) {
    Lowered l(r);
    ASSERT_TRUE(l.blockReduction()) << why;
    EXPECT_FALSE(isBegun(l)) << why;
    EXPECT_NE(l.facts[0].whyNotLineAligned.find(why), std::string::npos)
        << l.facts[0].whyNotLineAligned;
  };
  expectPlain(reduced(at("x", {v("j")})),
              "no access moves by one element with j in a row that belongs to one i");
  expectPlain(reduced(at("x", {op("+", v("i"), v("j"))})), "no access moves");
  expectPlain(reduced(at("A", {v("j"), v("i")})), "no access moves");
  expectPlain(reduced(at("A", {v("i"), op("*", i32(2), v("j"))}), i32(0), {longer()}),
              "no access moves");
  expectPlain(reduced(at("A", {v("i"), op("-", v("m"), v("j"))}), i32(0), {longer()}),
              "no access moves");
  expectPlain(reduced(at("A", {op("+", v("i"), v("j")), v("j")})), "no access moves");
  expectPlain(reduced(op("*", a(), at("A", {v("i"), op("+", v("j"), i32(1))})), i32(0), {longer()}),
              "rows of A and A begin at different offsets");
  expectPlain(reduced(a(), i32(0), {i32(64)}), "rows of A begin at the same offset in a line");
  expectPlain(reduced(a(), i32(5), {i32(64)}), "rows of A begin at the same offset in a line");
  EXPECT_TRUE(isBegun(Lowered(reduced(a(), v("i"), {i32(64)})))); // a triangle
  EXPECT_FALSE(isBegun(Lowered(reduced(a(), op("*", i32(32), v("i")), {i32(64)}))));
  DeviceSpec narrow = commonDevice();
  narrow.warp = 16;
  Lowered l(reduced(a()), narrow);
  ASSERT_TRUE(l.blockReduction());
  EXPECT_FALSE(isBegun(l));
  EXPECT_EQ(l.facts[0].whyNotLineAligned, "");
}

TEST(Lines, EveryElementIsTakenOnce) {
  for (const Region &r :
       {product("+", false), product("*", false), reduced(a(), i32(5)), reduced(a(), v("i")),
        reduced(at("A", {v("i"), op("+", v("j"), i32(40))}), i32(-40),
                {op("+", v("m"), i32(47))})}) {
    Lowered l(r);
    ASSERT_TRUE(isBegun(l));
    for (int64_t m : {1, 2, 31, 32, 33, 63, 64, 65, 97, 130})
      expectSameResults(l, 9, m);
    expectSameResults(l, 1, 31);
    expectSameResults(l, 33, 3);
    expectSameResults(l, 3, 0);
  }
}

TEST(Lines, TheSmallerTheLargerAndOtherTypes) {
  for (const Type &type : {kI32, kI64, kF32, kF64})
    for (const char *compared : {"<", ">", "+"}) {
      ExprP y = at("y", {v("i")}, type), e = at("A", {v("i"), v("j")}, type);
      StmtP reduction =
          assign(y, *compared == '+' ? binary("+", y, e, type)
                                     : select(binary(compared, e, y, kI32), e, y, type));
      Lowered l(
          local(regionOf({loop("i", i32(0), v("n"), {loop("j", i32(1), v("m"), {reduction})})},
                         {scalar("n"), scalar("m"), scalar("i"), scalar("j"),
                          pointer("A", type, {v("m")}), pointer("y", type)})));
      ASSERT_TRUE(l.blockReduction());
      EXPECT_TRUE(isBegun(l));
      EXPECT_TRUE(verifyKernels(l.program, l.kernels, l.device).empty());
      expectSameResults(l, 5, 71);
    }
}

TEST(Lines, ReductionsOfOneLoopShareABeginningAndThoseOfTwoHaveTheirOwn) {
  ExprP y = at("y", {v("i")}), z = at("z", {v("i")}), b = at("B", {v("i"), v("k")});
  std::vector<Variable> all = variables();
  all.push_back(pointer("z"));
  all.push_back(scalar("k"));
  StmtP one = assign(y, op("+", y, a())), other = assign(z, op("+", z, at("B", {v("i"), v("j")})));
  Region both =
      local(regionOf({loop("i", i32(0), v("n"), {loop("j", i32(0), v("m"), {one, other})})}, all));
  Region two = local(regionOf({loop("i", i32(0), v("n"),
                                    {loop("j", i32(0), v("m"), {one}), assign(at("x", {v("i")}), y),
                                     loop("k", i32(0), v("m"), {assign(z, op("+", z, b))})})},
                              all));
  two.variables["k"].storage = Storage::Local;
  both.variables["k"].storage = Storage::Local;
  for (const auto &[r, many] : {std::pair(both, 1), std::pair(two, 2)}) {
    Lowered l(r);
    ASSERT_TRUE(l.blockReduction());
    std::set<std::string> begins;
    walkStmts(l.blockReduction()->body, [&](const StmtP &s) {
      if (isOfLine(s))
        begins.insert(s->loop.line.begin);
    });
    EXPECT_EQ(int(begins.size()), many);
    EXPECT_TRUE(verifyKernels(l.program, l.kernels, l.device).empty());
    expectSameResults(l, 7, 75);
  }
}

TEST(Lines, ABeginningThatIsBentIsSeen) {
  for (const Region &r : {product("+", false), reduced(a(), i32(5)), reduced(a(), v("i"))}) {
    Lowered l(r);
    ASSERT_TRUE(isBegun(l));
    ASSERT_EQ(l.findings(), 0u);
    auto lane = [](const char *name, Type type) { return node(ExprKind::Builtin, {}, type, name); };
    auto bent = [&](const std::function<void(Loop &)> &change) {
      return l.bent([&](const StmtP &s) {
        return isOfLine(s) ? changed(s, [&](Stmt &x) { change(x.loop); }) : s;
      });
    };
    auto before = [&](const std::function<ExprP(const ExprP &)> &change) {
      return bent([&](Loop &x) { x.line.before = change(x.line.before); });
    };
    EXPECT_EQ(before([](const ExprP &e) { return e; }), 0u);
    for (const char *name : {"local.x", "thread.x"}) {
      EXPECT_GT(before([&](const ExprP &e) { return op("+", e, lane(name, kI64)); }), 0u)
          << "of the lane";
      EXPECT_GT(before([&](const ExprP &) { return lane(name, kI64); }), 0u) << "the lane";
    }
    EXPECT_GT(before([](const ExprP &) { return at("x", {v("i")}, kI64); }), 0u) << "of data";
    EXPECT_GT(before([](const ExprP &) { return cast(v("nw_reduced"), kI64); }), 0u)
        << "of a thread's own";
    EXPECT_GT(before([](const ExprP &e) { return cast(e, kF64); }), 0u) << "no integer";
    EXPECT_EQ(before([](const ExprP &e) { return op("+", e, intConst(1)); }), 0u)
        << "the same for all, so that each element is taken once";
    for (const char *name : {"", "i", "m", "A", "nw_reduced", "j"})
      EXPECT_GT(bent([&](Loop &x) { x.line.begin = name; }), 0u) << name << " is another's";
    EXPECT_GT(l.bent([](const StmtP &s) { return isOfLine(s) ? block({s, s}) : s; }), 0u)
        << "twice";
    EXPECT_GT(l.bent([&](const StmtP &s) {
      return isOfLine(s) ? block({assign(v("i"), op("+", v("i"), i32(0))), s}) : s;
    }),
              0u)
        << "of what changes";
  }
}

TEST(Lines, ALoopThatIsBentIsSeen) {
  for (const Region &r : {product("+", false), reduced(a(), i32(5)), reduced(a(), v("i"))}) {
    Lowered l(r);
    auto bent = [&](const std::function<void(Loop &)> &change) {
      return l.bent([&](const StmtP &s) {
        return isOfLine(s) ? changed(s, [&](Stmt &x) { change(x.loop); }) : s;
      });
    };
    auto lane = [](const char *name) { return node(ExprKind::Builtin, {}, kI32, name); };
    for (int64_t by : {-1, 1, 32})
      EXPECT_GT(bent([&](Loop &x) { x.start = op("+", x.start, i32(by)); }), 0u) << by;
    EXPECT_GT(bent([&](Loop &x) { x.start = op("+", i32(6), lane("local.x")); }), 0u) << "later";
    EXPECT_GT(bent([&](Loop &x) { x.start = lane("thread.x"); }), 0u) << "another number";
    EXPECT_GT(bent([&](Loop &x) { x.start = lane("local.y"); }), 0u) << "of rows";
    EXPECT_GT(bent([](Loop &x) { x.start = i32(0); }), 0u) << "the same for all";
    for (int64_t step : {1, 16, 31, 33, 64})
      EXPECT_GT(bent([&](Loop &x) { x.step = step; }), 0u) << step;
    EXPECT_GT(bent([](Loop &x) { x.stride = i32(32); }), 0u) << "stride";
    EXPECT_GT(bent([](Loop &x) {
                x.condition = binary("<", x.condition->args[0], x.condition->args[1], kI32);
              }),
              0u)
        << "end";
    EXPECT_GT(l.bent([](const StmtP &s) { return isOfLine(s) ? block({}) : s; }), 0u) << "left out";
    auto body = [&](const std::function<StmtP(const StmtP &)> &change) {
      return l.bent([&](const StmtP &s) {
        return isOfLine(s) ? changed(s, [&](Stmt &x) { x.body = {change(x.body[0])}; }) : s;
      });
    };
    EXPECT_EQ(body([](const StmtP &s) { return s; }), 0u);
    for (StmtKind leaving : {StmtKind::Break, StmtKind::Continue, StmtKind::Return})
      EXPECT_GT(body([&](const StmtP &s) { return block({s, marker(leaving)}); }), 0u) << "left";
    EXPECT_GT(body([](const StmtP &s) {
                return rewritten(s, [](const StmtP &x) {
                  return x->kind == StmtKind::Assign
                             ? changed(x, [](Stmt &y) { y.exprs[1] = y.exprs[1]->args[1]; })
                             : x;
                });
              }),
              0u)
        << "set";
    EXPECT_GT(body([](const StmtP &s) {
                return rewriteExprs(s, [](const ExprP &e) {
                  return e->kind == ExprKind::Index && e->args[0]->kind == ExprKind::Index
                             ? index(e->args[0], op("+", e->args[1], i32(1)), kI32)
                             : e;
                });
              }),
              0u)
        << "a neighbour";
    EXPECT_GT(body([](const StmtP &s) {
                return rewritten(s, [](const StmtP &x) {
                  return x->isInstance()
                             ? changed(x,
                                       [](Stmt &y) { y.values[0] = op("+", y.values[0], i32(1)); })
                             : x;
                });
              }),
              0u)
        << "another instance";
  }
}

// What becomes of it: thread 0 has the first value whose element begins a line, or one before it.
TEST(Lines, ThreadsBeginInTheLineOfTheFirstValue) {
  ExprP lane = node(ExprKind::Builtin, {}, kI32, "local.x");
  StmtP plain = forLoop("j", kI32, op("+", v("f"), lane), binary("<", v("j"), v("m"), kI32),
                        i32(32), assign(at("y", {v("j")}), v("j")));
  EXPECT_EQ(print(withFirstTurns(plain), 0), print(plain, 0));
  StmtP loop = changed(plain, [](Stmt &x) { x.loop.line = {v("e"), "b"}; });
  EXPECT_EQ(print(withFirstTurns(ifElse(v("c"), loop)), 0), R"(if (c) {
  int b = ((f + local.x) - (e & 31));
  if (((b >= f) && (b < m))) {
    y[b] = b;
  }
  for (int j = (b + 32); (j < m); j += 32) {
    y[j] = j;
  }
}
)");
}

TEST(Lines, PlansSayItAndAreRefused) {
  Lowered l(product("+", false));
  std::vector<Plan> again = fromJson(toJson({l.plan}));
  EXPECT_TRUE(again[0].kernels[0].blockReductions[0].lineAligned);
  EXPECT_NO_THROW(adopt(l.plan, l.facts, again[0], l.device));
  Plan given = again[0];
  given.kernels[0].blockReductions[0].lineAligned = false;
  EXPECT_FALSE(adopt(l.plan, l.facts, fromJson(toJson({given}))[0], l.device)
                   .kernels[0]
                   .blockReductions[0]
                   .lineAligned);
  auto reason = [](const Lowered &of,
                   const std::function<void(BlockReductionPlan &)> &change) -> std::string {
    Plan p = of.plan;
    p.kernels[0].blockReductions[0].lineAligned = true;
    change(p.kernels[0].blockReductions[0]);
    try {
      adopt(of.plan, of.facts, p, of.device);
    } catch (const UserError &e) {
      return e.message;
    }
    return "";
  };
  EXPECT_EQ(reason(l, [](BlockReductionPlan &) {}), "");
  EXPECT_NE(reason(l, [](BlockReductionPlan &s) { s.block = {16, 8}; })
                .find("for which 32 threads along x share it; it has 16 along x"),
            std::string::npos);
  EXPECT_NE(reason(l, [](BlockReductionPlan &s) { s.axis = ThreadAxis::Y, s.block = {8, 32}; })
                .find("it has 32 along y"),
            std::string::npos);
  EXPECT_NE(reason(Lowered(reduced(a(), i32(0), {i32(64)})), [](BlockReductionPlan &) {})
                .find("but rows of A begin at the same offset in a line"),
            std::string::npos);
  EXPECT_NE(reason(Lowered(reduced(at("x", {v("j")}))), [](BlockReductionPlan &) {})
                .find("but no access moves by one element"),
            std::string::npos);
  std::string text = toJson({l.plan});
  text.replace(text.find("\"lineAligned\": true"), 19, "\"lineAligned\": 1");
  EXPECT_THROW(fromJson(text), UserError);
}

} // namespace nw::testing
