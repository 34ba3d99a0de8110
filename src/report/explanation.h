// What `nestwarp explain` tells, as values: printed as text and as JSON from the same
// (docs/explain.md lists the keys). In the user's terms: names and lines of the source. Times are
// in seconds, sizes in bytes.
#pragma once
#include "estimate/alternatives.h"
#include "plan/step_patterns.h"
#include "report/forms.h"
#include "support/diagnostics.h"

namespace nw {

struct ExplainedReference {
  std::string text; // A[i][k]
  int line = 0;
  bool isWrite = false;
  std::string pattern;          // coalesced, broadcast, strided, scattered, ...
  std::optional<double> stride; // elements between neighbouring threads; nothing where data decide
  double accesses = 0;          // of warps
  double transactions = 0, ideal = 0; // per access; turns of the banks for shared memory
  double bytesAsked = 0, bytesFromSecond = 0, bytesFromMemory = 0;
};

struct ExplainedArray {
  std::string name, memory, why;
  std::vector<ExplainedReference> references;
  std::vector<AccessPattern> patterns; // of the source's references, over the loops of the schedule
};

struct ExplainedLoop {
  std::string loop,
      mapping; // "threads x", "threads y", "one thread after the other", "host", "kernel"
  int line = 0;
  double iterations = 0; // 0: not known
  std::string bounds;    // as the kernel has them; empty for those along threads
};

struct ExplainedKernel {
  std::string name, summary, why;
  std::vector<ExplainedForm> forms; // of its step, where there are several
  std::vector<ExplainedLoop> loops;
  std::vector<ExplainedArray> arrays;
  KernelResources resources;
  EstimatedKernel estimated;
  std::vector<Alternative> alternatives; // that lost, or won, with their times; the fastest first
  std::vector<std::string> obstacles;    // what blocks a better one
};

struct ExplainedRegion {
  std::string function, where;
  int number = 0, line = 0;
  std::map<std::string, int64_t> sizes;
  std::vector<std::string> assumed; // sizes that nobody gave
  EstimatedRegion estimated;
  std::vector<ExplainedKernel> kernels;
  std::vector<Alternative> alternatives;
  std::vector<std::string> share; // what became of a share hint
  std::vector<std::string> steps; // of a paper's algorithms, with --policy
};

struct Explanation {
  std::string file;
  DeviceSpec device;
  std::string compiler; // what registers were asked of, or empty
  std::string paper;    // whose steps are told; or empty
  std::vector<ExplainedRegion> regions;
  std::vector<Diagnostic> host; // nests that stay there, and why
};

// Everything about one region. `patterns`: of the plan's kernels.
ExplainedRegion explain(const Program &program, const RegionPlan &plan, const Kernels &kernels,
                        const EstimatedRegion &estimated,
                        const std::vector<Alternative> &alternatives, const DeviceSpec &device,
                        const std::vector<KernelPatterns> &patterns = {});

std::string toSummary(const Explanation &explanation); // ten to twenty lines
std::string toText(const Explanation &explanation);    // all of it
std::string toJson(const Explanation &explanation);
std::string toSteps(const Explanation &explanation); // what a paper's algorithms find, and no more

} // namespace nw
