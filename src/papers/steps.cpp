// Which paper tells what.
#include "papers/steps.h"
#include "papers/affine_steps.h"
#include "papers/patterns_steps.h"
#include "papers/principles_steps.h"
#include "papers/share_steps.h"
#include <algorithm>
#include <fmt/format.h>

namespace nw::papers {

const std::vector<Paper> &allPapers() {
  static const std::vector<Paper> all = {
      {"affine", "A Compiler Framework for Optimization of Affine Loop Nests for GPGPUs (2008)"},
      {"share", "a data-centric approach to shared memory for OpenACC"},
      {"principles", "Optimization Principles and Application Performance Evaluation of a "
                     "Multithreaded GPU Using CUDA (2008)"},
      {"patterns", "Algorithmic GPGPU Memory Optimization (2014)"},
      {"lite", "CUDA-lite: Reducing GPU Programming Complexity (2008)"}};
  return all;
}

const Paper *paperOf(const std::string &name) {
  auto found = std::ranges::find(allPapers(), name, &Paper::name);
  return found == allPapers().end() ? nullptr : &*found;
}

// The plain kernels beside those whose loads, stores or both go through shared memory.
static Lines liteSteps(const Question &q) {
  Lines lines;
  for (const EstimatedKernel &k : q.estimated.kernels)
    lines.push_back(fmt::format("{}: as planned: {:.4g} us, {} on a multiprocessor",
                                q.kernels.kernels[size_t(k.kernel)].name, k.seconds * 1e6,
                                counted(k.largest.estimate.occupancy.blocks, "block")));
  bool isAny = false;
  for (const Alternative &a : q.alternatives)
    if (a.isStrips) {
      lines.push_back(fmt::format("{}: {:.4g} us", a.what, a.seconds * 1e6));
      isAny = true;
    }
  if (!isAny)
    lines.push_back("no thread walks along a row of its own: nothing is to be coalesced");
  return lines;
}

Lines stepsBy(const Paper &paper, const Question &q) {
  if (paper.name == "affine")
    return affineSteps(q.region);
  if (paper.name == "share")
    return shareSteps(q.region);
  if (paper.name == "patterns")
    return patternsSteps(q.region);
  if (paper.name == "principles")
    return principlesSteps(q.estimated, q.kernels, q.region);
  return liteSteps(q);
}

} // namespace nw::papers
