// The check 'scalar-replacement': where an element is kept in a variable, the program computes what
// it did before. A load puts the element into the variable, a statement of the program before has
// the variable in the element's place, a store puts it back; from load to store, nobody else
// touches the element. So the variable has at each use the value that the element had, and the
// element has it again when others look.
#include "poly/dependences.h"
#include "verify/rewriting/rewriting.h"
#include "verify/rewriting/same_program.h"
#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace nw {

namespace {

// Who touches the variable, and the element that it stands for.
struct ReplacedElement {
  std::string variable;
  const Statement *load, *user, *store;
  ExprP element; // as load, user and store spell it
};

bool touches(const Statement &s, const std::string &array) {
  return std::any_of(s.accesses.begin(), s.accesses.end(),
                     [&](const Access &a) { return a.array == array; });
}

class ScalarReplacementCheck {
public:
  ScalarReplacementCheck(const Program &now, const Program &then)
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
      say("there are new statements that neither load nor store a variable");
    for (const ReplacedElement &c : all)
      if (findings.empty())
        element(c);
    for (const Statement &then : q.statements)
      if (findings.empty())
        statement(*p.find(then.name), then);
    return findings;
  }

private:
  void say(const std::string &what) { findings.push_back({"scalar-replacement", what}); }

  bool frame() const {
    std::set<std::string> names;
    bool is = sameSurroundings(p, q) && p.loops.size() == q.loops.size() && sameArrays(p, q) &&
              sameOrder(p, q);
    for (const Statement &s : p.statements)
      is = is && names.insert(s.name).second;
    return is;
  }

  // ---- who is who ----

  void find(const Array &array) {
    ReplacedElement c{array.name, nullptr, nullptr, nullptr, nullptr};
    bool isClear = true;
    for (const Statement &s : p.statements) {
      if (!touches(s, array.name))
        continue;
      const Statement *&role = q.find(s.name)                     ? c.user
                               : accessTo(s, array.name)->isWrite ? c.load
                                                                  : c.store;
      isClear = isClear && !role;
      role = &s;
    }
    if (!isClear || !c.load || !c.user || !c.store)
      return say(
          fmt::format("{} is not loaded, used and stored by one statement each", array.name));
    if (c.load->body->kind != StmtKind::Assign || c.store->body->kind != StmtKind::Assign)
      return say(fmt::format("{} is not loaded and stored by assignments", array.name));
    c.element = c.load->body->exprs[1];
    if (!isVariable(array, c))
      return say(
          fmt::format("{} is not a variable of our own for iterations of the loops around {}",
                      array.name, c.user->name));
    all.push_back(c);
  }

  // One for each iteration of the loops around load and store, with a name that nothing had.
  bool isVariable(const Array &a, const ReplacedElement &c) const {
    return a.kind == ArrayKind::Private && a.isScalar() && a.extents.empty() &&
           a.flatSizes.empty() && !a.slots && !a.isOwn() && a.privateLoops == c.load->loops &&
           a.privateDepth == int(a.privateLoops.size()) && a.variable.inside &&
           !a.variable.liveAfter && !a.variable.isPointer && a.variable.type == c.element->type &&
           a.elementBytes == bytesOf(a.variable.type.scalar) && freshName(q, a.name) == a.name;
  }

  // ---- the element ----

  void element(const ReplacedElement &c) {
    auto wrong = [&](const char *what) {
      say(fmt::format("{}, kept in a scalar through {}: {}", c.variable, c.user->name, what));
    };
    size_t outer = c.load->loops.size();
    if (c.store->loops != c.load->loops || c.user->loops.size() <= outer ||
        !std::equal(c.load->loops.begin(), c.load->loops.end(), c.user->loops.begin()))
      return wrong("load and store are not in the loops around it");
    isl::set iterations = around(c.user->domain, outer);
    if (!unnamed(c.load->domain).is_equal(iterations) ||
        !unnamed(c.store->domain).is_equal(iterations))
      return wrong("it is not loaded and stored in the iterations that use it");
    if (!isAlwaysTheSame(c) || !isMove(*c.load, c, false) || !isMove(*c.store, c, true))
      return wrong("load and store do not move one element");
    if (!isl::map(namedInput(elementOf(*c.store, c), c.load->name)).is_equal(elementOf(*c.load, c)))
      return wrong("what is stored goes to another element");
    if (!isUsedBetween(c))
      return wrong("it is used before it is loaded, or after it is stored");
    for (const Statement &s : p.statements)
      if (touchesBetween(s, c))
        return wrong(fmt::format("{} touches the element between load and store", s.name).c_str());
  }

  // The iterations of the outer loops.
  static isl::set around(const isl::set &domain, size_t outer) {
    return unnamed(isl::manage(isl_set_project_out(domain.copy(), isl_dim_set, unsigned(outer),
                                                   unsigned(dimsOf(domain)) - unsigned(outer))));
  }

  // S[outer, inner] -> name[outer].
  static isl::map outerOf(const Statement &s, size_t outer, const std::string &name) {
    isl_map *same = isl_map_reset_tuple_id(identityOn(s.domain).release(), isl_dim_out);
    return namedOutput(isl::manage(isl_map_project_out(same, isl_dim_out, unsigned(outer),
                                                       unsigned(s.loops.size()) - unsigned(outer))),
                       name);
  }

  static std::string arrayOf(const ReplacedElement &c) { return baseOf(c.element)->name; }
  const isl::map &elementOf(const Statement &move, const ReplacedElement &c) const {
    return accessTo(move, arrayOf(c))->relation;
  }

  // A position of an array that depends on the outer loops, and on nothing that could change
  // meanwhile.
  bool isAlwaysTheSame(const ReplacedElement &c) const {
    const Expr *base = baseOf(c.element);
    auto array = base ? q.arrays.find(base->name) : q.arrays.end();
    if (c.element->kind != ExprKind::Index || array == q.arrays.end() ||
        array->second.kind != ArrayKind::Memory || array->second.slots ||
        !(array->second.variable.type == c.element->type))
      return false;
    bool is = true;
    walk(c.element, [&](const ExprP &e) {
      is = is && e->kind != ExprKind::Call &&
           (e->kind != ExprKind::Var || e.get() == base || !p.arrays.count(e->name));
      return is;
    });
    for (size_t k = c.load->loops.size(); k < c.user->loops.size(); k++)
      is = is && !mentions(c.element, p.loop(c.user->loops[k]).counter);
    return is;
  }

  // variable = element or element = variable, and the accesses say so.
  bool isMove(const Statement &s, const ReplacedElement &c, bool isStore) const {
    const ExprP &inVariable = s.body->exprs[isStore ? 1 : 0],
                &inMemory = s.body->exprs[isStore ? 0 : 1];
    if (inVariable->kind != ExprKind::Var || inVariable->name != c.variable ||
        !(inVariable->type == c.element->type) || !sameTree(inMemory, c.element) || s.isCopy ||
        s.reduction || s.accesses.size() != 2)
      return false;
    const Access *own = accessTo(s, c.variable), *element = accessTo(s, arrayOf(c));
    auto isDone = [&](const Access *a, bool isWrite) {
      return a && a->isWrite == isWrite && a->isCertain && (a->isMust || !isWrite) &&
             a->relation.is_single_valued() && a->relation.domain().is_equal(s.domain);
    };
    return isDone(own, !isStore) && isDone(element, isStore) &&
           own->relation.is_equal(outerOf(s, s.loops.size(), c.variable));
  }

  // ---- times ----

  // Pairs of instances of which the first comes before the second.
  isl::map before(const Statement &a, const Statement &b) const {
    return isl::manage(isl_map_lex_lt_map(times.at(a.name).copy(), times.at(b.name).copy()));
  }

  // The same iteration of the outer loops.
  static isl::map together(const Statement &a, const Statement &b, size_t outer) {
    return outerOf(a, outer, "").apply_range(outerOf(b, outer, "").reverse());
  }

  bool isUsedBetween(const ReplacedElement &c) const {
    size_t outer = c.load->loops.size();
    return together(*c.load, *c.user, outer)
               .intersect_params(context)
               .is_subset(before(*c.load, *c.user)) &&
           together(*c.user, *c.store, outer)
               .intersect_params(context)
               .is_subset(before(*c.user, *c.store));
  }

  // Whether an instance touches the element neither before the load nor after the store. Instances
  // of one time count as between.
  bool touchesBetween(const Statement &s, const ReplacedElement &c) const {
    isl::map earlier = before(s, *c.load).reverse(),
             later = namedInput(before(*c.store, s), c.load->name); // load -> s
    for (const Access &a : s.accesses) {
      if (a.array != arrayOf(c))
        continue;
      isl::map same =
          elementOf(*c.load, c).apply_range(a.relation.reverse()).intersect_params(context);
      if (&s == c.load || &s == c.store) // not those of this iteration
        same = same.subtract(together(*c.load, s, c.load->loops.size()));
      if (!same.subtract(earlier).subtract(later).is_empty())
        return true;
    }
    return false;
  }

  // ---- the statements that were there ----

  void statement(const Statement &now, const Statement &then) {
    auto wrong = [&](const char *what) { say(fmt::format("{}: {}", now.name, what)); };
    if (!now.domain.is_equal(then.domain) || now.loops != then.loops || now.isCopy != then.isCopy ||
        now.accesses.size() != then.accesses.size())
      return wrong("other instances, or other accesses, than before");
    if (!sameCode(asBefore(now), then.body))
      return wrong("its code differs in more than the variables that stand for elements");
    for (size_t k = 0; k < now.accesses.size(); k++)
      if (!isAsBefore(now, now.accesses[k], then.accesses[k]))
        return wrong("an access touches other elements than before");
    for (const ReplacedElement &c : all)
      if (c.user == &now && !isInAccesses(now, arrayOf(c)))
        return wrong("its code touches an element that its accesses do not name");
    if (now.reduction && !sameReduction(now.reduction, then.reduction) && !reducesIntoVariable(now))
      return wrong("it reduces into another element");
  }

  const ReplacedElement *replacedBy(const Statement &s, const std::string &name) const {
    auto found = std::find_if(all.begin(), all.end(), [&](const ReplacedElement &c) {
      return c.user == &s && c.variable == name;
    });
    return found == all.end() ? nullptr : &*found;
  }

  // Its code with elements in place of variables.
  StmtP asBefore(const Statement &now) const {
    return rewriteExprs(now.body, [&](const ExprP &e) {
      const ReplacedElement *c = e->kind == ExprKind::Var ? replacedBy(now, e->name) : nullptr;
      return c && e->type == c->element->type ? c->element : e;
    });
  }

  bool isAsBefore(const Statement &now, const Access &a, const Access &then) const {
    const ReplacedElement *c = replacedBy(now, a.array);
    if (!c)
      return sameUse(a, then) && a.relation.is_equal(then.relation);
    size_t outer = c->load->loops.size();
    Access inMemory = a;
    inMemory.array = arrayOf(*c);
    return sameUse(inMemory, then) && a.relation.is_equal(outerOf(now, outer, c->variable)) &&
           then.relation.is_equal(
               outerOf(now, outer, c->load->name).apply_range(elementOf(*c->load, *c)));
  }

  // What the code still touches of the array is spelled by an access to it: the element itself may
  // have had two spellings, of which one became the variable.
  static bool isInAccesses(const Statement &s, const std::string &array) {
    bool is = true;
    walkExprs(s.body, [&](const ExprP &e) {
      if (e->kind != ExprKind::Index || !baseOf(e) || baseOf(e)->name != array)
        return true;
      bool isKnown = std::any_of(s.accesses.begin(), s.accesses.end(), [&](const Access &a) {
        return a.array == array &&
               std::any_of(a.spellings.begin(), a.spellings.end(),
                           [&](const ExprP &position) { return sameTree(position, e); });
      });
      is = is && isKnown;
      for (const Expr *x = e.get(); x->kind == ExprKind::Index;
           x = x->args[0].get()) // positions in subscripts
        walk(x->args[1], [&](const ExprP &inner) {
          is = is && !(inner->kind == ExprKind::Var && inner->name == array);
          return is;
        });
      return false;
    });
    return is;
  }

  // Beside reading and writing it as a whole, there is nothing that a reduction into a variable
  // could touch.
  bool reducesIntoVariable(const Statement &s) const {
    const Reduction &r = *s.reduction;
    bool reads = false, writes = false;
    for (const Access &a : s.accesses)
      if (a.array == r.array)
        (a.isWrite ? writes : reads) = true;
    return replacedBy(s, r.array) && r.target->kind == ExprKind::Var && r.target->name == r.array &&
           r.type == r.target->type && reads && writes;
  }

  const Program &p, &q;
  isl::set context;
  std::map<std::string, isl::map> times;
  std::vector<ReplacedElement> all;
  std::vector<Finding> findings;
};

} // namespace

std::vector<Finding> checkScalarReplacement(const Program &now, const Program &then) {
  return ScalarReplacementCheck(now, then).run();
}

} // namespace nw
