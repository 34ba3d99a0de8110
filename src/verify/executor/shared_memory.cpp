// Shared memory of the block executor: what is in it, who has touched it since the last barrier.
#include "verify/executor/block_executor.h"
#include <fmt/format.h>

namespace nw {

BlockExecutor::Slot *BlockExecutor::slotIn(Shared &array, const ExprP &e,
                                           const std::vector<Lanes> &subscripts, int thread) {
  if (!(e->type == array.type))
    say(print(e) + " has elements of another type");
  int64_t at = slotOf(array.extents, subscripts, thread);
  if (at < 0) {
    say(print(e) + " lies outside the shared array, or cannot be executed");
    return nullptr;
  }
  Slot &slot = array.slots[size_t(at)];
  if (slot.writer != kNobody && slot.writer != thread)
    say("threads collide in " + print(e));
  return &slot;
}

std::vector<BlockExecutor::Held> BlockExecutor::readShared(const ExprP &e, const Path &path) {
  Shared &array = state.shared.at(baseOf(e)->name);
  std::vector<Lanes> subscripts = subscriptsOf(e, path);
  std::vector<Held> out(static_cast<size_t>(threads));
  for (int t = 0; t < threads; t++) {
    if (!path[size_t(t)].isActive)
      continue;
    Slot *slot = slotIn(array, e, subscripts, t);
    if (!slot)
      continue;
    slot->reader = slot->reader == kNobody || slot->reader == t ? t : kSeveral;
    out[size_t(t)] = slot->held;
  }
  return out;
}

void BlockExecutor::writeShared(const ExprP &e, const std::vector<Held> &values, bool isPending,
                                const Path &path) {
  Shared &array = state.shared.at(baseOf(e)->name);
  std::vector<Lanes> subscripts = subscriptsOf(e, path);
  for (int t = 0; t < threads; t++) {
    if (!path[size_t(t)].isActive)
      continue;
    Slot *found = slotIn(array, e, subscripts, t);
    if (!found) {
      for (Slot &slot : array.slots)
        slot.held = {};
      continue;
    }
    Slot &slot = *found;
    if (slot.reader != kNobody && slot.reader != t)
      say("threads collide in " + print(e));
    if (slot.isPending && slot.held.datum != values[size_t(t)].datum)
      say(fmt::format("what is computed in {} is not copied back", print(e)));
    const Way &way = path[size_t(t)];
    Guard when = way.isCertain ? way.guard : Guard(); // at most
    if (slot.isPending) // the same value once more: it still has to go where it belongs
      when = !isPending                           ? slot.pending
             : guards.implies(slot.pending, when) ? when
             : guards.implies(when, slot.pending) ? slot.pending
                                                  : Guard();
    slot.writer = t;
    slot.isPending |= isPending;
    slot.pending = when;
    slot.held = put(values[size_t(t)], path[size_t(t)]);
  }
}

// Before the next barrier, even the thread itself does not find there what it has sent.
void BlockExecutor::underWay(const ExprP &e, const Path &path) {
  Shared &array = state.shared.at(baseOf(e)->name);
  std::vector<Lanes> subscripts = subscriptsOf(e, path);
  for (int t = 0; t < threads; t++)
    if (int64_t at = path[size_t(t)].isActive ? slotOf(array.extents, subscripts, t) : -1; at >= 0)
      array.slots[size_t(at)].writer = kSeveral;
}

// Whether what is there is what is wanted, wherever the thread gets there.
bool BlockExecutor::isHeld(const Datum &wanted, const Held &there, const Way &way) {
  bool is = wanted.kind != Datum::Nothing && wanted == there.datum && there.isThere &&
            guards.implies(way.counts, there.guard);
  return is || guards.isImpossible(way.counts);
}

// The copy, or the thread's register, holds what the element had when the kernel began, or what the
// program computed for it.
std::vector<BlockExecutor::Held> BlockExecutor::stagedRead(const ExprP &e, const Path &path) {
  const Expr *copy = baseOf(e->args[0]), *array = baseOf(e->args[1]);
  std::vector<Held> out(static_cast<size_t>(threads));
  bool isShared = copy && state.shared.count(copy->name);
  if (!copy || !array || (!isShared && !proved.count(copy->name)))
    return out; // a register that stands for the element from its load to its store
  std::vector<Held> found = isShared ? readShared(e->args[0], path) : data(e->args[0], path);
  std::vector<Lanes> subscripts = subscriptsOf(e->args[1], path);
  int number = arrayOf(array->name);
  bool isLoaded = false;
  for (int t = 0; t < threads; t++) {
    if (!path[size_t(t)].isActive || !path[size_t(t)].isCounted)
      continue;
    Datum wanted = elementOf(number, subscripts, t, found[size_t(t)].datum.kind);
    if (!isHeld(wanted, found[size_t(t)], path[size_t(t)]))
      say(fmt::format("{} does not hold {}", print(e->args[0]), print(e->args[1])));
    else // for what it was proved
      out[size_t(t)] = {wanted, true, path[size_t(t)].counts};
    isLoaded |= found[size_t(t)].datum.kind == Datum::Loaded;
  }
  if (isLoaded)
    loaded.insert(array->name);
  return out;
}

void BlockExecutor::copyBack(const ExprP &target, const ExprP &from, const Path &path) {
  std::vector<Held> values = readShared(from, path);
  std::vector<Lanes> subscripts = subscriptsOf(target, path), slots = subscriptsOf(from, path);
  Shared &array = state.shared.at(baseOf(from)->name);
  written.insert(baseOf(target)->name);
  int number = arrayOf(baseOf(target)->name);
  for (int t = 0; t < threads; t++) {
    if (!path[size_t(t)].isActive)
      continue;
    const Held &held = values[size_t(t)];
    Datum wanted = elementOf(number, subscripts, t, Datum::Computed);
    if (!isHeld(wanted, held, path[size_t(t)]))
      say(fmt::format("{} is copied back to {}, whose value it does not hold", print(from),
                      print(target)));
    int64_t at = slotOf(array.extents, slots, t);
    if (at < 0)
      continue;
    std::vector<int64_t> element = {wanted.array};
    for (int d = 0; d < wanted.dims; d++) {
      element.push_back(wanted.forms[size_t(d)]);
      element.push_back(wanted.own[size_t(d)]);
    }
    if (broughtFrom.emplace(element, at).first->second != at)
      say(print(target) + " is brought from two places");
    Slot &slot = array.slots[size_t(at)];
    if (path[size_t(t)].isCertain && guards.implies(slot.pending, path[size_t(t)].guard))
      slot.isPending = false;
  }
}

} // namespace nw
