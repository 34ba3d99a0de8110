// Where a kernel reads an array: what a plan can say, and the targets can carry out.
#pragma once
#include <optional>
#include <string>

namespace nw {

enum class MemorySpace {
  Global,   // plain loads and stores
  ReadOnly, // nobody writes it while the kernel runs, and the text says so: const and restrict, so
            // that loads may take a read-only path
  Constant, // OpenCL: __constant. CUDA: as ReadOnly, since a __constant__ variable is one for all
            // streams, and a copy for each call
};

inline const char *nameOf(MemorySpace space) {
  return space == MemorySpace::Global     ? "global"
         : space == MemorySpace::ReadOnly ? "read-only"
                                          : "constant";
}

inline std::optional<MemorySpace> memorySpaceOf(const std::string &word) {
  for (MemorySpace space : {MemorySpace::Global, MemorySpace::ReadOnly, MemorySpace::Constant})
    if (word == nameOf(space))
      return space;
  return std::nullopt;
}

// OpenCL promises this many arguments in constant memory on every device.
constexpr int kMostConstantArrays = 8;

} // namespace nw
