// What instrumented kernels record, and where: a log with a cell for each instance of each
// statement.
//
// A writer is a 64-bit number: the statement's number, its iterators, and the statement's number
// again. 0 stands for nobody, the statement number 255 for memory that was never filled, and number
// 0 with an element for a value from before the region. What a reduction leaves is not a single
// writer but a hash of all that reduced into it; its first byte still names the statement.
//
// A cell has kCellWords words (how often the instance ran, its writer, when it ran), then one for
// each read of the statement's body: the writer that the read found, or a hash of several where the
// read stands in a loop of the body.
#pragma once
#include "ir/program.h"

namespace nw {

inline constexpr int kStatementShift = 56, kCellWords = 3;

// A read in the body of a statement.
struct ReadSite {
  ExprP lvalue;
  bool isNested = false; // in a subscript of another element: it may be gone where that element is
                         // kept in a register
  bool isRepeated = false; // in a loop of the body
};

struct StatementRecord {
  std::string name;
  int number = 0; // from 1
  int bits = 0;   // of each iterator
  std::vector<ReadSite> sites;
};

struct RecordLayout {
  std::vector<StatementRecord> statements;
  std::vector<Parameter>
      scalars; // that the host computes: where the cells of each statement begin, and strides
  int words = kCellWords; // of a cell
  const StatementRecord &of(const std::string &statement) const;
};

// Throws UserError where the program has more statements or loops than a writer can tell apart.
RecordLayout layoutOf(const Program &program);

// Names of scalars, all in cells.
inline const char *const kCells = "nw_cells";
std::string baseOfCells(const std::string &statement);
std::string strideOfCells(const std::string &statement, size_t dimension);

// The statement's number and the iterators in a writer.
int statementIn(uint64_t writer);
std::vector<int64_t> iteratorsIn(uint64_t writer, const StatementRecord &record, size_t depth);

} // namespace nw
