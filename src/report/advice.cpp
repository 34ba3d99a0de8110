// From bottlenecks to what can be done about them. Everything follows from what explain has found.
#include "report/advice.h"
#include "report/units.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace nw {

namespace {

// Neighbouring threads this many elements apart share no line of memory. What is nearer are points
// of one thread.
constexpr double kFarApart = 32;

const ExplainedKernel *longestKernel(const ExplainedRegion &r) {
  auto longest = std::max_element(r.kernels.begin(), r.kernels.end(),
                                  [](const ExplainedKernel &a, const ExplainedKernel &b) {
                                    return a.estimated.seconds < b.estimated.seconds;
                                  });
  return longest == r.kernels.end() ? nullptr : &*longest;
}

// The loop whose values neighbouring threads have.
std::string loopAlongThreads(const ExplainedKernel &k) {
  for (const ExplainedLoop &l : k.loops)
    if (l.mapping.find("threads x") != std::string::npos ||
        l.mapping.find("along x") != std::string::npos)
      return l.loop;
  return "";
}

// The reference to global memory that wastes most transactions, if that is a good part of them.
const ExplainedReference *mostWasteful(const ExplainedKernel &k) {
  const ExplainedReference *worst = nullptr;
  double all = 0, most = 0;
  for (const ExplainedArray &a : k.arrays)
    for (const ExplainedReference &r : a.references) {
      if (a.memory != "global")
        continue;
      all += r.accesses * r.transactions;
      double wasted = r.accesses * (r.transactions - r.ideal);
      bool isFar = !r.stride || std::fabs(*r.stride) >= kFarApart;
      if (isFar && r.transactions >= 2 * r.ideal && wasted > most) {
        most = wasted;
        worst = &r;
      }
    }
  return most > 0.2 * all ? worst : nullptr;
}

std::string ofReference(const ExplainedReference &r, const std::string &along) {
  std::string where = r.line ? fmt::format("line {}: ", r.line) : "";
  if (!r.stride)
    return fmt::format("{}which elements {} names is up to the data: order the data so that "
                       "iterations that follow each other use neighbouring elements",
                       where, r.text);
  return fmt::format(
      "{}neighbouring threads find {} {:.0f} elements apart: lay the array out so that "
      "{} lie side by side (a transposed copy may pay off)",
      where, r.text, std::fabs(*r.stride),
      along.empty() ? "the elements of neighbouring threads"
                    : "elements for neighbouring values of " + along);
}

std::string ofThreads(const ExplainedKernel &k, const DeviceSpec &device) {
  const LaunchShape &s = k.estimated.largest.shape;
  return fmt::format(
      "only {:.0f} threads for a device that holds {}: larger sizes, or another loop of the nest "
      "whose iterations do not depend on each other",
      s.blocks() * s.threads(), int64_t(device.multiprocessors) * device.residentThreads);
}

// What helps against the bottleneck of a kernel, whatever its accesses are; empty where nothing is
// known to.
std::string ofBound(const ExplainedKernel &k, const DeviceSpec &device) {
  if (k.estimated.bottleneck() == nameOf(Bound::Launches))
    return "the launches take longer than the work: larger sizes, or more work in each iteration "
           "of the loop around them";
  switch (k.estimated.largest.estimate.bound) {
  case Bound::TooFewThreads:
    return ofThreads(k, device);
  case Bound::Bandwidth:
  case Bound::CacheBandwidth:
    return "it moves data as fast as the memory does: a smaller element type, or one loop over "
           "arrays that several loops read now";
  case Bound::Fp64:
    return fmt::format("float instead of double, where its precision suffices: the device does "
                       "{:.0f} times as many operations on it",
                       device.fp32PerCycle / std::max(device.fp64PerCycle, 1e-9));
  case Bound::Special:
    return "fewer calls of sin, exp and such, or --fp=fast";
  case Bound::Barriers:
    return "every step waits for the whole grid: fewer steps, or several of them on a part that "
           "one block can hold";
  case Bound::Latency:
    return "threads wait for memory: more independent loads in an iteration, or a shorter chain of "
           "operations from one iteration to the next";
  default:
    return "";
  }
}

} // namespace

std::vector<std::string> adviceFor(const ExplainedRegion &r, const DeviceSpec &device) {
  std::vector<std::string> out;
  const ExplainedKernel *k = longestKernel(r);
  if (r.estimated.transferPageable > 2 * r.estimated.seconds)
    out.push_back(fmt::format("copies take {:.0f} times as long as the kernels: keep the data on "
                              "the device between regions (docs/openacc_data.md)",
                              r.estimated.transferPageable / std::max(r.estimated.seconds, 1e-12)));
  if (!k)
    return out;
  const ExplainedReference *wasteful = mostWasteful(*k);
  if (wasteful)
    out.push_back(ofReference(*wasteful, loopAlongThreads(*k)));
  bool isMemory = k->estimated.largest.estimate.bound == Bound::Bandwidth ||
                  k->estimated.largest.estimate.bound == Bound::CacheBandwidth;
  std::string byBound = !wasteful || !isMemory ? ofBound(*k, device) : "";
  if (!byBound.empty())
    out.push_back(byBound);
  if (out.empty())
    out.push_back("nothing in the source stands out; nestwarp tune measures other plans");
  return out;
}

} // namespace nw
