// Carried elements: what the verifier accepts, and whether it sees a program in which an element
// was carried wrongly.
#include "poly/scalar_replacement.h"
#include "build.h"
#include "frontend/affine/build_program.h"
#include "frontend/affine/reductions.h"
#include "poly/schedule.h"
#include "verify/checks/kernel_checks.h"
#include "verify/rewriting/rewriting.h"

namespace nw::testing {

namespace {

const ExprP i = v("i"), j = v("j"), k = v("k"), n = v("n");

ExprP t(const ExprP &row, const ExprP &column) { return at("t", {row, column}); }

Variable square(const std::string &name) {
  Variable x = pointer(name, kI32, {cast(n, kI64)});
  x.extents[0] = cast(n, kI64);
  return x;
}

const ExprP product = op("*", t(i, k), t(op("-", op("-", n, i32(2)), k), j)),
            sum = op("+", t(i, j), product);

// for i, for j from n - i on { for k from n - i to j: t[i][j] += t[i][k] * t[n - 2 - k][j]; s[i][j]
// = t[i][j]; }, whose rows are from the bottom of a triangle.
Program triangle(std::vector<Variable> more = {}, const ExprP &value = sum) {
  StmtP reduction = assign(t(i, j), value), use = assign(at("s", {i, j}), t(i, j));
  std::vector<Variable> variables = {square("t"), square("s"), scalar("n")};
  for (const char *counter : {"i", "j", "k"}) {
    variables.push_back(scalar(counter));
    variables.back().storage = Storage::Local;
  }
  variables.insert(variables.end(), more.begin(), more.end());
  return buildProgram(regionOf(
      {loop("i", i32(0), n,
            {loop("j", op("-", n, i), n, {loop("k", op("-", n, i), j, {reduction}), use})})},
      variables));
}

Program carried(const Program &p) {
  std::optional<ScalarReplaced> made =
      replaceScalars(p, schedule(p, computeDependences(p), true), findReduction);
  EXPECT_TRUE(made.has_value());
  return made ? made->program : p;
}

bool isAccepted(const Program &p) { return checkRewriting(p).empty() && checkAccesses(p).empty(); }

Statement &in(Program &p, const std::string &name) {
  for (Statement &s : p.statements)
    if (s.name == name)
      return s;
  ADD_FAILURE() << "there is no " << name;
  return p.statements[0];
}

Access &accessOf(Statement &s, const std::string &array) {
  for (Access &a : s.accesses)
    if (a.array == array)
      return a;
  ADD_FAILURE() << s.name << " does not touch " << array;
  return s.accesses[0];
}

void remove(Program &p, const std::string &name) {
  std::erase_if(p.statements, [&](const Statement &s) { return s.name == name; });
}

// What is said of the program, or nothing.
std::string said(const Program &p) {
  std::vector<Finding> all = checkRewriting(p);
  return all.empty() ? "" : all[0].check + ": " + all[0].what;
}

// What is said of the program after `bend`.
template <class Bend> std::string saidOf(const Bend &bend) {
  Program p = carried(triangle());
  bend(p);
  return said(p);
}

// The same change of the program before and of the carried one.
template <class Bend> std::string saidOfBoth(const Bend &bend) {
  Program then = triangle(), now = carried(then);
  bend(then);
  bend(now);
  madeOf(now, then, Rewriting::ScalarReplacement);
  return said(now);
}

// The element that a move touches, in its code and in its accesses.
void moveTo(Statement &s, const ExprP &element, const std::string &relation) {
  bool isLoad = s.body->exprs[0]->kind == ExprKind::Var;
  s.body = isLoad ? assign(s.body->exprs[0], element) : assign(element, s.body->exprs[1]);
  Access &a = accessOf(s, "t");
  a.relation = isl::map(a.relation.ctx(), relation).intersect_domain(s.domain);
  a.spellings = {element};
}

isl::map ofReduction(Program &p, const std::string &element) {
  return isl::map(p.isl->get(), "{ S0[i, j, k] -> " + element + " }")
      .intersect_domain(in(p, "S0").domain);
}

bool says(const std::string &text, const std::string &words) {
  return text.find(words) != std::string::npos;
}

const std::string kBetween = "touches the element between load and store";

} // namespace

#define EXPECT_SAID(words, ...) EXPECT_PRED2(says, std::string(__VA_ARGS__), std::string(words))

TEST(ScalarReplacement, ElementInAVariable) {
  Program q = triangle(), p = carried(q);
  EXPECT_EQ(said(p), "");
  EXPECT_TRUE(isAccepted(p));
  ASSERT_EQ(p.statements.size(), q.statements.size() + 2);
  EXPECT_TRUE(p.arrays.count("t_reduced"));
  ASSERT_TRUE(in(p, "S0").reduction.has_value());
  EXPECT_EQ(in(p, "S0").reduction->array, "t_reduced");
  in(p, "S0").reduction.reset(); // as where sums keep their order
  EXPECT_EQ(said(p), "");
}

// m >= x ? m : x reads the element once in any case, and once more under a condition.
TEST(ScalarReplacement, ElementReadUnderACondition) {
  Program p =
      carried(triangle({}, select(binary(">=", t(i, j), product, kI32), t(i, j), product, kI32)));
  EXPECT_EQ(said(p), "");
}

TEST(ScalarReplacement, NameThatNothingHas) {
  Program p = carried(triangle({scalar("t_reduced"), scalar("t_reduced_")}));
  EXPECT_TRUE(p.arrays.count("t_reduced__"));
  EXPECT_EQ(said(p), "");
}

TEST(ScalarReplacement, NameOfAFunction) {
  Program q = triangle();
  q.region.functions.emplace_back();
  q.region.functions.back().name = "t_reduced";
  Program p = carried(q);
  EXPECT_TRUE(p.arrays.count("t_reduced_"));
  EXPECT_EQ(said(p), "");
}

// ---- wrong programs ----

TEST(VerifyScalarReplacement, WrongElement) {
  EXPECT_SAID("do not move one element", saidOf([](Program &p) {
                moveTo(in(p, "S0_last"), t(j, i), "{ S0_last[i, j] -> t[j, i] }");
              }));
  EXPECT_SAID("goes to another element", saidOf([](Program &p) {
                moveTo(in(p, "S0_last"), t(i, j), "{ S0_last[i, j] -> t[j, i] }");
              }));
  EXPECT_SAID("differs in more than the variables", saidOf([](Program &p) {
                for (const char *move : {"S0_first", "S0_last"}) // both of them
                  moveTo(in(p, move), t(i, op("+", j, i32(1))),
                         std::string("{ ") + move + "[i, j] -> t[i, j + 1] }");
              }));
  EXPECT_SAID(
      "S0: an access touches other elements", saidOf([](Program &p) {
        for (const char *move : {"S0_first", "S0_last"}) // both, and the code says otherwise
          moveTo(in(p, move), t(i, j), std::string("{ ") + move + "[i, j] -> t[i, j + 1] }");
      }));
}

TEST(VerifyScalarReplacement, NoStoreOrNoLoad) {
  for (const char *move : {"S0_first", "S0_last"})
    EXPECT_SAID("not loaded, used and stored", saidOf([&](Program &p) { remove(p, move); }));
}

TEST(VerifyScalarReplacement, WrongInitialValue) {
  EXPECT_SAID("scalar-replacement", saidOf([](Program &p) {
                Statement &load = in(p, "S0_first");
                load.body = assign(load.body->exprs[0], i32(0));
              }));
  EXPECT_SAID("do not move one element", saidOf([](Program &p) {
                Statement &load = in(p, "S0_first");
                load.body = assign(load.body->exprs[0], at("s", {i, j}));
              }));
}

TEST(VerifyScalarReplacement, ElementIsReadMeanwhile) {
  EXPECT_SAID("S1 " + kBetween, saidOf([](Program &p) {
                in(p, "S0_last").order.back() = in(p, "S1").order.back() + 1;
              }));
  EXPECT_SAID("S1 " + kBetween, saidOf([](Program &p) {
                in(p, "S0_last").order = in(p, "S1").order;
              }));                                          // at the same time
  EXPECT_SAID("S0 " + kBetween, saidOfBoth([](Program &p) { // by the reduction itself
                for (Access &a : in(p, "S0").accesses)
                  if (a.relation.is_equal(ofReduction(p, "t[i, k]")))
                    a.relation = ofReduction(p, "t[i, k + 1]");
              }));
}

TEST(VerifyScalarReplacement, ElementIsWrittenMeanwhile) {
  EXPECT_SAID("S1 " + kBetween, saidOfBoth([](Program &p) {
                accessOf(in(p, "S1"), "t").isWrite = true;
                if (p.find("S0_last"))
                  in(p, "S0_last").order.back() = in(p, "S1").order.back() + 1;
              }));
}

TEST(VerifyScalarReplacement, SpelledInTwoWays) {
  EXPECT_SAID("its accesses do not name", saidOfBoth([](Program &p) {
                Statement &s = in(p, "S0");
                ExprP other = t(i, op("+", j, i32(0)));
                s.body = assign(s.body->exprs[0], op("+", s.body->exprs[1], other));
                for (Access &a : s.accesses)
                  if (a.array == "t_reduced" || a.relation.is_equal(ofReduction(p, "t[i, j]")))
                    a.spellings.push_back(other);
              }));
}

TEST(VerifyScalarReplacement, AnotherLoop) {
  EXPECT_SAID("is not a variable of our own", saidOf([](Program &p) { // one variable for all of j
                p.arrays.at("t_reduced").privateLoops.pop_back();
                p.arrays.at("t_reduced").privateDepth--;
              }));
  EXPECT_SAID("do not move one element",
              saidOf([](Program &p) { // load and store around the loop over j
                p.arrays.at("t_reduced").privateLoops.pop_back();
                p.arrays.at("t_reduced").privateDepth--;
                for (const char *name : {"S0_first", "S0_last"}) {
                  Statement &move = in(p, name);
                  move.loops.pop_back();
                  move.order.pop_back();
                  move.domain = named(projectOut(move.domain, 1, 1), name);
                  for (Access &a : move.accesses)
                    a.relation = namedInput(projectOutInputs(a.relation, 1, 1), name);
                }
              }));
  EXPECT_SAID("are not in the loops around", saidOf([](Program &p) {
                for (const char *name : {"S0_first", "S0_last"})
                  in(p, name).loops[1] = in(p, "S0").loops[2];
                p.arrays.at("t_reduced").privateLoops[1] = in(p, "S0").loops[2];
              }));
}

TEST(VerifyScalarReplacement, AtTheWrongTime) {
  EXPECT_SAID("before it is loaded", saidOf([](Program &p) {
                in(p, "S0_first").order.back() = in(p, "S0_last").order.back();
              }));
  EXPECT_SAID("after it is stored", saidOf([](Program &p) {
                in(p, "S0_last").order.back() = in(p, "S0_first").order.back();
              }));
}

TEST(VerifyScalarReplacement, NotInAllIterations) {
  for (const char *name : {"S0_first", "S0_last"})
    EXPECT_SAID("in the iterations that use it", saidOf([&](Program &p) {
                  Statement &move = in(p, name);
                  move.domain = move.domain.intersect(
                      isl::set(p.isl->get(), std::string("{ ") + name + "[i, j] : i < 7 }"));
                  for (Access &a : move.accesses)
                    a.relation = a.relation.intersect_domain(move.domain);
                }));
}

TEST(VerifyScalarReplacement, OtherCode) {
  EXPECT_SAID("S0: its code differs", saidOf([](Program &p) {
                in(p, "S0").body =
                    assign(in(p, "S0").body->exprs[0], op("-", in(p, "S0").body->exprs[1], i32(1)));
              }));
  EXPECT_SAID("S1: its code differs", saidOf([](Program &p) {
                in(p, "S1").body = assign(in(p, "S1").body->exprs[0], v("t_reduced"));
              }));
}

TEST(VerifyScalarReplacement, VariableOfAnotherIteration) {
  EXPECT_SAID("S0: an access touches other elements", saidOf([](Program &p) {
                for (Access &a : in(p, "S0").accesses)
                  if (a.array == "t_reduced")
                    a.relation = ofReduction(p, "t_reduced[i, k]");
              }));
}

TEST(VerifyScalarReplacement, VariableOfAnotherType) {
  EXPECT_SAID("is not a variable of our own",
              saidOf([](Program &p) { p.arrays.at("t_reduced").variable.type = kF32; }));
}

TEST(VerifyScalarReplacement, NameThatIsTaken) {
  EXPECT_SAID("is not a variable of our own",
              saidOfBoth([](Program &p) { p.region.functions.emplace_back().name = "t_reduced"; }));
}

TEST(VerifyScalarReplacement, StatementsThatWereNotThere) {
  EXPECT_SAID("that neither load nor store a variable", saidOf([](Program &p) {
                Statement more = in(p, "S1");
                more.name = "S2";
                more.order.back()++;
                more.domain = named(more.domain, more.name);
                for (Access &a : more.accesses)
                  a.relation = namedInput(a.relation, more.name);
                p.statements.push_back(more);
              }));
  EXPECT_SAID("another program", saidOf([](Program &p) { remove(p, "S1"); }));
}

TEST(VerifyScalarReplacement, StatementsOutOfOrder) {
  EXPECT_SAID("another program", saidOf([](Program &p) { in(p, "S1").order.back() = -100; }));
}

TEST(VerifyScalarReplacement, ReductionIntoSomethingElse) {
  EXPECT_SAID("S1: it reduces into another element",
              saidOf([](Program &p) { in(p, "S1").reduction = in(p, "S0").reduction; }));
  EXPECT_SAID("S0: it reduces into another element",
              saidOf([](Program &p) { in(p, "S0").reduction->array = "t"; }));
}

} // namespace nw::testing
