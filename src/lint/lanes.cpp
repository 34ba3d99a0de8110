// Lane by lane.
#include "lint/lanes.h"
#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace nw::lint {

namespace {

constexpr int kMostValues = 64, kMostIterations = 256;

// Counters that decide how lanes differ: not those that are only added for all.
void addDeciding(const SymbolP &s, bool isFactor, std::set<int> &ids) {
  if (s->kind == SymbolKind::Counter) {
    if (isFactor && !s->differs)
      ids.insert(s->id);
    addDeciding(s->args[0], isFactor, ids);
    return;
  }
  for (const SymbolP &a : s->args)
    if (isFactor || s->differs)
      addDeciding(a, isFactor || decides(*s, a), ids);
}

Surroundings plain(const Setting &setting) {
  Surroundings s;
  s.blockSize = setting.block;
  s.sizes = &setting.sizes;
  return s;
}

// The iterations of one loop, with all its counters, from those of the loops around.
std::vector<Surroundings> iterated(const LoopFacts &loop, Surroundings around, int most) {
  std::vector<Surroundings> all;
  for (const LoopCounter &c : loop.counters)
    if (!c.start->differs) {
      std::optional<int64_t> start = valueOf(c.start, around);
      if (!start)
        return {around};
      around.counters[c.id] = *start;
    }
  for (int k = 0; k < most; k++) {
    if (!loop.condition || loop.condition->differs)
      return {around};
    std::optional<int64_t> goesOn = valueOf(loop.condition, around);
    if (!goesOn || !*goesOn)
      break;
    all.push_back(around);
    Surroundings next = around;
    bool moved = false;
    for (const LoopCounter &c : loop.counters)
      if (!c.start->differs) {
        std::optional<int64_t> v = valueOf(c.next, around);
        if (!v)
          return all;
        moved |= *v != around.counters[c.id];
        next.counters[c.id] = *v;
      }
    if (!moved)
      break;
    around = next;
  }
  return all;
}

} // namespace

std::vector<Surroundings> iterationsOf(const std::vector<SymbolP> &symbols,
                                       const std::vector<int> &loops, const Trace &trace,
                                       const Setting &setting) {
  std::set<int> deciding;
  for (const SymbolP &s : symbols)
    addDeciding(s, false, deciding);
  std::vector<Surroundings> all = {plain(setting)};
  for (int l : loops) {
    if (l < 0)
      continue;
    const LoopFacts &loop = trace.loops[size_t(l)];
    if (std::none_of(loop.counters.begin(), loop.counters.end(),
                     [&](const LoopCounter &c) { return deciding.count(c.id) != 0; }))
      continue;
    std::vector<Surroundings> next;
    for (const Surroundings &s : all)
      for (Surroundings &i : iterated(loop, s, kMostValues))
        if (int(next.size()) < kMostIterations)
          next.push_back(std::move(i));
    all = std::move(next);
  }
  return all;
}

std::optional<int> iterationsIn(const LoopFacts &loop, const Setting &setting, int most) {
  if (loop.isLeft || !loop.condition || !isCertain(loop.condition, setting))
    return std::nullopt;
  for (const LoopCounter &c : loop.counters)
    if (!isCertain(c.start, setting) || !isCertain(c.next, setting))
      return std::nullopt;
  int n = int(iterated(loop, plain(setting), most + 1).size());
  return n > most ? std::nullopt : std::optional(n);
}

bool isCertain(const SymbolP &s, const Setting &setting) {
  return !anyPart(s, [&](const Symbol &p) {
    return (p.kind == SymbolKind::Unknown || p.kind == SymbolKind::Argument ||
            p.kind == SymbolKind::GridSize) &&
           !setting.sizes.count(
               p.kind == SymbolKind::GridSize ? std::string("gridDim.") + "xyz"[p.axis] : p.name);
  });
}

std::optional<Lanes> lanesOf(const SymbolP &s, const std::vector<SymbolP> &guards, int warp,
                             const Setting &setting, const Surroundings &iteration) {
  std::vector<SymbolP> deciding;
  for (const SymbolP &g : guards)
    if (isCertain(g, setting) &&
        !anyPart(g, [](const Symbol &p) { return p.kind == SymbolKind::Block; }))
      deciding.push_back(g);
  Lanes lanes;
  Surroundings around = iteration;
  around.blockSize = setting.block;
  around.sizes = &setting.sizes;
  for (int lane = 0; lane < setting.warp; lane++) {
    int64_t thread = int64_t(warp) * setting.warp + lane;
    lanes.emplace_back();
    if (thread >= setting.threads())
      continue;
    around.thread = {thread % setting.block[0], thread / setting.block[0] % setting.block[1],
                     thread / setting.block[0] / setting.block[1]};
    bool isIn = std::all_of(deciding.begin(), deciding.end(),
                            [&](const SymbolP &g) { return valueOf(g, around).value_or(1) != 0; });
    if (!isIn)
      continue;
    lanes.back() = valueOf(s, around);
    if (!lanes.back())
      return std::nullopt;
  }
  return lanes;
}

std::string assumptions(const SymbolP &s, const Setting &setting) {
  std::string out;
  for (const std::string &name : decidingNames(s))
    if (!setting.sizes.count(name))
      out += fmt::format("{}{} = {}", out.empty() ? " (with " : ", ", name, kAssumedSize);
  return out.empty() ? out : out + ")";
}

std::string iterationText(const Surroundings &iteration, const std::vector<int> &loops,
                          const Trace &trace) {
  std::string out;
  for (int l : loops)
    if (l >= 0)
      for (const LoopCounter &c : trace.loops[size_t(l)].counters)
        if (auto v = iteration.counters.find(c.id); v != iteration.counters.end())
          out += fmt::format("{}{} = {}", out.empty() ? " (at " : ", ", c.name, v->second);
  return out.empty() ? out : out + ")";
}

} // namespace nw::lint
