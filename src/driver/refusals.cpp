// Refusals.
#include "driver/refusals.h"
#include "poly/schedule.h"
#include "support/diagnostics.h"
#include <fmt/format.h>
#include <set>

namespace nw {

namespace {

// Functions whose results on devices are the host's, bit for bit.
bool isExactFunction(const std::string &name) {
  static const std::set<std::string> exact = {
      "sqrt", "fabs", "floor", "ceil", "trunc",    "round", "rint", "nearbyint",
      "fmin", "fmax", "fmod",  "fma",  "copysign", "abs",   "labs", "llabs"};
  return exact.count(name) || name.starts_with("nw_");
}

// The first call in the code whose last bits differ, or nothing.
ExprP inexactCall(const StmtP &code) {
  ExprP found;
  walkExprs(code, [&](const ExprP &e) {
    if (!found && e->kind == ExprKind::Call && !isExactFunction(e->name))
      found = e;
    return !found;
  });
  return found;
}

[[noreturn]] void refuseCall(const std::string &name, Location at) {
  throw Diagnostic{"NW0205", Severity::Remark, at,
                   fmt::format("'{}' differs in the last bits between host and devices, and "
                               "--fp=strict wants equal bits",
                               name),
                   "compile without --fp=strict to offload this nest"};
}

} // namespace

void refuseInexactCalls(const Program &p) {
  for (const Statement &s : p.statements)
    if (ExprP call = inexactCall(s.body))
      refuseCall(call->name, call->at.line ? call->at : s.at);
  for (const Function &f : p.region.functions)
    if (ExprP call = inexactCall(f.body))
      refuseCall(call->name, p.region.at);
}

void refuseImpossible(const Program &p) {
  isl::set possible = p.context.intersect(p.assumptions);
  bool isEmpty = true, isEmptyAnyway = true;
  for (const Statement &s : p.statements) {
    isEmpty &= bool(s.domain.intersect_params(possible).is_empty());
    isEmptyAnyway &= bool(s.domain.is_empty());
  }
  if (isEmpty && !isEmptyAnyway)
    throw Diagnostic{"NW0209", Severity::Remark, p.region.at,
                     "nestwarp would have to assume something about the sizes that is never true, "
                     "for instance that a flattened subscript stays within its row",
                     "declare the arrays with their dimensions"};
}

void refuseSerial(const Program &p, const Schedule &schedule) {
  if (!hasParallelism(schedule.root))
    throw Diagnostic{"NW0201", Severity::Remark, p.region.at,
                     "no loop of this nest is parallel, and neither is a wavefront over it: each "
                     "iteration needs the one before it",
                     "it stays on the host"};
  if (isMostlySerial(p, schedule.root))
    throw Diagnostic{"NW0202", Severity::Remark, p.region.at,
                     "a large part of this nest has no parallel loop and would run in a single "
                     "thread on the device",
                     "move that part to a nest of its own"};
}

} // namespace nw
