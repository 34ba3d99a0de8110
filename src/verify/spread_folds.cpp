// Folds that threads share out: what each register holds, who takes part, and where the result goes.
#include "verify/spread_folds.h"
#include "kernel/fold_steps.h"
#include "verify/fold_parts.h"
#include "verify/kept_registers.h"
#include "verify/place_order.h"
#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace nw {

namespace {

// The Fold of the variable, where there is exactly one.
const Stmt *foldOf(const Kernel &kernel, const std::string &variable) {
  const Stmt *found = nullptr;
  int many = 0;
  walkStmts(kernel.body, [&](const StmtP &s) {
    if (s->kind == StmtKind::Fold && s->name == variable) {
      found = s.get();
      many++;
    }
  });
  return many == 1 ? found : nullptr;
}

const Combination *combinationOf(const PlaceReport &report, const Kernel &kernel, const std::string &variable) {
  const Combination *found = nullptr;
  for (const Combination &c : report.combinations)
    if (c.kernel == &kernel && c.variable == variable) {
      if (found)
        return nullptr;
      found = &c;
    }
  return found;
}

// The unknowns that tell the threads apart whose registers are put together.
std::vector<std::string> unknownsAlong(const Combination &c, int axis) {
  std::vector<std::string> names;
  for (const char *what : {"lane.", "thread."})
    for (const std::string &name : paramNames(isl::manage(isl_pw_aff_get_domain_space(c.threads.at(what + std::string(1, "xyz"[axis])).get()))))
      names.push_back(name);
  return names;
}

isl::set without(isl::set s, const std::vector<std::string> &unknowns) {
  for (const std::string &name : unknowns)
    if (int at = isl_set_find_dim_by_name(s.get(), isl_dim_param, name.c_str()); at >= 0)
      s = isl::manage(isl_set_project_out(s.release(), isl_dim_param, unsigned(at), 1));
  return s;
}

// Unknowns of the set that the other does not know: counters of loops that it does not stand in.
std::vector<std::string> unknownsBeyond(const isl::set &s, const isl::set &other) {
  std::vector<std::string> names;
  for (const std::string &name : paramNames(s.get_space()))
    if (name.find('@') != std::string::npos && isl_set_find_dim_by_name(other.get(), isl_dim_param, name.c_str()) < 0)
      names.push_back(name);
  return names;
}

bool involves(const isl::pw_aff &x, const std::vector<std::string> &unknowns) {
  return std::any_of(unknowns.begin(), unknowns.end(), [&](const std::string &name) {
    int at = isl_pw_aff_find_dim_by_name(x.get(), isl_dim_param, name.c_str());
    return at >= 0 && isl_pw_aff_involves_dims(x.get(), isl_dim_param, unsigned(at), 1);
  });
}

// Kernels that have the buffer of this name.
std::vector<const Kernel *> usersOf(const Kernels &k, const std::string &buffer) {
  std::vector<const Kernel *> all;
  for (const Kernel &kernel : k.kernels)
    if (std::any_of(kernel.parameters.begin(), kernel.parameters.end(), [&](const KernelParameter &q) { return q.buffer >= 0 && q.name == buffer; }))
      all.push_back(&kernel);
  return all;
}

// The buffer that the combination leaves a partial result in, or nothing.
std::string bufferOf(const Program &p, const Combination &c) {
  const ExprP &to = c.code->exprs[0];
  bool isBuffer = to->kind == ExprKind::Index && to->args[0]->kind == ExprKind::Var && !p.arrays.count(to->args[0]->name) && !c.locals.count(to->args[0]->name);
  return isBuffer && !c.loop ? to->args[0]->name : "";
}

// The one that takes the partial results in the buffer.
const Combination *gatheringOf(const PlaceReport &report, const std::string &buffer) {
  const Combination *found = nullptr;
  for (const Combination &c : report.combinations)
    if (c.loop && c.variable == buffer) {
      if (found)
        return nullptr;
      found = &c;
    }
  return found;
}

ExprP bare(ExprP e) {
  while (e->kind == ExprKind::Cast && e->type.isInteger() && bitsOf(e->type.scalar) >= 32)
    e = e->args[0];
  return e;
}

bool isBuiltin(const ExprP &e, const char *name) { return bare(e)->kind == ExprKind::Builtin && bare(e)->name == name; }

std::string textOf(const ExprP &e) {
  return print(rewrite(e, [](const ExprP &x) { return x->kind == ExprKind::Cast ? x->args[0] : x; }));
}

// buffer[row * width + thread.x], computed in 64 bits: the row and the width.
std::optional<std::pair<ExprP, ExprP>> cellOf(const ExprP &e, const std::string &buffer) {
  if (e->kind != ExprKind::Index || e->args[0]->kind != ExprKind::Var || e->args[0]->name != buffer)
    return std::nullopt;
  const ExprP &sum = e->args[1];
  if (sum->kind != ExprKind::Binary || sum->name != "+" || !(sum->type == kI64) || !isBuiltin(sum->args[1], "thread.x"))
    return std::nullopt;
  const ExprP &product = sum->args[0];
  if (product->kind != ExprKind::Binary || product->name != "*" || !(product->type == kI64))
    return std::nullopt;
  return std::pair(product->args[0], product->args[1]);
}

// The value that the host gives for a parameter of the kernel.
ExprP passed(const Kernel &kernel, const ExprP &e) {
  for (const KernelParameter &q : kernel.parameters)
    if (e->kind == ExprKind::Var && q.name == e->name && q.buffer < 0)
      return q.value;
  return nullptr;
}

class SpreadCheck {
public:
  SpreadCheck(const Program &p, const Kernels &k, const PlaceReport &report, const Kernel &kernel, std::string variable) : p(p), k(k), report(report), kernel(kernel), variable(std::move(variable)) {}

  // What is wrong, or nothing.
  std::string run() {
    for (const Place &place : report.places)
      if (const Statement *s = p.find(place.statement); place.kernel == &kernel && mentioned(place.code)) {
        if (!s || !s->reduction || partialOf(place, *s->reduction) != variable || (!places.empty() && places[0]->statement != place.statement))
          return "its register is used by another statement";
        places.push_back(&place);
      }
    if (places.empty())
      return "nothing is folded";
    statement = p.find(places[0]->statement);
    fold = foldOf(kernel, variable);
    if (!fold)
      return "its values are put together more than once";
    if (std::string problem = steps(); !problem.empty())
      return problem;
    combination = combinationOf(report, kernel, variable);
    if (!combination)
      return "its result is not taken exactly once";
    along = unknownsAlong(*combination, fold->collective.axis);
    if (std::string buffer = bufferOf(p, *combination); !buffer.empty())
      return partials(buffer);
    for (auto question : {&SpreadCheck::target, &SpreadCheck::threads, &SpreadCheck::elements})
      if (std::string problem = (this->*question)(); !problem.empty())
        return problem;
    return "";
  }

private:
  bool mentioned(const StmtP &code) const {
    bool is = false;
    walkStmts(code, [&](const StmtP &s) { is |= (s->kind == StmtKind::Fold || s->kind == StmtKind::Declare) && s->name == variable; });
    walkExprs(code, [&](const ExprP &e) {
      is |= e->kind == ExprKind::Var && e->name == variable;
      return !is;
    });
    return is;
  }

  // { …; T register = neutral; instances; fold register; … target = target op register … }, and the register nowhere else.
  std::string steps() const {
    const Reduction &r = *statement->reduction;
    if (fold->collective.axis < 0 || fold->collective.axis > 1 || fold->collective.op != foldOperator(r.kind, r.byFunction) || !(fold->type == r.type))
      return "its values are put together in another way";
    std::string problem = "its steps cannot be found";
    int declared = 0, around = 0;
    walkStmts(withoutKeptRegisters(kernel.body), [&](const StmtP &b) {
      declared += b->kind == StmtKind::Declare && b->name == variable;
      if (b->kind != StmtKind::Block || b->isInstance())
        return;
      auto at = std::find_if(b->body.begin(), b->body.end(), [&](const StmtP &s) { return s->kind == StmtKind::Fold && s->name == variable; });
      if (at == b->body.end())
        return;
      around++;
      auto start = std::find_if(b->body.begin(), at, [&](const StmtP &s) { return s->kind == StmtKind::Declare && s->name == variable; });
      if (start == at || (*start)->exprs.size() != 1 || !((*start)->type == r.type) || !(*start)->extents.empty() || !isNeutral(r.kind, (*start)->exprs[0])) {
        problem = "it does not begin with the neutral value";
        return;
      }
      problem = "";
      for (auto s = start + 1; s != at && problem.empty(); s++)
        if (isTouchedBetween(*s))
          problem = "its register is touched beside the instances";
      int uses = 0;
      for (auto s = at + 1; s != b->body.end() && problem.empty(); s++)
        if (mentioned(*s)) {
          uses++;
          if (!isCombination(*s))
            problem = "its result is not taken by one assignment after the fold";
        }
      for (auto s = b->body.begin(); s != start && problem.empty(); s++)
        if (mentioned(*s))
          problem = "its register is touched before it begins";
      if (problem.empty() && uses != 1)
        problem = "its result is not taken exactly once";
    });
    if (problem.empty() && (declared != 1 || around != 1 || usesOutside() != 0))
      problem = "its register has other uses";
    return problem;
  }

  // Uses of the register in the whole kernel beyond those of the block that folds it.
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
    StmtP body = withoutKeptRegisters(kernel.body);
    all = uses(body);
    walkStmts(body, [&](const StmtP &b) {
      if (b->kind == StmtKind::Block && std::any_of(b->body.begin(), b->body.end(), [&](const StmtP &s) { return s->kind == StmtKind::Fold && s->name == variable; }))
        in = uses(b);
    });
    return all - in;
  }

  // Whether anything but instances touches the register.
  bool isTouchedBetween(const StmtP &code) const {
    if (code->isInstance())
      return false;
    auto touches = [&](const ExprP &e) { return e && mentions(e, variable); };
    bool is = std::any_of(code->exprs.begin(), code->exprs.end(), touches) || ((code->kind == StmtKind::Declare || code->kind == StmtKind::Fold || code->kind == StmtKind::Shared) && code->name == variable);
    if (code->kind == StmtKind::For)
      is |= touches(code->loop.start) || touches(code->loop.condition) || touches(code->loop.stride) || code->loop.counter == variable;
    return is || std::any_of(code->body.begin(), code->body.end(), [&](const StmtP &b) { return isTouchedBetween(b); });
  }

  // target = target op register, inside guards.
  bool isCombination(const StmtP &s) const {
    switch (s->kind) {
    case StmtKind::If: return s->body.size() == 1 && !mentions(s->exprs[0], variable) && isCombination(s->body[0]);
    case StmtKind::Block: return s->body.size() == 1 && !s->isInstance() && isCombination(s->body[0]);
    case StmtKind::Assign: {
      ExprP added = addedTo(*statement->reduction, *s);
      if (s->exprs[1]->kind == ExprKind::Var && s->exprs[1]->name == variable) // a partial result, see partials()
        return s->exprs[0]->kind == ExprKind::Index && s->exprs[0]->args[0]->kind == ExprKind::Var && !p.arrays.count(s->exprs[0]->args[0]->name) && !mentions(s->exprs[0], variable);
      return added && added->kind == ExprKind::Var && added->name == variable && !mentions(s->exprs[0], variable);
    }
    default: return false;
    }
  }

  // The result goes where every instance that is in it wants it, whichever thread executes it.
  std::string target() {
    const ExprP &to = combination->code->exprs[0], &wanted = statement->reduction->target;
    std::vector<ExprP> in, out;
    if (shapeOf(wanted, in) != shapeOf(to, out))
      return fmt::format("it ends in {}, not in {}", print(to), print(wanted));
    for (const Place *place : places) {
      AffineScope source(place->executed.ctx());
      for (const Parameter &q : p.parameters)
        source.addUnknown(q.name, q.name);
      if (place->values.size() != statement->loops.size())
        return "an instance has another number of iterators";
      for (size_t n = 0; n < statement->loops.size(); n++)
        source.bind(p.loop(statement->loops[n]).counter, place->values[n]);
      for (size_t n = 0; n < in.size(); n++) {
        std::optional<isl::pw_aff> a = source.value(in[n]), b = combination->inside->value(out[n]);
        if (!a || !b || involves(*a, along) || involves(*b, along) || !place->executed.intersect(a->ne_set(*b)).is_empty())
          return fmt::format("it ends in {}, which is not every instance's {}", print(to), print(wanted));
      }
    }
    return "";
  }

  // One thread of those whose registers are put together takes the result: if one of them has executed an instance, and only then.
  std::string threads() {
    isl::pw_aff lane = combination->threads.at(fold->collective.axis == 0 ? "lane.x" : "lane.y");
    if (!combination->executed.subtract(lane.eq_set(combination->inside->constant(0))).is_empty())
      return "its result is taken by several threads";
    isl::set executed = without(combination->executed, along), certain = without(combination->certain, along);
    isl::set some = certain.subtract(certain), sure = some;
    for (const Place *place : places) {
      std::vector<std::string> inner = unknownsBeyond(place->executed, combination->executed);
      some = some.unite(without(without(place->executed, along), inner));
      sure = sure.unite(without(without(place->certain, along), inner));
    }
    if (!some.is_subset(certain))
      return "its result is not taken everywhere: " + inShort(some.subtract(certain));
    if (!executed.is_subset(sure))
      return "its result is taken where nothing is folded: " + inShort(executed.subtract(sure));
    return "";
  }

  // Every block leaves a result of each column of threads, partial[block.y * columns + thread.x]; the next kernel takes those of all
  // blocks, in a thread of the same number.
  std::string partials(const std::string &buffer) {
    const Combination &store = *combination;
    const Combination *gather = gatheringOf(report, buffer);
    if (!gather || usersOf(k, buffer).size() != 2 || gather->kernel == &kernel)
      return "its partial results are not taken by one other kernel";
    if (!follows(store, *gather))
      return "the kernel that takes its partial results does not follow at once";
    const Reduction &r = *statement->reduction;
    ExprP from = addedTo(r, *gather->code);
    auto left = cellOf(store.code->exprs[0], buffer), taken = from ? cellOf(from, buffer) : std::nullopt;
    const Loop &loop = gather->loop->loop;
    if (!left || !isBuiltin(left->first, "block.y") || !taken || bare(taken->first)->kind != ExprKind::Var || bare(taken->first)->name != loop.counter)
      return "its partial results are left or taken in other places";
    ExprP width = passed(kernel, left->second), again = passed(*gather->kernel, taken->second);
    if (!width || !again || textOf(width) != textOf(again) || !(left->second->type == kI64))
      return "its partial results lie in rows of different lengths";
    // As many rows as there are blocks.
    std::optional<isl::pw_aff> wanted = store.host->value(store.launch->threads[1]);
    const ExprP &c = loop.condition;
    bool isPlain = loop.start->kind == ExprKind::Int && loop.start->integer == 0 && !loop.stride && loop.step == 1 && c->kind == ExprKind::Binary && c->name == "<" && bare(c->args[0])->kind == ExprKind::Var &&
                   bare(c->args[0])->name == loop.counter && loop.type == kI64;
    std::optional<isl::pw_aff> rows = isPlain ? gather->inside->value(c->args[1]) : std::nullopt;
    int64_t most = store.launch->limit[1], height = kernel.block[1];
    if (!wanted || !rows || most < 1)
      return "how many partial results there are cannot be read";
    isl::pw_aff up = wanted->add(store.host->constant(height - 1));
    isl::pw_aff blocks = isl::manage(isl_pw_aff_floor(isl_pw_aff_scale_down_val(up.release(), intVal(p.isl->get(), long(height)).release())));
    blocks = isl::manage(isl_pw_aff_min(blocks.release(), store.host->constant(most).release()));
    if (!gather->executed.intersect(rows->ne_set(blocks)).is_empty())
      return "it is not the partial results of all blocks that are taken";
    ExprP many = passed(*gather->kernel, c->args[1]);
    for (const Buffer &b : k.buffers)
      if (b.name == buffer && (b.low->kind != ExprKind::Int || b.low->integer != 0 || !b.array.empty() || !many || textOf(b.high) != textOf(binary("*", many, width, kI64))))
        return "the memory for its partial results has another size";
    return columns(store, *gather, *rows, left->second, taken->second);
  }

  // Whether the one launch is the host's next step after the other.
  static bool follows(const Combination &first, const Combination &second) {
    for (size_t n = 0; n < std::min(first.coordinates.size(), second.coordinates.size()); n++) {
      const Coordinate &a = first.coordinates[n], &b = second.coordinates[n];
      if (a.kind != Coordinate::Ordered || b.kind != Coordinate::Ordered || a.site != b.site)
        return false;
      isl::set later = b.value.eq_set(a.value.add(first.host->constant(1)));
      if (a.value.ne_set(b.value).is_empty())
        continue;
      return isl_pw_aff_is_cst(a.value.get()) && isl_pw_aff_is_cst(b.value.get()) && later.complement().is_empty();
    }
    return false;
  }

  // For each column: what is in it belongs to one element; all of it has been left, and goes there.
  std::string columns(const Combination &store, const Combination &gather, const isl::pw_aff &rows, const ExprP &width, const ExprP &again) {
    isl::pw_aff lane = store.threads.at("lane.y"), here = store.threads.at("thread.x"), there = gather.threads.at("thread.x");
    if (!store.executed.subtract(lane.eq_set(store.host->constant(0))).is_empty())
      return "its partial result is left by several threads";
    for (auto [c, x, w] : {std::tuple(&store, &here, width), std::tuple(&gather, &there, again)})
      if (std::optional<isl::pw_aff> most = c->inside->value(w); !most || !c->executed.intersect(x->ge_set(*most)).is_empty())
        return "a partial result lies beyond its row";
    // Columns and elements, as instances have them and as they are taken.
    std::vector<ExprP> in, out;
    if (shapeOf(statement->reduction->target, in) != shapeOf(gather.code->exprs[0], out))
      return fmt::format("it ends in {}, not in {}", print(gather.code->exprs[0]), print(statement->reduction->target));
    auto relation = [](const isl::pw_aff &column, const std::vector<isl::pw_aff> &element, const isl::set &when) {
      Place place;
      place.statement = "column";
      place.values = {column};
      return relationTo(place, element, when);
    };
    std::vector<isl::pw_aff> element;
    for (const ExprP &e : out) {
      std::optional<isl::pw_aff> v = gather.inside->value(e);
      if (!v)
        return "where its result goes cannot be read: " + print(e);
      element.push_back(*v);
    }
    isl::map taken = relation(there, element, gather.executed), surely = relation(there, element, gather.certain);
    isl::map some = taken.subtract(taken), sure = some;
    for (const Place *place : places) {
      AffineScope source(place->executed.ctx());
      for (const Parameter &q : p.parameters)
        source.addUnknown(q.name, q.name);
      for (size_t n = 0; n < statement->loops.size(); n++)
        source.bind(p.loop(statement->loops[n]).counter, place->values[n]);
      std::vector<isl::pw_aff> own;
      for (const ExprP &e : in) {
        std::optional<isl::pw_aff> v = source.value(e);
        if (!v)
          return "what it folds into cannot be read: " + print(e);
        own.push_back(*v);
      }
      some = some.unite(relation(here, own, place->executed));
      sure = sure.unite(relation(here, own, place->certain));
    }
    if (!isl_map_is_single_valued(taken.get()) || !some.is_subset(surely))
      return "a column of threads folds what goes elsewhere, or nowhere";
    if (!taken.is_subset(sure))
      return "its result is taken where nothing is folded";
    // What is taken has been left.
    AffineScope scope = *gather.inside;
    isl::pw_aff row = scope.addUnknown("row", "row@gather");
    isl::set read = gather.executed.intersect(row.ge_set(scope.constant(0))).intersect(row.lt_set(rows));
    if (!relation(there, {row}, read).is_subset(relation(here, {store.threads.at("block.y")}, store.certain)))
      return "a partial result is taken that nobody has left";
    return elements();
  }

  // All that is folded into an element is brought there at once, by one thread.
  std::string elements() {
    isl::map all;
    for (const Place &t : report.targets)
      if (t.statement == statement->name)
        for (const Access &x : statement->accesses)
          if (x.array == statement->reduction->array && x.isWrite) {
            std::vector<isl::pw_aff> values;
            for (const Coordinate &c : t.coordinates)
              values.push_back(c.value);
            isl::map where = relationTo(t, values, t.executed).apply_domain(x.relation.intersect_params(report.context));
            all = all.is_null() ? where : all.unite(where);
          }
    if (all.is_null() || !isl_map_is_single_valued(all.get()))
      return "what belongs into one element is brought there more than once";
    return "";
  }

  const Program &p;
  const Kernels &k;
  const PlaceReport &report;
  const Kernel &kernel;
  std::string variable;
  std::vector<const Place *> places;
  const Statement *statement = nullptr;
  const Stmt *fold = nullptr;
  const Combination *combination = nullptr;
  std::vector<std::string> along;
};

// Assignments outside of instances, in a kernel with folds: those that take results, and no others.
std::string strangeAssignment(const StmtP &code, const std::set<std::string> &variables) {
  if (code->isInstance())
    return "";
  if (code->kind == StmtKind::Assign && std::none_of(variables.begin(), variables.end(), [&](const std::string &v) { return mentions(code->exprs[1], v); }))
    return print(code->exprs[0]);
  for (const StmtP &b : code->body)
    if (std::string found = strangeAssignment(b, variables); !found.empty())
      return found;
  return "";
}

} // namespace

bool isSpread(const Kernel &kernel, const std::string &variable) {
  bool is = false;
  walkStmts(kernel.body, [&](const StmtP &s) { is |= s->kind == StmtKind::Fold && s->name == variable; });
  return is;
}

bool takesSpreadResults(const Kernels &k, const Kernel &kernel) {
  for (const KernelParameter &q : kernel.parameters)
    if (q.buffer >= 0 && k.buffers[size_t(q.buffer)].array.empty() && !k.buffers[size_t(q.buffer)].isBarrier)
      for (const Kernel *other : usersOf(k, q.name))
        if (other != &kernel && hasFolds(other->body) && !hasFolds(kernel.body))
          return true;
  return false;
}

void addTargets(const Program &p, PlaceReport &report) {
  for (Place &place : report.places) {
    const Statement *s = p.find(place.statement);
    std::string variable = s && s->reduction ? partialOf(place, *s->reduction) : "";
    const Stmt *fold = variable.empty() ? nullptr : foldOf(*place.kernel, variable);
    const Combination *c = fold ? combinationOf(report, *place.kernel, variable) : nullptr;
    if (!c)
      continue;
    std::string buffer = bufferOf(p, *c);
    const Combination *gather = buffer.empty() ? nullptr : gatheringOf(report, buffer);
    if (!buffer.empty() && !gather)
      continue;
    Place target = place;
    target.part = Part::OnlyTarget;
    target.executed = without(place.executed, unknownsAlong(*c, fold->collective.axis)).intersect(c->executed);
    if (gather) { // in a thread of the same number, of the kernel that takes the partial results
      target.executed = place.executed.intersect(gather->executed).intersect(c->threads.at("thread.x").eq_set(gather->threads.at("thread.x")));
      target.kernel = gather->kernel;
      c = gather;
    }
    target.certain = target.executed;
    target.coordinates = c->coordinates;
    target.locals = c->locals;
    target.inside = c->inside;
    report.targets.push_back(target);
    place.part = Part::AllButTarget;
  }
}

std::vector<Finding> checkSpreadFolds(const Program &p, const Kernels &k, const PlaceReport &report) {
  std::vector<Finding> findings;
  for (const Kernel &kernel : k.kernels) {
    auto isHere = [&](const auto &x) { return x.kernel == &kernel; };
    if (std::none_of(report.places.begin(), report.places.end(), isHere) && std::none_of(report.combinations.begin(), report.combinations.end(), isHere))
      continue;
    std::set<std::string> variables;
    walkStmts(kernel.body, [&](const StmtP &s) {
      if (s->kind == StmtKind::Fold)
        variables.insert(s->name);
    });
    auto say = [&](const std::string &what) { findings.push_back({"folds", fmt::format("{}: {}", kernel.name, what)}); };
    for (const std::string &name : variables)
      if (std::string problem = SpreadCheck(p, k, report, kernel, name).run(); !problem.empty())
        say(fmt::format("{}: {}", name, problem));
    if (takesSpreadResults(k, kernel)) // each loop that takes them belongs to a fold, which is looked at there
      for (const KernelParameter &q : kernel.parameters)
        if (q.buffer >= 0 && k.buffers[size_t(q.buffer)].array.empty())
          variables.insert(q.name);
    if (!variables.empty())
      if (std::string strange = strangeAssignment(withoutKeptRegisters(kernel.body), variables); !strange.empty())
        say("an assignment to " + strange + " that takes no result");
  }
  for (const Combination &c : report.combinations) // partial results that no fold of the same form leaves
    if (c.loop && takesSpreadResults(k, *c.kernel) && std::none_of(report.combinations.begin(), report.combinations.end(), [&](const Combination &x) { return bufferOf(p, x) == c.variable; }))
      findings.push_back({"folds", fmt::format("{}: nobody has left what is taken from {}", c.kernel->name, c.variable)});
  return findings;
}

} // namespace nw
