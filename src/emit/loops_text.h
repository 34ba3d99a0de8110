// Trees that stand for something else than C, printed as C functions: what a CUDA kernel does, as
// loops that a CPU can run.
#pragma once
#include "ir/region.h"

namespace nw {

struct LoopsFunction {
  std::string name;
  std::vector<Variable> parameters;
  StmtP body;
  std::vector<Struct> structs;
  std::vector<Function> functions;
  unsigned begin = 0, end = 0; // where the body stands in the text
};

// The file with all of them; it sets where their bodies stand.
std::string loopsText(std::vector<LoopsFunction> &functions);
// How it spells a variable: C or OpenCL may have taken the name.
std::string nameInLoops(const std::string &variable);

} // namespace nw
