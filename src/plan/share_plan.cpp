// Hints to tiles.
#include "plan/share_plan.h"
#include "plan/facts.h"
#include "plan/padding.h"
#include "support/diagnostics.h"
#include <algorithm>
#include <fmt/format.h>

namespace nw::share {

namespace {

void leavesOf(const Step &s, std::vector<const Step *> &out) {
  if (s.kind != StepKind::Sequence && s.kind != StepKind::Loop) {
    out.push_back(&s);
    return;
  }
  for (const Step &c : s.children)
    leavesOf(c, out);
}

bool touches(const Program &p, const Step &step, const std::string &array) {
  return std::any_of(step.statements.begin(), step.statements.end(), [&](const std::string &name) {
    const Statement &s = *p.find(name);
    return std::any_of(s.accesses.begin(), s.accesses.end(),
                       [&](const Access &a) { return a.array == array; });
  });
}

bool isTouched(const Program &p, const Step &step, const std::string &array, bool isWrite) {
  return std::any_of(step.statements.begin(), step.statements.end(), [&](const std::string &name) {
    const Statement &s = *p.find(name);
    return std::any_of(s.accesses.begin(), s.accesses.end(),
                       [&](const Access &a) { return a.array == array && a.isWrite == isWrite; });
  });
}

class StepPlan {
public:
  StepPlan(const Program &p, const Nest &nest, const Choice &choice, const DeviceSpec &device)
      : p(p), nest(nest), choice(choice), device(device) {}

  // Tiles for this choice, or nothing and why.
  std::optional<TilePlan> tiles(const KernelPlan &k, const std::vector<std::string> &arrays,
                                std::string &why) const {
    if (k.grid.size() > 2) {
      why = "tiles are for steps of one or two parallel loops";
      return std::nullopt;
    }
    TilePlan t;
    t.grid = k.grid;
    t.block = {int(choice.shape.x), k.grid.size() == 1 ? 1 : int(choice.shape.y)};
    t.threadTile = {1, 1};
    t.contiguous = {1, 1};
    if (choice.freeLength)
      for (size_t a = 0; a < nest.axes.size(); a++)
        if (auto l = choice.split.lengths.find(a); nest.axes[a].kind == AxisKind::Inside &&
                                                   l != choice.split.lengths.end() &&
                                                   l->second.isAny() && isLong(nest.axes[a])) {
          t.strip = nest.axes[a].name;
          t.stripLength = int(std::min<int64_t>(choice.freeLength, kLongestStrip));
          break;
        }
    for (const std::string &a : arrays)
      t.staged.push_back({a, choosePadding({{1, 0, 1}, {0, 1, 1}}, choice.shape.x,
                                           scalarBytes(p.arrays.at(a)), device)
                                 .elements});
    t.profitableFrom = 1;
    return t;
  }

private:
  // Loops that are known to be short are inside a tile as a whole.
  static bool isLong(const Axis &axis) {
    constexpr int64_t kShort = 16, kAssumed = 4096;
    return extentOf(axis, {}, kAssumed).value_or(kAssumed) > kShort;
  }

  const Program &p;
  const Nest &nest;
  const Choice &choice;
  const DeviceSpec &device;
};

std::vector<std::string> missing(const TilePlan &t, const std::vector<std::string> &arrays) {
  std::vector<std::string> out;
  for (const std::string &a : arrays)
    if (std::none_of(t.staged.begin(), t.staged.end(),
                     [&](const StagedArray &s) { return s.array == a; }))
      out.push_back(a);
  return out;
}

std::string listOf(const std::vector<std::string> &names) {
  std::string out;
  for (const std::string &n : names)
    out += (out.empty() ? "" : ", ") + n;
  return out;
}

} // namespace

SharedPlan sharedPlan(const Program &p, const Dependences &dependences, const Schedule &schedule,
                      const Plan &proposed, const std::vector<Seed> &seeds,
                      const DeviceSpec &device) {
  SharedPlan out;
  std::vector<const Step *> leaves;
  leavesOf(schedule.root, leaves);
  Plan plan = proposed;
  bool changes = false, any = false;
  for (size_t n = 0; n < leaves.size() && n < plan.kernels.size(); n++) {
    const Step &step = *leaves[n];
    KernelPlan &k = plan.kernels[n];
    std::vector<Seed> own;
    for (const Seed &s : seeds)
      if (touches(p, step, s.array))
        own.push_back(s);
    if (own.empty())
      continue;
    any = true;
    if (step.kind != StepKind::Parallel) {
      out.undone.push_back(
          fmt::format("{} is a {} step, which has no tiles", k.name, nameOf(step.kind)));
      continue;
    }
    Nest nest =
        nestOf(p, step, step.around, k.grid.size() <= 3 ? k.grid : std::vector<std::string>{});
    Decision d = decide(p, dependences, step.statements, nest, own, {}, device);
    out.lines.push_back(fmt::format("{}: {}", k.name,
                                    d.choices.empty()
                                        ? "no block gains from shared memory"
                                        : fmt::format("blocks of {}", text(d.choices[0].shape))));
    if (d.choices.empty()) {
      for (const Candidate &c : d.candidates)
        out.lines.push_back(fmt::format("{} is a candidate: {}", c.array, c.why));
      out.lines.insert(out.lines.end(), d.why.begin(), d.why.end());
      out.undone.push_back(
          fmt::format("{}: {}", k.name, d.why.empty() ? "nothing is worth staging" : d.why[0]));
      continue;
    }
    const Choice &choice = d.choices[0];
    out.lines.insert(out.lines.end(), choice.why.begin(), choice.why.end());
    std::vector<std::string> arrays;
    for (const Staged &s : choice.staged) {
      if (isTouched(p, step, s.array, true) && isTouched(p, step, s.array, false))
        out.undone.push_back(fmt::format(
            "{}: {} is read and written, and shared memory holds what is only read or only written",
            k.name, s.array));
      else
        arrays.push_back(s.array);
    }
    if (arrays.empty())
      continue;
    if (!k.tiles.empty() && std::all_of(k.tiles.begin(), k.tiles.end(), [&](const TilePlan &t) {
          return missing(t, arrays).empty();
        })) {
      out.lines.push_back(fmt::format("the planner's tiles of {} hold {} as well, with several "
                                      "points in a thread: they are kept",
                                      k.name, listOf(arrays)));
      continue;
    }
    std::string why;
    if (std::optional<TilePlan> t = StepPlan(p, nest, choice, device).tiles(k, arrays, why)) {
      k.tiles = {*t};
      k.why += fmt::format("; share: {} in shared memory", listOf(arrays));
      k.blockReductions.clear();
      if (out.changed.empty())
        out.block = {t->block[0], t->block[1], 1};
      out.changed.push_back(n);
      out.arrays[n] = arrays;
      changes = true;
    } else
      out.undone.push_back(fmt::format("{}: {} not staged: {}", k.name, listOf(arrays), why));
  }
  if (!any)
    out.undone.push_back("no step of the nest touches the arrays as they are named");
  if (changes)
    out.plan = plan;
  return out;
}

Plan withFactor(const SharedPlan &shared, const Factor &factor) {
  Plan plan = *shared.plan;
  for (size_t n : shared.changed)
    for (TilePlan &t : plan.kernels[n].tiles)
      if (t.block[1] % factor.y == 0) {
        t.block[1] /= int(factor.y);
        t.threadTile[1] *= int(factor.y);
      }
  return plan;
}

} // namespace nw::share
