// What copies touch of memory: elements that are there, at subscripts that fit. Which of them comes
// to which place is executed by the check 'staging'.
#include "ir/flat_subscript.h"
#include "ir/linear_tree.h"
#include "kernel/box_copy.h"
#include "kernel/window.h"
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

// A position of a box; of several neighbours that a thread takes at once, the first.
void KernelReader::bindPosition(const std::string &name, int64_t extent, int64_t step, Frame &f) {
  isl::pw_aff x = f.scope.addUnknown(name, fmt::format("{}@{}", name, unknowns++));
  f.executed =
      meet(f.executed, meet(x.ge_set(f.scope.constant(0)), x.lt_set(f.scope.constant(extent))));
  if (step == 1)
    return;
  isl::pw_aff rest =
      isl::manage(isl_pw_aff_mod_val(x.copy(), intVal(x.ctx(), long(step)).release()));
  f.executed = meet(f.executed, rest.eq_set(f.scope.constant(0)));
}

// Whether the sides are memory, a tile, or registers that copies alone have to do with, as many as
// a thread needs.
std::string KernelReader::wrongSides(const Stmt &s, const Frame &f) const {
  const Expr *target = baseOf(s.exprs[0]), *source = baseOf(s.exprs[1]);
  auto isTile = [&](const Expr *base) { return tiles.count(base->name) > 0; };
  const ExprP &side = s.exprs[s.exprs[0]->kind == ExprKind::Var ? 0 : 1];
  if (side->kind != ExprKind::Var)
    return (isTile(target) && bufferOf(source)) || (bufferOf(target) && isTile(source))
               ? ""
               : "moves other things than elements";
  const Expr *other = &*side == target ? source : target;
  if (&*side == target ? !bufferOf(other) : !isTile(other))
    return "moves other things than elements";
  auto local = f.locals.find(side->name);
  int64_t threads = int64_t(s.copy.threads[0]) * s.copy.threads[1];
  bool isWaiting = local != f.locals.end() && !local->second.isShared &&
                   local->second.copyOf.empty() && waiting.count(side->name) &&
                   !fixed.count(side->name) && !bufferOf(side.get()) &&
                   f.extents.at(side->name) == std::vector{positionsOf(s.extents) / threads};
  return isWaiting ? "" : "waits in other registers than its own";
}

// A place in a tile: sums and the like, which isl reads, under a swizzle perhaps.
void KernelReader::slotWidths(const ExprP &e, const Frame &f) {
  if (f.scope.value(e))
    return widths(e, f);
  bool isMask = e->kind == ExprKind::Binary && (e->name == "^" || e->name == "&");
  if (!isMask)
    return unread("a place in a copy cannot be read: " + print(e));
  for (const ExprP &a : e->args)
    slotWidths(a, f);
}

// exprs[0] = exprs[1] at each position of a box. Threads of the block make no difference to what is
// touched.
void KernelReader::copy(const Stmt &s, const Frame &outer) {
  auto refuse = [&](const std::string &wrong) {
    unread(fmt::format("the copy {} {}", s.name, wrong));
  };
  if (std::string wrong = wrongCopy(s); !wrong.empty())
    return refuse(wrong);
  if (s.copy.threads != std::array{kernel.block[0], kernel.block[1]} || kernel.block[2] != 1)
    return refuse("is not by the threads of the block");
  std::vector<std::string> names = namesOf(s);
  for (size_t n = 0; n < names.size(); n++) {
    bool isUsed = n >= s.extents.size() && mentions(std::make_shared<Stmt>(s), names[n]);
    if (isUsed || fixed.count(names[n]) || outer.locals.count(names[n]) ||
        outer.windows.count(names[n]) || outer.scope.value(var(names[n], s.type)))
      return refuse(fmt::format("hides {}", names[n]));
  }
  if (std::string wrong = wrongSides(s, outer); !wrong.empty())
    return refuse(wrong);
  Frame f = outer;
  f.executed = withoutUnknowns(f.executed, [](const std::string &unknown) {
    return !unknown.starts_with("thread.") && !unknown.starts_with("local.");
  });
  bool isLoad = s.exprs[0]->kind == ExprKind::Var;
  for (size_t d = 0; d < s.extents.size(); d++)
    bindPosition(s.copy.counters[d], s.extents[d],
                 isLoad && d + 1 == s.extents.size() ? s.copy.unit : 1, f);
  if (s.exprs.size() > 2) {
    std::optional<isl::set> isThere = f.scope.condition(s.exprs[2]);
    if (!isThere)
      return unread("a condition cannot be read: " + print(s.exprs[2]));
    widths(s.exprs[2], f);
    f.executed = meet(f.executed, *isThere);
  }
  for (const ExprP &side : {s.exprs[0], s.exprs[1]}) {
    std::vector<ExprP> subscripts;
    const Expr *base = elementOf(side, subscripts);
    if (bufferOf(base) && side == s.exprs[1])
      copiedIn(s, subscripts, f);
    else if (bufferOf(base))
      copiedBack(s, subscripts, f);
    for (const ExprP &e : subscripts)
      if (!bufferOf(base))
        slotWidths(e, f);
      else
        for (const ExprP &part : side == s.exprs[1] ? e->args : std::vector<ExprP>{e})
          widths(part, f);
  }
}

// Elements of a box that are loaded, a neighbour at a time or several at once.
void KernelReader::copiedIn(const Stmt &s, const std::vector<ExprP> &subscripts, const Frame &f) {
  Frame inner = f;
  std::vector<isl::pw_aff> first, at;
  for (const ExprP &e : subscripts) {
    std::optional<isl::pw_aff> v = f.scope.value(e);
    if (!v)
      return unread("a subscript of a copy cannot be read: " + print(e));
    first.push_back(*v);
  }
  at = first;
  if (s.copy.unit > 1) {
    std::vector<int64_t> extents(subscripts.size(), 1);
    extents.back() = s.copy.unit;
    Section section;
    section.loads = true;
    section.unit = s.copy.width;
    StmtP together = nw::window(s.name, s.exprs[1], extents, section, 0, block({}));
    std::string wrong = wrongWindow(*together);
    if (wrong.empty())
      wrong = wrongAlignment(*together, first, f);
    if (!wrong.empty())
      out.findings.push_back({"windows", fmt::format("{}: {} {}", kernel.name, s.name, wrong)});
    bindPosition("part@", s.copy.unit, 1, inner);
    at.back() = first.back().add(*inner.scope.value(var("part@", s.type)));
  }
  if (!loaded(baseOf(s.exprs[1])->name, at, inner.executed, inner))
    for (const ExprP &e : subscripts)
      widths(e, f);
}

// register = element
void KernelReader::load(const Stmt &s, const Frame &f) {
  std::vector<ExprP> subscripts;
  std::vector<isl::pw_aff> at;
  const Expr *base = elementOf(s.exprs[1], subscripts);
  if (!bufferOf(base))
    return unread(
        fmt::format("{} is loaded with something else than an element", print(s.exprs[0])));
  for (const ExprP &e : subscripts) {
    std::optional<isl::pw_aff> v = f.scope.value(e);
    if (!v)
      return unread("a subscript of a load cannot be read: " + print(e));
    widths(e, f);
    at.push_back(*v);
  }
  loaded(base->name, at, f.executed, f);
  understood.insert(&s);
}

// Elements that the points have computed in a tile.
void KernelReader::copiedBack(const Stmt &s, const std::vector<ExprP> &subscripts, const Frame &f) {
  const Expr *base = baseOf(s.exprs[0]);
  const std::string &tile = baseOf(s.exprs[1])->name;
  const KernelParameter *buffer = bufferOf(base);
  if (!tiles.count(tile) || buffer->isConst || buffer->extents.size() != subscripts.size() ||
      !isOnlyCopiedBack(kernel.body, base->name, tile))
    unread(fmt::format("{} is copied back from {}, and touched in another way", base->name, tile));
  for (const ExprP &e : subscripts)
    if (!f.scope.value(e))
      unread("a subscript of a copy cannot be read: " + print(e));
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
  auto [rest, number] = splitNumber(e);
  const ExprP &d = std::abs(number) < (1 << 20) ? rest : e;
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
        base && (tiles.count(base->name)
                     ? e->args[0]->type == e->args[1]->type && elementOf(e->args[0], position) &&
                           bufferOf(elementOf(e->args[1], element))
                 : f.kept.count(base->name)
                     ? isKeptElement(base->name, e->args[0], e->args[1], f)
                     : registers.count(base->name) && bufferOf(elementOf(e->args[1], element)));
    if (!is)
      unread(fmt::format("{} does not hold {}", print(e->args[0]), print(e->args[1])));
    for (const ExprP &at : position) {
      walk(at, [&](const ExprP &x) {
        if (x->kind == ExprKind::Index || x->kind == ExprKind::Member || x->kind == ExprKind::Call)
          unread("a place in a copy cannot be read: " + print(at));
        return true;
      });
      if (!isDistance(at))
        widths(at, f);
    }
    return e->args[1];
  });
}

// Whether elements have other places than registers in which they wait.
bool KernelReader::hasPlaces(const StmtP &body) const {
  bool has = false;
  walkExprs(body, [&](const ExprP &e) {
    return has |= e->kind == ExprKind::Staged && !(baseOf(e) && registers.count(baseOf(e)->name)),
           !has;
  });
  return has;
}

// Between instances, only assignments whose role is known.
void KernelReader::nothingElse(const StmtP &body) {
  if (!hasPlaces(body))
    return;
  std::function<void(const StmtP &)> look = [&](const StmtP &s) {
    if (s->isInstance())
      return;
    bool loads = false; // what a variable begins with
    for (const ExprP &e : s->exprs)
      if (s->kind == StmtKind::Declare)
        walk(e, [&](const ExprP &x) {
          return loads |= x->kind == ExprKind::Var && bufferOf(x.get()), !loads;
        });
    if (loads)
      unread(s->name + " begins with an element, outside of instances");
    if (s->kind == StmtKind::Assign && !understood.count(s.get()))
      unread(fmt::format("an assignment between instances that is not a copy: {}",
                         print(s->exprs[0])));
    for (const StmtP &b : s->body)
      look(b);
  };
  look(body);
}

} // namespace nw
