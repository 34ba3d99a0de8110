// The fields of a DeviceSpec, once: name in JSON, member, range and meaning. Reading, writing,
// listing and checking walk over this table, so that a new field is one line here and one in
// device_spec.h.
#pragma once
#include "device/device_spec.h"

namespace nw {

// What a number may be, and what it counts.
struct FieldRange {
  double low, high;
};

// Calls visit(name, member, range, meaning) for every field; for texts, words and switches the
// range is empty.
template <class Spec, class Visit> void visitFields(Spec &d, Visit &&visit) {
  constexpr double kBytes = 1e15;
  constexpr FieldRange none{0, 0};
  visit("name", d.name, none, "as in --device=NAME");
  visit("title", d.title, none, "as people call it");
  visit("kind", d.kind, none, "how it is programmed");
  visit("architecture", d.architecture, none, "the compiler's word for it");
  visit("year", d.year, FieldRange{0, 9999}, "when it came out");
  visit("portable", d.portable, none,
        "whether kernels planned for no certain device must run on it");
  visit("source", d.source, none, "where the numbers are from");
  visit("estimated", d.estimated, none, "fields that are a guess");

  visit("warp", d.warp, FieldRange{1, 1024}, "threads that run in step");
  visit("blockThreads", d.blockThreads, FieldRange{1, 65536}, "most threads of a block");
  visit("preferredBlock", d.preferredBlock, FieldRange{1, 65536},
        "threads of a block when nothing speaks against it");
  visit("blockLimit", d.blockLimit, FieldRange{1, 65536}, "most threads of a block in x, y, z");
  visit("gridLimit", d.gridLimit, FieldRange{1, 4294967295.0}, "most blocks of a grid in x, y, z");
  visit("multiprocessors", d.multiprocessors, FieldRange{1, 100000}, "multiprocessors");
  visit("coresPerMultiprocessor", d.coresPerMultiprocessor, FieldRange{1, 100000},
        "scalar cores of a multiprocessor");
  visit("clockGigahertz", d.clockGigahertz, FieldRange{0.001, 100}, "GHz");
  visit("residentThreads", d.residentThreads, FieldRange{1, 1000000},
        "threads resident on a multiprocessor");
  visit("residentBlocks", d.residentBlocks, FieldRange{1, 100000},
        "blocks resident on a multiprocessor");

  visit("registers", d.registers, FieldRange{1, 1e9}, "32-bit registers of a multiprocessor");
  visit("registersPerThread", d.registersPerThread, FieldRange{1, 100000},
        "most registers of a thread");
  visit("registerGranularity", d.registerGranularity, FieldRange{1, 100000},
        "registers are given out in steps of this");
  visit("registerUnit", d.registerUnit, none, "what registers are given out to");
  visit("warpGranularity", d.warpGranularity, FieldRange{1, 64},
        "warps are given registers in groups of this");

  visit("fp32PerCycle", d.fp32PerCycle, FieldRange{0, 1e6},
        "fp32 multiply-adds of a multiprocessor in a cycle");
  visit("fp64PerCycle", d.fp64PerCycle, FieldRange{0, 1e6},
        "fp64 multiply-adds in a cycle; 0: none");
  visit("specialPerCycle", d.specialPerCycle, FieldRange{0.001, 1e6},
        "reciprocals, square roots, sines in a cycle");
  visit("integerPerCycle", d.integerPerCycle, FieldRange{0.001, 1e6},
        "integer additions in a cycle");
  visit("integerMultiplyPerCycle", d.integerMultiplyPerCycle, FieldRange{0.001, 1e6},
        "integer multiplications in a cycle");
  visit("loadStorePerCycle", d.loadStorePerCycle, FieldRange{0.001, 1e6},
        "threads' loads and stores in a cycle");
  visit("issuePerCycle", d.issuePerCycle, FieldRange{0.001, 1e6},
        "instructions of warps issued in a cycle");
  visit("arithmeticLatency", d.arithmeticLatency, FieldRange{1, 1000},
        "cycles until the next instruction can use a result");

  visit("sharedBytes", d.sharedBytes, FieldRange{0, kBytes},
        "most shared memory of a block, without opting in");
  visit("sharedOptInBytes", d.sharedOptInBytes, FieldRange{0, kBytes},
        "most shared memory of a block that opts in");
  visit("sharedPerMultiprocessor", d.sharedPerMultiprocessor, FieldRange{0, kBytes},
        "shared memory of a multiprocessor, bytes");
  visit("sharedReservedPerBlock", d.sharedReservedPerBlock, FieldRange{0, kBytes},
        "shared memory that each block loses, bytes");
  visit("sharedGranularity", d.sharedGranularity, FieldRange{1, kBytes},
        "shared memory is given out in steps of this");
  visit("banks", d.banks, FieldRange{1, 65536}, "banks of shared memory");
  visit("bankWidth", d.bankWidth, FieldRange{1, 65536}, "bytes of a bank's word");
  visit("bankGroup", d.bankGroup, FieldRange{1, 1024},
        "threads whose accesses are served together");
  visit("subWordRule", d.subWordRule, none, "threads that touch parts of one word");
  visit("wideRule", d.wideRule, none, "elements twice as wide as a bank");
  visit("sharedStartCycles", d.sharedStartCycles, FieldRange{0, 1e6},
        "t_start of a shared-memory access");
  visit("sharedRequestCycles", d.sharedRequestCycles, FieldRange{0, 1e6},
        "t_request: each further way of a conflict");
  visit("sharedTurnCycles", d.sharedTurnCycles, FieldRange{0, 1e6},
        "cycles of the banks for one turn when many warps ask");

  visit("coalescingRule", d.coalescingRule, none, "how accesses become transactions");
  visit("coalescingGroup", d.coalescingGroup, FieldRange{1, 1024},
        "threads that the rule looks at together");
  visit("transactionBytes", d.transactionBytes, FieldRange{1, 65536},
        "sizes of a transaction, ascending");
  visit("memoryBytes", d.memoryBytes, FieldRange{1, kBytes}, "global memory");
  visit("constantBytes", d.constantBytes, FieldRange{0, kBytes}, "constant memory");
  visit("constantCacheBytes", d.constantCacheBytes, FieldRange{0, kBytes},
        "its cache, per multiprocessor");
  visit("readOnlyPath", d.readOnlyPath, none, "a texture or read-only cache beside plain loads");
  visit("readOnlyCacheBytes", d.readOnlyCacheBytes, FieldRange{0, kBytes},
        "that cache, per multiprocessor");
  visit("memoryChannels", d.memoryChannels, FieldRange{0, 65536},
        "memory channels; 0: no stride makes them uneven");
  visit("channelBytes", d.channelBytes, FieldRange{0, 1e9}, "adjacent bytes in one channel");
  visit("l1Bytes", d.l1Bytes, FieldRange{0, kBytes},
        "cache of plain loads, per multiprocessor; 0: none");
  visit("l1LinesPerCycle", d.l1LinesPerCycle, FieldRange{0.001, 1e6},
        "lines of that cache that a multiprocessor looks up in a cycle");
  visit("l2Bytes", d.l2Bytes, FieldRange{0, kBytes}, "second-level cache; 0: none");
  visit("l2Bandwidth", d.l2Bandwidth, FieldRange{0, 1e9}, "GB/s of that cache");
  visit("dramBandwidth", d.dramBandwidth, FieldRange{0.001, 1e9}, "GB/s by the data sheet");
  visit("copyBandwidth", d.copyBandwidth, FieldRange{0.001, 1e9},
        "GB/s of a copying kernel, reads and writes");
  visit("memoryLatency", d.memoryLatency, FieldRange{0.001, 1e9}, "ns from a load to its value");
  visit("l2Latency", d.l2Latency, FieldRange{0, 1e9}, "the same from the second-level cache");
  visit("l1Latency", d.l1Latency, FieldRange{0, 1e9}, "the same from the cache of plain loads");

  visit("launchMicroseconds", d.launchMicroseconds, FieldRange{0, 1e6},
        "us of a kernel in a row of kernels");
  visit("gridBarrierMicroseconds", d.gridBarrierMicroseconds, FieldRange{0, 1e6},
        "us of a grid barrier; 0: there is none");
  visit("toDeviceBandwidth", d.toDeviceBandwidth, FieldRange{0.001, 1e6},
        "GB/s to the device, pinned");
  visit("fromDeviceBandwidth", d.fromDeviceBandwidth, FieldRange{0.001, 1e6},
        "GB/s from the device, pinned");
  visit("toDevicePageable", d.toDevicePageable, FieldRange{0.001, 1e6},
        "GB/s to the device, ordinary memory");
  visit("fromDevicePageable", d.fromDevicePageable, FieldRange{0.001, 1e6},
        "GB/s from the device, ordinary memory");
  visit("transferMicroseconds", d.transferMicroseconds, FieldRange{0, 1e6},
        "us of the smallest copy");
}

} // namespace nw
