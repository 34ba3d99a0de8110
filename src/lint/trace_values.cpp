// Values and addresses of a thread: what it computes, loads and stores.
#include "lint/tracer.h"
#include <algorithm>
#include <fmt/format.h>

namespace nw::lint {

std::pair<Location, int> Tracer::addressed(const NodeP &n) const {
  return n->at.line ? std::pair(n->at, n->length) : callAt;
}

void Tracer::touch(const Address &p, Touch how, const Node &n, int64_t bytes,
                   const std::string &type) {
  if (isSilent || p.space == written::Space::Local)
    return;
  std::pair<Location, int> at = n.at.line ? std::pair(n.at, n.length) : callAt;
  out.accesses.push_back(
      {p, how, bytes, type, guards, loops, ++order, at.first, at.second, n.isVolatile});
}

Address Tracer::shifted(Address p, const SymbolP &by, int64_t bytes) {
  if (!p.subscripts.empty() && p.subscripts.back().bytes == bytes && p.members.empty()) {
    p.subscripts.back().index = applied("+", {p.subscripts.back().index, by});
  } else if (!(by->kind == SymbolKind::Number && by->value == 0)) {
    p.base = fmt::format("(&{})", textOf(p));
    SymbolP far = offsetOf(p);
    p.offset = 0;
    p.members.clear();
    p.subscripts = {{by, bytes}};
    p.hidden = far;
  }
  return p;
}

std::optional<Address> Tracer::address(const NodeP &n) {
  switch (n->kind) {
  case Kind::Variable: {
    const written::Variable &v = variable(n->variable);
    return Address{v.name, n->variable, v.space, {}, 0, "", nullptr, v.isRestrict};
  }
  case Kind::Element: {
    Value base = value(n->args[0]);
    SymbolP at = symbolOf(value(n->args[1]));
    if (!base.pointer)
      return std::nullopt;
    return shifted(*base.pointer, at, n->bytes);
  }
  case Kind::Member: {
    std::optional<Address> of = address(n->args[0]);
    if (of) {
      of->offset += n->integer;
      of->members += "." + n->name;
    }
    return of;
  }
  case Kind::Assign:
    value(n);
    return addressAgain(n->args[0]);
  default:
    value(n);
    return std::nullopt;
  }
}

std::optional<Address> Tracer::addressAgain(const NodeP &n) {
  bool was = isSilent;
  isSilent = true;
  Variables before = variables;
  std::optional<Address> p = address(n);
  variables = before;
  isSilent = was;
  return p;
}

Value Tracer::loaded(const NodeP &n) {
  const NodeP &from = n->args[0];
  std::optional<Address> p = address(from);
  if (!p)
    return {fresh("data", true), {}};
  bool isVariable = from->kind == Kind::Variable;
  if (isVariable && p->space == written::Space::Local)
    if (auto known = variables.find(from->variable); known != variables.end())
      return known->second;
  touch(*p, Touch::Load, *from, n->bytes ? n->bytes : from->bytes,
        n->type.empty() ? from->type : n->type);
  // What memory holds is the same for all threads that ask for the same element.
  bool isOwn =
      p->space == written::Space::Local && !(p->variable >= 0 && variable(p->variable).isParameter);
  bool differs = isOwn || offsetOf(*p)->differs;
  bool isArgument =
      p->space == written::Space::Local && !isOwn && p->subscripts.empty(); // a member of one
  if (n->integer > 0) // a pointer to elements of as many bytes
    return isArgument ? Value{nullptr, Address{textOf(*p),
                                               -1,
                                               written::Space::Global,
                                               {{number(0), n->integer}},
                                               0,
                                               "",
                                               nullptr,
                                               false}}
                      : Value{};
  return {isArgument ? argument(textOf(*p)) : fresh(textOf(*p), differs), {}};
}

void Tracer::store(const NodeP &to, const std::optional<Address> &p, const Value &what) {
  if (!p)
    return;
  if (p->space == written::Space::Local) {
    if (p->variable >= 0)
      variables[p->variable] = to->kind == Kind::Variable ? what : Value{};
    return;
  }
  touch(*p, Touch::Store, *to, to->bytes, to->type);
}

Value Tracer::assign(const NodeP &n) {
  const NodeP &to = n->args[0];
  Value right = value(n->args[1]);
  std::optional<Address> p = address(to);
  if (n->name.empty()) {
    store(to, p, right);
    return right;
  }
  Value before;
  if (p && p->space == written::Space::Local && to->kind == Kind::Variable) {
    if (auto known = variables.find(to->variable); known != variables.end())
      before = known->second;
  } else if (p) {
    touch(*p, Touch::Load, *to, to->bytes, to->type);
    before = {fresh(textOf(*p), true), {}};
  }
  Value after = combined(n->name, before, right);
  store(to, p, after);
  return n->isOld ? before : after;
}

Value Tracer::combined(const std::string &op, const Value &a, const Value &b) {
  if (a.pointer && (op == "+" || op == "-") && b.symbol) {
    Address p = *a.pointer;
    if (p.subscripts.empty() || !p.members.empty())
      return {};
    p.subscripts.back().index = applied(op, {p.subscripts.back().index, b.symbol});
    return {nullptr, p};
  }
  if (b.pointer && op == "+" && a.symbol)
    return combined(op, b, a);
  if (op == ",")
    return b;
  if (a.pointer || b.pointer)
    return {fresh("data", true), {}};
  if (!a.symbol || !b.symbol)
    return {};
  return {applied(op, {a.symbol, b.symbol}), {}};
}

Value Tracer::value(const NodeP &n) {
  if (!n)
    return {};
  switch (n->kind) {
  case Kind::Number:
    return {number(n->integer), {}};
  case Kind::Index: {
    int axis = n->name.back() - 'x';
    SymbolKind kind = n->name.starts_with("threadIdx")  ? SymbolKind::Thread
                      : n->name.starts_with("blockIdx") ? SymbolKind::Block
                      : n->name.starts_with("blockDim") ? SymbolKind::BlockSize
                                                        : SymbolKind::GridSize;
    return {index(kind, axis), {}};
  }
  case Kind::Load:
    return loaded(n);
  case Kind::Address: {
    std::optional<Address> p = address(n->args[0]);
    if (p && n->isFirst)
      p->subscripts.push_back({number(0), std::max<int64_t>(n->bytes, 1)});
    else if (p && p->space == written::Space::Local && p->variable >= 0)
      variables[p->variable] = {}; // whoever has its address may change it
    return {nullptr, p};
  }
  case Kind::Pointer: {
    Value v = value(n->args[0]);
    if (v.pointer)
      v.pointer = recast(*v.pointer, n->bytes, n->type);
    return v;
  }
  case Kind::Assign:
    return assign(n);
  case Kind::Operator:
    return operatorValue(n);
  case Kind::Call:
    return call(n);
  case Kind::Variable:
  case Kind::Element:
  case Kind::Member:
    address(n);
    return {};
  case Kind::Block:
  case Kind::Declare:
  case Kind::If:
  case Kind::Loop:
  case Kind::Switch:
  case Kind::Return:
  case Kind::Leave:
    run(n);
    return {};
  case Kind::Other:
    break;
  }
  for (const NodeP &a : n->args)
    value(a);
  return {};
}

Address Tracer::recast(Address p, int64_t bytes, const std::string &type) {
  if (!p.subscripts.empty() && p.subscripts.back().bytes == bytes)
    return p;
  bool isBegin = p.members.empty() && p.subscripts.size() == 1 &&
                 p.subscripts[0].index->kind == SymbolKind::Number &&
                 p.subscripts[0].index->value == 0;
  std::string text = isBegin ? p.base : "&" + textOf(p);
  SymbolP far = offsetOf(p);
  p.base = fmt::format("(({} *){})", type, text);
  p.offset = 0;
  p.members.clear();
  p.subscripts = {{number(0), bytes}};
  if (!isBegin)
    p.hidden = far;
  return p;
}

Value Tracer::operatorValue(const NodeP &n) {
  if (n->args.size() == 1) {
    Value v = value(n->args[0]);
    return v.symbol ? Value{applied(n->name, {v.symbol}), {}} : Value{};
  }
  Value first = value(n->args[0]);
  if (n->args.size() == 2 && n->name != "&&" && n->name != "||")
    return combined(n->name, first, value(n->args[1]));
  // What follows is evaluated under a condition.
  SymbolP condition = symbolOf(first);
  auto under = [&](const SymbolP &guard, const NodeP &what) {
    guards.push_back(guard);
    Value v = value(what);
    guards.pop_back();
    return v;
  };
  SymbolP otherwise = applied("!", {condition});
  if (n->args.size() == 2)
    return combined(n->name, {condition, {}},
                    {symbolOf(under(n->name == "&&" ? condition : otherwise, n->args[1])), {}});
  Value then = under(condition, n->args[1]), els = under(otherwise, n->args[2]);
  return chosen(condition, then, els, "data");
}

Value Tracer::call(const NodeP &n) {
  const std::string &name = n->name;
  auto begins = [&](const char *word) { return name.starts_with(word); };
  std::vector<Value> given;
  for (const NodeP &a : n->args)
    given.push_back(value(a));
  if (begins("__syncthreads") || begins("__syncwarp") || begins("__threadfence")) {
    if (!isSilent)
      out.barriers.push_back(++order);
    return {};
  }
  if ((begins("atomic") || begins("__atomic")) && !given.empty() && given[0].pointer) {
    touch(*given[0].pointer, Touch::Atomic, *n->args[0], n->integer, n->type);
    return {fresh("data", true), {}};
  }
  if (begins("__ldg") || begins("__ldc")) {
    if (!given.empty() && given[0].pointer) {
      Node from = *n->args[0];
      Address p = *given[0].pointer;
      p.isRestrict = true; // through the read-only path: nobody writes it
      touch(p, Touch::Load, from, n->bytes, n->type);
      return {fresh(textOf(p), offsetOf(p)->differs), {}};
    }
    return {};
  }
  if ((name == "min" || name == "max" || name == "umin" || name == "umax") && given.size() == 2 &&
      given[0].symbol && given[1].symbol)
    return {applied(name.substr(name.size() - 3), {given[0].symbol, given[1].symbol}), {}};
  if ((name == "__mul24" || name == "__umul24") && given.size() == 2 && given[0].symbol &&
      given[1].symbol)
    return {applied("*", {given[0].symbol, given[1].symbol}), {}};
  if (name == "abs" && given.size() == 1 && given[0].symbol)
    return {applied("abs", {given[0].symbol}), {}};
  if (n->function >= 0 && kernel.functions[size_t(n->function)].body && depth < kDeepestCall)
    return inlined(n, given);
  return {};
}

Value Tracer::inlined(const NodeP &n, const std::vector<Value> &given) {
  const written::Function &f = kernel.functions[size_t(n->function)];
  for (size_t k = 0; k < f.parameters.size() && k < given.size(); k++) {
    variables[f.parameters[k]] = given[k];
    if (variable(f.parameters[k]).isInteger && !given[k].symbol)
      variables[f.parameters[k]].symbol = fresh(variable(f.parameters[k]).name, true);
  }
  std::pair<Location, int> before = callAt;
  callAt = addressed(n);
  size_t guarded = guards.size();
  bool wasOver = isOver, wasReturn = isReturn, didLeave = leaves;
  int returnsBefore = returns;
  returned = {};
  isReturn = leaves = false;
  depth++;
  run(f.body);
  depth--;
  // A value that is returned in several addresses is not followed.
  Value result = returns > returnsBefore + 1 ? Value{} : returned;
  returned = {};
  guards.resize(guarded);
  isOver = wasOver;
  isReturn = wasReturn;
  leaves = didLeave;
  callAt = before;
  return result;
}

} // namespace nw::lint
