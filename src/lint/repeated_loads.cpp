// Elements that one thread loads again though it has them, where the compiler cannot know: a store
// in between may go to the same address.
#include "lint/findings.h"
#include <algorithm>
#include <fmt/format.h>

namespace nw::lint {

namespace {

bool isGlobal(const Access &a) {
  return a.address.space == written::Space::Global && !a.address.base.empty();
}

// For the compiler, which goes by types and __restrict__.
bool mayBeSame(const Access &a, const Access &b) {
  bool isAnyType = a.type == b.type || a.type.find("char") != std::string::npos ||
                   b.type.find("char") != std::string::npos;
  return isGlobal(a) && isGlobal(b) && isAnyType &&
         !(a.address.variable != b.address.variable &&
           (a.address.isRestrict || b.address.isRestrict));
}

// For the user, who knows that arrays under different names are different.
bool isOtherArray(const Access &a, const Access &b) {
  return a.address.variable != b.address.variable || a.address.base != b.address.base;
}

bool isPrefix(const std::vector<SymbolP> &a, const std::vector<SymbolP> &b) {
  return a.size() <= b.size() &&
         std::equal(a.begin(), a.end(), b.begin(),
                    [](const SymbolP &x, const SymbolP &y) { return isSame(x, y); });
}

bool changesIn(const Address &p, const LoopFacts &loop, const Trace &trace) {
  // Counters of the loop and of loops in it, and all that is not followed.
  SymbolP offset = offsetOf(p);
  return anyPart(offset, [&](const Symbol &s) {
    if (s.kind == SymbolKind::Unknown)
      return true;
    for (const LoopFacts &l : trace.loops)
      if (l.begin >= loop.begin && l.end <= loop.end)
        for (const LoopCounter &c : l.counters)
          if (s.kind == SymbolKind::Counter && s.id == c.id)
            return true;
    return false;
  });
}

bool waitsBetween(const Trace &trace, int from, int to) {
  return std::any_of(trace.barriers.begin(), trace.barriers.end(),
                     [&](int b) { return b > from && b < to; });
}

class RepeatedLoads {
public:
  RepeatedLoads(const Subject &subject, Findings &found)
      : subject(subject), all(subject.trace.accesses), found(found) {}

  void run() {
    for (const Access &a : all)
      if (isGlobal(a) && a.touch == Touch::Load && !a.isVolatile &&
          !dependsOnData(offsetOf(a.address)) && !inLoop(a))
        inRow(a);
  }

private:
  const Access *storeBetween(const Access &load, int from, int to, bool ofOther) const {
    for (const Access &s : all)
      if (s.order > from && s.order < to && s.touch != Touch::Load && mayBeSame(load, s) &&
          isOtherArray(load, s) == ofOther)
        return &s;
    return nullptr;
  }

  void tell(const Access &a, const std::string &message, const std::string &help) {
    std::string text = textOf(a.address);
    if (std::find(told.begin(), told.end(), text) != told.end())
      return;
    told.push_back(text);
    found.push_back(finding(subject, "NW0505", Severity::Warning, a.at, a.length, message, help));
  }

  // The same element in each iteration of the innermost loop.
  bool inLoop(const Access &a) {
    if (a.loops.empty() || a.loops.back() < 0)
      return false;
    const LoopFacts &loop = subject.trace.loops[size_t(a.loops.back())];
    if (changesIn(a.address, loop, subject.trace) ||
        waitsBetween(subject.trace, loop.begin - 1, loop.end + 1) || loop.counters.empty())
      return false;
    const Access *own = nullptr;
    bool isSafe = true,
         isWatched =
             false; // nothing else of the array is stored; something else may be the same element
    for (const Access &s : all) {
      if (s.order < loop.begin || s.order > loop.end)
        continue;
      bool isOwn = isSame(s.address, a.address);
      if (isOwn && s.touch == Touch::Store && s.loops == a.loops)
        own = &s;
      else if (!isOwn && s.touch != Touch::Load && !isOtherArray(a, s))
        isSafe = false;
      else if (s.touch == Touch::Atomic && !isOtherArray(a, s))
        isSafe = false;
      isWatched |= !isOwn && isOtherArray(a, s) && mayBeSame(a, s);
    }
    if (!isSafe || !isWatched)
      return false;
    std::string name = loop.counters.front().name;
    if (own) {
      tell(a,
           fmt::format("{} is loaded and stored in each iteration of the loop over {}: it may "
                       "overlap other arrays, so it cannot stay in a register",
                       textOf(a.address), name),
           "keep it in a variable during the loop, and store it once after");
      return true;
    }
    const Access *store = storeBetween(a, loop.begin - 1, loop.end + 1, true);
    if (!store)
      return false;
    tell(a,
         fmt::format("{} is loaded in each iteration of the loop over {}, though it does not "
                     "change: the store to {} might change it",
                     textOf(a.address), name, textOf(store->address)),
         "load it into a variable before the loop, or declare the pointers __restrict__");
    return true;
  }

  // The same element once more, in straight code.
  void inRow(const Access &first) {
    for (const Access &a : all) {
      if (a.order <= first.order || a.touch != Touch::Load || a.loops != first.loops ||
          !isSame(a.address, first.address) || !isPrefix(first.guards, a.guards))
        continue;
      if (storeBetween(first, first.order, a.order, false) ||
          waitsBetween(subject.trace, first.order, a.order))
        return;
      if (const Access *store = storeBetween(first, first.order, a.order, true))
        return tell(a,
                    fmt::format("{} is loaded again, though the thread loaded it in line {}: the "
                                "store to {} might have changed it",
                                textOf(a.address), first.at.line, textOf(store->address)),
                    "keep it in a variable, or declare the pointers __restrict__");
    }
  }

  const Subject &subject;
  const std::vector<Access> &all;
  Findings &found;
  std::vector<std::string> told;
};

} // namespace

void checkRepeatedLoads(const Subject &subject, Findings &found) {
  RepeatedLoads(subject, found).run();
}

// Elements that many threads of a block load: each of them in every iteration of a long loop.
void checkLoadsOfBlocks(const Subject &subject, Findings &found) {
  constexpr int kManyThreads = 8, kLongLoop = 16;
  std::vector<std::pair<std::string, SymbolP>> told; // once for elements beside each other
  for (const Access &a : subject.trace.accesses) {
    if (!isGlobal(a) || a.touch != Touch::Load || a.loops.empty() || a.loops.back() < 0)
      continue;
    SymbolP offset = offsetOf(a.address);
    const LoopFacts &loop = subject.trace.loops[size_t(a.loops.back())];
    bool walks = std::any_of(loop.counters.begin(), loop.counters.end(), [&](const LoopCounter &c) {
      SymbolP g = growthWith(offset, c.id);
      return !c.start->differs && g && !(g->kind == SymbolKind::Number && g->value == 0);
    });
    bool isGuarded = std::any_of(a.guards.begin(), a.guards.end(), [&](const SymbolP &g) {
      return g->differs && isCertain(g, subject.setting) &&
             !anyPart(g, [](const Symbol &p) { return p.kind == SymbolKind::Block; });
    });
    bool isWritten = std::any_of(
        subject.trace.accesses.begin(), subject.trace.accesses.end(), [&](const Access &s) {
          return s.touch != Touch::Load && s.address.base == a.address.base;
        });
    std::optional<int> rounds = iterationsIn(loop, subject.setting, kLongLoop - 1);
    if (!walks || dependsOnData(offset) || isGuarded || isWritten || rounds)
      continue;
    std::vector<int64_t> different;
    int threads = 0;
    for (int warp = 0; warp < subject.setting.warps(); warp++) {
      Surroundings first;
      std::optional<Lanes> lanes = lanesOf(offset, {}, warp, subject.setting, first);
      if (!lanes)
        break;
      for (const auto &v : *lanes)
        if (v) {
          threads++;
          different.push_back(*v);
        }
    }
    std::sort(different.begin(), different.end());
    different.erase(std::unique(different.begin(), different.end()), different.end());
    if (threads != subject.setting.threads() || different.empty() ||
        threads < kManyThreads * int(different.size()))
      continue;
    std::string text = textOf(a.address), name = loop.counters.front().name;
    SymbolP own = withoutConstants(offset);
    if (std::any_of(told.begin(), told.end(), [&](const auto &t) {
          return t.first == a.address.base && isSame(t.second, own);
        }))
      continue;
    told.push_back({a.address.base, own});
    found.push_back(
        finding(subject, "NW0506", Severity::Warning, a.at, a.length,
                fmt::format("{}: in each iteration of the loop over {} the {} threads of a block "
                            "load {} different element{}, each of them {} times",
                            text, name, threads, different.size(), different.size() == 1 ? "" : "s",
                            threads / int(different.size())),
                "let the block copy a tile of it to shared memory, each thread some elements, and "
                "read it there"));
  }
}

} // namespace nw::lint
