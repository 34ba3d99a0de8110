// Expressions: values where sizes decide them, and what computing them costs.
#include "estimate/chains.h"
#include "estimate/instruction_costs.h"
#include "estimate/layout.h"
#include "estimate/walker.h"

namespace nw {

InstructionMix Walker::branches(double count) {
  InstructionMix m;
  m.branch = count;
  m.integer = count;
  return m;
}

void Walker::chargeIteration() {
  InstructionMix m = branches(1);
  m.integer += 1;
  add(m.scaled(levels.back().weight / out.stages[stageOf(levels.back().loop)].overlap), depth());
}

void Walker::charge(const InstructionMix &m, int level, int text) {
  level = std::min(level, depth());
  if (!quiet && isNew(level, text))
    add(m.scaled(levels[size_t(level)].weight), level);
}

int Walker::numberOf(const std::string &text) {
  return textNumbers.try_emplace(text, int(textNumbers.size() + otherNumbers.size())).first->second;
}

int Walker::numberOf(Kind kind, std::vector<int64_t> of) {
  of.push_back(kind);
  int next = int(textNumbers.size() + otherNumbers.size());
  return otherNumbers.try_emplace(std::move(of), next).first->second;
}

int Walker::textOf(const ExprP &e) {
  auto at = texts.find(e.get());
  if (at == texts.end()) {
    kept.push_back(e);
    at = texts.emplace(e.get(), ExprText{numberOf(print(e)), {}}).first;
    for (const std::string &name : redeclared)
      if (mentions(e, name))
        at->second.redeclared.push_back(name);
  }
  const auto &[number, variables] = at->second;
  if (variables.empty())
    return number;
  std::vector<int64_t> all = {number};
  for (const std::string &name : variables)
    all.push_back(declaredAs.try_emplace(name, -1).first->second);
  return numberOf(kRedeclared, std::move(all));
}

// Variables that are declared with several values, and those whose values are computed of such
// ones.
void Walker::findRedeclared(const StmtP &body) {
  std::map<std::string, std::string> first;
  std::vector<StmtP> declarations;
  walkStmts(body, [&](const StmtP &s) {
    if (s->kind != StmtKind::Declare || s->exprs.size() != 1)
      return;
    declarations.push_back(s);
    if (auto [at, isNew] = first.try_emplace(s->name, print(s->exprs[0]));
        !isNew && at->second != print(s->exprs[0]))
      redeclared.insert(s->name);
  });
  for (bool more = true; more;) {
    more = false;
    for (const StmtP &d : declarations)
      if (!redeclared.count(d->name) &&
          std::any_of(redeclared.begin(), redeclared.end(),
                      [&](const std::string &name) { return mentions(d->exprs[0], name); }))
        more = redeclared.insert(d->name).second;
  }
}

LaneValue Walker::evaluated(const ExprP &e, const Mask &mask) {
  switch (e->kind) {
  case ExprKind::Int:
    return uniform(e->integer);
  case ExprKind::Float:
    return alike(0);
  case ExprKind::Builtin: {
    auto c = coordinates.find(e->name);
    return c == coordinates.end() ? unknown(0) : c->second;
  }
  case ExprKind::Var: {
    if (auto l = locals.find(e->name); l != locals.end())
      return l->second;
    if (areas.count(e->name))
      return touch(e, mask, false);
    auto v = scalars.find(e->name);
    return v == scalars.end() ? unknown(depth()) : v->second;
  }
  case ExprKind::Index:
  case ExprKind::Member:
    return isInMemory(e) ? touch(e, mask, false) : ofLocalArray(e, mask);
  case ExprKind::Call:
    return called(e, mask);
  default:
    return operated(e, mask);
  }
}

// Operands of ?:, && and || are looked at by the lanes that need them, where sizes decide which;
// what none of them needs is not.
Walker::Operands Walker::operands(const ExprP &e, const Mask &mask) {
  bool isSelect = e->kind == ExprKind::Select,
       isAnd = e->kind == ExprKind::Binary && e->name == "&&",
       isOr = e->kind == ExprKind::Binary && e->name == "||";
  Operands values = {evaluated(e->args[0], mask)};
  const LaneValue condition = values[0];
  if (isSelect)
    noteAnswer(condition);
  if (!condition.isKnown || !(isSelect || isAnd || isOr)) {
    for (size_t k = 1; k < e->args.size(); k++)
      values.push_back(evaluated(e->args[k], mask));
    return values;
  }
  Mask then = narrowed(mask, condition), otherwise = mask;
  for (size_t k = 0; k < otherwise.size(); k++)
    otherwise[k] = otherwise[k] && !then[k];
  auto valueOf = [&](const ExprP &a, const Mask &lanes) {
    return any(lanes) ? std::optional(evaluated(a, lanes)) : std::nullopt;
  };
  if (!isSelect) { // what no lane asks for does not change the first operand's answer
    values.push_back(valueOf(e->args[1], isAnd ? then : otherwise).value_or(condition));
    return values;
  }
  std::optional<LaneValue> first = valueOf(e->args[1], then),
                           second = valueOf(e->args[2], otherwise);
  values.push_back(first ? *first : second ? *second : unknown(0));
  values.push_back(second ? *second : values[1]);
  return values;
}

bool Walker::varies(const LaneValue &v, const Mask &mask) {
  if (!v.isKnown || v.isUniform())
    return !v.isKnown && v.varies;
  size_t first = size_t(std::find(mask.begin(), mask.end(), 1) - mask.begin());
  for (size_t k = first; k < mask.size(); k++)
    if (mask[k] && v.at(k) != v.at(first))
      return true;
  return false;
}

LaneValue Walker::alike(int level) {
  LaneValue v = unknown(level);
  v.varies = false;
  return v;
}

LaneValue Walker::unknownOf(std::span<const LaneValue> operands, int level, const Mask &mask) {
  LaneValue v = unknown(level);
  v.varies = std::any_of(operands.begin(), operands.end(),
                         [&](const LaneValue &o) { return varies(o, mask); });
  return v;
}

LaneValue Walker::operated(const ExprP &e, const Mask &mask) {
  if (e->type.isFloat() && e->kind == ExprKind::Binary && (e->name == "+" || e->name == "-") &&
      options.contract)
    for (size_t side : {1, 0})
      if (const ExprP &product = e->args[side];
          product->kind == ExprKind::Binary && product->name == "*" && product->type == e->type) {
        const LaneValue all[] = {evaluated(product->args[0], mask),
                                 evaluated(product->args[1], mask),
                                 evaluated(e->args[1 - side], mask)};
        int level = std::max({all[0].level, all[1].level, all[2].level});
        charge(costOfFloat("+", true, e->type.scalar == Scalar::F64), level, textOf(e));
        return unknownOf(all, level, mask);
      }
  if (isRotation(*e)) {
    const ExprP &shifted = e->args[0];
    int level =
        std::max(evaluated(shifted->args[0], mask).level, evaluated(shifted->args[1], mask).level);
    InstructionMix m;
    m.integer = 1;
    charge(m, level, textOf(e));
    return unknown(level);
  }
  const Operands args = operands(e, mask);
  int level = 0;
  for (const LaneValue &a : args)
    level = std::max(level, a.level);
  InstructionMix cost = costOfNode(*e);
  if (cost.total() > 0)
    charge(cost, level, textOf(e));
  if (!e->type.isInteger())
    return unknownOf({args.begin(), args.end()}, level, mask);
  LaneValue v = unknown(level);
  switch (e->kind) {
  case ExprKind::Unary:
    v = args[0].isKnown ? negated(e->name, args[0]) : v;
    break;
  case ExprKind::Binary:
    v = e->args[0]->type.isInteger() ? applied(e->name, args[0], args[1]) : v;
    if (isComparison(e))
      noteAnswer(v);
    break;
  case ExprKind::Select:
    v = chosen(args[0], args[1], args[2]);
    break;
  case ExprKind::Cast:
    v = e->args[0]->type.isInteger() && bitsOf(e->type.scalar) >= 32 ? args[0] : v;
    break;
  case ExprKind::Min:
    v = applied("min", args[0], args[1]);
    break;
  case ExprKind::Max:
    v = applied("max", args[0], args[1]);
    break;
  case ExprKind::FloorDiv:
    v = applied("floord", args[0], args[1]);
    break;
  default:
    break;
  }
  if (!v.isKnown)
    v.varies = unknownOf({args.begin(), args.end()}, level, mask).varies;
  v.level = level;
  return v;
}

LaneValue Walker::called(const ExprP &e, const Mask &mask) {
  int level = 0;
  std::vector<LaneValue> args;
  for (const ExprP &a : e->args) {
    args.push_back(evaluated(a, mask));
    level = std::max(level, args.back().level);
  }
  for (const Function &f : program.region.functions)
    if (f.name == e->name && inlined < 8) {
      Values outer = locals;
      size_t before = changes.size();
      for (size_t k = 0; k < f.parameters.size() && k < args.size(); k++)
        locals[f.parameters[k].name] = args[k];
      inlined++;
      walk(f.body, mask);
      inlined--;
      locals = outer;
      changes.resize(before);
      return unknown(std::max(level, depth()));
    }
  charge(costOfFunction(e->name, e->type.isFloat() && e->type.scalar == Scalar::F64), level,
         textOf(e));
  return unknownOf(args, level, mask);
}

void Walker::declare(const StmtP &s, const Mask &mask) {
  LaneValue v = unknown(depth());
  for (const ExprP &e : s->exprs)
    v = evaluated(e, mask);
  if (!s->exprs.empty())
    noteExpression(s->exprs[0], nullptr);
  if (!s->extents.empty() || s->type.isStruct())
    v = unknown(depth());
  int64_t bytes = bytesIn(program.region, s->type);
  for (int64_t x : s->extents)
    bytes *= x;
  if (!s->extents.empty() && bytes <= options.stackBytes)
    inStack.insert(s->name);
  set(s->name, v);
  if (redeclared.count(s->name) && s->exprs.size() == 1)
    declaredAs[s->name] = textOf(s->exprs[0]);
}

void Walker::assign(const StmtP &s, const Mask &mask) {
  const ExprP &target = s->exprs[0];
  LaneValue v = evaluated(s->exprs[1], mask);
  noteExpression(s->exprs[1], target);
  bool isLocal = target->kind == ExprKind::Var && locals.count(target->name);
  if (isLocal) {
    // Under a guard, or in a loop that goes on with it, the variable has several values.
    bool isCarried =
        levels.back().loop > 0 && assignedIn(levels.back().loop).count(target->name) > 0;
    v.level = std::max(v.level, depth());
    set(target->name, isCarried && !v.isKnown ? unknownOf({&v, 1}, depth(), mask) : v);
    return;
  }
  if (isInMemory(target))
    touch(target, mask, true);
  else if (target->kind == ExprKind::Index)
    touchOwn(target, true);
}

void Walker::noteExpression(const ExprP &value, const ExprP &target) {
  Stage &stage = out.stages[stageOf(levels.back().loop)];
  stage.longestExpression = std::max(stage.longestExpression, double(heightOf(value)));
  if (!target || levels.back().loop == 0)
    return;
  int path = pathTo(value, target);
  if (path >= 0)
    stage.recurrence = std::max(stage.recurrence, double(path));
}

} // namespace nw
