// The check 'order': conflicts between instances, and where kernels put the two.
#include "poly/dependences.h"
#include "verify/kernel_checks.h"
#include <fmt/format.h>
#include <sstream>

namespace nw {

namespace {

template <class T> std::string text(const T &object) {
  std::ostringstream out;
  out << object;
  return out.str().substr(0, 300);
}

// Everything that a statement reads and writes of one array.
struct Touched {
  Unset<isl::map> reads, writes;
};

void add(Unset<isl::map> &all, const isl::map &m) { all = all.is_null() ? m : all.unite(m); }

std::map<std::string, Touched> touchedBy(const Statement &s) {
  std::map<std::string, Touched> all;
  for (const Access &a : s.accesses)
    add(a.isWrite ? all[a.array].writes : all[a.array].reads, a.relation);
  return all;
}

class OrderCheck {
public:
  OrderCheck(const Program &p, const PlaceReport &r) : p(p), r(r), order(sourceOrder(p)) {
    for (const Statement &s : p.statements)
      touched[s.name] = touchedBy(s);
    for (const isl::map &m : mapsOf(order))
      times.emplace(inputTupleOf(m), m);
    isl::ctx ctx = p.isl->get();
    later = isl::map(ctx, "{ [a] -> [b] : a > b }");
    differs = isl::map(ctx, "{ [a] -> [b] : a != b }");
    same = isl::map(ctx, "{ [a] -> [b] : a = b }");
  }

  std::vector<Finding> run() {
    for (const Place &a : r.places)
      for (const Place &b : r.places)
        pair(a, b);
    return findings;
  }

private:
  // Whether all instances of a fold may change places among themselves: their target is a partial result there.
  bool isFold(const Place &a, const Place &b, const std::string &array) const {
    const Statement &s = *p.find(a.statement);
    if (&a != &b || !s.reduction || s.reduction->array != array)
      return false;
    bool usesTarget = false;
    walkExprs(a.code, [&](const ExprP &e) {
      usesTarget |= e->kind == ExprKind::Var && (e->name == array || a.kept.count(e->name));
      return true;
    });
    return !usesTarget;
  }

  // Instances of a, then in source order of b, that touch the same element.
  std::optional<isl::map> conflicts(const Place &a, const Place &b) {
    Unset<isl::map> all;
    for (auto &[array, x] : touched[a.statement]) {
      auto y = touched[b.statement].find(array);
      if (y == touched[b.statement].end() || isFold(a, b, array))
        continue;
      auto join = [&](const isl::map &u, const isl::map &v) { add(all, u.apply_range(v.reverse())); };
      if (!x.writes.is_null() && !y->second.writes.is_null())
        join(x.writes, y->second.writes);
      if (!x.writes.is_null() && !y->second.reads.is_null())
        join(x.writes, y->second.reads);
      if (!x.reads.is_null() && !y->second.writes.is_null())
        join(x.reads, y->second.writes);
    }
    if (all.is_null() || all.is_empty())
      return std::nullopt;
    isl::map before = isl::manage(isl_map_lex_lt_map(times.at(a.statement).copy(), times.at(b.statement).copy()));
    return all.intersect(before).intersect_params(r.context);
  }

  const isl::map &coordinate(const Place &place, size_t k) {
    auto key = std::make_pair(&place, k);
    auto found = relations.find(key);
    if (found == relations.end())
      found = relations.emplace(key, relationTo(place, {place.coordinates[k].value}, place.executed)).first;
    return found->second;
  }

  static std::optional<long> constantOf(const Coordinate &c) {
    if (!isl_pw_aff_is_cst(c.value.get()))
      return std::nullopt;
    isl::val v = isl::manage(isl_pw_aff_max_val(c.value.copy()));
    return isl_val_is_int(v.get()) ? std::optional(isl_val_get_num_si(v.get())) : std::nullopt;
  }

  void pair(const Place &a, const Place &b) {
    // What the host or a block puts in order needs no look at the elements.
    for (size_t k = 0; k < std::min(a.coordinates.size(), b.coordinates.size()); k++) {
      const Coordinate &x = a.coordinates[k], &y = b.coordinates[k];
      if (x.kind != Coordinate::Ordered || y.kind != Coordinate::Ordered || x.site != y.site)
        break;
      std::optional<long> u = constantOf(x), v = constantOf(y);
      if (!u || !v)
        break;
      if (*u < *v)
        return;
    }
    std::optional<isl::map> pairs = conflicts(a, b);
    if (!pairs)
      return;
    isl::map rest = pairs->intersect_domain(coordinate(a, 0).domain()).intersect_range(coordinate(b, 0).domain());
    for (size_t k = 0; !rest.is_empty(); k++) {
      if (k >= a.coordinates.size() || k >= b.coordinates.size()) {
        report(a, b, "share a place", rest);
        return;
      }
      const Coordinate &x = a.coordinates[k], &y = b.coordinates[k];
      bool isThread = x.kind == Coordinate::Thread;
      if (x.kind != y.kind || x.site != y.site) {
        report(a, b, "run in threads without a barrier in between", rest);
        return;
      }
      const isl::map &u = coordinate(a, k), &v = coordinate(b, k);
      isl::map wrong = rest.intersect(u.apply_range(isThread ? differs : later).apply_range(v.reverse()));
      if (!wrong.is_empty()) {
        report(a, b, isThread ? "run in different threads without a barrier in between" : "run in the wrong order", wrong);
        return;
      }
      rest = rest.intersect(u.apply_range(same).apply_range(v.reverse()));
    }
  }

  void report(const Place &a, const Place &b, const char *how, const isl::map &which) {
    findings.push_back({"order", fmt::format("instances of {} and {} that touch the same element {}: {}", a.statement, b.statement, how, text(which))});
  }

  const Program &p;
  const PlaceReport &r;
  isl::union_map order;
  std::map<std::string, isl::map> times;
  std::map<std::string, std::map<std::string, Touched>> touched;
  std::map<std::pair<const Place *, size_t>, isl::map> relations;
  Unset<isl::map> later, differs, same;
  std::vector<Finding> findings;
};

} // namespace

std::vector<Finding> checkOrder(const Program &p, const PlaceReport &r) { return OrderCheck(p, r).run(); }

} // namespace nw
