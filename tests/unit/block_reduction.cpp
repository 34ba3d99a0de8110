// Reductions that threads share out: which steps have them, what becomes of them, and that the
// verifier sees what is bent, for all sizes.
#include "block_reduction_kernels.h"
#include "choices.h"
#include "support/diagnostics.h"
#include "verify/interpreter/interpreter.h"
#include "verify/verify.h"

namespace nw::testing {

TEST(BlockReduction, RowsAreSharedByNeighboursAndColumnsByRowsOfThreads) {
  Lowered rows(product("+", false)), columns(product("+", true));
  ASSERT_EQ(rows.plan.kernels[0].blockReductions.size(), 1u);
  ASSERT_EQ(columns.plan.kernels[0].blockReductions.size(), 1u);
  EXPECT_EQ(rows.plan.kernels[0].blockReductions[0].axis, ThreadAxis::X);
  EXPECT_EQ(columns.plan.kernels[0].blockReductions[0].axis, ThreadAxis::Y);
  for (const Lowered *l : {&rows, &columns}) {
    ASSERT_TRUE(l->blockReduction());
    EXPECT_TRUE(hasForm(l->kernels.host, KernelForm::BlockReduction));
    EXPECT_EQ(l->findings(), 0u);
    EXPECT_TRUE(verifyKernels(l->program, l->kernels, l->device).empty());
  }
}

TEST(BlockReduction, EveryOperatorThatReductionsPasses) {
  for (const char *op : {"-", "*", "&", "|", "^"}) {
    Lowered l(product(op, false));
    ASSERT_TRUE(l.blockReduction()) << op;
    EXPECT_TRUE(verifyKernels(l.program, l.kernels, l.device).empty()) << op;
  }
}

TEST(BlockReduction, StepsThatHaveNoSuchReductionStayAsTheyAre) {
  EXPECT_FALSE(Lowered(product("/", false)).blockReduction()); // no reduction
  ExprP y = at("y", {v("i")});
  StmtP writes = assign(at("A", {v("i"), v("j")}), at("x", {v("j")})),
        reduction = assign(y, op("+", y, at("A", {v("i"), v("j")})));
  Region both =
      local(regionOf({loop("i", i32(0), v("n"), {loop("j", i32(0), v("m"), {writes, reduction})})},
                     {scalar("n"), scalar("m"), scalar("i"), scalar("j"),
                      pointer("A", kI32, {v("m")}), pointer("x"), pointer("y")}));
  Lowered l(both);
  for (size_t k = 0; k < l.facts.size(); k++)
    EXPECT_TRUE(l.facts[k].statements.size() < 2 || l.plan.kernels[k].blockReductions.empty());
  DeviceSpec cpu = commonDevice();
  cpu.warp = 1;
  EXPECT_FALSE(Lowered(product("+", false), cpu).blockReduction());
  PlanOptions off;
  off.blockReduction = false;
  EXPECT_FALSE(Lowered(product("+", false), commonDevice(), off).blockReduction());
}

TEST(BlockReduction, AReductionThatIsBentIsSeen) {
  for (bool isTransposed : {false, true}) {
    Lowered l(product("+", isTransposed));
    ASSERT_TRUE(l.blockReduction());
    EXPECT_GT(l.bent([](const StmtP &s) { return isReduction(s) ? block({}) : s; }), 0u)
        << "dropped";
    EXPECT_GT(l.bent([](const StmtP &s) { return isReduction(s) ? block({s, s}) : s; }), 0u)
        << "twice";
    EXPECT_GT(l.bent([](const StmtP &s) {
      return isReduction(s) ? changed(s, [](Stmt &x) { x.collective.axis = 1 - x.collective.axis; })
                            : s;
    }),
              0u)
        << "axis";
    EXPECT_GT(l.bent(
                  [](const StmtP &s) {
                    return isReduction(s) ? changed(s, [](Stmt &x) { x.collective.op = "*"; }) : s;
                  },
                  "reductions"),
              0u)
        << "operator";
    EXPECT_GT(l.bent([](const StmtP &s) {
      return isReduction(s) ? ifElse(binary("<", v("i"), v("n"), kI32), s) : s;
    }),
              0u)
        << "not for all threads";
    EXPECT_GT(l.bent(
                  [](const StmtP &s) {
                    return s->kind == StmtKind::Declare && s->name == "nw_reduced"
                               ? changed(s, [](Stmt &x) { x.exprs = {i32(1)}; })
                               : s;
                  },
                  "reductions"),
              0u)
        << "start";
  }
}

TEST(BlockReduction, ALoopThatIsSharedOutWronglyIsSeen) {
  for (bool isTransposed : {false, true}) {
    Lowered l(product("+", isTransposed));
    EXPECT_GT(l.bent([](const StmtP &s) {
      return isSharedLoop(s) ? changed(s, [](Stmt &x) { x.loop.step /= 2; }) : s;
    }),
              0u)
        << "step";
    EXPECT_GT(l.bent([](const StmtP &s) {
      return isSharedLoop(s) ? changed(s, [](Stmt &x) { x.loop.step *= 2; }) : s;
    }),
              0u)
        << "step";
    EXPECT_GT(l.bent([](const StmtP &s) {
      return isSharedLoop(s) ? changed(s, [](Stmt &x) { x.loop.start = i32(0); }) : s;
    }),
              0u)
        << "start";
    EXPECT_GT(l.bent(
                  [](const StmtP &s) {
                    return isSharedLoop(s)
                               ? changed(s,
                                         [](Stmt &x) {
                                           x.loop.condition =
                                               binary("<", v("j"), op("-", v("m"), i32(1)), kI32);
                                         })
                               : s;
                  },
                  "cover"),
              0u)
        << "end";
    const char *other = isTransposed ? "local.x" : "local.y";
    EXPECT_GT(l.bent([&](const StmtP &s) {
      return isSharedLoop(s)
                 ? changed(
                       s, [&](Stmt &x) { x.loop.start = node(ExprKind::Builtin, {}, kI32, other); })
                 : s;
    }),
              0u)
        << "another axis";
  }
}

TEST(BlockReduction, AResultThatIsTakenWronglyIsSeen) {
  for (bool isTransposed : {false, true}) {
    Lowered l(product("+", isTransposed));
    EXPECT_GT(l.bent([](const StmtP &s) { return takesResult(s) ? block({}) : s; }), 0u)
        << "dropped";
    EXPECT_GT(l.bent([](const StmtP &s) { return takesResult(s) ? block({s, s}) : s; }), 0u)
        << "twice";
    EXPECT_GT(l.bent([](const StmtP &s) {
      return takesResult(s) ? changed(s, [](Stmt &x) { x.exprs[1] = v("nw_reduced"); }) : s;
    }),
              0u)
        << "not added";
    EXPECT_GT(l.bent([](const StmtP &s) {
      return takesResult(s)
                 ? rewriteExprs(s,
                                [](const ExprP &e) {
                                  return e->kind == ExprKind::Index
                                             ? index(e->args[0], op("+", e->args[1], i32(1)), kI32)
                                             : e;
                                })
                 : s;
    }),
              0u)
        << "neighbour";
    EXPECT_GT(l.bent([](const StmtP &s) { return guardsResult(s) ? s->body[0] : s; }), 0u)
        << "by all threads";
    EXPECT_GT(l.bent([](const StmtP &s) {
      return guardsResult(s)
                 ? changed(s,
                           [](Stmt &x) {
                             x.exprs[0] = binary("&&", x.exprs[0],
                                                 binary("<", i32(100000), v("n"), kI32), kI32);
                           })
                 : s;
    }),
              0u)
        << "not everywhere";
    EXPECT_GT(l.bent([](const StmtP &s) {
      return guardsResult(s) ? changed(s, [](Stmt &x) { x.exprs[0] = x.exprs[0]->args[0]; }) : s;
    }),
              0u)
        << "without its guard";
    // Before the reduction, the register holds a part only.
    EXPECT_GT(l.bent(
                  [](const StmtP &s) {
                    if (s->kind != StmtKind::Block || s->isInstance() || s->body.size() < 2)
                      return s;
                    for (size_t k = 0; k + 1 < s->body.size(); k++)
                      if (isReduction(s->body[k]))
                        return changed(s, [&](Stmt &x) { std::swap(x.body[k], x.body[k + 1]); });
                    return s;
                  },
                  "reductions"),
              0u)
        << "too early";
  }
}

// Columns of which several blocks share the reductions.
struct Split : Lowered {
  Split() : Lowered(product("+", true), commonDevice(), {}, true) {}
  HostStep &launches() { return alternativeOf(kernels.host, KernelForm::BlockReduction)->body; }
  Kernel &kernel(size_t n) { return kernels.kernels.at(size_t(launches().children.at(n).kernel)); }
  size_t after(const std::function<void(Split &)> &change) const {
    Split bent = *this;
    change(bent);
    return bent.findings();
  }
  size_t afterExprs(size_t n, const std::function<ExprP(const ExprP &)> &change) const {
    return after([&](Split &s) { s.kernel(n).body = rewriteExprs(s.kernel(n).body, change); });
  }
};

TEST(BlockReduction, BlocksThatShareAReductionLeavePartialResults) {
  Split split;
  ASSERT_EQ(split.plan.kernels[0].blockReductions[0].block.size(), 3u);
  ASSERT_EQ(split.launches().children.size(), 2u);
  EXPECT_EQ(split.findings(), 0u);
  EXPECT_TRUE(verifyKernels(split.program, split.kernels, split.device).empty());
  SampleInput input;
  RunLimits limits;
  limits.selection = {{KernelForm::BlockReduction}};
  limits.steps = 20000000;
  input.scalars = {{"n", 37}, {"m", 170}};
  RunResult original = runOriginal(split.program.region, input, limits),
            kernels = runKernels(split.program, split.kernels, input, limits);
  EXPECT_TRUE(kernels.findings.empty());
  EXPECT_TRUE(compareRuns(split.program.region, original, kernels).empty());
}

TEST(BlockReduction, PartialResultsThatAreLeftOrTakenWronglyAreSeen) {
  Split split;
  auto bend = [&](size_t n, const std::function<void(Stmt &)> &change) {
    return split.after([&](Split &s) {
      s.kernel(n).body = rewritten(s.kernel(n).body, [&](const StmtP &x) {
        return x->kind == StmtKind::Leave || x->kind == StmtKind::Take ? changed(x, change) : x;
      });
    });
  };
  EXPECT_GT(bend(0, [](Stmt &x) { x.collective.axis = 0; }), 0u);
  EXPECT_GT(bend(0, [](Stmt &x) { x.exprs[2] = op("+", x.exprs[2], intConst(1)); }), 0u);
  EXPECT_GT(bend(0, [](Stmt &x) { x.exprs[2] = node(ExprKind::Builtin, {}, kI64, "local.x"); }),
            0u);
  EXPECT_GT(bend(0, [](Stmt &x) { x.exprs[2] = node(ExprKind::Builtin, {}, kI64, "thread.y"); }),
            0u);
  EXPECT_GT(bend(0, [](Stmt &x) { x.exprs.resize(2); }), 0u);
  EXPECT_GT(bend(0, [](Stmt &x) { x.exprs[1] = i32(1); }), 0u);
  EXPECT_EQ(bend(1, [](Stmt &x) { x.collective.axis = 1; }), 0u); // blocks are one thread high
  EXPECT_GT(bend(1, [](Stmt &x) { x.collective.axis = kAllThreads; }), 0u);
  EXPECT_GT(bend(1, [](Stmt &x) { x.collective.op = "^"; }), 0u);
  EXPECT_GT(bend(1, [](Stmt &x) { x.exprs.resize(4); }), 0u);
  EXPECT_GT(bend(1, [](Stmt &x) { x.exprs[3] = i32(1); }), 0u);
  EXPECT_GT(bend(1, [](Stmt &x) { x.exprs[3] = i32(0); }), 0u);
  EXPECT_GT(bend(1, [](Stmt &x) { x.exprs[2] = intConst(16); }), 0u);
  for (bool isGuarded : {true, false}) // values of a row put together, left by one thread or by all
    EXPECT_GT(split.after([&](Split &s) {
      s.kernel(0).body = rewritten(s.kernel(0).body, [&](const StmtP &x) {
        if (!isGuarded && guardsResult(x))
          return ifElse(x->exprs[0]->args[1], x->body[0]);
        return isReduction(x) ? changed(x, [](Stmt &r) { r.collective.axis = 0; }) : x;
      });
    }),
              0u);
  EXPECT_GT(
      split.afterExprs(
          0, [&](const ExprP &e) { return isBuiltin(e, "threads.y") ? intConst(8, e->type) : e; }),
      0u);
  EXPECT_GT(split.afterExprs(0,
                             [&](const ExprP &e) {
                               return e->kind == ExprKind::Var && e->name == "nw_columns"
                                          ? op("-", e, intConst(1))
                                          : e;
                             }),
            0u);
  EXPECT_GT(split.afterExprs(1,
                             [&](const ExprP &e) {
                               return e->kind == ExprKind::Var && e->name == "nw_columns"
                                          ? op("-", e, intConst(1))
                                          : e;
                             }),
            0u);
  EXPECT_GT(split.afterExprs(1,
                             [&](const ExprP &e) {
                               return e->kind == ExprKind::Var && e->name == "nw_blocks"
                                          ? op("-", e, intConst(1))
                                          : e;
                             }),
            0u);
  auto parameter = [&](size_t kernel, const char *name,
                       const std::function<ExprP(const ExprP &)> &change) {
    return split.after([&](Split &s) {
      for (KernelParameter &q : s.kernel(kernel).parameters)
        if (q.name == name)
          q.value = change(q.value);
    });
  };
  auto more = [](const ExprP &e) { return binary("+", e, intConst(1), kI64); };
  EXPECT_GT(parameter(1, "nw_blocks", more), 0u);
  EXPECT_GT(parameter(1, "nw_columns", more), 0u);
  EXPECT_GT(parameter(0, "nw_columns", more), 0u);
  EXPECT_GT(split.after([](Split &s) { s.launches().children[0].limit[1]--; }), 0u);
  EXPECT_GT(split.after([](Split &s) { s.launches().children[0].limit[1] = 0; }), 0u);
  EXPECT_GT(split.after([](Split &s) {
    s.launches().children[0].threads[1] =
        binary("+", s.launches().children[0].threads[1], intConst(8), kI64);
  }),
            0u);
  EXPECT_GT(split.after([](Split &s) {
    s.launches().children[0].condition = binary("<", intConst(9, kI32), v("m"), kI32);
  }),
            0u);
  EXPECT_GT(
      split.after([](Split &s) { std::swap(s.launches().children[0], s.launches().children[1]); }),
      0u);
  EXPECT_GT(split.after([](Split &s) { s.launches().children.pop_back(); }), 0u);
  EXPECT_GT(
      split.after([](Split &s) { s.launches().children.push_back(s.launches().children[1]); }), 0u);
  EXPECT_GT(split.after([](Split &s) {
    for (Buffer &b : s.kernels.buffers)
      if (b.array.empty())
        b.high = binary("-", b.high, intConst(1), kI64);
  }),
            0u);
  auto gathering = [](const Change &change) {
    return [change](Split &s) { s.kernel(1).body = rewritten(s.kernel(1).body, change); };
  };
  auto isTaken = [](const StmtP &s) { return s->kind == StmtKind::Take; };
  EXPECT_GT(split.after(gathering([&](const StmtP &s) { return isTaken(s) ? block({}) : s; })), 0u);
  EXPECT_GT(split.after(gathering([&](const StmtP &s) { return isTaken(s) ? block({s, s}) : s; })),
            0u);
  EXPECT_GT(split.after(gathering([&](const StmtP &s) {
    return isTaken(s) ? block({s, assign(v("unknown"), i32(5))}) : s;
  })),
            0u);
}

TEST(BlockReduction, TheInterpreterReductionsLikeADevice) {
  for (bool isTransposed : {false, true}) {
    Lowered l(product("+", isTransposed));
    SampleInput input;
    RunLimits limits;
    limits.selection = {{KernelForm::BlockReduction}};
    limits.steps = 20000000;
    input.scalars = {{"n", 37}, {"m", 70}};
    RunResult original = runOriginal(l.program.region, input, limits),
              kernels = runKernels(l.program, l.kernels, input, limits);
    ASSERT_EQ(kernels.kind, RunResult::Kind::Finished);
    EXPECT_TRUE(kernels.findings.empty()) << kernels.findings[0].what;
    EXPECT_TRUE(compareRuns(l.program.region, original, kernels).empty());
  }
}

TEST(BlockReduction, StepsOfAReductionInSharedMemoryAndByExchanges) {
  StmtP body =
      block({declare("a", kF32, {}, {floatConst(0, kF32)}), reduceStmt("a", kF32, "+", 0)});
  auto count = [](const StmtP &s, StmtKind kind) {
    int many = 0;
    walkStmts(s, [&](const StmtP &x) { many += x->kind == kind; });
    return many;
  };
  EXPECT_EQ(count(withReductionSteps(body, {32, 4, 1}, 32), StmtKind::Barrier), 0);
  EXPECT_EQ(count(withReductionSteps(body, {32, 4, 1}, 1), StmtKind::Barrier), 7);
  EXPECT_EQ(count(withReductionSteps(body, {64, 4, 1}, 32), StmtKind::Shared), 1);
  EXPECT_EQ(reductionBytes(body, {32, 4, 1}), 512);
  // An exchange stands where all threads get to: not in one side of a choice.
  for (const char *op : {"<", ">", "+", "fmin"}) {
    StmtP steps = withReductionSteps(
        block({declare("a", kF32, {}, {floatConst(0, kF32)}), reduceStmt("a", kF32, op, 0)}),
        {32, 4, 1}, 32);
    int exchanges = 0;
    walkExprs(steps, [&](const ExprP &e) {
      exchanges += e->kind == ExprKind::Call && e->name == kExchange;
      if (e->kind == ExprKind::Select)
        walk(e, [&](const ExprP &x) {
          EXPECT_FALSE(x->kind == ExprKind::Call) << op;
          return true;
        });
      return true;
    });
    EXPECT_EQ(exchanges, 5) << op;
  }
}

TEST(BlockReduction, PlansAreReadAndRefused) {
  Lowered l(product("+", false));
  std::vector<Plan> again = fromJson(toJson({l.plan}));
  ASSERT_EQ(again[0].kernels[0].blockReductions.size(), 1u);
  EXPECT_EQ(again[0].kernels[0].blockReductions[0].profitableFrom,
            l.plan.kernels[0].blockReductions[0].profitableFrom);
  EXPECT_NO_THROW(adopt(l.plan, l.facts, again[0], l.device));
  again[0].kernels[0].blockReductions[0].lineAligned = false; // asks for more, see Lines
  auto refused = [&](const std::function<void(BlockReductionPlan &)> &change) {
    Plan given = again[0];
    change(given.kernels[0].blockReductions[0]);
    EXPECT_THROW(adopt(l.plan, l.facts, given, l.device), UserError);
  };
  refused([](BlockReductionPlan &s) { s.loop = "i"; });
  refused([](BlockReductionPlan &s) { s.block = {24, 2}; });
  refused([](BlockReductionPlan &s) { s.block = {32}; });
  refused([](BlockReductionPlan &s) { s.block = {32, 0}; });
  refused([](BlockReductionPlan &s) { s.block = {1024, 1024}; });
  refused([](BlockReductionPlan &s) { s.profitableFrom = -1; });
  refused([](BlockReductionPlan &s) { s.block = {32, 8, 4}; }); // along x: one block
  refused([](BlockReductionPlan &s) { s.axis = ThreadAxis::Y, s.block = {32, 8, 0}; });
  refused([](BlockReductionPlan &s) { s.axis = ThreadAxis::Y, s.block = {32, 8, 999}; });
  DeviceSpec narrow = l.device;
  narrow.gridLimit[1] = 3;
  Plan tall = again[0];
  tall.kernels[0].blockReductions[0].axis = ThreadAxis::Y;
  tall.kernels[0].blockReductions[0].block = {32, 8, 4};
  EXPECT_NO_THROW(adopt(l.plan, l.facts, tall, l.device));
  EXPECT_THROW(adopt(l.plan, l.facts, tall, narrow), UserError);
  Plan other = again[0];
  other.kernels[0].blockReductions[0].block = {32, 3}; // no power of two is needed across
  EXPECT_NO_THROW(adopt(l.plan, l.facts, other, l.device));
  other.kernels[0].blockReductions.clear();
  EXPECT_TRUE(adopt(l.plan, l.facts, other, l.device).kernels[0].blockReductions.empty());
}

} // namespace nw::testing
