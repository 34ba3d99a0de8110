// The code of one thread: loops over the instances that it executes, with their bodies.
#pragma once
#include "kernel/reduction_steps.h"
#include "lower/isl_ast.h"
#include "lower/views.h"

namespace nw {

// A private variable that lives in memory with a copy per iteration: `buffer`[subscript of the
// copy].
struct Expansion {
  std::vector<int> loops;   // the iterations that have copies
  std::vector<ExprP> first; // their first values
  std::vector<ExprP> count; // how many
};

// What the code of instances needs to know.
struct InstanceContext {
  const Program &program;
  const AstReader &reader;
  Type indexType;
  std::map<std::string, Expansion> expansions = {};
  std::set<std::string> dimensions =
      {}; // names of the schedule's dimensions: taken as variables of kernels
  std::map<std::string, ExprP> reductions =
      {}; // by statement: the slot whose role the variable kReducedName takes
  std::map<std::string, std::string> reductionNames =
      {}; // by statement: another name of that variable
};

// A slot of the source with expanded variables replaced; counters are variables of their own
// names.
ExprP expandedElement(const InstanceContext &context, const ExprP &slot);

// All instances of the view in the order of `inside`; dimensions that are fixed appear as
// variables.
StmtP instances(const InstanceContext &context, const View &view, const isl::union_map &inside,
                std::vector<std::string> names);

} // namespace nw
