// Registers to elements.
#include "verify/readers/kept_registers.h"
#include "kernel/jam.h"
#include <algorithm>
#include <set>

namespace nw {

namespace {

// Whether during the loop the elements stay in their positions, and only the registers stand for
// them: `loop` has elements in place of registers, so that each is mentioned as it is, and any
// other element of its array must be another one.
bool areAlone(const StmtP &loop, const std::vector<ExprP> &elements, const Offsets &offsets) {
  std::set<std::string> changed;
  bool sees = false;
  walkStmts(loop, [&](const StmtP &s) {
    if (s->kind == StmtKind::For)
      changed.insert(s->loop.counter);
    if (s->kind == StmtKind::Declare || s->kind == StmtKind::Shared)
      changed.insert(s->name);
    if (s->kind == StmtKind::Assign && s->exprs[0]->kind == ExprKind::Var)
      changed.insert(s->exprs[0]->name);
    else if (s->kind == StmtKind::Assign && baseOf(s->exprs[0]) &&
             std::none_of(elements.begin(), elements.end(),
                          [&](const ExprP &e) { return sameTree(e, s->exprs[0]); }))
      changed.insert(baseOf(s->exprs[0])->name);
    sees |= s->kind == StmtKind::Barrier || s->kind == StmtKind::GridBarrier ||
            s->kind == StmtKind::Reduce || s->kind == StmtKind::Window ||
            s->kind == StmtKind::Break || s->kind == StmtKind::Return;
  });
  for (size_t k = 0; k < elements.size(); k++) {
    const std::string &array = baseOf(elements[k])->name;
    for (size_t n = 0; n < k; n++)
      sees |= baseOf(elements[n])->name == array && !offsets.areDifferent(elements[n], elements[k]);
    walkExprs(loop, [&](const ExprP &e) {
      if (std::any_of(elements.begin(), elements.end(),
                      [&](const ExprP &o) { return sameTree(e, o); }))
        return false;
      sees |= e->kind == ExprKind::Var && e->name == array;
      return !sees;
    });
    // Its subscripts read nothing that changes, and no array of the elements.
    for (const std::string &name : changed)
      sees |= mentions(elements[k], name);
    for (const Expr *e = elements[k].get();
         e->kind == ExprKind::Index || e->kind == ExprKind::Member; e = e->args[0].get())
      for (const ExprP &other : elements)
        sees |= e->kind == ExprKind::Index && mentions(e->args[1], baseOf(other)->name);
  }
  return !sees;
}

// The loop of { T kept = element; …; loop; element = kept; … } with the elements in it, or nothing.
StmtP loopOf(const StmtP &s, const Offsets &offsets) {
  if (s->kind != StmtKind::Block || s->isInstance() || s->body.size() < 3 ||
      s->body.size() % 2 == 0)
    return nullptr;
  size_t many = s->body.size() / 2;
  StmtP loop = s->body[many];
  if (loop->kind != StmtKind::For)
    return nullptr;
  std::vector<ExprP> elements;
  std::set<std::string> names;
  for (size_t k = 0; k < many; k++) {
    const Stmt &load = *s->body[k], &store = *s->body[many + 1 + k];
    if (load.kind != StmtKind::Declare || load.exprs.size() != 1 || !load.extents.empty() ||
        store.kind != StmtKind::Assign || !names.insert(load.name).second)
      return nullptr;
    const ExprP &element = load.exprs[0];
    if ((element->kind != ExprKind::Index && element->kind != ExprKind::Member) ||
        !baseOf(element) || !(load.type == element->type))
      return nullptr;
    if (!sameTree(store.exprs[0], element) || store.exprs[1]->kind != ExprKind::Var ||
        store.exprs[1]->name != load.name)
      return nullptr;
    bool isHidden = false,
         isSeen = false; // by a variable of the same name in the loop; or beside its register
    walkStmts(loop, [&](const StmtP &x) {
      isHidden |=
          (x->kind == StmtKind::Declare || x->kind == StmtKind::Shared) && x->name == load.name;
    });
    walkStmts(loop, [&](const StmtP &x) {
      isHidden |= x->kind == StmtKind::For && x->loop.counter == load.name;
    });
    walkExprs(s->body[many], [&](const ExprP &e) {
      isSeen |= sameTree(e, element);
      return !isSeen;
    });
    if (isHidden || isSeen)
      return nullptr;
    elements.push_back(element);
  }
  for (size_t k = 0; k < many; k++)
    loop = rewriteExprs(loop, [&](const ExprP &e) {
      return e->kind == ExprKind::Var && e->name == s->body[k]->name ? elements[k] : e;
    });
  return areAlone(loop, elements, offsets) ? loop : nullptr;
}

// if (the loop runs at all) around it.
bool isWhetherItRuns(const ExprP &condition, const Loop &loop) {
  return sameTree(condition, rewrite(loop.condition, [&](const ExprP &e) {
                    return e->kind == ExprKind::Var && e->name == loop.counter ? loop.start : e;
                  }));
}

} // namespace

// Whether a loop between constants runs: then nobody has to ask.
static bool certainlyRuns(const Loop &loop) {
  const ExprP &c = loop.condition;
  if (loop.start->kind != ExprKind::Int || c->kind != ExprKind::Binary ||
      c->args[0]->kind != ExprKind::Var || c->args[0]->name != loop.counter ||
      c->args[1]->kind != ExprKind::Int)
    return false;
  int64_t first = loop.start->integer, last = c->args[1]->integer;
  return (c->name == "<" && first < last) || (c->name == "<=" && first <= last) ||
         (c->name == ">" && first > last) || (c->name == ">=" && first >= last);
}

// An element that is loaded and stored although the loop does not run may be another thread's, or
// no element at all.
static StmtP undone(const StmtP &code, const Offsets &offsets) {
  auto copy = std::make_shared<Stmt>(*code);
  if (code->kind == StmtKind::If && code->body.size() == 1 &&
      code->body[0]->kind == StmtKind::Block && code->body[0]->body.size() >= 3 &&
      code->body[0]->body.size() % 2 == 1) {
    const StmtP &loop = code->body[0]->body[code->body[0]->body.size() / 2];
    bool asks = loop->kind == StmtKind::For && isWhetherItRuns(code->exprs[0], loop->loop);
    auto inner = std::make_shared<Stmt>(*code->body[0]);
    for (StmtP &b : inner->body)
      b = undone(b, offsets);
    StmtP whole = asks || (loop->kind == StmtKind::For && certainlyRuns(loop->loop))
                      ? loopOf(inner, offsets)
                      : nullptr;
    copy->body[0] = whole ? whole : inner;
    return asks && whole ? whole : copy;
  }
  for (StmtP &b : copy->body)
    b = undone(b, offsets);
  const StmtP *middle = copy->kind == StmtKind::Block && copy->body.size() >= 3
                            ? &copy->body[copy->body.size() / 2]
                            : nullptr;
  bool runs = middle && (*middle)->kind == StmtKind::For && certainlyRuns((*middle)->loop);
  StmtP loop = runs ? loopOf(copy, offsets) : nullptr;
  return loop ? loop : copy;
}

StmtP withoutKeptRegisters(const StmtP &code) { return undone(code, Offsets(code)); }

} // namespace nw
