// The check 'locals': a private variable has one copy per iteration in the Program; kernels keep
// the copies in variables of theirs, of which several copies may share one, one after the other.
#include "poly/dependences.h"
#include "verify/checks/kernel_checks.h"
#include "verify/checks/position_order.h"
#include <algorithm>
#include <fmt/format.h>
#include <isl/flow.h>

namespace nw {

namespace {

// Accesses to one private variable.
struct Use {
  const SchedulePosition *position;
  const LocalVariable *variable;
  bool isAround;             // looked at in the report of the fallbacks
  std::vector<int> dealtOut; // loops between the variable and its use whose values threads share
                             // out: one value, one thread, and nobody knows which
  Unset<isl::map> where;     // instance -> copy of the kernel's variable
  Unset<isl::map> always;    // the same for all instances, executed here or not
  Unset<isl::map> writes;    // instance -> subscripts inside the variable, without the iterations
  Unset<isl::map> copy;      // instance -> iterations that have a copy of their own
};

class LocalsCheck {
public:
  LocalsCheck(const Program &p, const PositionReport &r, const std::string &name)
      : p(p), r(r), name(name), array(p.arrays.at(name)) {}

  std::vector<Finding> run() {
    for (const std::vector<SchedulePosition> *list : {&r.positions, &r.targets, &r.around})
      for (const SchedulePosition &position : *list)
        if (const Statement &s = *p.find(position.statement);
            !s.reduction || position.touches(name, s.reduction->array))
          add(position, list == &r.around);
    if (uses.empty())
      return {};
    for (const Use &u : uses)
      if (u.variable->isShared && !isOneForAll(u))
        findings.push_back(
            {"locals",
             fmt::format("threads of a block use one variable for several copies of {}", name)});
    for (const isl::map &m : mapsOf(valueFlow()))
      flow(m.intersect_params(r.context));
    return findings;
  }

private:
  void add(const SchedulePosition &position, bool isAround) {
    auto local = position.locals.find(name);
    if (local == position.locals.end()) { // not used here, or an element of memory for each copy
      inMemory.push_back(&position);
      return;
    }
    Use use{&position, &local->second, isAround, {}, {}, {}, {}, {}};
    bool isUsed = false;
    for (const Access &a : p.find(position.statement)->accesses)
      if (a.array == name) {
        isUsed = true;
        isl::map copy = isl::manage(isl_map_reset_tuple_id(
            isl_map_project_out(a.relation.copy(), isl_dim_out, array.privateDepth,
                                isl_map_dim(a.relation.get(), isl_dim_out) - array.privateDepth),
            isl_dim_out));
        use.copy = use.copy.is_null() ? copy : use.copy.unite(copy).coalesce();
        if (!a.isWrite)
          continue;
        isl::map inner =
            isl::manage(isl_map_project_out(a.relation.copy(), isl_dim_out, 0, array.privateDepth));
        use.writes = use.writes.is_null() ? inner : use.writes.unite(inner);
      }
    if (!isUsed)
      return;
    std::vector<isl::pw_aff> copy = local->second.copy;
    for (const Coordinate &c : position.coordinates)
      if (c.kind == Coordinate::Thread && c.site >= 0 && !local->second.isShared &&
          !local->second.around.count(c.site)) {
        copy.push_back(c.value);
        use.dealtOut.push_back(c.site);
      }
    use.where = relationTo(position, copy, position.executed);
    use.always = withoutConditions(use.where);
    uses.push_back(use);
  }

  // The same copies of the instances that the relation is about, without conditions where there is
  // a function. Threads that have loops dealt out among them are coordinates about which nothing is
  // said: the function is of the others.
  static isl::map withoutConditions(const isl::map &where) {
    isl::map rest = where;
    std::vector<int> unsaid;
    for (int k = int(isl_map_dim(where.get(), isl_dim_out)) - 1; k >= 0; k--)
      if (isl_map_involves_dims(where.get(), isl_dim_out, unsigned(k), 1) == isl_bool_false) {
        rest = isl::manage(isl_map_project_out(rest.release(), isl_dim_out, unsigned(k), 1));
        unsaid.push_back(k);
      }
    rest = asFunction(rest);
    for (auto k = unsaid.rbegin(); k != unsaid.rend(); ++k)
      rest = isl::manage(isl_map_insert_dims(rest.release(), isl_dim_out, unsigned(*k), 1));
    return rest;
  }

  // Whether a variable that threads share stands for one copy. What threads do to that is a matter
  // of 'order'.
  bool isOneForAll(const Use &use) const {
    isl::map copies = use.where.reverse().apply_range(use.copy);
    for (const Use &other : uses)
      if (other.variable->site == use.variable->site)
        copies = copies.unite(other.where.reverse().apply_range(other.copy));
    return use.where.is_single_valued() && copies.intersect_params(r.context).is_single_valued();
  }

  isl::union_map valueFlow() {
    isl::union_map reads(p.isl->get(), "{ }"), must = reads, may = reads;
    for (const Statement &s : p.statements)
      for (const Access &a : s.accesses)
        if (a.array == name) {
          if (!a.isWrite)
            reads = reads.unite(isl::union_map(a.relation));
          else {
            may = may.unite(isl::union_map(a.relation));
            if (a.isMust)
              must = must.unite(isl::union_map(a.relation));
          }
        }
    if (reads.is_empty() || may.is_empty())
      return isl::union_map(p.isl->get(), "{ }");
    isl::union_access_info info(reads);
    return info.set_must_source(must)
        .set_may_source(may)
        .set_schedule_map(sourceOrder(p))
        .compute_flow()
        .may_dependence();
  }

  void flow(const isl::map &m) {
    std::string from = inputTupleOf(m), to = outputTupleOf(m);
    for (const Use &a : uses)
      for (const Use &b : uses)
        if (a.position->statement == from && b.position->statement == to &&
            !(a.isAround && b.isAround) && mayMeet(*a.position, *b.position))
          value(a, b, m.intersect_domain(a.where.domain()).intersect_range(b.where.domain()));
    // From a kernel's variable to memory, or back.
    for (const Use &a : uses)
      for (const SchedulePosition *b : inMemory)
        if ((a.position->statement == from && b->statement == to &&
             !m.is_disjoint(pairs(*a.position, *b))) ||
            (a.position->statement == to && b->statement == from &&
             !m.is_disjoint(pairs(*b, *a.position))))
          elsewhere(from, to);
  }

  static isl::map pairs(const SchedulePosition &a, const SchedulePosition &b) {
    isl::set first = instancesOf(a), second = instancesOf(b);
    return isl::manage(isl_map_from_domain_and_range(first.release(), second.release()));
  }

  void elsewhere(const std::string &from, const std::string &to) {
    findings.push_back(
        {"locals",
         fmt::format("the value of {} that {} computes for {} is in another variable there", name,
                     from, to)});
  }

  // Values that instances of a leave for instances of b.
  void value(const Use &a, const Use &b, const isl::map &values) {
    if (values.is_empty())
      return;
    bool isSame = a.variable->site == b.variable->site && a.dealtOut == b.dealtOut &&
                  (values.is_subset(a.always.apply_range(b.always.reverse())) ||
                   values.is_subset(a.where.apply_range(b.where.reverse())));
    if (!isSame) {
      elsewhere(a.position->statement, b.position->statement);
      return;
    }
    // Other writes of the same copy are dependences, which 'order' looks at; here it is those of
    // other copies.
    for (const Use &c : uses) {
      if (c.writes.is_null() || c.variable->site != a.variable->site || a.writes.is_null() ||
          !mayMeet(*a.position, *c.position))
        continue;
      // Where c stands in a loop that is dealt out inside or around of that of a and b, any thread
      // may get there in between. One beside it comes before or after both.
      if (c.dealtOut != a.dealtOut) {
        size_t common = std::min(c.dealtOut.size(), a.dealtOut.size());
        if (std::equal(c.dealtOut.begin(), c.dealtOut.begin() + long(common), a.dealtOut.begin())) {
          overwrites(c, a, b);
          return;
        }
        continue;
      }
      // First over instances that may not be executed here, which is quick; only if there is
      // something, exactly.
      auto comesBetween = [&](bool exactly) {
        const isl::map &x = exactly ? a.where : a.always, &y = exactly ? b.where : b.always,
                       &z = exactly ? c.where : c.always;
        if (!exactly && isOfOneCopy(a, c))
          return false;
        isl::map together = otherCopies(a, c, x, z);
        isl::map first = meet(together, inOrder(*a.position, *c.position, exactly));
        isl::map second =
            meet(z.apply_range(y.reverse()), inOrder(*c.position, *b.position, exactly));
        return !values.is_disjoint(first.apply_range(second));
      };
      if (comesBetween(false) && comesBetween(true)) {
        overwrites(c, a, b);
        return;
      }
    }
  }

  // Pairs that write the same elements of one variable for different copies.
  static isl::map otherCopies(const Use &a, const Use &c, const isl::map &x, const isl::map &z) {
    isl::map smaller = isl::manage(isl_map_lex_lt(a.copy.range().get_space().release()));
    isl::map other = smaller.unite(smaller.reverse());
    return meet(meet(x.apply_range(z.reverse()), a.writes.apply_range(c.writes.reverse())),
                a.copy.apply_range(other).apply_range(c.copy.reverse()));
  }

  // Whether each copy has a variable to itself there; asked for every value that a leaves.
  bool isOfOneCopy(const Use &a, const Use &c) {
    auto [known, isNew] = ofOneCopy.try_emplace({&a, &c}, false);
    if (isNew)
      known->second = otherCopies(a, c, a.always, c.always).is_empty();
    return known->second;
  }

  void overwrites(const Use &c, const Use &a, const Use &b) {
    findings.push_back({"locals", fmt::format("{} overwrites the value of {} that {} leaves for {}",
                                              c.position->statement, name, a.position->statement,
                                              b.position->statement)});
  }

  const Program &p;
  const PositionReport &r;
  const std::string &name;
  const Array &array;
  std::vector<Use> uses;
  std::vector<const SchedulePosition *> inMemory;
  std::map<std::pair<const Use *, const Use *>, bool> ofOneCopy;
  std::vector<Finding> findings;
};

} // namespace

std::vector<Finding> checkLocals(const Program &p, const PositionReport &r) {
  std::vector<Finding> findings;
  for (auto &[name, array] : p.arrays)
    if (array.kind == ArrayKind::Private)
      for (const Finding &f : LocalsCheck(p, r, name).run())
        findings.push_back(f);
  return findings;
}

} // namespace nw
