// The rows of adjacent schedules (adjacency.h): one integer program for each row.
#pragma once
#include "analysis/adjacency.h"

namespace nw {

// A relation between instances with what it asks of rows.
struct RowCondition {
  RowCondition(const isl::map &relation, IntegerProgram &solver)
      : relation(relation), cone(relation, solver) {}
  isl::map relation;
  FarkasCone cone;
};

// A dependence between two statements, by their positions in a list.
struct StatementPair {
  size_t source, target;
  RowCondition condition;
};

// Statements that are scheduled together, in the order of the text, with the relations between
// neighbours that are to be kept at one time.
struct RowProblem {
  std::vector<const Statement *> statements;
  std::vector<std::vector<RowCondition>> neighbours; // of each statement
  std::vector<StatementPair> dependences;
  int64_t bound;
};

// θ of each statement; nothing where no rows keep the dependences and the neighbours together.
std::optional<std::vector<std::vector<ScheduleRow>>> timeRows(const RowProblem &problem,
                                                              IntegerProgram &solver);

// π of one statement, given its θ: all rows that are missing to tell its instances apart, the
// innermost first.
std::optional<std::vector<ScheduleRow>> spaceRows(const Statement &statement,
                                                  const std::vector<RowCondition> &neighbours,
                                                  const std::vector<ScheduleRow> &time,
                                                  int64_t bound, IntegerProgram &solver);

} // namespace nw
