// Asynchronous strips.
#include "verify/readers/async_strips.h"
#include "ir/program.h"
#include "kernel/async.h"
#include "kernel/free_names.h"
#include <algorithm>
#include <set>

namespace nw {

namespace {

StmtP replaced(const StmtP &s, const ExprP &what, const ExprP &by) {
  return rewriteExprs(s, [&](const ExprP &e) { return sameTree(e, what) ? by : e; });
}

bool areSame(const StmtP &a, const StmtP &b) { return print(a, 0) == print(b, 0); }

// if (condition) copies: loops whose only assignments are under way, to shared memory.
bool areCopies(const StmtP &s) {
  if (s->kind != StmtKind::If || s->body.size() != 1 || s->isSpeculated ||
      s->body[0]->kind != StmtKind::Block || s->body[0]->body.empty())
    return false;
  bool are = true;
  for (const StmtP &b : s->body[0]->body)
    are &= b->kind == StmtKind::For && hasAsync(b);
  walkStmts(s->body[0], [&](const StmtP &x) {
    are &= !x->isInstance() && x->kind != StmtKind::Barrier && x->kind != StmtKind::GridBarrier &&
           x->kind != StmtKind::Reduce && x->kind != StmtKind::Window &&
           x->kind != StmtKind::While && x->kind != StmtKind::DoWhile &&
           x->kind != StmtKind::Break && x->kind != StmtKind::Continue &&
           (x->kind != StmtKind::Assign || x->isAsync);
  });
  return are;
}

StmtP done(const StmtP &s) {
  auto copy = std::make_shared<Stmt>(*s);
  copy->isAsync = false;
  for (StmtP &b : copy->body)
    b = done(b);
  return copy;
}

std::set<std::string> assignedIn(const StmtP &s) {
  std::set<std::string> names;
  walkStmts(s, [&](const StmtP &x) {
    if (x->kind == StmtKind::Assign)
      names.insert(baseOf(x->exprs[0]) ? baseOf(x->exprs[0])->name : "");
  });
  return names;
}

// if (C(start)) copies(start); for (s = start; C(s); s += length) { barrier; if (C(s + length))
// copies(s + length); rest }, where nothing of the rest is a barrier or changes what the copies
// depend on, as for (s = start; C(s); s += length) { copies(s); barrier; rest }. The copies come
// later then: after the rest of the turn before, which has the other of two buffers, or else the
// next check does not find it right.
StmtP inTheirTurn(const StmtP &first, const StmtP &loop) {
  const Loop &l = loop->loop;
  if (loop->kind != StmtKind::For || l.stride || l.step < 1 ||
      loop->body[0]->kind != StmtKind::Block || !areCopies(first))
    return nullptr;
  const std::vector<StmtP> &body = loop->body[0]->body;
  if (body.size() < 3 || body[0]->kind != StmtKind::Barrier || !areCopies(body[1]))
    return nullptr;
  ExprP here = var(l.counter, l.type), after = binary("+", here, intConst(l.step, l.type), l.type);
  StmtP copies = replaced(body[1]->body[0], after, here);
  auto holds = [&](const ExprP &value) {
    return rewrite(l.condition, [&](const ExprP &e) { return sameTree(e, here) ? value : e; });
  };
  if (!areSame(replaced(copies, here, after), body[1]->body[0]) ||
      !areSame(replaced(copies, here, l.start), first->body[0]) ||
      !sameTree(first->exprs[0], holds(l.start)) || !sameTree(body[1]->exprs[0], holds(after)))
    return nullptr;
  std::map<std::string, Type> given = freeNames(copies);
  std::set<std::string> buffers = assignedIn(copies);
  for (size_t n = 2; n < body.size(); n++) {
    bool isOther = true;
    walkStmts(body[n], [&](const StmtP &x) {
      isOther &= x->kind != StmtKind::Barrier && x->kind != StmtKind::GridBarrier &&
                 x->kind != StmtKind::Reduce && x->kind != StmtKind::Break &&
                 x->kind != StmtKind::Continue && !x->isAsync;
    });
    for (const std::string &name : assignedIn(body[n]))
      isOther &= !name.empty() && !given.count(name) && !buffers.count(name);
    if (!isOther)
      return nullptr;
  }
  std::vector<StmtP> inside = done(copies)->body;
  inside.push_back(body[0]);
  inside.insert(inside.end(), body.begin() + 2, body.end());
  auto made = std::make_shared<Stmt>(*loop);
  made->body = {block(inside)};
  return made;
}

} // namespace

StmtP withoutAsync(const StmtP &s) {
  auto copy = std::make_shared<Stmt>(*s);
  if (s->isInstance())
    return copy;
  if (s->kind == StmtKind::Block) {
    std::vector<StmtP> all;
    for (size_t n = 0; n < s->body.size(); n++) {
      StmtP made = n + 1 < s->body.size() ? inTheirTurn(s->body[n], s->body[n + 1]) : nullptr;
      all.push_back(made ? made : s->body[n]);
      n += made != nullptr;
    }
    copy->body = all;
  }
  for (StmtP &b : copy->body)
    b = withoutAsync(b);
  return copy;
}

} // namespace nw
