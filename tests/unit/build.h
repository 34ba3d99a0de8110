// Short names for building trees and regions by hand.
#pragma once
#include "ir/region.h"
#include <functional>
#include <gtest/gtest.h>

namespace nw::testing {

inline const Type kF32 = typeOf(Scalar::F32), kF64 = typeOf(Scalar::F64),
                  kU32 = typeOf(Scalar::U32);

inline ExprP i32(int64_t value) { return intConst(value, kI32); }
inline ExprP v(const std::string &name, Type type = kI32) { return var(name, type); }
inline ExprP op(const std::string &name, ExprP a, ExprP b) {
  Type type = a->type;
  return binary(name, std::move(a), std::move(b), type);
}
inline ExprP less(ExprP a, ExprP b) { return binary("<", std::move(a), std::move(b), kI32); }
// a[i] or a[i][j] of the given element type.
inline ExprP at(const std::string &array, std::vector<ExprP> subscripts, Type type = kI32) {
  ExprP e = var(array, type);
  for (ExprP &s : subscripts)
    e = index(e, s, type);
  return e;
}

// for (int counter = low; counter < high; counter++) body
inline StmtP loop(const std::string &counter, ExprP low, ExprP high, std::vector<StmtP> body) {
  return forLoop(counter, kI32, low, less(v(counter), high), i32(1), block(std::move(body)));
}

// The code with each statement, inner ones first, replaced by what the change makes of it.
using Change = std::function<StmtP(const StmtP &)>;
inline StmtP rewritten(const StmtP &s, const Change &change) {
  auto copy = std::make_shared<Stmt>(*s);
  for (StmtP &b : copy->body)
    b = rewritten(b, change);
  return change(copy);
}

inline Variable scalar(const std::string &name, Type type = kI32) {
  Variable x;
  x.name = x.spelling = name;
  x.type = type;
  x.storage = Storage::Parameter;
  return x;
}
inline Variable pointer(const std::string &name, Type type = kI32, std::vector<ExprP> inner = {}) {
  Variable x = scalar(name, type);
  x.isPointer = true;
  x.extents = {nullptr};
  x.extents.insert(x.extents.end(), inner.begin(), inner.end());
  return x;
}

inline Region regionOf(std::vector<StmtP> body, std::vector<Variable> variables) {
  Region r;
  r.function = "f";
  r.body = std::move(body);
  for (Variable &x : variables)
    r.variables[x.name] = x;
  return r;
}

} // namespace nw::testing
