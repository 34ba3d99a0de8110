// Forms of steps.
#include "report/forms.h"
#include "support/text.h"
#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace nw {

std::vector<const KernelPlan *> stepsOf(const Plan &plan, const Kernel &kernel) {
  std::set<std::string> statements;
  walkStmts(kernel.body, [&](const StmtP &s) {
    if (s->isInstance())
      statements.insert(s->name);
  });
  std::vector<const KernelPlan *> out;
  for (const KernelPlan &k : plan.kernels)
    if (std::any_of(k.statements.begin(), k.statements.end(),
                    [&](const std::string &s) { return statements.count(s) > 0; }))
      out.push_back(&k);
  return out;
}

const TilePlan *tileOf(const Plan &plan, const Kernel &kernel) {
  if (!kernel.isTiled)
    return nullptr;
  for (const KernelPlan *step : stepsOf(plan, kernel))
    for (size_t n = 0; n < step->tiles.size(); n++)
      if (kernel.name.ends_with(
              fmt::format("_{}_tiles{}", step->name, n ? std::to_string(n + 1) : "")))
        return &step->tiles[n];
  return nullptr;
}

std::string stripCounter(const Kernel &kernel, const TilePlan &tile) {
  std::string found;
  walkStmts(kernel.body, [&](const StmtP &s) {
    if (s->kind != StmtKind::For || tile.strip.empty() || s->loop.stride ||
        s->loop.step != tile.length || s->loop.counter == tile.strip)
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
    const Expr *place = e->kind == ExprKind::Staged ? baseOf(e->args[0]) : nullptr,
               *array = place ? baseOf(e->args[1]) : nullptr;
    for (StagedCopy &c : out)
      if (place && array && c.variable == place->name && c.array.empty()) {
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
  FormFinder(const Plan &plan, const Kernels &kernels, int kernel, const EstimatedRegion &estimated)
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
    return s.kernel == number ||
           std::any_of(s.children.begin(), s.children.end(),
                       [&](const HostStep &c) { return contains(c, number); });
  }
  static int firstKernel(const HostStep &s) {
    for (const HostStep *at = &s;;
         at = at->kind == HostKind::Either ? &at->children[1] : &at->children[0])
      if (at->kind == HostKind::Launch || at->children.empty())
        return at->kernel;
  }
  void note(int number, const std::string &when) {
    out.push_back({at(number).name, when, isLaunched(number)});
  }

  void look(const HostStep &s) {
    if (!contains(s, kernel) || s.kind == HostKind::Launch)
      return;
    if (s.kind == HostKind::Either && at(firstKernel(s.children[0])).isTiled)
      wholeTiles(s);
    else if (s.kind == HostKind::Either)
      windows(s);
    else if (isJoinedChoice(s))
      joinedSteps(s);
    else if (s.kind == HostKind::Choose && s.condition)
      spread(s);
    else if (s.kind == HostKind::Sequence && isOfTiles(s))
      tiles(s);
    else
      for (const HostStep &c : s.children)
        look(c);
  }

  // Launches of one step's forms: tiles, then the plain one.
  bool isOfTiles(const HostStep &s) const {
    return s.children.size() > 1 &&
           std::all_of(s.children.begin(), s.children.end() - 1, [&](const HostStep &c) {
             return c.kind == HostKind::Launch && at(c.kernel).isTiled;
           });
  }

  void tiles(const HostStep &s) {
    for (const HostStep &c : s.children) {
      int number = firstKernel(c);
      const TilePlan *t = tileOf(plan, at(number));
      if (!t) {
        note(number, "otherwise");
        continue;
      }
      std::string size =
          fmt::format("tiles of {} x {}", t->block[0] * t->points[0], t->block[1] * t->points[1]);
      note(number,
           t->least > 1 ? fmt::format("from {} {} on", t->least, size) : size + ", however few");
    }
  }

  void wholeTiles(const HostStep &s) {
    int first = firstKernel(s.children[0]);
    const TilePlan *t = tileOf(plan, at(first));
    std::string text =
        t ? fmt::format("{}tiles of {} x {}", t->least > 1 ? fmt::format("from {} ", t->least) : "",
                        t->block[0] * t->points[0], t->block[1] * t->points[1])
          : "tiles";
    std::vector<std::string> when = {t && t->least > 1 ? text + " on" : text};
    asked(s, when);
    note(first, joined(when, ", "));
    if (s.children[1].kind == HostKind::Either)
      wholeTiles(s.children[1]);
    else if (isOfTiles(s.children[1]))
      tiles(s.children[1]);
    else
      note(firstKernel(s.children[1]), "otherwise");
  }

  // What the sizes and the memory must be like.
  void asked(const HostStep &s, std::vector<std::string> &when) const {
    remainders(s.condition, when);
    std::map<int, std::vector<std::string>> aligned;
    for (auto &[buffer, bytes] : s.aligned)
      aligned[bytes].push_back(kernels.buffers[size_t(buffer)].name);
    for (auto &[bytes, names] : aligned)
      when.push_back(fmt::format("where {} in memory at {} of {} bytes",
                                 joined(names, ", ") + (names.size() == 1 ? " lies" : " lie"),
                                 names.size() == 1 ? "a multiple" : "multiples", bytes));
  }

  void windows(const HostStep &s) {
    int first = firstKernel(s.children[0]), second = firstKernel(s.children[1]);
    std::vector<std::string> when;
    for (const KernelPlan *step : stepsOf(plan, at(second)))
      if (int64_t from = s.aligned.empty() ? step->windowsFrom : step->vectorsFrom; from > 1)
        when.push_back(fmt::format("from {} points on", from));
    asked(s, when);
    std::string text = when.empty() ? "always" : joined(when, ", ");
    text += fmt::format(" ({})", at(first).summary);
    note(first, text);
    if (s.children[1].kind == HostKind::Either)
      windows(s.children[1]);
    else
      note(second, "otherwise");
  }

  // One kernel for two steps, with another that takes its sums of columns.
  void joinedSteps(const HostStep &s) {
    int first = firstKernel(s.children[0]);
    std::string text = "for large sizes";
    for (const KernelPlan *step : stepsOf(plan, at(first)))
      if (step->join)
        text = fmt::format("from {} rows and {} columns on, up to {} columns: {} and {} in one",
                           step->join->from[0], step->join->from[1],
                           step->join->block * step->join->columns, step->name, step->join->with);
    note(first, text);
    if (contains(s.children[1], kernel))
      look(s.children[1]);
    else
      note(firstKernel(s.children[1]), "otherwise: a kernel for each step");
  }

  void spread(const HostStep &s) {
    int first = firstKernel(s.children[0]), second = firstKernel(s.children[1]);
    std::string text = "for large sizes";
    for (const KernelPlan *step : stepsOf(plan, at(second)))
      if (step->spread)
        text = fmt::format("from {} values of {} on: threads share the fold", step->spread->from,
                           step->spread->loop);
    note(first, text);
    note(second, "otherwise: each thread folds for itself");
  }

  const Plan &plan;
  const Kernels &kernels;
  int kernel;
  const EstimatedRegion &estimated;
  std::vector<ExplainedForm> out;
};

} // namespace

std::vector<ExplainedForm> formsOf(const Plan &plan, const Kernels &kernels, int kernel,
                                   const EstimatedRegion &estimated) {
  return FormFinder(plan, kernels, kernel, estimated).run();
}

} // namespace nw
