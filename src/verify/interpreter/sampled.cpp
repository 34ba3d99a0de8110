// Sampled runs.
#include "verify/interpreter/sampled.h"
#include "kernel/reduction_steps.h"
#include "verify/interpreter/field.h"
#include "verify/interpreter/sample_inputs.h"
#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace nw {

namespace {

// Sides of the blocks that kernels run in; 0 as planned.
constexpr int kSmall = 2, kPlanned = 0;
constexpr int kFusedRuns = 3;
constexpr int64_t kFusedSteps = 4000000;

class Sampling {
public:
  Sampling(const Program &program, const Kernels &kernels, const DeviceSpec &device,
           const SampleOptions &options)
      : program(program), kernels(kernels), options(options), inputs(program),
        selections(selectionsOf(kernels.host)) {
    limits.blockThreads = device.blockThreads;
    for (size_t d = 0; d < 3; d++)
      limits.grid[d] = device.gridLimit[d];
  }

  SampleReport run() {
    if (options.larger)
      moreInputs();
    else
      usualInputs();
    refusal();
    if (!report.inputs && report.skippedWhy.empty())
      report.skippedWhy = "no input was found that the original is defined for";
    return std::move(report);
  }

private:
  bool done() const {
    return !report.findings.empty() || report.steps > options.budget || isHopeless;
  }

  // Small sizes in small blocks first, which show most; then the edges; then blocks as planned.
  void usualInputs() {
    allForms = true;
    tryInput(inputs.near({4, 5, 6, 3, 7}), kSmall);
    allForms = false;
    tryInput(inputs.anywhere({1, 1, 1}), kSmall);
    tryInput(inputs.near({7, 6, 5, 8, 4}), kSmall);
    for (size_t k = 0; k < std::min<size_t>(inputs.parameters(), 4);
         k++) // one parameter at the edge, the others not
      for (int64_t edge : {0, 1}) {
        std::vector<int64_t> wanted = {4, 3, 5, 4};
        wanted[k] = edge;
        tryInput(inputs.anywhere(wanted), kSmall);
      }
    for (size_t k = 0; k < std::min<size_t>(inputs.parameters(), 4);
         k++) { // and the other way round
      std::vector<int64_t> wanted = {1, 1, 1, 1};
      wanted[k] = 3;
      tryInput(inputs.anywhere(wanted), kSmall);
    }
    for (int k = 0; k < (choosesByData() ? 5 : 1); k++)
      tryInput(inputs.anywhere({1, 1, 1}), kSmall, true);
    tryInput(inputs.near({5, 8, 6, 9}), kSmall);
    tryInput(inputs.near({3, 2, 1, 2}), kSmall);
    tryInput(inputs.near({5, 3, 2, 4}), kSmall);
    if (hasForm(kernels.host, KernelForm::WideWindows)) // legal for rows of several elements' width
      for (const std::vector<int64_t> &wanted :
           std::vector<std::vector<int64_t>>{{8, 8, 8, 8}, {4, 12, 8, 16}})
        tryInput(inputs.near(wanted), kSmall);
    allForms = true;
    tryInput(inputs.near({2, 3, 1, 2}), kPlanned);
    allForms = false;
    longReductions(options.budget / 2);
    beyondBlocks();
    tryInput(inputs.near({9, 4, 11, 5}), kSmall);
    tryInput(inputs.near({6, 11, 5, 7}), kSmall);
    tryInput(inputs.near({13, 7, 12, 10}), kSmall);
    if (choosesByData())
      for (int64_t k = 0; k < 12; k++)
        tryInput(inputs.near({4 + k % 4, 3 + k % 5, 5 + k % 2}), kSmall, true);
  }

  // Whether bodies compare data: then one run shows only one of the outcomes.
  bool choosesByData() const {
    bool found = false;
    for (const Statement &s : program.statements) {
      walkStmts(s.body, [&](const StmtP &x) {
        found |=
            x->kind == StmtKind::If || x->kind == StmtKind::While || x->kind == StmtKind::DoWhile;
      });
      walkExprs(s.body, [&](const ExprP &e) {
        found |= e->kind == ExprKind::Select ||
                 (e->kind == ExprKind::Call && (e->name == "fmin" || e->name == "fmax"));
        return !found;
      });
    }
    return found;
  }

  // Reductions are trees over blocks of the planned size: each of their levels shows only when
  // there are as many terms. The largest size that is cheap enough, in the plain form.
  void longReductions(int64_t most) {
    int64_t block = 0;
    for (const Kernel &k : kernels.kernels)
      if (!k.isResident() && isReduction(k))
        block = std::max<int64_t>({block, k.block[0], k.block[1]});
    int runs = 0;
    for (const std::vector<int64_t> &others :
         std::vector<std::vector<int64_t>>{{23, 29, 24}, {9, 8, 9}, {2, 3, 2}})
      for (size_t k = 0; k < inputs.parameters() && block && runs < 2; k++)
        for (int64_t value = 2 * block + 5; value > 16; value = value / 2 + 2)
          if (auto scalars = inputs.withLarge(k, value, others);
              scalars && isCheap(*scalars, most)) {
            onlyPlain = true;
            tryInput(*scalars, kPlanned, true, most / 4);
            onlyPlain = false;
            runs++;
            break;
          }
  }

  bool isCheap(const std::map<std::string, int64_t> &scalars, int64_t most) const {
    SampleInput input;
    input.scalars = scalars;
    RunLimits counting = limits;
    counting.countOnly = true;
    counting.steps = most;
    return runKernels(program, kernels, input, counting).kind == RunResult::Kind::Finished;
  }

  static bool isReduction(const Kernel &kernel) {
    bool found = hasReductions(kernel.body);
    walkStmts(kernel.body, [&](const StmtP &s) { found |= s->kind == StmtKind::Shared; });
    return found;
  }

  void moreInputs() {
    longReductions(options.budget / 2);
    for (const std::vector<int64_t> &wanted : std::vector<std::vector<int64_t>>{
             {8, 7, 9, 6}, {3, 8, 2, 5}, {6, 17, 4, 9}, {14, 5, 6, 13}, {5, 16, 15, 3}}) {
      tryInput(inputs.near(wanted), kSmall);
      tryInput(inputs.anywhere(wanted), 3);
    }
    for (int64_t x : {0, 1, 2, 3})
      for (int64_t y : {0, 1, 2, 5})
        tryInput(inputs.anywhere({x, y, 3, x}), kSmall);
    for (const std::vector<int64_t> &wanted :
         std::vector<std::vector<int64_t>>{{19, 18, 17, 21}, {33, 5, 34, 6}, {5, 37, 3, 36}})
      tryInput(inputs.near(wanted), kPlanned);
    for (int64_t value : {65, 300, 520})
      for (size_t k = 0; k < inputs.parameters(); k++)
        if (auto scalars = inputs.withLarge(k, value, {3, 4, 2}))
          tryInput(*scalars, kPlanned);
  }

  // One dimension longer than a block as planned, if there are steps left and the others are short.
  void beyondBlocks() {
    std::set<int64_t> widths;
    for (const Kernel &k : kernels.kernels)
      widths.insert((k.isResident() ? 2 : 1) * k.block[0] + 5);
    for (int64_t width : widths)
      for (size_t k = 0; k < inputs.parameters() && report.steps < options.budget / 2; k++)
        if (auto scalars = inputs.withLarge(k, width, {2, 3, 2}); scalars && width > 6)
          tryInput(*scalars, kPlanned, false, options.budget / 40);
  }

  // The kernels must be refused where the model's assumptions do not hold, and only there. Nothing
  // is run for this.
  void refusal() {
    std::optional<std::map<std::string, int64_t>> outside = inputs.outside();
    if (done() || !outside)
      return;
    RunLimits counting = limits;
    counting.countOnly = true;
    counting.steps = 1000;
    SampleInput input;
    uint64_t state = options.seed;
    for (int k = 0; k < (options.larger ? 200 : 60) && report.findings.empty(); k++) {
      input.scalars = *outside;
      if (k > 0) // near the border, which small numbers often are
        for (auto &[name, value] : input.scalars) {
          state = field::mixed(state);
          value = state % 5 == 0 ? int64_t(state >> 32) % 80
                                 : int64_t(state >> 16) % 7 - (state % 11 == 0 ? 3 : 0);
        }
      if (!inputs.isDefined(input))
        continue;
      bool inside = inputs.isInside(input),
           refused = runKernels(program, kernels, input, counting).kind == RunResult::Kind::Refused;
      if (inside == refused && (!inside || isSmall(input)))
        report.findings.push_back(
            {"assumptions",
             fmt::format("the kernels {} {}, for which the model's assumptions {}hold",
                         refused ? "refuse" : "run on", shown(input), inside ? "" : "do not ")});
    }
  }

  // Kernels refuse sizes for which their numbers are too short.
  static bool isSmall(const SampleInput &input) {
    return std::all_of(input.scalars.begin(), input.scalars.end(),
                       [](auto &entry) { return std::abs(entry.second / 2) < (1 << 20); });
  }

  static std::string shown(const SampleInput &input) {
    std::string text;
    for (auto &[name, value] : input.scalars)
      text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", name, value);
    return text.empty() ? "any input" : text;
  }

  // Runs the original on data of several ranges until one is defined.
  void tryInput(const std::map<std::string, int64_t> &scalars, int smallBlock, bool again = false,
                int64_t most = INT64_MAX) {
    if (done() ||
        (!scalars.empty() && !again &&
         std::find(tried.begin(), tried.end(), std::pair(scalars, smallBlock)) != tried.end()))
      return;
    tried.push_back({scalars, smallBlock});
    int64_t least = 7;
    for (auto &[name, value] : scalars)
      least = std::min(least, std::max<int64_t>(value, 1));
    // Any order of the first few; the others are for data that are divided by, or are subscripts.
    static constexpr size_t
        kRanges = 9,
        kFree = 4; // the last is of elements that are their own numbers: subscripts that differ
    const std::pair<int64_t, int64_t> ranges[kRanges] = {{-4, 9},     {-30000, 30000}, {1, 3},
                                                         {-900, 900}, {0, least - 1},  {0, 1},
                                                         {1, 1},      {0, 0},          {0, 0}};
    SampleInput input;
    input.scalars = scalars;
    input.seed = options.seed + tried.size();
    RunLimits few = limits;
    few.steps = std::min(std::max<int64_t>((options.budget - report.steps) / 4, 1000), most);
    for (size_t k = 0; k < kRanges; k++) {
      std::tie(input.smallest, input.largest) =
          ranges[k < kFree ? (k + tried.size() - 1) % kFree : k];
      input.counts = k + 1 == kRanges;
      RunResult original = runOriginal(program.region, input, few);
      report.steps += original.steps;
      if (original.kind == RunResult::Kind::TooLong) {
        report.skippedWhy = fmt::format("the original takes more than {} steps", few.steps);
        isHopeless = inputs.parameters() == 0; // its sizes are fixed
        return;
      }
      if (original.kind == RunResult::Kind::Finished) {
        compareForms(input, original, smallBlock);
        return;
      }
      report.skippedWhy = original.why;
    }
  }

  void compareForms(const SampleInput &input, const RunResult &original, int smallBlock) {
    int64_t enough = 100000 + (smallBlock ? 1000 : 20000) * original.steps;
    RunLimits now = limits;
    now.smallBlock = smallBlock;
    bool compared = false;
    for (auto &[selection, shape] : runsOf(selections)) {
      if (done())
        break;
      // Blocks of many threads, whatever the sizes: these runs do not count against the others.
      bool isFused = selection.forms.count(KernelForm::Fused),
           isTiled = selection.forms.count(KernelForm::Tiles);
      if ((isFused && fusedRuns >= (options.larger ? 10 : 1) * kFusedRuns) ||
          (isTiled && tileSteps > options.budget))
        continue;
      now.selection = selection;
      now.residentShape = shape;
      now.steps = std::min(enough, std::max<int64_t>(options.budget - report.steps, 200000));
      if (isFused)
        now.steps = kFusedSteps;
      RunResult result = runKernels(program, kernels, input, now);
      fusedRuns += isFused && result.steps > 1000; // else there was nothing to do
      (isTiled ? tileSteps : report.steps) += isFused ? 0 : result.steps;
      report.runs++;
      if (result.kind == RunResult::Kind::Refused) {
        if (inputs.isInside(input) && isSmall(input))
          report.findings.push_back(
              {"assumptions",
               fmt::format("the kernels refuse {}, for which the model's assumptions hold",
                           shown(input))});
        return;
      }
      for (const Finding &f : result.findings)
        note(f, input);
      if (result.kind == RunResult::Kind::TooLong) // wide kernels for little work; loops that never
                                                   // end are a matter of 'cover'
        continue;
      compared = true;
      if (result.findings.empty())
        for (const Finding &f : compareRuns(program.region, original, result))
          note(f, input);
    }
    report.inputs += compared;
  }

  // Each selection; resident kernels in both of their shapes, or in turn.
  std::vector<std::pair<FormSelection, ResidentShape>>
  runsOf(const std::vector<FormSelection> &all) const {
    std::vector<std::pair<FormSelection, ResidentShape>> out;
    for (const FormSelection &s : all)
      for (ResidentShape shape : {ResidentShape::OneBlock, ResidentShape::Grid}) {
        bool isResident = s.forms.count(KernelForm::Resident),
             isItsTurn = allForms || (shape == ResidentShape::Grid) == (tried.size() % 2 == 1);
        if (isResident ? !onlyPlain && isItsTurn : shape == ResidentShape::OneBlock)
          out.push_back({s, shape});
      }
    return out;
  }

  void note(const Finding &f, const SampleInput &input) {
    report.findings.push_back({f.check, fmt::format("{} (for {})", f.what, shown(input))});
  }

  const Program &program;
  const Kernels &kernels;
  const SampleOptions &options;
  SampleInputs inputs;
  std::vector<FormSelection> selections;
  bool isHopeless = false, onlyPlain = false,
       allForms = true; // each shape of resident kernels on every input, or in turn
  int fusedRuns = 0;
  int64_t tileSteps = 0;
  RunLimits limits;
  SampleReport report;
  std::vector<std::pair<std::map<std::string, int64_t>, int>> tried;
};

} // namespace

SampleReport runSamples(const Program &program, const Kernels &kernels, const DeviceSpec &device,
                        const SampleOptions &options) {
  return Sampling(program, kernels, device, options).run();
}

std::vector<Finding> checkSamples(const Program &program, const Kernels &kernels,
                                  const DeviceSpec &device) {
  return runSamples(program, kernels, device).findings;
}

} // namespace nw
