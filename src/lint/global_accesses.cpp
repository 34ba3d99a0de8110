// Accesses of global memory whose warps need more transactions than they would have to: the
// addresses of neighbouring threads do not lie together (lite: tx + g(floor(tx / half-warp)) + C is
// what coalesces).
#include "lint/findings.h"
#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>

namespace nw::lint {

namespace {

bool isGlobal(const Access &a) {
  return a.address.space == written::Space::Global && a.touch != Touch::Atomic;
}

std::string plural(int64_t n, const char *word) {
  return fmt::format("{} {}{}", n, word, n == 1 ? "" : "s");
}

// How far neighbouring threads are apart, in words.
std::string apart(const Access &access, const Setting &setting) {
  if (setting.block[0] > 1) {
    const Address &p = access.address;
    SymbolP bytes = growthAlong(offsetOf(p), 0);
    if (bytes && bytes->kind == SymbolKind::Number && bytes->value != 0) {
      int64_t distance = std::abs(bytes->value),
              element = p.subscripts.empty() ? access.bytes : p.subscripts.back().bytes;
      if (distance == access.bytes)
        return fmt::format("rows of {} threads are too short to fill transactions",
                           setting.block[0]);
      if (element > 0 && distance % element == 0)
        return fmt::format("neighbouring threads are {} ({}) apart",
                           plural(distance / element, "element"), plural(distance, "byte"));
      return fmt::format("neighbouring threads are {} apart", plural(distance, "byte"));
    }
    if (!p.hidden && !p.subscripts.empty()) {
      int changing = 0;
      SymbolP stride;
      bool isOneRow = true;
      for (const Subscript &s : p.subscripts)
        if (SymbolP g = growthAlong(s.index, 0);
            !g || !(g->kind == SymbolKind::Number && g->value == 0)) {
          changing++;
          stride = g;
          isOneRow &= &s == &p.subscripts.back();
        }
      if (changing == 1 && isOneRow && stride)
        return fmt::format("neighbouring threads are {} elements apart", textOf(stride));
    }
    if (bytes && bytes->kind == SymbolKind::Number)
      return fmt::format("a row of {} threads touches the same element, and rows lie far apart",
                         setting.block[0]);
  }
  return "neighbouring threads touch elements that are not adjacent";
}

std::string remedy(const Access &access, const Subject &subject) {
  SymbolP offset = offsetOf(access.address), x = growthAlong(offset, 0), y = growthAlong(offset, 1);
  auto isElement = [&](const SymbolP &g) {
    return g && g->kind == SymbolKind::Number && std::abs(g->value) == access.bytes;
  };
  bool isStruct = !access.address.members.empty() ||
                  (x && x->kind == SymbolKind::Number && std::abs(x->value) <= 4 * access.bytes);
  if (isElement(x))
    return fmt::format("make blocks wider along x: {} threads, a warp, if that is possible",
                       subject.setting.warp);
  if (!access.address.members.empty())
    return "keep each member in an array of its own (a structure of arrays), or load the whole "
           "element at once";
  if (subject.setting.block[1] > 1 && isElement(y))
    return "exchange threadIdx.x and threadIdx.y, so that threadIdx.x runs along contiguous "
           "elements; or go through a tile in shared memory";
  for (int l : access.loops)
    if (l >= 0)
      for (const LoopCounter &c : subject.trace.loops[size_t(l)].counters)
        if (isElement(growthWith(offset, c.id)))
          return fmt::format("let neighbouring threads take neighbouring values of {}, or copy "
                             "tiles to shared memory, row by row, and read them there",
                             c.name);
  if (isStruct && x)
    return "let thread k take element k, then every element a block's width further; or load "
           "several at once as float2 or float4";
  return "let threadIdx.x run along contiguous elements, or copy tiles to shared memory, "
         "row by row, and read them there";
}

std::string transactions(int count, const DeviceSpec &device) {
  std::string size = device.coalescingRule == CoalescingRule::Lines
                         ? fmt::format(" of {} bytes", device.transactionBytes.front())
                         : "";
  return plural(count, "transaction") + size;
}

std::string whereCounters(const Access &access, const Trace &trace) {
  std::string out;
  SymbolP offset = offsetOf(access.address);
  for (int l : access.loops)
    if (l >= 0)
      for (const LoopCounter &c : trace.loops[size_t(l)].counters)
        if (c.start->differs && anyPart(offset, [&](const Symbol &p) {
              return p.kind == SymbolKind::Counter && p.id == c.id;
            }))
          out += fmt::format(", where {} begins with {}", c.name, textOf(c.start));
  return out;
}

// Worth a word: at least twice as many transactions as needed, and not just one more. Where only
// the beginning of a row is in the way, as in a stencil, caches help; but not on devices that put
// nothing together then.
bool isCostly(const WarpCost &c) {
  constexpr int kFew = 4;
  return c.count >= 2 * c.ideal && c.count >= c.ideal + kFew &&
         (c.aligned >= 2 * c.ideal || c.count >= 4 * c.ideal);
}

// Lanes that a condition keeps out leave holes: that is no fault of the addresses.
bool isCostlyForAll(const Access &a, const Subject &subject) {
  Access all = a;
  all.guards.clear();
  std::optional<WarpCost> cost = costOf(all, subject);
  return cost && isCostly(*cost);
}

// Whether other accesses of the same elements use all that the transactions bring.
bool isUsedUp(const std::vector<const Access *> &group, const Subject &subject) {
  constexpr int64_t kSmallStruct = 128;
  const Access &first = *group.front();
  SymbolP stride = growthAlong(offsetOf(first.address), 0);
  if (!stride || stride->kind != SymbolKind::Number || std::abs(stride->value) > kSmallStruct ||
      std::abs(stride->value) <= first.bytes)
    return false;
  std::vector<std::pair<int64_t, int64_t>> parts;
  Surroundings zero;
  zero.sizes = &subject.setting.sizes;
  for (const Access *a : group)
    if (std::optional<int64_t> at = valueOf(offsetOf(a->address), zero);
        at && a->touch == first.touch)
      parts.push_back({*at, *at + a->bytes});
  std::sort(parts.begin(), parts.end());
  int64_t covered = 0, end = INT64_MIN;
  for (auto &[from, to] : parts) {
    covered += std::max<int64_t>(0, to - std::max(from, end));
    end = std::max(end, to);
  }
  return covered >= std::abs(stride->value);
}

} // namespace

SymbolP withoutConstants(const SymbolP &s) {
  if (s->kind == SymbolKind::Number)
    return number(0);
  if (s->kind != SymbolKind::Operator || s->args.size() != 2)
    return s;
  if (s->name == "+" || s->name == "-")
    return applied(s->name, {withoutConstants(s->args[0]), withoutConstants(s->args[1])});
  if (s->name == "*" && s->args[1]->kind == SymbolKind::Number)
    return applied("*", {withoutConstants(s->args[0]), s->args[1]});
  if (s->name == "*" && s->args[0]->kind == SymbolKind::Number)
    return applied("*", {s->args[0], withoutConstants(s->args[1])});
  return s;
}

void checkGlobalAccesses(const Subject &subject, Findings &found) {
  std::vector<bool> isDone(subject.trace.accesses.size());
  for (size_t k = 0; k < subject.trace.accesses.size(); k++) {
    const Access &a = subject.trace.accesses[k];
    std::optional<WarpCost> cost = isGlobal(a) && !isDone[k] ? costOf(a, subject) : std::nullopt;
    if (!cost || !isCostly(*cost) || !isCostlyForAll(a, subject))
      continue;
    SymbolP own = withoutConstants(offsetOf(a.address));
    std::vector<const Access *> group = {&a};
    for (size_t other = k + 1; other < subject.trace.accesses.size(); other++)
      if (const Access &b = subject.trace.accesses[other];
          isGlobal(b) && b.address.base == a.address.base &&
          isSame(own, withoutConstants(offsetOf(b.address)))) {
        isDone[other] = true;
        group.push_back(&b);
      }
    bool usedUp = isUsedUp(group, subject);
    bool isMisaligned = cost->aligned < 2 * cost->ideal;
    std::string message =
        fmt::format("{}: {}{}: {} per warp where {} would do{}{}", textOf(a.address),
                    isMisaligned ? "the row does not begin at a multiple of a transaction"
                                 : apart(a, subject.setting),
                    whereCounters(a, subject.trace), transactions(cost->count, subject.device),
                    cost->ideal, assumptions(offsetOf(a.address), subject.setting),
                    iterationText(cost->iteration, a.loops, subject.trace));
    int others = int(std::count_if(group.begin() + 1, group.end(), [&](const Access *b) {
      return b->at.line != a.at.line || b->at.column != a.at.column;
    }));
    if (others)
      message += fmt::format("; so do{} {} more of its accesses", others == 1 ? "es" : "", others);
    if (usedUp)
      message += "; together they use everything that is moved";
    found.push_back(finding(subject, "NW0501", usedUp ? Severity::Remark : Severity::Warning, a.at,
                            a.length, message,
                            isMisaligned ? "let rows begin at multiples of a warp's elements (pad "
                                           "them, or shift the range of threads)"
                                         : remedy(a, subject)));
  }
}

void noteUnknownAddresses(const Subject &subject, Findings &found) {
  const Access *first = nullptr;
  int others = 0;
  std::vector<Location> seen;
  for (const Access &a : subject.trace.accesses) {
    if (a.address.space != written::Space::Global || !dependsOnData(offsetOf(a.address)))
      continue;
    if (std::any_of(seen.begin(), seen.end(),
                    [&](Location l) { return l.line == a.at.line && l.column == a.at.column; }))
      continue;
    seen.push_back(a.at);
    first ? void(others++) : void(first = &a);
  }
  if (!first)
    return;
  std::string more =
      others ? fmt::format("; so {} {} more", others == 1 ? "is that of" : "are those of", others)
             : "";
  found.push_back(finding(subject, "NW0510", Severity::Remark, first->at, first->length,
                          fmt::format("the address of {} is not known here: it depends on data, or "
                                      "on code that is not followed{}",
                                      textOf(first->address), more),
                          ""));
}

void listAccesses(const Subject &subject, Findings &found) {
  for (const Access &a : subject.trace.accesses) {
    const char *how = a.touch == Touch::Load    ? "load"
                      : a.touch == Touch::Store ? "store"
                                                : "atomic";
    std::string text = fmt::format("{} of {}: ", how, textOf(a.address));
    std::optional<WarpCost> cost =
        a.address.space == written::Space::Constant ? std::nullopt : costOf(a, subject);
    if (!cost)
      text += a.address.space == written::Space::Constant ? "constant memory"
                                                          : "the address is not known";
    else if (a.address.space == written::Space::Shared)
      text += fmt::format("{} of the banks per warp, {} without conflicts",
                          plural(cost->count, "turn"), cost->ideal);
    else
      text += fmt::format("{} per warp, {} at best", transactions(cost->count, subject.device),
                          cost->ideal);
    if (cost)
      text += assumptions(offsetOf(a.address), subject.setting) +
              iterationText(cost->iteration, a.loops, subject.trace);
    found.push_back(finding(subject, "NW0500", Severity::Remark, a.at, a.length, text, ""));
  }
}

} // namespace nw::lint
