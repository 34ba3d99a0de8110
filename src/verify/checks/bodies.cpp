// Code of instances against the source.
#include "verify/checks/bodies.h"
#include "verify/readers/reduction_parts.h"
#include <cmath>
#include <fmt/format.h>

namespace nw {

namespace {

class BodyMatch {
public:
  BodyMatch(const Program &p, const SchedulePosition &position)
      : p(p), position(position), statement(*p.find(position.statement)) {
    for (const StmtP &s : position.code->body)
      if (s->kind == StmtKind::Declare && s->exprs.size() == 1)
        declared[s->name] = s->exprs[0];
  }

  std::optional<std::string> run() {
    const std::vector<StmtP> &code = position.code->body;
    if (position.code->values.size() != statement.loops.size())
      return "it has another number of iterators";
    for (size_t k = 0; k + 1 < code.size(); k++)
      if (code[k]->kind != StmtKind::Declare || !isOfIterator(*code[k]))
        return "there is code before the statement";
    if (code.empty() || !same(code.back(), statement.body))
      return where.empty() ? "its code differs" : where;
    return std::nullopt;
  }

private:
  bool differ(const std::string &what) {
    if (where.empty())
      where = what;
    return false;
  }

  bool same(const StmtP &kernel, const StmtP &source) {
    if (kernel->kind != source->kind || kernel->name != source->name ||
        !(kernel->type == source->type) || kernel->extents != source->extents ||
        kernel->body.size() != source->body.size() || kernel->exprs.size() != source->exprs.size())
      return differ("one of its statements differs");
    for (size_t k = 0; k < kernel->exprs.size(); k++)
      if (!same(kernel->exprs[k], source->exprs[k]))
        return differ(
            fmt::format("{} stands for {}", print(kernel->exprs[k]), print(source->exprs[k])));
    if (kernel->kind == StmtKind::For) {
      const Loop &a = kernel->loop, &b = source->loop;
      if (a.counter != b.counter || !(a.type == b.type) || a.step != b.step ||
          bool(a.stride) != bool(b.stride) || !same(a.start, b.start) ||
          !same(a.condition, b.condition) || (a.stride && !same(a.stride, b.stride)))
        return differ(fmt::format("the loop over {} differs", a.counter));
    }
    for (size_t k = 0; k < kernel->body.size(); k++)
      if (!same(kernel->body[k], source->body[k]))
        return false;
    return true;
  }

  // A declaration in front: the value of a counter, under a name that nothing else here has.
  bool isOfIterator(const Stmt &d) const {
    bool is = false;
    for (size_t k = 0; k < position.code->values.size(); k++) {
      const Type &type = p.loop(statement.loops[k]).type;
      is |= d.exprs.size() == 1 && d.extents.empty() && d.type == type &&
            sameTree(d.exprs[0], cast(position.code->values[k], type));
      if (mentions(position.code->values[k], d.name))
        return false;
    }
    return is;
  }

  // A counter of the source: the instance's value, in the counter's type.
  bool isIterator(const ExprP &kernel, size_t k) {
    const ExprP &value = position.code->values[k];
    const Type &type = p.loop(statement.loops[k]).type;
    if (kernel->kind == ExprKind::Int)
      return value->kind == ExprKind::Int && kernel->integer == value->integer &&
             kernel->type == type;
    if (kernel->kind == ExprKind::Var && kernel->type == type)
      if (auto d = declared.find(kernel->name); d != declared.end())
        return sameTree(d->second, cast(value, type));
    return sameTree(kernel, cast(value, type));
  }

  bool same(const ExprP &kernel, const ExprP &source) {
    if (source->kind == ExprKind::Var)
      for (size_t k = 0; k < statement.loops.size(); k++)
        if (p.loop(statement.loops[k]).counter == source->name)
          return isIterator(kernel, k);
    if (statement.reduction && sameTree(source, statement.reduction->target) &&
        kernel->kind == ExprKind::Var && position.locals.count(kernel->name) &&
        isPartial(kernel->name))
      return kernel->type == source->type ||
             sameTree(kernel, source); // the partial result of a reduction
    if (statement.reduction && sameTree(source, statement.reduction->target) &&
        kernel->kind == ExprKind::Index && kernel->args[0]->kind == ExprKind::Var &&
        position.locals.count(kernel->args[0]->name) &&
        isColumnSum(*position.kernel, kernel->args[0]->name))
      return kernel->type == source->type; // the sum of a column
    if (source->kind == ExprKind::Var && kernel->kind == ExprKind::Index &&
        isExpanded(kernel, source))
      return true;
    if (kernel->kind == ExprKind::Var && declared.count(kernel->name))
      return false; // hidden by a declaration in front
    if (source->kind == ExprKind::Select && isKnownBranch(kernel, source))
      return true;
    if (kernel->kind != source->kind || kernel->name != source->name ||
        !(kernel->type == source->type) || kernel->integer != source->integer ||
        kernel->args.size() != source->args.size() ||
        !((kernel->number == source->number &&
           std::signbit(kernel->number) == std::signbit(source->number)) ||
          (std::isnan(kernel->number) && std::isnan(source->number))))
      return false;
    for (size_t k = 0; k < kernel->args.size(); k++)
      if (!same(kernel->args[k], source->args[k]) &&
          !(kernel->kind == ExprKind::Index && k == 1 &&
            isSameSubscript(kernel->args[1], source->args[1])))
        return false;
    return true;
  }

  // What the names stand for in the source's statement, at this instance.
  AffineScope sourceScope() const {
    AffineScope scope = *position.host;
    for (size_t k = 0; k < statement.loops.size(); k++)
      scope.bind(p.loop(statement.loops[k]).counter, position.values[k]);
    forgetOwn(statement.body, scope);
    return scope;
  }

  // Variables of the body's own have no value that is known here.
  static void forgetOwn(const StmtP &body, AffineScope &scope) {
    walkStmts(body, [&](const StmtP &s) {
      if (s->kind == StmtKind::Declare)
        scope.forget(s->name);
      if (s->kind == StmtKind::For)
        scope.forget(s->loop.counter);
      if (s->kind == StmtKind::Assign && s->exprs[0]->kind == ExprKind::Var)
        scope.forget(s->exprs[0]->name);
    });
  }

  // The same element, said in another way: an element of a window is its first one and some more.
  bool isSameSubscript(const ExprP &kernel, const ExprP &source) const {
    AffineScope inside = *position.inside;
    forgetOwn(position.code, inside);
    std::optional<isl::pw_aff> a = inside.value(kernel), b = sourceScope().value(source);
    return a && b && position.executed.is_subset(a->eq_set(*b));
  }

  // One branch of c ? a : b, where c is known for all of the instances here.
  bool isKnownBranch(const ExprP &kernel, const ExprP &source) {
    if (kernel->kind == ExprKind::Select && kernel->type == source->type &&
        same(kernel->args[0], source->args[0]))
      return false; // it is still there
    std::optional<isl::set> when = sourceScope().condition(source->args[0]);
    if (!when)
      return false;
    bool isTrue = position.executed.is_subset(*when),
         isFalse = position.executed.is_disjoint(*when);
    if (!isTrue && !isFalse)
      return false;
    const ExprP &branch = source->args[isTrue ? 1 : 2];
    if (branch->type == source->type)
      return same(kernel, branch);
    return kernel->kind == ExprKind::Cast && kernel->type == source->type &&
           same(kernel->args[0], branch);
  }

  // The partial result of a reduction begins with a constant and is reduced.
  bool isPartial(const std::string &name) const {
    bool isReduced = false, isConstant = true;
    walkStmts(position.kernel->body, [&](const StmtP &s) {
      isReduced |= s->kind == StmtKind::Reduce && s->name == name;
      if (s->kind == StmtKind::Declare && s->name == name)
        isConstant &= s->exprs.size() == 1 &&
                      (s->exprs[0]->kind == ExprKind::Int || s->exprs[0]->kind == ExprKind::Float);
    });
    return isReduced && isConstant;
  }

  // A private variable that lives in memory, one element for each iteration. Which element is a
  // matter of the samples.
  bool isExpanded(const ExprP &kernel, const ExprP &source) {
    auto a = p.arrays.find(source->name);
    return a != p.arrays.end() && a->second.kind == ArrayKind::Private &&
           kernel->args[0]->kind == ExprKind::Var && kernel->args[0]->name == source->name &&
           !position.locals.count(source->name);
  }

  const Program &p;
  const SchedulePosition &position;
  const Statement &statement;
  std::map<std::string, ExprP> declared;
  std::string where;
};

} // namespace

std::optional<std::string> bodyDifference(const Program &p, const SchedulePosition &position) {
  if (!p.find(position.statement))
    return "there is no such statement";
  return BodyMatch(p, position).run();
}

} // namespace nw
