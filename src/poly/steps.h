// The schedule as a tree of steps: what happens after what, which loops are sequential, and which
// instances may run side by side. Every pass after scheduling reads this tree; it converts to an
// isl schedule for printing.
#pragma once
#include "poly/dependences.h"
#include <set>

namespace nw {

// One dimension of the schedule: a value for every instance of the statements it covers.
struct Dimension {
  std::string name;            // a counter of the source where there is one
  Unset<isl::union_map> value; // statement instance -> [value]
};

enum class StepKind {
  Sequence, // children one after the other
  Loop,     // for each value of `dimension`, in order: the only child
  Parallel, // all values of `parallel` independently; `inside` orders the instances that share them
  Reduction, // one reduction statement whose instances may be reduced in any order; all values of
             // `parallel`
  Serial,    // no parallelism: `inside` orders all instances
};

struct Step {
  StepKind kind = StepKind::Sequence;
  std::vector<Step> children;
  Dimension dimension;
  std::vector<Dimension> parallel;
  Unset<isl::union_map> inside; // instance -> time
  std::vector<std::string>
      insideNames; // for loops over the dimensions of `inside`; empty where it is constant
  std::vector<std::string> statements;
  std::vector<Dimension> around; // the sequential loops around it, outermost first
};

struct Schedule {
  Step root;
  std::set<std::string> expanded; // private arrays that need a copy per iteration in memory
  std::string how;                // "source order" or "isl", for the report
};

std::string print(const Step &step, int indent);
std::string print(const Schedule &schedule);
// Instance to the iteration of the loops around a parallel step, and the thread in it.
isl::union_map threadsOf(const Step &step);
// Which of the step's parallel dimensions has this name.
size_t parallelNumber(const Step &step, const std::string &name);
// Whether anything in the step runs in parallel.
bool hasParallelism(const Step &step);
// All statements in the step.
void collectStatements(const Step &step, std::vector<std::string> &out);

} // namespace nw
