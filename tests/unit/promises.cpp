// Promises of loops: which pairs of instances they take away, what they say of order, and those
// that are false.
#include "poly/promises.h"
#include "build.h"
#include "frontend/affine/build_program.h"

namespace nw::testing {

namespace {

const ExprP i = v("i"), j = v("j"), n = v("n"), m = v("m");

StmtP promised(const StmtP &loop, Promise promise) {
  auto made = std::make_shared<Stmt>(*loop);
  made->loop.promise = promise;
  made->at = {3, 5};
  return made;
}

Program programOf(const StmtP &s) {
  std::vector<Variable> variables = {pointer("a"), pointer("b"), scalar("n"), scalar("m"),
                                     scalar("x"),  scalar("i"),  scalar("j")};
  for (Variable &x : variables)
    if (x.name == "i" || x.name == "j")
      x.storage = Storage::Local;
  return buildProgram(regionOf({s}, variables));
}

// for i, for j: a[i] = b[j], with a promise of each.
Program nest(Promise outer, Promise inner) {
  StmtP body = promised(loop("j", i32(0), n, {assign(at("a", {i}), at("b", {j}))}), inner);
  return programOf(promised(loop("i", i32(0), n, {body}), outer));
}

isl::map all(const Program &p) {
  const Statement &s = p.statements[0];
  return isl::manage(isl_map_from_domain_and_range(s.domain.copy(), s.domain.copy()));
}

isl::map pairs(const Program &p, const char *text) {
  return isl::map(p.isl->get(), text).intersect(all(p));
}

} // namespace

TEST(Promises, AreAboutTheUsersArrays) {
  Program p = nest(Promise::None, Promise::None);
  EXPECT_TRUE(isPromised(p.arrays.at("a")));
  Array number = p.arrays.at("a");
  number.variable = scalar("x");
  EXPECT_FALSE(isPromised(number));
  Array own = p.arrays.at("a");
  own.standsFor = "b";
  EXPECT_FALSE(isPromised(own));
  Array local = p.arrays.at("a");
  local.kind = ArrayKind::Private;
  EXPECT_FALSE(isPromised(local));
}

TEST(Promises, TakeAwayPairsOfDifferentIterationsOnly) {
  Program p = nest(Promise::Independent, Promise::None);
  const Statement &s = p.statements[0];
  EXPECT_TRUE(withoutPromised(p, s, s, all(p)).is_equal(pairs(p, "{ S0[i, j] -> S0[i, k] }")));
}

TEST(Promises, OfAnInnerLoopHoldInOneIterationOfTheOuter) {
  Program p = nest(Promise::None, Promise::Independent);
  const Statement &s = p.statements[0];
  EXPECT_TRUE(withoutPromised(p, s, s, all(p))
                  .is_equal(pairs(p, "{ S0[i, j] -> S0[k, l] : i != k or j = l }")));
}

TEST(Promises, NoneTakeNothing) {
  Program p = nest(Promise::None, Promise::InOrder);
  const Statement &s = p.statements[0];
  EXPECT_TRUE(withoutPromised(p, s, s, all(p)).is_equal(all(p)));
}

TEST(Promises, InOrderIsEachEarlierIterationBeforeEachLaterOne) {
  Program p = nest(Promise::None, Promise::InOrder);
  EXPECT_TRUE(askedOrder(p).is_equal(isl::union_map(pairs(p, "{ S0[i, j] -> S0[i, k] : j < k }"))));
  EXPECT_TRUE(askedOrder(nest(Promise::Independent, Promise::None)).is_empty());
}

TEST(Promises, FalseOnesAreTakenBackAndTold) {
  // for i: a[m] = b[i]
  Program p = programOf(
      promised(loop("i", i32(0), n, {assign(at("a", {m}), at("b", {i}))}), Promise::Independent));
  std::vector<FalsePromise> told = takeBackFalsePromises(p);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].at.line, 3);
  EXPECT_EQ(told[0].array, "a");
  EXPECT_EQ(asDiagnostic(told[0]).code, "NW0304");
  EXPECT_NE(asDiagnostic(told[0]).message.find("'a'"), std::string::npos);
  EXPECT_EQ(p.loops[0].promise, Promise::None);
  EXPECT_EQ(p.region.body[0]->loop.promise, Promise::None);
  EXPECT_TRUE(takeBackFalsePromises(p).empty());
}

TEST(Promises, OnesThatMayBeTrueAreKept) {
  // for i: a[i] = a[i + m]: independent where m is n or more
  Program p =
      programOf(promised(loop("i", i32(0), n, {assign(at("a", {i}), at("a", {op("+", i, m)}))}),
                         Promise::Independent));
  EXPECT_TRUE(takeBackFalsePromises(p).empty());
  EXPECT_EQ(p.loops[0].promise, Promise::Independent);
  // All of them only read a[m].
  Program reads = programOf(
      promised(loop("i", i32(0), n, {assign(at("b", {i}), at("a", {m}))}), Promise::Independent));
  EXPECT_TRUE(takeBackFalsePromises(reads).empty());
}

TEST(Promises, AReductionAlongALoopInOrderIsNone) {
  StmtP reduction = assign(v("x"), op("+", v("x"), at("a", {i})));
  Program p = programOf(promised(loop("i", i32(0), n, {reduction}), Promise::InOrder));
  ASSERT_TRUE(p.statements[0].reduction);
  keepAskedOrder(p);
  EXPECT_FALSE(p.statements[0].reduction);
  // Along the other loop it may swap: for i in order, for j: a[i] += b[j].
  StmtP inner = loop("j", i32(0), n, {assign(at("a", {i}), op("+", at("a", {i}), at("b", {j})))});
  Program other = programOf(promised(loop("i", i32(0), n, {inner}), Promise::InOrder));
  keepAskedOrder(other);
  EXPECT_TRUE(other.statements[0].reduction);
}

} // namespace nw::testing
