// CUDA kernels as loops: which loops become of which indices, when a loop that goes on by as many
// threads as there are is one over the whole range, and what annotations say.
#include "frontend/cuda/thread_loops.h"
#include "build.h"
#include "frontend/cuda/annotations.h"
#include "frontend/cuda/counted_whiles.h"
#include "frontend/cuda/own_values.h"
#include "frontend/cuda/wrapping.h"
#include "ir/program.h"
#include "support/diagnostics.h"

namespace nw::testing {

namespace {

ExprP index_(const std::string &name) { return v(name, kU32); }
ExprP global() {
  return op("+", op("*", index_("blockIdx.x"), index_("blockDim.x")), index_("threadIdx.x"));
}
ExprP allThreads() { return op("*", index_("blockDim.x"), index_("gridDim.x")); }

Variable local(const std::string &name, Type type = kI32) {
  Variable x = scalar(name, type);
  x.storage = Storage::Local;
  return x;
}

std::map<std::string, Variable> variables() {
  std::map<std::string, Variable> all;
  for (const Variable &x :
       {scalar("n"), local("i"), local("j"), local("t"), pointer("a"), pointer("b")})
    all[x.name] = x;
  return all;
}

// for (i = START; i < n; i += STRIDE) body
StmtP strided(const std::string &counter, ExprP start, ExprP stride, std::vector<StmtP> body) {
  StmtP made = loop(counter, cast(start, kI32), v("n"), std::move(body));
  auto copy = std::make_shared<Stmt>(*made);
  copy->loop.stride = cast(stride, kI32);
  return copy;
}

ThreadLoops loopsOf(const StmtP &body, std::array<int64_t, 3> sizes = {0, 0, 0}) {
  std::map<std::string, Variable> all = variables();
  return threadLoops(body, sizes, {}, all, {});
}

std::string refusal(const StmtP &body) {
  try {
    loopsOf(body);
  } catch (const Diagnostic &d) {
    return d.message;
  }
  return "";
}

StmtP increment() { return assign(at("a", {v("i")}), op("+", at("a", {v("i")}), i32(1))); }

std::vector<std::string> counters(const StmtP &s) {
  std::vector<std::string> all;
  walkStmts(s, [&](const StmtP &x) {
    if (x->kind == StmtKind::For)
      all.push_back(x->loop.counter + " < " + print(x->loop.condition->args[1]));
  });
  return all;
}

} // namespace

TEST(ThreadLoops, ANumberAmongAllThreadsIsOneLoop) {
  ThreadLoops made = loopsOf(block({assign(at("a", {cast(global(), kI32)}), i32(1))}));
  EXPECT_EQ(counters(made.tree), std::vector<std::string>{"x < threads_x"});
  EXPECT_EQ(made.axes[0].threads, "threads_x");
  EXPECT_TRUE(made.axes[0].grid.empty() && made.axes[0].block.empty());
  EXPECT_TRUE(made.axes[1].isOneBlock && made.axes[1].isOneThread);
  EXPECT_EQ(made.tree->loop.promise, Promise::Independent);
}

TEST(ThreadLoops, BlocksAndThreadsByThemselvesAreTwo) {
  ThreadLoops made = loopsOf(block({assign(at("a", {cast(index_("threadIdx.x"), kI32)}),
                                           cast(index_("blockIdx.x"), kI32))}),
                             {64, 0, 0});
  EXPECT_EQ(counters(made.tree).size(), 2u);
  EXPECT_EQ(made.axes[0].grid, "grid_x");
}

TEST(ThreadLoops, StridesAreOneLoopOverTheRange) {
  ThreadLoops made = loopsOf(block({strided("i", global(), allThreads(), {increment()})}));
  EXPECT_EQ(counters(made.tree), std::vector<std::string>{"i < n"});
  EXPECT_TRUE(made.axes[0].threads.empty());
  walkStmts(made.tree, [](const StmtP &s) {
    EXPECT_TRUE(s->kind != StmtKind::For || (!s->loop.stride && s->loop.promise == Promise::None));
  });
}

TEST(ThreadLoops, StridesInsideOfTheSameStridesAreRefused) {
  StmtP inner = strided("j", index_("threadIdx.x"), index_("blockDim.x"),
                        {assign(at("a", {op("+", v("i"), v("j"))}), i32(1))});
  EXPECT_NE(refusal(block({strided("i", index_("threadIdx.x"), index_("blockDim.x"), {inner})}))
                .find("nested in another"),
            std::string::npos);
  EXPECT_EQ(refusal(block({strided("i", index_("blockIdx.x"), index_("gridDim.x"), {inner})})), "")
      << "rows for blocks, columns for their threads";
}

TEST(OwnValues, WhatGoesFromOneIterationToTheNextIsRefused) {
  auto kernel = [](std::vector<StmtP> body) {
    return block({assign(v("t"), i32(0)), strided("i", global(), allThreads(), std::move(body))});
  };
  EXPECT_NE(refusal(kernel({assign(v("t"), op("+", v("t"), i32(1))), increment()}))
                .find("'t' may carry a value"),
            std::string::npos);
  EXPECT_NE(refusal(block({strided("i", global(), allThreads(),
                                   {assign(at("a", {v("i")}), v("t")), assign(v("t"), i32(1))})}))
                .find("'t'"),
            std::string::npos)
      << "read before it is set";
  EXPECT_NE(refusal(block({strided("i", global(), allThreads(),
                                   {ifElse(less(v("i"), i32(4)), assign(v("t"), i32(1))),
                                    assign(at("a", {v("i")}), v("t"))})}))
                .find("'t'"),
            std::string::npos)
      << "set in one case";
  EXPECT_NE(refusal(block({strided("i", global(), allThreads(), {assign(v("t"), i32(1))}),
                           assign(at("a", {i32(0)}), v("t"))}))
                .find("'t'"),
            std::string::npos)
      << "read afterwards";
  auto leave = std::make_shared<Stmt>();
  leave->kind = StmtKind::Break;
  EXPECT_NE(refusal(block({strided("i", global(), allThreads(),
                                   {ifElse(less(v("i"), i32(4)), leave), increment()})}))
                .find("has a break"),
            std::string::npos);
}

TEST(OwnValues, WhatIsSetAnewIsDeclaredInTheLoop) {
  StmtP body =
      block({declare("t", kI32, {}, {}),
             strided("i", global(), allThreads(),
                     {ifElse(less(v("i"), i32(4)), assign(v("t"), i32(1)), assign(v("t"), i32(2))),
                      assign(at("a", {v("i")}), v("t"))})});
  ThreadLoops made = loopsOf(body);
  bool isInLoop = false;
  int many = 0;
  walkStmts(made.tree, [&](const StmtP &s) {
    many += s->kind == StmtKind::Declare;
    if (s->kind == StmtKind::For)
      walkStmts(
          s, [&](const StmtP &x) { isInLoop |= x->kind == StmtKind::Declare && x->name == "t"; });
  });
  EXPECT_TRUE(isInLoop);
  EXPECT_EQ(many, 1);
}

TEST(CountedWhiles, ThoseThatCountAreForLoops) {
  auto whileLoop = [](std::vector<StmtP> body) {
    auto made = std::make_shared<Stmt>();
    made->kind = StmtKind::While;
    made->exprs = {less(v("i"), v("n"))};
    made->body = {block(std::move(body))};
    return made;
  };
  StmtP begin = declare("i", kI32, {}, {cast(index_("index.x"), kI32)});
  StmtP step = assign(v("i"), cast(op("+", cast(v("i"), kU32), index_("threads.x")), kI32));
  auto isFor = [](const StmtP &code) {
    bool is = false;
    walkStmts(withCountedWhiles(code), [&](const StmtP &s) {
      is |= s->kind == StmtKind::For && s->loop.counter == "i" && s->loop.stride;
    });
    return is;
  };
  EXPECT_TRUE(isFor(block({begin, whileLoop({increment(), step})})));
  EXPECT_FALSE(isFor(block({begin, whileLoop({step, increment()})}))) << "the step is not the last";
  EXPECT_FALSE(
      isFor(block({begin, whileLoop({increment(), step}), assign(at("b", {i32(0)}), v("i"))})))
      << "read afterwards";
  EXPECT_FALSE(
      isFor(block({begin, whileLoop({increment(), ifElse(less(v("i"), i32(9)), step), step})})))
      << "two steps";
  EXPECT_FALSE(
      isFor(block({begin, whileLoop({increment(), assign(v("i"), op("+", v("i"), i32(2)))})})))
      << "no number of a launch";
  auto again = std::make_shared<Stmt>();
  again->kind = StmtKind::Continue;
  EXPECT_FALSE(
      isFor(block({begin, whileLoop({ifElse(less(v("i"), i32(9)), again), increment(), step})})))
      << "a continue goes without the step";
}

TEST(Annotations, BothFormsSayTheSame) {
  Annotations pragma = readAnnotations(
      "#pragma nestwarp kernel(threads=256, blocks_per_sm=3)\n#pragma nestwarp array(a[30][m])\n");
  Annotations paper = readAnnotations("void f() { __annotation(L\"__global__ 256 3\"); }\n");
  ASSERT_EQ(pragma.all.size(), 2u);
  ASSERT_EQ(paper.all.size(), 1u);
  EXPECT_EQ(pragma.all[0].kind, AnnotationKind::Kernel);
  EXPECT_EQ(pragma.all[0].numbers, (std::vector<int64_t>{256, 3}));
  EXPECT_EQ(paper.all[0].numbers, pragma.all[0].numbers);
  EXPECT_EQ(pragma.all[1].name, "a");
  EXPECT_EQ(pragma.all[1].names, (std::vector<std::string>{"", "m"}));
  EXPECT_EQ(paper.text.size(),
            std::string("void f() { __annotation(L\"__global__ 256 3\"); }\n").size())
      << "positions in the text stay";
  EXPECT_EQ(paper.text.find("__annotation"), std::string::npos);
  EXPECT_TRUE(
      readAnnotations(
          "// #pragma nestwarp kernel(threads=1)\nconst char *s = \"__annotation(L\\\"x\\\")\";\n")
          .all.empty())
      << "comments and strings";
  EXPECT_EQ(readAnnotations("#pragma nestwarp kernel(thread=1)\n").errors.size(), 1u);
}

TEST(Wrapping, SubscriptsWithoutASignAreWide) {
  NoWrap assumed;
  StmtP made = withWideSubscripts(
      assign(at("a", {op("*", v("n", kU32), cast(v("i"), kU32))}), i32(1)), variables(), assumed);
  const ExprP &subscript = made->exprs[0]->args[1];
  EXPECT_EQ(bitsOf(subscript->type.scalar), 64);
  EXPECT_EQ(assumed.lessThan31Bits, std::vector<std::string>{"a"});
}

} // namespace nw::testing
