// Forms of steps.
#include "report/forms.h"
#include "kernel/reduction_steps.h"
#include "support/text.h"
#include <algorithm>
#include <fmt/format.h>

namespace nw {

std::vector<const KernelPlan *> stepsOf(const RegionPlan &plan, const Kernel &kernel) {
  std::vector<const KernelPlan *> out;
  for (const KernelPlan &k : plan.plan.kernels)
    if (!kernel.combines &&
        std::find(kernel.steps.begin(), kernel.steps.end(), k.name) != kernel.steps.end())
      out.push_back(&k);
  return out;
}

const TilePlan *tileOf(const RegionPlan &plan, const Kernel &kernel) {
  for (const KernelPlan *step : stepsOf(plan, kernel))
    if (kernel.tile >= 0 && size_t(kernel.tile) < step->tiles.size())
      return &step->tiles[size_t(kernel.tile)];
  return nullptr;
}

const BlockReductionPlan *blockReductionOf(const RegionPlan &plan, const Kernel &kernel) {
  size_t number = size_t(std::max(kernel.reduction, 0)); // fused kernels have none
  if (hasReductions(kernel.body))
    for (const KernelPlan *step : stepsOf(plan, kernel))
      if (number < step->blockReductions.size())
        return &step->blockReductions[number];
  return nullptr;
}

std::string stripCounter(const Kernel &kernel, const TilePlan &tile) {
  std::string found;
  walkStmts(kernel.body, [&](const StmtP &s) {
    if (s->kind != StmtKind::For || tile.strip.empty() || s->loop.stride ||
        s->loop.step != tile.stripLength || s->loop.counter == tile.strip)
      return;
    walkStmts(s->body[0], [&](const StmtP &inner) {
      if (inner->kind == StmtKind::For && inner->loop.counter == tile.strip &&
          mentions(inner->loop.start, s->loop.counter))
        found = s->loop.counter;
    });
  });
  return found;
}

std::vector<StagedCopy> copiesOf(const Kernel &kernel) {
  std::vector<StagedCopy> out;
  walkStmts(kernel.body, [&](const StmtP &s) {
    if (s->kind == StmtKind::Shared)
      out.push_back({s->name, "", s->extents, 0});
  });
  walkExprs(kernel.body, [&](const ExprP &e) {
    const Expr *position = e->kind == ExprKind::Staged ? baseOf(e->args[0]) : nullptr,
               *array = position ? baseOf(e->args[1]) : nullptr;
    for (StagedCopy &c : out)
      if (position && array && c.variable == position->name && c.array.empty()) {
        c.array = array->name;
        c.line = e->args[1]->at.line ? e->args[1]->at.line : e->at.line;
      }
    return true;
  });
  std::erase_if(out, [](const StagedCopy &c) { return c.array.empty(); });
  return out;
}

namespace {

// A condition of the host as the user would write it.
std::string plainText(const ExprP &condition) {
  std::string text = print(rewrite(condition, [](const ExprP &e) {
    return e->kind == ExprKind::Cast && e->type.isInteger() ? e->args[0] : e;
  }));
  return text.starts_with("(") && text.ends_with(")") ? text.substr(1, text.size() - 2) : text;
}

// Those of its conditions that ask for remainders: how many points there are is said otherwise.
void remainders(const ExprP &condition, std::vector<std::string> &out) {
  if (!condition)
    return;
  if (condition->kind == ExprKind::Binary && condition->name == "&&") {
    remainders(condition->args[0], out);
    remainders(condition->args[1], out);
  } else if (condition->kind == ExprKind::Binary && condition->name == "==") {
    out.push_back("where " + plainText(condition));
  }
}

class FormFinder {
public:
  FormFinder(const RegionPlan &plan, const Kernels &kernels, int kernel,
             const EstimatedRegion &estimated)
      : plan(plan), kernels(kernels), kernel(kernel), estimated(estimated) {}

  std::vector<ExplainedForm> run() {
    look(kernels.host);
    if (out.size() < 2)
      out.clear();
    return out;
  }

private:
  const Kernel &at(int number) const { return kernels.kernels[size_t(number)]; }
  bool isLaunched(int number) const {
    return std::any_of(estimated.kernels.begin(), estimated.kernels.end(),
                       [&](const EstimatedKernel &e) { return e.kernel == number; });
  }
  static bool contains(const HostStep &s, int number) {
    bool found = s.kernel == number;
    forEachPart(s, [&](const HostStep &part) { found = found || contains(part, number); });
    return found;
  }
  void note(const HostStep &s, const std::string &when) {
    int number = firstLaunch(s).kernel;
    out.push_back({at(number).name, when, isLaunched(number)});
  }

  void look(const HostStep &s) {
    if (!contains(s, kernel))
      return;
    if (s.kind == HostKind::Choice && !s.alternatives[0].runtimeDecides)
      choice(s);
    else
      forEachPart(s, [&](const HostStep &part) { look(part); });
  }

  void choice(const HostStep &s) {
    for (const HostAlternative &a : s.alternatives)
      note(a.body, whenTaken(a));
    KernelForm form = s.alternatives[0].form;
    if (form == KernelForm::Fused && contains(fallbackOf(s), kernel))
      look(fallbackOf(s));
    else
      note(fallbackOf(s), form == KernelForm::Fused ? "otherwise: a kernel for each step"
                          : form == KernelForm::BlockReduction
                              ? "otherwise: each thread reduces on its own"
                              : "otherwise");
  }

  std::string whenTaken(const HostAlternative &a) const {
    const Kernel &first = at(firstLaunch(a.body).kernel);
    if (isTiles(a.form))
      return tiles(a, tileOf(plan, first));
    if (a.form == KernelForm::Fused)
      return fusedSteps(first);
    if (a.form == KernelForm::ThreeAxes)
      return "where a grid has blocks enough along z (" + first.summary + ")";
    return a.form == KernelForm::BlockReduction ? blockReduction(first) : windows(a, first);
  }

  std::string tiles(const HostAlternative &a, const TilePlan *t) const {
    std::string size = t ? fmt::format("tiles of {} x {}", t->block[0] * t->threadTile[0],
                                       t->block[1] * t->threadTile[1])
                         : "tiles";
    bool hasLeast = t && t->profitableFrom > 1;
    if (a.form == KernelForm::Tiles && !hasLeast)
      return size + ", however few";
    std::vector<std::string> when = {
        hasLeast ? fmt::format("from {} {} on", t->profitableFrom, size) : size};
    legality(a, when);
    return joined(when, ", ");
  }

  // What the sizes and the memory must be like.
  void legality(const HostAlternative &a, std::vector<std::string> &when) const {
    remainders(a.legalIf, when);
    std::map<int, std::vector<std::string>> aligned;
    for (auto &[buffer, bytes] : a.aligned)
      aligned[bytes].push_back(kernels.buffers[size_t(buffer)].name);
    for (auto &[bytes, names] : aligned)
      when.push_back(fmt::format("where {} in memory at {} of {} bytes",
                                 joined(names, ", ") + (names.size() == 1 ? " lies" : " lie"),
                                 names.size() == 1 ? "a multiple" : "multiples", bytes));
  }

  std::string windows(const HostAlternative &a, const Kernel &first) const {
    std::vector<std::string> when;
    for (const KernelPlan *step : stepsOf(plan, first))
      if (int64_t from = a.form == KernelForm::Windows ? step->windowsProfitableFrom
                                                       : step->vectorsProfitableFrom;
          from > 1)
        when.push_back(fmt::format("from {} points on", from));
    legality(a, when);
    return fmt::format("{} ({})", when.empty() ? "always" : joined(when, ", "), first.summary);
  }

  // One kernel for two steps, with another that takes its sums of columns.
  std::string fusedSteps(const Kernel &first) const {
    for (const KernelPlan *step : stepsOf(plan, first))
      if (step->fuse)
        return fmt::format("from {} rows and {} columns on, up to {} columns: {} and {} in one",
                           step->fuse->profitableFrom[0], step->fuse->profitableFrom[1],
                           step->fuse->block * step->fuse->columns, step->name, step->fuse->with);
    return "for large sizes";
  }

  std::string blockReduction(const Kernel &first) const {
    if (const BlockReductionPlan *form = blockReductionOf(plan, first))
      return fmt::format(
          "from {} values of {} on{}: threads share the reduction", form->profitableFrom,
          form->loop, form->rowsUpTo ? fmt::format(", for up to {} results", form->rowsUpTo) : "");
    return "for large sizes";
  }

  const RegionPlan &plan;
  const Kernels &kernels;
  int kernel;
  const EstimatedRegion &estimated;
  std::vector<ExplainedForm> out;
};

} // namespace

std::vector<ExplainedForm> formsOf(const RegionPlan &plan, const Kernels &kernels, int kernel,
                                   const EstimatedRegion &estimated) {
  return FormFinder(plan, kernels, kernel, estimated).run();
}

} // namespace nw
