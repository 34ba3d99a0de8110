// The check 'order': conflicts between instances, and where kernels put the two.
#include "poly/dependences.h"
#include "poly/promises.h"
#include "support/isl_pieces.h"
#include "verify/checks/kernel_checks.h"
#include "verify/checks/position_order.h"
#include <algorithm>
#include <fmt/format.h>

namespace nw {

namespace {

class OrderCheck {
public:
  explicit OrderCheck(const Program &p) : p(p) {
    for (const isl::map &m : mapsOf(sourceOrder(p)))
      times.emplace(inputTupleOf(m), asFunction(m));
    isl::ctx ctx = p.isl->get();
    later = isl::map(ctx, "{ [a] -> [b] : a > b }");
    differs = isl::map(ctx, "{ [a] -> [b] : a != b }");
    same = isl::map(ctx, "{ [a] -> [b] : a = b }");
  }

  std::vector<Finding> run(const PositionReport &report) {
    r = &report;
    all.clear();
    findings.clear();
    for (const std::vector<SchedulePosition> *list : {&report.positions, &report.targets})
      for (const SchedulePosition &position : *list)
        all.push_back(&position);
    for (const SchedulePosition *a : all)
      for (const SchedulePosition *b : all)
        pair(*a, *b);
    return findings;
  }

private:
  // Whether all instances of a reduction may swap among themselves: their target is a partial
  // result there. They may stand in several positions of one kernel.
  bool isReduction(const SchedulePosition &a, const SchedulePosition &b,
                   const std::string &array) const {
    const Statement &s = *p.find(a.statement);
    if (a.statement != b.statement || a.kernel != b.kernel || !s.reduction ||
        s.reduction->array != array)
      return false;
    return !mentions(a.code, array) && !mentions(b.code, array);
  }

  // What instances of a statement touch of an array, as few convex relations: neighbouring elements
  // are one, as in the box that a stencil reads.
  struct Touched {
    std::string array;
    bool isWrite;
    isl::map relation;
  };

  const std::vector<Touched> &touchedBy(const std::string &statement) {
    auto known = touched.find(statement);
    if (known != touched.end())
      return known->second;
    std::map<std::pair<std::string, bool>, isl::map> together;
    for (const Access &x : p.find(statement)->accesses) {
      auto [at, isNew] = together.try_emplace({x.array, x.isWrite}, x.relation);
      if (!isNew)
        at->second = at->second.unite(x.relation);
    }
    std::vector<Touched> &all = touched[statement];
    for (auto &[what, relation] : together)
      inFewerPieces(relation).foreach_basic_map(
          [&](isl::basic_map piece) { all.push_back({what.first, what.second, isl::map(piece)}); });
    return all;
  }

  // Pairs of instances, of a and then in source order of b, that touch the same element; as many
  // small relations, since isl is quick with those and slow with unions.
  struct Conflict {
    std::string array;
    isl::map relation;
  };

  // Of two statements, wherever they are executed: the same in every report.
  const std::vector<Conflict> &conflictsOf(const std::string &a, const std::string &b) {
    auto [at, isNew] = known.try_emplace({a, b});
    std::vector<Conflict> &all = at->second;
    if (!isNew)
      return all;
    isl::map before = isl::manage(isl_map_lex_lt_map(times.at(a).copy(), times.at(b).copy()));
    const std::vector<Touched> &first = touchedBy(a), &second = touchedBy(b);
    for (const Touched &x : first)
      for (const Touched &y : second) {
        if (x.array != y.array || (!x.isWrite && !y.isWrite))
          continue;
        isl::map both = x.relation.apply_range(y.relation.reverse()).intersect_params(p.context);
        if (isPromised(p.arrays.at(x.array)))
          both = withoutPromised(p, *p.find(a), *p.find(b), both);
        before.foreach_basic_map([&](isl::basic_map level) {
          meet(both, isl::map(level)).foreach_basic_map([&](isl::basic_map piece) {
            if (!piece.is_empty())
              all.push_back({x.array, isl::map(piece)});
          });
        });
      }
    return all;
  }

  std::vector<isl::map> conflicts(const SchedulePosition &a, const SchedulePosition &b) {
    std::vector<isl::map> all;
    for (const Conflict &c : conflictsOf(a.statement, b.statement)) {
      if (isReduction(a, b, c.array) || !touches(a, c.array) || !touches(b, c.array))
        continue;
      isl::map both = c.relation.intersect_params(r->context);
      if (isOneOfSeveral(a))
        both = both.intersect_domain(instancesOf(a));
      if (isOneOfSeveral(b))
        both = both.intersect_range(instancesOf(b));
      both.foreach_basic_map([&](isl::basic_map piece) { all.push_back(isl::map(piece)); });
    }
    return all;
  }

  bool touches(const SchedulePosition &position, const std::string &array) const {
    const Statement &s = *p.find(position.statement);
    return !s.reduction || position.touches(array, s.reduction->array);
  }

  // Whether the statement's instances are split among several positions.
  bool isOneOfSeveral(const SchedulePosition &position) const {
    return std::any_of(all.begin(), all.end(), [&](const SchedulePosition *other) {
      return other != &position && other->statement == position.statement;
    });
  }

  static std::optional<long> constantOf(const Coordinate &c) {
    if (isl_pw_aff_n_piece(c.value.get()) != 1 || !isl_pw_aff_is_cst(c.value.get()))
      return std::nullopt;
    isl::val v = isl::manage(isl_pw_aff_max_val(c.value.copy()));
    return isl_val_is_int(v.get()) ? std::optional(isl_val_get_num_si(v.get())) : std::nullopt;
  }

  void pair(const SchedulePosition &a, const SchedulePosition &b) {
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
    if (!mayMeet(a, b))
      return;
    std::vector<isl::map> pieces = conflicts(a, b);
    for (size_t k = 0; !pieces.empty(); k++) {
      std::erase_if(pieces, [&](const isl::map &piece) { return k == 0 && piece.is_empty(); });
      if (pieces.empty())
        return;
      if (k >= a.coordinates.size() || k >= b.coordinates.size()) {
        report(a, b, "run at the same position", pieces[0]);
        return;
      }
      const Coordinate &x = a.coordinates[k], &y = b.coordinates[k];
      bool isThread = x.kind == Coordinate::Thread;
      if (x.kind != y.kind || x.site != y.site) {
        report(a, b, "run in threads without a barrier in between", pieces[0]);
        return;
      }
      if (std::optional<long> first = constantOf(x), second = constantOf(y); first && second) {
        if (*first == *second)
          continue;
        if (!isThread && *first < *second)
          return;
      }
      const isl::map &u = coordinateOf(a, k), &v = coordinateOf(b, k);
      isl::map wrong = u.apply_range(isThread ? differs : later).apply_range(v.reverse()),
               equal = u.apply_range(same).apply_range(v.reverse());
      std::vector<isl::map> rest;
      for (const isl::map &piece : pieces) {
        if (isl::map bad = meet(piece, wrong); !bad.is_empty()) {
          report(a, b,
                 isThread ? "run in different threads without a barrier in between"
                          : "run in the wrong order",
                 bad);
          return;
        }
        if (isl::map left = meet(piece, equal); !left.is_empty())
          rest.push_back(left);
      }
      pieces = rest;
    }
  }

  void report(const SchedulePosition &a, const SchedulePosition &b, const char *how,
              const isl::map &which) {
    findings.push_back(
        {"order", fmt::format("instances of {} and {} that touch the same element {}: {}",
                              a.statement, b.statement, how, inShort(which))});
  }

  const Program &p;
  const PositionReport *r = nullptr;
  std::vector<const SchedulePosition *> all;
  std::map<std::string, isl::map> times;
  std::map<std::string, std::vector<Touched>> touched;
  std::map<std::pair<std::string, std::string>, std::vector<Conflict>> known;
  Unset<isl::map> later, differs, same;
  std::vector<Finding> findings;
};

} // namespace

std::vector<Finding> checkOrder(const Program &p, const PositionReport &r) {
  return OrderCheck(p).run(r);
}

std::vector<Finding> checkOrders(const Program &p, const std::vector<PositionReport> &reports) {
  OrderCheck check(p);
  std::vector<Finding> all;
  for (const PositionReport &r : reports)
    for (Finding &f : check.run(r))
      all.push_back(std::move(f));
  return all;
}

} // namespace nw
