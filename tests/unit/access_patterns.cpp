// Access matrices and their classes: the paper's kernels (patterns, sections III, V and VI), and
// the classes that it names.
#include "pattern_kernels.h"

namespace nw::testing {

static const long kZ = 1L << 40; // a Z in a matrix below
using Rows = std::vector<std::vector<long>>;

static Rows rowsOf(const AccessMatrix &m) {
  Rows rows;
  for (const auto &row : m.rows) {
    rows.emplace_back();
    for (const Coefficient &c : row)
      rows.back().push_back(c.isRandom ? kZ : c.value);
  }
  return rows;
}

static AccessPattern onlyPattern(const Program &program, const ThreadMapping &mapping,
                                 const std::string &array, bool isWrite = false) {
  std::vector<AccessPattern> found;
  for (const AccessPattern &p : accessPatterns(program, mapping))
    if (p.reference.array == array && p.reference.isWrite == isWrite)
      found.push_back(p);
  EXPECT_EQ(found.size(), 1u) << array;
  return found.empty() ? AccessPattern() : found[0];
}

static const Pattern kNone = {}, kTrueLinear = {PatternClass::Linear, true},
                     kFalseLinear = {PatternClass::Linear, false};

// b[...] = a[subscripts], in loops over i < n (tx, when one is asked for) and j < n (ty).
static AccessPattern patternOfA(std::vector<ExprP> subscripts,
                                std::vector<std::string> threads = {"i", "j"}) {
  Variable a = subscripts.size() == 1 ? vector("a") : matrix("a", "pitch");
  StmtP s = assign(f("b", {v("i"), v("j")}), f("a", std::move(subscripts)));
  Program p = programOf({loop("i", i32(0), v("n"), {loop("j", i32(0), v("n"), {s})})}, {"i", "j"},
                        {scalar("n"), scalar("pitch"), pointer("p"), a, matrix("b", "n")});
  return onlyPattern(p, along(p, threads), "a");
}

// Section III: m_A, m_B and m_C of Listing 1.
TEST(AccessPatterns, MatricesOfMatrixMultiplication) {
  Program mm = matrixMultiplication();
  std::map<std::string, Rows> expected = {
      {"A", {{1, 0, 0}, {0, 0, 1}}}, {"B", {{0, 0, 1}, {0, 1, 0}}}, {"C", {{1, 0, 0}, {0, 1, 0}}}};
  std::vector<MatrixReference> references = matrixReferences(mm);
  ASSERT_EQ(references.size(), 4u); // C is read and written
  for (const MatrixReference &r : references) {
    EXPECT_EQ(rowsOf(r.access), expected.at(r.array)) << r.array;
    for (const MatrixOffset &o : r.access.offset)
      EXPECT_TRUE(o.isZero());
  }
}

// Section III-2 and V-1: under alpha, A is false linear, C too; under beta, B and C are true
// linear.
TEST(AccessPatterns, MappingsOfMatrixMultiplication) {
  Program mm = matrixMultiplication();
  AccessPattern a = onlyPattern(mm, alpha(mm), "A"), c = onlyPattern(mm, alpha(mm), "C", true);
  EXPECT_EQ(a.interThread, kFalseLinear);
  EXPECT_EQ(c.interThread, kFalseLinear);
  EXPECT_FALSE(a.isCoalesced);
  EXPECT_FALSE(c.isCoalesced);
  EXPECT_EQ(onlyPattern(mm, beta(mm), "B").interThread, kTrueLinear);
  EXPECT_EQ(onlyPattern(mm, beta(mm), "C", true).interThread, kTrueLinear);
  EXPECT_TRUE(onlyPattern(mm, beta(mm), "C", true).isCoalesced);
}

// Section III-1: the columns of i3 are (0,1), (1,0) and (0,0); section V: A and B can be
// prefetched, C not.
TEST(AccessPatterns, IntraThreadOfMatrixMultiplication) {
  Program mm = matrixMultiplication();
  for (const ThreadMapping &mapping : {alpha(mm), beta(mm)}) {
    EXPECT_EQ(onlyPattern(mm, mapping, "A").intraThread, kTrueLinear);
    EXPECT_EQ(onlyPattern(mm, mapping, "B").intraThread, kFalseLinear);
    EXPECT_EQ(onlyPattern(mm, mapping, "C", true).intraThread, kNone);
    EXPECT_TRUE(onlyPattern(mm, mapping, "A").isPrefetchCandidate);
    EXPECT_TRUE(onlyPattern(mm, mapping, "B").isPrefetchCandidate);
    EXPECT_FALSE(onlyPattern(mm, mapping, "C", true).isPrefetchCandidate);
  }
}

TEST(AccessPatterns, Text) {
  Program mm = matrixMultiplication();
  EXPECT_EQ(print(onlyPattern(mm, beta(mm), "A")),
            "S0 reads A\n"
            "    i1=ty i2=tx i3 | offset\n"
            "  [     1     0  0 | 0 ]\n"
            "  [     0     0  1 | 0 ]\n"
            "  false linear inter-thread pattern, true linear intra-thread pattern; prefetch "
            "candidate\n");
  EXPECT_EQ(print(patternOfA({v("i"), op("-", op("-", v("n"), i32(1)), v("j"))}, {"j"})),
            "S0 reads a\n"
            "    i j=tx | offset\n"
            "  [ 1    0 | 0 ]\n"
            "  [ 0   -1 | n - 1 ]\n"
            "  true reverse linear inter-thread pattern, false linear intra-thread pattern; "
            "coalesced; prefetch candidate\n");
}

// Section VI: "each array exhibits the same access pattern: a true linear inter-thread pattern and
// no intra-thread pattern".
TEST(AccessPatterns, VectorAddition) {
  Program p = vectorAddition();
  std::vector<AccessPattern> patterns = accessPatterns(p, along(p, {"i"}));
  ASSERT_EQ(patterns.size(), 3u);
  for (const AccessPattern &a : patterns) {
    EXPECT_EQ(rowsOf(a.reference.access), Rows({{1}}));
    EXPECT_EQ(a.interThread, kTrueLinear);
    EXPECT_EQ(a.intraThread, kNone);
    EXPECT_TRUE(a.isCoalesced);
    EXPECT_FALSE(a.isPrefetchCandidate);
  }
}

// Section VI: three matrices and their classes, as printed.
TEST(AccessPatterns, MatrixVector) {
  Program p = matrixVector();
  ThreadMapping mapping = along(p, {"i1"});
  AccessPattern x = onlyPattern(p, mapping, "x", true), y = onlyPattern(p, mapping, "y"),
                a = onlyPattern(p, mapping, "a");
  EXPECT_EQ(rowsOf(x.reference.access), Rows({{1, 0}}));
  EXPECT_EQ(rowsOf(y.reference.access), Rows({{0, 1}}));
  EXPECT_EQ(rowsOf(a.reference.access), Rows({{1, 0}, {0, 1}}));
  EXPECT_EQ(x.interThread, kTrueLinear);
  EXPECT_EQ(x.intraThread, kNone);
  EXPECT_EQ(y.interThread, kNone);
  EXPECT_EQ(y.intraThread, kTrueLinear);
  EXPECT_EQ(a.interThread, kFalseLinear);
  EXPECT_EQ(a.intraThread, kTrueLinear);
  EXPECT_FALSE(y.isSameAddress); // i2 runs over the problem size: a candidate for prefetch instead
  EXPECT_TRUE(y.isPrefetchCandidate && a.isPrefetchCandidate);
}

// Section VI: [0 0 0; 0 0 0; 0 0 Z], [1 0 0; 0 1 0], [1 0 0], [0 1 0]; "no inter-thread and random
// intra-thread pattern", and true linear of the rest. The paper heads the columns tx, ty; the
// second array is coalesced as it says only when they are ty, tx. The last column is that of the
// walk; only references that walk have it here.
TEST(AccessPatterns, RadiologicalPath) {
  Program p = radiologicalPath();
  ThreadMapping mapping = along(p, {"cell", "row"});
  AccessPattern body = onlyPattern(p, mapping, "body"),
                paths = onlyPattern(p, mapping, "paths", true);
  AccessPattern sine = onlyPattern(p, mapping, "sine"), cosine = onlyPattern(p, mapping, "cosine");
  EXPECT_EQ(rowsOf(body.reference.access), Rows({{0, 0, 0}, {0, 0, 0}, {0, 0, kZ}}));
  EXPECT_EQ(rowsOf(paths.reference.access), Rows({{1, 0}, {0, 1}}));
  EXPECT_EQ(rowsOf(sine.reference.access), Rows({{1, 0}}));
  EXPECT_EQ(rowsOf(cosine.reference.access), Rows({{0, 1}}));
  EXPECT_EQ(body.interThread, kNone);
  EXPECT_EQ(body.intraThread.kind, PatternClass::Random);
  EXPECT_FALSE(body.isSameAddress || body.isCoalesced || body.isPrefetchCandidate);
  for (const AccessPattern &a : {paths, sine, cosine}) {
    EXPECT_EQ(a.interThread, kTrueLinear) << a.reference.array;
    EXPECT_EQ(a.intraThread, kNone);
    EXPECT_TRUE(a.isCoalesced);
  }
  EXPECT_EQ(nameOf(body.intraThread), "random");
}

// Section VI: [0 0 Z; 0 0 Z] of the three images, [1 0 0; 0 1 0] of the result.
TEST(AccessPatterns, NonMaximumSuppression) {
  Program p = nonMaximumSuppression();
  ThreadMapping mapping = along(p, {"x", "y"});
  for (const char *image : {"upper", "middle", "lower"}) {
    AccessPattern a = onlyPattern(p, mapping, image);
    EXPECT_EQ(rowsOf(a.reference.access), Rows({{0, 0, kZ}, {0, 0, kZ}}));
    EXPECT_EQ(a.interThread, kNone);
    EXPECT_EQ(a.intraThread.kind, PatternClass::Random);
  }
  AccessPattern peaks = onlyPattern(p, mapping, "peaks", true);
  EXPECT_EQ(rowsOf(peaks.reference.access), Rows({{1, 0}, {0, 1}}));
  EXPECT_EQ(peaks.interThread, kTrueLinear);
  EXPECT_EQ(peaks.intraThread, kNone);
}

// Section III-4: one address for all threads, unless the loop is one over the problem size.
TEST(AccessPatterns, SameAddress) {
  Program small = convolution(i32(5)), large = convolution(v("t"));
  AccessPattern filter = onlyPattern(small, along(small, {"x", "y"}), "filter"),
                in = onlyPattern(small, along(small, {"x", "y"}), "in");
  EXPECT_EQ(rowsOf(filter.reference.access), Rows({{0, 0, 1, 0}, {0, 0, 0, 1}}));
  EXPECT_TRUE(filter.isSameAddress);
  EXPECT_FALSE(onlyPattern(large, along(large, {"x", "y"}), "filter").isSameAddress);
  EXPECT_TRUE(onlyPattern(large, along(large, {"x", "y"}), "filter").isPrefetchCandidate);
  EXPECT_EQ(rowsOf(in.reference.access), Rows({{1, 0, 1, 0}, {0, 1, 0, 1}}));
  EXPECT_EQ(in.interThread, kTrueLinear); // "intra-thread memory access patterns do not play a role
                                          // in this classification"
  EXPECT_EQ(in.intraThread, kTrueLinear);
  EXPECT_FALSE(in.isSameAddress);
}

// In programs with sizes of literals, a loop as long as one along threads is one over the problem
// size.
TEST(AccessPatterns, SameAddressWithLiteralSizes) {
  auto y = [](int64_t inner) {
    StmtP s = addTo(f("x", {v("i")}), f("y", {v("j")}));
    Program p = programOf({loop("i", i32(0), i32(4096), {loop("j", i32(0), i32(inner), {s})})},
                          {"i", "j"}, {vector("x"), vector("y")});
    return onlyPattern(p, along(p, {"i"}), "y");
  };
  EXPECT_TRUE(y(9).isSameAddress);
  EXPECT_TRUE(y(4095).isSameAddress);
  EXPECT_FALSE(y(4096).isSameAddress);
}

TEST(AccessPatterns, StencilIsShifted) {
  Program p = stencil();
  std::map<std::pair<long, long>, Pattern> found;
  for (const AccessPattern &a : accessPatterns(p, along(p, {"j", "i"})))
    if (a.reference.array == "a")
      found[{a.reference.access.offset[0].constant, a.reference.access.offset[1].constant}] =
          a.interThread;
  const Pattern shifted = {PatternClass::Shifted, true};
  std::map<std::pair<long, long>, Pattern> expected = {
      {{0, 0}, kTrueLinear}, {{0, -1}, shifted}, {{0, 1}, shifted}, {{-1, 0}, kTrueLinear}};
  EXPECT_EQ(found, expected); // another row starts where rows start
  for (const AccessPattern &a : accessPatterns(p, along(p, {"i", "j"})))
    EXPECT_FALSE(a.interThread.isTrue) << "i runs along rows";
}

TEST(AccessPatterns, EachClassTrueAndFalse) {
  ExprP i = v("i"), j = v("j"), last = op("-", v("n"), i32(1)), zero = i32(0);
  auto is = [](const AccessPattern &p, PatternClass kind, bool isTrue) {
    EXPECT_EQ(nameOf(p.interThread), nameOf(Pattern{kind, isTrue}));
    bool isLinear = kind == PatternClass::Linear || kind == PatternClass::ReverseLinear;
    EXPECT_EQ(p.isCoalesced, isLinear && isTrue);
  };
  is(patternOfA({j, i}), PatternClass::Linear, true);
  is(patternOfA({i, j}), PatternClass::Linear, false);
  is(patternOfA({j, op("-", last, i)}), PatternClass::ReverseLinear, true);
  is(patternOfA({op("-", last, i), j}), PatternClass::ReverseLinear, false);
  is(patternOfA({j, plus("i", 3)}), PatternClass::Shifted, true);
  is(patternOfA({plus("i", 3), j}), PatternClass::Shifted, false);
  is(patternOfA({op("+", i, v("n"))}), PatternClass::Shifted, true); // by a parameter
  is(patternOfA({zero, op("+", i, j)}), PatternClass::Overlapping, true);
  is(patternOfA({op("+", i, j), zero}), PatternClass::Overlapping, false);
  is(patternOfA({j, op("*", i32(2), i)}), PatternClass::NonUnitStride, true);
  is(patternOfA({op("*", i32(2), i), j}), PatternClass::NonUnitStride, false);
  is(patternOfA({i, i}), PatternClass::Linear, false); // a diagonal
  is(patternOfA({zero, zero}), PatternClass::None, false);
  is(patternOfA({op("*", i32(2), j), i}), PatternClass::Linear,
     true); // every other row, by neighbouring threads
}

TEST(AccessPatterns, RandomByDataAndByArithmetic) {
  AccessPattern gather = patternOfA({v("j"), at("p", {v("i")})}),
                reduced = patternOfA({v("j"), op("%", v("i"), i32(8))});
  EXPECT_EQ(rowsOf(gather.reference.access), Rows({{0, 1, 0}, {0, 0, kZ}}));
  EXPECT_EQ(gather.intraThread.kind, PatternClass::Random);
  EXPECT_FALSE(gather.isCoalesced);
  EXPECT_EQ(rowsOf(reduced.reference.access),
            Rows({{0, 1}, {kZ, 0}})); // known to depend on i, and on nothing else
  EXPECT_EQ(reduced.interThread.kind, PatternClass::Random);
  AccessPattern row = patternOfA({at("p", {v("i")}), v("i")}); // each thread its own row
  EXPECT_EQ(row.interThread, kTrueLinear);
  EXPECT_FALSE(row.isCoalesced);
}

// for (i = 0; i < end; i += 2) b[i] = a[i]: neighbouring threads are two elements apart.
TEST(AccessPatterns, StepsOfLoopsCount) {
  auto patternUpTo = [](ExprP end) {
    Stmt stepped = *forLoop("i", kI32, i32(0), less(v("i"), end), i32(2),
                            assign(f("b", {v("i")}), f("a", {v("i")})));
    stepped.loop.step = 2;
    Program p = programOf({std::make_shared<const Stmt>(stepped)}, {"i"},
                          {scalar("n"), vector("a"), vector("b")});
    return onlyPattern(p, along(p, {"i"}), "a");
  };
  AccessPattern a = patternUpTo(v("n"));
  EXPECT_EQ(rowsOf(a.reference.access), Rows({{2}}));
  EXPECT_EQ(a.interThread, (Pattern{PatternClass::NonUnitStride, true}));
  EXPECT_FALSE(a.reference.access.columns[0].iterations.has_value());
  EXPECT_EQ(patternUpTo(i32(9)).reference.access.columns[0].iterations, 5); // 0, 2, 4, 6, 8
}

// for i { b[i] = a[i]; c[i] = b[i]; }, of which a kernel may execute only one.
TEST(AccessPatterns, OnlyStatementsOfAKernel) {
  StmtP first = assign(f("b", {v("i")}), f("a", {v("i")})),
        second = assign(f("c", {v("i")}), f("b", {v("i")}));
  Program p = programOf({loop("i", i32(0), v("n"), {first, second})}, {"i"},
                        {scalar("n"), vector("a"), vector("b"), vector("c")});
  EXPECT_EQ(accessPatterns(p, along(p, {"i"})).size(), 4u);
  auto found = accessPatterns(p, along(p, {"i"}), {"S1"});
  ASSERT_EQ(found.size(), 2u);
  for (const AccessPattern &a : found)
    EXPECT_NE(a.reference.array, "a");
}

// a[i + j][j] in time i + j and space j (affine's example of a schedule that is not a permutation
// of loops): coalesced, which it is with neither loop of the source along threads.
TEST(AccessPatterns, AfterAChangeOfSchedule) {
  IslContext context;
  isl::map access(context.get(), "[n] -> { S[i, j] -> a[i + j, j] : 0 <= i, j < n }");
  isl::map schedule(context.get(), "{ S[i, j] -> [i + j, j] }");
  MatrixReference skewed = {
      "S", "a", false, accessMatrix(access.apply_domain(schedule), {{0, "t", {}}, {1, "p", {}}})};
  EXPECT_EQ(rowsOf(skewed.access), Rows({{1, 0}, {0, 1}}));
  EXPECT_TRUE(patternOf(skewed, {{1, -1, -1}}).isCoalesced);
  EXPECT_FALSE(patternOf(skewed, {{0, -1, -1}}).isCoalesced);
  MatrixReference plain = {"S", "a", false, accessMatrix(access, {{0, "i", {}}, {1, "j", {}}})};
  EXPECT_EQ(rowsOf(plain.access), Rows({{1, 1}, {0, 1}}));
  EXPECT_FALSE(patternOf(plain, {{1, -1, -1}}).isCoalesced); // a diagonal
}

TEST(AccessPatterns, UnknownCountersAreNoMapping) {
  Program mm = matrixMultiplication();
  EXPECT_FALSE(mappingByCounters(mm, mm.statements[0], {"i4"}));
  EXPECT_FALSE(mappingByCounters(mm, mm.statements[0], {"i1", "i2", "i3", "i1"}));
  EXPECT_TRUE(accessPatterns(mm, ThreadMapping{{7, -1, -1}})
                  .empty()); // no statement has that loop around it
}

} // namespace nw::testing
