// Points of tiles: variables of a thread that have an element for each of its points, elements of
// arrays that wait in registers, and code that runs for points that are none.
// Over 500 lines: one form, read as a whole. It goes with that form (docs/roadmap.md).
#include "verify/readers/kernel_reader.h"
#include "verify/readers/unknowns.h"
#include <algorithm>
#include <fmt/format.h>

namespace nw {

bool areAlike(const std::vector<PointDimension> &a, const std::vector<PointDimension> &b);

namespace {

bool isLocalId(const ExprP &e) {
  return e->kind == ExprKind::Builtin && e->name.starts_with("local.");
}

bool isOneOfTile(const Stmt &d) {
  bool usesLane = false;
  if (d.kind == StmtKind::Declare && d.exprs.size() == 1 && d.extents.empty() && isWide(d.type))
    walk(d.exprs[0], [&](const ExprP &e) {
      usesLane |= isLocalId(e);
      return !usesLane;
    });
  return usesLane;
}

bool areAlike(const PointLoops &a, const PointLoops &b) {
  return areAlike(a.dimensions, b.dimensions) && bool(a.guard) == bool(b.guard) &&
         (!a.guard || sameTree(a.guard, b.guard));
}

isl::set withoutUnknown(const isl::set &s, const isl::pw_aff &unknown) {
  isl::set out = s;
  for (const std::string &name : paramNames(unknown.domain().get_space())) {
    int at = isl_set_find_dim_by_name(out.get(), isl_dim_param, name.c_str());
    if (at >= 0)
      out = isl::manage(isl_set_project_out(out.release(), isl_dim_param, at, 1));
  }
  return out;
}

// A number made of the lane, the counter and constants; apart from ir/linear_tree.h on purpose.
std::optional<int64_t> position(const ExprP &e, int64_t lane, const std::string &counter,
                                int64_t point) {
  switch (e->kind) {
  case ExprKind::Int:
    return e->integer;
  case ExprKind::Cast:
    return isWide(e->type) ? position(e->args[0], lane, counter, point) : std::nullopt;
  case ExprKind::Var:
    return e->name == counter ? std::optional(point) : std::nullopt;
  case ExprKind::Builtin:
    return isLocalId(e) ? std::optional(lane) : std::nullopt;
  case ExprKind::Binary:
    break;
  default:
    return std::nullopt;
  }
  std::optional<int64_t> a = position(e->args[0], lane, counter, point),
                         b = position(e->args[1], lane, counter, point);
  if (!a || !b)
    return std::nullopt;
  if (e->name == "+")
    return *a + *b;
  if (e->name == "*")
    return *a * *b;
  if (e->name == "/" && *b > 0)
    return *a / *b;
  return e->name == "%" && *b > 0 ? std::optional(*a % *b) : std::nullopt;
}

// The terms of a sum.
void terms(const ExprP &e, std::vector<ExprP> &out) {
  if (e->kind == ExprKind::Binary && e->name == "+") {
    terms(e->args[0], out);
    terms(e->args[1], out);
  } else
    out.push_back(e);
}

} // namespace

bool areAlike(const std::vector<PointDimension> &a, const std::vector<PointDimension> &b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const PointDimension &x, const PointDimension &y) {
                      return x.counter == y.counter && x.many == y.many && x.name == y.name &&
                             x.type == y.type && sameTree(x.value, y.value);
                    });
}

// for (counter = 0; counter < many; counter++) { value = …; rest }, or { value = …; rest } with one
// point alone.
std::optional<PointDimension> pointDimension(const StmtP &s) {
  PointDimension out;
  const Stmt *body = s.get();
  if (s->kind == StmtKind::For) {
    const Loop &l = s->loop;
    const ExprP &c = l.condition;
    if (l.stride || l.step != 1 || l.start->kind != ExprKind::Int || l.start->integer != 0 ||
        c->kind != ExprKind::Binary || c->name != "<" || c->args[0]->kind != ExprKind::Var ||
        c->args[0]->name != l.counter || c->args[1]->kind != ExprKind::Int || !isWide(l.type))
      return std::nullopt;
    out.counter = l.counter;
    out.many = c->args[1]->integer;
    body = s->body[0].get();
  }
  if (body->kind != StmtKind::Block || body->isInstance() || body->body.empty() ||
      !isOneOfTile(*body->body[0]))
    return std::nullopt;
  out.name = body->body[0]->name;
  out.value = body->body[0]->exprs[0];
  out.type = body->body[0]->type;
  return out;
}

// What is inside of a dimension's loop, after the declaration.
StmtP insideOf(const StmtP &s) {
  const StmtP &body = s->kind == StmtKind::For ? s->body[0] : s;
  return block({body->body.begin() + 1, body->body.end()});
}

// The dimensions around an assignment.
static std::optional<PointLoops> pointLoops(StmtP s) {
  PointLoops out;
  auto open = [&] {
    while (s->kind == StmtKind::Block && !s->isInstance() && s->body.size() == 1)
      s = s->body[0];
  };
  for (open(); std::optional<PointDimension> d = pointDimension(s); open()) {
    out.dimensions.push_back(*d);
    s = insideOf(s);
  }
  if (s->kind == StmtKind::If && s->body.size() == 1 && !s->isSpeculated) {
    out.guard = s->exprs[0];
    s = s->body[0];
    open();
  }
  out.code = s;
  return s->kind == StmtKind::Assign && !out.dimensions.empty() ? std::optional(out) : std::nullopt;
}

// Enters a dimension of the tile. The positions in the tile are enumerated; from here on the value
// is an unknown of its own between the tile's first and last, a thread for each: what one thread
// does in order is taken for parallel, which asks for more.
bool KernelReader::enterPoint(const PointDimension &point, Frame &f) {
  std::vector<ExprP> parts, own;
  terms(point.value, parts);
  ExprP first;
  std::string axis;
  for (const ExprP &e : parts) {
    bool isPosition = false;
    walk(e, [&](const ExprP &x) {
      isPosition |= isLocalId(x) || (x->kind == ExprKind::Var && x->name == point.counter);
      if (isLocalId(x) && !axis.empty() && axis != x->name.substr(6))
        axis = "?";
      else if (isLocalId(x))
        axis = x->name.substr(6);
      return true;
    });
    if (isPosition)
      own.push_back(e);
    else if (first)
      return false;
    else
      first = e;
  }
  int d = axis == "x" ? 0 : axis == "y" ? 1 : -1;
  std::optional<isl::pw_aff> low = first ? f.scope.value(first) : std::nullopt;
  if (d < 0 || !low || f.consumed.count("thread." + axis) || f.guarded.count("thread." + axis) ||
      f.guarded.count("local." + axis))
    return false;
  int64_t size = kernel.block[size_t(d)] * point.many;
  std::vector<bool> taken(static_cast<size_t>(size), false);
  for (int64_t lane = 0; lane < kernel.block[size_t(d)]; lane++)
    for (int64_t k = 0; k < point.many; k++) {
      int64_t at = 0;
      for (const ExprP &e : own) {
        std::optional<int64_t> v = position(e, lane, point.counter, k);
        if (!v)
          return false;
        at += *v;
      }
      if (at < 0 || at >= size || taken[size_t(at)])
        return false;
      taken[size_t(at)] = true;
    }
  // Tiles of different blocks lie side by side, or reach back into others, and then each point has
  // one block that it belongs to.
  const isl::pw_aff &inGrid = threads.at("block." + axis), &thread = threads.at("thread." + axis),
                    &lane = threads.at("local." + axis);
  isl::pw_aff apart =
      isl::manage(isl_pw_aff_scale_val(inGrid.copy(), intVal(inGrid.ctx(), long(size)).release()));
  std::string unknown = fmt::format("start@{}", unknowns++);
  isl::pw_aff begin = AffineScope(f.scope).addUnknown("start", unknown);
  isl::set starts = begin.eq_set(low->sub(apart));
  bool isMoved = dependsOn(starts, {"block."});
  if (isMoved) // where the first block begins
    starts = withoutUnknown(
        meet(meet(starts, withoutUnknowns(f.executed)), inGrid.eq_set(f.scope.constant(0))),
        inGrid);
  if (dependsOn(starts, {"thread.", "local.", "block."}))
    return false;
  // Certain is what all lanes of the block do: they are limited from above only.
  f.certain = withoutUnknown(
      withoutUnknown(meet(f.certain, lane.eq_set(f.scope.constant(kernel.block[size_t(d)] - 1))),
                     lane),
      thread);
  f.executed = withoutUnknown(withoutUnknown(f.executed, lane), thread);
  f.reached = isl::set(f.executed);
  f.scope.forgetUsing(thread);
  f.scope.forgetUsing(lane);
  f.scope.forget(point.counter);
  f.consumed.insert("thread." + axis);
  f.isDivergent = true;
  isl::pw_aff x = f.scope.addUnknown(point.name, fmt::format("{}@{}", point.name, unknowns++));
  isl::set range = meet(x.ge_set(*low), x.lt_set(low->add(f.scope.constant(size))));
  if (isMoved) {
    isl::set behind = meet(
        meet(begin.add(apart).le_set(x), begin.add(apart).add(f.scope.constant(size)).gt_set(x)),
        starts);
    f.owned.push_back(withoutUnknown(behind, begin));
  }
  f.executed = meet(f.executed, range);
  f.reached = meet(f.reached, range);
  f.certain = meet(f.certain, range);
  if (!fits(x, point.type, f.executed))
    out.findings.push_back(
        {"widths", fmt::format("{}: {} may not fit into 32 bits", kernel.name, point.name)});
  // The same position is the same thread only where the tile begins at the same value.
  std::vector<std::pair<isl::pw_aff, int>> &alike =
      pointSites[fmt::format("{} {} {} {}", point.counter, point.many, print(point.value), axis)];
  auto same = std::find_if(alike.begin(), alike.end(), [&](const auto &one) {
    return isl_pw_aff_is_equal(one.first.get(), low->get()) == isl_bool_true;
  });
  int site = same == alike.end() ? sites++ : same->second;
  if (same == alike.end())
    alike.emplace_back(*low, site);
  f.path.push_back({PathItem::Distributed, x, site});
  f.points.push_back(point);
  return true;
}

// Loads at the beginning of a block with the stores at its end, in the same order. Returns how many
// there are.
size_t KernelReader::enterKept(const std::vector<StmtP> &body, Frame &f,
                               std::vector<std::string> &names) {
  size_t many = 0;
  while (2 * many + 2 < body.size()) {
    std::optional<PointLoops> load = pointLoops(body[many]);
    if (!load)
      break;
    std::vector<ExprP> at, subscripts;
    const Expr *kept = elementOf(load->code->exprs[0], at),
               *array = elementOf(load->code->exprs[1], subscripts);
    if (!kept || !array || !f.extents.count(kept->name) || !p.arrays.count(array->name) ||
        !(load->code->exprs[0]->type == load->code->exprs[1]->type))
      break;
    if (!isRegisterOf(load->dimensions, at, f.extents.at(kept->name)))
      break;
    f.kept.insert_or_assign(kept->name, KeptPoints{load->code->exprs[1], *load});
    names.push_back(kept->name);
    understood.insert(load->code.get());
    many++;
  }
  // Each store is its load turned round, and in between nothing but the registers stands for the
  // elements.
  for (size_t k = 0; k < many; k++) {
    const KeptPoints &kept = f.kept.at(names[k]);
    std::optional<PointLoops> store = pointLoops(body[body.size() - many + k]);
    bool is = store && areAlike(*store, kept.points) &&
              sameTree(store->code->exprs[0], kept.element) &&
              sameTree(store->code->exprs[1], kept.points.code->exprs[0]);
    std::string array = baseOf(kept.element)->name;
    for (size_t n = many; n + many < body.size(); n++)
      walkExprs(body[n], [&](const ExprP &e) {
        if (e->kind == ExprKind::Staged && baseOf(e) && baseOf(e)->name == names[k])
          return false;
        is &= e->kind != ExprKind::Var || (e->name != array && e->name != names[k]);
        return true;
      });
    for (size_t n = 0; n < k; n++)
      is &= baseOf(f.kept.at(names[n]).element)->name != array && names[n] != names[k];
    if (!is)
      unread(fmt::format(
          "{} is not stored as it was loaded, or its elements are touched in between", names[k]));
    if (store)
      understood.insert(store->code.get());
    keptUses[names[k]].clear();
  }
  return many;
}

// What is loaded and stored is what instances of the same point touch. Different points have
// different elements: each dimension with several points is a subscript.
void KernelReader::checkKept(const KeptPoints &kept, const std::string &name, const Frame &outer) {
  Frame f = outer;
  f.kept.clear();
  for (const PointDimension &d : kept.points.dimensions)
    if (!enterPoint(d, f))
      return unread("the points of " + name + " cannot be read");
  std::vector<ExprP> subscripts;
  elementOf(kept.element, subscripts);
  std::vector<isl::pw_aff> at;
  for (const ExprP &s : subscripts) {
    std::optional<isl::pw_aff> v = f.scope.value(s);
    if (!v)
      return unread("the elements of " + name + " cannot be read");
    at.push_back(*v);
  }
  for (const PointDimension &d : kept.points.dimensions)
    if (std::none_of(subscripts.begin(), subscripts.end(), [&](ExprP s) {
          while (s->kind == ExprKind::Cast && isWide(s->type))
            s = s->args[0];
          return s->kind == ExprKind::Var && s->name == d.name;
        }))
      unread(fmt::format("registers of {} may stand for one element", name));
  isl::set when = f.executed;
  if (kept.points.guard) {
    std::optional<isl::set> c = f.scope.condition(kept.points.guard);
    if (!c)
      return unread("a condition cannot be read: " + print(kept.points.guard));
    when = meet(when, *c);
  }
  checkOwned(when, f, "elements of " + baseOf(kept.element)->name + " are loaded and stored");
  isl::set loaded = valuesAs(at, when), used = loaded.subtract(loaded);
  for (const ElementUse &u : keptUses[name])
    used = used.unite(valuesAs(u.subscripts, u.executed));
  if (!loaded.is_subset(used))
    unread(fmt::format("elements of {} are loaded and stored that no instance touches: {}",
                       baseOf(kept.element)->name, inShort(loaded.subtract(used))));
}

// What is done for points is done by the blocks that they belong to.
void KernelReader::checkOwned(const isl::set &when, const Frame &f, const std::string &what) {
  for (const isl::set &own : f.owned)
    if (!when.is_subset(own))
      unread(fmt::format("{} by blocks that the points do not belong to: {}", what,
                         inShort(when.subtract(own))));
}

// Whether the subscripts select one register for each point: the counters, in order, within the
// variable.
bool KernelReader::isRegisterOf(const std::vector<PointDimension> &points,
                                const std::vector<ExprP> &subscripts,
                                const std::vector<int64_t> &extents) const {
  std::vector<const PointDimension *> several;
  for (const PointDimension &d : points)
    if (d.many > 1)
      several.push_back(&d);
  if (several.size() > subscripts.size() || subscripts.size() > extents.size())
    return false;
  for (size_t k = 0; k < several.size(); k++)
    if (subscripts[k]->kind != ExprKind::Var || subscripts[k]->name != several[k]->counter ||
        several[k]->many > extents[k])
      return false;
  return true;
}

bool KernelReader::isKeptElement(const std::string &name, const ExprP &position,
                                 const ExprP &element, const Frame &f) {
  const KeptPoints &kept = f.kept.at(name);
  std::vector<ExprP> at, subscripts;
  if (!elementOf(position, at) || !elementOf(element, subscripts) ||
      !areAlike(f.points, kept.points.dimensions) || !sameTree(element, kept.element) ||
      !sameTree(position, kept.points.code->exprs[0]) ||
      !isRegisterOf(f.points, at, f.extents.at(name)))
    return false;
  if (kept.points.guard) {
    std::optional<isl::set> c = f.scope.condition(kept.points.guard);
    if (!c || !f.executed.is_subset(*c))
      return false;
  }
  ElementUse use{{}, f.executed};
  for (const ExprP &s : subscripts) {
    std::optional<isl::pw_aff> v = f.scope.value(s);
    if (!v)
      return false;
    use.subscripts.push_back(*v);
  }
  keptUses[name].push_back(use);
  return true;
}

// Private variables with an element for each point: the instance uses one of them, which tells its
// copies apart.
StmtP KernelReader::ofOnePoint(const StmtP &code, SchedulePosition &position, const Frame &f) {
  StmtP changed = code;
  for (auto &[name, local] : position.locals) {
    auto a = p.arrays.find(name);
    auto extents = f.extents.find(name);
    if (a == p.arrays.end() || a->second.kind != ArrayKind::Private || extents == f.extents.end())
      continue;
    bool isUsed = false, isRegister = true;
    walkExprs(code, [&](const ExprP &e) {
      isUsed |= e->kind == ExprKind::Var && e->name == name;
      return true;
    });
    if (!isUsed)
      continue;
    size_t own =
        extents->second.size() - std::min(extents->second.size(), a->second.extents.size());
    if (own > 0)
      changed = rewriteExprs(changed, [&](const ExprP &e) -> ExprP {
        std::vector<ExprP> subscripts;
        const Expr *base = e->kind == ExprKind::Index ? elementOf(e, subscripts) : nullptr;
        if (!base || base->name != name || subscripts.size() != own)
          return e;
        isRegister &= isRegisterOf(f.points, subscripts, extents->second);
        return var(name, base->type);
      });
    size_t several = size_t(std::count_if(f.points.begin(), f.points.end(),
                                          [](const PointDimension &d) { return d.many > 1; }));
    if (!isRegister || (own != several && !f.points.empty()))
      unread(fmt::format("an instance of {} uses elements of {} that are not one point's",
                         position.statement, name));
    for (const PointDimension &d : f.points)
      if (std::optional<isl::pw_aff> v = f.scope.value(var(d.name, d.type)))
        local.copy.push_back(*v);
  }
  return changed;
}

// Code that runs for points that are none. It may compute floating-point numbers in registers, from
// registers and copies; the point's registers belong to it alone as long as the condition depends
// on the thread and on what selects the register.
void KernelReader::speculated(const Stmt &s, const isl::set &condition, const Frame &f) {
  auto isRegister = [&](const ExprP &e) {
    const Expr *base = baseOf(e);
    return base && e->kind != ExprKind::Member && f.locals.count(base->name) &&
           !sharedArrays.count(base->name);
  };
  // Unknowns that the condition may depend on: the thread, and the counters that select the
  // register.
  std::vector<std::string> unknownsOfCondition;
  auto counterOf = [&](const std::string &unknown) {
    for (const PointDimension &d : f.points)
      if (unknown.starts_with(d.name + "@"))
        return d.many > 1 ? d.counter : std::string();
    return unknown;
  };
  for (const std::string &name : paramNames(condition.get_space())) {
    int at = isl_set_find_dim_by_name(condition.get(), isl_dim_param, name.c_str());
    bool isOfThread =
        name.starts_with("thread.") || name.starts_with("local.") || name.starts_with("block.");
    if (name.find('@') != std::string::npos &&
        isl_set_involves_dims(condition.get(), isl_dim_param, at, 1) && !isOfThread)
      if (std::string counter = counterOf(name); !counter.empty())
        unknownsOfCondition.push_back(counter);
  }
  auto belongsToPoint = [&](const ExprP &target) {
    std::vector<ExprP> subscripts;
    elementOf(target->kind == ExprKind::Staged ? target->args[0] : target, subscripts);
    return std::all_of(
        unknownsOfCondition.begin(), unknownsOfCondition.end(), [&](const std::string &name) {
          return std::any_of(subscripts.begin(), subscripts.end(), [&](const ExprP &x) {
            return x->kind == ExprKind::Var && x->name == name;
          });
        });
  };
  bool readsMemory = false;
  auto isConstant =
      [&](const ExprP &e) { // an element that nobody writes, at a position that numbers determine
        const Expr *base = baseOf(e);
        bool is = base && std::any_of(kernel.parameters.begin(), kernel.parameters.end(),
                                      [&](const KernelParameter &q) {
                                        return q.name == base->name && q.buffer >= 0 && q.isConst;
                                      });
        for (const Expr *x = e.get(); is && x->kind == ExprKind::Index; x = x->args[0].get())
          walk(x->args[1], [&](const ExprP &sub) {
            return is &= sub->kind != ExprKind::Index && sub->kind != ExprKind::Call &&
                         sub->kind != ExprKind::Staged,
                   is;
          });
        return is;
      };
  std::function<bool(const StmtP &)> isHarmless = [&](const StmtP &x) {
    if (x->kind == StmtKind::Block)
      return std::all_of(x->body.begin(), x->body.end(), isHarmless);
    if (x->kind != StmtKind::Assign || !isRegister(x->exprs[0]) || !x->exprs[0]->type.isFloat() ||
        !belongsToPoint(x->exprs[0]))
      return false;
    bool harmless = true;
    walk(x->exprs[1], [&](const ExprP &e) {
      if (e->kind == ExprKind::Staged) {
        const Expr *base = baseOf(e);
        harmless &= base && (tiles.count(base->name) || f.kept.count(base->name));
        return false;
      }
      if (e->kind == ExprKind::Index) {
        readsMemory |= !isRegister(e);
        harmless &= isRegister(e) || isConstant(e);
        return false;
      }
      bool isValue = e->kind == ExprKind::Var &&
                     (f.locals.count(e->name) ||
                      std::any_of(kernel.parameters.begin(), kernel.parameters.end(),
                                  [&](const KernelParameter &q) {
                                    return q.name == e->name && q.buffer < 0;
                                  }));
      harmless &=
          e->kind == ExprKind::Float || e->kind == ExprKind::Int || isValue ||
          (e->kind == ExprKind::Cast && e->type.isFloat()) ||
          ((e->kind == ExprKind::Binary || e->kind == ExprKind::Unary) && e->type.isFloat());
      return harmless;
    });
    return harmless;
  };
  if (s.body.size() != 1 || !isHarmless(s.body[0]))
    unread("code that runs without a guard does more than compute in registers");
  if (!readsMemory)
    return;
  // What it reads is there where the instance is, if for another block.
  isl::set reached = f.reached.is_null() ? isl::set(f.executed) : isl::set(f.reached);
  walkStmts(s.body[0], [&](const StmtP &x) {
    if (!x->isInstance())
      return;
    std::vector<isl::pw_aff> values;
    for (const ExprP &v : x->values)
      if (std::optional<isl::pw_aff> value = f.scope.value(v))
        values.push_back(*value);
    const Statement *statement = p.find(x->name);
    bool isKnown = statement && values.size() == x->values.size() &&
                   std::all_of(statement->accesses.begin(), statement->accesses.end(),
                               [](const Access &a) { return a.isCertain; });
    if (!isKnown || !valuesAs(values, reached)
                         .is_subset(unnamed(statement->domain).intersect_params(out.context))) {
      out.findings.push_back(
          {"bounds", fmt::format("{}: code that runs without a guard for an instance of {} that "
                                 "does not exist reads memory",
                                 kernel.name, x->name)});
      return;
    }
    // Its subscripts are the statement's only where it is executed: elsewhere they must lead to
    // elements that the statement reads, too.
    auto isThere = [&](const ExprP &e) {
      std::vector<ExprP> subscripts;
      const Expr *base = elementOf(e, subscripts);
      std::vector<isl::pw_aff> at;
      for (const ExprP &one : subscripts)
        if (std::optional<isl::pw_aff> value = f.scope.value(one);
            value && fits(*value, one->type, reached))
          at.push_back(*value);
      Unset<isl::set> elements;
      for (const Access &a : statement->accesses)
        if (base && a.array == base->name) {
          isl::set range = unnamed(a.relation.intersect_domain(statement->domain).range())
                               .intersect_params(out.context);
          elements = elements.is_null() ? range : elements.unite(range);
        }
      return at.size() == subscripts.size() && !elements.is_null() &&
             dimsOf(elements) == int(at.size()) && valuesAs(at, reached).is_subset(elements);
    };
    walkExprs(x, [&](const ExprP &e) {
      if (e->kind == ExprKind::Staged)
        return false;
      if (e->kind == ExprKind::Index && !isRegister(e) && !isThere(e))
        out.findings.push_back(
            {"bounds", fmt::format("{}: {} is read without a guard and may not exist", kernel.name,
                                   print(e))});
      return e->kind != ExprKind::Index;
    });
  });
}

} // namespace nw
