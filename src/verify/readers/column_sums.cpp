// Sums of columns: what each element holds, and that all of it is taken.
#include "verify/readers/column_sums.h"
#include "kernel/cyclic_loop.h"
#include "kernel/keep.h"
#include "kernel/reduction_steps.h"
#include "verify/readers/forwarded_results.h"
#include "verify/readers/partial_results.h"
#include "verify/readers/reduction_parts.h"
#include <algorithm>
#include <fmt/format.h>

namespace nw {

namespace {

int mentionsIn(const StmtP &code, const std::string &name) {
  int many = 0;
  walkExprs(code, [&](const ExprP &e) {
    many += e->kind == ExprKind::Var && e->name == name;
    return true;
  });
  return many;
}

bool assigns(const Kernel &kernel, const std::string &name) {
  bool is = false;
  walkStmts(kernel.body, [&](const StmtP &s) {
    is |= s->kind == StmtKind::Assign && baseOf(s->exprs[0]) && baseOf(s->exprs[0])->name == name;
  });
  return is;
}

// The name of the only variable that the kernel's threads put together; empty where there are
// several.
std::string onlyReduction(const Kernel &kernel) {
  std::string name;
  int many = 0;
  walkStmts(kernel.body, [&](const StmtP &s) {
    if (s->kind == StmtKind::Reduce) {
      name = s->name;
      many++;
    }
  });
  return many == 1 ? name : "";
}

// What the target's subscripts are for the instances of a position.
std::optional<std::vector<isl::pw_aff>>
elementOf(const Program &p, const SchedulePosition &position, const Statement &s) {
  AffineScope source(position.executed.ctx());
  for (const Parameter &q : p.parameters)
    source.addUnknown(q.name, q.name);
  if (position.values.size() != s.loops.size())
    return std::nullopt;
  for (size_t n = 0; n < s.loops.size(); n++)
    source.bind(p.loop(s.loops[n]).counter, position.values[n]);
  std::vector<ExprP> subscripts;
  shapeOf(s.reduction->target, subscripts);
  std::vector<isl::pw_aff> element;
  for (const ExprP &e : subscripts) {
    std::optional<isl::pw_aff> v = source.value(e);
    if (!v)
      return std::nullopt;
    element.push_back(*v);
  }
  return element;
}

// The element of the array that an instance adds to, a column.
std::optional<isl::pw_aff> columnOf(const SchedulePosition &position, const std::string &variable) {
  ExprP subscript;
  bool isOne = true;
  walkExprs(position.code, [&](const ExprP &e) {
    if (e->kind != ExprKind::Index || e->args[0]->kind != ExprKind::Var ||
        e->args[0]->name != variable)
      return true;
    isOne &= !subscript || sameTree(subscript, e->args[1]);
    subscript = e->args[1];
    return true;
  });
  std::optional<isl::pw_aff> v =
      subscript && isOne ? position.inside->value(subscript) : std::nullopt;
  return v;
}

// Where the sums go: left in a buffer, taken from it, and brought to the target.
struct Way {
  const Combination *left, *taken, *brought;
  std::string buffer;
};

std::optional<Way> wayOf(const Program &p, const PositionReport &report, const Kernel &kernel,
                         const std::string &variable) {
  Way way{combinationOf(report, kernel, variable), nullptr, nullptr, ""};
  way.buffer = way.left ? bufferOf(p, *way.left) : "";
  way.taken = way.buffer.empty() ? nullptr : gatheringOf(report, way.buffer);
  std::string reduced = way.taken ? onlyReduction(*way.taken->kernel) : "";
  way.brought = reduced.empty() ? nullptr : combinationOf(report, *way.taken->kernel, reduced);
  return way.brought ? std::optional(way) : std::nullopt;
}

class ColumnSumCheck {
public:
  ColumnSumCheck(const Program &p, const Kernels &k, const PositionReport &report,
                 const Kernel &kernel, const std::string &variable)
      : p(p), k(k), report(report), kernel(kernel), variable(variable) {}

  std::string run() {
    for (const SchedulePosition &position : report.positions)
      if (position.kernel == &kernel && mentionsIn(position.code, variable)) {
        const Statement *s = p.find(position.statement);
        if (!s || !s->reduction || partialOf(position, *s->reduction) != variable ||
            (statement && statement != s))
          return "another statement uses it";
        statement = s;
        positions.push_back(&position);
      }
    if (positions.empty())
      return "nothing is summed";
    std::optional<Way> found = wayOf(p, report, kernel, variable);
    if (!found)
      return "it is not written once and read once";
    way = *found;
    for (auto question :
         {&ColumnSumCheck::steps, &ColumnSumCheck::stepsOfTaking, &ColumnSumCheck::cells,
          &ColumnSumCheck::columns, &ColumnSumCheck::elements})
      if (std::string problem = (this->*question)(); !problem.empty())
        return problem;
    return "";
  }

private:
  const Reduction &reduction() const { return *statement->reduction; }

  // T sums[all]; sums = neutral for all columns; the loop over rows, with the instances; the loop
  // that leaves them.
  std::string steps() {
    StmtP body = codeOf(kernel), rows = loopOverRows(body);
    if (!rows)
      return "its steps cannot be found";
    const std::vector<StmtP> &all = body->body;
    auto at = [&](const auto &is) {
      return size_t(std::find_if(all.begin(), all.end(), is) - all.begin());
    };
    size_t declared = at(
               [&](const StmtP &s) { return s->kind == StmtKind::Declare && s->name == variable; }),
           loop = at([&](const StmtP &s) { return s == rows; });
    size_t start =
        at([&](const StmtP &s) { return s->kind == StmtKind::For && mentionsIn(s, variable); });
    if (!(declared < start && start < loop && loop < all.size()) ||
        all[declared]->extents.size() != 1 || !(all[declared]->type == reduction().type))
      return "its steps are in another order";
    StmtP zero = alone(all[start]->body[0]);
    bool isStart = all[start]->loop.cyclic.turns > 0 && zero->kind == StmtKind::Assign &&
                   zero->exprs[0]->kind == ExprKind::Index &&
                   isVar(zero->exprs[0]->args[0], variable) &&
                   isNeutral(reduction().kind, zero->exprs[1]);
    if (!isStart)
      return "it does not begin with the neutral value";
    // Nothing else touches it: instances in the loop over rows, and the one assignment that leaves
    // it, after them.
    int inInstances = 0, declarations = 0, left = 0;
    walkStmts(body, [&](const StmtP &s) {
      declarations +=
          (s->kind == StmtKind::Declare || s->kind == StmtKind::Shared) && s->name == variable;
      declarations += s->kind == StmtKind::For && s->loop.counter == variable;
    });
    walkStmts(rows, [&](const StmtP &s) {
      if (s->isInstance())
        inInstances += mentionsIn(s, variable);
    });
    for (size_t n = loop + 1; n < all.size(); n++)
      left += mentionsIn(all[n], variable);
    if (declarations != 1 || left != 1 || mentionsIn(rows, variable) != inInstances ||
        mentionsIn(body, variable) != 1 + inInstances + left)
      return "something else touches it";
    return "";
  }

  // { …; T reduced = neutral; [if (column)] for (b = local.y; b < blocks; b += height) reduced =
  // reduced op cell; reduce reduced along y; if (…) target = target op reduced; … }
  std::string stepsOfTaking() {
    const Kernel &other = *way.taken->kernel;
    const Reduction &r = reduction();
    const Stmt *reduce = reductionOf(other, way.brought->variable);
    const std::string &reduced = way.brought->variable;
    if (!reduce || reduce->collective.axis != 1 ||
        reduce->collective.op != reductionOperator(r.kind, r.byFunction) ||
        !(reduce->type == r.type))
      return "its partial results are combined differently";
    StmtP body = withoutKeeps(other.body);
    size_t declared = 0, taken = 0, put = 0, brought = 0, n = 0;
    int uses = 0, declarations = 0;
    walkStmts(body, [&](const StmtP &s) {
      declarations +=
          (s->kind == StmtKind::Declare || s->kind == StmtKind::Shared) && s->name == reduced;
      declarations += s->kind == StmtKind::For && s->loop.counter == reduced;
    });
    for (const StmtP &s : body->body) {
      n++;
      uses += mentionsIn(s, reduced);
      if (s->kind == StmtKind::Declare && s->name == reduced)
        declared = s->exprs.size() == 1 && s->extents.empty() && s->type == r.type &&
                           isNeutral(r.kind, s->exprs[0])
                       ? n
                       : 0;
      else if (s->kind == StmtKind::Reduce)
        put = n;
      else if (contains(s, way.brought->code.get()))
        brought = n;
      else if (contains(s, way.taken->code.get()))
        taken = guardsAreOfColumns(s) ? n : 0;
    }
    if (!(0 < declared && declared < taken && taken < put && put < brought) ||
        uses != mentionsIn(way.taken->code, reduced) + mentionsIn(way.brought->code, reduced) ||
        declarations != 1)
      return "the steps that take its partial results cannot be found";
    ExprP added = addedTo(r, *way.brought->code);
    if (!added || added->kind != ExprKind::Var || added->name != reduced)
      return "its result reaches the target differently";
    return way.taken->code->exprs[0]->kind == ExprKind::Var &&
                   way.taken->code->exprs[0]->name == reduced
               ? ""
               : "its partial results are read elsewhere";
  }

  static bool contains(const StmtP &s, const Stmt *code) {
    bool is = false;
    walkStmts(s, [&](const StmtP &x) {
      is |= x->kind == StmtKind::Assign && x->kind == code->kind &&
            sameTree(x->exprs[0], code->exprs[0]) && sameTree(x->exprs[1], code->exprs[1]);
    });
    return is;
  }

  // Threads of one column agree whether they take part.
  bool guardsAreOfColumns(StmtP s) const {
    std::vector<std::string> along = unknownsAlong(*way.taken, 1);
    for (s = alone(s); s->kind == StmtKind::If && s->body.size() == 1 && !s->isSpeculated;
         s = alone(s->body[0])) {
      std::optional<isl::set> when = way.taken->inside->condition(s->exprs[0]);
      for (const std::string &name : along)
        if (int at = when ? isl_set_find_dim_by_name(when->get(), isl_dim_param, name.c_str()) : -1;
            at >= 0 && isl_set_involves_dims(when->get(), isl_dim_param, unsigned(at), 1))
          when.reset();
      if (!when)
        return false;
    }
    return s->kind == StmtKind::For;
  }

  // partial[block.x * width + column], of all blocks, and nothing else in the buffer.
  std::string cells() {
    const Combination &left = *way.left, &taken = *way.taken;
    const Kernel &other = *taken.kernel;
    if (usersOf(k, way.buffer).size() != 2 || &other == &kernel || !follows(left, taken) ||
        taken.launch->condition || left.launch->condition)
      return "the kernel that combines its partial results does not follow directly";
    std::optional<PartialCell> to = cellOf(left.code->exprs[0], way.buffer);
    ExprP cell = addedTo(reduction(), *taken.code);
    std::optional<PartialCell> from = cell ? cellOf(cell, way.buffer) : std::nullopt;
    const Loop &l = taken.loop->loop;
    if (!to || !from || !isCoordinate(to->row, "block.x") ||
        !isCoordinate(from->column, "thread.x") || bareInteger(from->row)->kind != ExprKind::Var ||
        bareInteger(from->row)->name != l.counter)
      return "its partial results are written or read at other elements";
    const ExprP &value = left.code->exprs[1];
    std::optional<isl::pw_aff> column = left.inside->value(to->column),
                               own = value->kind == ExprKind::Index
                                         ? left.inside->value(value->args[1])
                                         : std::nullopt;
    if (!column || !own || value->args[0]->kind != ExprKind::Var ||
        value->args[0]->name != variable || !left.executed.is_disjoint(column->ne_set(*own)))
      return "its partial result is written to another column";
    ExprP width = passed(kernel, to->width), again = passed(other, from->width);
    if (!width || !again || withoutCasts(width) != withoutCasts(again) ||
        !(to->width->type == kI64) || !(from->width->type == kI64))
      return "its partial results lie in rows of different lengths";
    std::optional<isl::pw_aff> most = left.inside->value(to->width),
                               mostTaken = taken.inside->value(from->width);
    here = *column;
    there = taken.threads.at("thread.x");
    if (!most || !mostTaken ||
        !left.executed.is_disjoint(
            here.ge_set(*most).unite(here.lt_set(left.inside->constant(0)))) ||
        !taken.executed.is_disjoint(there.ge_set(*mostTaken)))
      return "a partial result lies beyond its row";
    const ExprP &c = l.condition;
    bool isPlain = isCoordinate(l.start, "local.y") && !l.stride && l.step == other.block[1] &&
                   c->kind == ExprKind::Binary && c->name == "<" &&
                   bareInteger(c->args[0])->kind == ExprKind::Var &&
                   bareInteger(c->args[0])->name == l.counter && l.type == kI64 &&
                   taken.launch->threads[1]->kind == ExprKind::Int &&
                   taken.launch->threads[1]->integer == other.block[1];
    std::optional<isl::pw_aff> rows = isPlain ? taken.inside->value(c->args[1]) : std::nullopt,
                               blocks = blocksOf(*left.launch, kernel, 0, *left.host);
    if (!rows || !blocks || !taken.executed.is_disjoint(rows->ne_set(*blocks)))
      return "not the partial results of all blocks are combined";
    ExprP many = passed(other, c->args[1]);
    for (const Buffer &b : k.buffers)
      if (b.name == way.buffer &&
          (b.low->kind != ExprKind::Int || b.low->integer != 0 || !b.array.empty() || b.isArray ||
           !(b.element == reduction().type) || !many || !(b.high->type == kI64) ||
           withoutCasts(b.high) != withoutCasts(binary("*", many, width, kI64))))
        return "the memory for its partial results has another size";
      else if (b.name == way.buffer && !isThere(b, left))
        return "the memory for its partial results is not there for all sizes";
    // What is taken has been left.
    AffineScope scope = *taken.inside;
    isl::pw_aff row = scope.addUnknown("row", "row@taken");
    isl::set read = meet(meet(taken.executed, row.ge_set(scope.constant(0))), row.lt_set(*rows));
    if (!columnRelation(there, {row}, read)
             .is_subset(columnRelation(here, {left.threads.at("block.x")}, left.certain)))
      return "a partial result is read that no block has written";
    return "";
  }

  // What is summed up in a column belongs to one element, and all of it is brought there.
  std::string columns() {
    const Combination &brought = *way.brought;
    std::vector<ExprP> in, out;
    if (shapeOf(reduction().target, in) != shapeOf(brought.code->exprs[0], out))
      return fmt::format("it ends in {}, not in {}", print(brought.code->exprs[0]),
                         print(reduction().target));
    if (!brought.executed
             .subtract(brought.threads.at("local.y").eq_set(brought.inside->constant(0)))
             .is_empty())
      return "its result is stored by several threads";
    std::vector<std::string> along = unknownsAlong(brought, 1);
    if (!without(brought.executed, along).is_subset(without(way.taken->certain, along)))
      return "its result is stored where nothing was combined";
    std::vector<isl::pw_aff> element;
    for (const ExprP &e : out) {
      std::optional<isl::pw_aff> v = brought.inside->value(e);
      if (!v)
        return "where its result goes cannot be read: " + print(e);
      element.push_back(*v);
    }
    isl::map taken = columnRelation(there, element, brought.executed),
             surely = columnRelation(there, element, brought.certain), some = taken.subtract(taken),
             sure = some;
    for (const SchedulePosition *position : positions) {
      std::optional<std::vector<isl::pw_aff>> own = elementOf(p, *position, *statement);
      std::optional<isl::pw_aff> column = columnOf(*position, variable);
      if (!own || !column)
        return "where its instances add cannot be read";
      some = some.unite(columnRelation(*column, *own, position->executed));
      sure = sure.unite(columnRelation(*column, *own, position->certain));
    }
    if (!taken.is_single_valued() || !some.is_subset(surely))
      return "a column holds values that belong elsewhere or nowhere";
    return taken.is_subset(sure) ? "" : "its result is taken where nothing is summed";
  }

  // All that is summed up for an element is brought there at once, by one thread.
  std::string elements() {
    isl::map all;
    for (const SchedulePosition &t : report.targets)
      if (t.statement == statement->name)
        for (const Access &x : statement->accesses)
          if (x.array == reduction().array && x.isWrite) {
            std::vector<isl::pw_aff> values;
            for (const Coordinate &c : t.coordinates)
              values.push_back(c.value);
            isl::map where = relationTo(t, values, t.executed)
                                 .apply_domain(x.relation.intersect_params(report.context));
            all = all.is_null() ? where : all.unite(where);
          }
    return all.is_null() || !all.is_single_valued()
               ? "what belongs to one element is stored there more than once"
               : "";
  }

  const Program &p;
  const Kernels &k;
  const PositionReport &report;
  const Kernel &kernel;
  const std::string &variable;
  const Statement *statement = nullptr;
  std::vector<const SchedulePosition *> positions;
  Way way{};
  isl::pw_aff here, there; // the column, where it is left and where it is taken
};

} // namespace

StmtP loopOverRows(const StmtP &body) {
  StmtP found;
  int many = 0;
  if (body->kind == StmtKind::Block)
    for (const StmtP &s : body->body)
      if (s->kind == StmtKind::For && s->loop.stride && isBuiltin(s->loop.stride, "blocks.x")) {
        found = s;
        many++;
      }
  return many == 1 ? found : nullptr;
}

bool isColumnSum(const Kernel &kernel, const std::string &variable) {
  return loopOverRows(kernel.body) &&
         std::any_of(kernel.body->body.begin(), kernel.body->body.end(), [&](const StmtP &s) {
           return s->kind == StmtKind::Declare && s->owners > 0 && s->name == variable;
         });
}

StmtP codeOf(const Kernel &kernel) { return withoutForwardedResults(withoutKeeps(kernel.body)); }

bool takesColumnSums(const Kernels &k, const Kernel &kernel) {
  for (const KernelParameter &q : kernel.parameters)
    if (q.buffer >= 0 && isForPartials(k.buffers[size_t(q.buffer)]) && !assigns(kernel, q.name))
      for (const Kernel *other : usersOf(k, q.name))
        if (other != &kernel && loopOverRows(other->body) && assigns(*other, q.name))
          return true;
  return false;
}

bool addColumnTarget(const Program &p, PositionReport &report, SchedulePosition &position,
                     const std::string &variable) {
  if (!isColumnSum(*position.kernel, variable))
    return false;
  std::optional<Way> way = wayOf(p, report, *position.kernel, variable);
  std::optional<isl::pw_aff> column = columnOf(position, variable);
  if (!way || !column)
    return true;
  SchedulePosition target = position;
  target.part = Part::OnlyTarget;
  target.executed = meet(meet(position.executed, way->brought->executed),
                         column->eq_set(way->brought->threads.at("thread.x")));
  target.certain = target.executed;
  target.kernel = way->brought->kernel;
  target.coordinates = way->brought->coordinates;
  target.locals = way->brought->locals;
  target.inside = way->brought->inside;
  report.targets.push_back(target);
  position.part = Part::AllButTarget;
  return true;
}

std::string wrongColumnSum(const Program &p, const Kernels &k, const PositionReport &report,
                           const Kernel &kernel, const std::string &variable) {
  return ColumnSumCheck(p, k, report, kernel, variable).run();
}

} // namespace nw
