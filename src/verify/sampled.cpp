// Sampled runs.
#include "verify/sampled.h"
#include "verify/sample_inputs.h"
#include <algorithm>
#include <fmt/format.h>

namespace nw {

namespace {

bool hasChoice(const HostStep &s) { return s.kind == HostKind::Choose || std::any_of(s.children.begin(), s.children.end(), hasChoice); }

class Sampling {
public:
  Sampling(const Program &program, const Kernels &kernels, const DeviceSpec &device, const SampleOptions &options)
      : program(program), kernels(kernels), options(options), inputs(program), hasForms(hasChoice(kernels.host)) {
    limits.blockThreads = device.blockThreads;
    for (size_t d = 0; d < 3; d++)
      limits.grid[d] = device.gridLimit[d];
  }

  SampleReport run() {
    static const std::vector<std::vector<int64_t>> kUsual = {{4, 5, 6, 3, 7}, {2, 3, 1, 2}, {7, 6, 5, 8, 4}, {1, 1, 1}, {9, 3, 11, 5}};
    static const std::vector<std::vector<int64_t>> kLarger = {{13, 11, 12, 10, 9}, {3, 8, 2, 5}, {6, 17, 4, 9}, {1, 2, 1}, {2, 1, 4, 3}, {33, 5, 34, 6}, {5, 40, 3, 37}};
    uint64_t seed = options.seed;
    for (const std::vector<int64_t> &wanted : options.larger ? kLarger : kUsual) {
      if (done())
        break;
      tryInput(inputs.near(wanted), seed++);
    }
    if (!options.larger)
      beyondBlocks();
    else
      for (size_t k = 0; k < inputs.parameters() && !done(); k++)
        for (int64_t value : {65, 300, 520})
          if (auto scalars = inputs.withLarge(k, value, {3, 4, 2}); scalars && !done())
            tryInput(*scalars, seed++);
    refusal();
    if (!report.inputs && report.skippedWhy.empty())
      report.skippedWhy = "no input was found that the original is defined for";
    return std::move(report);
  }

private:
  bool done() const { return !report.findings.empty() || report.steps > options.budget; }

  // One dimension longer than a block, if there are steps left.
  void beyondBlocks() {
    for (size_t k = 0; k < inputs.parameters() && report.inputs < options.inputs + 2 && !done() && report.steps < options.budget / 2; k++)
      if (auto scalars = inputs.withLarge(k, 261, {2, 3, 2}))
        tryInput(*scalars, options.seed + 100 + k);
  }

  // Where the model's assumptions do not hold, the kernels must not be run.
  void refusal() {
    if (done())
      return;
    std::optional<std::map<std::string, int64_t>> scalars = inputs.outside();
    if (!scalars)
      return;
    SampleInput input;
    input.scalars = *scalars;
    RunLimits few = limits;
    few.steps = 1000;
    if (inputs.isInside(input))
      return;
    if (runKernels(program, kernels, input, few).kind != RunResult::Kind::Refused)
      report.findings.push_back({"assumptions", fmt::format("the kernels run although the model's assumptions do not hold for {}", shown(input))});
  }

  static std::string shown(const SampleInput &input) {
    std::string text;
    for (auto &[name, value] : input.scalars)
      text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", name, value);
    return text.empty() ? "any input" : text;
  }

  // Runs the original on data of several ranges until one is defined.
  void tryInput(const std::map<std::string, int64_t> &scalars, uint64_t seed) {
    int64_t least = 7;
    for (auto &[name, value] : scalars)
      least = std::min(least, std::max<int64_t>(value, 1));
    const std::pair<int64_t, int64_t> ranges[] = {{-4, 9}, {0, least - 1}, {1, 3}, {0, 1}, {1, 1}, {0, 0}};
    SampleInput input;
    input.scalars = scalars;
    input.seed = seed;
    RunLimits few = limits;
    few.steps = std::max<int64_t>(options.budget / 4, 1000);
    if (!scalars.empty() && std::find(tried.begin(), tried.end(), scalars) != tried.end())
      return;
    tried.push_back(scalars);
    for (auto &[smallest, largest] : ranges) {
      input.smallest = smallest;
      input.largest = largest;
      RunResult original = runOriginal(program.region, input, few);
      report.steps += original.steps;
      if (original.kind == RunResult::Kind::TooLong) {
        report.skippedWhy = fmt::format("the original takes more than {} steps", few.steps);
        return;
      }
      if (original.kind == RunResult::Kind::Finished) {
        compareForms(input, original);
        return;
      }
      report.skippedWhy = original.why;
    }
  }

  void compareForms(const SampleInput &input, const RunResult &original) {
    // No kernels need more than this for each step of the original; those that do hang.
    constexpr int64_t kMost = 3000000;
    int64_t enough = 100000 + 20000 * original.steps;
    RunLimits now = limits;
    bool compared = false;
    for (ResidentForm form : {ResidentForm::Never, ResidentForm::OneBlock, ResidentForm::Grid}) {
      if ((form != ResidentForm::Never && !hasForms) || done())
        break;
      now.resident = form;
      now.steps = std::min(enough, kMost);
      RunResult result = runKernels(program, kernels, input, now);
      report.steps += result.steps;
      report.runs++;
      if (result.kind == RunResult::Kind::Refused) {
        if (inputs.isInside(input))
          report.findings.push_back({"assumptions", fmt::format("the kernels refuse {}, for which the model's assumptions hold", shown(input))});
        return;
      }
      for (const Finding &f : result.findings)
        note(f, input);
      if (result.kind == RunResult::Kind::TooLong) {
        if (enough < kMost && result.findings.empty())
          note({"endless", "the kernels do not end"}, input);
        break;
      }
      compared = true;
      if (result.findings.empty())
        for (const Finding &f : compareRuns(program.region, original, result))
          note(f, input);
    }
    report.inputs += compared;
  }

  void note(const Finding &f, const SampleInput &input) { report.findings.push_back({f.check, fmt::format("{} (for {})", f.what, shown(input))}); }

  const Program &program;
  const Kernels &kernels;
  const SampleOptions &options;
  SampleInputs inputs;
  bool hasForms;
  RunLimits limits;
  SampleReport report;
  std::vector<std::map<std::string, int64_t>> tried;
};

} // namespace

SampleReport runSamples(const Program &program, const Kernels &kernels, const DeviceSpec &device, const SampleOptions &options) {
  return Sampling(program, kernels, device, options).run();
}

std::vector<Finding> checkSamples(const Program &program, const Kernels &kernels, const DeviceSpec &device) {
  return runSamples(program, kernels, device).findings;
}

} // namespace nw
