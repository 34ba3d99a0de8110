// The paper share's programs, and a step of them as an iteration space.
#pragma once
#include "build.h"
#include "frontend/affine/build_program.h"
#include "plan/share_candidates.h"
#include "plan/share_nest.h"
#include "plan/share_split.h"
#include "poly/privatize.h"
#include "poly/schedule.h"
#include "support/diagnostics.h"

namespace nw::testing {

struct Shared {
  Program program;
  Dependences dependences;
  Schedule scheduled;

  // Only the schedules that keep every reduction in its order, as the paper does.
  explicit Shared(const Region &region) : Shared(buildProgram(region), 0) {}

  // The first step that is not a sequence.
  const Step &step() const {
    const Step *at = &scheduled.root;
    while (at->kind == StepKind::Sequence || at->kind == StepKind::Loop)
      at = &at->children.at(0);
    return *at;
  }
  // Of what lives on: a nest has objects of the program's context.
  share::Nest nest(std::vector<std::string> threads = {}) const & {
    return share::nestOf(program, step(), {}, threads);
  }
  share::Nest nest(std::vector<std::string> threads = {}) && = delete;
  std::vector<share::Candidate> candidates(const std::vector<std::string> &seeds) const {
    return share::candidatesOf(program, dependences, step().statements, seeds);
  }

private:
  Shared(const Program &plain, int)
      : program(privatize(plain)), dependences(computeDependences(program)),
        scheduled(schedule(program, dependences, false)) {}
};

inline std::vector<std::string> namesOf(const std::vector<share::Candidate> &candidates) {
  std::vector<std::string> names;
  for (const share::Candidate &c : candidates)
    names.push_back(c.array);
  return names;
}

// What a user would be told; empty where nothing is wrong.
inline std::string messageOf(const std::function<void()> &action) {
  try {
    action();
  } catch (const UserError &e) {
    return e.message;
  }
  return "";
}

inline ExprP f32(const std::string &array, std::vector<ExprP> subscripts) {
  return at(array, std::move(subscripts), kF32);
}
inline Variable matrix(const std::string &name) { return pointer(name, kF32, {v("n")}); }
inline Variable vector(const std::string &name) { return pointer(name, kF32); }
inline Variable temporary(const std::string &name) {
  Variable x = scalar(name, kF32);
  x.storage = Storage::Local;
  x.liveAfter = x.addressKnown = false;
  return x;
}
inline ExprP plus(ExprP e, int64_t c) {
  return op(c < 0 ? "-" : "+", std::move(e), i32(std::abs(c)));
}

// Figure 2(a): sum in a scalar (S0, S1), then C[i][j] = sum (S2).
inline Region gemm() {
  ExprP i = v("i"), j = v("j"), k = v("k"), n = v("n"), sum = v("sum", kF32);
  StmtP inner = loop("k", i32(0), n,
                     {assign(sum, op("+", sum, op("*", f32("A", {i, k}), f32("B", {k, j}))))});
  StmtP body = loop("j", i32(0), n,
                    {assign(sum, floatConst(0, kF32)), inner, assign(f32("C", {i, j}), sum)});
  return regionOf({loop("i", i32(0), n, {body})},
                  {scalar("n"), temporary("sum"), matrix("A"), matrix("B"), matrix("C")});
}

// out[i][j] = in[j][i]
inline Region mt() {
  ExprP i = v("i"), j = v("j"), n = v("n");
  return regionOf({loop("i", i32(0), n,
                        {loop("j", i32(0), n, {assign(f32("out", {i, j}), f32("in", {j, i}))})})},
                  {scalar("n"), matrix("in"), matrix("out")});
}

// x[i] += a[i][j] * y[j]
inline Region mv() {
  ExprP i = v("i"), j = v("j"), n = v("n");
  StmtP s = assign(f32("x", {i}), op("+", f32("x", {i}), op("*", f32("a", {i, j}), f32("y", {j}))));
  return regionOf({loop("i", i32(0), n, {loop("j", i32(0), n, {s})})},
                  {scalar("n"), vector("x"), matrix("a"), vector("y")});
}

// out[i] = B[i + 1] + B[i - 1]
inline Region neighbours() {
  ExprP i = v("i"), n = v("n");
  StmtP s = assign(f32("out", {i}), op("+", f32("B", {plus(i, 1)}), f32("B", {plus(i, -1)})));
  return regionOf({loop("i", i32(1), plus(n, -1), {s})}, {scalar("n"), vector("B"), vector("out")});
}

} // namespace nw::testing
