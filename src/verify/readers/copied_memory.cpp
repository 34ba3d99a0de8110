// What copies touch of memory: elements that are there, at subscripts that fit. Which of them comes
// to which place is executed by the check 'staging'.
#include "ir/flat_subscript.h"
#include "verify/readers/kernel_reader.h"
#include "verify/readers/unknowns.h"
#include <algorithm>
#include <fmt/format.h>

namespace nw {

const KernelParameter *KernelReader::bufferOf(const Expr *base) const {
  auto found = std::find_if(
      kernel.parameters.begin(), kernel.parameters.end(),
      [&](const KernelParameter &q) { return base && q.buffer >= 0 && q.name == base->name; });
  return found == kernel.parameters.end() ? nullptr : &*found;
}

// Outside of the copy, threads of the block make no difference; inside, its small numbers do, but
// only by their bounds.
void KernelReader::enterCopy(const StmtP &s, const Frame &outer) {
  CopyFrame f{outer, SmallNumbers(kernel.block)};
  auto isOfThreads = [](const std::string &unknown) {
    return unknown.starts_with("thread.") || unknown.starts_with("local.");
  };
  f.outer.executed =
      withoutUnknowns(f.outer.executed, [&](const std::string &x) { return !isOfThreads(x); });
  for (int d = 0; d < 3; d++) {
    const isl::pw_aff &lane = threads.at(std::string("local.") + "xyz"[d]);
    f.outer.executed =
        meet(f.outer.executed, meet(lane.ge_set(f.outer.scope.constant(0)),
                                    lane.lt_set(f.outer.scope.constant(kernel.block[size_t(d)]))));
  }
  copy(s, f);
}

// A variable that is one of the small numbers.
void KernelReader::bindSmall(const std::string &name, const Bounds &bounds, CopyFrame &f) {
  f.small.set(name, bounds);
  Frame &o = f.outer;
  isl::pw_aff x = o.scope.addUnknown(name, fmt::format("{}@{}", name, unknowns++));
  o.executed = meet(o.executed, meet(x.ge_set(o.scope.constant(bounds.low)),
                                     x.le_set(o.scope.constant(bounds.high))));
  if (bounds.step < 2)
    return;
  isl::val step = intVal(x.ctx(), long(bounds.step));
  isl::pw_aff rest = isl::manage(
      isl_pw_aff_mod_val(x.sub(o.scope.constant(bounds.low)).release(), step.release()));
  o.executed = meet(o.executed, rest.eq_set(o.scope.constant(0)));
}

void KernelReader::copy(const StmtP &s, CopyFrame &f) {
  switch (s->kind) {
  case StmtKind::Block: {
    CopyFrame inner = f;
    for (const StmtP &b : s->body)
      copy(b, inner);
    return;
  }
  case StmtKind::Declare: {
    for (const ExprP &e : s->exprs)
      copied(e, f);
    f.small.forget(s->name);
    std::optional<Bounds> bounds;
    if (s->exprs.size() == 1 && s->extents.empty() && isWide(s->type) && !assigned.count(s->name))
      bounds = f.small.of(s->exprs[0]);
    if (bounds)
      bindSmall(s->name, *bounds, f);
    else if (assigned.count(s->name))
      f.outer.scope.forget(s->name);
    else
      declareValue(*s, f.outer);
    return;
  }
  case StmtKind::If: {
    copied(s->exprs[0], f);
    std::optional<isl::set> c = f.outer.scope.condition(s->exprs[0]);
    if (!c)
      return unread("a condition cannot be read: " + print(s->exprs[0]));
    for (size_t n = 0; n < s->body.size(); n++) {
      CopyFrame inner = f;
      inner.outer.executed = meet(f.outer.executed, n == 0 ? *c : c->complement());
      copy(s->body[n], inner);
    }
    return;
  }
  case StmtKind::For: {
    CopyFrame inner = f;
    copied(s->loop.start, f);
    if (std::optional<Bounds> bounds = f.small.counterOf(s->loop);
        bounds && !s->loop.stride && isWide(s->loop.type)) {
      bindSmall(s->loop.counter, *bounds, inner);
    } else {
      inner.small.forget(s->loop.counter);
      if (!enterLoop(*s, inner.outer, PathItem::Loop, sites, unknowns, out.findings))
        return;
      copied(s->loop.condition, inner);
      ExprP next = binary("+", var(s->loop.counter, s->loop.type),
                          intConst(s->loop.step, s->loop.type), s->loop.type);
      widths(next, inner.outer);
    }
    copy(s->body[0], inner);
    return;
  }
  case StmtKind::Window:
    copiedSection(*s, f);
    return;
  default:
    move(*s, f);
  }
}

// target = value, an element or a register each.
void KernelReader::move(const Stmt &s, const CopyFrame &f) {
  std::vector<ExprP> subscripts;
  const Expr *base = elementOf(s.exprs[0], subscripts);
  if (!base || !(s.exprs[0]->type == s.exprs[1]->type))
    return unread("a copy that is none: " + print(s.exprs[0]));
  understood.insert(&s);
  copied(s.exprs[1], f);
  for (const ExprP &e : subscripts)
    copied(e, f);
  const KernelParameter *buffer = bufferOf(base);
  if (!buffer)
    return;
  const std::string &tile = baseOf(s.exprs[1])->name;
  if (buffer->isConst || buffer->extents.size() != subscripts.size() ||
      !isOnlyCopiedBack(kernel.body, base->name, tile))
    unread(fmt::format("{} is copied back from {}, and touched in another way", base->name, tile));
  for (const ExprP &e : subscripts)
    if (!f.outer.scope.value(e))
      unread("a subscript of a copy cannot be read: " + print(e));
}

// The elements of arrays in an expression, and its numbers.
void KernelReader::copied(const ExprP &e, const CopyFrame &f) {
  if (f.small.of(e))
    return;
  bool isElement = false;
  walk(e, [&](const ExprP &x) {
    std::vector<ExprP> subscripts;
    if (const Expr *base = x->kind == ExprKind::Index ? elementOf(x, subscripts) : nullptr) {
      isElement = true;
      bool isInside = bufferOf(base) && copiedElement(base->name, subscripts, f);
      for (const ExprP &s : subscripts)
        for (const ExprP &part : isInside ? s->args : std::vector<ExprP>{s})
          copied(part, f);
      return false;
    }
    if (x->kind == ExprKind::Var && bufferOf(x.get()))
      unread("a copy cannot be read: " + print(e));
    return true;
  });
  if (!isElement) // whose subscripts have been looked at
    widths(e, f.outer);
}

// Whether the subscripts are among those of the array, which fit.
bool KernelReader::copiedElement(const std::string &array, const std::vector<ExprP> &subscripts,
                                 const CopyFrame &f) {
  std::vector<isl::pw_aff> at;
  for (const ExprP &s : subscripts)
    if (std::optional<isl::pw_aff> v = f.outer.scope.value(s))
      at.push_back(*v);
    else {
      unread("a subscript of a copy cannot be read: " + print(s));
      return false;
    }
  return loaded(array, at, f.outer.executed, f.outer);
}

// Neighbours that are loaded at once.
void KernelReader::copiedSection(const Stmt &s, const CopyFrame &given) {
  const Frame &f = given.outer;
  auto refuse = [&](const std::string &what) {
    out.findings.push_back({"windows", fmt::format("{}: {} {}", kernel.name, s.name, what)});
  };
  if (std::string wrong = wrongWindow(s); !wrong.empty())
    return refuse(wrong);
  std::vector<ExprP> subscripts;
  const Expr *base = elementOf(s.exprs[0], subscripts);
  std::vector<isl::pw_aff> first, at;
  isl::set when = f.executed;
  AffineScope scope = f.scope;
  for (size_t d = 0; d < subscripts.size(); d++) {
    copied(subscripts[d], given);
    std::optional<isl::pw_aff> v = scope.value(subscripts[d]);
    if (!v)
      return refuse("begins at an unknown element: " + print(subscripts[d]));
    first.push_back(*v);
    at.push_back(*v);
    if (s.extents[d] == 1)
      continue;
    isl::pw_aff x = scope.addUnknown("part@", fmt::format("part@{}", unknowns++));
    when = meet(when, meet(x.ge_set(scope.constant(0)), x.lt_set(scope.constant(s.extents[d]))));
    at.back() = v->add(x);
  }
  if (std::string wrong = wrongAlignment(s, first, f); !wrong.empty())
    refuse(wrong);
  loaded(base->name, at, when, f);
  CopyFrame inner = given;
  copy(s.body[0], inner);
}

// The elements of an array that the region touches, without names.
const KernelReader::Touched &KernelReader::touchedOf(const std::string &array) {
  auto [at, isNew] = touched.try_emplace(array);
  Touched &t = at->second;
  if (!isNew)
    return t;
  for (const Statement &s : p.statements)
    for (const Access &a : s.accesses)
      if (a.array == array &&
          (a.isCertain ||
           !p.region.isOnDevice)) { // elsewhere the host has copied what might be touched
        isl::set range = unnamed(a.relation.range()).intersect_params(out.context);
        t.elements = t.elements.is_null() ? range : t.elements.unite(range);
      }
  if (t.elements.is_null())
    return t;
  isl::set first = t.elements, last = t.elements;
  isl::space space = t.elements.get_space();
  for (int d = 0; d < dimsOf(t.elements); d++) {
    t.low.push_back(isl::manage(isl_set_dim_min(t.elements.copy(), d)));
    t.high.push_back(isl::manage(isl_set_dim_max(t.elements.copy(), d)));
    for (auto [corner, value] :
         {std::pair(&first, &t.low.back()), std::pair(&last, &t.high.back())})
      *corner = meet(*corner, dimensionOn(space, d).eq_set(lifted(*value, space)));
  }
  isl::set any = onlyParams(t.elements);
  for (const std::vector<isl::pw_aff> *ends : {&t.low, &t.high})
    for (const isl::pw_aff &end : *ends)
      t.doFit &= fits(end, kI32, any);
  t.hasCorners = any.is_subset(onlyParams(first)) && any.is_subset(onlyParams(last));
  return t;
}

isl::pw_aff KernelReader::lifted(const isl::pw_aff &value, const isl::space &space) {
  isl_space *target =
      isl_space_align_params(space.copy(), isl_pw_aff_get_domain_space(value.get()));
  return isl::manage(isl_pw_aff_insert_domain(value.copy(), target));
}

// What is copied is memory of the array: elements that are touched; or it lies in the box of all
// elements that the region touches, whose first and last are among them; or it lies in rows between
// those that are touched, which are there as a whole.
bool KernelReader::loaded(const std::string &array, const std::vector<isl::pw_aff> &at,
                          const isl::set &when, const Frame &f) {
  const KernelParameter *buffer = bufferOf(var(array, kI32).get());
  const Touched &t = touchedOf(array);
  bool isKnown = !t.elements.is_null() && dimsOf(t.elements) == int(at.size());
  if (!buffer->isConst || buffer->extents.size() != at.size())
    unread(array + " is copied, and may be written");
  if (!isKnown) {
    unread("the elements of " + array + " that exist are not known");
    return false;
  }
  isl::space space = t.elements.get_space();
  isl::set copied = isl::set::universe(space).intersect_params(when);
  for (int d = 0; d < int(at.size()); d++)
    copied = meet(copied, dimensionOn(space, d).eq_set(lifted(at[size_t(d)], space)));
  if (copied.is_subset(t.elements))
    return t.doFit;
  bool inRows = true;
  const Array &shape = p.arrays.at(array);
  for (size_t d = 0; d < at.size(); d++) {
    isl::set inside = meet(at[d].ge_set(t.low[d]), at[d].le_set(t.high[d]));
    bool isDeclared = d < shape.extents.size() && shape.flatSizes.empty() &&
                      !isDelinearized(shape) && shape.extents[d];
    std::optional<isl::pw_aff> extent =
        d > 0 && isDeclared ? f.scope.value(shape.extents[d]) : std::nullopt;
    inRows &=
        d == 0 ||
        (extent && when.is_subset(meet(at[d].ge_set(f.scope.constant(0)), at[d].lt_set(*extent))));
    if (!when.is_subset(inside))
      out.findings.push_back(
          {"bounds", fmt::format("{}: a copy of {} reaches beyond its elements: {}", kernel.name,
                                 array, inShort(when.subtract(inside)))});
  }
  if (!inRows && !t.hasCorners)
    out.findings.push_back(
        {"bounds", fmt::format("{}: the elements of {} are not a box", kernel.name, array)});
  return t.doFit;
}

// The distance of two variables, perhaps with a number: a place in a copy, which is small where the
// block was executed. So the distance itself fits.
static bool isDistance(const ExprP &e) {
  bool hasNumber = e->kind == ExprKind::Binary && (e->name == "+" || e->name == "-") &&
                   e->args[1]->kind == ExprKind::Int && std::abs(e->args[1]->integer) < (1 << 20);
  const ExprP &d = hasNumber ? e->args[0] : e;
  auto isVariable = [](const ExprP &x) { return withoutWideCasts(x)->kind == ExprKind::Var; };
  return isVariable(d) || (d->kind == ExprKind::Binary && d->name == "-" &&
                           isVariable(d->args[0]) && isVariable(d->args[1]));
}

// The instance with elements in place of copies and registers. What a copy holds is a matter of
// 'staging'.
StmtP KernelReader::unstaged(const StmtP &code, const Frame &f) {
  return rewriteExprs(code, [&](const ExprP &e) -> ExprP {
    if (e->kind != ExprKind::Staged)
      return e;
    const Expr *base = baseOf(e);
    std::vector<ExprP> position, element;
    bool is =
        base &&
        (copies.tiles.count(base->name)
             ? e->args[0]->type == e->args[1]->type && elementOf(e->args[0], position) &&
                   bufferOf(elementOf(e->args[1], element))
             : f.kept.count(base->name) && isKeptElement(base->name, e->args[0], e->args[1], f));
    if (!is)
      unread(fmt::format("{} does not hold {}", print(e->args[0]), print(e->args[1])));
    for (const ExprP &at : position)
      if (!isDistance(at))
        widths(at, f);
    return e->args[1];
  });
}

// Between instances, only assignments whose role is known.
void KernelReader::nothingElse(const StmtP &body) {
  bool isTiled = false;
  walkExprs(body, [&](const ExprP &e) {
    isTiled |= e->kind == ExprKind::Staged;
    return !isTiled;
  });
  if (!isTiled)
    return;
  std::function<void(const StmtP &)> look = [&](const StmtP &s) {
    if (s->isInstance())
      return;
    if (s->kind == StmtKind::Assign && !understood.count(s.get()))
      unread(fmt::format("an assignment between instances that is not a copy: {}",
                         print(s->exprs[0])));
    for (const StmtP &b : s->body)
      look(b);
  };
  look(body);
}

} // namespace nw
