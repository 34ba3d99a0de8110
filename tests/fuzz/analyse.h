// Shows that a program has no undefined behaviour for sizes from 1 to its largest: types and ranges
// of expressions, subscripts from which extents follow, and sums that stay small enough to be exact
// in any order.
#pragma once
#include "program.h"
#include <optional>

namespace nw::fuzz {

struct Range {
  long long low = 0, high = 0;
  bool contains(const Range &r) const { return low <= r.low && r.high <= high; }
};

struct Typed {
  ElementType type;
  Range range;
};

// What encloses an expression: the loops, and the values that sizes may have.
struct Scope {
  const Program *program = nullptr;
  std::vector<Loop> loops;            // outermost first
  std::map<std::string, Range> sizes; // empty: 1 to the largest
};

// Of an array: the extents, and what has to be added to each subscript so that none is negative.
struct Shape {
  std::vector<Affine> extents, shifts;
};

struct Analysis {
  std::string problem; // empty: the program is fine
  std::map<std::string, Shape> shapes;
};

Analysis analyse(const Program &program);

// Values that a variable of the type holds after plain assignments, and after sums.
Range plainRange(ElementType type, const Program &program);
Range wideRange(ElementType type, const Program &program);
Range rangeOf(const Affine &a, const Scope &scope);
Range rangeOfCounter(const Loop &loop, const Scope &outer);
// The type by the rules of C, and the values; nothing where an operation could overflow or lose
// bits.
std::optional<Typed> rangeOf(const Expr &e, const Scope &scope);
// The values after a conversion; nothing where it is undefined or inexact.
std::optional<Range> converted(const Typed &from, ElementType to);
ElementType typeOfElement(const Program &program, const Access &access);
// How often a statement in this scope is executed at most, counting the loops from the given depth
// on.
long long instancesOf(const Scope &scope, size_t fromDepth = 0);
// How many statement instances a run with these sizes has at most.
long long instancesOf(const Program &program, const std::map<std::string, int> &sizes);
long long valueOf(const Affine &a, const std::map<std::string, int> &sizes);

} // namespace nw::fuzz
