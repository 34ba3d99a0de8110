// Values of a thread's own.
#include "frontend/cuda/own_values.h"
#include "support/diagnostics.h"
#include <algorithm>
#include <fmt/format.h>

namespace nw {

int mentionsOf(const StmtP &code, const std::string &name) {
  int many = 0;
  walkExprs(code, [&](const ExprP &e) {
    many += e->kind == ExprKind::Var && e->name == name;
    return true;
  });
  return many;
}

namespace {

// Whether a break leaves the loop whose body this is.
bool isLeft(const StmtP &s) {
  if (s->kind == StmtKind::For || s->kind == StmtKind::While || s->kind == StmtKind::DoWhile)
    return false;
  return s->kind == StmtKind::Break || std::any_of(s->body.begin(), s->body.end(), isLeft);
}

// A variable that each thread has for itself.
bool isOwn(const std::string &name, const std::map<std::string, Variable> &variables) {
  auto found = variables.find(name);
  return found != variables.end() && !found->second.isPointer &&
         (found->second.storage == Storage::Local || found->second.storage == Storage::Parameter);
}

// Whether the variable may be read, or set in part, before it is set; afterwards, `isSet` tells
// whether it is in every case.
bool isReadBeforeSet(const StmtP &s, const std::string &name, bool &isSet) {
  if (isSet)
    return false;
  if (s->kind == StmtKind::Assign) {
    bool isWhole = s->exprs[0]->kind == ExprKind::Var && s->exprs[0]->name == name;
    isSet = isWhole && !mentions(s->exprs[1], name);
    return isWhole ? !isSet : mentions(s->exprs[0], name) || mentions(s->exprs[1], name);
  }
  if (std::any_of(s->exprs.begin(), s->exprs.end(),
                  [&](const ExprP &e) { return e && mentions(e, name); }))
    return true;
  if (s->kind == StmtKind::For)
    for (const ExprP &e : {s->loop.start, s->loop.condition, s->loop.stride})
      if (e && mentions(e, name))
        return true;
  if (s->kind == StmtKind::Block)
    return std::any_of(s->body.begin(), s->body.end(),
                       [&](const StmtP &b) { return isReadBeforeSet(b, name, isSet); });
  bool isInAll = s->kind == StmtKind::If && s->body.size() == 2;
  for (const StmtP &b : s->body) {
    bool isSetThere = false;
    if (isReadBeforeSet(b, name, isSetThere))
      return true;
    isInAll &= isSetThere;
  }
  isSet = isInAll;
  return false;
}

StmtP declaredInLoop(const StmtP &s, const StmtP &declaration) {
  auto copy = std::make_shared<Stmt>(*s);
  if (s->kind == StmtKind::For && mentionsOf(s, declaration->name))
    copy->body[0] = block({declaration, s->body[0]});
  else
    for (StmtP &b : copy->body)
      b = declaredInLoop(b, declaration);
  return copy;
}

} // namespace

std::set<std::string> setAnew(const StmtP &loop, const StmtP &kernel,
                              const std::map<std::string, Variable> &variables) {
  if (isLeft(loop->body[0]))
    throw Diagnostic{
        "NW0110", Severity::Remark, loop->at,
        "this grid-stride loop has a break, which ends only the iterations of one thread",
        "use a condition instead of break"};
  std::set<std::string> set, declared, anew; // declared: in the loop, so that they begin anew
  walkStmts(loop, [&](const StmtP &s) {
    if (s->kind == StmtKind::Declare)
      declared.insert(s->name);
    if (s->kind == StmtKind::Assign)
      if (const Expr *base = baseOf(s->exprs[0]); base && isOwn(base->name, variables))
        set.insert(base->name);
  });
  for (const std::string &name : set) {
    if (declared.count(name))
      continue;
    if (bool isSet = false; mentionsOf(kernel, name) != mentionsOf(loop, name) ||
                            isReadBeforeSet(loop->body[0], name, isSet))
      throw Diagnostic{"NW0110", Severity::Remark, loop->at,
                       fmt::format("in this grid-stride loop, '{}' may carry a value from one "
                                   "iteration of a thread to the next, or out of the loop",
                                   name),
                       "let each thread reduce over all values, or give each thread one element"};
    anew.insert(name);
  }
  return anew;
}

StmtP declaredAnew(const StmtP &code, const std::set<std::string> &names) {
  auto copy = std::make_shared<Stmt>(*code);
  for (StmtP &b : copy->body)
    b = declaredAnew(b, names);
  for (size_t k = 0; code->kind == StmtKind::Block && k < copy->body.size(); k++)
    if (StmtP d = copy->body[k];
        d->kind == StmtKind::Declare && d->exprs.empty() && names.count(d->name)) {
      copy->body[k] = block({});
      for (StmtP &b : copy->body)
        b = declaredInLoop(b, d);
    }
  return copy;
}

} // namespace nw
