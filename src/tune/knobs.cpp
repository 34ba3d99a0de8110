// The knobs of a plan: which of its decisions the tuner varies, and between which values. Fields
// say that in their tables (plan/plan_fields.h); here are the decisions that are no field: whether
// steps are fused, reductions shared, which forms there are, and which loop runs along threads.
#include "plan/plan_fields.h"
#include "tune/space.h"
#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace nw {

namespace {

std::string inWords(int number) { return std::to_string(number); }
std::string inWords(bool is) { return is ? "yes" : "no"; }
template <class T>
  requires std::is_enum_v<T>
std::string inWords(T value) {
  return wordsOf(T{})[size_t(value)];
}
std::string inWords(const std::vector<int> &numbers) {
  std::string out;
  for (int n : numbers)
    out += fmt::format("{}{}", out.empty() ? "" : " x ", n);
  return out.empty() ? "none" : out;
}

// Kernels whose decisions are alike: everything but names and reasons.
std::string shapeOf(const KernelPlan &kernel, const StepFacts &facts) {
  Plan alone;
  alone.kernels = {kernel};
  KernelPlan &k = alone.kernels[0];
  k.name = k.why = "";
  k.arrays.clear();
  k.grid.clear();
  for (TilePlan &t : k.tiles) {
    t.grid.clear();
    t.strip = t.strip.empty() ? "" : "strip";
    for (StagedArray &a : t.staged)
      a.array = "";
  }
  for (BlockReductionPlan &b : k.blockReductions)
    b.loop = "";
  if (k.fuse)
    k.fuse->with = "";
  return fmt::format("{} {} {}", nameOf(facts.kind), kernel.grid.size(), toJson({alone}));
}

class KnobMaker {
public:
  KnobMaker(const RegionPlan &region, const DeviceSpec &device)
      : facts(region.facts), device(device), space{region.plan, {}} {}

  Space run() {
    std::map<std::string, size_t> known;
    for (size_t k = 0; k < space.proposed.kernels.size(); k++) {
      auto [at, isNew] =
          known.try_emplace(shapeOf(space.proposed.kernels[k], facts[k]), groups.size());
      if (isNew)
        groups.emplace_back();
      groups[at->second].push_back(k);
    }
    for (const std::vector<size_t> &group : groups)
      addKernels(group);
    addLoops();
    if (std::ranges::any_of(facts,
                            [](const StepFacts &f) { return f.kind == StepKind::Reduction; }))
      addFields(space.proposed, "", "", KnobSite{device},
                [](Plan &plan, const auto &change) { change(plan); });
    return std::move(space);
  }

private:
  using Group = std::vector<size_t>; // of kernels that share their knobs

  // A knob over these values; the proposed one comes first, wherever it stands in the list. One
  // value is not a choice.
  template <class Value, class Words, class Set>
  void add(const std::string &name, std::vector<Value> values, const Value &proposed,
           const Words &words, const Set &set) {
    values.erase(std::remove(values.begin(), values.end(), proposed), values.end());
    values.insert(values.begin(), proposed);
    if (values.size() < 2)
      return;
    Knob knob{name, {}, 0, [values, set](Plan &plan, size_t v) { set(plan, values[v]); }};
    for (const auto &v : values)
      knob.values.push_back(words(v));
    space.knobs.push_back(std::move(knob));
  }

  // The knobs of an object's fields. `each(plan, change)` calls change for this object in a plan,
  // and for all that change with it.
  template <class Owner, class Each>
  void addFields(const Owner &owner, const std::string &what, const std::string &whose,
                 const KnobSite &site, const Each &each) {
    Fields<Owner>::visit([&](const auto &field) {
      using Value = std::remove_cvref_t<decltype(owner.*field.member)>;
      if constexpr (requires(Value v) { inWords(v); })
        if (field.knob)
          add<Value>(
              fmt::format("{}{}{}", field.knob, what, whose),
              field.values(site, owner.*field.member), owner.*field.member,
              [](const Value &v) { return inWords(v); },
              [each, member = field.member](Plan &plan, const Value &value) {
                each(plan, [&](Owner &o) { o.*member = value; });
              });
    });
  }

  // The kernels of a group, changed by `change` and made consistent again.
  template <class Change> static auto eachKernel(const Group &group, const Change &change) {
    return [group, change](Plan &plan, const auto &inner) {
      for (size_t k : group) {
        change(plan.kernels[k], inner);
        settle(plan.kernels[k]);
      }
    };
  }

  // Of a decision that is not a field.
  template <class Words>
  void addChoice(const Group &group, const std::string &name, int count, const Words &words,
                 void (*set)(KernelPlan &, int)) {
    std::vector<int> values;
    for (int n = 0; n < count; n++)
      values.push_back(n);
    add<int>(name + whose(group), values, 0, words, [group, set](Plan &plan, int n) {
      for (size_t k : group)
        set(plan.kernels[k], n);
    });
  }

  std::string whose(const Group &group) const {
    return " of " + space.proposed.kernels[group[0]].name;
  }

  void addKernels(const Group &group) {
    const KernelPlan &k = space.proposed.kernels[group[0]];
    const StepFacts &f = facts[group[0]];
    if (f.kind == StepKind::Serial)
      return;
    KnobSite site{device, &k, &f};
    if (k.fuse)
      addFusion(group, site);
    if (!k.blockReductions.empty()) // has an effect only where steps are not fused
      addReductions(group, site);
    if (!k.tiles.empty())
      addTiles(group, site);
    else if (!f.strips.empty())
      addStrips(group, f);
    addFields(k, "", whose(group), site,
              eachKernel(group, [](KernelPlan &p, const auto &change) { change(p); }));
    if (f.isParallel() && k.grid.size() == 2 && k.block.size() == 2 && k.tiles.empty() &&
        k.blockReductions.empty())
      addChoice(
          group, "loop along threads", 2, [&k](int d) { return k.grid[size_t(d)]; },
          [](KernelPlan &p, int d) {
            if (d)
              std::swap(p.grid[0], p.grid[1]);
          });
  }

  void addFusion(const Group &group, const KnobSite &site) {
    addFields(*site.kernel->fuse, "", whose(group), site,
              eachKernel(group, [](KernelPlan &p, const auto &change) {
                if (p.fuse)
                  change(*p.fuse);
              }));
    addChoice(
        group, "fusion", 2, [](int n) { return inWords(n == 0); },
        [](KernelPlan &p, int n) {
          if (n)
            p.fuse.reset();
        });
  }

  // Each form has its own lengths of rows, and its own knobs. Forms in front of one are dropped
  // afterwards.
  void addReductions(const Group &group, const KnobSite &site) {
    int many = int(site.kernel->blockReductions.size());
    for (size_t n = 0; n < size_t(many); n++)
      addFields(site.kernel->blockReductions[n], n ? fmt::format(" {}", n + 1) : "", whose(group),
                site, eachKernel(group, [n](KernelPlan &p, const auto &change) {
                  if (n < p.blockReductions.size())
                    change(p.blockReductions[n]);
                }));
    addChoice(
        group, "block reduction", many + 1,
        [many](int n) {
          return n == 0 || n == many ? inWords(n == 0) : fmt::format("from {} on", n + 1);
        },
        [](KernelPlan &p, int n) {
          p.blockReductions.erase(p.blockReductions.begin(),
                                  p.blockReductions.begin() +
                                      std::min(n, int(p.blockReductions.size())));
        });
  }

  // Threads that walk along rows through shared memory: loads, stores or both. (lite)
  void addStrips(const Group &group, const StepFacts &f) {
    std::vector<std::string> words = {"none"};
    for (const StripForm &s : f.strips)
      words.push_back(s.what);
    std::vector<int> values;
    for (size_t n = 0; n < words.size(); n++)
      values.push_back(int(n));
    std::map<size_t, std::vector<StripForm>> strips; // of each kernel of the group
    for (size_t k : group)
      strips[k] = facts[k].strips;
    add<int>(
        "strips of rows" + whose(group), values, 0, [&](int n) { return words[size_t(n)]; },
        [strips](Plan &plan, int n) {
          for (auto &[k, own] : strips)
            if (n > 0 && size_t(n) <= own.size()) {
              plan.kernels[k].tiles = {own[size_t(n) - 1].tiles};
              plan.kernels[k].blockReductions.clear();
            }
        });
  }

  // Changes the form that is taken first, and those that differ from it only in how they treat
  // edges.
  template <class Change> static void changeForms(KernelPlan &kernel, const Change &change) {
    if (kernel.tiles.empty())
      return;
    TilePlan first = kernel.tiles[0];
    for (TilePlan &t : kernel.tiles)
      if (t.block == first.block && t.threadTile == first.threadTile &&
          t.contiguous == first.contiguous && t.stripLength == first.stripLength)
        change(t);
  }

  void addTiles(const Group &group, KnobSite site) {
    const KernelPlan &k = *site.kernel;
    site.tile = &k.tiles[0];
    // Forms in front of one are dropped, so that it is the one that is taken first; none: no tiles.
    addChoice(
        group, "forms", int(k.tiles.size()) + 1,
        [&k](int f) {
          return size_t(f) == k.tiles.size() ? std::string("plain")
                                             : fmt::format("from {} on", f + 1);
        },
        [](KernelPlan &p, int f) {
          p.tiles.erase(p.tiles.begin(), p.tiles.begin() + std::min(f, int(p.tiles.size())));
        });
    addFields(*site.tile, " of tiles", whose(group), site,
              eachKernel(group, [](KernelPlan &p, const auto &change) { changeForms(p, change); }));
    for (size_t a = 0; a < site.tile->staged.size(); a++)
      addFields(site.tile->staged[a], " of " + site.tile->staged[a].array + " of tiles",
                whose(group), site, eachKernel(group, [a](KernelPlan &p, const auto &change) {
                  changeForms(p, [&](TilePlan &t) {
                    if (a < t.staged.size())
                      change(t.staged[a]);
                  });
                }));
  }

  void addLoops() {
    for (size_t k = 0; k < space.proposed.loops.size(); k++)
      addFields(space.proposed.loops[k], " " + space.proposed.loops[k].loop, "", KnobSite{device},
                [k](Plan &plan, const auto &change) { change(plan.loops[k]); });
  }

  const RegionFacts &facts;
  const DeviceSpec &device;
  Space space;
  std::vector<Group> groups;
};

} // namespace

Space spaceFor(const RegionPlan &proposed, const DeviceSpec &device) {
  return KnobMaker(proposed, device).run();
}

} // namespace nw
