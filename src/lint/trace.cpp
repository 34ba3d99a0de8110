// One thread followed through a kernel: variables are replaced by what they were set to, branches are put together, and loops are gone through until
// it is known which of their variables go on by the same for all threads.
#include "lint/trace.h"
#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace nw::lint {

using written::Kind;
using written::Node;
using written::NodeP;

namespace {

// What an expression is: a number, or the place that a pointer points at, or neither.
struct Value {
  SymbolP symbol;
  std::optional<Place> pointer;
};

using Variables = std::map<int, Value>;

constexpr int kDeepestCall = 6, kDeepestLoop = 8;

class Tracer {
public:
  explicit Tracer(const written::Kernel &kernel) : kernel(kernel) {}

  Trace run() {
    const written::Function &f = kernel.functions.front();
    for (int v : f.parameters)
      variables[v] = argumentValue(v);
    if (f.body)
      run(f.body);
    return std::move(out);
  }

private:
  const written::Variable &variable(int v) const { return kernel.variables[size_t(v)]; }
  SymbolP fresh(const std::string &name, bool differs) { return unknown(name, ++ids, differs); }

  Value argumentValue(int v) const {
    const written::Variable &x = variable(v);
    if (x.isPointer)
      return {nullptr, Place{x.name, v, written::Space::Global, {{number(0), std::max<int64_t>(x.elementBytes, 1)}}, 0, "", nullptr, x.isRestrict}};
    if (x.isInteger)
      return {argument(x.name), {}};
    return {};
  }

  // ---- statements

  void run(const NodeP &n) {
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
    case Kind::If: branch(n); break;
    case Kind::Loop: loop(n); break;
    case Kind::Switch: {
      SymbolP s = symbolOf(value(n->args[0]));
      size_t guarded = guards.size();
      SymbolP taken = fresh("switch", s->differs);
      guards.push_back(taken);
      Variables before = variables;
      for (const NodeP &part : n->args[1] ? n->args[1]->args : std::vector<NodeP>{}) { // from one case to the next
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
    default: value(n); break;
    }
  }

  static bool hasWork(const NodeP &n) {
    if (!n)
      return false;
    if (n->kind == Kind::Loop || n->kind == Kind::Return || n->kind == Kind::Leave || (n->kind == Kind::Call && n->function >= 0) || n->kind == Kind::Element)
      return true;
    return std::any_of(n->args.begin(), n->args.end(), [](const NodeP &a) { return hasWork(a); });
  }

  void branch(const NodeP &n) {
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

  void note(const SymbolP &condition, const NodeP &n, bool works) {
    if (!isSilent)
      out.conditions.push_back({condition, guards, loops, works, ++order, placed(n).first, placed(n).second});
  }

  // Afterwards `mine` is what holds where both come together.
  void merge(const SymbolP &condition, Variables &mine, const Variables &others) {
    for (auto &[v, value] : mine) {
      auto other = others.find(v);
      if (other == others.end())
        continue;
      value = chosen(condition, value, other->second, variable(v).name);
    }
  }

  Value chosen(const SymbolP &condition, const Value &a, const Value &b, const std::string &name) {
    if (a.pointer && b.pointer) {
      Place p = *a.pointer;
      bool isAlike = p.base == b.pointer->base && p.variable == b.pointer->variable && p.offset == b.pointer->offset && p.subscripts.size() == b.pointer->subscripts.size();
      for (size_t k = 0; isAlike && k < p.subscripts.size(); k++) {
        isAlike &= p.subscripts[k].bytes == b.pointer->subscripts[k].bytes;
        p.subscripts[k].index = applied("?:", {condition, p.subscripts[k].index, b.pointer->subscripts[k].index});
      }
      return isAlike ? Value{nullptr, p} : Value{};
    }
    if (!a.symbol || !b.symbol)
      return a.symbol || b.symbol ? Value{fresh(name, true), {}} : Value{};
    return {applied("?:", {condition, a.symbol, b.symbol}), {}};
  }

  // ---- loops

  static void assigned(const NodeP &n, const written::Kernel &kernel, std::set<int> &all, std::set<int> &functions) {
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

  // Whether it is `from` and something that is the same for all threads.
  static bool goesOnTogether(const SymbolP &next, const SymbolP &from) {
    if (!from->differs && !next->differs)
      return true;
    if (next == from || isSame(next, from))
      return true;
    if (next->kind != SymbolKind::Operator)
      return false;
    if (next->name == "+")
      return (goesOnTogether(next->args[0], from) && !next->args[1]->differs) || (goesOnTogether(next->args[1], from) && !next->args[0]->differs);
    if (next->name == "-" && next->args.size() == 2)
      return goesOnTogether(next->args[0], from) && !next->args[1]->differs;
    return next->name == "?:" && !next->args[0]->differs && goesOnTogether(next->args[1], from) && goesOnTogether(next->args[2], from);
  }

  void iteration(const NodeP &n, LoopFacts &facts) {
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

  void loop(const NodeP &n) {
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
          x.symbol = counters[v] = counters.count(v) ? counters[v] : counter(variable(v).name, ++ids, x.symbol);
        } else if (x.pointer && !x.pointer->subscripts.empty()) {
          SymbolP &last = x.pointer->subscripts.back().index;
          last = counters[v] = counters.count(v) ? counters[v] : counter(variable(v).name == x.pointer->base ? "…" : fmt::format("({} - {})", variable(v).name, x.pointer->base), ++ids, last);
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
        if (!next && after.pointer && before[v].pointer && after.pointer->base == before[v].pointer->base && after.pointer->subscripts.size() == before[v].pointer->subscripts.size())
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
      out.loops[size_t(id)].at = placed(n).first;
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

  // ---- values

  SymbolP symbolOf(const Value &v) { return v.symbol ? v.symbol : fresh("data", true); }

  std::pair<Location, int> placed(const NodeP &n) const {
    return n->at.line ? std::pair(n->at, n->length) : callAt;
  }

  void touch(const Place &p, Touch how, const Node &n, int64_t bytes, const std::string &type) {
    if (isSilent || p.space == written::Space::Local)
      return;
    std::pair<Location, int> at = n.at.line ? std::pair(n.at, n.length) : callAt;
    out.accesses.push_back({p, how, bytes, type, guards, loops, ++order, at.first, at.second});
  }

  Place shifted(Place p, const SymbolP &by, int64_t bytes) {
    if (!p.subscripts.empty() && p.subscripts.back().bytes == bytes && p.members.empty()) {
      p.subscripts.back().index = applied("+", {p.subscripts.back().index, by});
    } else if (!(by->kind == SymbolKind::Number && by->value == 0)) {
      p.base = fmt::format("(&{})", textOf(p));
      SymbolP far = offsetOf(p);
      p.offset = 0;
      p.members.clear();
      p.subscripts = {{by, bytes}};
      hidden(p, far);
    }
    return p;
  }

  // Bytes that the text of the base already tells.
  static void hidden(Place &p, const SymbolP &bytes) { p.hidden = p.hidden ? applied("+", {p.hidden, bytes}) : bytes; }

  // The place that a node of a place stands for; its operands are evaluated.
  std::optional<Place> place(const NodeP &n) {
    switch (n->kind) {
    case Kind::Variable: {
      const written::Variable &v = variable(n->variable);
      return Place{v.name, n->variable, v.space, {}, 0, "", nullptr, v.isRestrict};
    }
    case Kind::Element: {
      Value base = value(n->args[0]);
      SymbolP at = symbolOf(value(n->args[1]));
      if (!base.pointer)
        return std::nullopt;
      return shifted(*base.pointer, at, n->bytes);
    }
    case Kind::Member: {
      std::optional<Place> of = place(n->args[0]);
      if (of) {
        of->offset += n->integer;
        of->members += "." + n->name;
      }
      return of;
    }
    case Kind::Assign:
      value(n);
      return placeAgain(n->args[0]);
    default:
      value(n);
      return std::nullopt;
    }
  }

  // The place once more, without what its operands do.
  std::optional<Place> placeAgain(const NodeP &n) {
    bool was = isSilent;
    isSilent = true;
    Variables before = variables;
    std::optional<Place> p = place(n);
    variables = before;
    isSilent = was;
    return p;
  }

  Value loaded(const NodeP &n) {
    const NodeP &from = n->args[0];
    std::optional<Place> p = place(from);
    if (!p)
      return {fresh("data", true), {}};
    bool isVariable = from->kind == Kind::Variable;
    if (isVariable && p->space == written::Space::Local)
      if (auto known = variables.find(from->variable); known != variables.end())
        return known->second;
    touch(*p, Touch::Load, *from, n->bytes ? n->bytes : from->bytes, n->type.empty() ? from->type : n->type);
    // What memory holds is the same for all threads that ask for the same element.
    bool isOwn = p->space == written::Space::Local && !(p->variable >= 0 && variable(p->variable).isParameter);
    bool differs = isOwn || offsetOf(*p)->differs;
    bool isArgument = p->space == written::Space::Local && !isOwn && p->subscripts.empty(); // a member of one
    if (n->integer > 0) // a pointer to elements of as many bytes
      return isArgument ? Value{nullptr, Place{textOf(*p), -1, written::Space::Global, {{number(0), n->integer}}, 0, "", nullptr, false}} : Value{};
    return {isArgument ? argument(textOf(*p)) : fresh(textOf(*p), differs), {}};
  }

  void store(const NodeP &to, const std::optional<Place> &p, const Value &what) {
    if (!p)
      return;
    if (p->space == written::Space::Local) {
      if (p->variable >= 0)
        variables[p->variable] = to->kind == Kind::Variable ? what : Value{};
      return;
    }
    touch(*p, Touch::Store, *to, to->bytes, to->type);
  }

  Value assign(const NodeP &n) {
    const NodeP &to = n->args[0];
    Value right = value(n->args[1]);
    std::optional<Place> p = place(to);
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

  Value combined(const std::string &op, const Value &a, const Value &b) {
    if (a.pointer && (op == "+" || op == "-") && b.symbol) {
      Place p = *a.pointer;
      if (p.subscripts.empty() || !p.members.empty())
        return {};
      p.subscripts.back().index = applied(op, {p.subscripts.back().index, b.symbol});
      return {nullptr, p};
    }
    if (b.pointer && op == "+" && a.symbol)
      return combined(op, b, a);
    if (op == "," )
      return b;
    if (a.pointer || b.pointer)
      return {fresh("data", true), {}};
    if (!a.symbol || !b.symbol)
      return {};
    return {applied(op, {a.symbol, b.symbol}), {}};
  }

  Value value(const NodeP &n) {
    if (!n)
      return {};
    switch (n->kind) {
    case Kind::Number: return {number(n->integer), {}};
    case Kind::Index: {
      int axis = n->name.back() - 'x';
      SymbolKind kind = n->name.starts_with("threadIdx") ? SymbolKind::Thread : n->name.starts_with("blockIdx") ? SymbolKind::Block : n->name.starts_with("blockDim") ? SymbolKind::BlockSize : SymbolKind::GridSize;
      return {index(kind, axis), {}};
    }
    case Kind::Load: return loaded(n);
    case Kind::Address: {
      std::optional<Place> p = place(n->args[0]);
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
    case Kind::Assign: return assign(n);
    case Kind::Operator: return operatorValue(n);
    case Kind::Call: return call(n);
    case Kind::Variable:
    case Kind::Element:
    case Kind::Member: place(n); return {};
    case Kind::Block:
    case Kind::Declare:
    case Kind::If:
    case Kind::Loop:
    case Kind::Switch:
    case Kind::Return:
    case Kind::Leave: run(n); return {};
    case Kind::Other: break;
    }
    for (const NodeP &a : n->args)
      value(a);
    return {};
  }

  // A pointer to elements of another size.
  static Place recast(Place p, int64_t bytes, const std::string &type) {
    if (!p.subscripts.empty() && p.subscripts.back().bytes == bytes)
      return p;
    bool isBegin = p.members.empty() && p.subscripts.size() == 1 && p.subscripts[0].index->kind == SymbolKind::Number && p.subscripts[0].index->value == 0;
    std::string text = isBegin ? p.base : "&" + textOf(p);
    SymbolP far = offsetOf(p);
    p.base = fmt::format("(({} *){})", type, text);
    p.offset = 0;
    p.members.clear();
    p.subscripts = {{number(0), bytes}};
    if (!isBegin)
      hidden(p, far);
    return p;
  }

  Value operatorValue(const NodeP &n) {
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
      return combined(n->name, {condition, {}}, {symbolOf(under(n->name == "&&" ? condition : otherwise, n->args[1])), {}});
    Value then = under(condition, n->args[1]), els = under(otherwise, n->args[2]);
    return chosen(condition, then, els, "data");
  }

  Value call(const NodeP &n) {
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
        Place p = *given[0].pointer;
        p.isRestrict = true; // through the read-only path: nobody writes it
        touch(p, Touch::Load, from, n->bytes, n->type);
        return {fresh(textOf(p), offsetOf(p)->differs), {}};
      }
      return {};
    }
    if ((name == "min" || name == "max" || name == "umin" || name == "umax") && given.size() == 2 && given[0].symbol && given[1].symbol)
      return {applied(name.substr(name.size() - 3), {given[0].symbol, given[1].symbol}), {}};
    if ((name == "__mul24" || name == "__umul24") && given.size() == 2 && given[0].symbol && given[1].symbol)
      return {applied("*", {given[0].symbol, given[1].symbol}), {}};
    if (name == "abs" && given.size() == 1 && given[0].symbol)
      return {applied("abs", {given[0].symbol}), {}};
    if (n->function >= 0 && kernel.functions[size_t(n->function)].body && depth < kDeepestCall)
      return inlined(n, given);
    return {};
  }

  Value inlined(const NodeP &n, const std::vector<Value> &given) {
    const written::Function &f = kernel.functions[size_t(n->function)];
    for (size_t k = 0; k < f.parameters.size() && k < given.size(); k++) {
      variables[f.parameters[k]] = given[k];
      if (variable(f.parameters[k]).isInteger && !given[k].symbol)
        variables[f.parameters[k]].symbol = fresh(variable(f.parameters[k]).name, true);
    }
    std::pair<Location, int> before = callAt;
    callAt = placed(n);
    size_t guarded = guards.size();
    bool wasOver = isOver, wasReturn = isReturn, didLeave = leaves;
    int returnsBefore = returns;
    returned = {};
    isReturn = leaves = false;
    depth++;
    run(f.body);
    depth--;
    // A value that is returned in several places is not followed.
    Value result = returns > returnsBefore + 1 ? Value{} : returned;
    returned = {};
    guards.resize(guarded);
    isOver = wasOver;
    isReturn = wasReturn;
    leaves = didLeave;
    callAt = before;
    return result;
  }

  const written::Kernel &kernel;
  Trace out;
  Variables variables;
  std::vector<SymbolP> guards;
  std::vector<int> loops;
  Value returned;
  std::pair<Location, int> callAt = {{}, 1};
  int ids = 0, order = 0, depth = 0, depthOfSilence = 0, returns = 0;
  bool isSilent = false, isOver = false, isReturn = false, leaves = false;
};

} // namespace

Trace traceOf(const written::Kernel &kernel) { return Tracer(kernel).run(); }

} // namespace nw::lint
