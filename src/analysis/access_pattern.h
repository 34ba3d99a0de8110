// How threads touch an array: the classes of *patterns* (section III), for a reference and a
// mapping of loops to threads.
//
// Columns of M under tx, ty, tz are inter-thread, the others intra-thread; each part is a pattern
// of its own. The paper defines linear, reverse linear, their true and false variants, coalesced,
// same address and prefetch. It takes the other classes from earlier work without repeating them;
// the readings are given with PatternClass.
#pragma once
#include "analysis/access_matrix.h"
#include <array>

namespace nw {

// Which loops run along threads: ids of source loops for tx, ty, tz; -1 where there is none.
struct ThreadMapping {
  std::array<int, 3> loops = {-1, -1, -1};
  int dimensions() const; // 1 to 3: the last that is mapped
  bool operator==(const ThreadMapping &) const = default;
};

// By the counters of the loops around a statement. Nothing where one of the names is not among
// them.
std::optional<ThreadMapping> mappingByCounters(const Program &program, const Statement &statement,
                                               const std::vector<std::string> &counters);

// A part of M, by its leading column: of the inter-thread part the lowest thread dimension that has
// an entry, of the intra-thread part the innermost loop that has one. The first of these that
// applies:
enum class PatternClass {
  None,          // no entry in the part
  Random,        // a Z in the part
  NonUnitStride, // the leading column has an entry other than 1 and -1
  Overlapping, // a row of the leading column's entries has another entry: A[i + j], where different
               // i, j meet
  ReverseLinear, // -1; with any offset, since none without one stays inside its array
  Shifted,       // 1, and the row's offset is not zero
  Linear,        // 1
};

struct Pattern {
  PatternClass kind = PatternClass::None;
  // Whether the leading column's only entry stands in the last row, so that neighbours touch
  // neighbouring addresses. With tx in the part, this is the paper's definition. Without, it is the
  // same of ty or tz; section VI needs that for the vector of the radiological path that ty
  // indexes, which it calls true linear.
  bool isTrue = false;
  bool operator==(const Pattern &) const = default;
};

struct AccessPattern {
  MatrixReference reference;
  ThreadMapping mapping;
  std::array<bool, 3> uses = {}; // whether tx, ty, tz have an entry
  Pattern interThread, intraThread;
  // True linear or true reverse linear, and nothing random: the paper lets the intra-thread part
  // play no role here, but whether data differ between threads is not to be seen in a Z.
  bool isCoalesced = false;
  // All threads touch one address at a time: no inter-thread entry, an intra-thread one, no Z, and
  // none of the loops with an entry runs over the problem size.
  bool isSameAddress = false;
  bool isPrefetchCandidate = false; // linear intra-thread pattern, true or false, without a Z
};

// A loop runs over the problem size when the number of its iterations depends on a parameter. In
// programs with sizes of literals: when it has as many as the shortest of the loops that run along
// threads.
bool runsOverProblemSize(const MatrixColumn &column, const AccessMatrix &access,
                         const ThreadMapping &mapping);

AccessPattern patternOf(const MatrixReference &reference, const ThreadMapping &mapping);
// Of all references of statements that have every mapped loop around them; of those, only of the
// named ones where names are given (what one kernel executes).
std::vector<AccessPattern> accessPatterns(const Program &program, const ThreadMapping &mapping,
                                          const std::vector<std::string> &statements = {});

std::string nameOf(const Pattern &pattern); // "true linear", "no", "random"
// Entries of M and o: "2", "Z"; "n - 1".
std::string textOf(const Coefficient &coefficient);
std::string textOf(const MatrixOffset &offset);
// The columns' names, with the threads that run along them: "i=tx", "k".
std::vector<std::string> columnNames(const AccessPattern &pattern);
// "true linear inter-thread pattern, no intra-thread pattern; coalesced"
std::string classesOf(const AccessPattern &pattern);
// The matrix with its columns named by loops and threads, the offset, the classes.
std::string print(const AccessPattern &pattern);

} // namespace nw
