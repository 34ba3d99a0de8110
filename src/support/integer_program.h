// The smallest integer point of a set of linear constraints, by isl, in a context of its own: what
// it may cost is counted apart from the compilation it serves.
#pragma once
#include "support/integer_matrix.h"
#include "support/isl_tools.h"
#include <functional>

namespace nw {

// factors * variables + constant >= 0, or = 0.
struct LinearConstraint {
  IntegerRow factors;
  int64_t constant = 0;
  bool isEquality = false;
};

class IntegerProgram {
public:
  struct Budget {
    unsigned long operations = 1000000; // of isl, for everything together
    double entries = 4000000; // of the matrices of linear programs, all added up; isl does about a
                              // million in a second
  };
  explicit IntegerProgram(const Budget &budget);

  // The lexicographically smallest point, where there is one; every variable must be bounded below.
  std::optional<IntegerRow> smallest(int variables,
                                     const std::vector<LinearConstraint> &constraints);
  // Does something in the context and at the expense of the program; false where the operations do
  // not suffice. Objects of isl that are made there must not leave it.
  bool within(const std::function<void(isl::ctx)> &work);
  // Whether a question was left open: the operations were used up, or it would take more than a
  // quarter of the entries left.
  bool isExhausted() const { return exhausted || skipped; }

private:
  IslContext context;
  Budget budget;
  bool exhausted = false;
  bool skipped = false;
};

} // namespace nw
