// Reductions that threads share out: what each register holds, who takes part, and where the result
// goes.
// Over 500 lines: one form, read as a whole. It goes with that form (docs/roadmap.md).
#include "verify/readers/block_reductions.h"
#include "kernel/keep.h"
#include "kernel/reduction_steps.h"
#include "verify/checks/position_order.h"
#include "verify/readers/column_sums.h"
#include "verify/readers/copies.h"
#include "verify/readers/partial_results.h"
#include "verify/readers/reduction_parts.h"
#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace nw {

namespace {

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

class BlockReductionCheck {
public:
  BlockReductionCheck(const Program &p, const Kernels &k, const PositionReport &report,
                      const Kernel &kernel, std::string variable)
      : p(p), k(k), report(report), kernel(kernel), variable(std::move(variable)) {}

  // What is wrong, or nothing.
  std::string run() {
    for (const SchedulePosition &position : report.positions)
      if (const Statement *s = p.find(position.statement);
          position.kernel == &kernel && mentioned(position.code)) {
        if (!s || !s->reduction || partialOf(position, *s->reduction) != variable ||
            (!positions.empty() && positions[0]->statement != position.statement))
          return "its register is used by another statement";
        positions.push_back(&position);
      }
    if (positions.empty())
      return "nothing is reduced";
    statement = p.find(positions[0]->statement);
    reduce = reductionOf(kernel, variable);
    if (!reduce)
      return "its values are combined more than once";
    if (std::string problem = steps(); !problem.empty())
      return problem;
    combination = combinationOf(report, kernel, variable);
    if (!combination)
      return "its result is not used exactly once";
    along = unknownsAlong(*combination, reduce->collective.axis);
    if (std::string buffer = bufferOf(p, *combination); !buffer.empty())
      return partials(buffer);
    for (auto question : {&BlockReductionCheck::target, &BlockReductionCheck::threads,
                          &BlockReductionCheck::elements})
      if (std::string problem = (this->*question)(); !problem.empty())
        return problem;
    return "";
  }

private:
  bool mentioned(const StmtP &code) const {
    bool is = false;
    walkStmts(code, [&](const StmtP &s) {
      is |= (s->kind == StmtKind::Reduce || s->kind == StmtKind::Declare) && s->name == variable;
    });
    walkExprs(code, [&](const ExprP &e) {
      is |= e->kind == ExprKind::Var && e->name == variable;
      return !is;
    });
    return is;
  }

  // { …; T register = neutral; instances; reduce register; … target = target op register … },
  // and the register nowhere else.
  std::string steps() const {
    const Reduction &r = *statement->reduction;
    if (reduce->collective.axis < 0 || reduce->collective.axis > 1 ||
        reduce->collective.op != reductionOperator(r.kind, r.byFunction) ||
        !(reduce->type == r.type))
      return "its values are combined differently";
    std::string problem = "its steps cannot be found";
    int declared = 0, around = 0;
    walkStmts(codeOf(kernel), [&](const StmtP &b) {
      declared += b->kind == StmtKind::Declare && b->name == variable;
      if (b->kind != StmtKind::Block || b->isInstance())
        return;
      auto at = std::find_if(b->body.begin(), b->body.end(), [&](const StmtP &s) {
        return s->kind == StmtKind::Reduce && s->name == variable;
      });
      if (at == b->body.end())
        return;
      around++;
      auto start = std::find_if(b->body.begin(), at, [&](const StmtP &s) {
        return s->kind == StmtKind::Declare && s->name == variable;
      });
      if (start == at || (*start)->exprs.size() != 1 || !((*start)->type == r.type) ||
          !(*start)->extents.empty() || !isNeutral(r.kind, (*start)->exprs[0])) {
        problem = "it does not begin with the neutral value";
        return;
      }
      problem = "";
      for (auto s = start + 1; s != at && problem.empty(); s++)
        if (isTouchedBetween(*s))
          problem = "its register is touched outside the instances";
      int uses = 0;
      for (auto s = at + 1; s != b->body.end() && problem.empty(); s++)
        if (mentioned(*s)) {
          uses++;
          if (!isCombination(*s))
            problem = "its result is not used by one assignment after the reduction";
        }
      for (auto s = b->body.begin(); s != start && problem.empty(); s++)
        if (mentioned(*s))
          problem = "its register is touched before it begins";
      if (problem.empty() && uses != 1)
        problem = "its result is not used exactly once";
    });
    if (problem.empty() && (declared != 1 || around != 1 || usesOutside() != 0))
      problem = "its register has other uses";
    return problem;
  }

  // Uses of the register in the whole kernel beyond those of the block that reduces it.
  int usesOutside() const {
    int in = 0, all = 0;
    auto uses = [&](const StmtP &code) {
      int many = 0;
      walkExprs(code, [&](const ExprP &e) {
        many += e->kind == ExprKind::Var && e->name == variable;
        return true;
      });
      return many;
    };
    StmtP body = codeOf(kernel);
    all = uses(body);
    walkStmts(body, [&](const StmtP &b) {
      if (b->kind == StmtKind::Block &&
          std::any_of(b->body.begin(), b->body.end(), [&](const StmtP &s) {
            return s->kind == StmtKind::Reduce && s->name == variable;
          }))
        in = uses(b);
    });
    return all - in;
  }

  // Whether anything but instances touches the register.
  bool isTouchedBetween(const StmtP &code) const {
    if (code->isInstance())
      return false;
    auto touches = [&](const ExprP &e) { return e && mentions(e, variable); };
    bool is = std::any_of(code->exprs.begin(), code->exprs.end(), touches) ||
              ((code->kind == StmtKind::Declare || code->kind == StmtKind::Reduce ||
                code->kind == StmtKind::Shared) &&
               code->name == variable);
    if (code->kind == StmtKind::For)
      is |= touches(code->loop.start) || touches(code->loop.condition) ||
            touches(code->loop.stride) || code->loop.counter == variable;
    return is || std::any_of(code->body.begin(), code->body.end(),
                             [&](const StmtP &b) { return isTouchedBetween(b); });
  }

  // target = target op register, inside guards.
  bool isCombination(const StmtP &s) const {
    switch (s->kind) {
    case StmtKind::If:
      return s->body.size() == 1 && !mentions(s->exprs[0], variable) && isCombination(s->body[0]);
    case StmtKind::Block:
      return s->body.size() == 1 && !s->isInstance() && isCombination(s->body[0]);
    case StmtKind::Assign: {
      ExprP added = addedTo(*statement->reduction, *s);
      if (s->exprs[1]->kind == ExprKind::Var &&
          s->exprs[1]->name == variable) // a partial result, see partials()
        return s->exprs[0]->kind == ExprKind::Index &&
               s->exprs[0]->args[0]->kind == ExprKind::Var &&
               !p.arrays.count(s->exprs[0]->args[0]->name) && !mentions(s->exprs[0], variable);
      return added && added->kind == ExprKind::Var && added->name == variable &&
             !mentions(s->exprs[0], variable);
    }
    default:
      return false;
    }
  }

  // The result goes where every instance that is in it wants it, whichever thread executes it.
  std::string target() {
    const ExprP &to = combination->code->exprs[0], &wanted = statement->reduction->target;
    std::vector<ExprP> in, out;
    if (shapeOf(wanted, in) != shapeOf(to, out))
      return fmt::format("it ends in {}, not in {}", print(to), print(wanted));
    for (const SchedulePosition *position : positions) {
      AffineScope source(position->executed.ctx());
      for (const Parameter &q : p.parameters)
        source.addUnknown(q.name, q.name);
      if (position->values.size() != statement->loops.size())
        return "an instance has another number of iterators";
      for (size_t n = 0; n < statement->loops.size(); n++)
        source.bind(p.loop(statement->loops[n]).counter, position->values[n]);
      for (size_t n = 0; n < in.size(); n++) {
        std::optional<isl::pw_aff> a = source.value(in[n]), b = combination->inside->value(out[n]);
        if (!a || !b || involves(*a, along) || involves(*b, along) ||
            !position->executed.is_disjoint(a->ne_set(*b)))
          return fmt::format("it ends in {}, which is not every instance's {}", print(to),
                             print(wanted));
      }
    }
    return "";
  }

  // One thread of those whose registers are put together takes the result: if one of them has
  // executed an instance, and only then.
  std::string threads() {
    isl::pw_aff lane =
        combination->threads.at(reduce->collective.axis == 0 ? "local.x" : "local.y");
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

  // Every block leaves a result of each column of threads, partial[block.y * columns + thread.x];
  // the next kernel takes those of all blocks, in a thread of the same number.
  std::string partials(const std::string &buffer) {
    const Combination &store = *combination;
    const Combination *gather = gatheringOf(report, buffer);
    if (!gather || usersOf(k, buffer).size() != 2 || gather->kernel == &kernel)
      return "its partial results are not combined by one other kernel";
    if (!follows(store, *gather))
      return "the kernel that combines its partial results does not follow directly";
    const Reduction &r = *statement->reduction;
    ExprP from = addedTo(r, *gather->code);
    auto left = cellOf(store.code->exprs[0], buffer),
         taken = from ? cellOf(from, buffer) : std::nullopt;
    const Loop &loop = gather->loop->loop;
    if (!left || !isCoordinate(left->row, "block.y") || !isCoordinate(left->column, "thread.x") ||
        !taken || !isCoordinate(taken->column, "thread.x") ||
        bareInteger(taken->row)->kind != ExprKind::Var ||
        bareInteger(taken->row)->name != loop.counter)
      return "its partial results are written or read at other elements";
    ExprP width = passed(kernel, left->width), again = passed(*gather->kernel, taken->width);
    if (!width || !again || withoutCasts(width) != withoutCasts(again) ||
        !(left->width->type == kI64))
      return "its partial results lie in rows of different lengths";
    // As many rows as there are blocks.
    const ExprP &c = loop.condition;
    bool isPlain = loop.start->kind == ExprKind::Int && loop.start->integer == 0 && !loop.stride &&
                   loop.step == 1 && c->kind == ExprKind::Binary && c->name == "<" &&
                   bareInteger(c->args[0])->kind == ExprKind::Var &&
                   bareInteger(c->args[0])->name == loop.counter && loop.type == kI64;
    std::optional<isl::pw_aff> rows = isPlain ? gather->inside->value(c->args[1]) : std::nullopt,
                               blocks = blocksOf(*store.launch, kernel, 1, *store.host);
    if (!blocks || !rows)
      return "how many partial results there are cannot be read";
    if (!gather->executed.is_disjoint(rows->ne_set(*blocks)))
      return "not the partial results of all blocks are combined";
    ExprP many = passed(*gather->kernel, c->args[1]);
    for (const Buffer &b : k.buffers)
      if (b.name == buffer &&
          (b.low->kind != ExprKind::Int || b.low->integer != 0 || !b.array.empty() || b.isArray ||
           !many || !(b.high->type == kI64) ||
           withoutCasts(b.high) != withoutCasts(binary("*", many, width, kI64))))
        return "the memory for its partial results has another size";
      else if (b.name == buffer && !isThere(b, *combination))
        return "the memory for its partial results is not there for all sizes";
    return columns(store, *gather, *rows, left->width, taken->width);
  }

  // For each column: what is in it belongs to one element; all of it has been left, and goes there.
  std::string columns(const Combination &store, const Combination &gather, const isl::pw_aff &rows,
                      const ExprP &width, const ExprP &again) {
    isl::pw_aff lane = store.threads.at("local.y"), here = store.threads.at("thread.x"),
                there = gather.threads.at("thread.x");
    if (!store.executed.subtract(lane.eq_set(store.host->constant(0))).is_empty())
      return "its partial result is written by several threads";
    for (const auto &[c, x, w] :
         {std::tuple(&store, &here, width), std::tuple(&gather, &there, again)})
      if (std::optional<isl::pw_aff> most = c->inside->value(w);
          !most || !c->executed.is_disjoint(x->ge_set(*most)))
        return "a partial result lies beyond its row";
    // Columns and elements, as instances have them and as they are taken.
    std::vector<ExprP> in, out;
    if (shapeOf(statement->reduction->target, in) != shapeOf(gather.code->exprs[0], out))
      return fmt::format("it ends in {}, not in {}", print(gather.code->exprs[0]),
                         print(statement->reduction->target));
    std::vector<isl::pw_aff> element;
    for (const ExprP &e : out) {
      std::optional<isl::pw_aff> v = gather.inside->value(e);
      if (!v)
        return "where its result goes cannot be read: " + print(e);
      element.push_back(*v);
    }
    isl::map taken = columnRelation(there, element, gather.executed),
             surely = columnRelation(there, element, gather.certain);
    isl::map some = taken.subtract(taken), sure = some;
    for (const SchedulePosition *position : positions) {
      AffineScope source(position->executed.ctx());
      for (const Parameter &q : p.parameters)
        source.addUnknown(q.name, q.name);
      for (size_t n = 0; n < statement->loops.size(); n++)
        source.bind(p.loop(statement->loops[n]).counter, position->values[n]);
      std::vector<isl::pw_aff> own;
      for (const ExprP &e : in) {
        std::optional<isl::pw_aff> v = source.value(e);
        if (!v)
          return "what it reduces into cannot be read: " + print(e);
        own.push_back(*v);
      }
      some = some.unite(columnRelation(here, own, position->executed));
      sure = sure.unite(columnRelation(here, own, position->certain));
    }
    if (!taken.is_single_valued() || !some.is_subset(surely))
      return "a column of threads reduces values that belong elsewhere or nowhere";
    if (!taken.is_subset(sure))
      return "its result is used where nothing is reduced";
    // What is taken has been left.
    AffineScope scope = *gather.inside;
    isl::pw_aff row = scope.addUnknown("row", "row@gather");
    isl::set read = meet(meet(gather.executed, row.ge_set(scope.constant(0))), row.lt_set(rows));
    if (!columnRelation(there, {row}, read)
             .is_subset(columnRelation(here, {store.threads.at("block.y")}, store.certain)))
      return "a partial result is read that no block has written";
    return elements();
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
  std::vector<const SchedulePosition *> positions;
  const Statement *statement = nullptr;
  const Stmt *reduce = nullptr;
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

// Whether sums of columns are left in the buffer.
bool hasLeft(const Program &p, const PositionReport &report, const std::string &buffer) {
  return std::any_of(report.combinations.begin(), report.combinations.end(),
                     [&](const Combination &c) {
                       return bufferOf(p, c) == buffer && isColumnSum(*c.kernel, c.variable);
                     });
}

} // namespace

bool isBlockReduction(const Kernel &kernel, const std::string &variable) {
  bool is = false;
  walkStmts(kernel.body, [&](const StmtP &s) {
    is |= s->kind == StmtKind::Reduce && s->name == variable && s->collective.axis != kAllThreads;
  });
  return is;
}

bool takesBlockResults(const Kernels &k, const Kernel &kernel) {
  for (const KernelParameter &q : kernel.parameters)
    if (q.buffer >= 0 && isForPartials(k.buffers[size_t(q.buffer)]))
      for (const Kernel *other : usersOf(k, q.name))
        if (other != &kernel && hasReductions(other->body) && !hasReductions(kernel.body))
          return true;
  return false;
}

void addTargets(const Program &p, PositionReport &report) {
  for (SchedulePosition &position : report.positions) {
    const Statement *s = p.find(position.statement);
    std::string variable = s && s->reduction ? partialOf(position, *s->reduction) : "";
    if (!variable.empty() && addColumnTarget(p, report, position, variable))
      continue;
    bool isOfRows = !variable.empty() && isBlockReduction(*position.kernel, variable);
    const Stmt *reduce = isOfRows ? reductionOf(*position.kernel, variable) : nullptr;
    const Combination *c = reduce ? combinationOf(report, *position.kernel, variable) : nullptr;
    if (!c)
      continue;
    std::string buffer = bufferOf(p, *c);
    const Combination *gather = buffer.empty() ? nullptr : gatheringOf(report, buffer);
    if (!buffer.empty() && !gather)
      continue;
    SchedulePosition target = position;
    target.part = Part::OnlyTarget;
    target.executed =
        meet(without(position.executed, unknownsAlong(*c, reduce->collective.axis)), c->executed);
    if (gather) { // in a thread of the same number, of the kernel that takes the partial results
      target.executed = meet(meet(position.executed, gather->executed),
                             c->threads.at("thread.x").eq_set(gather->threads.at("thread.x")));
      target.kernel = gather->kernel;
      c = gather;
    }
    target.certain = target.executed;
    target.coordinates = c->coordinates;
    target.locals = c->locals;
    target.inside = c->inside;
    report.targets.push_back(target);
    position.part = Part::AllButTarget;
  }
}

std::vector<Finding> checkBlockReductions(const Program &p, const Kernels &k,
                                          const PositionReport &report) {
  std::vector<Finding> findings;
  for (const Kernel &kernel : k.kernels) {
    auto isHere = [&](const auto &x) { return x.kernel == &kernel; };
    if (std::none_of(report.positions.begin(), report.positions.end(), isHere) &&
        std::none_of(report.combinations.begin(), report.combinations.end(), isHere))
      continue;
    std::set<std::string> variables;
    walkStmts(kernel.body, [&](const StmtP &s) {
      if (s->kind == StmtKind::Reduce && isBlockReduction(kernel, s->name))
        variables.insert(s->name);
    });
    auto say = [&](const std::string &what) {
      findings.push_back({"reductions", fmt::format("{}: {}", kernel.name, what)});
    };
    bool takesSums = takesColumnSums(
        k, kernel); // then what it reduces belongs to those sums, which are looked at there
    for (const std::string &name : variables)
      if (std::string problem =
              takesSums ? "" : BlockReductionCheck(p, k, report, kernel, name).run();
          !problem.empty())
        say(fmt::format("{}: {}", name, problem));
    if (takesBlockResults(
            k,
            kernel)) // each loop that takes them belongs to a reduction, which is looked at there
      for (const KernelParameter &q : kernel.parameters)
        if (q.buffer >= 0 && !k.buffers[size_t(q.buffer)].isArray &&
            k.buffers[size_t(q.buffer)].array.empty())
          variables.insert(q.name);
    for (const StmtP &s : kernel.body->body)
      if (s->kind == StmtKind::Declare && isColumnSum(kernel, s->name)) {
        if (std::string problem = wrongColumnSum(p, k, report, kernel, s->name); !problem.empty())
          say(fmt::format("{}: {}", s->name, problem));
        variables.insert(s->name);
      }
    if (!variables.empty())
      if (std::string strange =
              strangeAssignment(codeOf(kernel), variables, registersIn(kernel.body));
          !strange.empty())
        say("an assignment to " + strange + " that uses no result");
  }
  // Sums that are taken belong to a kernel that leaves them.
  for (const Kernel &kernel : k.kernels)
    if (std::any_of(report.combinations.begin(), report.combinations.end(),
                    [&](const Combination &c) { return c.kernel == &kernel; }) &&
        takesColumnSums(k, kernel) &&
        std::none_of(report.combinations.begin(), report.combinations.end(),
                     [&](const Combination &c) {
                       return c.loop && c.kernel == &kernel && hasLeft(p, report, c.variable);
                     }))
      findings.push_back(
          {"reductions", kernel.name + ": it combines partial results that no kernel has written"});
  for (const Combination &c :
       report.combinations) // partial results that no reduction of the same shape leaves
    if (c.loop && takesBlockResults(k, *c.kernel) &&
        std::none_of(report.combinations.begin(), report.combinations.end(),
                     [&](const Combination &x) { return bufferOf(p, x) == c.variable; }))
      findings.push_back(
          {"reductions",
           fmt::format("{}: no kernel has written the partial results that are read from {}",
                       c.kernel->name, c.variable)});
  return findings;
}

} // namespace nw
