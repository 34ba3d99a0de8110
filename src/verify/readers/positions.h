// Where and when final kernels execute instances: read back from the kernel IR and the host steps,
// for all sizes at once. A position is a vector of coordinates: what the host and barriers put in
// order, then the thread, then the order inside the thread.
#pragma once
#include "kernel/kernel.h"
#include "verify/finding.h"
#include "verify/readers/affine_value.h"
#include <sstream>

namespace nw {

struct Coordinate {
  enum Kind {
    Ordered,  // by the host, or by a barrier that all threads pass in between
    Thread,   // which thread: different values run side by side
    InThread, // the order inside one thread
  } kind;
  isl::pw_aff value; // of the unknowns
  int site; // the loop, block or launch it comes from: values of different sites cannot be compared
};

// Where a variable of a kernel is declared: the values of everything around it tell its copies
// apart.
struct LocalVariable {
  int site;
  std::vector<isl::pw_aff> copy;
  std::string copyOf = {};   // the variable of the Program, where it has another name
  bool isShared = false;     // by the threads of a block
  std::set<int> around = {}; // sites of the loops and blocks that it stands in
};

// Which of the statement's accesses happen at a position. Where threads reduce their values, each
// adds to a register of its own, and one thread brings what they make together to the target.
enum class Part { All, AllButTarget, OnlyTarget };

// One piece of code that executes instances of a statement.
struct SchedulePosition {
  std::string statement;
  StmtP code; // the instance block, with elements in place of kept registers
  const Kernel *kernel;
  std::vector<isl::pw_aff> values; // iterators of the statement
  std::vector<Coordinate> coordinates;
  Unset<isl::set> executed; // unknowns under which it may be executed
  Unset<isl::set> certain;  // unknowns under which it certainly is
  std::map<std::string, LocalVariable> locals;
  std::shared_ptr<const AffineScope> host,
      inside; // what variables stand for, at the launch and at the instance
  // Asked for again and again, computed once.
  mutable std::map<size_t, isl::map> functions; // by coordinate
  mutable Unset<isl::set> sizes, instances;
  mutable Unset<isl::set> iterators, iteratorsWhen; // see relationTo: made for that very set
  Part part = Part::All;
  bool touches(const std::string &array, const std::string &target) const {
    return part == Part::All || (array == target) == (part == Part::OnlyTarget);
  }
};

// A statement that takes what threads have reduced together in a variable, or leaves it for another
// kernel; or one that takes what blocks have left in a buffer, the variable then.
struct Combination {
  std::string variable;
  StmtP code;
  const Kernel *kernel;
  std::vector<Coordinate> coordinates;
  Unset<isl::set> executed, certain;
  std::map<std::string, LocalVariable> locals;
  std::shared_ptr<const AffineScope> inside;
  std::map<std::string, isl::pw_aff> threads; // thread.x and so on
  const HostStep *launch;
  std::shared_ptr<const AffineScope> host;
};

// What the host does if it takes the fallbacks of all choices; or one alternative.
struct PositionReport {
  std::vector<SchedulePosition> positions;
  std::vector<SchedulePosition>
      targets; // where instances of reductions that threads share out touch their targets
  std::vector<Combination> combinations;
  std::vector<Finding> findings; // what could not be read, and barriers that not all threads reach
  isl::set context;              // what is known of the program's parameters when it runs
  // Of an alternative that executes, at each time of the host, the instances of the fallback in its
  // place: it alone. How it is ordered with what is around follows from that.
  bool isPart = false;
  std::vector<SchedulePosition> around; // of a part: positions that go on beside it
};

// The beginning of a set or a relation as text, for messages.
template <class T> std::string inShort(const T &object) {
  std::ostringstream out;
  out << object;
  return out.str().substr(0, 300);
}

// One report for the fallbacks of all choices, then one for each alternative, where it is legal.
std::vector<PositionReport> readPositions(const Program &program, const Kernels &kernels);

// statement instance -> [values], over all unknowns in `when`.
isl::map relationTo(const SchedulePosition &position, const std::vector<isl::pw_aff> &values,
                    const isl::set &when);

} // namespace nw
