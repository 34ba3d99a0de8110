// Points at an edge of a tile that compute in registers alone need not ask whether they are there.
#pragma once
#include "ir/program.h"
#include "poly/schedule.h"
#include <set>

namespace nw {

struct Speculation {
  ExprP isPoint;                   // what a point asks; null: nothing
  std::set<std::string> registers; // of a point
  const Step *step = nullptr; // where points are there, if for another block: they may also read
                              // memory that this step does not write; null: they may not
};

// The code with those questions marked whose answer need not be waited for.
StmtP speculated(const StmtP &code, const Program &program, const Speculation &what);

} // namespace nw
