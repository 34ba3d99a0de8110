// The paper's nine steps, kernel by kernel.
#include "papers/share_steps.h"
#include "plan/share_choice.h"
#include "plan/share_conflicts.h"
#include "plan/share_ilp.h"
#include "plan/step_patterns.h"
#include "support/diagnostics.h"
#include <algorithm>
#include <fmt/format.h>

namespace nw::papers {

namespace {

constexpr int64_t kAssumed = 4096; // of sizes that are not known

class KernelSteps {
public:
  KernelSteps(const PaperRegion &region, const KernelPlan &kernel, const Step &step)
      : r(region), p(region.program), kernel(kernel), step(step),
        nest(share::nestOf(p, step, step.around,
                           kernel.grid.size() <= 3 ? kernel.grid : std::vector<std::string>{})) {}

  Lines run() {
    share::Options options;
    if (auto given = r.given.find("transactionBytes"); given != r.given.end())
      options.transactionBytes = int64_t(given->second);
    share::Decision d =
        share::decide(p, r.dependences, step.statements, nest, {}, r.sizes, r.device, options);
    if (d.choices.empty()) {
      say("{}: no block gains from shared memory", kernel.name);
      lines.insert(lines.end(), d.why.begin(), d.why.end());
      return lines;
    }
    const share::Choice &c = d.choices[0];
    say("{}: blocks of {}", kernel.name, text(c.shape));
    lines.insert(lines.end(), c.why.begin(), c.why.end());
    for (const share::Staged &s : c.staged)
      conflicts(c, s);
    std::vector<std::string> factors;
    for (const share::Factor &f : share::legalFactors(c.shape, r.device))
      factors.push_back(std::to_string(f.elements()));
    say("instruction-level parallelism: {} element{} in a thread, the one that is predicted to be "
        "fastest (nestwarp compile with the hint tries them)",
        listed(factors), factors.size() == 1 ? "" : "s");
    return lines;
  }

private:
  template <class... A> void say(fmt::format_string<A...> text, A &&...of) {
    lines.push_back(fmt::format(text, std::forward<A>(of)...));
  }

  // Whether some statement of the step reduces into an element by reading this array.
  const Reduction *reductionOver(const std::string &array) const {
    for (const std::string &name : step.statements) {
      const Statement &s = *p.find(name);
      if (s.reduction &&
          std::ranges::any_of(s.accesses, [&](const Access &a) { return a.array == array; }))
        return &*s.reduction;
    }
    return nullptr;
  }

  // Banks, by how threads along x walk through the copy; channels, by how far neighbouring blocks
  // are apart.
  void conflicts(const share::Choice &c, const share::Staged &s) {
    size_t x = nest.threads.empty() ? 0 : nest.threads[0];
    for (const share::Reference &reference : nest.references) {
      if (reference.array != s.array || !reference.isRegular || reference.rows.empty() ||
          reference.rows.size() != s.lengths.size())
        continue;
      share::ConflictFacts f;
      f.array = s.array;
      f.isArrayOfStructs = p.arrays.at(s.array).slots > 1;
      f.rank = int(reference.rows.size());
      f.elementBytes = int(share::scalarBytes(p.arrays.at(s.array)));
      f.rowLength = s.lengths.back();
      f.stride = 0;
      for (size_t d = 0, inner = reference.rows.size(); d < inner; d++) {
        int64_t below = 1;
        for (size_t k = d + 1; k < inner; k++)
          below *= s.lengths[k];
        f.stride += reference.rows[d].coefficients[x] * below;
      }
      f.width = widthOf(s.array).value_or(kAssumed);
      const Reduction *reduction = reductionOver(s.array);
      f.isAssociative = reduction != nullptr;
      f.isFloatingPoint = reduction && reduction->type.isFloat();
      share::RemovalOptions options{.padding = true, .reorderFloatingPoint = r.isRelaxed};
      share::Removal banks = share::removeBankConflicts(f, r.device, options);
      say("banks: {}: {}", banks.why, nameOf(banks.kind));
      std::optional<int64_t> step = share::strideBytes(p, reference, x, r.sizes, kAssumed);
      if (r.device.memoryChannels > 0 && step) {
        share::ConflictFacts whole = f;
        whole.stride = 1; // once it is staged
        whole.rowLength = f.width;
        share::Removal channels =
            share::removeChannelConflicts(whole, *step * c.shape.x, r.device, options);
        say("channels: {}: {}", channels.why, nameOf(channels.kind));
      }
      return;
    }
  }

  // Elements of a row of the whole array.
  std::optional<int64_t> widthOf(const std::string &array) const {
    for (const Statement &s : p.statements)
      for (const Access &a : s.accesses)
        if (a.array == array) {
          isl::set touched = a.relation.intersect_domain(s.domain).range();
          int last = int(isl_set_dim(touched.get(), isl_dim_set)) - 1;
          return last < 0 ? std::nullopt : papers::extentOf(touched, last, r.sizes);
        }
    return std::nullopt;
  }

  const PaperRegion &r;
  const Program &p;
  const KernelPlan &kernel;
  const Step &step;
  share::Nest nest;
  Lines lines;
};

} // namespace

Lines shareSteps(const PaperRegion &region) {
  Lines lines;
  std::vector<PlannedStep> steps = plannedSteps(region.schedule.root);
  for (size_t k = 0; k < steps.size() && k < region.plan.kernels.size(); k++) {
    const KernelPlan &kernel = region.plan.kernels[k];
    if (steps[k].step->kind != StepKind::Parallel) {
      lines.push_back(fmt::format("{}: no parallel loops", kernel.name));
      continue;
    }
    try {
      for (const std::string &line : KernelSteps(region, kernel, *steps[k].step).run())
        lines.push_back(line);
    } catch (const UserError &e) {
      lines.push_back(fmt::format("{}: {}", kernel.name, e.message));
    }
  }
  return lines;
}

} // namespace nw::papers
