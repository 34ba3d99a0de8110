// Strips ahead.
#include "verify/readers/prefetched_strips.h"
#include "ir/program.h"
#include "kernel/free_names.h"
#include <algorithm>
#include <set>

namespace nw {

namespace {

StmtP replaced(const StmtP &s, const ExprP &what, const ExprP &by) {
  return rewriteExprs(s, [&](const ExprP &e) { return sameTree(e, what) ? by : e; });
}

bool isRegister(const StmtP &s) {
  return s->kind == StmtKind::Declare && !s->extents.empty() && s->exprs.empty();
}

// Loops that hold no instances.
const Stmt *loadsIn(const StmtP &s) {
  bool areLoads = s->kind == StmtKind::Block && !s->isInstance() &&
                  std::all_of(s->body.begin(), s->body.end(),
                              [](const StmtP &b) { return b->kind == StmtKind::For; });
  return areLoads && !s->body.empty() ? s.get() : nullptr;
}

// if (condition) loads
const Stmt *askedLoads(const StmtP &s) {
  return s->kind == StmtKind::If && s->body.size() == 1 && !s->isSpeculated ? loadsIn(s->body[0])
                                                                            : nullptr;
}

// Says that the condition holds; whoever reads the kernel has to see to it.
StmtP claim(const ExprP &condition) {
  auto s = std::make_shared<Stmt>(*ifElse(condition, block({})));
  s->isSpeculated = true;
  return s;
}

// registers; [if (C(start))] loads(start); for (s = start; C(s); s += length) { barrier; stores;
// barrier; { next = C(s + length) ? s + length : s; loads(next) } … }
class Ahead {
public:
  Ahead(const std::vector<StmtP> &all, size_t at) : all(all), at(at) {}

  // The loop alone, with loads(s) at its beginning; where nobody asks for C(start), behind the
  // claim that it holds. Nothing where the statements are others.
  StmtP run(size_t &next) {
    size_t n = at;
    for (; n < all.size() && isRegister(all[n]); n++)
      registers.insert(all[n]->name);
    if (registers.size() != n - at || n + 1 >= all.size() || all[n + 1]->kind != StmtKind::For ||
        all[n + 1]->body[0]->kind != StmtKind::Block)
      return nullptr;
    bool isAsked = all[n]->kind == StmtKind::If;
    const Stmt *first = isAsked ? askedLoads(all[n]) : loadsIn(all[n]);
    const Loop &l = all[n + 1]->loop;
    const std::vector<StmtP> &body = all[n + 1]->body[0]->body;
    size_t barriers = 0, k = 0;
    for (; k < body.size() && barriers < 2; k++)
      barriers += body[k]->kind == StmtKind::Barrier;
    if (!first || barriers != 2 || k >= body.size() || l.stride || l.step < 1 ||
        first->body.size() != registers.size())
      return nullptr;
    ExprP here = var(l.counter, l.type),
          after = binary("+", here, intConst(l.step, l.type), l.type);
    auto holds = [&](const ExprP &value) {
      return rewrite(l.condition, [&](const ExprP &e) { return sameTree(e, here) ? value : e; });
    };
    StmtP loads =
        loadsOfNext(body[k], node(ExprKind::Select, {holds(after), after, here}, l.type), here);
    if (!loads || loads->body.size() != registers.size() ||
        !areSame(replaced(loads, here, l.start), block(first->body)) ||
        (isAsked && !sameTree(all[n]->exprs[0], holds(l.start))))
      return nullptr;
    // Nothing but the stores takes what is in the registers, and nothing that the loads depend on
    // changes on the way.
    for (size_t r = k + 1; r < body.size(); r++)
      if (usesRegisters(body[r]))
        return nullptr;
    for (size_t r = n + 2; r < all.size(); r++)
      if (usesRegisters(all[r]))
        return nullptr;
    std::map<std::string, Type> given = freeNames(loads);
    bool changes = false;
    walkStmts(all[n + 1]->body[0], [&](const StmtP &s) {
      const Expr *target = s->kind == StmtKind::Assign ? baseOf(s->exprs[0]) : nullptr;
      changes |= (s->kind == StmtKind::Assign && !target) ||
                 (target && given.count(target->name) && !registers.count(target->name));
      changes |= s->kind == StmtKind::Break || s->kind == StmtKind::Continue;
    });
    if (changes)
      return nullptr;
    std::vector<StmtP> inside;
    for (size_t r = 0; r < registers.size(); r++)
      inside.insert(inside.end(), {all[at + r], loads->body[r]});
    inside.insert(inside.end(), body.begin(), body.begin() + long(k));
    inside.insert(inside.end(), body.begin() + long(k) + 1, body.end());
    auto loop = std::make_shared<Stmt>(*all[n + 1]);
    loop->body = {block(inside)};
    next = n + 2;
    return isAsked ? StmtP(loop) : block({claim(holds(l.start)), loop});
  }

private:
  // { next = value; loads(next) } as loads(here); nothing where the statements are others.
  static StmtP loadsOfNext(const StmtP &s, const ExprP &value, const ExprP &here) {
    if (s->kind != StmtKind::Block || s->isInstance() || s->body.size() < 2)
      return nullptr;
    const Stmt &d = *s->body[0];
    if (d.kind != StmtKind::Declare || d.exprs.size() != 1 || !d.extents.empty() ||
        !(d.type == here->type) || !sameTree(d.exprs[0], value))
      return nullptr;
    StmtP loads = block({s->body.begin() + 1, s->body.end()});
    bool isPlain = loadsIn(loads) && !freeNames(loads).count(here->name);
    walkStmts(loads, [&](const StmtP &x) { // the name stands for one value
      isPlain &= !(x->kind == StmtKind::Declare && x->name == d.name) &&
                 !(x->kind == StmtKind::For && x->loop.counter == d.name);
      isPlain &= !(x->kind == StmtKind::Assign && baseOf(x->exprs[0]) &&
                   baseOf(x->exprs[0])->name == d.name);
    });
    return isPlain ? replaced(loads, var(d.name, d.type), here) : nullptr;
  }

  static bool areSame(const StmtP &a, const StmtP &b) { return print(a, 0) == print(b, 0); }

  bool usesRegisters(const StmtP &s) const {
    for (const auto &[name, type] : freeNames(s))
      if (registers.count(name))
        return true;
    return false;
  }

  const std::vector<StmtP> &all;
  size_t at;
  std::set<std::string> registers;
};

} // namespace

StmtP withoutPrefetch(const StmtP &s) {
  auto copy = std::make_shared<Stmt>(*s);
  if (s->isInstance())
    return copy;
  if (s->kind == StmtKind::Block) {
    std::vector<StmtP> all;
    for (size_t n = 0; n < s->body.size();) {
      size_t next = n + 1;
      StmtP loop = isRegister(s->body[n]) ? Ahead(s->body, n).run(next) : nullptr;
      all.push_back(loop ? loop : s->body[n]);
      n = next;
    }
    copy->body = all;
  }
  for (StmtP &b : copy->body)
    b = withoutPrefetch(b);
  return copy;
}

} // namespace nw
