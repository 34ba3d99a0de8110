// Algorithm 1 of affine on the paper's own examples (section 4.3), and one that no permutation of
// loops solves.
#include "analysis/adjacency.h"
#include "affine_programs.h"
#include "analysis/reuse.h"

namespace nw::testing::affine {

namespace {

AdjacencyResult search(const Program &p, bool relaxed) {
  AdjacencyOptions options;
  options.relaxed = relaxed;
  return findAdjacentSchedules(p, computeDependences(p), referencesWithoutReuse(p), options);
}

std::vector<std::string> printed(const Program &p, const AdjacencyResult &r) {
  std::vector<std::string> out;
  for (const AdjacencyCandidate &c : r.candidates)
    out.push_back(print(p, c));
  return out;
}

// Every candidate says the truth: dependences go forward in time (or, at one time, forward in the
// text), the subset is coalesced, and instances are told apart.
void expectValid(const Program &p, const AdjacencyResult &r, bool relaxed) {
  for (const AdjacencyCandidate &c : r.candidates) {
    std::map<std::string, const StatementPlacement *> placement;
    for (const StatementPlacement &s : c.statements) {
      placement[s.statement] = &s;
      IntegerMatrix all;
      for (const auto *rows : {&s.time, &s.space})
        for (const ScheduleRow &row : *rows)
          all.push_back(row.factors);
      EXPECT_EQ(rankOf(all), int(p.find(s.statement)->loops.size())) << print(p, c);
    }
    for (const AffineReference &reference : c.coalesced)
      EXPECT_TRUE(isCoalesced(p, *placement[reference.id.statement], reference)) << print(p, c);
    for (const Dependence &d : computeDependences(p).all)
      for (const isl::map &m : mapsOf(d.relation)) {
        const StatementPlacement &from = *placement[inputTupleOf(m)],
                                 &to = *placement[outputTupleOf(m)];
        if (d.isReduction && relaxed && from.combines)
          continue;
        if (from.phase != to.phase) {
          EXPECT_LT(from.phase, to.phase);
          continue;
        }
        isl::map source = asMap(p.find(from.statement)->domain, from.time),
                 target = asMap(p.find(to.statement)->domain, to.time);
        isl::map times = m.apply_domain(source).apply_range(target);
        bool inText = p.find(from.statement) < p.find(to.statement);
        isl::map allowed =
            isl::manage(inText ? isl_map_lex_le(isl_space_domain(times.get_space().release()))
                               : isl_map_lex_lt(isl_space_domain(times.get_space().release())));
        EXPECT_TRUE(times.is_subset(allowed)) << print(p, c);
      }
  }
}

} // namespace

TEST(Adjacency, MatrixVectorHasNoneWhileAccumulationCounts) {
  for (bool withStart : {false, true}) {
    Program p = mv(withStart);
    AdjacencyResult r = search(p, false);
    EXPECT_EQ(printed(p, r), std::vector<std::string>{});
    ASSERT_TRUE(r.ordinary.has_value());
    EXPECT_EQ(print(p, *r.ordinary), withStart ? "S0: θ=0, π=i; S1: θ=j, π=i" : "S0: θ=j, π=i");
    EXPECT_TRUE(r.isComplete);
  }
}

TEST(Adjacency, MatrixVectorAcrossColumnsWhereReductionsMayBeReordered) {
  Program p = mv(false);
  AdjacencyResult r = search(p, true);
  EXPECT_EQ(printed(p, r),
            std::vector<std::string>{"S0: π=j, i, combined; coalesced: a[i][j] in S0"});
  EXPECT_EQ(print(p, *r.ordinary), "S0: θ=j, π=i");
  expectValid(p, r, true);
  Program q = mv(true);
  AdjacencyResult s = search(q, true);
  EXPECT_EQ(printed(q, s),
            std::vector<std::string>{"S0: π=i; S1: π=j, i, combined; coalesced: a[i][j] in S1"});
  expectValid(q, s, true);
}

TEST(Adjacency, TransposedMatrixVector) {
  for (bool withStart : {false, true}) {
    Program p = tmv(withStart);
    AdjacencyResult r = search(p, false);
    std::string expected = withStart ? "S0: θ=0, π=i; S1: θ=j, π=i; coalesced: a[j][i] in S1"
                                     : "S0: θ=j, π=i; coalesced: a[j][i] in S0";
    EXPECT_EQ(printed(p, r), std::vector<std::string>{expected});
    expectValid(p, r, false);
    AdjacencyResult relaxed = search(p, true);
    ASSERT_FALSE(relaxed.candidates.empty());
    EXPECT_EQ(print(p, relaxed.candidates[0]),
              expected); // the same first, then the sum split over threads
    expectValid(p, relaxed, true);
  }
}

TEST(Adjacency, BothProducts) {
  Program p = mvt();
  AdjacencyResult r = search(p, false);
  EXPECT_EQ(printed(p, r),
            std::vector<std::string>{"S0: θ=j, π=i; S1: θ=j, π=i; coalesced: a[j][i] in S1"});
  AdjacencyResult relaxed = search(p, true);
  ASSERT_FALSE(relaxed.candidates.empty());
  EXPECT_EQ(print(p, relaxed.candidates[0]),
            "S0: π=j, i, combined; S1: θ=j, π=i; coalesced: a[i][j] in S0, a[j][i] in S1");
  expectValid(p, r, false);
  expectValid(p, relaxed, true);
}

TEST(Adjacency, WavefrontThatNoPermutationFinds) {
  Program p = wave();
  AdjacencyResult r = search(p, false);
  EXPECT_EQ(printed(p, r),
            std::vector<std::string>{"S0: θ=i + j, π=j; coalesced: a[i + j][j] in S0"});
  EXPECT_TRUE(r.isComplete);
  expectValid(p, r, false);
}

// Either matrix of a transposition can be coalesced, not both.
TEST(Adjacency, Transposition) {
  Program p = mt();
  AdjacencyResult r = search(p, true);
  ASSERT_EQ(r.candidates.size(), 2u);
  for (const AdjacencyCandidate &c : r.candidates) {
    EXPECT_EQ(c.coalesced.size(), 1u);
    EXPECT_EQ(print(p, c.statements[0]), c.coalesced[0].array == "a" ? "S0: π=j, i" : "S0: π=i, j");
  }
  EXPECT_NE(r.candidates[0].coalesced[0].array, r.candidates[1].coalesced[0].array);
  expectValid(p, r, true);
}

// All data of a matrix product has reuse: nothing to coalesce, everything is staged.
TEST(Adjacency, NothingToCoalesce) {
  Program p = mm();
  AdjacencyResult r = search(p, false);
  EXPECT_TRUE(r.candidates.empty());
  EXPECT_EQ(print(p, *r.ordinary), "S0: θ=k, π=j, i");
}

// x[2 * i]: no iteration touches the neighbour, so the conditions hold of nothing.
TEST(Adjacency, StridesAreNotCoalesced) {
  Program p = programOf(
      {upTo("i", "n", {assign(element("x", {op("*", i32(2), v("i"))}), element("y", {v("i")}))})},
      {}, {"x", "y"});
  AdjacencyResult r = search(p, true);
  EXPECT_EQ(printed(p, r), std::vector<std::string>{"S0: π=i; coalesced: y[i] in S0"});
}

// Two loops over time around a pair of statements that copy back and forth: one row of time for
// both, the rest is the order of the text.
TEST(Adjacency, StatementsShareTime) {
  ExprP i = v("i"), one = i32(1);
  StmtP there = loop("i", one, minus(v("n"), one),
                     {assign(element("b", {i}),
                             plus(element("a", {minus(i, one)}), element("a", {plus(i, one)})))});
  StmtP back = loop("i", one, minus(v("n"), one), {assign(element("a", {i}), element("b", {i}))});
  Program p = programOf({upTo("t", "n", {there, back})}, {}, {"a", "b"});
  AdjacencyResult r = search(p, false);
  EXPECT_EQ(print(p, *r.ordinary), "S0: θ=t, π=i; S1: θ=t, π=i");
}

// tmp = A x, y = A' tmp: the second product needs the whole of each sum of the first.
TEST(Adjacency, GroupsOneAfterTheOther) {
  StmtP first = upTo("i", "n",
                     {upTo("j", "n",
                           {accumulate(element("tmp", {v("i")}), element("A", {v("i"), v("j")}),
                                       element("x", {v("j")}))})});
  StmtP second = upTo("i", "n",
                      {upTo("j", "n",
                            {accumulate(element("y", {v("j")}), element("A", {v("i"), v("j")}),
                                        element("tmp", {v("i")}))})});
  Program p = programOf({first, second}, {"A"}, {"x", "y", "tmp"});
  AdjacencyResult r = search(p, false);
  EXPECT_EQ(printed(p, r), std::vector<std::string>{
                               "S0: θ=j, π=i; S1: phase 1, θ=i, π=j; coalesced: A[i][j] in S1"});
  expectValid(p, r, false);
  AdjacencyResult relaxed = search(p, true);
  ASSERT_FALSE(relaxed.candidates.empty());
  EXPECT_EQ(relaxed.candidates[0].coalesced.size(), 2u);
  expectValid(p, relaxed, true);
}

TEST(Adjacency, StopsWhenTheBudgetIsUsedUp) {
  Program p = mvt();
  AdjacencyOptions operations, entries;
  operations.budget.operations = 10;
  entries.budget.entries = 100;
  for (const AdjacencyOptions &options : {operations, entries}) {
    AdjacencyResult r =
        findAdjacentSchedules(p, computeDependences(p), referencesWithoutReuse(p), options);
    EXPECT_FALSE(r.isComplete);
    EXPECT_TRUE(r.candidates.empty());
  }
}

} // namespace nw::testing::affine
