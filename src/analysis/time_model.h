// The model of time: what a launch could reach, what it asks of the memory, what holds it, and how
// long it takes, as pure functions of numbers (principles, section 4, worked there for the product
// of matrices on the 8800 GTX).
//
// Each unit of the device has a rate, and each warp has waits of its own. The warps of a wave start
// together and run in step for a while: they wait together, and then ask together. So a wave takes
// more than what the slowest unit needs, and less than that and the waits of one warp; only over
// several waves do blocks drift apart, so that one waits while another works, and where a
// multiprocessor has one block only, they never do. To that come launches, barriers of the grid and
// copies, which nothing hides.
#pragma once
#include "analysis/instruction_mix.h"
#include "analysis/occupancy.h"
#include <string>

namespace nw {

// What one launch does. Counts are of warps and of the whole launch where nothing else is said.
struct LaunchWork {
  InstructionMix mix;
  BlockNeeds block;
  double blocks = 1;     // of the grid
  double busyBlocks = 0; // of those, as many as would execute all instructions if each had the most
                         // that one has; 0: all
  double cacheLookups = 0;      // lines that loads of global memory touch
  double storedLines = 0;       // the same of stores
  double sharedTurns = 0;       // of the banks
  double secondBytes = 0;       // that reach the second-level cache
  double memoryBytes = 0;       // that reach memory
  double spilledBytes = 0;      // per thread, by the compiler's word
  double waitCycles = 0;        // that a warp cannot fill with work of its own: on average
  double longestWaitCycles = 0; // of the slowest warp
  double longestWorkCycles = 0; // of those, its own instructions
  double loadsInFlight = 1;     // bytes that a warp has asked for and not got, at its best
  double gridBarriers = 0;      // one after the other
  double blockBarriers = 0;     // the same, of one block
};

enum class Bound {
  Issue,
  Fp32,
  Fp64,
  Special,
  Integer,
  LoadStore,
  SharedMemory,
  CacheBandwidth,
  Bandwidth,
  Latency,
  TooFewThreads,
  Barriers,
  Launches,
  Transfer
};

struct Limit {
  Bound bound;
  double seconds = 0; // that it alone would take
};

struct LaunchEstimate {
  Occupancy occupancy;
  double seconds = 0;        // on the device, without the launch
  std::vector<Limit> limits; // the longest first
  Bound bound = Bound::Issue;
  std::string bottleneck;     // in the paper's words
  double potentialGflops = 0; // if nothing but issue limited it
  double demandGigabytes = 0; // per second, that memory would have to deliver for that
  double bytesInFlight = 0;   // on the whole device
  double bytesNeeded = 0;     // in flight, to keep the memory busy for as long as an answer takes
  double rounds = 1;          // of resident blocks
};

// Thread instructions per second that the device can issue.
double issueRate(const DeviceSpec &device);
// 2 x the share of fused multiply-adds x the issue rate, in GFLOPS, for a mix that may be anything
// else.
double potentialGflops(const InstructionMix &mix, const DeviceSpec &device);
// GB/s at the full issue rate, when each load or store of global memory moves so many bytes for a
// thread.
double bandwidthDemand(const InstructionMix &mix, double bytesPerAccess, const DeviceSpec &device);

// Of a grid of so many blocks; the device's number is that of one on each multiprocessor.
double barrierMicroseconds(double blocks, const DeviceSpec &device);

LaunchEstimate estimate(const LaunchWork &work, const DeviceSpec &device);
// One after the other, with everybody waiting in between. The bottleneck is that of the phases that
// take most of the time.
LaunchEstimate inSequence(const std::vector<LaunchEstimate> &phases);

// Seconds between the starts of two launches of that length in a row.
double inARow(double seconds, const DeviceSpec &device);
double transferSeconds(double toDevice, double fromDevice, int copies, const DeviceSpec &device,
                       bool isPinned);

const char *nameOf(Bound bound);

} // namespace nw
