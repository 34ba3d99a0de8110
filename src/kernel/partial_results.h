// Partial results: what each block of a launch leaves in a buffer for the next launch, which takes
// them. The buffer has a row for each block and in it a result for each column, or a single one.
#pragma once
#include "kernel/kernel.h"

namespace nw {

// What a thread leaves for its block: of a column, or of the only one (null).
struct LeftResult {
  ExprP buffer, value;
  int axis = 0; // of the grid: the block's number along it is the row
  ExprP column = nullptr, columns = nullptr;
};

// How the target takes in the results of all blocks, in the order of their numbers: those of the
// column that has the thread's number along x, or of the only one (columns: null).
struct TakenResults {
  ExprP target, buffer;
  ExprP rows;            // how many blocks have left results, an argument of the kernel
  ExprP guard;           // where anything is taken; a constant: everywhere
  std::string op;        // see Collective
  int axis = kOneThread; // the threads that share out the rows: those of a block along y, all of a
                         // block, or each thread has all rows of its column
  Type type;             // of the numbers of threads that it asks for
  ExprP columns = nullptr; // an argument of the kernel
};

StmtP leaveStmt(const LeftResult &left);
StmtP takeStmt(const TakenResults &taken);
// The other way round; nothing where the statement is none, or not made as these are.
std::optional<LeftResult> leftBy(const Stmt &s);
std::optional<TakenResults> takenBy(const Stmt &s);

// How many blocks a launch of so many threads, in blocks of this size, has along an axis. 0: no
// limit.
ExprP blocksOf(const ExprP &threads, int limit, int size);

// The kernel with elements of buffers, and loops over them. Wrong nodes stay.
Kernel withoutPartialResults(Kernel kernel);

} // namespace nw
