// Flattened subscripts as rows: how they are taken apart, what the verifier accepts, and whether it
// sees subscripts that mean other elements.
#include "poly/delinearize.h"
#include "build.h"
#include "frontend/affine/build_program.h"
#include "ir/flat_subscript.h"
#include "verify/rewriting/rewriting.h"

namespace nw::testing {

namespace {

const ExprP i = v("i"), j = v("j"), n = v("n"), m = v("m");

std::string taken(const ExprP &subscript, const std::vector<ExprP> &sizes) {
  std::string text;
  for (const ExprP &e : splitSubscript(subscript, sizes))
    text += "[" + print(e) + "]";
  return text;
}

ExprP row(const ExprP &e) { return op("*", e, n); }

// for i < n, for j < m: out[i * m + j] = in[subscript]
Program copy(const ExprP &subscript, std::vector<Variable> more = {}) {
  std::vector<Variable> variables = {pointer("in"), pointer("out"), scalar("n"), scalar("m")};
  for (const char *counter : {"i", "j"}) {
    variables.push_back(scalar(counter));
    variables.back().storage = Storage::Local;
  }
  variables.insert(variables.end(), more.begin(), more.end());
  return buildProgram(regionOf(
      {loop("i", i32(0), n,
            {loop("j", i32(0), m,
                  {assign(at("out", {op("+", op("*", i, m), j)}), at("in", {subscript}))})})},
      variables));
}

Program rowsOf(const Program &p) {
  std::optional<Program> made = delinearized(p);
  EXPECT_TRUE(made.has_value());
  return made ? *made : p;
}

Program copied() { return rowsOf(copy(op("+", op("*", i, m), j))); }

// Puts another element in place of in[i][j].
void read(Program &p, const ExprP &element) {
  p.statements[0].body = assign(p.statements[0].body->exprs[0], element);
  for (Access &a : p.statements[0].accesses)
    if (a.array == "in")
      a.spellings = {element};
}

} // namespace

TEST(SplitSubscript, KeepsWhatTheSourceSays) {
  EXPECT_EQ(taken(op("+", row(i), j), {n}), "[i][j]");
  EXPECT_EQ(taken(op("+", j, op("*", n, i)), {n}), "[i][j]");
  EXPECT_EQ(taken(op("-", op("+", row(op("+", i, i32(1))), j), i32(1)), {n}), "[(i + 1)][(j - 1)]");
  EXPECT_EQ(taken(op("+", op("*", op("+", row(i), j), m), v("k")), {n, m}), "[i][j][k]");
  EXPECT_EQ(taken(op("+", op("+", op("*", row(i), m), op("*", j, m)), v("k")), {n, m}),
            "[i][j][k]");
  EXPECT_EQ(taken(op("-", row(i), n), {n}), "[(i - 1)][0]");
  EXPECT_EQ(taken(unary("-", row(i), kI32), {n}), "[-(i)][0]");
}

TEST(SplitSubscript, SeesThroughCastsThatKeepValues) {
  ExprP wide = binary("+", binary("*", cast(i, kI64), cast(n, kI64), kI64), cast(j, kI64), kI64);
  EXPECT_EQ(taken(wide, {n}), "[i][j]");
  Type size = typeOf(Scalar::U64);
  EXPECT_EQ(taken(binary("+", binary("*", cast(op("-", i, i32(1)), size), cast(n, size), size),
                         cast(j, size), size),
                  {cast(n, kI64)}),
            "[(i - 1)][j]");
}

TEST(SplitSubscript, LeavesSumsThatMayWrap) {
  ExprP u = binary("+", binary("*", v("u", kU32), v("w", kU32), kU32), v("x", kU32), kU32);
  EXPECT_EQ(taken(cast(u, kI64), {v("w", kU32)}), "[0][(long long)((u * w) + x)]");
}

TEST(SplitSubscript, TakesSumsAndNumbersAsSizes) {
  ExprP two = op("+", m, i32(2));
  EXPECT_EQ(taken(op("+", op("*", i, two), j), {cast(two, kI64)}), "[i][j]");
  EXPECT_EQ(taken(op("+", two, j), {two}), "[1][j]");
  EXPECT_EQ(taken(op("+", op("*", i, i32(64)), op("+", j, i32(128))), {i32(64)}), "[(i + 2)][j]");
  EXPECT_EQ(taken(op("+", op("*", i, i32(4096)), j), {i32(64)}), "[(64 * i)][j]");
}

TEST(SplitSubscript, LongSumsAreMadeOf64Bits) {
  ExprP sum = op("-", op("+", op("+", row(i), j), m), i32(3));
  std::vector<ExprP> parts = splitSubscript(sum, {n});
  EXPECT_EQ(parts[1]->type, kI64);
  EXPECT_EQ(splitSubscript(op("-", op("+", row(i), j), i32(3)), {n})[1]->type, kI32);
}

TEST(Delinearization, IsAccepted) {
  Program p = copied();
  EXPECT_TRUE(isDelinearized(p.arrays.at("in")));
  EXPECT_EQ(print(p.statements[0].body->exprs[1]), "in[i][j]");
  EXPECT_EQ(print(p.region.body[0]->body[0]->body[0]->body[0]->body[0]->exprs[1]),
            "in[((i * m) + j)]"); // what the source says
  EXPECT_TRUE(checkRewriting(p).empty());
}

TEST(Delinearization, TakesRowsWithABorder) {
  Program p =
      rowsOf(copy(op("+", op("*", op("+", i, i32(1)), op("+", m, i32(2))), op("+", j, i32(2)))));
  EXPECT_EQ(print(p.statements[0].body->exprs[1]), "in[(i + 1)][(j + 2)]");
  EXPECT_EQ(print(p.arrays.at("in").extents[1]), "(long long)(m + 2)");
  EXPECT_TRUE(checkRewriting(p).empty());
}

TEST(Delinearization, TheDiagonalOfRowsIsNoRow) {
  // in[i * m + j] beside in[i * (m + 1)]: element i of row i.
  std::vector<Variable> variables = {pointer("in"), scalar("n"), scalar("m"), scalar("i"),
                                     scalar("j")};
  variables[3].storage = variables[4].storage = Storage::Local;
  Program p = rowsOf(buildProgram(
      regionOf({loop("i", i32(0), m,
                     {loop("j", i32(0), m, {assign(at("in", {op("+", op("*", i, m), j)}), i32(1))}),
                      assign(at("in", {op("*", i, op("+", m, i32(1)))}), i32(2))})},
               variables)));
  EXPECT_EQ(print(p.arrays.at("in").extents[1]), "(long long)m");
  EXPECT_EQ(print(p.statements[1].body->exprs[0]), "in[i][i]");
  EXPECT_TRUE(checkRewriting(p).empty());
}

TEST(Delinearization, RowsOfConstantLengthAreNotAssumed) {
  auto constant = [&](int64_t length) {
    std::vector<Variable> variables = {pointer("in"), scalar("n"), scalar("i"), scalar("j")};
    variables[2].storage = variables[3].storage = Storage::Local;
    return buildProgram(
        regionOf({loop("i", i32(0), n,
                       {loop("j", i32(0), i32(40),
                             {assign(at("in", {op("+", op("*", i, i32(length)), j)}), i32(1))})})},
                 variables));
  };
  EXPECT_EQ(print(rowsOf(constant(40)).statements[0].body->exprs[0]), "in[i][j]");
  EXPECT_FALSE(delinearized(constant(39)).has_value()); // they overlap
}

TEST(Delinearization, LeavesWhatDependsOnData) {
  EXPECT_FALSE(delinearized(copy(at("in", {j}))).value_or(copied()).arrays.at("in").extents.size() >
               1);
  Program p = copy(op("+", op("*", at("which", {i}), m), j), {pointer("which")});
  EXPECT_FALSE(isDelinearized(rowsOf(p).arrays.at("in")));
  EXPECT_TRUE(isDelinearized(rowsOf(p).arrays.at("out")));
}

TEST(Delinearization, FindsOtherElements) {
  for (const ExprP &wrong :
       {at("in", {j, i}), at("in", {i, op("+", j, i32(1))}), at("in", {op("+", i, i32(1)), j}),
        at("out", {i, j}), at("in", {op("+", op("*", i, m), j)})}) {
    Program p = copied();
    read(p, wrong);
    EXPECT_FALSE(checkRewriting(p).empty()) << print(wrong);
  }
  Program same = copied();
  read(same, at("in", {i, op("+", op("+", j, i32(1)), i32(-1))}));
  EXPECT_TRUE(checkRewriting(same).empty());
}

TEST(Delinearization, FindsOtherSizes) {
  Program p = copied();
  p.arrays.at("in").extents[1] = cast(n, kI64);
  EXPECT_FALSE(checkRewriting(p).empty());
  p = copied();
  p.arrays.at("in").extents[0] = cast(n, kI64); // nobody has said so
  EXPECT_FALSE(checkRewriting(p).empty());
}

TEST(Delinearization, FindsRowsThatAreLeft) {
  // in[i * n + j] with j < m: a row is left unless m <= n, which is assumed. Without, the two
  // programs still are alike.
  Program p = rowsOf(copy(op("+", row(i), j)));
  EXPECT_TRUE(checkRewriting(p).empty());
  Program before = *p.before;
  before.assumptions = isl::set::universe(before.assumptions.get_space());
  p.assumptions = before.assumptions;
  p.before = std::make_shared<Program>(before);
  EXPECT_FALSE(checkRewriting(p).empty());
}

TEST(Delinearization, FindsChangedStatements) {
  Program p = copied();
  p.statements[0].domain =
      p.statements[0].domain.intersect(isl::set(p.isl->get(), "{ S0[i, j] : j > 0 }"));
  EXPECT_FALSE(checkRewriting(p).empty());
  p = copied();
  p.statements[0].body =
      assign(p.statements[0].body->exprs[0], op("+", p.statements[0].body->exprs[1], i32(1)));
  EXPECT_FALSE(checkRewriting(p).empty());
  p = copied();
  p.statements[0].accesses[0].relation = p.statements[0].accesses[0].relation.intersect_domain(
      isl::set(p.isl->get(), "{ S0[i, j] : j > 0 }"));
  EXPECT_FALSE(checkRewriting(p).empty());
}

} // namespace nw::testing
