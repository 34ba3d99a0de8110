// Elements in registers.
#include "kernel/keep.h"
#include <algorithm>

namespace nw {

StmtP keepStmt(ExprP guard, std::vector<ExprP> elements, StmtP loop) {
  auto s = std::make_shared<Stmt>(*marker(StmtKind::Keep));
  s->exprs = {std::move(guard)};
  s->exprs.insert(s->exprs.end(), elements.begin(), elements.end());
  s->body = {std::move(loop)};
  return s;
}

std::vector<ExprP> keptElements(const Stmt &keep) {
  return {keep.exprs.begin() + 1, keep.exprs.end()};
}

std::string wrongKeep(const Stmt &keep) {
  if (keep.exprs.size() < 2 || keep.body.size() != 1 || keep.body[0]->kind != StmtKind::For)
    return "without a loop or an element";
  int many = 0;
  walkStmts(keep.body[0], [&](const StmtP &s) { many += s->kind == StmtKind::Keep; });
  if (many > 0)
    return "inside of registers";
  for (const ExprP &e : keptElements(keep))
    if ((e->kind != ExprKind::Index && e->kind != ExprKind::Member) || !baseOf(e) ||
        e->type.isStruct())
      return "for what is no element";
  return "";
}

ExprP whetherItRuns(const Loop &loop) {
  return rewrite(loop.condition,
                 [&](const ExprP &e) { return isVar(e, loop.counter) ? loop.start : e; });
}

std::vector<ExprP> conjunctsOf(const ExprP &condition) {
  if (condition->kind != ExprKind::Binary || condition->name != "&&")
    return {condition};
  std::vector<ExprP> all = conjunctsOf(condition->args[0]), more = conjunctsOf(condition->args[1]);
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

namespace {

bool isAlwaysTrue(const ExprP &e) { return e->kind == ExprKind::Int && e->integer != 0; }

// The code with each Keep as `expand` has it; the same nodes where there are none.
StmtP replaced(const StmtP &code, const std::function<StmtP(const Stmt &)> &expand) {
  if (code->kind == StmtKind::Keep)
    return wrongKeep(*code).empty() ? expand(*code) : code;
  std::shared_ptr<Stmt> changed;
  for (size_t k = 0; k < code->body.size(); k++)
    if (StmtP b = replaced(code->body[k], expand); b != code->body[k]) {
      if (!changed)
        changed = std::make_shared<Stmt>(*code);
      changed->body[k] = b;
    }
  return changed ? StmtP(changed) : code;
}

// A_kept, or with a number behind it; it is taken from now on.
std::string newName(const std::string &array, std::set<std::string> &taken) {
  std::string stem = array + "_kept", name = stem;
  for (int number = 1; !taken.insert(name).second; number++)
    name = stem + std::to_string(number);
  return name;
}

StmtP withRegisters(const Stmt &keep, std::set<std::string> &taken) {
  std::vector<StmtP> all, stores;
  StmtP loop = keep.body[0];
  for (const ExprP &element : keptElements(keep)) {
    std::string name = newName(baseOf(element)->name, taken);
    ExprP kept = var(name, element->type);
    loop = rewriteExprs(loop, [&](const ExprP &e) { return sameTree(e, element) ? kept : e; });
    all.push_back(declare(name, element->type, {}, {element}));
    stores.push_back(assign(element, kept));
  }
  all.push_back(loop);
  all.insert(all.end(), stores.begin(), stores.end());
  return isAlwaysTrue(keep.exprs[0]) ? block(all) : ifElse(keep.exprs[0], block(all));
}

// The loop, where it is not the loop's own question whether it runs.
StmtP plainLoop(const Stmt &keep) {
  ExprP runs = whetherItRuns(keep.body[0]->loop), asked;
  for (const ExprP &one : conjunctsOf(keep.exprs[0]))
    if (!isAlwaysTrue(one) && !sameTree(one, runs))
      asked = asked ? binary("&&", asked, one, one->type) : one;
  return asked ? ifElse(asked, keep.body[0]) : keep.body[0];
}

} // namespace

StmtP withKeptRegisters(const StmtP &code, std::set<std::string> taken) {
  walkExprs(code, [&](const ExprP &e) {
    if (e->kind == ExprKind::Var)
      taken.insert(e->name);
    return true;
  });
  walkStmts(code, [&](const StmtP &s) {
    taken.insert(s->kind == StmtKind::For ? s->loop.counter : s->name);
  });
  return replaced(code, [&](const Stmt &keep) { return withRegisters(keep, taken); });
}

Kernel withKeptRegisters(Kernel kernel) {
  std::set<std::string> taken;
  for (const KernelParameter &q : kernel.parameters)
    taken.insert(q.name);
  kernel.body = withKeptRegisters(kernel.body, taken);
  return kernel;
}

StmtP withoutKeeps(const StmtP &code) { return replaced(code, plainLoop); }

} // namespace nw
