// Conditions on the coefficients of schedule rows, by Farkas' lemma (affine, section 4.1): what
// makes an affine function of two instances non-negative, or zero, wherever a relation holds
// between them.
#pragma once
#include "support/integer_program.h"
#include "support/isl_tools.h"

namespace nw {

// One affine function of an instance: factors of its iterators and a constant. Parameters have no
// part in it.
struct ScheduleRow {
  IntegerRow factors;
  int64_t constant = 0;
  bool operator==(const ScheduleRow &) const = default;
};

// A function constant + source * x + target * y of a pair of instances, each of whose coefficients
// is a linear expression in the variables of an integer program: a row of factors, and a number.
struct LinearExpr {
  IntegerRow factors;
  int64_t number = 0;
};
struct PairFunction {
  LinearExpr constant;
  std::vector<LinearExpr> source, target;
};

// What the relation says about coefficients: rows over (constant, source iterators, target
// iterators). Exact for relations without integer divisions; with them, for the smallest relation
// without that holds them (so fewer schedules).
class FarkasCone {
public:
  // At the expense of the program; without operations left, no function will do.
  FarkasCone(const isl::map &relation, IntegerProgram &program);
  // The function is >= 0 on the relation.
  void requireNonNegative(const PairFunction &function, std::vector<LinearConstraint> &out) const;
  // The function is 0 on the relation.
  void requireZero(const PairFunction &function, std::vector<LinearConstraint> &out) const;

private:
  int sources, targets;
  std::vector<LinearConstraint> rows;
};

// statement[iterators] -> [row, row, …]
isl::map asMap(const isl::set &domain, const std::vector<ScheduleRow> &rows);

} // namespace nw
