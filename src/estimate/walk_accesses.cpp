// Accesses as they are executed: neighbours in shared memory together, windows in their pieces, and
// arrays of a thread's own that are in memory.
#include "estimate/walker.h"
#include "kernel/window.h"
#include <tuple>

namespace nw {

// Addresses of shared memory are known to be aligned, so that compilers make one access of up to 16
// bytes of neighbours. Those of arrays are not.
bool Walker::mergesNeighbours() const { return device.coalescingRule == CoalescingRule::Lines; }

void Walker::issue(const std::vector<const Access *> &merged) {
  const Access &first = *merged[0];
  Reference &leader = out.references[first.reference];
  double weight = levels[size_t(first.level)].weight, part = 1 / double(merged.size());
  bool isShared = leader.buffer < 0;
  int bytes = leader.elementBytes * int(merged.size());
  InstructionMix m;
  (isShared ? (leader.isWrite ? m.storeShared : m.loadShared)
            : (leader.isWrite ? m.storeGlobal : m.loadGlobal)) = std::max(1.0, bytes / 16.0);
  add(m.scaled(weight), first.level);
  AccessCost cost;
  if (isShared) // the worst, where data decide: each lane goes elsewhere
    cost = first.address.isKnown
               ? costOf(first.address, first.mask, bytes, true)
               : AccessCost{double(std::min(activeIn(first.mask), device.banks)), 0, 0, 1};
  for (const Access *a : merged) {
    Reference &r = out.references[a->reference];
    r.issued += weight;
    r.issuedTurns += weight * part * cost.count;
    r.issuedIdealTurns += weight * part * cost.ideal;
  }
}

// Whether lanes find `b` so many bytes behind `a`.
static bool isBehind(const LaneValue &a, const LaneValue &b, int64_t bytes, const Mask &mask) {
  for (size_t k = 0; k < mask.size(); k++)
    if (mask[k] && b.at(k) != a.at(k) + bytes)
      return false;
  return true;
}

static bool isAligned(const LaneValue &a, int64_t bytes, const Mask &mask) {
  for (size_t k = 0; k < mask.size(); k++)
    if (mask[k] && a.at(k) % bytes != 0)
      return false;
  return true;
}

void Walker::issueAll(Level &level) {
  constexpr int64_t kWidest = 16;
  std::vector<Access> all = std::move(level.accesses);
  level.accesses.clear();
  auto positionOf = [&](const Access &a) {
    const Reference &r = out.references[a.reference];
    return std::tuple(
        r.isWrite, r.array, a.mask,
        a.address.at(size_t(std::find(a.mask.begin(), a.mask.end(), 1) - a.mask.begin())));
  };
  std::stable_sort(all.begin(), all.end(),
                   [&](const Access &a, const Access &b) { return positionOf(a) < positionOf(b); });
  for (size_t n = 0; n < all.size();) {
    int64_t bytes = out.references[all[n].reference].elementBytes, many = 1;
    auto isNext = [&](size_t k) {
      const Reference &a = out.references[all[n].reference], &b = out.references[all[k].reference];
      return b.array == a.array && b.isWrite == a.isWrite && b.elementBytes == a.elementBytes &&
             all[k].mask == all[n].mask &&
             isBehind(all[n].address, all[k].address, int64_t(k - n) * bytes, all[n].mask);
    };
    for (int64_t wanted = kWidest / std::max<int64_t>(bytes, 1); wanted > 1 && many == 1;
         wanted /= 2) {
      bool isThere = n + size_t(wanted) <= all.size() &&
                     isAligned(all[n].address, wanted * bytes, all[n].mask);
      for (size_t k = n + 1; isThere && k < n + size_t(wanted); k++)
        isThere = isNext(k);
      many = isThere ? wanted : 1;
    }
    std::vector<const Access *> merged;
    for (size_t k = n; k < n + size_t(many); k++)
      merged.push_back(&all[k]);
    issue(merged);
    n += size_t(many);
  }
}

void Walker::window(const StmtP &s, const Mask &mask) {
  set(s->name, unknown(depth()));
  if (s->section.loads)
    moveWindow(s, mask, false);
  walk(s->body[0], mask);
  if (s->section.stores)
    moveWindow(s, mask, true);
}

void Walker::moveWindow(const StmtP &s, const Mask &mask, bool isWrite) {
  std::vector<Piece> &pieces = windows[s.get()];
  if (pieces.empty()) {
    std::vector<int64_t> row(s->extents.size() - 1, 0);
    for (bool more = true; more;) {
      for (const WindowPart &part : partsOf(*s)) {
        std::vector<ExprP> offsets;
        for (int64_t k : row)
          offsets.push_back(intConst(k, kI32));
        offsets.push_back(intConst(part.first, kI32));
        pieces.push_back({elementOf(*s, offsets), part.count});
      }
      more = false;
      for (size_t d = row.size(); d-- > 0 && !more;) {
        more = ++row[d] < s->extents[d];
        row[d] = more ? row[d] : 0;
      }
    }
  }
  for (const Piece &p : pieces)
    touch(p.element, mask, isWrite, p.count);
}

// An array of the thread's own: in registers, unless the compiler found no way to.
void Walker::touchOwn(const ExprP &e, bool isWrite) {
  const Expr *base = baseOf(e);
  if (quiet || !base || !inStack.count(base->name))
    return;
  InstructionMix m;
  (isWrite ? m.storeGlobal : m.loadGlobal) = 1;
  add(m.scaled(levels.back().weight), depth());
  (isWrite ? out.ownStores : out.ownLoads) += levels.back().weight;
  out.stages[stageOf(levels.back().loop)].touchesShared = true;
}

} // namespace nw
