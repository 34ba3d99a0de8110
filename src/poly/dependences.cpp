// Dependence analysis.
#include "poly/dependences.h"
#include "poly/promises.h"
#include "support/isl_pieces.h"
#include <fmt/format.h>
#include <sstream>

namespace nw {

isl::union_map sourceOrder(const Program &p) {
  isl::ctx ctx = p.isl->get();
  size_t deepest = 0;
  for (const Statement &s : p.statements)
    deepest = std::max(deepest, s.loops.size());
  isl::union_map all(ctx, "{ }");
  for (const Statement &s : p.statements) {
    std::string in, out;
    for (size_t k = 0; k <= deepest; k++) {
      bool hasLoop = k < s.loops.size();
      if (hasLoop)
        in += fmt::format("{}i{}", k ? ", " : "", k);
      out += fmt::format("{}{}", k ? ", " : "", k < s.order.size() ? s.order[k] : 0);
      if (k < deepest)
        out += hasLoop ? fmt::format(", {}i{}", p.loop(s.loops[k]).step < 0 ? "-" : "", k) : ", 0";
    }
    isl::map m(ctx, fmt::format("{{ {}[{}] -> [{}] }}", s.name, in, out));
    all = all.unite(isl::union_map(m.intersect_domain(s.domain)));
  }
  return all;
}

// In few pieces, since isl's flow takes each with each.
static isl::union_map accessesTo(const Program &p, const std::string &array, bool writes,
                                 bool mustOnly) {
  isl::union_map all(p.isl->get(), "{ }");
  for (const Statement &s : p.statements)
    for (const Access &a : s.accesses)
      if ((array.empty() || a.array == array) && a.isWrite == writes && (!mustOnly || a.isMust))
        all = all.unite(isl::union_map(a.relation));
  return inFewerPieces(all);
}

namespace {

// Which instances of two statements are in source order: asked for again and again.
class Order {
public:
  explicit Order(const isl::union_map &order) {
    for (const isl::map &m : mapsOf(order))
      times.emplace(inputTupleOf(m), m);
  }

  const isl::map &of(const std::string &first, const std::string &second) {
    auto [at, isNew] = before.try_emplace({first, second});
    if (isNew)
      at->second = isl::manage(isl_map_lex_lt_map(times.at(first).copy(), times.at(second).copy()));
    return at->second;
  }

private:
  std::map<std::string, isl::map> times;
  std::map<std::pair<std::string, std::string>, Unset<isl::map>> before;
};

} // namespace

// Pairs of instances that touch the same element, in source order.
static isl::union_map pairs(const isl::union_map &first, const isl::union_map &second,
                            Order &order) {
  isl::union_map all(first.ctx(), "{ }");
  for (const isl::map &a : mapsOf(first))
    for (const isl::map &b : mapsOf(second))
      all = all.unite(isl::union_map(
          a.apply_range(b.reverse()).intersect(order.of(inputTupleOf(a), inputTupleOf(b)))));
  return all.coalesce();
}

Dependences computeDependences(const Program &p) {
  Dependences out;
  isl::union_map order = sourceOrder(p);
  Order before(order);
  isl::union_map none(p.isl->get(), "{ }");
  out.valueFlow = out.liveIn = none;
  out.asked = askedOrder(p);
  for (auto &[name, array] : p.arrays) {
    isl::union_map reads = accessesTo(p, name, false, false),
                   writes = accessesTo(p, name, true, false);
    if (writes.is_empty()) {
      out.liveIn = out.liveIn.unite(reads);
      continue;
    }
    auto add = [&](Dependence::Kind kind, const isl::union_map &relation) {
      // Reordering a reduction is allowed between instances of one statement that reduce with one
      // operator.
      for (const isl::map &all : mapsOf(relation)) {
        std::string from = inputTupleOf(all), to = outputTupleOf(all);
        const Statement *s = p.find(from);
        isl::map m = isPromised(array) ? withoutPromised(p, *s, *p.find(to), all) : all;
        if (m.is_empty())
          continue;
        bool reductions = from == to && s->reduction && s->reduction->array == name;
        out.all.push_back({kind, name, isl::union_map(m), reductions});
      }
    };
    add(Dependence::Flow, pairs(writes, reads, before));
    add(Dependence::Anti, pairs(reads, writes, before));
    add(Dependence::Output, pairs(writes, writes, before));
    if (!reads.is_empty()) {
      isl::union_access_info info(reads);
      isl::union_map must = accessesTo(p, name, true, true);
      info = info.set_must_source(must).set_may_source(writes).set_schedule_map(order);
      isl::union_flow flow = info.compute_flow();
      out.valueFlow = out.valueFlow.unite(flow.may_dependence());
      out.liveIn = out.liveIn.unite(flow.may_no_source());
    }
  }
  return out;
}

isl::union_map Dependences::validity(bool relaxed) const {
  isl::union_map sum = valueFlow.subtract(valueFlow);
  for (const Dependence &d : all)
    if (!relaxed || !d.isReduction)
      sum = sum.unite(d.relation);
  return sum.unite(asked).coalesce();
}

std::string print(const Dependences &d) {
  static const char *const kKinds[] = {"flow", "anti", "output"};
  std::ostringstream out;
  for (const Dependence &x : d.all)
    out << "  " << kKinds[x.kind] << " " << x.array << (x.isReduction ? " (reduction)" : "") << ": "
        << x.relation << "\n";
  if (!d.asked.is_empty())
    out << "  asked for: " << d.asked << "\n";
  out << "  live-in: " << d.liveIn << "\n";
  return out.str();
}

} // namespace nw
