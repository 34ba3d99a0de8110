// Schedules under which neighbouring threads touch neighbouring elements at the same time (affine,
// Algorithm 1).
//
// For a reference F of a statement, y is next to x where F(x) + (0, …, 0, 1) = F(y). The reference
// is coalesced by a time schedule θ and a placement π in space with
//   θ(x) = θ(y)              time adjacency
//   π₁(y) = π₁(x) + 1        space adjacency; π₁ is the innermost row of π, to be dealt out to
//   threads cyclically πₖ(y) = πₖ(x), k > 1     not in the paper, whose own two conditions would
//   call both references of a transposition
//                            coalesced by π₁ = i + j, although the second row tears their
//                            neighbours apart
// and θ keeps all dependences. Coefficients are unknowns: the conditions become linear ones on them
// (Farkas' lemma), and the smallest coefficients are taken. So all affine schedules are considered,
// not only the permutations of loops.
//
// What is searched:
//   - every non-empty subset of the given references, large ones first, less those that cannot be
//   coalesced alone. Where all
//     references of statements that depend on each other can be coalesced with reductions in order,
//     fewer are not asked for;
//   - statements that depend on each other get one θ with as many rows as it takes, each row the
//   one that settles most of the
//     dependences left (Feautrier); dependences that point forward in the text may be left to the
//     order of the text (all instances of the first statement at that time before all of the
//     second: a barrier, or a kernel of its own). Where that fails, groups of statements that
//     depend on each other in a cycle get a θ each, one group after the other (phase);
//   - coefficients of iterators from -bound to bound, constants from 0 to bound, no parameters in
//   rows;
//   - reductions are kept in order where that works; with `relaxed`, the fewest of them that have
//   to be are released, and
//     one more candidate has all of them released: their instances at one time are combined, by a
//     tree or by atomics.
// What is not: piecewise schedules, reindexing by parameters (reversal of a loop from its end),
// other orders of statements in the text, fusion for the sake of reuse. When the budget is used up,
// `isComplete` is false and the candidates are those found by then.
#pragma once
#include "analysis/affine_reference.h"
#include "poly/dependences.h"
#include "poly/row_conditions.h"

namespace nw {

struct AdjacencyOptions {
  bool relaxed = true; // reductions may be reordered (--fp)
  int64_t bound = 2;   // of coefficients
  int subsets = 64;    // of references that are tried
  IntegerProgram::Budget
      budget; // for conditions and solutions together, counted apart from the program's own
};

struct StatementPlacement {
  std::string statement;
  int phase = 0;                  // groups of statements, one after the other
  std::vector<ScheduleRow> time;  // θ
  std::vector<ScheduleRow> space; // π₁ (the innermost) first
  bool combines = false; // a reduction whose instances at one time reduce into the same position
  bool operator==(const StatementPlacement &) const = default;
};

struct AdjacencyCandidate {
  std::vector<AffineReference> coalesced; // the subset; all other references are to be staged
  std::vector<StatementPlacement> statements;
};

struct AdjacencyResult {
  std::vector<AdjacencyCandidate> candidates; // of non-empty subsets, no two with the same schedule
  std::optional<AdjacencyCandidate>
      ordinary; // without adjacency, reductions in order: what is left where there is none
  bool isComplete = true;
};

AdjacencyResult findAdjacentSchedules(const Program &program, const Dependences &dependences,
                                      const std::vector<AffineReference> &references,
                                      const AdjacencyOptions &options = {});

// Pairs x -> y of instances that touch neighbouring elements, in this order.
isl::map neighbours(const Program &program, const AffineReference &reference);

// Whether the placement coalesces the reference of its statement, by the three conditions above, on
// all instances.
bool isCoalesced(const Program &program, const StatementPlacement &placement,
                 const AffineReference &reference);

// "S1: θ=j, π=i; coalesced: a[j][i] in S1"
std::string print(const Program &program, const StatementPlacement &placement);
std::string print(const Program &program, const AdjacencyCandidate &candidate);

} // namespace nw
