// Memories of parameters.
#include "lower/spaces.h"
#include <algorithm>
#include <fmt/format.h>

namespace nw {

// What the plan says of an array in the named kernel, or in all kernels where the plan has none of
// that name: the least that any of them promises.
static std::optional<MemorySpace> spaceIn(const Program &program, const Plan &plan,
                                          const std::string &kernel, const std::string &array) {
  auto isNamed = [&](const KernelPlan &k) { // or a form of it, as in step0_wide
    std::string plain =
        fmt::format("{}_{}_{}", program.region.function, program.region.number, k.name);
    return kernel == plain || kernel.starts_with(plain + "_");
  };
  bool isPlanned = std::ranges::any_of(plan.kernels, isNamed);
  std::optional<MemorySpace> least;
  for (const KernelPlan &k : plan.kernels)
    if (!isPlanned || isNamed(k))
      for (const ArrayPlan &a : k.arrays)
        if (a.name == array)
          least = least ? std::min(*least, a.space) : a.space;
  return least;
}

void setSpaces(const Program &program, const Plan &plan, Kernels &kernels) {
  for (Kernel &k : kernels.kernels)
    for (KernelParameter &q : k.parameters)
      if (q.buffer >= 0 && q.isConst && !kernels.buffers[size_t(q.buffer)].array.empty())
        if (std::optional<MemorySpace> space =
                spaceIn(program, plan, k.name, kernels.buffers[size_t(q.buffer)].array))
          q.space = *space;
}

} // namespace nw
