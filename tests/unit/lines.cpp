// Reductions that begin at a line of memory: where rows begin, what becomes of it, and that the
// verifier sees what is bent, for all sizes.
#include "plan/lines.h"
#include "block_reduction_kernels.h"
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

bool isBegun(const Lowered &l) {
  bool is = false;
  walkStmts(l.blockReduction()->body,
            [&](const StmtP &s) { is |= s->kind == StmtKind::Declare && s->name == "nw_begin"; });
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

bool isBegin(const StmtP &s) { return s->kind == StmtKind::Declare && s->name == "nw_begin"; }
bool isFirstTurn(const StmtP &s) {
  return s->kind == StmtKind::If && mentions(s->exprs[0], "nw_begin");
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
    int begins = 0;
    walkStmts(l.blockReduction()->body, [&](const StmtP &s) {
      begins += s->kind == StmtKind::Declare && s->name.starts_with("nw_begin");
    });
    EXPECT_EQ(begins, many);
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
    // What is subtracted: (number & 31), as the kernel's own numbers.
    auto before = [&](const std::function<ExprP(const ExprP &)> &change) {
      return l.bent(
          [&](const StmtP &s) {
            return isBegin(s) ? changed(s,
                                        [&](Stmt &x) {
                                          x.exprs[0] =
                                              op("-", x.exprs[0]->args[0],
                                                 cast(change(x.exprs[0]->args[1]->args[0]), kI32));
                                        })
                              : s;
          },
          "positions");
    };
    EXPECT_EQ(before([](const ExprP &e) { return e; }), 0u);
    EXPECT_GT(before([](const ExprP &e) { return op("&", e->args[0], intConst(15)); }), 0u)
        << "half a line";
    EXPECT_GT(before([](const ExprP &e) { return op("&", e->args[0], intConst(63)); }), 0u)
        << "two lines";
    EXPECT_GT(before([](const ExprP &e) { return op("&", e->args[0], intConst(-1)); }), 0u)
        << "any";
    EXPECT_GT(before([](const ExprP &e) { return op("%", e->args[0], intConst(32)); }), 0u)
        << "may be negative";
    EXPECT_GT(before([](const ExprP &e) { return e->args[0]; }), 0u) << "no modulo";
    EXPECT_GT(before([](const ExprP &e) { return op("+", e, intConst(1)); }), 0u) << "beyond";
    for (const char *name : {"local.x", "thread.x"}) {
      EXPECT_GT(before([&](const ExprP &e) {
                  return op("&", op("+", e->args[0], lane(name, kI64)), intConst(31));
                }),
                0u)
          << "of the lane";
      EXPECT_GT(before([&](const ExprP &) { return op("&", lane(name, kI64), intConst(31)); }), 0u)
          << "the lane";
    }
    EXPECT_GT(before([](const ExprP &) { return op("&", at("x", {v("i")}, kI64), intConst(31)); }),
              0u)
        << "of data";
    EXPECT_GT(
        before([](const ExprP &) { return op("&", cast(v("nw_reduced"), kI64), intConst(31)); }),
        0u)
        << "of a thread's own";
    EXPECT_EQ(before([](const ExprP &e) {
                return op("&", op("+", e->args[0], intConst(1)), intConst(31));
              }),
              0u)
        << "the same for all, so that each element is taken once";
    EXPECT_GT(l.bent([&](const StmtP &s) {
      return isBegin(s) ? changed(s, [&](Stmt &x) { x.exprs[0] = op("+", x.exprs[0], i32(1)); })
                        : s;
    }),
              0u)
        << "one later";
    EXPECT_GT(l.bent([&](const StmtP &s) {
      return isBegin(s) ? changed(s,
                                  [&](Stmt &x) {
                                    x.exprs[0] = op("-", op("+", x.exprs[0]->args[0], i32(1)),
                                                    x.exprs[0]->args[1]);
                                  })
                        : s;
    }),
              0u)
        << "one later";
    EXPECT_GT(l.bent([&](const StmtP &s) {
      return isBegin(s) ? block({s, assign(v("i"), op("+", v("i"), i32(0)))}) : s;
    }),
              0u)
        << "of what changes";
  }
}

TEST(Lines, AFirstTurnThatIsBentIsSeen) {
  for (const Region &r : {product("+", false), reduced(a(), i32(5)), reduced(a(), v("i"))}) {
    Lowered l(r);
    auto turn = [&](const std::function<StmtP(const StmtP &)> &change) {
      return l.bent([&](const StmtP &s) { return isFirstTurn(s) ? change(s) : s; });
    };
    auto asking = [&](const std::function<ExprP(const ExprP &)> &change) {
      return turn([&](const StmtP &s) {
        return changed(s, [&](Stmt &x) { x.exprs[0] = change(x.exprs[0]); });
      });
    };
    EXPECT_EQ(asking([](const ExprP &e) { return e; }), 0u);
    EXPECT_GT(turn([](const StmtP &s) { return s->body[0]; }), 0u) << "not asked";
    EXPECT_GT(turn([](const StmtP &) { return block({}); }), 0u) << "left out";
    EXPECT_GT(turn([](const StmtP &s) { return block({s, s}); }), 0u) << "twice";
    EXPECT_GT(
        turn([](const StmtP &s) { return changed(s, [](Stmt &x) { x.isSpeculated = true; }); }), 0u)
        << "without waiting for the answer";
    EXPECT_GT(asking([](const ExprP &e) { return e->args[0]; }), 0u) << "not asked for the end";
    EXPECT_GT(asking([](const ExprP &e) { return e->args[1]; }), 0u)
        << "not asked for the beginning";
    EXPECT_GT(asking([](const ExprP &e) {
                return op("&&", binary(">", e->args[0]->args[0], e->args[0]->args[1], kI32),
                          e->args[1]);
              }),
              0u)
        << "one less";
    EXPECT_GT(asking([](const ExprP &e) {
                return op(
                    "&&",
                    binary(">=", e->args[0]->args[0], op("-", e->args[0]->args[1], i32(1)), kI32),
                    e->args[1]);
              }),
              0u)
        << "one before";
    EXPECT_GT(asking([](const ExprP &e) {
                return op("&&", e->args[0],
                          binary("<", e->args[1]->args[0], e->args[1]->args[1], kI32));
              }),
              0u)
        << "another end";
    EXPECT_GT(asking([](const ExprP &e) { return op("||", e->args[0], e->args[1]); }), 0u)
        << "either";
    // The register is set instead of added to, by threads outside of the row, too.
    auto set = [](const StmtP &s) {
      return rewritten(s, [](const StmtP &x) {
        return x->kind == StmtKind::Assign
                   ? changed(x, [](Stmt &y) { y.exprs[1] = y.exprs[1]->args[1]; })
                   : x;
      });
    };
    EXPECT_GT(turn([&](const StmtP &s) { return set(s->body[0]); }), 0u) << "set by all";
    EXPECT_GT(turn(set), 0u) << "set";
    EXPECT_GT(turn([](const StmtP &s) {
                return rewriteExprs(s, [](const ExprP &e) {
                  return e->kind == ExprKind::Index && e->args[0]->kind == ExprKind::Index
                             ? index(e->args[0], op("+", e->args[1], i32(1)), kI32)
                             : e;
                });
              }),
              0u)
        << "a neighbour";
    EXPECT_GT(turn([](const StmtP &s) {
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

TEST(Lines, ALoopAfterTheFirstTurnThatIsBentIsSeen) {
  for (const Region &r : {product("+", false), reduced(a(), i32(5)), reduced(a(), v("i"))}) {
    Lowered l(r);
    auto bent = [&](const std::function<void(Loop &)> &change) {
      return l.bent([&](const StmtP &s) {
        return isSharedLoop(s) ? changed(s, [&](Stmt &x) { change(x.loop); }) : s;
      });
    };
    for (int64_t by : {0, 16, 31, 33, 64})
      EXPECT_GT(bent([&](Loop &x) { x.start = op("+", v("nw_begin"), i32(by)); }), 0u) << by;
    EXPECT_GT(bent([](Loop &x) { x.start = v("nw_begin"); }), 0u) << "the first turn once more";
    EXPECT_GT(bent([](Loop &x) { x.start = node(ExprKind::Builtin, {}, kI32, "local.x"); }), 0u)
        << "from the first value on";
    EXPECT_GT(bent([](Loop &x) { x.step = 64; }), 0u) << "step";
    EXPECT_GT(bent([](Loop &x) { x.step = 16; }), 0u) << "step";
    EXPECT_GT(bent([](Loop &x) {
                x.condition = binary("<", x.condition->args[0], x.condition->args[1], kI32);
              }),
              0u)
        << "end";
    EXPECT_GT(l.bent([](const StmtP &s) { return isSharedLoop(s) ? block({}) : s; }), 0u)
        << "left out";
    EXPECT_GT(l.bent([](const StmtP &s) {
      return isSharedLoop(s) ? block({assign(v("nw_begin"), op("+", v("nw_begin"), i32(32))), s})
                             : s;
    }),
              0u)
        << "its beginning is changed";
    EXPECT_GT(l.bent([](const StmtP &s) {
      return isSharedLoop(s)
                 ? changed(s,
                           [](Stmt &x) { x.body = {block({x.body[0], marker(StmtKind::Break)})}; })
                 : s;
    }),
              0u)
        << "is left";
    // Both the first turn and the loop.
    EXPECT_GT(l.bent([](const StmtP &s) {
      return rewriteExprs(s, [](const ExprP &e) {
        return e->kind == ExprKind::Binary && e->name == "<="
                   ? binary("<", e->args[0], e->args[1], kI32)
                   : e;
      });
    }),
              0u)
        << "another end for both";
  }
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
