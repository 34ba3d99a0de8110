// Algorithms 1 and 2, kernel by kernel.
#include "papers/patterns_steps.h"
#include "plan/step_patterns.h"
#include "plan/work_group_search.h"
#include "support/text.h"
#include <algorithm>
#include <fmt/format.h>

namespace nw::papers {

namespace {

constexpr size_t kListed = 16;
constexpr int kLeastGroup = 16;

class KernelSteps {
public:
  KernelSteps(const PaperRegion &region, const KernelPlan &kernel, const Step &step)
      : r(region), kernel(kernel), step(step) {}

  Lines run() {
    std::vector<std::string> grid(
        kernel.grid.begin(), kernel.grid.begin() + long(std::min<size_t>(3, kernel.grid.size())));
    say("{}: {}", kernel.name, threadsOf(grid));
    if (grid.empty())
      return lines;
    for (const ArrayPatterns &a : stepPatterns(r.program, step, step.around, grid))
      arrays.push_back(a);
    for (const ArrayPatterns &a : arrays)
      for (const AccessPattern &one : a.references)
        say("{}", withoutEnd(print(one)));
    for (const SpaceChoice &c : chooseSpaces(arrays, r.device))
      say("Algorithm 1: {}", print(c));
    groups(grid);
    return lines;
  }

private:
  template <class... A> void say(fmt::format_string<A...> text, A &&...of) {
    lines.push_back(fmt::format(text, std::forward<A>(of)...));
  }

  static std::string withoutEnd(std::string text) {
    while (text.ends_with('\n'))
      text.pop_back();
    return text;
  }

  static std::string threadsOf(const std::vector<std::string> &grid) {
    static const char *const kNames[] = {"tx", "ty", "tz"};
    std::vector<std::string> all;
    for (size_t k = 0; k < grid.size(); k++)
      all.push_back(fmt::format("{}={}", kNames[k], grid[k]));
    return listed(all, "one thread");
  }

  // The plan's own way to deal loops out, then all of them, each a kernel that competes.
  void groups(std::vector<std::string> grid) {
    ranked("Algorithm 2", {grid});
    std::vector<std::vector<std::string>> all;
    std::ranges::sort(grid);
    do
      all.push_back(grid);
    while (std::ranges::next_permutation(grid).found);
    if (all.size() > 1)
      ranked("Algorithm 2 over all mappings", all);
  }

  void ranked(const std::string &head, const std::vector<std::vector<std::string>> &mappings) {
    GroupSearch search;
    for (const std::vector<std::string> &grid : mappings) {
      MappedKernel mapped;
      std::vector<ArrayPatterns> here = stepPatterns(r.program, step, step.around, grid);
      std::vector<SpaceChoice> choices = chooseSpaces(here, r.device);
      for (size_t k = 0; k < here.size(); k++)
        mapped.arrays.push_back({here[k], choices[k].isStaged});
      for (size_t k = 0; k < grid.size(); k++)
        mapped.mapping.loops[k] = int(k);
      search.kernels.push_back(mapped);
    }
    search.sizes = r.groupSizes;
    for (int size = r.device.blockThreads; r.groupSizes.empty() && size >= kLeastGroup; size /= 2)
      search.sizes.push_back(size);
    search.registers = r.registers;
    std::vector<GroupCandidate> all = searchWorkGroups(search, r.device);
    say("{}: {} registers a thread ({}); {}", head, r.registers, r.registersBy,
        counted(int64_t(all.size()), "work group"));
    for (const GroupCandidate &c : bestGroups(all, kListed))
      say("{}: {}", threadsOf(mappings[c.kernel]), print(c, int(mappings[0].size())));
  }

  const PaperRegion &r;
  const KernelPlan &kernel;
  const Step &step;
  std::vector<ArrayPatterns> arrays;
  Lines lines;
};

} // namespace

Lines patternsSteps(const PaperRegion &region) {
  Lines lines;
  std::vector<PlannedStep> steps = plannedSteps(region.schedule.root);
  for (size_t k = 0; k < steps.size() && k < region.plan.kernels.size(); k++)
    for (const std::string &line :
         KernelSteps(region, region.plan.kernels[k], *steps[k].step).run())
      lines.push_back(line);
  return lines;
}

} // namespace nw::papers
