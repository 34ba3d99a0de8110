// Elements that are replaced by a scalar.
#include "poly/scalar_replacement.h"
#include <algorithm>
#include <fmt/format.h>

namespace nw {

namespace {

// Positions among siblings are made room between.
constexpr int kRoom = 3;
const char *const kFirst = "_first", *const kLast = "_last";

isl::map withoutLast(const isl::map &relation, const std::string &statement) {
  unsigned last = isl_map_dim(relation.get(), isl_dim_in) - 1;
  return namedInput(isl::manage(isl_map_project_out(relation.copy(), isl_dim_in, last, 1)),
                    statement);
}

// The only assignment of the body; nothing where there is more to it.
StmtP assignmentOf(const StmtP &body) {
  if (body->kind == StmtKind::Block && body->body.size() == 1)
    return assignmentOf(body->body[0]);
  return body->kind == StmtKind::Assign ? body : nullptr;
}

class ScalarReplacement {
public:
  ScalarReplacement(const Program &program, const FindReduction &findReduction)
      : p(program), findReduction(findReduction) {}

  std::optional<ScalarReplaced> run(const Schedule &schedule) {
    collect(schedule.root);
    ScalarReplaced out{p, schedule};
    out.program.statements.clear();
    for (Statement s : p.statements) {
      for (int &position : s.order)
        position *= kRoom;
      if (std::optional<Reduction> reduction =
              inThreads.count(s.name) ? reductionOf(s, out.program) : std::nullopt)
        split(s, *reduction, out.program);
      else
        out.program.statements.push_back(s);
    }
    if (splitStatements.empty())
      return std::nullopt;
    addToSteps(out.schedule.root);
    madeOf(out.program, p, Rewriting::ScalarReplacement);
    return out;
  }

private:
  // Statements whose innermost loop runs within a thread of one parallel loop, which executes it
  // for one iteration of the loops outside.
  void collect(const Step &s) {
    for (const Step &c : s.children)
      collect(c);
    if (s.kind != StepKind::Parallel || s.parallel.size() != 1)
      return;
    for (const isl::map &thread : mapsOf(threadsOf(s)))
      if (const Statement &x = *p.find(inputTupleOf(thread)); !x.loops.empty())
        if (isl::map own = withoutLast(thread, x.name);
            own.is_single_valued() && own.reverse().is_single_valued())
          inThreads.insert(x.name);
  }

  // Loading stands before the reduction's first iteration in the thread, storing after its last.
  void addToSteps(Step &s) const {
    for (Step &c : s.children)
      addToSteps(c);
    for (const std::string &name : splitStatements)
      if (std::count(s.statements.begin(), s.statements.end(), name)) {
        s.statements.push_back(name + kFirst);
        s.statements.push_back(name + kLast);
        addTo(s.dimension, name);
        for (std::vector<Dimension> *dimensions : {&s.parallel, &s.around})
          for (Dimension &d : *dimensions)
            addTo(d, name);
      }
    if (s.inside.is_null())
      return;
    isl::union_map inside(p.isl->get(), "{ }");
    for (const isl::map &m : mapsOf(s.inside)) {
      std::string name = inputTupleOf(m);
      inside = inside.unite(isl::union_map(at(m, 0)));
      if (!splitStatements.count(name))
        continue;
      isl::map times = withoutLast(m, name);
      inside = inside.unite(isl::union_map(
          at(namedInput(isl::manage(isl_map_lexmin(times.copy())), name + kFirst), -1)));
      inside = inside.unite(isl::union_map(
          at(namedInput(isl::manage(isl_map_lexmax(times.copy())), name + kLast), 1)));
    }
    s.inside = inside;
    size_t dimensions = 0;
    for (const isl::map &m : mapsOf(inside))
      dimensions = std::max(dimensions, size_t(isl_map_dim(m.get(), isl_dim_out)));
    s.insideNames.resize(dimensions);
  }

  // The times with one more dimension.
  static isl::map at(const isl::map &times, long value) {
    unsigned last = isl_map_dim(times.get(), isl_dim_out);
    isl_map *longer = isl_map_add_dims(times.copy(), isl_dim_out, 1);
    return isl::manage(isl_map_fix_si(longer, isl_dim_out, last, int(value)));
  }

  void addTo(Dimension &d, const std::string &name) const {
    if (d.value.is_null())
      return;
    for (const isl::map &m : mapsOf(d.value))
      if (inputTupleOf(m) == name)
        for (const char *end : {kFirst, kLast})
          d.value = d.value.unite(isl::union_map(withoutLast(m, name + end)));
  }

  // How the body reduces into a variable that stands in place of the element it writes, where it
  // may.
  std::optional<Reduction> reductionOf(const Statement &s, const Program &made) {
    StmtP update = assignmentOf(s.body);
    if (s.reduction || s.loops.size() < 2 || !update)
      return std::nullopt;
    const ExprP &target = update->exprs[0];
    const SourceLoop &inner = p.loop(s.loops.back());
    bool isAlone = std::none_of(p.statements.begin(), p.statements.end(), [&](const Statement &x) {
      return x.name != s.name && std::count(x.loops.begin(), x.loops.end(), inner.id);
    });
    if (target->kind != ExprKind::Index || target->type.isStruct() || !isAlone ||
        mentions(target, inner.counter))
      return std::nullopt;
    const Access *write = nullptr;
    for (const Access &a : s.accesses)
      if (a.isWrite) {
        if (write || !a.isMust || !a.relation.is_single_valued() ||
            p.arrays.at(a.array).kind != ArrayKind::Memory || p.arrays.at(a.array).slots != 0)
          return std::nullopt;
        write = &a;
      }
    if (!write)
      return std::nullopt;
    // What is read of the array is the element itself, or never is, in all iterations of the loop.
    isl::map elements = withoutLast(write->relation, s.name);
    for (const Access &a : s.accesses)
      if (!a.isWrite && a.array == write->array && !a.relation.is_equal(write->relation) &&
          !withoutLast(a.relation, s.name).intersect(elements).is_empty())
        return std::nullopt;
    // Nor is the element spelled in another way: only the target's spelling becomes the variable.
    for (const Access &a : s.accesses)
      if (a.array == write->array && a.relation.is_equal(write->relation) &&
          !std::all_of(a.spellings.begin(), a.spellings.end(),
                       [&](const ExprP &e) { return sameTree(e, target); }))
        return std::nullopt;
    std::string name = freshName(made, write->array + "_reduced");
    StmtP body = rewriteExprs(
        s.body, [&](const ExprP &e) { return sameTree(e, target) ? var(name, e->type) : e; });
    std::optional<Reduction> reduction = findReduction(body);
    return reduction && reduction->array == name ? reduction : std::nullopt;
  }

  // S becomes: variable = element, for iterations with values of the inner loop; S with the
  // variable; element = variable.
  void split(const Statement &s, const Reduction &reduction, Program &out) {
    const ExprP target = assignmentOf(s.body)->exprs[0];
    ExprP variable = var(reduction.array, target->type);
    splitStatements.insert(s.name);
    unsigned outer = unsigned(dimsOf(s.domain)) - 1;
    const Access &write = *std::find_if(s.accesses.begin(), s.accesses.end(),
                                        [](const Access &a) { return a.isWrite; });
    declare(s, reduction.array, target->type, out);
    Statement first = s;
    first.name = s.name + kFirst;
    first.domain =
        named(isl::manage(isl_set_project_out(s.domain.copy(), isl_dim_set, outer, 1)), first.name);
    first.loops.pop_back();
    first.order.pop_back();
    first.order.back() -= 1;
    first.operations = 1;
    Statement last = first;
    last.name = s.name + kLast;
    last.domain = named(first.domain, last.name);
    last.order.back() += 2;
    first.body = assign(variable, target, s.body->at);
    last.body = assign(target, variable, s.body->at);
    Access element = write, own = write;
    own.array = reduction.array;
    for (Statement *x : {&first, &last}) {
      element.relation = withoutLast(write.relation, x->name).intersect_domain(x->domain);
      own.relation = elementOf(*x, outer, reduction.array);
      element.isWrite = x == &last;
      own.isWrite = x == &first;
      x->accesses = {element, own};
    }
    Statement inner = s;
    inner.body =
        rewriteExprs(s.body, [&](const ExprP &e) { return sameTree(e, target) ? variable : e; });
    if (!restartsAtNan(inner.body, reduction))
      inner.reduction = reduction;
    for (Access &a : inner.accesses)
      if (a.array == write.array && a.relation.is_equal(write.relation)) {
        a.array = reduction.array;
        a.relation = elementOf(s, outer, reduction.array);
      }
    for (const Statement &x : {first, inner, last})
      out.statements.push_back(x);
  }

  // The statement's iteration of the loops around the reduction, as the element of the variable.
  static isl::map elementOf(const Statement &s, unsigned outer, const std::string &variable) {
    isl::map same =
        isl::manage(isl_map_identity(isl_space_map_from_set(isl_set_get_space(s.domain.get()))));
    isl::map prefix = isl::manage(isl_map_project_out(same.release(), isl_dim_out, outer,
                                                      unsigned(dimsOf(s.domain)) - outer));
    return namedOutput(prefix, variable).intersect_domain(s.domain);
  }

  void declare(const Statement &s, const std::string &name, const Type &type, Program &out) const {
    Array a;
    a.name = name;
    a.variable.name = name;
    a.variable.spelling = name;
    a.variable.type = type;
    a.variable.inside = true;
    a.variable.liveAfter = false;
    a.variable.addressKnown = false;
    a.kind = ArrayKind::Private;
    a.privateLoops.assign(s.loops.begin(), s.loops.end() - 1);
    a.privateDepth = int(a.privateLoops.size());
    a.elementBytes = bytesOf(type.scalar);
    out.region.variables[name] = a.variable;
    out.arrays.emplace(name, a);
  }

  const Program &p;
  const FindReduction &findReduction;
  std::set<std::string> inThreads, splitStatements;
};

} // namespace

bool restartsAtNan(const StmtP &body, const Reduction &reduction) {
  bool found = false;
  walkStmts(body, [&](const StmtP &s) {
    if (s->kind == StmtKind::Assign && sameTree(s->exprs[0], reduction.target))
      found |=
          s->exprs[1]->kind == ExprKind::Select && sameTree(s->exprs[1]->args[1], reduction.target);
  });
  return found && reduction.type.isFloat();
}

std::optional<ScalarReplaced> replaceScalars(const Program &program, const Schedule &schedule,
                                             const FindReduction &findReduction) {
  return ScalarReplacement(program, findReduction).run(schedule);
}

} // namespace nw
