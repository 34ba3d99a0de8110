// Shadows of elements: beside every variable that carries data of arrays stands one of 64-bit
// numbers, of the same shape, that tells who wrote each scalar of it last.
#pragma once
#include "kernel/kernel.h"
#include <set>

namespace nw {

inline const Type kWho = typeOf(Scalar::U64);

inline std::string shadowName(const std::string &name) { return "nw_who_" + name; }

// The scalars in a value of the type.
int64_t scalarsIn(const Type &type, const std::vector<Struct> &structs);

class ShadowElements {
public:
  // `body` is the code of one kernel, `buffers` what it gets from outside.
  ShadowElements(const Program &program, const StmtP &body, const std::set<std::string> &buffers);

  // Whether the variable carries data of arrays: an array itself, a register or a tile that is
  // filled from one.
  bool carries(const std::string &name) const { return carriers.count(name) > 0; }
  // The base of A[i].x where it carries data, else null.
  const Expr *carrierOf(const ExprP &lvalue) const;
  // One element in the shadow for each scalar of the element.
  std::vector<ExprP> of(const ExprP &lvalue) const;
  // Shadows of structs have one more dimension, of this extent.
  bool isStruct(const std::string &name) const;
  int64_t scalarsOf(const std::string &name) const;
  // Whether the value comes from data: a copy of them, or a combination.
  bool isFromData(const ExprP &value) const;

private:
  bool grow(const StmtP &s, const std::set<std::string> *local);
  const Program &program;
  std::set<std::string> carriers;
};

} // namespace nw
