// The check 'accumulation': where a sum is formed in a variable and added to its element in the
// end, the program computes what it did before, but for the order of the sum, which was free. The
// variable is set to zero before the sum's instances for an element, these have the variable in the
// element's place, the element gets it after them; meanwhile nobody else touches the element.
#include "poly/dependences.h"
#include "verify/rewriting/rewriting.h"
#include "verify/rewriting/same_program.h"
#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace nw {

namespace {

struct Sum {
  const Array *variable = nullptr;
  const Statement *first = nullptr, *user = nullptr, *last = nullptr;
  const Statement *then = nullptr; // the user, as it was
  std::vector<size_t> levels;      // of the user's loops, of whose iterations each has a variable
};

class AccumulationCheck {
public:
  AccumulationCheck(const Program &now, const Program &then)
      : p(now), q(then), context(q.context.intersect(q.assumptions)) {
    for (const isl::map &m : mapsOf(sourceOrder(p)))
      times.emplace(inputTupleOf(m), m);
  }

  std::vector<Finding> run() {
    if (!frame())
      say("is another program");
    for (auto &[name, array] : p.arrays)
      if (!q.arrays.count(name) && findings.empty())
        find(array);
    if (findings.empty() && p.statements.size() != q.statements.size() + 2 * all.size())
      say("there are new statements that neither begin nor end a sum");
    for (const Sum &sum : all)
      if (findings.empty())
        if (const char *what = wrongWith(sum))
          say(fmt::format("{}, the sum of {}: {}", sum.variable->name, sum.user->name, what));
    for (const Statement &then : q.statements)
      if (findings.empty() && !isUser(then.name) && !isSame(*p.find(then.name), then))
        say(fmt::format("{}: other code, instances or accesses than before", then.name));
    return findings;
  }

private:
  void say(const std::string &what) { findings.push_back({"accumulation", what}); }

  bool frame() const {
    std::set<std::string> names;
    bool is = sameSurroundings(p, q) && sameArrays(p, q) && sameOrder(p, q);
    for (const Statement &s : p.statements)
      is = is && names.insert(s.name).second;
    return is;
  }

  bool isUser(const std::string &name) const {
    return std::any_of(all.begin(), all.end(), [&](const Sum &s) { return s.user->name == name; });
  }

  static bool isSame(const Statement &now, const Statement &then) {
    bool is = now.domain.is_equal(then.domain) && now.loops == then.loops &&
              now.isCopy == then.isCopy && sameCode(now.body, then.body) &&
              sameReduction(now.reduction, then.reduction) &&
              now.accesses.size() == then.accesses.size();
    for (size_t k = 0; is && k < now.accesses.size(); k++)
      is = sameUse(now.accesses[k], then.accesses[k]) &&
           now.accesses[k].relation.is_equal(then.accesses[k].relation);
    return is;
  }

  void find(const Array &array) {
    Sum sum;
    sum.variable = &array;
    bool isClear = true;
    for (const Statement &s : p.statements) {
      const Access *a = accessTo(s, array.name);
      if (!a)
        continue;
      const Statement *&role = q.find(s.name) ? sum.user : a->isWrite ? sum.first : sum.last;
      isClear = isClear && !role && !isUser(s.name);
      role = &s;
    }
    if (!isClear || !sum.first || !sum.user || !sum.last)
      return say(fmt::format("{} is not begun, used and ended by one statement each", array.name));
    sum.then = q.find(sum.user->name);
    for (size_t k = 0; k < sum.user->loops.size(); k++)
      if (std::count(array.privateLoops.begin(), array.privateLoops.end(), sum.user->loops[k]))
        sum.levels.push_back(k);
    all.push_back(sum);
  }

  const char *wrongWith(const Sum &sum) const {
    if (!isSum(*sum.then))
      return "it was no sum whose order is free";
    if (!isVariable(sum))
      return "its variable is not one of our own for iterations of loops around it";
    if (!isAround(sum, *sum.first) || !isAround(sum, *sum.last))
      return "it is not begun and ended in the iterations that it has";
    if (!begins(sum))
      return "it does not begin with zero";
    if (!ends(sum))
      return "it is not added to its element, or to that of another";
    if (!isUsed(sum))
      return "its code differs in more than the variable that stands for the element";
    if (!isBetween(sum))
      return "it goes on before it begins, or after it ends";
    for (const Statement &s : p.statements)
      if (touchesBetween(s, sum))
        return "another statement touches the element meanwhile";
    return nullptr;
  }

  static const ExprP &elementOf(const Sum &sum) { return sum.then->reduction->target; }
  static const std::string &arrayOf(const Sum &sum) { return sum.then->reduction->array; }

  // Into an element of memory, for which there is no other name in the statement.
  bool isSum(const Statement &s) const {
    if (!s.reduction || s.reduction->kind != ReductionKind::Sum ||
        s.body->kind != StmtKind::Assign || !sameTree(s.body->exprs[0], s.reduction->target))
      return false;
    const Reduction &r = *s.reduction;
    auto array = q.arrays.find(r.array);
    const Expr *base = baseOf(r.target);
    return array != q.arrays.end() && array->second.kind == ArrayKind::Memory &&
           !array->second.slots && r.target->kind == ExprKind::Index && base &&
           base->name == r.array && array->second.variable.type == r.type &&
           r.target->type == r.type &&
           (r.type.isFloat() ? r.type.scalar == Scalar::F32 || r.type.scalar == Scalar::F64
                             : bitsOf(r.type.scalar) >= 32);
  }

  bool isVariable(const Sum &sum) const {
    const Array &a = *sum.variable;
    std::vector<int> loops;
    for (size_t k : sum.levels)
      loops.push_back(sum.user->loops[k]);
    return a.kind == ArrayKind::Private && a.isScalar() && a.extents.empty() &&
           a.flatSizes.empty() && !a.slots && !a.isOwn() && a.privateLoops == loops &&
           a.privateDepth == int(loops.size()) && loops.size() < sum.user->loops.size() &&
           a.variable.inside && !a.variable.liveAfter && !a.variable.isPointer &&
           a.variable.type == sum.then->reduction->type &&
           a.elementBytes == bytesOf(a.variable.type.scalar) && freshName(q, a.name) == a.name;
  }

  bool isTheVariable(const ExprP &e, const Sum &sum) const {
    return e->kind == ExprKind::Var && e->name == sum.variable->name &&
           e->type == sum.variable->variable.type;
  }

  // The user: S[all levels] -> [those of the variable].
  static isl::map outerOf(const Sum &sum, const std::string &name) {
    isl::map m =
        isl::manage(isl_map_reset_tuple_id(identityOn(sum.user->domain).release(), isl_dim_out));
    for (size_t k = sum.user->loops.size(); k-- > 0;)
      if (!std::count(sum.levels.begin(), sum.levels.end(), k))
        m = isl::manage(isl_map_project_out(m.release(), isl_dim_out, unsigned(k), 1));
    return namedOutput(m, name);
  }

  bool isUsed(const Sum &sum) const {
    const Statement &now = *sum.user, &then = *sum.then;
    StmtP before = rewriteExprs(
        now.body, [&](const ExprP &e) { return isTheVariable(e, sum) ? elementOf(sum) : e; });
    bool touchesMemory = false;
    walkExprs(now.body, [&](const ExprP &e) {
      touchesMemory |= e->kind == ExprKind::Var && e->name == arrayOf(sum);
      return true;
    });
    if (touchesMemory || !now.domain.is_equal(then.domain) || now.loops != then.loops ||
        now.isCopy != then.isCopy || now.accesses.size() != then.accesses.size() ||
        !sameCode(before, then.body))
      return false;
    for (size_t k = 0; k < now.accesses.size(); k++) {
      const Access &a = now.accesses[k], &was = then.accesses[k];
      Access inMemory = a;
      isl::map relation = a.relation;
      if (a.array == sum.variable->name) {
        inMemory.array = arrayOf(sum);
        relation =
            outerOf(sum, sum.last->name).apply_range(accessTo(*sum.last, arrayOf(sum))->relation);
        if (!a.relation.is_equal(outerOf(sum, a.array)))
          return false;
      }
      if (!sameUse(inMemory, was) || !relation.is_equal(was.relation))
        return false;
    }
    return !now.reduction ||
           (now.reduction->array == sum.variable->name &&
            isTheVariable(now.reduction->target, sum) &&
            now.reduction->kind == ReductionKind::Sum &&
            now.reduction->type == then.reduction->type && !now.reduction->byFunction);
  }

  // In the loops of the variable, or in others that count alike, for the iterations that the sum
  // has.
  bool isAround(const Sum &sum, const Statement &s) const {
    if (s.loops.size() != sum.levels.size() || s.isCopy || s.reduction)
      return false;
    for (size_t n = 0; n < s.loops.size(); n++) {
      const SourceLoop &own = p.loop(s.loops[n]), &like = p.loop(sum.user->loops[sum.levels[n]]);
      if (own.counter != like.counter || !(own.type == like.type) || own.step != like.step)
        return false;
    }
    return isl::set(unnamed(outerOf(sum, "x").range())).is_equal(unnamed(s.domain));
  }

  static bool isDone(const Statement &s, const Access *a, bool isWrite) {
    return a && a->isWrite == isWrite && a->isCertain && a->isMust == isWrite &&
           a->relation.is_single_valued() && a->relation.domain().is_equal(s.domain);
  }

  // The access of the variable of the same iteration.
  static bool isOwn(const Statement &s, const Access *a, const Sum &sum, bool isWrite) {
    return isDone(s, a, isWrite) && a->array == sum.variable->name &&
           a->relation.is_equal(namedOutput(identityOn(s.domain), sum.variable->name));
  }

  bool begins(const Sum &sum) const {
    const Statement &s = *sum.first;
    if (s.body->kind != StmtKind::Assign || s.accesses.size() != 1 ||
        !isOwn(s, &s.accesses[0], sum, true) || !isTheVariable(s.body->exprs[0], sum))
      return false;
    const ExprP &value = s.body->exprs[1];
    return value->type == sum.variable->variable.type &&
           ((value->kind == ExprKind::Int && value->integer == 0) ||
            (value->kind == ExprKind::Float && value->number == 0));
  }

  bool ends(const Sum &sum) const {
    const Statement &s = *sum.last;
    const ExprP &element = elementOf(sum);
    if (s.body->kind != StmtKind::Assign || !sameTree(s.body->exprs[0], element))
      return false;
    const ExprP &value = s.body->exprs[1];
    if (value->kind != ExprKind::Binary || value->name != "+" || !(value->type == element->type) ||
        !sameTree(value->args[0], element) || !isTheVariable(value->args[1], sum))
      return false;
    const Access *read = nullptr, *write = nullptr, *own = nullptr;
    for (const Access &a : s.accesses)
      (a.array == sum.variable->name ? own : a.isWrite ? write : read) = &a;
    return s.accesses.size() == 3 && isOwn(s, own, sum, false) && isDone(s, read, false) &&
           isDone(s, write, true) && read->array == arrayOf(sum) && write->array == arrayOf(sum) &&
           read->relation.is_equal(write->relation);
  }

  // ---- times ----

  // Pairs of instances of which the first comes before the second.
  isl::map before(const Statement &a, const Statement &b) const {
    return isl::manage(isl_map_lex_lt_map(times.at(a.name).copy(), times.at(b.name).copy()));
  }

  bool isBetween(const Sum &sum) const {
    isl::map first = outerOf(sum, sum.first->name).reverse().intersect_params(context),
             last = outerOf(sum, sum.last->name).intersect_params(context);
    return first.is_subset(before(*sum.first, *sum.user)) &&
           last.is_subset(before(*sum.user, *sum.last));
  }

  // Whether an instance touches the element neither before the sum begins nor after it has ended.
  // Another sum may end in the same element.
  bool touchesBetween(const Statement &s, const Sum &sum) const {
    const isl::map &element = accessTo(*sum.last, arrayOf(sum))->relation;
    isl::map earlier = namedInput(before(s, *sum.first).reverse(), sum.last->name),
             later = before(*sum.last, s); // last -> s
    for (const Access &a : s.accesses) {
      if (a.array != arrayOf(sum))
        continue;
      isl::map same = element.apply_range(a.relation.reverse()).intersect_params(context);
      if (&s == sum.last)
        same = same.subtract(identityOn(s.domain));
      if (!same.subtract(earlier).subtract(later).is_empty())
        return true;
    }
    return false;
  }

  const Program &p, &q;
  isl::set context;
  std::map<std::string, isl::map> times;
  std::vector<Sum> all;
  std::vector<Finding> findings;
};

} // namespace

std::vector<Finding> checkAccumulation(const Program &now, const Program &then) {
  return AccumulationCheck(now, then).run();
}

} // namespace nw
