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

static isl::union_map pairs(const isl::union_map &sink, const isl::union_map &source,
                            const isl::union_map &order) {
  if (sink.is_empty() || source.is_empty())
    return isl::union_map(sink.ctx(), "{ }");
  isl::union_access_info info(sink);
  info = info.set_may_source(source).set_schedule_map(order);
  return info.compute_flow().may_dependence().coalesce();
}

Dependences computeDependences(const Program &p) {
  Dependences out;
  isl::union_map order = sourceOrder(p);
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
    add(Dependence::Flow, pairs(reads, writes, order));
    add(Dependence::Anti, pairs(writes, reads, order));
    add(Dependence::Output, pairs(writes, writes, order));
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
