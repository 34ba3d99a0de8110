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

void BlockExecutor::addInteger(const std::string &name, bool isNatural) {
  state.integers[name] = {true, forms.symbol(name, isNatural), 0};
}

void BlockExecutor::addArray(const std::string &name) { arrays.emplace(name, int(arrays.size())); }

void BlockExecutor::addPart(const std::string &name, const Type &type) {
  addArray(name);
  Registers &r = state.registers[name];
  r.type = type;
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
  if (!h.isThere || h.guard.id != 0 || h.datum.kind != Datum::Part ||
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

const BlockExecutor::Effect &BlockExecutor::effectOf(const StmtP &s) {
  auto [at, isNew] = effects.try_emplace(s.get());
  if (isNew)
    at->second.isRead = findEffect(s, inInstance, at->second);
  return at->second;
}

bool BlockExecutor::findEffect(const StmtP &s, bool isInside, Effect &effect) {
  isInside |= s->isInstance();
  switch (s->kind) {
  case StmtKind::Assign: {
    const Expr *base = baseOf(s->exprs[0]);
    bool isInteger = s->exprs[0]->kind == ExprKind::Var && s->exprs[0]->type.isInteger();
    if (!isInside || !base || isInteger || state.shared.count(base->name))
      return false;
    effect.variables.insert(base->name);
    return true;
  }
  case StmtKind::Block:
  case StmtKind::If:
  case StmtKind::For:
  case StmtKind::Declare:
    return std::all_of(s->body.begin(), s->body.end(),
                       [&](const StmtP &b) { return findEffect(b, isInside, effect); });
  default:
    return false;
  }
}

void BlockExecutor::exec(const StmtP &s, Path &path) {
  if (!isAnyone(path))
    return;
  bool mayBeSkipped = muted > 0 && (s->kind == StmtKind::For || s->isInstance());
  if (const Effect *effect = mayBeSkipped ? &effectOf(s) : nullptr; effect && effect->isRead) {
    for (const std::string &name : effect->variables)
      forget(name);
    return;
  }
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
    array.type = s->type;
    array.extents = s->extents;
    array.slots.assign(size_t(elementsOf(s->extents)), {});
    return;
  }
  case StmtKind::Barrier:
    barrier(path);
    return;
  case StmtKind::Reduce:
    reduce(*s, path);
    return;
  default:
    say("a statement that the executor does not know");
  }
}

bool BlockExecutor::isEveryone(const Path &path) {
  return std::all_of(path.begin(), path.end(), [&](const Way &w) {
    return w.isActive && w.isCertain && w.guard == path[0].guard;
  });
}

void BlockExecutor::barrier(const Path &path) {
  if (!isEveryone(path))
    say("a barrier that not all threads reach together");
  for (auto &[name, array] : state.shared)
    for (Slot &slot : array.slots)
      slot.writer = slot.reader = kNobody;
}

// What it makes of the variable is a matter of 'steps'; those may have no barrier.
void BlockExecutor::reduce(const Stmt &s, const Path &path) {
  if (!isEveryone(path))
    say("a reduction that not all threads reach together");
  forget(s.name);
}

void BlockExecutor::forget(const std::string &variable) {
  if (auto i = state.integers.find(variable); i != state.integers.end())
    i->second = {false, 0, {}};
  if (auto r = state.registers.find(variable); r != state.registers.end())
    std::fill(r->second.held.begin(), r->second.held.end(), Held{});
}

void BlockExecutor::declare(const Stmt &s, const Path &path) {
  bool isGiven = !s.exprs.empty() && s.exprs[0]->kind == ExprKind::Call &&
                 s.exprs[0]->name == kExchange; // another thread's value
  if (s.extents.empty() && s.type.isInteger() && !isGiven && !proved.count(s.name)) {
    Lanes value{false, 0, {}};
    if (!s.exprs.empty()) {
      look(s.exprs[0], path);
      value = converted(integer(s.exprs[0], path), s.exprs[0]->type, s.type);
    }
    state.integers[s.name] = value;
    state.registers.erase(s.name);
    return;
  }
  Registers r;
  r.type = s.type;
  r.extents = s.extents;
  int64_t elements = elementsOf(s.extents);
  if (elements == 1 && s.exprs.size() == 1 && s.exprs[0]->type == s.type)
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
  // Where all go the same way, nobody meets those who went the other.
  bool isOneWay = s.body.size() == 2, mayBeNone = s.body.size() == 1 && mayMeet(s.body[0]);
  for (size_t k = 1; k < size_t(threads) && isOneWay; k++)
    isOneWay = t.kind[k] == t.kind[0] && t.kind[k] != Truth::Unknown && t.guard[k] == t.guard[0];
  State start, end;
  if (isOneWay || mayBeNone)
    start.shared = state.shared;
  std::map<std::string, Lanes> after = before;
  for (size_t n = 0; n < s.body.size(); n++) {
    Path here = under(path, t, n == 0);
    if (isOneWay && n == 1) {
      end.shared = state.shared;
      takeMarks(state, start);
    }
    exec(s.body[n], here);
    if (isOneWay && n == 1)
      addMarks(state, end);
    bool isTaken =
        std::all_of(t.kind.begin(), t.kind.end(), [](auto k) { return k == Truth::Yes; });
    if (mayBeNone && !isTaken) // nobody may have met
      addMarks(state, start);
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
    if (!copy || !array || !state.shared.count(copy->name)) { // a register of the thread's own
      if (copy)
        forget(copy->name);
      return;
    }
    std::vector<Lanes> subscripts = subscriptsOf(target->args[1], path);
    std::vector<Held> values(static_cast<size_t>(threads));
    for (int t = 0, number = arrayOf(array->name); t < threads; t++)
      if (path[size_t(t)].isActive)
        values[size_t(t)] = elementHeld(elementOf(number, subscripts, t, Datum::Computed));
    writeShared(target->args[0], values, true, path);
    return;
  }
  if (!base) {
    say("an assignment that cannot be executed: " + print(target));
    return;
  }
  if (state.shared.count(base->name)) {
    std::vector<Held> values = data(value, path);
    if (!(value->type == target->type))
      std::fill(values.begin(), values.end(), Held{});
    writeShared(target, values, false, path);
    if (s.isAsync)
      underWay(target, path);
    return;
  }
  if (auto r = state.registers.find(base->name); r != state.registers.end()) {
    std::vector<Held> values = data(value, path);
    if (!(value->type == r->second.type) || !(target->type == r->second.type))
      std::fill(values.begin(), values.end(), Held{});
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
    i->second = isEveryone(path) ? converted(integer(value, path), value->type, target->type)
                                 : Lanes{false, 0, {}};
    return;
  }
  for (const ExprP &e : target->args)
    look(e, path);
  const Expr *from = baseOf(value);
  if (!inInstance && from && state.shared.count(from->name))
    copyBack(target, value, path);
  else
    look(value, path);
  written.insert(base->name);
}

// A variable that stands for elements of an array while the body runs.
void BlockExecutor::window(const Stmt &s, const Path &path) {
  const Expr *array = baseOf(s.exprs[0]);
  if (array && state.shared.count(array->name))
    say("a window in shared memory: " + print(s.exprs[0]));
  std::vector<Lanes> first = subscriptsOf(s.exprs[0], path);
  int64_t elements = elementsOf(s.extents);
  Registers r;
  r.type = s.type;
  r.extents = s.extents;
  r.held.resize(size_t(elements * threads));
  int of = array ? arrayOf(array->name) : -1;
  size_t skipped = first.size() - s.extents.size(); // subscripts that it has no dimension for
  for (int64_t n = 0; s.section.loads && array && first.size() >= s.extents.size() && n < elements;
       n++) {
    std::vector<Lanes> here = first;
    int64_t rest = n;
    for (size_t d = s.extents.size(); d-- > 0; rest /= s.extents[d])
      here[skipped + d] = arithmetic("+", here[skipped + d], number(rest % s.extents[d]));
    for (int t = 0; t < threads; t++)
      if (path[size_t(t)].isActive)
        r.held[size_t(n * threads + t)] = elementHeld(elementOf(of, here, t, Datum::Loaded));
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

BlockExecutor::Held BlockExecutor::put(const Held &value, const Way &way) {
  Held out = value;
  bool isWhole = true;
  out.guard = guards.both(out.guard, way.guard, isWhole);
  out.isThere &= way.isCertain && isWhole;
  return out.isThere ? out : Held{};
}

size_t BlockExecutor::Hash::operator()(const Path &path) const {
  uint64_t hash = 0;
  for (const Way &w : path) {
    hash = (hash ^ uint64_t(w.guard.id)) * 0x9e3779b97f4a7c15ull + uint64_t(w.counts.id) * 8 +
           uint64_t(w.isActive + 2 * w.isCertain + 4 * w.isCounted);
    hash ^= hash >> 29;
  }
  return size_t(hash);
}

size_t BlockExecutor::Hash::operator()(const Truth &truth) const {
  uint64_t hash = 0;
  for (size_t t = 0; t < truth.kind.size(); t++) {
    hash = (hash ^ uint64_t(truth.guard[t].id)) * 0x9e3779b97f4a7c15ull + uint64_t(truth.kind[t]);
    hash ^= hash >> 29;
  }
  return size_t(hash);
}

BlockExecutor::Path BlockExecutor::under(const Path &path, const Truth &truth, bool holds) {
  auto [at, isNew] = paths.try_emplace({path, truth, holds});
  if (isNew)
    at->second = narrowed(path, truth, holds);
  return at->second;
}

BlockExecutor::Path BlockExecutor::narrowed(const Path &path, const Truth &truth, bool holds) {
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
    if (t > 0 && path[t] == path[t - 1] && kind == truth.kind[t - 1] &&
        truth.guard[t] == truth.guard[t - 1]) {
      way = out[t - 1]; // which was narrowed alike
      continue;
    }
    bool isWhole = kind == Truth::Guarded;
    if (isWhole && holds) {
      bool isSame = way.counts == way.guard;
      way.guard = guards.both(way.guard, truth.guard[t], isWhole);
      way.counts = isSame ? way.guard : guards.both(way.counts, truth.guard[t], isWhole);
    } else if (isWhole) {
      const std::vector<Guards::Condition> all = guards.conditionsOf(truth.guard[t]);
      FormId form = forms.scaled(all[0].form, -1);
      int64_t number = -all[0].number - 1;
      if (all.size() > 1) { // a condition that follows from itself alone
        std::string name = "not";
        for (auto [of, with] : all)
          name += fmt::format(" {}+{}", of, with);
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
