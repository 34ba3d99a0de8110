// Statements of the block executor: who is under way, who writes and reads what.
#include "verify/executor/block_executor.h"
#include "kernel/reduction_steps.h"
#include <algorithm>
#include <fmt/format.h>
#include <numeric>

namespace nw {

static int64_t elementsOf(const std::vector<int64_t> &extents) {
  return std::accumulate(extents.begin(), extents.end(), int64_t(1), std::multiplies<>());
}

BlockExecutor::BlockExecutor(const std::array<int, 3> &block)
    : threads(block[0] * block[1] * block[2]), block(block), guards(forms) {}

void BlockExecutor::addInteger(const std::string &name) {
  state.integers[name] = {true, forms.symbol(name, false),
                          std::vector<int64_t>(size_t(threads), 0)};
}

void BlockExecutor::addArray(const std::string &name) { arrays.emplace(name, int(arrays.size())); }

void BlockExecutor::addPart(const std::string &name) {
  addArray(name);
  Registers &r = state.registers[name];
  for (int t = 0; t < threads; t++) {
    Held own;
    own.isThere = true;
    own.datum.kind = Datum::Part;
    own.datum.array = int16_t(arrays.at(name));
    own.datum.forms[0] = numberOf({"", {t}});
    r.held.push_back(own);
  }
}

int BlockExecutor::numberOf(const Parts &some) {
  auto [at, isNew] = partNumbers.try_emplace(some, int(parts.size()));
  if (isNew)
    parts.push_back(some);
  return at->second;
}

std::vector<int> BlockExecutor::threadsIn(const std::string &name, int thread,
                                          const std::string &op) const {
  auto r = state.registers.find(name);
  if (r == state.registers.end())
    return {};
  const Held &h = r->second.held[size_t(thread)];
  if (!h.isThere || h.guard.shape != 0 || h.datum.kind != Datum::Part ||
      h.datum.array != int16_t(arrays.at(name)))
    return {};
  const Parts &found = parts[size_t(h.datum.forms[0])];
  return found.op == op || found.op.empty() ? found.threads : std::vector<int>();
}

BlockExecutor::Path BlockExecutor::everyone() const { return Path(static_cast<size_t>(threads)); }

void BlockExecutor::say(const std::string &what) {
  if (muted == 0)
    said.insert(what);
}

bool BlockExecutor::isAnyone(const Path &path) {
  return std::any_of(path.begin(), path.end(), [](const Way &w) { return w.isActive; });
}

void BlockExecutor::run(const StmtP &body) {
  Path all = everyone();
  exec(body, all);
  for (auto &[name, array] : state.shared)
    for (const Slot &slot : array.slots)
      if (slot.isPending)
        say(fmt::format("what is computed in {} is not copied back", name));
  for (const std::string &array : loaded)
    if (written.count(array))
      say(fmt::format("{} is written while copies of it are in use", array));
}

// The names that a block declares end with it.
void BlockExecutor::execAll(const std::vector<StmtP> &body, Path &path) {
  std::map<std::string, std::optional<Lanes>> integers;
  std::map<std::string, std::optional<Registers>> registers;
  for (const StmtP &s : body) {
    if (s->kind == StmtKind::Declare) {
      auto i = state.integers.find(s->name);
      auto r = state.registers.find(s->name);
      integers.emplace(s->name,
                       i == state.integers.end() ? std::nullopt : std::optional(i->second));
      registers.emplace(s->name,
                        r == state.registers.end() ? std::nullopt : std::optional(r->second));
    }
    exec(s, path);
  }
  for (auto &[name, old] : integers)
    if (old)
      state.integers[name] = *old;
    else
      state.integers.erase(name);
  for (auto &[name, old] : registers)
    if (old)
      state.registers[name] = *old;
    else
      state.registers.erase(name);
}

void BlockExecutor::exec(const StmtP &s, Path &path) {
  if (!isAnyone(path))
    return;
  switch (s->kind) {
  case StmtKind::Block: {
    bool outer = inInstance;
    inInstance |= s->isInstance();
    execAll(s->body, path);
    inInstance = outer;
    return;
  }
  case StmtKind::Declare:
    declare(*s, path);
    return;
  case StmtKind::Assign:
    assign(*s, path);
    return;
  case StmtKind::If:
    branch(*s, path);
    return;
  case StmtKind::For:
    loop(*s, path);
    return;
  case StmtKind::Window:
    window(*s, path);
    return;
  case StmtKind::Shared: {
    Shared &array = state.shared[s->name];
    array.extents = s->extents;
    array.slots.assign(size_t(elementsOf(s->extents)), {});
    return;
  }
  case StmtKind::Barrier:
    barrier(path);
    return;
  default:
    say("a statement that the executor does not know");
  }
}

void BlockExecutor::barrier(const Path &path) {
  if (!std::all_of(path.begin(), path.end(), [&](const Way &w) {
        return w.isActive && w.isCertain && w.guard == path[0].guard;
      }))
    say("a barrier that not all threads reach together");
  for (auto &[name, array] : state.shared)
    for (Slot &slot : array.slots)
      slot.writer = slot.reader = kNobody;
}

void BlockExecutor::declare(const Stmt &s, const Path &path) {
  bool isGiven = !s.exprs.empty() && s.exprs[0]->kind == ExprKind::Call &&
                 s.exprs[0]->name == kExchange; // another thread's value
  if (s.extents.empty() && s.type.isInteger() && !isGiven) {
    Lanes value{false, 0, {}};
    if (!s.exprs.empty()) {
      look(s.exprs[0], path);
      value = integer(s.exprs[0], path);
    }
    state.integers[s.name] = value;
    state.registers.erase(s.name);
    return;
  }
  Registers r;
  r.extents = s.extents;
  int64_t elements = elementsOf(s.extents);
  if (elements == 1 && s.exprs.size() == 1)
    r.held = data(s.exprs[0], path);
  else {
    for (const ExprP &e : s.exprs)
      look(e, path);
    r.held.resize(size_t(elements * threads));
  }
  state.registers[s.name] = std::move(r);
  state.integers.erase(s.name);
}

void BlockExecutor::branch(const Stmt &s, const Path &path) {
  look(s.exprs[0], path);
  Truth t = truth(s.exprs[0], path);
  if (s.isSpeculated) { // runs unasked; what it does counts where the condition holds
    Path here = path;
    Path asked = under(path, t, true);
    for (size_t k = 0; k < size_t(threads); k++) {
      here[k].isCounted = path[k].isCounted && asked[k].isActive;
      here[k].counts = asked[k].counts;
    }
    exec(s.body[0], here);
    return;
  }
  const std::map<std::string, Lanes> before = state.integers;
  bool isCertain = true;
  for (size_t k = 0; k < size_t(threads); k++)
    isCertain &= t.kind[k] == t.kind[0] && (t.kind[k] == Truth::Yes || t.kind[k] == Truth::No);
  std::map<std::string, Lanes> after = before;
  for (size_t n = 0; n < s.body.size(); n++) {
    Path here = under(path, t, n == 0);
    exec(s.body[n], here);
    if (isCertain)
      continue;
    settle(after, state.integers);
    state.integers = before;
  }
  if (!isCertain)
    state.integers = after;
}

// Of two ways that may have been gone, what both leave is known.
void BlockExecutor::settle(std::map<std::string, Lanes> &integers,
                           const std::map<std::string, Lanes> &other) {
  for (auto &[name, value] : integers)
    if (auto found = other.find(name); found == other.end() || !(found->second == value))
      value = {false, 0, {}};
}

void BlockExecutor::assign(const Stmt &s, const Path &path) {
  const ExprP &target = s.exprs[0], &value = s.exprs[1];
  const Expr *base = baseOf(target);
  if (target->kind == ExprKind::Staged) {
    const Expr *copy = baseOf(target->args[0]), *array = baseOf(target->args[1]);
    look(value, path);
    if (!copy || !array || !state.shared.count(copy->name))
      return; // a register of the thread's own
    std::vector<Lanes> subscripts = subscriptsOf(target->args[1], path);
    std::vector<Held> values(static_cast<size_t>(threads));
    for (int t = 0; t < threads; t++)
      if (path[size_t(t)].isActive)
        values[size_t(t)] = elementHeld(elementOf(array->name, subscripts, t, Datum::Computed));
    writeShared(target->args[0], values, true, path);
    return;
  }
  if (!base) {
    say("an assignment that cannot be executed: " + print(target));
    return;
  }
  if (state.shared.count(base->name)) {
    writeShared(target, data(value, path), false, path);
    return;
  }
  if (auto r = state.registers.find(base->name); r != state.registers.end()) {
    std::vector<Held> values = data(value, path);
    std::vector<Lanes> subscripts = subscriptsOf(target, path);
    for (int t = 0; t < threads; t++) {
      if (!path[size_t(t)].isActive)
        continue;
      int64_t at = slotOf(r->second.extents, subscripts, t);
      if (at < 0) { // it may be any of them
        for (size_t n = size_t(t); n < r->second.held.size(); n += size_t(threads))
          r->second.held[n] = {};
        continue;
      }
      r->second.held[size_t(at) * size_t(threads) + size_t(t)] =
          put(values[size_t(t)], path[size_t(t)]);
    }
    return;
  }
  if (auto i = state.integers.find(base->name); i != state.integers.end()) {
    look(value, path);
    bool isCertain = std::all_of(path.begin(), path.end(), [&](const Way &w) {
      return w.isActive && w.isCertain && w.guard == path[0].guard;
    });
    i->second = isCertain ? integer(value, path) : Lanes{false, 0, {}};
    return;
  }
  for (const ExprP &e : target->args)
    look(e, path);
  const Expr *from = baseOf(value);
  if (!inInstance && from && state.shared.count(from->name))
    copyBack(target, value, path);
  else
    look(value, path);
  if (inInstance)
    written.insert(base->name);
}

void BlockExecutor::copyBack(const ExprP &target, const ExprP &from, const Path &path) {
  std::vector<Held> values = readShared(from, path);
  std::vector<Lanes> subscripts = subscriptsOf(target, path), slots = subscriptsOf(from, path);
  Shared &array = state.shared.at(baseOf(from)->name);
  written.insert(baseOf(target)->name);
  for (int t = 0; t < threads; t++) {
    if (!path[size_t(t)].isActive)
      continue;
    const Held &held = values[size_t(t)];
    Datum wanted = elementOf(baseOf(target)->name, subscripts, t, Datum::Computed);
    if (wanted.kind == Datum::Nothing || held.datum != wanted || !held.isThere ||
        !guards.implies(path[size_t(t)].counts, held.guard))
      say(fmt::format("{} is copied back to {}, whose value it does not hold", print(from),
                      print(target)));
    if (int64_t at = slotOf(array.extents, slots, t); at >= 0)
      array.slots[size_t(at)].isPending = false;
  }
}

// A variable that stands for elements of an array while the body runs.
void BlockExecutor::window(const Stmt &s, const Path &path) {
  const Expr *array = baseOf(s.exprs[0]);
  std::vector<Lanes> first = subscriptsOf(s.exprs[0], path);
  int64_t elements = elementsOf(s.extents);
  Registers r;
  r.extents = s.extents;
  r.held.resize(size_t(elements * threads));
  size_t skipped = first.size() - s.extents.size(); // subscripts that it has no dimension for
  for (int64_t n = 0; s.section.loads && array && first.size() >= s.extents.size() && n < elements;
       n++) {
    std::vector<Lanes> here = first;
    int64_t rest = n;
    for (size_t d = s.extents.size(); d-- > 0; rest /= s.extents[d])
      here[skipped + d] = arithmetic("+", here[skipped + d], number(rest % s.extents[d]));
    for (int t = 0; t < threads; t++)
      if (path[size_t(t)].isActive)
        r.held[size_t(n * threads + t)] =
            elementHeld(elementOf(array->name, here, t, Datum::Loaded));
  }
  auto old = state.registers.find(s.name);
  std::optional<Registers> before =
      old == state.registers.end() ? std::nullopt : std::optional(old->second);
  state.registers[s.name] = std::move(r);
  Path here = path;
  if (!s.body.empty())
    exec(s.body[0], here);
  if (s.section.stores && array)
    written.insert(array->name);
  if (before)
    state.registers[s.name] = *before;
  else
    state.registers.erase(s.name);
}

std::vector<BlockExecutor::Held> BlockExecutor::readShared(const ExprP &e, const Path &path) {
  Shared &array = state.shared.at(baseOf(e)->name);
  std::vector<Lanes> subscripts = subscriptsOf(e, path);
  std::vector<Held> out(static_cast<size_t>(threads));
  for (int t = 0; t < threads; t++) {
    if (!path[size_t(t)].isActive)
      continue;
    int64_t at = slotOf(array.extents, subscripts, t);
    if (at < 0) {
      say(print(e) + " lies outside the shared array, or cannot be executed");
      continue;
    }
    Slot &slot = array.slots[size_t(at)];
    if (slot.writer != kNobody && slot.writer != t)
      say("threads collide in " + print(e));
    slot.reader = slot.reader == kNobody || slot.reader == t ? t : kSeveral;
    out[size_t(t)] = slot.held;
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
    int64_t at = slotOf(array.extents, subscripts, t);
    if (at < 0) {
      say(print(e) + " lies outside the shared array, or cannot be executed");
      for (Slot &slot : array.slots)
        slot.held = {};
      continue;
    }
    Slot &slot = array.slots[size_t(at)];
    if ((slot.writer != kNobody && slot.writer != t) ||
        (slot.reader != kNobody && slot.reader != t))
      say("threads collide in " + print(e));
    if (slot.isPending && slot.held.datum != values[size_t(t)].datum)
      say(fmt::format("what is computed in {} is not copied back", print(e)));
    slot.writer = t;
    slot.isPending = isPending;
    slot.held = put(values[size_t(t)], path[size_t(t)]);
  }
}

// The copy holds what the element had when the kernel began, or what the program computed for it.
std::vector<BlockExecutor::Held> BlockExecutor::stagedRead(const ExprP &e, const Path &path) {
  const Expr *copy = baseOf(e->args[0]), *array = baseOf(e->args[1]);
  std::vector<Held> out(static_cast<size_t>(threads));
  if (!copy || !array || !state.shared.count(copy->name))
    return out; // a register of the thread's own
  std::vector<Held> found = readShared(e->args[0], path);
  std::vector<Lanes> subscripts = subscriptsOf(e->args[1], path);
  for (int t = 0; t < threads; t++) {
    if (!path[size_t(t)].isActive || !path[size_t(t)].isCounted)
      continue;
    Datum wanted = elementOf(array->name, subscripts, t, found[size_t(t)].datum.kind);
    if (wanted.kind == Datum::Nothing || wanted != found[size_t(t)].datum ||
        !found[size_t(t)].isThere ||
        !guards.implies(path[size_t(t)].counts, found[size_t(t)].guard))
      say(fmt::format("{} does not hold {}", print(e->args[0]), print(e->args[1])));
    else
      out[size_t(t)] = elementHeld(wanted);
    if (found[size_t(t)].datum.kind == Datum::Loaded)
      loaded.insert(array->name);
  }
  return out;
}

BlockExecutor::Held BlockExecutor::put(const Held &value, const Way &way) {
  Held out = value;
  bool isWhole = true;
  out.guard = guards.both(out.guard, way.guard, isWhole);
  out.isThere &= way.isCertain && isWhole;
  return out.isThere ? out : Held{};
}

BlockExecutor::Path BlockExecutor::under(const Path &path, const Truth &truth, bool holds) {
  Path out = path;
  for (size_t t = 0; t < size_t(threads); t++) {
    Truth::Kind kind = truth.kind[t];
    Way &way = out[t];
    if (kind == (holds ? Truth::Yes : Truth::No) || !way.isActive)
      continue;
    if (kind == (holds ? Truth::No : Truth::Yes)) {
      way.isActive = false;
      continue;
    }
    bool isWhole = kind == Truth::Guarded;
    if (isWhole && holds) {
      way.guard = guards.both(way.guard, truth.guard[t], isWhole);
      way.counts = guards.both(way.counts, truth.guard[t], isWhole);
    } else if (isWhole) {
      const std::vector<FormId> &all = guards.formsOf(truth.guard[t].shape);
      FormId form = forms.scaled(all[0], -1);
      int64_t number = -truth.guard[t].numbers[0] - 1;
      if (all.size() > 1) { // a condition that follows from itself alone
        std::string name = "not";
        for (size_t n = 0; n < all.size(); n++)
          name += fmt::format(" {}+{}", all[n], truth.guard[t].numbers[n]);
        form = forms.symbol(name, false);
        number = -1;
      }
      way.guard = guards.with(way.guard, form, number, isWhole);
      way.counts = guards.with(way.counts, form, number, isWhole);
    }
    way.isCertain &= isWhole;
  }
  return out;
}

} // namespace nw
