// The loop nests of the paper affine, and a few like them, as programs.
#pragma once
#include "build.h"
#include "frontend/affine/build_program.h"

namespace nw::testing::affine {

inline ExprP plus(ExprP a, ExprP b) { return op("+", std::move(a), std::move(b)); }
inline ExprP minus(ExprP a, ExprP b) { return op("-", std::move(a), std::move(b)); }
inline ExprP element(const std::string &array, std::vector<ExprP> subscripts) {
  return at(array, std::move(subscripts), kF32);
}
inline StmtP upTo(const std::string &counter, const std::string &end, std::vector<StmtP> body) {
  return loop(counter, i32(0), v(end), std::move(body));
}

// Matrices are n wide; every counter is the nest's own.
inline Program programOf(std::vector<StmtP> body, std::vector<std::string> matrices,
                         std::vector<std::string> vectors = {}) {
  std::vector<Variable> variables = {scalar("n")};
  for (const std::string &m : matrices)
    variables.push_back(pointer(m, kF32, {v("n")}));
  for (const std::string &x : vectors)
    variables.push_back(pointer(x, kF32));
  return buildProgram(regionOf(std::move(body), std::move(variables)));
}

// target += a * b
inline StmtP accumulate(const ExprP &target, ExprP a, ExprP b) {
  return assign(target, plus(target, op("*", std::move(a), std::move(b))));
}

inline StmtP mvLoops(bool withStart, const std::string &x = "x", const std::string &y = "y") {
  StmtP inner = upTo(
      "j", "n",
      {accumulate(element(x, {v("i")}), element("a", {v("i"), v("j")}), element(y, {v("j")}))});
  if (withStart)
    return upTo("i", "n", {assign(element(x, {v("i")}), floatConst(0, kF32)), inner});
  return upTo("i", "n", {inner});
}
inline StmtP tmvLoops(bool withStart, const std::string &x = "x", const std::string &y = "y") {
  StmtP inner = upTo(
      "j", "n",
      {accumulate(element(x, {v("i")}), element("a", {v("j"), v("i")}), element(y, {v("j")}))});
  if (withStart)
    return upTo("i", "n", {assign(element(x, {v("i")}), floatConst(0, kF32)), inner});
  return upTo("i", "n", {inner});
}

// affine, Figure 3, and mvt of section 7.1.
inline Program mv(bool withStart = true) {
  return programOf({mvLoops(withStart)}, {"a"}, {"x", "y"});
}
inline Program tmv(bool withStart = true) {
  return programOf({tmvLoops(withStart)}, {"a"}, {"x", "y"});
}
inline Program mvt() {
  return programOf({mvLoops(false, "x1", "y1"), tmvLoops(false, "x2", "y2")}, {"a"},
                   {"x1", "y1", "x2", "y2"});
}

inline Program mm() {
  StmtP inner = accumulate(element("C", {v("i"), v("j")}), element("A", {v("i"), v("k")}),
                           element("B", {v("k"), v("j")}));
  return programOf({upTo("i", "n", {upTo("j", "n", {upTo("k", "n", {inner})})})}, {"A", "B", "C"});
}

// b[j][i] = a[i][j]
inline Program mt() {
  return programOf(
      {upTo("i", "n",
            {upTo("j", "n",
                  {assign(element("b", {v("j"), v("i")}), element("a", {v("i"), v("j")}))})})},
      {"a", "b"});
}

// B[i][j] = f(B[i-1][j], B[i][j-1], a[i+j][j]): no permutation of the loops coalesces a.
inline Program wave() {
  ExprP i = v("i"), j = v("j"), one = i32(1);
  ExprP value = plus(plus(element("B", {minus(i, one), j}), element("B", {i, minus(j, one)})),
                     element("a", {plus(i, j), j}));
  StmtP body = assign(element("B", {i, j}), value);
  return programOf({loop("i", i32(1), v("n"), {loop("j", i32(1), v("n"), {body})})}, {"B", "a"});
}

// out[i][j] from the five points of a cross.
inline Program cross() {
  ExprP i = v("i"), j = v("j"), one = i32(1), end = minus(v("n"), one);
  ExprP sum = element("A", {i, j});
  for (auto [row, column] :
       {std::pair{minus(i, one), j}, {plus(i, one), j}, {i, minus(j, one)}, {i, plus(j, one)}})
    sum = plus(sum, element("A", {row, column}));
  return programOf(
      {loop("i", one, end, {loop("j", one, end, {assign(element("out", {i, j}), sum)})})},
      {"A", "out"});
}

} // namespace nw::testing::affine
