// Reductions that threads share out: what each register holds, who takes part, and where the result
// goes.
#include "verify/readers/block_reductions.h"
#include "kernel/keep.h"
#include "kernel/reduction_steps.h"
#include "verify/readers/copies.h"
#include "verify/readers/forwarded_results.h"
#include "verify/readers/partial_results.h"
#include "verify/readers/reduction_parts.h"
#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace nw {

namespace {

// The code as it is read: without registers that stand for elements of memory.
StmtP codeOf(const Kernel &kernel) { return withoutForwardedResults(withoutKeeps(kernel.body)); }

std::optional<std::vector<isl::pw_aff>> valuesOf(const std::vector<ExprP> &all,
                                                 const AffineScope &scope) {
  std::vector<isl::pw_aff> values;
  for (const ExprP &e : all) {
    std::optional<isl::pw_aff> v = scope.value(e);
    if (!v)
      return std::nullopt;
    values.push_back(*v);
  }
  return values;
}

// What the subscripts are for the instances of a position; nothing where one cannot be read.
std::optional<std::vector<isl::pw_aff>> elementOf(const Program &p,
                                                  const SchedulePosition &position,
                                                  const std::vector<ExprP> &subscripts) {
  const Statement &s = *p.find(position.statement);
  if (position.values.size() != s.loops.size())
    return std::nullopt;
  AffineScope source(position.executed.ctx());
  for (const Parameter &q : p.parameters)
    source.addUnknown(q.name, q.name);
  for (size_t n = 0; n < s.loops.size(); n++)
    source.bind(p.loop(s.loops[n]).counter, position.values[n]);
  return valuesOf(subscripts, source);
}

// The column that an instance adds to: all elements of sums are those of one, see wrongDealing.
std::optional<isl::pw_aff> columnOf(const SchedulePosition &position, const std::string &sums) {
  ExprP column;
  walkExprs(position.code, [&](const ExprP &e) {
    column = e->kind == ExprKind::Index && isVar(e->args[0], sums) ? e->args[1] : column;
    return true;
  });
  return column ? position.inside->value(column) : std::nullopt;
}

// Unknowns of the set that the other does not know: counters of loops that it does not stand in.
std::vector<std::string> unknownsBeyond(const isl::set &s, const isl::set &other) {
  std::vector<std::string> names;
  for (const std::string &name : paramNames(s.get_space()))
    if (name.find('@') != std::string::npos &&
        isl_set_find_dim_by_name(other.get(), isl_dim_param, name.c_str()) < 0)
      names.push_back(name);
  return names;
}

bool involves(const isl::pw_aff &x, const std::vector<std::string> &unknowns) {
  return std::any_of(unknowns.begin(), unknowns.end(), [&](const std::string &name) {
    int at = isl_pw_aff_find_dim_by_name(x.get(), isl_dim_param, name.c_str());
    return at >= 0 && isl_pw_aff_involves_dims(x.get(), isl_dim_param, unsigned(at), 1);
  });
}

// A variable of threads, or sums of columns.
class GatheringCheck {
public:
  GatheringCheck(const Program &p, const Kernels &k, const PositionReport &report,
                 const Kernel &kernel, std::string variable)
      : p(p), k(k), report(report), kernel(kernel), variable(std::move(variable)),
        isSum(isColumnSum(kernel, this->variable)) {}

  // What is wrong, or nothing.
  std::string run() {
    for (const SchedulePosition &position : report.positions)
      if (position.kernel == &kernel && usesOf(position.code, variable) > 0) {
        const Statement *s = p.find(position.statement);
        if (!s || !s->reduction || partialOf(position, *s->reduction) != variable ||
            (statement && statement != s))
          return "it is used by another statement";
        statement = s;
        positions.push_back(&position);
      }
    if (positions.empty())
      return "nothing is reduced";
    if (std::string problem = steps(); !problem.empty())
      return problem;
    combination = combinationOf(report, kernel, variable);
    if (!combination)
      return "its result is not used exactly once";
    if (!isSum)
      along = unknownsAlong(*combination, gathering.reduce->collective.axis);
    if (gathering.result->kind == StmtKind::Leave)
      return handedOver();
    if (isSum)
      return "it is not left for another kernel";
    for (auto question :
         {&GatheringCheck::target, &GatheringCheck::threads, &GatheringCheck::elements})
      if (std::string problem = (this->*question)(); !problem.empty())
        return problem;
    return "";
  }

private:
  const Reduction &reduction() const { return *statement->reduction; }

  // In one block, and nowhere else in the kernel.
  std::string steps() {
    std::string problem = "its steps cannot be found";
    int blocks = 0, uses = 0;
    body = codeOf(kernel);
    walkStmts(body, [&](const StmtP &b) {
      bool declares = b->kind == StmtKind::Block && !b->isInstance() &&
                      std::any_of(b->body.begin(), b->body.end(), [&](const StmtP &s) {
                        return s->kind == StmtKind::Declare && s->name == variable;
                      });
      if (!declares || blocks++)
        return;
      problem = wrongGathering(*b, variable, reduction(), gathering);
      uses = usesOf(b, variable);
    });
    if (problem.empty() && (blocks != 1 || uses != usesOf(body, variable)))
      return "it has other uses";
    if (problem.empty() && !isSum && gathering.reduce->collective.axis > 1)
      return "its values are combined differently";
    return problem;
  }

  // The result goes where every instance that is in it wants it, whichever thread executes it.
  std::string target() {
    const ExprP &to = combination->code->exprs[0], &wanted = statement->reduction->target;
    std::vector<ExprP> in, out;
    if (shapeOf(wanted, in) != shapeOf(to, out))
      return fmt::format("it ends in {}, not in {}", print(to), print(wanted));
    std::optional<std::vector<isl::pw_aff>> there = valuesOf(out, *combination->inside);
    for (const SchedulePosition *position : positions) {
      std::optional<std::vector<isl::pw_aff>> own = elementOf(p, *position, in);
      for (size_t n = 0; n < in.size(); n++)
        if (!own || !there || involves((*own)[n], along) || involves((*there)[n], along) ||
            !position->executed.is_disjoint((*own)[n].ne_set((*there)[n])))
          return fmt::format("it ends in {}, which is not every instance's {}", print(to),
                             print(wanted));
    }
    return "";
  }

  // One thread of those whose registers are put together takes the result: if one of them has
  // executed an instance, and only then.
  std::string threads() {
    isl::pw_aff lane =
        combination->threads.at(gathering.reduce->collective.axis == 0 ? "local.x" : "local.y");
    if (!combination->executed.subtract(lane.eq_set(combination->inside->constant(0))).is_empty())
      return "its result is used by several threads";
    isl::set executed = without(combination->executed, along),
             certain = without(combination->certain, along);
    isl::set some = certain.subtract(certain), sure = some;
    for (const SchedulePosition *position : positions) {
      std::vector<std::string> inner = unknownsBeyond(position->executed, combination->executed);
      some = some.unite(without(without(position->executed, along), inner));
      sure = sure.unite(without(without(position->certain, along), inner));
    }
    if (!some.is_subset(certain))
      return "its result is not used everywhere: " + inShort(some.subtract(certain));
    if (!executed.is_subset(sure))
      return "its result is used where nothing is reduced: " + inShort(executed.subtract(sure));
    return "";
  }

  // Every block leaves a result of each column; a thread of the next kernel, or a column of
  // threads, takes those of all blocks.
  std::string handedOver() {
    std::optional<Handover> way = handoverOf(report, *combination);
    if (!way || way->to->kernel == &kernel)
      return "its partial results are not combined by one other kernel";
    if (way->taken.op != operatorOf(reduction()) || !(way->taken.target->type == reduction().type))
      return "its partial results are combined differently";
    if (involves(way->here, along))
      return "values of several columns are combined";
    if (std::string problem = wrongCells(k, *way); !problem.empty())
      return problem;
    if (isSum && !leavesItsColumn(*way))
      return "a thread leaves the sum of another column than it says";
    if (std::string problem = columns(*way); !problem.empty())
      return problem;
    return elements();
  }

  // Sums of columns: the element that a thread leaves is that of the column it is left for.
  bool leavesItsColumn(const Handover &way) const {
    std::vector<ExprP> at;
    if (!nw::elementOf(way.left.value, at) || at.size() != 1)
      return false;
    std::optional<isl::pw_aff> column = combination->inside->value(at[0]);
    return column && combination->executed.is_subset(column->eq_set(way.here));
  }

  // For each column: what is in it belongs to one element; all of it goes there.
  std::string columns(const Handover &way) {
    std::vector<ExprP> in, out;
    if (shapeOf(reduction().target, in) != shapeOf(way.taken.target, out))
      return fmt::format("it ends in {}, not in {}", print(way.taken.target),
                         print(reduction().target));
    std::optional<std::vector<isl::pw_aff>> element = valuesOf(out, *way.to->inside);
    if (!element)
      return "where its result goes cannot be read: " + print(way.taken.target);
    isl::map taken = columnRelation(way.there, *element, way.to->executed),
             surely = columnRelation(way.there, *element, way.to->certain),
             some = taken.subtract(taken), sure = some;
    for (const SchedulePosition *position : positions) {
      std::optional<std::vector<isl::pw_aff>> own = elementOf(p, *position, in);
      std::optional<isl::pw_aff> column = isSum ? columnOf(*position, variable) : way.here;
      if (!own || !column)
        return "what it reduces into cannot be read: " + print(reduction().target);
      some = some.unite(columnRelation(*column, *own, position->executed));
      sure = sure.unite(columnRelation(*column, *own, position->certain));
    }
    if (!taken.is_single_valued() || !some.is_subset(surely))
      return "a column holds values that belong elsewhere or nowhere";
    return taken.is_subset(sure) ? "" : "its result is used where nothing is reduced";
  }

  // All that is reduced into an element is brought there at once, by one thread; and again only in
  // another launch, before or after this one.
  std::string elements() {
    isl::map all;
    const SchedulePosition *first = nullptr;
    size_t ordered = 0; // coordinates that launches have, as the host orders them
    for (const SchedulePosition &t : report.targets)
      if (t.statement == statement->name)
        for (const Access &x : statement->accesses)
          if (x.array == statement->reduction->array && x.isWrite) {
            size_t own = 0;
            std::vector<isl::pw_aff> values;
            for (const Coordinate &c : t.coordinates) {
              bool isOrdered =
                  c.kind == Coordinate::Ordered && own == values.size() &&
                  (!first || (own < ordered && c.site == first->coordinates[own].site));
              own += isOrdered;
              values.push_back(c.value);
            }
            first = first ? first : &t;
            ordered = own;
            isl::map where = relationTo(t, values, t.executed)
                                 .apply_domain(x.relation.intersect_params(report.context));
            all = all.is_null() ? where : all.unite(where);
          }
    if (all.is_null())
      return "what belongs to one element is not stored there";
    isl::map pairs =
        all.reverse().apply_range(all); // of coordinates at which one element is brought something
    for (size_t k = 0; k < ordered; k++)
      pairs = isl::manage(isl_map_equate(pairs.release(), isl_dim_in, int(k), isl_dim_out, int(k)));
    if (!pairs.is_subset(isl::manage(isl_map_identity(isl_map_get_space(pairs.get())))))
      return "what belongs to one element is stored there more than once";
    return "";
  }

  const Program &p;
  const Kernels &k;
  const PositionReport &report;
  const Kernel &kernel;
  std::string variable;
  bool isSum;
  std::vector<const SchedulePosition *> positions;
  const Statement *statement = nullptr;
  StmtP body; // that the statements of the gathering are in
  Gathering gathering;
  const Combination *combination = nullptr;
  std::vector<std::string> along;
};

// Assignments outside of instances, in a kernel with reductions: those that take results, those to
// sums of columns, and no others.
// `registers` are those in which elements wait.
std::string strangeAssignment(const StmtP &code, const std::set<std::string> &variables,
                              const std::set<std::string> &registers) {
  const Expr *base = code->kind == StmtKind::Assign ? baseOf(code->exprs[0]) : nullptr;
  if (code->isInstance() || (base && registers.count(base->name)))
    return "";
  bool isSum = code->kind == StmtKind::Assign && code->exprs[0]->kind == ExprKind::Index &&
               baseOf(code->exprs[0]) && variables.count(baseOf(code->exprs[0])->name);
  if (code->kind == StmtKind::Assign && !isSum &&
      std::none_of(variables.begin(), variables.end(),
                   [&](const std::string &v) { return mentions(code->exprs[1], v); }))
    return print(code->exprs[0]);
  for (const StmtP &b : code->body)
    if (std::string found = strangeAssignment(b, variables, registers); !found.empty())
      return found;
  return "";
}

// Variables that threads reduce into, but for those of whole blocks, and sums of columns.
std::set<std::string> gatheredIn(const Kernel &kernel) {
  std::set<std::string> names;
  walkStmts(kernel.body, [&](const StmtP &s) {
    if ((s->kind == StmtKind::Reduce && isBlockReduction(kernel, s->name)) ||
        (s->kind == StmtKind::Declare && isColumnSum(kernel, s->name)))
      names.insert(s->name);
  });
  return names;
}

bool takes(const Kernel &kernel) {
  bool is = false;
  walkStmts(kernel.body, [&](const StmtP &s) { is |= s->kind == StmtKind::Take; });
  return is;
}

} // namespace

// Along which axis threads put the variable together; none: kAllThreads.
static int axisOf(const Kernel &kernel, const std::string &variable) {
  int axis = kAllThreads;
  walkStmts(kernel.body, [&](const StmtP &s) {
    if (s->kind == StmtKind::Reduce && s->name == variable && axis == kAllThreads)
      axis = s->collective.axis;
  });
  return axis;
}

bool isBlockReduction(const Kernel &kernel, const std::string &variable) {
  return axisOf(kernel, variable) != kAllThreads;
}

// Where what instances at the position reduce is brought to its target.
static std::optional<SchedulePosition> targetOf(const PositionReport &report,
                                                const SchedulePosition &position,
                                                const std::string &variable) {
  bool isSum = isColumnSum(*position.kernel, variable);
  const Combination *c = combinationOf(report, *position.kernel, variable);
  if (!c)
    return std::nullopt;
  SchedulePosition target = position;
  target.part = Part::OnlyTarget;
  if (c->code->kind == StmtKind::Leave) {
    std::optional<Handover> way = handoverOf(report, *c);
    std::optional<isl::pw_aff> column = isSum ? columnOf(position, variable)
                                        : way ? std::optional(way->here)
                                              : std::nullopt;
    if (!way || !column)
      return std::nullopt;
    c = way->to;
    target.executed = meet(meet(position.executed, c->executed), column->eq_set(way->there));
    target.kernel = c->kernel;
  } else
    target.executed =
        meet(without(position.executed, unknownsAlong(*c, axisOf(*position.kernel, variable))),
             c->executed);
  target.certain = target.executed;
  target.coordinates = c->coordinates;
  target.locals = c->locals;
  target.inside = c->inside;
  return target;
}

void addTargets(const Program &p, PositionReport &report) {
  for (SchedulePosition &position : report.positions) {
    const Statement *s = p.find(position.statement);
    std::string variable = s && s->reduction ? partialOf(position, *s->reduction) : "";
    if (variable.empty() || !gatheredIn(*position.kernel).count(variable))
      continue;
    if (std::optional<SchedulePosition> target = targetOf(report, position, variable)) {
      report.targets.push_back(*target);
      position.part = Part::AllButTarget;
    }
  }
}

std::vector<Finding> checkBlockReductions(const Program &p, const Kernels &k,
                                          const PositionReport &report) {
  std::vector<Finding> findings;
  for (const Kernel &kernel : k.kernels) {
    if (std::none_of(report.positions.begin(), report.positions.end(),
                     [&](const SchedulePosition &x) { return x.kernel == &kernel; }))
      continue;
    auto say = [&](const std::string &what) {
      findings.push_back({"reductions", fmt::format("{}: {}", kernel.name, what)});
    };
    std::set<std::string> variables = gatheredIn(kernel);
    for (const std::string &name : variables)
      if (std::string problem = GatheringCheck(p, k, report, kernel, name).run(); !problem.empty())
        say(fmt::format("{}: {}", name, problem));
    if (!variables.empty() || takes(kernel))
      if (std::string strange =
              strangeAssignment(codeOf(kernel), variables, registersIn(kernel.body));
          !strange.empty())
        say("an assignment to " + strange + " that uses no result");
  }
  return findings;
}

} // namespace nw
