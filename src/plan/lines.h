// Rows of memory that folds run through, and where in a line of memory each of them begins.
#pragma once
#include "plan/spread.h"

namespace nw {

// Threads that take the elements of a line: accesses of so many neighbours touch one line where the
// first of them begins there.
constexpr int kThreadsOfALine = 32;

// Where a row begins, as a function of the parallel loop: the subscripts of an access without the
// counter of the fold, which is added to the last.
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

// The beginning of the rows that the folds of a piece run through element by element, where rows
// differ in it. Nothing, with the reason in `why`, where there are none, where several arrays have
// different ones, or where all rows begin at the same place of a line.
std::optional<RowBegin> rowBegin(const Program &program, const Step &step, const SpreadParts &parts,
                                 const SpreadPiece &piece, std::string &why);

// Why no fold of the step could begin at a line of memory; nothing where one could.
std::string whyNoLines(const Program &program, const Step &step, const SpreadParts &parts);

} // namespace nw
