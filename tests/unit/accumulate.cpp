// Sums that are accumulated in a variable: what the verifier accepts, and whether it sees a program
// in which one was made wrongly.
#include "poly/accumulate.h"
#include "build.h"
#include "frontend/affine/build_program.h"
#include "poly/schedule.h"
#include "verify/checks/kernel_checks.h"
#include "verify/rewriting/rewriting.h"

namespace nw::testing {

namespace {

const ExprP c = at("C", {v("i"), v("j")}, kF32),
            sum = binary(
                "+", c,
                binary("*", at("A", {v("i"), v("k")}, kF32), at("B", {v("k"), v("j")}, kF32), kF32),
                kF32);

// C[i][j] *= C[i][j]; C[i][j] += A[i][k] * B[k][j], with the loops in the order given.
Program product(const std::string &loops, const ExprP &value = sum,
                const std::vector<StmtP> &behind = {}) {
  StmtP inner = assign(c, value);
  for (size_t n = loops.size(); n-- > 0;) {
    std::vector<StmtP> body = {inner};
    if (n + 1 == loops.size())
      body.insert(body.end(), behind.begin(), behind.end());
    inner = loop(loops.substr(n, 1), i32(0), v("n"), body);
  }
  std::vector<Variable> variables = {scalar("n")};
  for (const char *name : {"A", "B", "C", "D"})
    variables.push_back(pointer(name, kF32, {v("n")}));
  for (const char *name : {"i", "j", "k"}) {
    variables.push_back(scalar(name));
    variables.back().storage = Storage::Local;
  }
  StmtP scale =
      loop("i", i32(0), v("n"), {loop("j", i32(0), v("n"), {assign(c, binary("*", c, c, kF32))})});
  return buildProgram(regionOf({scale, inner}, variables));
}

std::optional<ScalarReplaced> tried(const Program &p) {
  return accumulate(p, schedule(p, computeDependences(p), true),
                    [](const Step &, const Statement &) { return true; });
}

Program accumulated(const Program &p) {
  std::optional<ScalarReplaced> made = tried(p);
  EXPECT_TRUE(made.has_value());
  return made ? made->program : p;
}

Statement &in(Program &p, const std::string &name) {
  for (Statement &s : p.statements)
    if (s.name == name)
      return s;
  ADD_FAILURE() << "there is no " << name;
  return p.statements[0];
}

std::string said(const Program &p) {
  std::vector<Finding> all = checkRewriting(p);
  return all.empty() ? "" : all[0].check + ": " + all[0].what;
}

// What is said of the program after `bend`.
template <class Bend> std::string saidOf(const Bend &bend, const std::string &loops = "ikj") {
  Program p = accumulated(product(loops));
  bend(p);
  return said(p);
}

bool says(const std::string &text, const std::string &words) {
  return text.find("accumulation") == 0 && text.find(words) != std::string::npos;
}

} // namespace

#define EXPECT_SAID(words, ...) EXPECT_PRED2(says, std::string(__VA_ARGS__), std::string(words))

TEST(Accumulation, SumsInAnyOrderOfTheLoops) {
  for (const char *loops : {"ijk", "ikj", "kij", "jki"}) {
    Program q = product(loops), p = accumulated(q);
    EXPECT_EQ(said(p), "") << loops;
    EXPECT_TRUE(checkAccesses(p).empty()) << loops;
    EXPECT_EQ(p.statements.size(), q.statements.size() + 2) << loops;
    EXPECT_EQ(in(p, "S1").reduction->array, "C_sum") << loops;
  }
}

TEST(Accumulation, OrderThatIsNotFreeStays) {
  Program p = product("ikj");
  in(p, "S1").reduction.reset();
  EXPECT_FALSE(tried(p));
  // What was no reduction cannot have become one.
  Program q = product("ikj"), made = accumulated(q);
  in(q, "S1").reduction.reset();
  madeOf(made, q, Rewriting::Accumulation);
  EXPECT_SAID("no sum whose order is free", said(made));
}

TEST(Accumulation, ProductsAreNoSums) {
  EXPECT_FALSE(tried(product("ikj", binary("*", c, at("A", {v("i"), v("k")}, kF32), kF32))));
}

TEST(Accumulation, OthersMustNotTouchTheElementMeanwhile) {
  // D[i][j] = 1 inside of the loop over k; then, where that was not foreseen, D[i][j] = C[i][j].
  StmtP other = assign(at("D", {v("i"), v("j")}, kF32), floatConst(1, kF32)),
        use = assign(at("D", {v("i"), v("j")}, kF32), c);
  EXPECT_FALSE(tried(product("ijk", sum, {use})));
  Program then = product("ijk", sum, {other}), now = accumulated(then);
  for (Program *p : {&then, &now}) {
    Statement &s = in(*p, "S2");
    s.body = use;
    isl::map element = namedOutput(s.accesses[0].relation, "C");
    s.accesses.push_back({"C", element, false, true, false, {c}});
  }
  madeOf(now, then, Rewriting::Accumulation);
  EXPECT_SAID("touches the element meanwhile", said(now));
}

// Sums of one element may follow each other, but not run side by side.
TEST(Accumulation, ElementThatSeveralSumsHave) {
  const ExprP first = at("C", {i32(0), v("j")}, kF32);
  auto said0 = [&](const std::string &loops) {
    Program then = product(loops), now = accumulated(then);
    for (Program *p : {&then, &now})
      for (Statement &s : p->statements) {
        if (s.name == "S0")
          continue;
        s.body = rewriteExprs(s.body, [&](const ExprP &e) { return sameTree(e, c) ? first : e; });
        if (s.reduction && s.reduction->array == "C")
          s.reduction->target = first;
        for (Access &a : s.accesses)
          if (a.array == "C")
            a.relation = isl::manage(isl_map_fix_si(
                isl_map_drop_constraints_involving_dims(a.relation.copy(), isl_dim_out, 0, 1),
                isl_dim_out, 0, 0));
      }
    madeOf(now, then, Rewriting::Accumulation);
    return said(now);
  };
  EXPECT_EQ(said0("ijk"), "");
  EXPECT_SAID("touches the element meanwhile", said0("kij"));
}

TEST(Accumulation, SumThatDoesNotBeginWithZero) {
  EXPECT_SAID("does not begin with zero", saidOf([](Program &p) {
                Statement &s = in(p, "S1_first");
                s.body = assign(s.body->exprs[0], floatConst(1, kF32));
              }));
}

TEST(Accumulation, SumThatIsSubtractedOrSet) {
  EXPECT_SAID("not added to its element", saidOf([](Program &p) {
                Statement &s = in(p, "S1_last");
                s.body = assign(c, binary("-", c, s.body->exprs[1]->args[1], kF32));
              }));
  EXPECT_SAID("not added to its element", saidOf([](Program &p) {
                Statement &s = in(p, "S1_last");
                s.body = assign(c, s.body->exprs[1]->args[1]);
              }));
}

TEST(Accumulation, SumOfAnotherElement) {
  EXPECT_SAID(
      "differs in more", saidOf([](Program &p) {
        Statement &s = in(p, "S1_last");
        for (Access &a : s.accesses)
          if (a.array == "C")
            a.relation =
                isl::map(p.isl->get(), "{ S1_last[i, j] -> C[j, i] }").intersect_domain(s.domain);
      }));
}

TEST(Accumulation, SumThatBeginsOrEndsTooEarlyOrTooLate) {
  for (const char *end : {"S1_first", "S1_last"})
    EXPECT_SAID("goes on before it begins, or after it ends", saidOf([&](Program &p) {
                  Statement &s = in(p, end),
                            &other = in(p, end == std::string("S1_first") ? "S1_last" : "S1_first");
                  s.order = other.order;
                }));
}

TEST(Accumulation, SumOfFewerElements) {
  EXPECT_SAID("in the iterations that it has", saidOf([](Program &p) {
                Statement &s = in(p, "S1_last");
                isl::set less =
                    s.domain.intersect(isl::set(p.isl->get(), "{ S1_last[i, j] : i > 3 }"));
                s.domain = less;
                for (Access &a : s.accesses)
                  a.relation = a.relation.intersect_domain(less);
              }));
}

TEST(Accumulation, CodeThatChanged) {
  EXPECT_SAID("differs in more", saidOf([](Program &p) {
                Statement &s = in(p, "S1");
                s.body = assign(s.body->exprs[0], floatConst(2, kF32));
              }));
  EXPECT_SAID("other code",
              saidOf([](Program &p) { in(p, "S0").body = assign(c, floatConst(2, kF32)); }));
}

TEST(Accumulation, VariableThatIsLiveAfterwards) {
  EXPECT_SAID("its variable is not one of our own",
              saidOf([](Program &p) { p.arrays.at("C_sum").variable.liveAfter = true; }));
  EXPECT_SAID("its variable is not one of our own", saidOf([](Program &p) {
                Array &a = p.arrays.at("C_sum");
                a.privateLoops.push_back(in(p, "S1").loops[1]);
                a.privateDepth = 3;
              }));
}

TEST(Accumulation, StatementThatIsNew) {
  EXPECT_SAID("neither begin nor end a sum", saidOf([](Program &p) {
                Statement s = in(p, "S0");
                s.name = "S7";
                s.domain = named(s.domain, "S7");
                for (Access &a : s.accesses)
                  a.relation = namedInput(a.relation, "S7");
                s.order[0] += 1;
                p.statements.push_back(s);
              }));
}

} // namespace nw::testing
