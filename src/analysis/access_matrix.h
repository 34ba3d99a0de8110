// What a reference touches as a matrix over the loops around it: m = M·i + o (patterns, section
// III; the paper's model of memory access). Facts of the source only: no threads yet, no device.
#pragma once
#include "ir/program.h"

namespace nw {

// One entry of M: how far the subscript moves from one iteration of the loop to the next. Z in the
// paper's writing where that is not one number.
struct Coefficient {
  long value = 0;
  bool isRandom = false;
  bool isZero() const { return !isRandom && value == 0; }
  bool operator==(const Coefficient &) const = default;
};

// One entry of o: a constant and multiples of parameters.
struct MatrixOffset {
  long constant = 0;
  std::vector<std::pair<std::string, long>> parameters;
  bool isZero() const { return constant == 0 && parameters.empty(); }
  bool operator==(const MatrixOffset &) const = default;
};

// A column of M.
struct MatrixColumn {
  int loop = -1;    // id of a source loop; -1: what the data decide, the column of Z
  std::string name; // its counter, or "data"
  std::optional<int64_t> iterations; // at most, where they do not depend on a parameter
  bool isData() const { return loop < 0; }
  bool operator==(const MatrixColumn &) const = default;
};

// Rows are the array's subscripts, outermost first; columns the statement's loops, outermost first.
// A subscript that the loops do not determine (it is read from memory, or walks in a loop inside
// the statement) is a Z in a last column of its own. One that the loops determine, but not as a sum
// of multiples (i % 2, min(i, j)), has a Z under each of those loops.
struct AccessMatrix {
  std::vector<MatrixColumn> columns;
  std::vector<std::vector<Coefficient>> rows;
  std::vector<MatrixOffset> offset; // one for each row

  bool isRandom() const; // a Z anywhere
  bool operator==(const AccessMatrix &) const = default;
};

// One reference of the program to an array with subscripts. Private arrays and scalars have none.
struct MatrixReference {
  std::string statement, array;
  bool isWrite = false;
  AccessMatrix access;
};

// All of them, in the order of the program's statements and accesses. The offset is that of the
// counters as the source writes them: neither the start of a loop nor its direction is taken out,
// but M is per iteration, so that a loop in steps of 2 has even entries.
std::vector<MatrixReference> matrixReferences(const Program &program);

// M and o of any relation from a space whose dimensions are `columns` (with `steps`, or 1 where
// that is shorter) to subscripts. For references after a change of schedule.
AccessMatrix accessMatrix(const isl::map &relation, std::vector<MatrixColumn> columns,
                          const std::vector<int64_t> &steps = {});

} // namespace nw
