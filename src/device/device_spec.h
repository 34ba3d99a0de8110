// What a device is, as plain data. The planner and the analyses take their numbers from here and
// nowhere else. The numbers themselves are in catalogue/*.json; device_fields.h says what each of
// them may be.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace nw {

// How a device is programmed. A CPU is one under OpenCL whose threads are loops.
enum class DeviceKind { Cuda, OpenCl, Cpu };

// How the accesses of a group of threads become memory transactions.
//   InOrder   one transaction when thread k touches element k of an aligned row of elements of 4, 8
//   or 16 bytes; else
//             one for each thread (compute capability 1.0)
//   Segments  one for each aligned segment that is touched, of the smallest size that holds what is
//   touched of it (1.2) Lines     one for each aligned sector of the smallest size that is touched;
//   a cache keeps whole lines of the largest
enum class CoalescingRule { InOrder, Segments, Lines };

// What threads pay that touch different parts of one bank's word.
//   Conflict   each part is a request of its own; one word, read as a whole, is broadcast
//   Broadcast  any number of threads that touch one word cost one request
enum class SubWordRule { Conflict, Broadcast };

// How elements twice as wide as a bank are served.
//   TwoRequests  as two requests of all threads of the group, each with twice the stride
//   Halves       half of the group at a time, each without conflicts of its own making
//   Whole        as one request: the banks deliver two words
enum class WideRule { TwoRequests, Halves, Whole };

enum class RegisterUnit {
  Block,
  Warp
}; // what registers are allocated to, in steps of registerGranularity

struct DeviceSpec {
  // What it is.
  std::string name;  // as in --device=NAME
  std::string title; // as people call it
  DeviceKind kind = DeviceKind::Cuda;
  std::string architecture; // the compiler's word: sm_90; may be empty
  int year = 0;
  bool portable = true; // whether kernels that are planned for no certain device must run on it
  std::string source;   // where the numbers are from
  std::vector<std::string> estimated; // the fields that are a guess

  // Threads and their limits.
  int warp = 32;            // threads that run in step
  int blockThreads = 1024;  // most threads of a block
  int preferredBlock = 256; // threads of a block when nothing speaks against it
  long long blockLimit[3] = {1024, 1024, 64};
  long long gridLimit[3] = {2147483647, 65535, 65535};
  int multiprocessors = 1;
  int coresPerMultiprocessor = 128; // scalar
  double clockGigahertz = 1;
  int residentThreads = 2048; // per multiprocessor
  int residentBlocks = 32;    // per multiprocessor

  // Registers of 32 bits.
  int registers = 65536;        // per multiprocessor
  int registersPerThread = 255; // at most
  int registerGranularity = 256;
  RegisterUnit registerUnit = RegisterUnit::Warp;
  int warpGranularity = 4; // warps of a block that get registers come in groups of this

  // Operations per cycle of one multiprocessor, counted in threads; issuePerCycle in warps.
  double fp32PerCycle = 128;   // fused multiply-adds
  double fp64PerCycle = 64;    // the same; 0: none
  double specialPerCycle = 16; // reciprocal, square root, sine
  double integerPerCycle = 64; // additions
  double integerMultiplyPerCycle = 64;
  double loadStorePerCycle = 32;
  double issuePerCycle = 4;
  double arithmeticLatency = 4; // cycles until the next instruction of the warp can use a result

  // Shared memory.
  int64_t sharedBytes = 49152;      // most of a block, without opting in to more
  int64_t sharedOptInBytes = 49152; // most of a block that opts in
  int64_t sharedPerMultiprocessor = 49152;
  int64_t sharedReservedPerBlock = 0;
  int64_t sharedGranularity = 128;
  int banks = 32;
  int bankWidth = 4;  // bytes
  int bankGroup = 32; // threads whose accesses are served together
  SubWordRule subWordRule = SubWordRule::Broadcast;
  WideRule wideRule = WideRule::Halves;
  double sharedStartCycles =
      0; // an access of conflict degree n takes sharedStartCycles + n * sharedRequestCycles
  double sharedRequestCycles = 1;
  double sharedTurnCycles = 1; // of the banks, for one turn when many warps ask: throughput, where
                               // the two above are one warp's wait

  // Global memory and what stands before it.
  CoalescingRule coalescingRule = CoalescingRule::Lines;
  int coalescingGroup = 32; // threads that the rule looks at together: a half-warp or a warp
  std::vector<int> transactionBytes = {32, 128}; // the sizes there are, ascending
  int64_t memoryBytes = 0;
  int64_t constantBytes = 65536;
  int64_t constantCacheBytes = 8192; // per multiprocessor
  bool readOnlyPath = true;          // a texture or read-only cache beside the path of plain loads
  int64_t readOnlyCacheBytes = 0;    // per multiprocessor
  int memoryChannels = 0;            // 0: no stride makes them uneven
  int channelBytes = 0;              // adjacent bytes in one channel
  int64_t l1Bytes =
      0; // cache of plain loads, per multiprocessor, with the shared memory where they are one
  double l1LinesPerCycle = 1; // that a multiprocessor looks up in it
  int64_t l2Bytes = 0;
  double l2Bandwidth = 0;     // GB/s; 0: no such cache
  double dramBandwidth = 1;   // GB/s, by the data sheet
  double copyBandwidth = 1;   // GB/s that a copying kernel reaches, reads and writes together
  double memoryLatency = 500; // ns
  double l2Latency = 0, l1Latency = 0; // the same from the caches

  // Between host and device.
  double launchMicroseconds = 5;      // of one kernel in a row of kernels
  double gridBarrierMicroseconds = 0; // 0: the device has no grid barrier
  double toDeviceBandwidth = 1;       // GB/s, host memory pinned
  double fromDeviceBandwidth = 1;
  double toDevicePageable = 1; // GB/s, ordinary host memory
  double fromDevicePageable = 1;
  double transferMicroseconds = 10; // of the smallest copy
};

// The devices that the tool knows by name: CUDA before OpenCL before CPUs, new before old. The
// first is the default target of --target=cuda.
const std::vector<DeviceSpec> &deviceCatalogue();
const DeviceSpec *findDevice(const std::string &name);
// Limits that hold on every portable device of the catalogue: what portable kernels are planned
// for. Its rates are those of the catalogue's first device.
DeviceSpec commonDevice();

} // namespace nw
