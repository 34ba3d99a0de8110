// Wide copies.
#include "verify/readers/wide_copies.h"
#include "ir/program.h"
#include "kernel/window.h"
#include <algorithm>

namespace nw {

namespace {

bool isInt(const ExprP &e) { return e->kind == ExprKind::Int; }
bool isOf(const ExprP &e, const char *op) { return e->kind == ExprKind::Binary && e->name == op; }

// for (q = 0; q < count; q++), or nothing: count.
std::optional<int64_t> countOf(const StmtP &s) {
  const Loop &l = s->loop;
  bool is = s->kind == StmtKind::For && !l.stride && l.step == 1 && isInt(l.start) &&
            l.start->integer == 0 && isOf(l.condition, "<") &&
            isVar(l.condition->args[0], l.counter) && isInt(l.condition->args[1]);
  return is ? std::optional(l.condition->args[1]->integer) : std::nullopt;
}

StmtP alone(StmtP s) {
  while (s->kind == StmtKind::Block && s->body.size() == 1 && !s->isInstance())
    s = s->body[0];
  return s;
}

// for (q = 0; q < turns; q++) { e = (number + q * threads) * unit; a = e % n; …; body }
struct Turns {
  std::string counter, element;
  Type type;
  ExprP number;
  int64_t turns = 0, threads = 0, unit = 0;
  std::vector<StmtP> coordinates;
  StmtP body;
};

std::optional<Turns> turnsOf(const StmtP &s) {
  std::optional<int64_t> turns = countOf(s);
  if (!turns || s->body[0]->kind != StmtKind::Block || s->body[0]->body.size() < 3)
    return std::nullopt;
  const std::vector<StmtP> &code = s->body[0]->body;
  auto isValue = [](const StmtP &d) {
    return d->kind == StmtKind::Declare && d->exprs.size() == 1 && d->extents.empty();
  };
  if (!std::all_of(code.begin(), code.end() - 1, isValue) || !(code[0]->type == s->loop.type))
    return std::nullopt;
  const ExprP &e = code[0]->exprs[0];
  if (!isOf(e, "*") || !isInt(e->args[1]) || !isOf(e->args[0], "+"))
    return std::nullopt;
  const ExprP &behind = e->args[0]->args[1];
  if (!isOf(behind, "*") || !isVar(behind->args[0], s->loop.counter) || !isInt(behind->args[1]))
    return std::nullopt;
  return Turns{s->loop.counter,
               code[0]->name,
               s->loop.type,
               e->args[0]->args[0],
               *turns,
               behind->args[1]->integer,
               e->args[1]->integer,
               {code.begin() + 1, code.end() - 1},
               alone(code.back())};
}

// for (u = 0; u < unit; u++) to = from
struct Parts {
  std::string counter;
  const Stmt *move;
};

std::optional<Parts> partsIn(const StmtP &s, int64_t unit) {
  StmtP loop = alone(s);
  std::optional<int64_t> count = countOf(loop);
  StmtP move = count == unit ? alone(loop->body[0]) : nullptr;
  return move && move->kind == StmtKind::Assign
             ? std::optional(Parts{loop->loop.counter, move.get()})
             : std::nullopt;
}

// Whether it is registers[q * unit + u].
bool isRegister(const ExprP &e, const Turns &t, const std::string &part) {
  if (e->kind != ExprKind::Index || e->args[0]->kind != ExprKind::Var || !isOf(e->args[1], "+") ||
      !isVar(e->args[1]->args[1], part))
    return false;
  const ExprP &before = e->args[1]->args[0];
  return isOf(before, "*") && isVar(before->args[0], t.counter) && isInt(before->args[1]) &&
         before->args[1]->integer == t.unit;
}

} // namespace

std::optional<WideCopy> wideCopy(const StmtP &load, const StmtP &store) {
  std::optional<Turns> in = turnsOf(load), out = turnsOf(store);
  if (!in || !out || in->body->kind != StmtKind::Window || in->unit < 2 || in->unit != out->unit ||
      in->turns != out->turns || in->threads != out->threads || in->element != out->element ||
      in->counter != out->counter || !sameTree(in->number, out->number) ||
      print(block(in->coordinates), 0) != print(block(out->coordinates), 0))
    return std::nullopt;
  const Stmt &w = *in->body;
  std::optional<Parts> loads = partsIn(w.body[0], in->unit), stores = partsIn(out->body, in->unit);
  std::optional<std::vector<ExprP>> from = subscriptsOf(w.exprs[0]),
                                    to = stores ? subscriptsOf(stores->move->exprs[0])
                                                : std::nullopt;
  if (!loads || !stores || loads->counter != stores->counter || !from || !to || from->empty() ||
      w.section.stores || !w.section.loads || (w.section.unit != in->unit && w.section.unit != 1) ||
      phaseOf(w) != 0)
    return std::nullopt;
  const std::string &part = loads->counter;
  // registers[q * unit + u] = window[0]…[u], and copy[…] = registers[q * unit + u]
  const ExprP &kept = loads->move->exprs[0];
  std::optional<std::vector<ExprP>> mine = subscriptsOf(loads->move->exprs[1]);
  if (!isRegister(kept, *in, part) || !sameTree(kept, stores->move->exprs[1]) || !mine ||
      mine->size() != w.extents.size() || !baseOf(loads->move->exprs[1]) ||
      baseOf(loads->move->exprs[1])->name != w.name)
    return std::nullopt;
  for (size_t d = 0; d < mine->size(); d++) {
    bool isLast = d + 1 == mine->size();
    if (w.extents[d] != (isLast ? in->unit : 1) ||
        (isLast ? !isVar((*mine)[d], part) : !isInt((*mine)[d]) || (*mine)[d]->integer != 0))
      return std::nullopt;
  }
  // The coordinate that runs fastest is a multiple of the unit, and grows by one from part to part.
  const Stmt &fastest = *in->coordinates[0];
  const ExprP &value = fastest.exprs[0];
  bool isWhole = isVar(value, in->element) ||
                 (isOf(value, "%") && isVar(value->args[0], in->element) && isInt(value->args[1]) &&
                  value->args[1]->integer > 0 && value->args[1]->integer % in->unit == 0);
  auto follows = [&](const ExprP &e) {
    return mentions(e, fastest.name) || mentions(e, part) || mentions(e, in->counter) ||
           mentions(e, in->element);
  };
  const ExprP &last = from->back();
  if (!isWhole || !isOf(last, "+") || !isVar(last->args[1], fastest.name) ||
      follows(last->args[0]) || std::any_of(from->begin(), from->end() - 1, follows))
    return std::nullopt;
  ExprP copy = var(baseOf(stores->move->exprs[0])->name, stores->move->exprs[0]->type);
  int many = 0;
  for (const ExprP &e : *to) {
    bool isFastest = isOf(e, "+") && isVar(e->args[0], fastest.name) && isVar(e->args[1], part);
    if (!isFastest && follows(e))
      return std::nullopt;
    many += isFastest;
    copy = index(copy, isFastest ? e->args[0] : e, copy->type);
  }
  if (many != 1)
    return std::nullopt;
  std::vector<StmtP> code = in->coordinates;
  code.push_back(assign(copy, w.exprs[0]));
  StmtP single = forLoop(in->element, in->type, in->number,
                         binary("<", var(in->element, in->type),
                                intConst(in->turns * in->threads * in->unit, in->type), kI32),
                         intConst(in->threads, in->type), block(code));
  return WideCopy{
      single,      in->body,    last->args[0], kept->args[0]->name, in->turns * in->unit,
      loads->move, stores->move};
}

} // namespace nw
