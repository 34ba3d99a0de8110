// Candidates of one region made into what can be measured: predicted by the model of time, lowered,
// verified, held against the device's limits, and printed as C.
#pragma once
#include "driver/pipeline.h"
#include "support/parallel.h"
#include "tune/strategy.h"

namespace nw {

// What candidates are made for.
struct TuneTarget {
  DeviceSpec planned;   // whose limits plans keep to
  DeviceSpec predicted; // whose times the model tells
  std::map<std::string, int64_t> sizes;
  bool asksCompiler = false; // registers, spills and shared memory are asked of nvcc
};

// One candidate, or why it is none.
struct MadeCandidate {
  Candidate choice;
  std::string refused; // why; empty: it can be measured
  std::string plan;    // JSON
  std::string words;   // how it differs from the proposed plan
  std::string text;    // its region function, as C for the runtime
  std::string cuda;    // its kernels
  std::vector<std::string> forms =
      {}; // its function once more, in forms that it has at other sizes, see tune/forms.h
};

// Predicts candidates of a region; those that cannot be lowered are put down as refused. Their
// number.
size_t predict(const CompiledRegion &region, const Space &space,
               const std::vector<Candidate> &candidates, const TuneTarget &target, Knowledge &known,
               const Deadline &deadline, const std::function<bool()> &isStopped);

// Makes candidates of a region; those without an answer (a crash, or the deadline) are refused,
// too.
std::vector<MadeCandidate> make(const CompiledRegion &region, const Space &space,
                                const std::vector<Candidate> &candidates, const TuneTarget &target,
                                const EmitOptions &options, const Deadline &deadline,
                                const std::function<bool()> &isStopped);
// The proposed plan, which is made already.
MadeCandidate madeAsProposed(const CompiledRegion &region, const Space &space,
                             const TuneTarget &target, const EmitOptions &options);

} // namespace nw
