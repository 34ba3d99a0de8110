// Registers, spills and shared memory of kernels: as ptxas reports them, or else by a model; and
// their loops as nvcc translates them.
#pragma once
#include "analysis/instruction_mix.h"
#include "device/device_spec.h"
#include "kernel/kernel.h"
#include <string>

namespace nw {

struct KernelResources {
  int registers = 0;                      // per thread
  int spilledBytes = 0;                   // per thread, stores and loads together
  int64_t sharedBytes = 0;                // of a block
  bool isMeasured = false;                // by the compiler
  std::vector<InstructionMix> loops = {}; // bodies of the innermost loops, from its PTX
  int64_t stackBytes = 0; // per thread, in memory: arrays that did not become registers, and spills
};

// What `ptxas -v` said, by kernel.
std::map<std::string, KernelResources> resourcesFromReport(const std::string &report);

// The model: pointers, variables that live at a time, loads that are in flight together, and
// operands of unrolled code in shared memory; at most what the launch's bounds leave.
// docs/explain.md tells how far it is from ptxas; kernels that spill are not foreseen.
KernelResources modelledResources(const Program &program, const Kernel &kernel,
                                  const DeviceSpec &device);

} // namespace nw
