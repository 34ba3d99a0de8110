// Loops of the block executor. Where all threads know how often they go round, they do. Otherwise
// the loop is run from a state that holds before each of its turns: what is there before the first,
// with the differences that one turn makes, as far as another turn confirms it. Loops around others
// in which threads meet are tried first from what no turn changes, which takes far fewer runs.
#include "verify/executor/block_executor.h"
#include <algorithm>
#include <numeric>

namespace nw {

constexpr int kMostTurns = 1 << 14, kMostGuarded = 256; // the longest strip
// With barriers inside: a product of 256 strips, in three forms, took 34 s turn by turn.
constexpr int kMostMeeting = 32;

static bool changesItsEnd(const Stmt &s) {
  bool does = false;
  walkStmts(s.body[0], [&](const StmtP &b) {
    if (b->kind == StmtKind::Assign && b->exprs[0]->kind == ExprKind::Var)
      does |= b->exprs[0]->name == s.loop.counter ||
              mentions(s.loop.condition, b->exprs[0]->name) ||
              (s.loop.stride && mentions(s.loop.stride, b->exprs[0]->name));
  });
  return does;
}

void BlockExecutor::loop(const Stmt &s, const Path &path) {
  auto old = state.integers.find(s.loop.counter);
  std::optional<Lanes> before =
      old == state.integers.end() ? std::nullopt : std::optional(old->second);
  if (changesItsEnd(s))
    say("a loop whose body changes how often it runs: " + s.loop.counter);
  else if (!loopAroundOthers(s, path) && !shortLoop(s, path))
    symbolicLoop(s, path);
  if (before)
    state.integers[s.loop.counter] = *before;
  else
    state.integers.erase(s.loop.counter);
}

// Turns after which no thread goes on, whatever the sizes are; nothing where that depends on them.
// Where it is not known whether a thread goes on, a few turns at most are looked at.
std::optional<int> BlockExecutor::mostTurns(const Stmt &s, const Lanes &start, const Lanes &step,
                                            Path going) {
  Lanes counter = start;
  int guarded = 0;
  for (int turns = 0; turns < kMostTurns; turns++) {
    state.integers[s.loop.counter] = counter;
    Truth t = truth(s.loop.condition, going);
    bool isGuarded = false;
    for (size_t k = 0; k < size_t(threads); k++) {
      if (going[k].isActive && t.kind[k] == Truth::Unknown)
        return std::nullopt;
      isGuarded |= going[k].isActive && t.kind[k] == Truth::Guarded;
    }
    guarded += isGuarded;
    if (guarded > kMostGuarded)
      return std::nullopt;
    going = under(going, t, true);
    if (!isAnyone(going))
      return turns;
    counter = arithmetic("+", counter, step);
  }
  return std::nullopt;
}

bool BlockExecutor::shortLoop(const Stmt &s, const Path &path) {
  look(s.loop.start, path);
  Lanes counter = integer(s.loop.start, path),
        step = s.loop.stride ? integer(s.loop.stride, path) : number(s.loop.step);
  std::optional<int> most = mostTurns(s, counter, step, path);
  bool mayMeetHere = mayMeet(s.body[0]);
  if (!most || (mayMeetHere && *most > kMostMeeting))
    return false;
  Path going = path;
  std::map<std::string, Lanes> after = state.integers; // wherever the loop ends
  bool mayHaveEnded = false;
  for (int turns = 0; turns < *most; turns++) {
    state.integers[s.loop.counter] = counter;
    look(s.loop.condition, going);
    Truth t = truth(s.loop.condition, going);
    mayHaveEnded |=
        std::any_of(t.kind.begin(), t.kind.end(), [](auto k) { return k != Truth::Yes; });
    going = under(going, t, true);
    Path here = going;
    State start;
    if (mayHaveEnded && mayMeetHere)
      start.shared = state.shared;
    exec(s.body[0], here);
    addMarks(state, start); // nobody may have met
    if (mayHaveEnded)
      settle(after, state.integers);
    else
      after = state.integers;
    counter = arithmetic("+", counter, step);
  }
  state.integers = after;
  return true;
}

static bool isOfNumbers(const ExprP &e) {
  bool is = true;
  walk(e, [&](const ExprP &x) {
    return is &= x->kind != ExprKind::Index && x->kind != ExprKind::Staged, is;
  });
  return is;
}

// After so many turns, remainders in the body come again.
static int periodOf(const Stmt &s) {
  int64_t period = 1;
  walkExprs(s.body[0], [&](const ExprP &e) {
    if (e->kind == ExprKind::Binary && e->name == "%" && e->args[1]->kind == ExprKind::Int &&
        e->args[1]->integer > 0 && isOfNumbers(e->args[0]) && mentions(e->args[0], s.loop.counter))
      period = std::lcm(period, e->args[1]->integer);
    return true;
  });
  return period <= 8 ? int(period) : 1;
}

// One turn. Whether another follows is known, or not asked.
void BlockExecutor::turn(const Stmt &s, const Lanes &counter, bool hasNext, const Path &path) {
  Lanes step = s.loop.stride ? integer(s.loop.stride, path) : number(s.loop.step);
  state.integers[s.loop.counter] = counter;
  Path here = under(path, truth(s.loop.condition, path), true);
  if (hasNext) {
    state.integers[s.loop.counter] = arithmetic("+", counter, step);
    here = under(here, truth(s.loop.condition, here), true);
    state.integers[s.loop.counter] = counter;
  }
  for (size_t k = 0; k < size_t(threads); k++)
    if (!here[k].isActive || !here[k].isCertain || !(here[k].guard == here[0].guard) ||
        !(path[k].guard == path[0].guard))
      say("a loop that threads go round differently: " + s.loop.counter);
  Path inside = here;
  exec(s.body[0], inside);
  leaveTurn(here[0].guard, path[0].guard);
}

void BlockExecutor::turns(const Stmt &s, const Lanes &first, int64_t step, int many,
                          const Path &path) {
  for (int k = 0; k < many; k++)
    turn(s, arithmetic("+", first, number(k * step)), true, path);
}

// What comes after a turn comes only if there was that turn: its conditions held.
void BlockExecutor::leaveTurn(Guard inside, Guard outside) {
  if (inside == outside)
    return;
  auto lift = [&](Held &held) {
    if (!held.isThere)
      return;
    Guard out = outside;
    for (auto [form, number] : guards.conditionsOf(held.guard))
      if (!guards.implies(inside, form, number))
        out = guards.with(out, form, number, held.isThere);
    held.guard = out;
  };
  for (auto &[name, r] : state.registers)
    for (Held &held : r.held)
      lift(held);
  for (auto &[name, array] : state.shared)
    for (Slot &slot : array.slots)
      lift(slot.held);
}

// What code may change is not known any more.
void BlockExecutor::forgetChanged(const StmtP &code) {
  walkStmts(code, [&](const StmtP &b) {
    const Expr *base = b->kind == StmtKind::Assign ? baseOf(b->exprs[0]) : nullptr;
    const std::string &name = base ? base->name : b->name;
    if (!base && b->kind != StmtKind::Reduce)
      return;
    forget(name);
    if (auto array = state.shared.find(name); array != state.shared.end())
      for (Slot &slot : array->second.slots)
        slot.held = {};
  });
}

// A loop whose values blocks take in turns: any of a block's turns, which begins with what no turn
// changes.
void BlockExecutor::loopOfBlocks(const Stmt &s, const Lanes &start, const Path &path) {
  Lanes counter = start;
  counter.form = forms.sum(start.form, forms.symbol(" turn" + std::to_string(loops++), true));
  forgetChanged(s.body[0]);
  turn(s, counter, false, path);
  forgetChanged(s.body[0]);
}

// Whether there is a loop in it in which threads meet.
static bool hasMeetingLoop(const StmtP &s) {
  bool has = false;
  walkStmts(s, [&](const StmtP &x) {
    if (x->kind == StmtKind::For)
      walkStmts(x->body[0], [&](const StmtP &y) { has |= y->kind == StmtKind::Barrier; });
  });
  return has;
}

bool BlockExecutor::isAnythingPending() const {
  for (auto &[name, array] : state.shared)
    for (const Slot &slot : array.slots)
      if (slot.isPending)
        return true;
  return false;
}

// A loop around others: any of its turns, which begins with what no turn changes, and with the
// marks that any turn, or none, has left in shared memory. False, and nothing has happened, where
// that is not enough to find all in order.
bool BlockExecutor::loopAroundOthers(const Stmt &s, const Path &path) {
  constexpr int kMostRuns = 4;
  if (muted > 0 || !said.empty() || !hasMeetingLoop(s.body[0]) || isAnythingPending())
    return false;
  Lanes start = integer(s.loop.start, path),
        step = s.loop.stride ? integer(s.loop.stride, path) : number(s.loop.step);
  if (!start.isKnown || !step.isKnown || step.form != 0 || !step.own.areSame() || step.own[0] <= 0)
    return false;
  const State before = state;
  look(s.loop.start, path);
  FormId number = forms.symbol(" turn" + std::to_string(loops++), true);
  Lanes counter = start;
  counter.form = forms.sum(start.form, number, step.own[0]);
  forgetChanged(s.body[0]);
  State any = state; // before any turn, and after the last
  bool isSettled = false;
  for (int runs = 0; runs < kMostRuns && !isSettled && said.empty(); runs++) {
    state = any;
    turn(s, counter, false, path);
    State marked = any;
    addMarks(marked, state);
    isSettled = areMarkedAlike(marked, any) && !isAnythingPending();
    any = std::move(marked);
  }
  bool isFound = isSettled && said.empty();
  said.clear();
  state = isFound ? any : before;
  return isFound;
}

bool BlockExecutor::areMarkedAlike(const State &a, const State &b) {
  for (auto &[name, array] : a.shared) {
    auto other = b.shared.find(name);
    if (other == b.shared.end() ||
        !std::equal(array.slots.begin(), array.slots.end(), other->second.slots.begin(),
                    other->second.slots.end(), [](const Slot &x, const Slot &y) {
                      return x.writer == y.writer && x.reader == y.reader;
                    }))
      return false;
  }
  return true;
}

void BlockExecutor::symbolicLoop(const Stmt &s, const Path &path) {
  Lanes start = integer(s.loop.start, path),
        stride = s.loop.stride ? integer(s.loop.stride, path) : number(s.loop.step);
  if (start.isKnown && s.loop.stride && isBuiltin(s.loop.stride, "blocks.x") &&
      state.shared.empty())
    return loopOfBlocks(s, start, path);
  bool isConstant = stride.isKnown && stride.form == 0 && stride.own.areSame() && stride.own[0] > 0;
  if (!start.isKnown || !isConstant) {
    say("a loop that cannot be executed: " + s.loop.counter);
    return;
  }
  int period = periodOf(s);
  int64_t step = stride.own[0];
  FormId number = forms.symbol(" turn" + std::to_string(loops++), true);
  State before = state;
  muted++;
  turns(s, start, step, period, path);
  State wanted = generalized(before, state, number);
  Lanes first = start;
  first.form = forms.sum(start.form, number, step * period);
  do {
    state = wanted;
    turns(s, first, step, period, path);
  } while (weakened(wanted, state, number));
  muted--;
  // Any turns with one after them, so many that neighbours meet; the last one may be any of them.
  // With a barrier in each turn, only those next to each other meet.
  state = wanted;
  std::vector<State> ends;
  int many = hasBarrier(s.body[0]) ? period + 1 : 2 * period;
  for (int k = 0; k < many; k++) {
    Lanes counter = arithmetic("+", first, this->number(k * step));
    State here = state;
    turn(s, counter, false, path);
    ends.push_back(std::move(state));
    state = std::move(here);
    muted++; // it has been looked at, and has left its marks
    turn(s, counter, true, path);
    muted--;
    takeMarks(state, ends.back());
  }
  forget(state, before, ends);
  for (const State &end : ends)
    addMarks(state, end);
}

// Whether some may meet in it.
bool BlockExecutor::mayMeet(const StmtP &s) {
  bool may = false;
  walkStmts(s, [&](const StmtP &x) { may |= x->kind == StmtKind::Barrier; });
  return may;
}

// Whether all who run the code meet in it.
bool BlockExecutor::hasBarrier(const StmtP &s) {
  return s->kind == StmtKind::Barrier ||
         (s->kind == StmtKind::Block && std::any_of(s->body.begin(), s->body.end(), hasBarrier));
}

void BlockExecutor::takeMarks(State &state, const State &from) {
  for (auto &[name, array] : state.shared)
    for (size_t n = 0; from.shared.count(name) && n < array.slots.size(); n++) {
      const Slot &slot = from.shared.at(name).slots[n];
      array.slots[n].writer = slot.writer;
      array.slots[n].reader = slot.reader;
      array.slots[n].isPending |= slot.isPending;
      array.slots[n].pending = slot.pending;
    }
}

// Whoever may have touched shared memory since the last barrier, wherever the loop ended.
void BlockExecutor::addMarks(State &all, const State &end) {
  auto add = [](int &mark, int other) {
    if (other != kNobody && other != mark)
      mark = mark == kNobody ? other : kSeveral;
  };
  for (auto &[name, array] : all.shared)
    for (size_t n = 0; end.shared.count(name) && n < array.slots.size(); n++) {
      const Slot &slot = end.shared.at(name).slots[n];
      add(array.slots[n].writer, slot.writer);
      add(array.slots[n].reader, slot.reader);
      if (slot.isPending && !(array.slots[n].isPending && array.slots[n].pending == slot.pending))
        array.slots[n].pending = array.slots[n].isPending ? Guard() : slot.pending;
      array.slots[n].isPending |= slot.isPending;
    }
}

// What one turn changes by a number, all turns change by it.
BlockExecutor::State BlockExecutor::generalized(const State &before, const State &after,
                                                FormId number) {
  State out = before;
  for (auto &[name, value] : out.integers) {
    auto other = after.integers.find(name);
    bool isThere = other != after.integers.end() && value.isKnown && other->second.isKnown &&
                   other->second.form == value.form;
    int64_t by = isThere ? other->second.own[0] - value.own[0] : 0;
    for (size_t t = 0; isThere && t < size_t(threads); t++)
      isThere = other->second.own[t] - value.own[t] == by;
    if (isThere)
      value.form = forms.sum(value.form, number, by);
    else
      value = {false, 0, {}};
  }
  auto general = [&](Held &held, const Held &later) {
    Datum &x = held.datum;
    const Datum &y = later.datum;
    bool isAlike = x.kind == y.kind && x.array == y.array && x.dims == y.dims &&
                   x.forms == y.forms && (x.kind != Datum::Part || x == y);
    for (int d = 0; isAlike && x.kind != Datum::Part && d < x.dims; d++)
      x.forms[size_t(d)] =
          forms.sum(x.forms[size_t(d)], number, y.own[size_t(d)] - x.own[size_t(d)]);
    bool isWhole = isAlike && held.isThere && later.isThere;
    held.guard = guards.both(held.guard, later.guard, isWhole);
    if (!isWhole)
      held = {};
  };
  for (auto &[name, r] : out.registers)
    for (size_t n = 0; n < r.held.size(); n++)
      general(r.held[n], after.registers.at(name).held[n]);
  for (auto &[name, array] : out.shared)
    for (size_t n = 0; n < array.slots.size(); n++) {
      Slot &slot = array.slots[n];
      const Slot &later = after.shared.at(name).slots[n];
      general(slot.held, later.held);
      slot.isPending |= later.isPending;
      slot.pending = {};
    }
  return out;
}

// Forgets what the turns do not bring about for the next ones; whether there was any.
bool BlockExecutor::weakened(State &wanted, const State &after, FormId number) {
  bool changed = false;
  for (auto &[name, value] : wanted.integers) {
    if (!value.isKnown)
      continue;
    const Lanes &now = after.integers.at(name);
    int64_t by = forms.factorOf(value.form, number);
    bool isThere = now.isKnown && now.form == value.form;
    for (size_t t = 0; isThere && t < size_t(threads); t++)
      isThere = now.own[t] == value.own[t] + by;
    if (!isThere) {
      value = {false, 0, {}};
      changed = true;
    }
  }
  auto keep = [&](Held &held, const Held &later) {
    Held next = held;
    for (int d = 0; next.datum.kind != Datum::Part && d < next.datum.dims; d++)
      next.datum.own[size_t(d)] += forms.factorOf(next.datum.forms[size_t(d)], number);
    if (held == Held{} ||
        (next.datum == later.datum && later.isThere && guards.implies(next.guard, later.guard)))
      return;
    held = {};
    changed = true;
  };
  for (auto &[name, r] : wanted.registers)
    for (size_t n = 0; n < r.held.size(); n++)
      keep(r.held[n], after.registers.at(name).held[n]);
  for (auto &[name, array] : wanted.shared)
    for (size_t n = 0; n < array.slots.size(); n++)
      keep(array.slots[n].held, after.shared.at(name).slots[n].held);
  return changed;
}

// After the loop, which any of its turns may have ended: what none of them has changed is known.
void BlockExecutor::forget(State &changed, const State &before, const std::vector<State> &ends) {
  auto isKept = [&](const auto &same) { return std::all_of(ends.begin(), ends.end(), same); };
  for (auto &[name, value] : changed.integers) {
    auto old = before.integers.find(name);
    bool is = old != before.integers.end() && isKept([&, &name = name](const State &end) {
                auto now = end.integers.find(name);
                return now != end.integers.end() && now->second == old->second;
              });
    value = is ? old->second : Lanes{false, 0, {}};
  }
  for (auto &[name, r] : changed.registers) {
    auto old = before.registers.find(name);
    for (size_t n = 0; n < r.held.size(); n++) {
      bool is = old != before.registers.end() && isKept([&, &name = name](const State &end) {
                  auto now = end.registers.find(name);
                  return now != end.registers.end() && now->second.held[n] == old->second.held[n];
                });
      r.held[n] = is ? old->second.held[n] : Held{};
    }
  }
  for (auto &[name, array] : changed.shared) {
    auto old = before.shared.find(name);
    for (size_t n = 0; n < array.slots.size(); n++) {
      Slot &slot = array.slots[n];
      bool is = old != before.shared.end() && isKept([&, &name = name](const State &end) {
                  auto now = end.shared.find(name);
                  return now != end.shared.end() &&
                         now->second.slots[n].held == old->second.slots[n].held;
                });
      slot.held = is ? old->second.slots[n].held : Held{};
      if (old == before.shared.end())
        continue;
      const Slot &was = old->second.slots[n]; // there may be no turn at all
      if (slot.writer != was.writer && was.writer != kNobody)
        slot.writer = kSeveral;
      if (slot.reader != was.reader && was.reader != kNobody)
        slot.reader = kSeveral;
      if (was.isPending) {
        slot.isPending = true;
        slot.pending = {};
      }
    }
  }
}

} // namespace nw
