// What lint finds, and the checks that find it: one file each. Checks take a trace of one kernel,
// the shape of its blocks and a device, and add findings.
#pragma once
#include "device/device_spec.h"
#include "lint/lanes.h"
#include "support/diagnostics.h"

namespace nw::lint {

struct Finding {
  Diagnostic diagnostic;
  int length = 1;     // columns that it is about
  std::string kernel; // its name
};

struct Subject {
  const written::Kernel &kernel;
  const Trace &trace;
  const Setting &setting;
  const DeviceSpec &device;
};

using Findings = std::vector<Finding>;

void checkGlobalAccesses(const Subject &subject, Findings &found);  // NW0501
void checkSharedAccesses(const Subject &subject, Findings &found);  // NW0502, NW0508
void checkRepeatedLoads(const Subject &subject, Findings &found);   // NW0505
void checkLoadsOfBlocks(const Subject &subject, Findings &found);   // NW0506
void checkDivergence(const Subject &subject, Findings &found);      // NW0507
void noteUnknownAddresses(const Subject &subject, Findings &found); // NW0510
void listAccesses(const Subject &subject, Findings &found);         // NW0500

// About a block's shape: NW0504 where warps are not full. `at` is where the shape is told.
void checkBlockShape(const Subject &subject, Location at, int length, Findings &found);
// NW0503. `registers` of a thread, 0: not known; `sharedBytes` in all.
void checkOccupancy(const Subject &subject, int registers, int64_t sharedBytes, Location at,
                    int length, Findings &found);

// "100 threads", "64x32 = 2048 threads".
std::string threadsText(const std::array<int64_t, 3> &block);

// An access of a warp, where it costs most.
struct WarpCost {
  int count = 0, ideal = 0; // transactions, or turns of the banks
  int aligned = 0;          // transactions if the array began where the first lane does
  int lanes = 0;            // that take part
  Surroundings iteration;
};
// Nothing where an address depends on data, or where no lane takes part.
std::optional<WarpCost> costOf(const Access &access, const Subject &subject);

// Where accesses begin in memory: a multiple of every transaction and every row of banks, so that
// offsets may be negative.
inline constexpr int64_t kArrayBegin = int64_t(1) << 40;

// An offset without what is only a constant: accesses that differ by a constant have the same.
SymbolP withoutConstants(const SymbolP &s);

Finding finding(const Subject &subject, const char *code, Severity severity, Location at,
                int length, std::string message, std::string help);

} // namespace nw::lint
