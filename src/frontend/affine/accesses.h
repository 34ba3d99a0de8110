// What a statement's body reads and writes, as access maps; flattened subscripts are recovered per
// array.
#pragma once
#include "frontend/affine/affine_expr.h"
#include "ir/program.h"

namespace nw {

// An access as it stands in the body, before its array's shape is known.
struct RawAccess {
  size_t statement;
  std::string array;
  ExprP element; // A[i][j].f
  Scope scope;   // the statement's dimensions first, those of loops inside its body after them
  int outerDims; // how many of them are the statement's
  bool isWrite, isMust;
  bool isCertain; // not under a condition that is not affine
};

// Collects the accesses of one statement body. `privates` are variables declared in enclosing
// loops, with the depth.
std::vector<RawAccess> collectAccesses(size_t statement, const StmtP &body, const Scope &scope,
                                       const Program &program, const std::set<std::string> &written,
                                       AffineReader &reader);

// Reads the header of a loop: the scope with one more dimension, or nothing where it is not affine.
std::optional<Scope> enterLoop(const Loop &loop, const Scope &scope, AffineReader &reader);

// Turns raw accesses into the maps of the program's statements and settles the shapes of its
// arrays.
void resolveAccesses(Program &program, const std::vector<RawAccess> &raw, AffineReader &reader);

} // namespace nw
