// Statements and loops of a thread.
#include "lint/tracer.h"
#include <algorithm>
#include <fmt/format.h>

namespace nw::lint {

Trace Tracer::run() {
  const written::Function &f = kernel.functions.front();
  for (int v : f.parameters)
    variables[v] = argumentValue(v);
  if (f.body)
    run(f.body);
  return std::move(out);
}

Value Tracer::argumentValue(int v) const {
  const written::Variable &x = variable(v);
  if (x.isPointer)
    return {nullptr, Address{x.name,
                             v,
                             written::Space::Global,
                             {{number(0), std::max<int64_t>(x.elementBytes, 1)}},
                             0,
                             "",
                             nullptr,
                             x.isRestrict}};
  if (x.isInteger)
    return {argument(x.name), {}};
  return {};
}

void Tracer::run(const NodeP &n) {
  if (!n || isOver)
    return;
  switch (n->kind) {
  case Kind::Block:
    for (const NodeP &s : n->args)
      run(s);
    break;
  case Kind::Declare:
    if (n->args.empty())
      variables[n->variable] = {};
    else
      variables[n->variable] = value(n->args[0]);
    if (kernel.variables[size_t(n->variable)].isInteger && !variables[n->variable].symbol)
      variables[n->variable].symbol = fresh(variable(n->variable).name, true);
    break;
  case Kind::If:
    branch(n);
    break;
  case Kind::Loop:
    loop(n);
    break;
  case Kind::Switch: {
    SymbolP s = symbolOf(value(n->args[0]));
    size_t guarded = guards.size();
    SymbolP taken = fresh("switch", s->differs);
    guards.push_back(taken);
    Variables before = variables;
    for (const NodeP &part :
         n->args[1] ? n->args[1]->args : std::vector<NodeP>{}) { // from one case to the next
      run(part);
      isOver = false;
    }
    guards.resize(guarded);
    merge(taken, variables, before);
    break;
  }
  case Kind::Return:
    if (!n->args.empty())
      returned = value(n->args[0]);
    isOver = true;
    isReturn = true;
    leaves = true;
    returns++;
    break;
  case Kind::Leave:
    isOver = true;
    leaves = true;
    break;
  default:
    value(n);
    break;
  }
}

bool Tracer::hasWork(const NodeP &n) {
  if (!n)
    return false;
  if (n->kind == Kind::Loop || n->kind == Kind::Return || n->kind == Kind::Leave ||
      (n->kind == Kind::Call && n->function >= 0) || n->kind == Kind::Element)
    return true;
  return std::any_of(n->args.begin(), n->args.end(), [](const NodeP &a) { return hasWork(a); });
}

void Tracer::branch(const NodeP &n) {
  SymbolP condition = symbolOf(value(n->args[0]));
  note(condition, n, hasWork(n->args[1]) || hasWork(n->args[2]));
  Variables before = variables;
  size_t guarded = guards.size();
  guards.push_back(condition);
  run(n->args[1]);
  bool thenOver = isOver;
  isOver = false;
  guards.resize(guarded);
  Variables after = std::move(variables);
  variables = before;
  guards.push_back(applied("!", {condition}));
  run(n->args[2]);
  bool elseOver = isOver;
  guards.resize(guarded);
  isOver = thenOver && elseOver;
  if (thenOver && !elseOver) {
    guards.push_back(applied("!", {condition})); // until the construct around ends
  } else if (elseOver && !thenOver) {
    variables = std::move(after);
    guards.push_back(condition);
  } else {
    Variables otherwise = std::move(variables);
    variables = std::move(after);
    merge(condition, variables, otherwise);
  }
}

void Tracer::note(const SymbolP &condition, const NodeP &n, bool works) {
  if (!isSilent)
    out.conditions.push_back(
        {condition, guards, loops, works, ++order, addressed(n).first, addressed(n).second});
}

void Tracer::merge(const SymbolP &condition, Variables &mine, const Variables &others) {
  for (auto &[v, value] : mine) {
    auto other = others.find(v);
    if (other == others.end())
      continue;
    value = chosen(condition, value, other->second, variable(v).name);
  }
}

Value Tracer::chosen(const SymbolP &condition, const Value &a, const Value &b,
                     const std::string &name) {
  if (a.pointer && b.pointer) {
    Address p = *a.pointer;
    bool isAlike = p.base == b.pointer->base && p.variable == b.pointer->variable &&
                   p.offset == b.pointer->offset &&
                   p.subscripts.size() == b.pointer->subscripts.size();
    for (size_t k = 0; isAlike && k < p.subscripts.size(); k++) {
      isAlike &= p.subscripts[k].bytes == b.pointer->subscripts[k].bytes;
      p.subscripts[k].index =
          applied("?:", {condition, p.subscripts[k].index, b.pointer->subscripts[k].index});
    }
    return isAlike ? Value{nullptr, p} : Value{};
  }
  if (!a.symbol || !b.symbol)
    return a.symbol || b.symbol ? Value{fresh(name, true), {}} : Value{};
  return {applied("?:", {condition, a.symbol, b.symbol}), {}};
}

void Tracer::assigned(const NodeP &n, const written::Kernel &kernel, std::set<int> &all,
                      std::set<int> &functions) {
  if (!n)
    return;
  if ((n->kind == Kind::Assign || n->kind == Kind::Address) && !n->args.empty()) {
    const Node *p = n->args[0].get();
    while (p && p->kind == Kind::Member)
      p = p->args[0].get();
    if (p && p->kind == Kind::Variable && !(n->kind == Kind::Address && n->isFirst))
      all.insert(p->variable);
  }
  if (n->kind == Kind::Call && n->function >= 0 && functions.insert(n->function).second)
    assigned(kernel.functions[size_t(n->function)].body, kernel, all, functions);
  for (const NodeP &a : n->args)
    assigned(a, kernel, all, functions);
}

bool Tracer::goesOnTogether(const SymbolP &next, const SymbolP &from) {
  if (!from->differs && !next->differs)
    return true;
  if (next == from || isSame(next, from))
    return true;
  if (next->kind != SymbolKind::Operator)
    return false;
  if (next->name == "+")
    return (goesOnTogether(next->args[0], from) && !next->args[1]->differs) ||
           (goesOnTogether(next->args[1], from) && !next->args[0]->differs);
  if (next->name == "-" && next->args.size() == 2)
    return goesOnTogether(next->args[0], from) && !next->args[1]->differs;
  return next->name == "?:" && !next->args[0]->differs && goesOnTogether(next->args[1], from) &&
         goesOnTogether(next->args[2], from);
}

void Tracer::iteration(const NodeP &n, LoopFacts &facts) {
  size_t guarded = guards.size();
  if (n->isFirst)
    run(n->args[2]);
  if (n->args[0]) {
    bool wasOver = isOver;
    isOver = false;
    facts.condition = symbolOf(value(n->args[0]));
    isOver = wasOver;
    if (!n->isFirst)
      guards.push_back(facts.condition);
  }
  if (!n->isFirst)
    run(n->args[2]);
  isOver = false;
  guards.resize(guarded);
  if (n->args[1])
    value(n->args[1]);
}

void Tracer::loop(const NodeP &n) {
  std::set<int> changed, functions;
  for (const NodeP &a : n->args)
    assigned(a, kernel, changed, functions);
  Variables before = variables;
  std::map<int, SymbolP> counters; // of integers; of pointers, of their last subscript
  std::set<int> lost;              // go on differently from thread to thread
  bool wasSilent = isSilent, didLeave = leaves, wasReturn = isReturn;
  size_t guarded = guards.size();
  auto begin = [&] {
    variables = before;
    for (int v : changed) {
      auto known = variables.find(v);
      if (known == variables.end())
        continue;
      Value &x = known->second;
      if (lost.count(v)) {
        x = x.symbol ? Value{fresh(variable(v).name, true), {}} : Value{};
        continue;
      }
      if (x.symbol) {
        x.symbol = counters[v] =
            counters.count(v) ? counters[v] : counter(variable(v).name, ++ids, x.symbol);
      } else if (x.pointer && !x.pointer->subscripts.empty()) {
        SymbolP &last = x.pointer->subscripts.back().index;
        last = counters[v] =
            counters.count(v)
                ? counters[v]
                : counter(variable(v).name == x.pointer->base
                              ? "…"
                              : fmt::format("({} - {})", variable(v).name, x.pointer->base),
                          ++ids, last);
      } else {
        x = {};
      }
    }
  };
  // What goes on together is found by going round until nothing more is lost.
  LoopFacts facts;
  bool isDeep = int(loops.size()) >= kDeepestLoop || depthOfSilence > 3;
  if (isDeep)
    lost = changed;
  for (bool again = !isDeep; again;) {
    again = false;
    begin();
    isSilent = true;
    depthOfSilence++;
    iteration(n, facts);
    depthOfSilence--;
    for (auto &[v, from] : counters) {
      if (lost.count(v))
        continue;
      const Value &after = variables[v];
      SymbolP next = after.symbol;
      if (!next && after.pointer && before[v].pointer &&
          after.pointer->base == before[v].pointer->base &&
          after.pointer->subscripts.size() == before[v].pointer->subscripts.size())
        next = after.pointer->subscripts.back().index;
      if (!next || !goesOnTogether(next, from)) {
        lost.insert(v);
        again = true;
      }
    }
  }
  isSilent = wasSilent;
  guards.resize(guarded);
  leaves = false;
  begin();
  int id = -1;
  if (!isSilent) {
    id = int(out.loops.size());
    out.loops.push_back({});
    out.loops[size_t(id)].begin = order + 1;
    out.loops[size_t(id)].at = addressed(n).first;
  }
  loops.push_back(id);
  iteration(n, facts);
  loops.pop_back();
  guards.resize(guarded);
  for (auto &[v, from] : counters)
    if (!lost.count(v) && variables[v].symbol)
      facts.counters.push_back({variable(v).name, from->id, before[v].symbol, variables[v].symbol});
  bool isLeft = leaves, isTogether = !isLeft && facts.condition && !facts.condition->differs;
  if (id >= 0) {
    LoopFacts &kept = out.loops[size_t(id)];
    kept.counters = facts.counters;
    kept.condition = facts.condition;
    kept.isLeft = isLeft;
    kept.end = order;
  }
  // Afterwards nobody knows how often it went round.
  for (int v : changed) {
    auto known = variables.find(v);
    if (known == variables.end())
      continue;
    bool differs = !isTogether || lost.count(v) || (before[v].symbol && before[v].symbol->differs);
    known->second = known->second.symbol ? Value{fresh(variable(v).name, differs), {}} : Value{};
  }
  leaves = didLeave || isReturn;
  isReturn = wasReturn;
}

Trace traceOf(const written::Kernel &kernel) { return Tracer(kernel).run(); }

} // namespace nw::lint
