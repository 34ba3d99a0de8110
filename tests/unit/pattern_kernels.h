// The kernels of the paper *patterns*, as trees of the C that stands above each.
#pragma once
#include "analysis/access_pattern.h"
#include "build.h"
#include "frontend/affine/build_program.h"

namespace nw::testing {

// The program of a body; `counters` are its loop counters, all ints, `others` everything else that
// it names.
inline Program programOf(std::vector<StmtP> body, std::vector<std::string> counters,
                         std::vector<Variable> others) {
  for (const std::string &c : counters) {
    others.push_back(scalar(c));
    others.back().storage = Storage::Local;
  }
  return buildProgram(regionOf(std::move(body), std::move(others)));
}

inline ExprP f(const std::string &array, std::vector<ExprP> subscripts) {
  return at(array, std::move(subscripts), kF32);
}
inline StmtP addTo(ExprP position, ExprP value) {
  return assign(position, op("+", position, std::move(value)));
}
inline ExprP plus(const char *counter, int64_t shift) { return op("+", v(counter), i32(shift)); }
inline Variable matrix(const std::string &name, const char *columns) {
  return pointer(name, kF32, {v(columns)});
}
inline Variable vector(const std::string &name) { return pointer(name, kF32); }
inline Variable local(const std::string &name, Type type) {
  Variable x = scalar(name, type);
  x.storage = Storage::Local;
  x.inside = true;
  return x;
}
inline StmtP whileLoop(ExprP condition, std::vector<StmtP> body) {
  Stmt s;
  s.kind = StmtKind::While;
  s.exprs = {std::move(condition)};
  s.body = {block(std::move(body))};
  return std::make_shared<const Stmt>(std::move(s));
}

// Listing 1:  for i1 < M, i2 < N, i3 < P:  C[i1][i2] += A[i1][i3] * B[i3][i2];
inline Program matrixMultiplication() {
  StmtP s = addTo(f("C", {v("i1"), v("i2")}),
                  op("*", f("A", {v("i1"), v("i3")}), f("B", {v("i3"), v("i2")})));
  return programOf(
      {loop("i1", i32(0), v("M"), {loop("i2", i32(0), v("N"), {loop("i3", i32(0), v("P"), {s})})})},
      {"i1", "i2", "i3"},
      {scalar("M"), scalar("N"), scalar("P"), matrix("A", "P"), matrix("B", "N"),
       matrix("C", "N")});
}

// for i < n:  c[i] = a[i] + b[i];
inline Program vectorAddition() {
  StmtP s = assign(f("c", {v("i")}), op("+", f("a", {v("i")}), f("b", {v("i")})));
  return programOf({loop("i", i32(0), v("n"), {s})}, {"i"},
                   {scalar("n"), vector("a"), vector("b"), vector("c")});
}

// for i1 < n, i2 < n:  x[i1] += a[i1][i2] * y[i2];
inline Program matrixVector() {
  StmtP s = addTo(f("x", {v("i1")}), op("*", f("a", {v("i1"), v("i2")}), f("y", {v("i2")})));
  return programOf({loop("i1", i32(0), v("n"), {loop("i2", i32(0), v("n"), {s})})}, {"i1", "i2"},
                   {scalar("n"), matrix("a", "n"), vector("x"), vector("y")});
}

// Rays from a source to the cells of a detector, the improved Siddon algorithm as far as memory
// goes:
//   for (row < rows) for (cell < cells) {
//     int voxel = first; float sum = 0, step = sine[row] + cosine[cell];
//     while (voxel >= 0) { sum += step * body[0][0][voxel]; voxel = voxel + (int)(step * sum); }
//     paths[row][cell] = sum;
//   }
inline Program radiologicalPath() {
  ExprP voxel = v("voxel"), sum = v("sum", kF32), step = v("step", kF32);
  std::vector<StmtP> ray = {
      declare("voxel", kI32, {}, {v("first")}), declare("sum", kF32, {}, {floatConst(0, kF32)}),
      declare("step", kF32, {}, {op("+", f("sine", {v("row")}), f("cosine", {v("cell")}))}),
      whileLoop(binary(">=", voxel, i32(0), kI32),
                {addTo(sum, op("*", step, f("body", {i32(0), i32(0), voxel}))),
                 assign(voxel, op("+", voxel, cast(op("*", step, sum), kI32)))}),
      assign(f("paths", {v("row"), v("cell")}), sum)};
  return programOf(
      {loop("row", i32(0), v("rows"), {loop("cell", i32(0), v("cells"), ray)})}, {"row", "cell"},
      {scalar("rows"), scalar("cells"), scalar("first"), scalar("n"),
       pointer("body", kF32, {v("n"), v("n")}), matrix("paths", "cells"), vector("sine"),
       vector("cosine"), local("voxel", kI32), local("sum", kF32), local("step", kF32)});
}

// Non-maximum suppression in a stack of three filtered images: from every pixel uphill, where the
// values lead.
//   for (y < h) for (x < w) {
//     int row = y, column = x; float best = 0;
//     while (middle[row][column] > best) {
//       best = middle[row][column];
//       row = row + (int)upper[row][column]; column = column + (int)lower[row][column];
//     }
//     peaks[y][x] = best;
//   }
inline Program nonMaximumSuppression() {
  ExprP row = v("row"), column = v("column"), best = v("best", kF32),
        here = f("middle", {row, column});
  std::vector<StmtP> climb = {
      declare("row", kI32, {}, {v("y")}), declare("column", kI32, {}, {v("x")}),
      declare("best", kF32, {}, {floatConst(0, kF32)}),
      whileLoop(binary(">", here, best, kI32),
                {assign(best, here),
                 assign(row, op("+", row, cast(f("upper", {row, column}), kI32))),
                 assign(column, op("+", column, cast(f("lower", {row, column}), kI32)))}),
      assign(f("peaks", {v("y"), v("x")}), best)};
  return programOf({loop("y", i32(0), v("h"), {loop("x", i32(0), v("w"), climb)})}, {"y", "x"},
                   {scalar("h"), scalar("w"), matrix("upper", "w"), matrix("middle", "w"),
                    matrix("lower", "w"), matrix("peaks", "w"), local("row", kI32),
                    local("column", kI32), local("best", kF32)});
}

// Not of the paper:  for y < h, x < w, k < taps, l < taps:  out[y][x] += in[y + k][x + l] *
// filter[k][l];
inline Program convolution(ExprP taps) {
  ExprP there = f("in", {op("+", v("y"), v("k")), op("+", v("x"), v("l"))});
  StmtP s = addTo(f("out", {v("y"), v("x")}), op("*", there, f("filter", {v("k"), v("l")})));
  StmtP window = loop("k", i32(0), taps, {loop("l", i32(0), taps, {s})});
  return programOf({loop("y", i32(0), v("h"), {loop("x", i32(0), v("w"), {window})})},
                   {"y", "x", "k", "l"},
                   {scalar("h"), scalar("w"), scalar("t"), scalar("pitch"), matrix("in", "pitch"),
                    matrix("out", "w"), pointer("filter", kF32, {taps})});
}

// Not of the paper:  for 0 < i < n - 1, 0 < j < n - 1:  b[i][j] = a[i][j] + a[i][j - 1] + a[i][j +
// 1] + a[i - 1][j];
inline Program stencil() {
  ExprP i = v("i"), j = v("j"), last = op("-", v("n"), i32(1));
  ExprP sum = op("+", op("+", f("a", {i, j}), f("a", {i, plus("j", -1)})),
                 op("+", f("a", {i, plus("j", 1)}), f("a", {plus("i", -1), j})));
  StmtP s = assign(f("b", {i, j}), sum);
  return programOf({loop("i", i32(1), last, {loop("j", i32(1), last, {s})})}, {"i", "j"},
                   {scalar("n"), matrix("a", "n"), matrix("b", "n")});
}

// The mapping in which the named loops of the first statement are tx, ty, tz.
inline ThreadMapping along(const Program &program, std::vector<std::string> counters) {
  auto mapping = mappingByCounters(program, program.statements.front(), counters);
  EXPECT_TRUE(mapping.has_value());
  return mapping.value_or(ThreadMapping());
}

// mm, mappings alpha and beta of the paper.
inline ThreadMapping alpha(const Program &mm) { return along(mm, {"i1", "i2"}); }
inline ThreadMapping beta(const Program &mm) { return along(mm, {"i2", "i1"}); }

} // namespace nw::testing
