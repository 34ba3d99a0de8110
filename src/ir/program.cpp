// What is asked of a Program, and where one was made of another.
#include "ir/program.h"
#include <algorithm>

namespace nw {

const Statement *Program::find(const std::string &statement) const {
  for (const Statement &s : statements)
    if (s.name == statement)
      return &s;
  return nullptr;
}

std::string freshName(const Program &p, std::string wanted) {
  auto isTaken = [&](const std::string &name) {
    return p.region.variables.count(name) || p.arrays.count(name) ||
           std::any_of(p.loops.begin(), p.loops.end(),
                       [&](const SourceLoop &l) { return l.counter == name; }) ||
           std::any_of(p.region.functions.begin(), p.region.functions.end(),
                       [&](const Function &f) { return f.name == name; }) ||
           std::any_of(p.parameters.begin(), p.parameters.end(),
                       [&](const Parameter &q) { return q.name == name; });
  };
  while (isTaken(wanted))
    wanted += "_";
  return wanted;
}

void madeOf(Program &made, const Program &before, Rewriting by) {
  made.before = std::make_shared<Program>(before);
  made.rewriting = by;
}

} // namespace nw
