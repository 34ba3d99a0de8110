// Splitting at collisions keeps every instance, and the verifier sees where it does not.
#include "poly/split.h"
#include "build.h"
#include "frontend/affine/build_program.h"
#include "verify/rewriting/rewriting.h"

namespace nw::testing {

namespace {

// for k, i, j: d[i][j] = d[i][j] < d[i][k] + d[k][j] ? d[i][j] : d[i][k] + d[k][j]
Program shortestPaths() {
  ExprP i = v("i"), j = v("j"), k = v("k"), n = v("n"), own = at("d", {i, j}),
        other = op("+", at("d", {i, k}), at("d", {k, j}));
  StmtP s = assign(own, select(less(own, other), own, other, kI32)),
        copy = assign(at("c", {k}), at("d", {k, k}));
  Region r =
      regionOf({loop("k", i32(0), n, {loop("i", i32(0), n, {loop("j", i32(0), n, {s})}), copy})},
               {scalar("n"), scalar("i"), scalar("j"), scalar("k"),
                pointer("d", kI32, {cast(n, kI64)}), pointer("c")});
  for (const char *counter : {"i", "j", "k"})
    r.variables[counter].storage = Storage::Local;
  return buildProgram(r);
}

// What is said of the split program after `bend`; nothing where it is accepted.
template <class Bend> std::string saidOf(const Bend &bend) {
  std::optional<Program> p = splitAtCollisions(shortestPaths());
  EXPECT_TRUE(p.has_value());
  bend(*p);
  std::vector<Finding> all = checkRewriting(*p);
  return all.empty() ? "" : all[0].check + ": " + all[0].what;
}

bool says(const std::string &text, const std::string &words) {
  return text.find(words) != std::string::npos;
}

void restrictTo(Statement &s, const isl::set &instances) {
  s.domain = s.domain.intersect(named(instances, s.name));
  for (Access &a : s.accesses)
    a.relation = a.relation.intersect_domain(s.domain);
}

} // namespace

#define EXPECT_SAID(words, ...) EXPECT_PRED2(says, std::string(__VA_ARGS__), std::string(words))

TEST(VerifySplit, PartsAreAccepted) {
  EXPECT_EQ(saidOf([](Program &p) { EXPECT_GT(p.statements.size(), 3u); }), "");
}

TEST(VerifySplit, LostInstances) {
  EXPECT_SAID("do not have the same instances",
              saidOf([](Program &p) { p.statements.erase(p.statements.begin()); }));
  EXPECT_SAID("do not have the same instances", saidOf([](Program &p) {
                restrictTo(p.statements[0], isl::set(p.isl->get(), "{ [k, i, j] : i != 3 }"));
              }));
}

TEST(VerifySplit, InstancesInTwoParts) {
  EXPECT_SAID("in another part as well", saidOf([](Program &p) {
                Statement again = p.statements[0];
                again.name = "S0_9";
                again.domain = named(again.domain, again.name);
                for (Access &a : again.accesses)
                  a.relation = namedInput(a.relation, again.name);
                p.statements.push_back(again);
              }));
}

TEST(VerifySplit, OtherAccesses) {
  EXPECT_SAID("touches other elements", saidOf([](Program &p) {
                p.statements[0].accesses[0].relation =
                    p.statements[0].accesses[0].relation.intersect_domain(isl::set(
                        p.isl->get(), "{ " + p.statements[0].name + "[k, i, j] : i > 3 }"));
              }));
  EXPECT_SAID("touches other elements",
              saidOf([](Program &p) { p.statements[0].accesses.pop_back(); }));
  EXPECT_SAID("touches other elements",
              saidOf([](Program &p) { p.statements[0].accesses[0].isWrite ^= true; }));
}

TEST(VerifySplit, OtherCode) {
  EXPECT_SAID("its code differs", saidOf([](Program &p) {
                p.statements[1].body = assign(p.statements[1].body->exprs[0], i32(0));
              }));
}

TEST(VerifySplit, AnotherTime) {
  EXPECT_SAID("another program", saidOf([](Program &p) { p.statements[0].order[1]--; }));
  EXPECT_SAID("another program", saidOf([](Program &p) {
                std::swap(p.statements[0].loops[1], p.statements[0].loops[2]);
              }));
}

TEST(VerifySplit, OtherArraysOrNames) {
  EXPECT_SAID("another program",
              saidOf([](Program &p) { p.arrays.at("d").kind = ArrayKind::Private; }));
  EXPECT_SAID("another program",
              saidOf([](Program &p) { p.statements[0].name = p.statements[1].name; }));
}

// b[i] = i == m ? b[j] : 0 over i and j: b[j] is read under a condition that the model sees.
TEST(Split, InstancesThatDoNotReadAreKept) {
  ExprP i = v("i"), j = v("j"), m = v("m"), n = v("n");
  StmtP s = assign(at("b", {i}), select(binary("==", i, m, kI32), at("b", {j}), i32(0), kI32));
  Region r = regionOf({loop("i", i32(0), n, {loop("j", i32(0), n, {s})})},
                      {scalar("n"), scalar("m"), scalar("i"), scalar("j"), pointer("b")});
  r.variables["i"].storage = r.variables["j"].storage = Storage::Local;
  Program program = buildProgram(r);
  std::optional<Program> split = splitAtCollisions(program);
  ASSERT_TRUE(split.has_value());
  ASSERT_GT(split->statements.size(), 1u);
  const isl::set &whole = program.statements[0].domain;
  isl::set all = isl::set::empty(whole.get_space());
  for (const Statement &part : split->statements) {
    isl::set one = named(part.domain, program.statements[0].name);
    EXPECT_TRUE(one.intersect(all).is_empty()) << "parts overlap";
    all = all.unite(one);
  }
  EXPECT_TRUE(all.is_equal(whole));
}

} // namespace nw::testing
