// Mutants: finished kernels of a region, changed at one point.
#pragma once
#include "kernel/kernel.h"

namespace nw::mutation {

struct Mutant {
  std::string where; // the kernel, or "host", or a buffer
  std::string what;
  std::function<void(Kernels &)> apply;
};

std::vector<Mutant> mutantsOf(const Kernels &kernels);

} // namespace nw::mutation
