// References as in the paper affine (section 4.1): the subscripts of the k-th reference to
// an array in a statement are F * (iterators, parameters, 1).
#pragma once
#include "ir/program.h"
#include "support/integer_matrix.h"

namespace nw {

// One access of a statement: an index into its list.
struct ReferenceId {
  std::string statement;
  size_t access = 0;
  bool operator==(const ReferenceId &) const = default;
};

struct AffineReference {
  ReferenceId id;
  std::string array;
  bool isWrite = false;
  std::vector<int> loops; // of the statement, outermost first
  IntegerMatrix linear;   // a row for each subscript, a column for each loop
  std::vector<std::map<std::string, int64_t>>
      parameters;    // of each subscript: factors that are not 0
  IntegerRow offset; // of each subscript

  int rank() const { return rankOf(linear); }
  // Whether subscripts differ by constants only, over the same loops.
  bool isTranslationOf(const AffineReference &other) const;
};

// Nothing where subscripts depend on data, are divisions, or differ in kind over the domain.
std::optional<AffineReference> affineReference(const Statement &statement, size_t access);

// All references of the statements to arrays in the user's memory; those that are not affine are
// left out.
std::vector<AffineReference> affineReferences(const Program &program,
                                              const std::vector<const Statement *> &statements);
std::vector<const Statement *> allStatements(const Program &program);

// a[i][j] in S1
std::string print(const Program &program, const AffineReference &reference);
// 2i - j + 1, in the given names; 0 where all is zero.
std::string printAffine(const IntegerRow &factors, const std::vector<std::string> &names,
                        int64_t constant);
std::vector<std::string> counters(const Program &program, const std::vector<int> &loops);

} // namespace nw
