// Rows of memory that reductions run through, and where in a line of memory each of them begins.
#pragma once
#include "plan/block_reduction.h"

namespace nw {

// Threads that take the elements of a line: accesses of so many neighbours touch one line where the
// first of them begins there.
constexpr int kThreadsOfALine = 32;

// Where a row begins, as a function of the parallel loop: the subscripts of an access without the
// counter of the reduction, which is added to the last.
struct RowBegin {
  struct Subscript {
    int64_t ofRow = 0;                         // factor of the parallel loop's value
    std::map<std::string, int64_t> parameters; // those that are not 0
    int64_t constant = 0;
    ExprP size; // of this dimension; null for the outermost
  };
  std::string array;
  std::vector<Subscript> subscripts;
};

// The beginning of the rows that the reductions of a piece run through element by element, where
// rows differ in it. Nothing, with the reason in `why`, where there are none, where several arrays
// have different ones, or where all rows begin at the same offset in a line.
std::optional<RowBegin> rowBegin(const Program &program, const Step &step,
                                 const BlockReductionParts &parts, const BlockReductionPiece &piece,
                                 std::string &why);

// Why no reduction of the step could begin at a line of memory; nothing where one could.
std::string whyNoLines(const Program &program, const Step &step, const BlockReductionParts &parts);

} // namespace nw
