// Registers to elements.
#include "verify/kept_registers.h"
#include <set>

namespace nw {

namespace {

// Whether during the loop the element stays in its place and only the register stands for it.
bool isAlone(const StmtP &loop, const ExprP &element, const std::string &kept) {
  const std::string &array = baseOf(element)->name;
  std::set<std::string> changed;
  bool sees = false;
  walkStmts(loop, [&](const StmtP &s) {
    if (s->kind == StmtKind::For)
      changed.insert(s->loop.counter);
    if (s->kind == StmtKind::Declare || s->kind == StmtKind::Shared)
      changed.insert(s->name);
    if (s->kind == StmtKind::Assign && baseOf(s->exprs[0]))
      changed.insert(baseOf(s->exprs[0])->name);
    sees |= s->kind == StmtKind::Barrier || s->kind == StmtKind::GridBarrier || s->kind == StmtKind::Break || s->kind == StmtKind::Return;
  });
  walkExprs(loop, [&](const ExprP &e) {
    sees |= e->kind == ExprKind::Var && e->name == array;
    return !sees;
  });
  for (const std::string &name : changed)
    sees |= name != kept && mentions(element, name);
  return !sees;
}

// The loop of { T kept = element; loop; element = kept; } with the element in it, or nothing.
StmtP loopOf(const StmtP &s) {
  if (s->kind != StmtKind::Block || s->isInstance() || s->body.size() != 3)
    return nullptr;
  const Stmt &load = *s->body[0], &store = *s->body[2];
  const StmtP &loop = s->body[1];
  if (load.kind != StmtKind::Declare || load.exprs.size() != 1 || !load.extents.empty() || loop->kind != StmtKind::For || store.kind != StmtKind::Assign)
    return nullptr;
  const ExprP &element = load.exprs[0];
  if ((element->kind != ExprKind::Index && element->kind != ExprKind::Member) || !baseOf(element) || !(load.type == element->type))
    return nullptr;
  if (!sameTree(store.exprs[0], element) || store.exprs[1]->kind != ExprKind::Var || store.exprs[1]->name != load.name || !isAlone(loop, element, load.name))
    return nullptr;
  return rewriteExprs(loop, [&](const ExprP &e) { return e->kind == ExprKind::Var && e->name == load.name ? element : e; });
}

// if (the loop runs at all) around it.
bool isWhetherItRuns(const ExprP &condition, const Loop &loop) {
  return sameTree(condition, rewrite(loop.condition, [&](const ExprP &e) { return e->kind == ExprKind::Var && e->name == loop.counter ? loop.start : e; }));
}

} // namespace

// Whether a loop between constants runs: then nobody has to ask.
static bool certainlyRuns(const Loop &loop) {
  const ExprP &c = loop.condition;
  if (loop.start->kind != ExprKind::Int || c->kind != ExprKind::Binary || c->args[0]->kind != ExprKind::Var || c->args[0]->name != loop.counter || c->args[1]->kind != ExprKind::Int)
    return false;
  int64_t first = loop.start->integer, last = c->args[1]->integer;
  return (c->name == "<" && first < last) || (c->name == "<=" && first <= last) || (c->name == ">" && first > last) || (c->name == ">=" && first >= last);
}

// An element that is loaded and stored although the loop does not run may be another thread's, or no element at all.
StmtP withoutKeptRegisters(const StmtP &code) {
  auto copy = std::make_shared<Stmt>(*code);
  if (code->kind == StmtKind::If && code->body.size() == 1 && code->body[0]->kind == StmtKind::Block && code->body[0]->body.size() == 3) {
    const StmtP &loop = code->body[0]->body[1];
    bool asks = loop->kind == StmtKind::For && isWhetherItRuns(code->exprs[0], loop->loop);
    auto inner = std::make_shared<Stmt>(*code->body[0]);
    for (StmtP &b : inner->body)
      b = withoutKeptRegisters(b);
    StmtP undone = asks || (loop->kind == StmtKind::For && certainlyRuns(loop->loop)) ? loopOf(inner) : nullptr;
    copy->body[0] = undone ? undone : inner;
    return asks && undone ? undone : copy;
  }
  for (StmtP &b : copy->body)
    b = withoutKeptRegisters(b);
  bool runs = copy->kind == StmtKind::Block && copy->body.size() == 3 && copy->body[1]->kind == StmtKind::For && certainlyRuns(copy->body[1]->loop);
  StmtP loop = runs ? loopOf(copy) : nullptr;
  return loop ? loop : copy;
}

} // namespace nw
