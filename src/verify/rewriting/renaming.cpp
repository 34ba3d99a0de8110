// The check 'renaming': where arrays were given memory of our own, the program computes what it did
// before. For every read, and for what is visible in the end, the value comes from the same
// instance, through copies or not, or from before the region as then. Flows are computed here, of
// both programs.
#include "poly/dependences.h"
#include "verify/rewriting/rewriting.h"
#include "verify/rewriting/same_program.h"
#include <algorithm>
#include <fmt/format.h>

namespace nw {

namespace {

// Where values come from: { writer -> [reader -> element] }, and { reader -> element } for what is
// from before the region.
struct Origin {
  isl::union_map writers, before;
};

class RenamingCheck {
public:
  RenamingCheck(const Program &source, const Program &renamed)
      : q(source), p(renamed), context(q.context.intersect(q.assumptions)),
        orderThen(sourceOrder(q)), orderNow(sourceOrder(p)) {}

  std::vector<Finding> run() {
    isSame(frame(), "is another program");
    if (findings.empty())
      for (const Statement &s : p.statements)
        s.isCopy ? copy(s) : statement(s);
    if (findings.empty()) {
      for (const Statement &s : q.statements)
        reads(s);
      for (auto &[name, array] : q.arrays)
        if (isRenamed(name) && isVisible(array))
          ending(name);
    }
    return findings;
  }

private:
  void say(const std::string &what) { findings.push_back({"renaming", what}); }

  void isSame(bool is, const std::string &otherwise) {
    if (!is)
      say(otherwise);
  }

  // ---- what is not renamed is as it was ----

  bool frame() const {
    bool is = sameSurroundings(p, q);
    for (size_t k = q.loops.size(); is && k < p.loops.size(); k++)
      is = p.loops[k].step == 1 && p.loops[k].id == int(k);
    for (auto &[name, array] : p.arrays)
      is = is && (array.isOwn() ? isOwnFor(array) : isAsBefore(name, array));
    for (auto &[name, array] : q.arrays)
      is = is && !array.isOwn() && (p.arrays.count(name) || !isVisible(array));
    size_t kept = 0;
    for (const Statement &s : p.statements)
      kept += !s.isCopy;
    for (const Statement &s : q.statements)
      is = is && !s.isCopy && p.find(s.name) && !p.find(s.name)->isCopy;
    return is && kept == q.statements.size() && sameOrder(p, q);
  }

  bool isAsBefore(const std::string &name, const Array &now) const {
    auto then = q.arrays.find(name);
    return then != q.arrays.end() && sameArray(now, then->second);
  }

  // Elements of our own array are named by those of the other, with subscripts in front.
  bool isOwnFor(const Array &own) const {
    auto of = q.arrays.find(own.standsFor);
    if (of == q.arrays.end() || q.arrays.count(own.name) || q.region.variables.count(own.name) ||
        own.leading < 0)
      return false;
    const Array &array = of->second;
    if (own.kind != ArrayKind::Memory || array.kind != ArrayKind::Memory || array.isScalar() ||
        array.slots || own.slots || !sameExprs(own.flatSizes, array.flatSizes) ||
        (own.leading > 0 && !array.flatSizes.empty()) ||
        !(own.variable.type == array.variable.type) || own.variable.isPointer ||
        own.elementBytes != array.elementBytes ||
        own.extents.size() != array.extents.size() + size_t(own.leading))
      return false;
    for (size_t k = 1; k < own.extents.size(); k++)
      if (!own.extents[k])
        return false;
    for (size_t k = 0; k < array.extents.size(); k++)
      if (array.extents[k] && !sameOrNone(own.extents[k + size_t(own.leading)], array.extents[k]))
        return false;
    return true;
  }

  // The array that an element of `name` is one of, and how many subscripts stand in front.
  const std::string &arrayOf(const std::string &name) const {
    const Array &a = p.arrays.at(name);
    return a.isOwn() ? a.standsFor : name;
  }
  int leadingOf(const std::string &name) const { return p.arrays.at(name).leading; }

  // S -> own[c, s] as S -> X[s].
  isl::map asBefore(const isl::map &relation, const std::string &name) const {
    return namedOutput(isl::manage(isl_map_project_out(relation.copy(), isl_dim_out, 0,
                                                       unsigned(leadingOf(name)))),
                       arrayOf(name));
  }

  ExprP asBefore(const ExprP &e) const {
    return rewrite(e, [&](const ExprP &x) -> ExprP {
      const Expr *base = x.get();
      int depth = 0;
      for (; base->kind == ExprKind::Index; base = base->args[0].get())
        depth++;
      auto own = base->kind == ExprKind::Var ? p.arrays.find(base->name) : p.arrays.end();
      return own != p.arrays.end() && own->second.isOwn() && own->second.leading == depth
                 ? var(own->second.standsFor, x->type)
                 : x;
    });
  }

  StmtP asBefore(const StmtP &s) const {
    auto made = std::make_shared<Stmt>(*s);
    for (ExprP &e : made->exprs)
      e = asBefore(e);
    for (StmtP &b : made->body)
      b = asBefore(b);
    if (made->loop.start)
      made->loop.start = asBefore(made->loop.start);
    if (made->loop.condition)
      made->loop.condition = asBefore(made->loop.condition);
    return made;
  }

  void statement(const Statement &now) {
    const Statement &then = *q.find(now.name);
    auto wrong = [&](const char *what) { say(fmt::format("{}: {}", now.name, what)); };
    if (!now.domain.is_equal(then.domain) || now.loops != then.loops ||
        now.accesses.size() != then.accesses.size())
      return wrong("other instances, or other accesses, than before");
    if (!sameCode(asBefore(now.body), then.body))
      return wrong("its code differs in more than the memory of arrays");
    for (size_t k = 0; k < now.accesses.size(); k++) {
      const Access &a = now.accesses[k], &b = then.accesses[k];
      if (a.isWrite != b.isWrite || a.isMust != b.isMust || a.isCertain != b.isCertain ||
          arrayOf(a.array) != b.array || !asBefore(a.relation, a.array).is_equal(b.relation))
        return wrong("an access touches other elements than before");
      if (p.arrays.at(a.array).isOwn() && (!a.isCertain || !a.relation.is_single_valued()))
        return wrong("it is not known which element of memory of our own it touches");
    }
    if (then.reduction && now.reduction &&
        (now.reduction->kind != then.reduction->kind ||
         !sameTree(asBefore(now.reduction->target), then.reduction->target)))
      return wrong("it reduces into another element");
    if (now.reduction && !reducesAlone(now))
      return wrong("it reduces into an element that it also touches otherwise");
  }

  // All that the statement touches of the array it reduces into is the one element, which it reads
  // and writes.
  static bool reducesAlone(const Statement &s) {
    const Access *one = nullptr;
    bool reads = false, writes = false;
    for (const Access &a : s.accesses)
      if (a.array == s.reduction->array) {
        if (one && !one->relation.is_equal(a.relation))
          return false;
        one = &a;
        (a.isWrite ? writes : reads) = true;
      }
    return reads && writes;
  }

  // ---- copies ----

  const Access &sideOf(const Statement &copy, bool isWrite) const {
    return *std::find_if(copy.accesses.begin(), copy.accesses.end(),
                         [&](const Access &a) { return a.isWrite == isWrite; });
  }

  void copy(const Statement &s) {
    auto wrong = [&](const char *what) { say(fmt::format("the copy {}: {}", s.name, what)); };
    bool isPlain = s.accesses.size() == 2 && s.accesses[0].isWrite != s.accesses[1].isWrite &&
                   s.body->kind == StmtKind::Assign && !s.reduction;
    for (const Access &a : s.accesses)
      isPlain = isPlain && a.isCertain && a.isMust == a.isWrite && a.relation.is_single_valued() &&
                a.relation.domain().is_equal(s.domain);
    if (!isPlain)
      return wrong("it does not copy one element");
    const Access &from = sideOf(s, false), &to = sideOf(s, true);
    if (!isElement(s, s.body->exprs[0], to) || !isElement(s, s.body->exprs[1], from))
      return wrong("its code does not match its accesses");
    if (from.array == to.array || arrayOf(from.array) != arrayOf(to.array) ||
        !asBefore(from.relation, from.array).is_equal(asBefore(to.relation, to.array)))
      return wrong("it copies an element over another one");
    for (const Access *a : {&from, &to})
      if (!p.arrays.at(a->array).isOwn() &&
          !isTouchedThen(a->array, a->relation.intersect_params(context).range()))
        return wrong("it touches memory of the program that the program does not touch");
  }

  // array[e][f] of the element's type; that the subscripts are the access's is for the check
  // 'accesses' to say.
  bool isElement(const Statement &s, const ExprP &e, const Access &access) const {
    const Expr *x = e.get();
    size_t subscripts = 0;
    for (; x->kind == ExprKind::Index; x = x->args[0].get())
      subscripts++;
    const Array &a = p.arrays.at(access.array);
    return x->kind == ExprKind::Var && x->name == access.array && subscripts == a.extents.size() &&
           e->type == a.variable.type && (a.flatSizes.empty() || isFlat(s, e->args[1], a, access));
  }

  // ((i * size) + j) * size + k of the copy's last iterators, in 64 bits, which is what the access
  // says.
  bool isFlat(const Statement &s, ExprP e, const Array &a, const Access &access) const {
    size_t rank = a.flatSizes.size() + 1;
    if (s.loops.size() < rank)
      return false;
    size_t first = s.loops.size() - rank;
    auto isCounter = [&](ExprP x, size_t k) {
      while (x->kind == ExprKind::Cast && x->type == kI64)
        x = x->args[0];
      return x->kind == ExprKind::Var && x->name == p.loop(s.loops[first + k]).counter;
    };
    for (size_t k = rank; k-- > 1;) {
      bool isSum = e->kind == ExprKind::Binary && e->name == "+" && e->type == kI64 &&
                   isCounter(e->args[1], k) && e->args[0]->kind == ExprKind::Binary &&
                   e->args[0]->name == "*" && e->args[0]->type == kI64;
      if (!isSum || !sameTree(withoutCast(e->args[0]->args[1]), withoutCast(a.flatSizes[k - 1])))
        return false;
      e = e->args[0]->args[0];
    }
    isl::map last = isl::manage(
        isl_map_project_out(identityOn(s.domain).release(), isl_dim_out, 0, unsigned(first)));
    return isCounter(e, 0) && namedOutput(last, access.array).is_equal(access.relation);
  }

  static ExprP withoutCast(ExprP e) {
    while (e->kind == ExprKind::Cast && e->type == kI64)
      e = e->args[0];
    return e;
  }

  bool isTouchedThen(const std::string &array, isl::set elements) const {
    for (const Statement &s : q.statements)
      for (const Access &a : s.accesses)
        if (a.array == array && a.isCertain)
          elements = elements.subtract(a.relation.range());
    return elements.is_empty();
  }

  // ---- where values come from ----

  bool isRenamed(const std::string &array) const {
    return std::any_of(p.arrays.begin(), p.arrays.end(),
                       [&](auto &entry) { return entry.second.standsFor == array; });
  }

  static bool isVisible(const Array &a) {
    return a.kind == ArrayKind::Memory &&
           (a.variable.liveAfter || a.variable.isPointer || a.variable.storage == Storage::Global);
  }

  static Origin flowOf(const Program &program, const std::string &array,
                       const isl::union_map &reads, const isl::union_map &order) {
    isl::union_map must(reads.ctx(), "{ }"), may = must;
    for (const Statement &s : program.statements)
      for (const Access &a : s.accesses)
        if (a.isWrite && a.array == array)
          (a.isMust ? must : may) = (a.isMust ? must : may).unite(isl::union_map(a.relation));
    isl::union_flow flow = isl::union_access_info(reads)
                               .set_must_source(must)
                               .set_may_source(may.unite(must))
                               .set_schedule_map(order)
                               .compute_flow();
    return {flow.full_may_dependence(), flow.may_no_source()};
  }

  // { writer -> [reader -> own[c, s]] } as { writer -> [reader -> X[s]] }.
  isl::union_map elementsAsBefore(const isl::union_map &flow, const std::string &array) const {
    isl::union_map all(flow.ctx(), "{ }");
    for (const isl::map &m : mapsOf(flow)) {
      isl::map pair = isl::manage(isl_set_unwrap(m.range().release())); // reader -> element
      isl::map drop = projection(pair.range(), array);                  // own[c, s] -> X[s]
      isl::map keep = identityOn(pair.domain());                        // reader -> reader
      isl::map both = isl::manage(
          isl_map_product(keep.release(), drop.release())); // [reader -> own] -> [reader -> X]
      all = all.unite(isl::union_map(m.apply_range(both)));
    }
    return all;
  }

  isl::map projection(const isl::set &elements, const std::string &array) const {
    return namedOutput(isl::manage(isl_map_project_out(identityOn(elements).release(), isl_dim_out,
                                                       0, unsigned(leadingOf(array)))),
                       arrayOf(array));
  }

  // In the renamed program, with copies looked through. `reads` touch the array `array`.
  Origin originNow(const std::string &array, const isl::union_map &reads, int depth) {
    Origin direct = flowOf(p, array, reads, orderNow),
           all{isl::union_map(reads.ctx(), "{ }"), isl::union_map(reads.ctx(), "{ }")};
    if (p.arrays.at(array).isOwn()) {
      if (!direct.before.intersect_params(context).is_empty())
        say(fmt::format("elements of {} are read that were never set", array));
    } else {
      all.before = direct.before;
    }
    for (const isl::map &m : mapsOf(elementsAsBefore(direct.writers, array))) {
      const Statement &writer = *p.find(inputTupleOf(m));
      if (!writer.isCopy) {
        all.writers = all.writers.unite(isl::union_map(m));
        continue;
      }
      const Access &from = sideOf(writer, false);
      if (depth > int(p.statements.size())) {
        say("copies read each other's memory");
        return all;
      }
      Origin further = originNow(
          from.array, isl::union_map(from.relation.intersect_domain(m.domain())), depth + 1);
      for (const isl::map &w : mapsOf(further.writers)) // first writer -> [copy -> element]
        all.writers = all.writers.unite(
            isl::union_map(isl::manage(isl_map_range_factor_domain(w.copy())).apply_range(m)));
      for (const isl::map &b : mapsOf(further.before)) // copy -> element
        all.before = all.before.unite(isl::union_map(
            isl::manage(isl_set_unwrap(m.intersect_domain(b.domain()).range().release()))));
    }
    return all;
  }

  void compare(const Origin &then, const Origin &now, const std::string &what) {
    if (!then.writers.intersect_params(context).is_equal(now.writers.intersect_params(context)))
      say(fmt::format("{} sees values of other instances than before", what));
    else if (!then.before.intersect_params(context).is_equal(now.before.intersect_params(context)))
      say(fmt::format("{} no longer sees the values from before the region", what));
  }

  void reads(const Statement &then) {
    const Statement &now = *p.find(then.name);
    for (size_t k = 0; k < then.accesses.size() && findings.empty(); k++) {
      const Access &a = then.accesses[k], &b = now.accesses[k];
      if (a.isWrite || !isRenamed(a.array))
        continue;
      if (p.arrays.at(b.array).isOwn() && p.arrays.at(b.array).leading == 0 &&
          !readsBeforeItWrites(then, a))
        say(fmt::format("{} may read what the same instance has written", then.name));
      compare(flowOf(q, a.array, isl::union_map(a.relation), orderThen),
              originNow(b.array, isl::union_map(b.relation), 0),
              fmt::format("{} reading {}", then.name, a.array));
    }
  }

  // isl orders instances, not what one instance does: an assignment reads first, other code may
  // not.
  static bool readsBeforeItWrites(const Statement &s, const Access &read) {
    return s.body->kind == StmtKind::Assign ||
           std::none_of(s.accesses.begin(), s.accesses.end(), [&](const Access &a) {
             return a.isWrite && a.array == read.array &&
                    !a.relation.intersect(read.relation).is_empty();
           });
  }

  // Somebody who looks at all elements in the end.
  void ending(const std::string &array) {
    if (!p.arrays.count(array))
      return say(fmt::format("{} is gone", array));
    isl::set elements;
    for (const Program *program : {&q, &p})
      for (const Statement &s : program->statements)
        for (const Access &a : s.accesses)
          if (a.isWrite && a.array == array)
            elements = elements.is_null() ? a.relation.range() : elements.unite(a.relation.range());
    if (elements.is_null())
      return;
    isl::set end = named(isl::set::universe(anonymousSpace(p.isl->get(), 0)), "nw_end");
    isl::union_map looks(
        isl::manage(isl_map_from_domain_and_range(end.release(), elements.release())));
    auto after = [&](const isl::union_map &order) {
      std::string time = "{ nw_end[] -> [1073741824";
      for (int k = 1; k < int(isl_map_dim(mapsOf(order)[0].get(), isl_dim_out)); k++)
        time += ", 0";
      return order.unite(isl::union_map(order.ctx(), time + "] }"));
    };
    orderThen = after(orderThen);
    orderNow = after(orderNow);
    compare(flowOf(q, array, looks, orderThen), originNow(array, looks, 0),
            fmt::format("what is left in {}", array));
  }

  const Program &q, &p;
  isl::set context;
  isl::union_map orderThen, orderNow;
  std::vector<Finding> findings;
};

} // namespace

std::vector<Finding> checkRenaming(const Program &now, const Program &then) {
  return RenamingCheck(then, now).run();
}

} // namespace nw
