// Accesses to memory: addresses of lanes, transactions, and what need not be loaded again.
#include "analysis/transactions.h"
#include "estimate/layout.h"
#include "estimate/walker.h"
#include <bit>
#include <climits>
#include <cmath>

namespace nw {

bool Walker::isInMemory(const ExprP &e) const {
  const Expr *base = baseOf(e);
  return base && areas.count(base->name) && !locals.count(base->name);
}

LaneValue Walker::ofLocalArray(const ExprP &e, const Mask &mask) {
  touchOwn(e, false);
  int level = depth();
  for (const ExprP &a : e->args)
    if (a && a->kind != ExprKind::Var)
      level = std::max(level, evaluated(a, mask).level);
  return unknown(level);
}

LaneValue Walker::addressOf(const ExprP &e, const Mask &mask) {
  if (e->kind == ExprKind::Var)
    return uniform(areas.at(e->name).base);
  if (e->kind == ExprKind::Member) {
    LaneValue inner = addressOf(e->args[0], mask);
    return applied("+", inner,
                   uniform(offsetOfField(program.region, e->args[0]->type, e->name).first));
  }
  // Which subscript this is decides how much one step of it is.
  const Expr *below = e.get();
  size_t position = 0;
  while (below->kind == ExprKind::Index && below->args[0]->kind == ExprKind::Index) {
    below = below->args[0].get();
    position++;
  }
  const ExprP &base = below->args[0];
  int64_t bytes;
  std::span<const int64_t> rows; // extents of the subscripts that follow
  if (base->kind == ExprKind::Member) {
    auto [at, field] = offsetOfField(program.region, base->args[0]->type, base->name);
    bytes = field ? bytesIn(program.region, field->type) : 4;
    if (field)
      rows = std::span(field->extents).subspan(std::min<size_t>(field->extents.size(), 1));
  } else {
    const Area &a = areas.at(base->name);
    bytes = a.elementBytes;
    rows = a.extents;
  }
  int64_t step = bytes;
  for (size_t k = position; k < rows.size(); k++)
    step *= rows[k];
  LaneValue inner = addressOf(e->args[0], mask);
  // Subscripts that run with the innermost loop are pointers that move along; others are computed
  // where they change.
  quiet += depth() > 0;
  LaneValue index = evaluated(e->args[1], mask);
  quiet -= depth() > 0;
  if (depth() > 0 && (index.level < depth() || !index.isKnown))
    evaluated(e->args[1], mask);
  LaneValue moved = applied("*", index, uniform(step));
  moved.level = index.level;
  LaneValue sum = applied("+", inner, moved);
  sum.level = std::max(inner.level, moved.level);
  return sum;
}

LaneValue Walker::touch(const ExprP &e, const Mask &mask, bool isWrite, int64_t together) {
  const std::string &array = baseOf(e)->name;
  const Area &area = areas.at(array);
  LaneValue address = addressOf(e, mask);
  bool isShared = !area.parameter;
  int bytes = int(bytesIn(program.region, e->type) * together);
  int level =
      isWrite ? depth() : std::max(address.level, facts.mustReload(array, loopsAround(), isShared));
  level = std::min(level, depth());
  if (quiet)
    return unknownOf({&address, 1}, level, mask);
  size_t number = referenceFor(e, isWrite, isShared, area, bytes);
  bool counts = true;
  if (isWrite) {
    forget(array);
    isNewLoad(depth(), array, textOf(e)); // what was stored need not be loaded
  } else {
    counts = isNewLoad(level, array, textOf(e));
  }
  record(out.references[number], address, mask, address.isKnown ? 1 : apart(e, mask, bytes));
  if (counts) {
    Access access{number, level, address, mask};
    if (isShared && address.isKnown && mergesNeighbours())
      levels[size_t(level)].accesses.push_back(access);
    else
      issue({&access});
    chargePointer(array, address);
    noteWait(number, level);
  }
  return unknownOf({&address, 1}, level, mask);
}

void Walker::chargePointer(const std::string &array, const LaneValue &address) {
  std::vector<int64_t> all = {numberOf(array)};
  for (double s : address.slopes)
    all.push_back(std::bit_cast<int64_t>(s));
  int key = numberOf(kPointer, std::move(all));
  InstructionMix m;
  m.integer = 2;
  if (address.level < depth() || depth() == 0) {
    charge(m, address.level, key);
    return;
  }
  // Steps of constant length become offsets of instructions that are unrolled.
  double unrolled = out.stages[stageOf(levels.back().loop)].overlap;
  bool isShort =
      address.isKnown && std::fabs(address.slope(size_t(kFirstLoop + depth() - 1))) <= 64;
  charge(m.scaled(isShort ? 1 / unrolled : 0.5), address.level, key);
}

void Walker::noteWait(size_t reference, int level) {
  Stage &stage = out.stages[stageOf(levels[size_t(level)].loop)];
  const Reference &r = out.references[reference];
  if (r.buffer < 0)
    stage.touchesShared = true;
  else if (!r.isWrite &&
           std::find(stage.loads.begin(), stage.loads.end(), reference) == stage.loads.end())
    stage.loads.push_back(reference);
}

std::vector<int> Walker::loopsAround() const {
  std::vector<int> all;
  for (const Level &l : levels)
    all.push_back(l.loop);
  return all;
}

void Walker::forget(const std::string &array) {
  for (Level &l : levels)
    l.loaded.erase(array);
}

size_t Walker::referenceFor(const ExprP &e, bool isWrite, bool isShared, const Area &area,
                            int bytes) {
  // Copies of an unrolled loop's body, and calls of a function, share the expression; each has its
  // own element in memory.
  size_t copy = levels.back().copies[{e.get(), isWrite}]++;
  std::vector<size_t> &ofCopies = numbers[{e.get(), isWrite}];
  if (copy == ofCopies.size()) {
    ofCopies.push_back(out.references.size());
    kept.push_back(e);
    Reference r;
    r.array = baseOf(e)->name;
    r.text = print(e);
    r.at = e->at;
    r.buffer = isShared ? -1 : area.parameter->buffer;
    r.elementBytes = bytes;
    r.isWrite = isWrite;
    r.loop = levels.back().loop;
    r.phase = phase;
    r.strides.assign(size_t(kFirstLoop + depth()), 0.0);
    r.counts.assign(size_t(depth()), 0.0);
    for (int k = 1; k <= depth(); k++)
      r.loops.push_back(levels[size_t(k)].counter);
    std::fill(r.first, r.first + 4, INT64_MAX);
    std::fill(r.last, r.last + 4, 0);
    for (int k = depth();
         k > 0 && !facts.leavesFirstLevel(r.array, levels[size_t(k)].loop, shape.blocks() > 1); k--)
      r.keptLoops++;
    out.references.push_back(r);
  }
  return ofCopies[copy];
}

double Walker::apart(const ExprP &e, const Mask &mask, int bytes) {
  std::vector<LaneValue> subscripts; // the last one first
  quiet++;
  for (const Expr *at = e.get(); at->kind == ExprKind::Index || at->kind == ExprKind::Member;
       at = at->args[0].get())
    if (at->kind == ExprKind::Index)
      subscripts.push_back(evaluated(at->args[1], mask));
  quiet--;
  double active = activeIn(mask),
         ideal = std::max(1.0, active * bytes / device.transactionBytes.front());
  // Anything between side by side and each elsewhere; rather the one where lanes stay in one row,
  // the other where they do not.
  bool haveRows =
      std::any_of(subscripts.begin() + std::min<size_t>(1, subscripts.size()), subscripts.end(),
                  [&](const LaneValue &v) { return varies(v, mask); });
  if (haveRows)
    return std::sqrt(ideal * active);
  return subscripts.empty() || varies(subscripts[0], mask)
             ? std::pow(ideal, 0.75) * std::pow(active, 0.25)
             : 1;
}

void Walker::record(Reference &r, const LaneValue &address, const Mask &mask, double apart) {
  double weight = levels.back().weight;
  int active = activeIn(mask);
  if (r.accesses == 0 && address.isKnown)
    r.offset = originOf(address, mask);
  r.accesses += weight;
  noteExtent(r, mask);
  for (size_t k = 0; k < r.counts.size(); k++)
    r.counts[k] += weight * levels[k + 1].trips;
  if (!address.isKnown) {
    r.isRegular = false;
    r.transactions += weight * apart;
    r.transactionBytes += weight * apart * device.transactionBytes.front();
    r.lines += weight * apart;
    r.ideal +=
        weight * std::max(1.0, double(active) * r.elementBytes / device.transactionBytes.front());
    r.turns += weight * std::min(active, device.banks);
    r.idealTurns += weight;
    return;
  }
  for (size_t d = 0; d < r.strides.size(); d++)
    r.strides[d] += weight * address.slope(d);
  AccessCost cost = costOf(address, mask, r.elementBytes, r.buffer < 0);
  if (r.buffer < 0) {
    r.turns += weight * cost.count;
    r.idealTurns += weight * cost.ideal;
    return;
  }
  r.transactions += weight * cost.count;
  r.transactionBytes += weight * cost.bytes;
  r.lines += weight * cost.lines;
  r.ideal += weight * cost.ideal;
}

size_t Walker::HashOfLanes::operator()(const std::vector<int64_t> &lanes) const {
  uint64_t hash = 14695981039346656037u;
  for (int64_t x : lanes)
    hash = (hash ^ uint64_t(x)) * 1099511628211u;
  return size_t(hash ^ (hash >> 32));
}

Walker::AccessCost Walker::costOf(const LaneValue &address, const Mask &mask, int bytes,
                                  bool isShared) {
  // Segments, rows of lanes and rounds of the banks are powers of two and smaller: accesses that
  // are whole pages apart cost the same.
  constexpr int64_t kPage = 4096, kIdle = -1;
  size_t first = size_t(std::find(mask.begin(), mask.end(), 1) - mask.begin());
  int64_t page = first < mask.size() ? address.at(first) / kPage * kPage : 0;
  bool isBelow = false;
  std::vector<int64_t> key(mask.size() + 1, kIdle);
  key[0] = 2 * bytes + isShared;
  for (size_t k = first; k < mask.size(); k++)
    if (mask[k]) {
      int64_t at = address.at(k);
      isBelow |= at < 0;
      key[k + 1] = 2 * (at - page); // even: no idle lane
    }
  auto known = isBelow ? costs.end() : costs.find(key);
  if (known != costs.end())
    return known->second;
  std::vector<std::optional<int64_t>> lanes(mask.size());
  for (size_t k = 0; k < mask.size(); k++)
    if (mask[k])
      lanes[k] = address.at(k);
  AccessCost cost;
  if (isShared) {
    BankTurns t = bankTurnsOf(lanes, bytes, device);
    cost = {double(t.turns), 0, 0, double(t.ideal)};
  } else {
    Transactions t = transactionsOf(lanes, bytes, device);
    cost = {double(t.count), double(t.bytes), double(t.lines),
            double(idealTransactions(lanes, bytes, device))};
  }
  if (!isBelow)
    costs.emplace(std::move(key), cost);
  return cost;
}

// Where the first thread of the first block would be in the first iteration of the loops around.
double Walker::originOf(const LaneValue &address, const Mask &mask) const {
  size_t lane = size_t(std::find(mask.begin(), mask.end(), 1) - mask.begin());
  double origin = double(address.at(lane));
  for (size_t d = 0; d < 4; d++)
    origin -= address.slope(d) * double(along[d].at(lane));
  for (size_t k = 1; k < levels.size(); k++)
    origin -= address.slope(kFirstLoop + k - 1) * double(levels[k].iteration);
  return origin;
}

void Walker::noteExtent(Reference &r, const Mask &mask) {
  for (size_t d = 0; d < 4; d++) {
    const LaneValue &v = along[d];
    for (size_t k = 0; k < mask.size(); k++)
      if (mask[k]) {
        r.first[d] = std::min(r.first[d], v.at(k));
        r.last[d] = std::max(r.last[d], v.at(k));
      }
  }
}

} // namespace nw
