// Snapshots and expansions: what is found, what is refused, and whether the verifier sees a program
// that was renamed wrongly.
#include "poly/rename.h"
#include "build.h"
#include "frontend/affine/build_program.h"
#include "verify/checks/kernel_checks.h"
#include "verify/rewriting/rewriting.h"

namespace nw::testing {

namespace {

ExprP plus(ExprP a, int64_t b) { return op("+", std::move(a), i32(b)); }
ExprP v64(const std::string &name) { return cast(v(name), kI64); }

Region region(std::vector<StmtP> body, std::vector<Variable> arrays) {
  for (const char *name : {"n", "m", "s"})
    arrays.push_back(scalar(name));
  for (const char *name : {"i", "j", "k", "t"}) {
    arrays.push_back(scalar(name));
    arrays.back().storage = Storage::Local;
  }
  return regionOf(std::move(body), std::move(arrays));
}

Variable rows(const std::string &name) {
  Variable v = pointer(name, kI32, {v64("m")});
  v.extents[0] = v64("n");
  return v;
}

Variable row(const std::string &name) {
  Variable v = pointer(name);
  v.extents[0] = v64("m");
  return v;
}

const ExprP i = v("i"), j = v("j"), k = v("k"), n = v("n"), m = v("m");

// for (i = low; i < n - 1; i++) a[i] = value
Program sweep(const ExprP &value, int64_t low = 0) {
  return buildProgram(
      region({loop("i", i32(low), op("-", n, i32(1)), {assign(at("a", {i}), value)})},
             {pointer("a"), pointer("c")}));
}

// for i { for (j = 0..m) R[j] = A[i][j] * 2; for (j = from..m) A[i][j] = R[j]; }
Program rowByRow(const StmtP &set, int64_t first = 0,
                 std::vector<Variable> arrays = {rows("A"), row("R")}) {
  StmtP use = assign(at("A", {i, k}), at("R", {k}));
  return buildProgram(
      region({loop("i", i32(0), n, {loop("j", i32(first), m, {set}), loop("k", i32(0), m, {use})})},
             std::move(arrays)));
}

const StmtP setRow = assign(at("R", {j}), op("*", at("A", {i, j}), i32(2)));

std::vector<Renaming> found(const Program &p) { return findRenamings(p, computeDependences(p)); }

// All that were found, carried out.
Program renamed(const Program &p) { return withRenamings(p, found(p)); }

bool isAccepted(const Program &p) { return checkRewriting(p).empty() && checkAccesses(p).empty(); }

Statement &copyIn(Program &p) {
  for (Statement &s : p.statements)
    if (s.isCopy)
      return s;
  ADD_FAILURE() << "there is no copy";
  return p.statements[0];
}

isl::set restricted(const isl::set &s, const std::string &what) {
  return s.intersect(isl::set(s.ctx(), what));
}

} // namespace

TEST(Rename, SnapshotOfWhatIsOverwrittenLater) {
  Program p = sweep(at("a", {plus(i, 1)}));
  ASSERT_EQ(found(p).size(), 1u);
  EXPECT_EQ(found(p)[0].kind, Renaming::Snapshot);
  Program q = renamed(p);
  EXPECT_TRUE(isAccepted(q));
  ASSERT_EQ(q.statements.size(), 2u);
  EXPECT_TRUE(q.statements[0].isCopy);
  EXPECT_EQ(q.arrays.at("a_before").standsFor, "a");
  for (const Dependence &d :
       computeDependences(q).all) // nothing is left between instances of the sweep
    for (const isl::map &one : mapsOf(d.relation))
      EXPECT_TRUE(inputTupleOf(one) == "T0" && outputTupleOf(one) == "S0") << inputTupleOf(one);
}

TEST(Rename, NoSnapshotOfWhatTheLoopHasWritten) {
  EXPECT_TRUE(found(sweep(at("a", {op("-", i, i32(1))}), 1)).empty());
  EXPECT_TRUE(found(sweep(at("a", {op("-", op("-", n, i32(1)), i)}))).empty())
      << "the second half reads what the first has written";
  EXPECT_TRUE(found(sweep(at("c", {plus(i, 1)}))).empty());
}

TEST(Rename, NoSnapshotOfSubscriptsThatDependOnData) {
  EXPECT_TRUE(found(sweep(at("a", {at("c", {i})}))).empty());
}

TEST(Rename, OneOfTwoReadsIsASnapshot) {
  Program p = sweep(op("+", at("a", {op("-", i, i32(1))}), at("a", {plus(i, 1)})), 1);
  std::vector<Renaming> all = found(p);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].reads.size(), 1u);
  EXPECT_TRUE(isAccepted(withRenamings(p, all)));
}

// { int t = 0; a[i + 1] = t; t = a[i + 1]; c[i] = t; } is one body: isl does not see that the read
// is of what the body has written.
TEST(Rename, NoSnapshotInsideOfABodyThatWritesFirst) {
  StmtP declared = declare("t", kI32, {}, {i32(0)});
  StmtP body = block({declared, assign(at("a", {plus(i, 1)}), v("t")),
                      assign(v("t"), at("a", {plus(i, 1)})), assign(at("c", {i}), v("t"))});
  Region r = region({loop("i", i32(0), n, {body})}, {pointer("a"), pointer("c")});
  r.variables["t"] = scalar("t");
  r.variables["t"].inside = true;
  EXPECT_TRUE(found(buildProgram(r)).empty());
}

// a[i] += 1; c[i] = a[i + 1]: what an instance reads and writes itself needs no copy, and the
// reduction stays one.
TEST(Rename, NoSnapshotOfWhatOnlyTheInstanceItselfOverwrites) {
  StmtP reduction = assign(at("a", {i}), op("+", at("a", {i}), i32(1))),
        use = assign(at("c", {i}), at("a", {plus(i, 1)}));
  Program p =
      buildProgram(region({loop("i", i32(0), n, {reduction, use})}, {pointer("a"), pointer("c")}));
  std::vector<Renaming> all = found(p);
  ASSERT_EQ(all.size(), 1u);
  ASSERT_EQ(all[0].reads.size(), 1u);
  EXPECT_EQ(all[0].reads[0].first, 1u);
  EXPECT_TRUE(isAccepted(withRenamings(p, all)));
  for (size_t k = 0; k < p.statements[0].accesses.size(); k++)
    if (!p.statements[0].accesses[k].isWrite)
      all[0].reads.push_back({0, k});
  Program q = withRenamings(p, all);
  for (Statement &s : q.statements)
    if (s.name == "S0") {
      EXPECT_FALSE(s.reduction.has_value());
      EXPECT_TRUE(isAccepted(q));
      s.reduction = p.statements[0].reduction;
    }
  EXPECT_FALSE(isAccepted(q)) << "a reduction that does not read what it reduces into";
}

TEST(Rename, SnapshotInsideOfALoop) {
  StmtP one = assign(at("a", {i}), op("+", at("a", {i}), at("a", {plus(i, 1)})));
  Program p = buildProgram(
      region({loop("t", i32(0), v("s"), {loop("i", i32(0), n, {one})})}, {pointer("a")}));
  ASSERT_EQ(found(p).size(), 1u);
  EXPECT_EQ(found(p)[0].depth, 1u);
  EXPECT_TRUE(isAccepted(renamed(p)));
}

TEST(Rename, TriangularProduct) {
  StmtP one =
      assign(at("B", {i, j}), op("+", at("B", {i, j}), op("*", at("A", {k, i}), at("B", {k, j}))));
  Program p = buildProgram(
      region({loop("i", i32(0), n, {loop("j", i32(0), m, {loop("k", plus(i, 1), n, {one})})})},
             {rows("A"), rows("B")}));
  ASSERT_EQ(found(p).size(), 1u);
  EXPECT_TRUE(isAccepted(renamed(p)));
}

TEST(Rename, ExpansionOfARow) {
  Program p = rowByRow(setRow);
  std::vector<Renaming> all = found(p);
  ASSERT_FALSE(all.empty());
  auto one = std::find_if(all.begin(), all.end(),
                          [](const Renaming &r) { return r.kind == Renaming::Expansion; });
  ASSERT_NE(one, all.end());
  EXPECT_EQ(one->array, "R");
  EXPECT_EQ(one->extents.size(), 2u);
  Program q = withRenamings(p, {*one});
  EXPECT_TRUE(isAccepted(q));
  EXPECT_TRUE(q.statements.back().isCopy) << "what the last iteration leaves is copied to the row";
  EXPECT_TRUE(isAccepted(withRenamings(p, all)));
}

static bool isExpanded(const Program &p) {
  std::vector<Renaming> all = found(p);
  return std::any_of(all.begin(), all.end(),
                     [](const Renaming &r) { return r.kind == Renaming::Expansion; });
}

TEST(Rename, NoExpansionOfWhatPassesFromOneIterationToTheNext) {
  EXPECT_FALSE(isExpanded(rowByRow(setRow, 1))) << "R[0] is from before the region";
  EXPECT_FALSE(isExpanded(rowByRow(ifElse(binary(">", at("A", {i, j}), i32(0), kI32), setRow))))
      << "perhaps nothing is written";
  EXPECT_FALSE(isExpanded(rowByRow(assign(at("R", {j}), op("+", at("R", {j}), i32(1))))));
}

TEST(Rename, NoExpansionThatIsLargerThanAllArrays) {
  StmtP set = assign(at("R", {j}), op("*", at("b", {i}), i32(2))),
        use = assign(at("b", {i}), op("+", at("b", {i}), at("R", {k})));
  Program p = buildProgram(
      region({loop("i", i32(0), n, {loop("j", i32(0), m, {set}), loop("k", i32(0), m, {use})})},
             {pointer("b"), row("R")}));
  EXPECT_FALSE(isExpanded(p));
}

// Rows that get shorter: each element is left by another iteration.
TEST(Rename, LastWritersDiffer) {
  StmtP set = assign(at("R", {j}), at("A", {i, j})), use = assign(at("A", {i, k}), at("R", {k}));
  Program p =
      buildProgram(region({loop("i", i32(0), n, {loop("j", i, m, {set}), loop("k", i, m, {use})})},
                          {rows("A"), row("R")}));
  ASSERT_TRUE(isExpanded(p));
  EXPECT_TRUE(isAccepted(renamed(p)));
}

TEST(Rename, RowThatNobodyLooksAt) {
  Variable local = row("R");
  local.isPointer = local.liveAfter = false;
  local.storage = Storage::Local;
  Program p = rowByRow(setRow, 0, {rows("A"), local}), q = renamed(p);
  ASSERT_TRUE(isExpanded(p));
  EXPECT_TRUE(isAccepted(q));
  EXPECT_FALSE(q.arrays.count("R"));
}

// ---- wrong programs ----

TEST(VerifyRename, CopyOfTooLittle) {
  Program p = renamed(sweep(at("a", {plus(i, 1)})));
  Statement &copy = copyIn(p);
  copy.domain = restricted(copy.domain, "{ T0[x] : x > 2 }");
  for (Access &a : copy.accesses)
    a.relation = a.relation.intersect_domain(copy.domain);
  EXPECT_FALSE(isAccepted(p));
}

TEST(VerifyRename, CopyOfTooMuch) {
  Program p = renamed(sweep(at("a", {plus(i, 1)})));
  Statement &copy = copyIn(p);
  copy.domain = isl::set(p.isl->get(), "[n] -> { T0[x] : 0 <= x <= n + 5 }");
  for (Access &a : copy.accesses)
    a.relation = isl::map(p.isl->get(), "[n] -> { T0[x] -> " + a.array + "[x] : 0 <= x <= n + 5 }");
  EXPECT_FALSE(isAccepted(p)) << "memory that the program does not touch";
}

TEST(VerifyRename, CopyAtTheWrongTime) {
  Program p = renamed(sweep(at("a", {plus(i, 1)})));
  copyIn(p).order[0] = 1000;
  EXPECT_FALSE(isAccepted(p));
}

TEST(VerifyRename, CopyOncePerIteration) {
  StmtP one = assign(at("a", {i}), op("+", at("a", {i}), at("a", {plus(i, 1)})));
  Program p = buildProgram(
      region({loop("t", i32(0), v("s"), {loop("i", i32(0), n, {one})})}, {pointer("a")}));
  std::vector<Renaming> all = found(p);
  all[0].depth = 0; // one copy before all of it
  all[0].loop = p.statements[0].loops[0];
  EXPECT_FALSE(isAccepted(withRenamings(p, all)));
}

TEST(VerifyRename, SnapshotOfTheWrongRead) {
  Program p = sweep(op("+", at("a", {op("-", i, i32(1))}), at("a", {plus(i, 1)})), 1);
  std::vector<Renaming> all = found(p);
  for (size_t k = 0; k < p.statements[0].accesses.size(); k++)
    if (!p.statements[0].accesses[k].isWrite) {
      all[0].reads = {{0, k}};
      EXPECT_EQ(isAccepted(withRenamings(p, all)), k == found(p)[0].reads[0].second);
    }
}

TEST(VerifyRename, CopyOfTheNeighbour) {
  Program p = renamed(sweep(at("a", {plus(i, 1)})));
  Statement &copy = copyIn(p);
  const std::string counter = p.loop(copy.loops[0]).counter;
  copy.body = assign(copy.body->exprs[0], rewrite(copy.body->exprs[1], [&](const ExprP &e) {
                       return e->kind == ExprKind::Var && e->name == counter ? plus(e, 1) : e;
                     }));
  EXPECT_FALSE(isAccepted(p)) << "the code differs from the accesses";
  for (Access &a : copy.accesses)
    if (!a.isWrite)
      a.relation = isl::map(p.isl->get(), "[n] -> { T0[x] -> a[x + 1] : 0 < x < n }")
                       .intersect_domain(copy.domain);
  EXPECT_FALSE(isAccepted(p)) << "an element is in place of another";
}

TEST(VerifyRename, OtherCode) {
  Program p = renamed(sweep(at("a", {plus(i, 1)})));
  for (Statement &s : p.statements)
    if (!s.isCopy)
      s.body = assign(s.body->exprs[0], op("+", s.body->exprs[1], i32(1)));
  EXPECT_FALSE(isAccepted(p));
}

TEST(VerifyRename, LastValuesAreMissing) {
  Program p = withRenamings(rowByRow(setRow), {found(rowByRow(setRow)).front()});
  for (const Renaming &r : found(*p.before))
    if (r.kind == Renaming::Expansion) {
      Renaming bent = r;
      bent.lastWriters = isl::union_map(p.isl->get(), "{ }");
      EXPECT_FALSE(isAccepted(withRenamings(*p.before, {bent})));
    }
}

TEST(VerifyRename, ValuesOfTheFirstIterationInTheEnd) {
  Program source = rowByRow(setRow);
  for (const Renaming &r : found(source))
    if (r.kind == Renaming::Expansion) {
      Renaming bent = r;
      bent.lastWriters = isl::union_map(source.isl->get(),
                                        "[n, m] -> { S0[0, j] -> R[j] : n > 0 and 0 <= j < m }");
      EXPECT_FALSE(isAccepted(withRenamings(source, {bent})));
      bent.lastWriters = isl::union_map(
          source.isl->get(), "[n, m] -> { S0[n - 1, j] -> R[j] : n > 0 and 0 <= j < m }");
      EXPECT_TRUE(isAccepted(withRenamings(source, {bent})));
      bent.lastWriters = isl::union_map(
          source.isl->get(), "[n, m] -> { S0[n - 1, j] -> R[j] : n > 0 and 0 <= j < m - 1 }");
      EXPECT_FALSE(isAccepted(withRenamings(source, {bent})));
    }
}

TEST(VerifyRename, ExpansionOfWhatIsCarried) {
  Program source = rowByRow(setRow, 1), right = rowByRow(setRow);
  for (Renaming r : found(right))
    if (r.kind == Renaming::Expansion) {
      r.lastWriters = isl::union_map(source.isl->get(),
                                     "[n, m] -> { S0[n - 1, j] -> R[j] : n > 0 and 0 < j < m }");
      EXPECT_FALSE(isAccepted(withRenamings(source, {r}))) << "R[0] is read, which nobody has set";
    }
}

TEST(VerifyRename, StatementsOutOfOrder) {
  Program p = withRenamings(rowByRow(setRow), {});
  std::swap(p.statements[0].order, p.statements[1].order);
  EXPECT_FALSE(isAccepted(p));
}

} // namespace nw::testing
