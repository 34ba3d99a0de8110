// Values of the block executor: integers, conditions, and what expressions read.
#include "kernel/reduction_steps.h"
#include "verify/executor/block_executor.h"
#include <algorithm>
#include <fmt/format.h>

namespace nw {

Lanes BlockExecutor::number(int64_t value) { return {true, 0, value}; }

BlockExecutor::Truth BlockExecutor::nothingKnown() const {
  return {std::vector<Truth::Kind>(size_t(threads), Truth::Unknown),
          std::vector<Guard>(size_t(threads))};
}

static bool isUniform(const Lanes &a) { return a.isKnown && a.own.areSame(); }

// A value that is the same for all threads, and not known otherwise: the same for the same parts.
Lanes BlockExecutor::opaque(const std::string &what, const std::vector<Lanes> &of) {
  std::string name = what;
  for (const Lanes &a : of) {
    if (!isUniform(a))
      return {false, 0, {}};
    name += fmt::format(" {}+{}", a.form, a.own[0]);
  }
  Lanes out = number(0);
  out.form = forms.symbol(name, false);
  return out;
}

Lanes BlockExecutor::arithmetic(const std::string &op, const Lanes &a, const Lanes &b) {
  if (!a.isKnown || !b.isKnown)
    return {false, 0, {}};
  Lanes out = number(0);
  auto each = [&](auto compute) {
    out.own = a.own.areSame() && b.own.areSame() ? OwnNumbers(compute(a.own[0], b.own[0]))
                                                 : OwnNumbers::make(threads, [&](size_t t) {
                                                     return int64_t(compute(a.own[t], b.own[t]));
                                                   });
    return out;
  };
  if (op == "+" || op == "-") {
    int64_t sign = op == "+" ? 1 : -1;
    out.form = forms.sum(a.form, b.form, sign);
    return each([&](int64_t x, int64_t y) { return x + sign * y; });
  }
  if (op == "*") {
    const Lanes &factor = a.form == 0 ? a : b, &other = a.form == 0 ? b : a;
    if (factor.form != 0 || (other.form != 0 && !isUniform(factor)))
      return opaque(op, {a, b});
    out.form = other.form == 0 ? 0 : forms.scaled(other.form, factor.own[0]);
    return each([](int64_t x, int64_t y) { return x * y; });
  }
  if (op == "/" || op == "%") {
    bool isNumber = b.form == 0 && b.own.allOf([](int64_t x) { return x > 0; });
    if (!isNumber)
      return opaque(op, {a, b});
    if (a.form != 0) { // multiples of the divisor, and what is left of natural numbers
      std::optional<FormId> exact = isUniform(b) ? forms.divided(a.form, b.own[0]) : std::nullopt;
      bool isNatural = a.own.allOf([](int64_t x) { return x >= 0; });
      if (!exact || !isNatural)
        return opaque(op, {a, b});
      out.form = op == "/" ? *exact : 0;
    }
    return each([&](int64_t x, int64_t y) { return op == "/" ? x / y : x % y; });
  }
  if (a.form != 0 || b.form != 0)
    return opaque(op, {a, b});
  if (op == "&")
    return each([](int64_t x, int64_t y) { return x & y; });
  if (op == "|")
    return each([](int64_t x, int64_t y) { return x | y; });
  if (op == "^")
    return each([](int64_t x, int64_t y) { return x ^ y; });
  bool isShift =
      (op == "<<" || op == ">>") && b.own.allOf([](int64_t y) { return y >= 0 && y < 31; });
  if (isShift && a.own.allOf([](int64_t x) { return x >= 0; }))
    return each([&](int64_t x, int64_t y) { return op == "<<" ? x << y : x >> y; });
  return {false, 0, {}};
}

Lanes BlockExecutor::converted(const Lanes &value, const Type &from, const Type &to) {
  if (!value.isKnown || !from.isInteger() || !to.isInteger() || bitsOf(to.scalar) < 32)
    return {false, 0, {}};
  bool isKept = bitsOf(to.scalar) >= bitsOf(from.scalar) &&
                (isUnsigned(from.scalar) == isUnsigned(to.scalar) ||
                 (isUnsigned(from.scalar) && bitsOf(to.scalar) > bitsOf(from.scalar)));
  bool isSmall = value.form == 0 &&
                 value.own.allOf([](int64_t x) { return x >= 0 && x < (int64_t(1) << 31); });
  return isKept || isSmall ? value : Lanes{false, 0, {}};
}

// a / by as a symbol, and what is known of it: more where a is not negative.
Lanes BlockExecutor::quotient(const Lanes &a, int64_t by, const Path &path) {
  if (!isUniform(a))
    return {false, 0, {}};
  bool isNatural = std::all_of(path.begin(), path.end(), [&](const Way &w) {
    return !w.isActive || guards.implies(w.guard, a.form, a.own[0]);
  });
  Lanes out = opaque((isNatural ? "natural /" : "/") + std::to_string(by), {a});
  FormId rest = forms.sum(a.form, out.form, -by); // with a.own[0]: below `by`
  guards.addFact(forms.scaled(rest, -1), by - 1 - a.own[0]);
  if (isNatural) {
    guards.addFact(rest, a.own[0]);
    guards.addFact(out.form, 0);
  }
  return out;
}

Lanes BlockExecutor::choice(bool isMin, const Lanes &a, const Lanes &b) {
  if (!a.isKnown || !b.isKnown || a.form != b.form) {
    Lanes out = opaque(isMin ? "min" : "max", {a, b});
    if (out.isKnown)
      guards.addExtreme(out.form, {isMin, {{{a.form, a.own[0]}, {b.form, b.own[0]}}}});
    return out;
  }
  return {true, a.form, OwnNumbers::make(threads, [&](size_t t) {
            return isMin ? std::min(a.own[t], b.own[t]) : std::max(a.own[t], b.own[t]);
          })};
}

Lanes BlockExecutor::integer(const ExprP &e, const Path &path) {
  switch (e->kind) {
  case ExprKind::Int:
    return number(e->integer);
  case ExprKind::Var: {
    auto known = state.integers.find(e->name);
    return known == state.integers.end() ? Lanes{false, 0, {}} : known->second;
  }
  case ExprKind::Cast: {
    Lanes inner = integer(e->args[0], path);
    // A variable holds what fits it, and the host asks whether sizes fit; but not its sign.
    bool isVariable = e->args[0]->kind == ExprKind::Var && e->type.isInteger() &&
                      bitsOf(e->type.scalar) >= 32 && inner.isKnown;
    for (size_t t = 0; isVariable && isUnsigned(e->type.scalar) && t < size_t(threads); t++)
      isVariable = !path[t].isActive || guards.implies(path[t].guard, inner.form, inner.own[t]);
    return isVariable ? inner : converted(inner, e->args[0]->type, e->type);
  }
  case ExprKind::Builtin: {
    int axis = e->name.back() - 'x';
    std::string what = e->name.substr(0, e->name.size() - 2);
    Lanes out = number(0);
    if (what == "local" || what == "thread")
      out.own = OwnNumbers::make(threads, [&](size_t thread) {
        int t = int(thread);
        return int64_t(axis == 0   ? t % block[0]
                       : axis == 1 ? t / block[0] % block[1]
                                   : t / block[0] / block[1]);
      });
    if (what == "thread")
      out.form = forms.scaled(forms.symbol(std::string("block.") + e->name.back(), true),
                              block[size_t(axis)]);
    else if (what != "local")
      out.form = forms.symbol(e->name, true);
    return out;
  }
  case ExprKind::Unary:
    if (e->name == "-" && !isUnsigned(e->type.scalar))
      return arithmetic("-", number(0), integer(e->args[0], path));
    return {false, 0, {}};
  case ExprKind::Binary: {
    if (isUnsigned(e->type.scalar) && (e->name == "+" || e->name == "-" || e->name == "*"))
      return {false, 0, {}}; // may wrap
    Lanes a = integer(e->args[0], path);
    if (e->name == "/" && e->args[1]->kind == ExprKind::Int && e->args[1]->integer > 0 &&
        a.isKnown && a.form != 0 && !forms.divided(a.form, e->args[1]->integer))
      return quotient(a, e->args[1]->integer, path);
    return arithmetic(e->name, a, integer(e->args[1], path));
  }
  case ExprKind::Min:
  case ExprKind::Max:
    return choice(e->kind == ExprKind::Min, integer(e->args[0], path), integer(e->args[1], path));
  case ExprKind::Select: {
    Truth t = truth(e->args[0], path);
    Lanes a = integer(e->args[1], path), b = integer(e->args[2], path);
    bool areDecided = a.isKnown && b.isKnown && a.form == b.form;
    if (std::all_of(t.kind.begin(), t.kind.end(), [](auto k) { return k == Truth::Yes; }))
      return a;
    if (std::all_of(t.kind.begin(), t.kind.end(), [](auto k) { return k == Truth::No; }))
      return b;
    for (size_t k = 0; k < size_t(threads) && areDecided; k++)
      areDecided = t.kind[k] == Truth::Yes || t.kind[k] == Truth::No;
    if (!areDecided)
      return {false, 0, {}};
    return {true, a.form, OwnNumbers::make(threads, [&](size_t k) {
              return t.kind[k] == Truth::Yes ? a.own[k] : b.own[k];
            })};
  }
  default:
    return {false, 0, {}};
  }
}

BlockExecutor::Truth BlockExecutor::both(const Truth &a, const Truth &b) {
  auto [at, isNew] = truths.try_emplace({a, b, true});
  if (isNew)
    at->second = joined(a, b);
  return at->second;
}

BlockExecutor::Truth BlockExecutor::joined(Truth a, const Truth &b) {
  for (size_t t = 0; t < size_t(threads); t++) {
    if (a.kind[t] == Truth::Yes || b.kind[t] == Truth::No) {
      a.kind[t] = b.kind[t];
      a.guard[t] = b.guard[t];
    } else if (a.kind[t] == Truth::Guarded && b.kind[t] == Truth::Guarded) {
      bool isWhole = true;
      a.guard[t] = guards.both(a.guard[t], b.guard[t], isWhole);
      if (!isWhole)
        a.kind[t] = Truth::Unknown;
    } else if (a.kind[t] == Truth::Guarded && b.kind[t] == Truth::Unknown)
      a.kind[t] = Truth::Unknown;
  }
  return a;
}

BlockExecutor::Truth BlockExecutor::compared(const std::string &op, const Lanes &a, const Lanes &b,
                                             const Path &path) {
  Truth out = nothingKnown();
  if (!a.isKnown || !b.isKnown)
    return out;
  // op as a difference that is not negative
  bool isSwapped = op == "<" || op == "<=";
  const Lanes &more = isSwapped ? b : a, &less = isSwapped ? a : b;
  FormId form = forms.sum(more.form, less.form, -1);
  bool isOrder = op == "<" || op == "<=" || op == ">" || op == ">=";
  if (op == "==" && form != 0) { // neither is more than the other
    Truth one = compared(">=", a, b, path), other = compared("<=", a, b, path);
    return both(one, other);
  }
  if (!isOrder && (form != 0 || (op != "==" && op != "!=")))
    return out;
  bool isStrict = op == "<" || op == ">", isWhole = true;
  auto left = [&](size_t t) { return more.own[t] - less.own[t] - isStrict; };
  if (form == 0) {
    for (size_t t = 0; t < size_t(threads); t++)
      out.kind[t] =
          (isOrder ? left(t) >= 0 : (left(t) == 0) == (op == "==")) ? Truth::Yes : Truth::No;
    return out;
  }
  auto [at, isNew] =
      comparisons.try_emplace({form, OwnNumbers::make(threads, left)}, std::move(out));
  if (isNew)
    for (size_t t = 0; t < size_t(threads); t++) {
      at->second.kind[t] = Truth::Guarded;
      at->second.guard[t] = guards.with({}, form, left(t), isWhole);
    }
  out = at->second;
  if (!isUniform(a) || !isUniform(b))
    return out;
  for (size_t t = 0; t < size_t(threads); t++) {
    if (!path[t].isActive)
      continue;
    if (t > 0 && path[t - 1] == path[t])
      out.kind[t] = out.kind[t - 1];
    else if (guards.implies(path[t].guard, form, left(t)))
      out.kind[t] = Truth::Yes;
    else if (guards.implies(path[t].guard, forms.scaled(form, -1), -left(t) - 1))
      out.kind[t] = Truth::No;
  }
  return out;
}

BlockExecutor::Truth BlockExecutor::truth(const ExprP &e, const Path &path) {
  if (e->kind == ExprKind::Binary && e->name == "&&") {
    return both(truth(e->args[0], path), truth(e->args[1], path));
  }
  if (e->kind == ExprKind::Binary && e->name == "||") {
    Truth a = truth(e->args[0], path), b = truth(e->args[1], path);
    for (size_t t = 0; t < size_t(threads); t++)
      if (a.kind[t] == Truth::No) {
        a.kind[t] = b.kind[t];
        a.guard[t] = b.guard[t];
      } else if (a.kind[t] != Truth::Yes)
        a.kind[t] = b.kind[t] == Truth::Yes  ? Truth::Yes
                    : b.kind[t] == Truth::No ? a.kind[t]
                                             : Truth::Unknown;
    return a;
  }
  if (e->kind == ExprKind::Cast && e->type.isInteger() && e->args[0]->type.isInteger() &&
      bitsOf(e->type.scalar) >= bitsOf(e->args[0]->type.scalar))
    return truth(e->args[0], path);
  if (e->kind == ExprKind::Int) {
    Truth out = nothingKnown();
    std::fill(out.kind.begin(), out.kind.end(), e->integer ? Truth::Yes : Truth::No);
    return out;
  }
  if (e->kind == ExprKind::Binary && e->args[0]->type.isInteger() && e->args[1]->type.isInteger())
    for (const char *op : {"<", "<=", ">", ">=", "==", "!="})
      if (e->name == op)
        return compared(op, integer(e->args[0], path), integer(e->args[1], path), path);
  return nothingKnown();
}

std::vector<Lanes> BlockExecutor::subscriptsOf(const ExprP &e, const Path &path) {
  std::vector<Lanes> out;
  ExprP at = e->kind == ExprKind::Staged ? e->args[0] : e;
  for (; at->kind == ExprKind::Index; at = at->args[0])
    out.insert(out.begin(), integer(at->args[1], path));
  return out;
}

int64_t BlockExecutor::slotOf(const std::vector<int64_t> &extents,
                              const std::vector<Lanes> &subscripts, int thread) const {
  if (extents.size() != subscripts.size())
    return -1;
  int64_t at = 0;
  for (size_t d = 0; d < extents.size(); d++) {
    const Lanes &s = subscripts[d];
    if (!s.isKnown || s.form != 0 || s.own[size_t(thread)] < 0 ||
        s.own[size_t(thread)] >= extents[d])
      return -1;
    at = at * extents[d] + s.own[size_t(thread)];
  }
  return at;
}

int BlockExecutor::arrayOf(const std::string &name) const {
  auto known = arrays.find(name);
  return known == arrays.end() ? -1 : known->second;
}

Datum BlockExecutor::elementOf(int array, const std::vector<Lanes> &subscripts, int thread,
                               Datum::Kind kind) const {
  Datum out;
  if (array < 0 || subscripts.size() > out.forms.size())
    return out;
  for (size_t d = 0; d < subscripts.size(); d++) {
    if (!subscripts[d].isKnown)
      return {};
    out.forms[d] = subscripts[d].form;
    out.own[d] = subscripts[d].own[size_t(thread)];
  }
  out.kind = kind == Datum::Computed ? Datum::Computed : Datum::Loaded;
  out.dims = int8_t(subscripts.size());
  out.array = int16_t(array);
  return out;
}

// The number of two sets of threads, put together by the operator; -1 where another has put one of
// them together. Many threads ask for the same two.
int BlockExecutor::partsTogether(const std::string &op, int a, int b) {
  auto [at, isNew] = pairsOfParts.try_emplace({op, std::min(a, b), std::max(a, b)}, -1);
  if (!isNew)
    return at->second;
  const Parts &one = parts[size_t(a)], &other = parts[size_t(b)];
  if ((!one.op.empty() && one.op != op) || (!other.op.empty() && other.op != op))
    return -1;
  Parts all{op, {}};
  std::merge(one.threads.begin(), one.threads.end(), other.threads.begin(), other.threads.end(),
             std::back_inserter(all.threads));
  return at->second = numberOf(all);
}

// Two values of a variable, put together.
std::vector<BlockExecutor::Held> BlockExecutor::together(const std::string &op,
                                                         const std::vector<Held> &a,
                                                         const std::vector<Held> &b) {
  std::vector<Held> out(static_cast<size_t>(threads));
  for (size_t t = 0; t < size_t(threads); t++) {
    const Datum &x = a[t].datum, &y = b[t].datum;
    if (x.kind != Datum::Part || y.kind != Datum::Part || x.array != y.array)
      continue;
    int all = partsTogether(op, x.forms[0], y.forms[0]);
    if (all < 0)
      continue;
    bool isWhole = a[t].isThere && b[t].isThere;
    out[t] = a[t];
    out[t].datum.forms[0] = all;
    out[t].guard = guards.both(a[t].guard, b[t].guard, isWhole);
    out[t].isThere = isWhole;
  }
  return out;
}

// The operator of Collective whose expression this is, of two values.
static std::string operatorOf(const ExprP &e) {
  if (e->kind == ExprKind::Binary || e->kind == ExprKind::Call)
    return e->name;
  const ExprP &c = e->args[0];
  bool isChoice = e->kind == ExprKind::Select && c->kind == ExprKind::Binary &&
                  (c->name == "<" || c->name == ">") && sameTree(c->args[0], e->args[1]) &&
                  sameTree(c->args[1], e->args[2]);
  return isChoice ? c->name : "";
}

std::vector<BlockExecutor::Held> BlockExecutor::data(const ExprP &e, const Path &path) {
  std::vector<Held> nothing(static_cast<size_t>(threads));
  const Expr *base = baseOf(e);
  switch (e->kind) {
  case ExprKind::Staged:
    return stagedRead(e, path);
  case ExprKind::Cast: { // an element of another type is another value
    std::vector<Held> out = data(e->args[0], path);
    for (Held &h : out)
      if (h.datum.kind != Datum::Part && !(e->type == e->args[0]->type))
        h = {};
    return out;
  }
  case ExprKind::Var:
  case ExprKind::Index: {
    if (base && state.shared.count(base->name))
      return readShared(e, path);
    for (const ExprP &a : e->args)
      if (a->kind != ExprKind::Var)
        look(a, path);
    std::vector<Lanes> subscripts = subscriptsOf(e, path);
    if (auto r = base ? state.registers.find(base->name) : state.registers.end();
        r != state.registers.end()) {
      for (int t = 0; t < threads && e->type == r->second.type; t++)
        if (int64_t at = slotOf(r->second.extents, subscripts, t); at >= 0)
          nothing[size_t(t)] = r->second.held[size_t(at) * size_t(threads) + size_t(t)];
      return nothing;
    }
    int array = base && e->kind == ExprKind::Index ? arrayOf(base->name) : -1;
    for (int t = 0; array >= 0 && t < threads; t++)
      if (path[size_t(t)].isActive)
        nothing[size_t(t)] = elementHeld(elementOf(array, subscripts, t, Datum::Loaded));
    return nothing;
  }
  case ExprKind::Binary:
    return together(operatorOf(e), data(e->args[0], path), data(e->args[1], path));
  case ExprKind::Select: // the smaller or the larger of two
    if (operatorOf(e).empty()) {
      look(e, path);
      return nothing;
    }
    look(e->args[0], path);
    return together(operatorOf(e), data(e->args[1], path), data(e->args[2], path));
  case ExprKind::Call: {
    if (e->name != kExchange && e->args.size() == 2)
      return together(operatorOf(e), data(e->args[0], path), data(e->args[1], path));
    if (e->name != kExchange) {
      look(e, path);
      return nothing;
    }
    std::vector<Held> given = data(e->args[0], path);
    for (int t = 0; t < threads; t++) {
      size_t other = size_t(t ^ int(e->args[1]->integer));
      if (other >= size_t(threads) || !path[other].isActive || !path[other].isCertain ||
          !(path[other].guard == path[size_t(t)].guard))
        say("threads exchange values with others that are not there");
      else
        nothing[size_t(t)] = given[other];
    }
    return nothing;
  }
  default:
    look(e, path);
    return nothing;
  }
}

void BlockExecutor::look(const ExprP &e, const Path &path) {
  const Expr *base = baseOf(e);
  if (e->kind == ExprKind::Staged)
    stagedRead(e, path);
  else if (e->kind == ExprKind::Index && base && state.shared.count(base->name))
    readShared(e, path);
  else if (e->kind == ExprKind::Select) {
    look(e->args[0], path);
    Truth t = truth(e->args[0], path);
    look(e->args[1], under(path, t, true));
    look(e->args[2], under(path, t, false));
    return;
  } else if (e->kind == ExprKind::Binary && (e->name == "&&" || e->name == "||")) {
    look(e->args[0], path);
    look(e->args[1], under(path, truth(e->args[0], path), e->name == "&&"));
    return;
  }
  if (e->kind != ExprKind::Staged)
    for (const ExprP &a : e->args)
      look(a, path);
}

} // namespace nw
