// Last writers.
#include "verify/rewriting/last_writer.h"
#include "ir/evaluate.h"
#include "poly/dependences.h"
#include <fmt/format.h>
#include <set>

namespace nw {

namespace {

// The subscripts of an element as access maps have them.
std::optional<std::vector<int64_t>> subscriptsOf(const Array &array, int64_t element,
                                                 const std::map<std::string, int64_t> &values) {
  std::vector<ExprP> inner = array.flatSizes;
  if (inner.empty() && array.extents.size() > 1)
    inner.assign(array.extents.begin() + 1, array.extents.end());
  if (array.isScalar())
    return std::vector<int64_t>{};
  std::vector<int64_t> subscripts;
  for (size_t k = inner.size(); k-- > 0;) {
    std::optional<int64_t> size = evaluate(inner[k], values);
    if (!size || *size <= 0)
      return std::nullopt;
    subscripts.insert(subscripts.begin(), element % *size);
    element /= *size;
  }
  subscripts.insert(subscripts.begin(), element);
  return subscripts;
}

isl::set withParameters(isl::set set,
                        const std::vector<std::pair<std::string, int64_t>> &parameters) {
  for (auto &[name, value] : parameters)
    set = set.intersect_params(
        isl::set(set.ctx(), fmt::format("[{0}] -> {{ : {0} = {1} }}", name, value)));
  return set;
}

} // namespace

std::optional<Writer> lastWriter(const Program &p, const std::map<std::string, int64_t> &scalars,
                                 const std::string &name, int64_t element) {
  auto found = p.arrays.find(name);
  if (found == p.arrays.end() || found->second.slots || found->second.kind != ArrayKind::Memory)
    return std::nullopt;
  isl_ctx_reset_operations(p.isl->get().get());
  std::map<std::string, int64_t> values = scalars;
  std::vector<std::pair<std::string, int64_t>> parameters;
  for (const Parameter &q : p.parameters) {
    std::optional<int64_t> value = evaluate(q.value, scalars);
    if (!value)
      return std::nullopt;
    values[q.name] = *value;
    parameters.push_back({q.name, *value});
  }
  std::optional<std::vector<int64_t>> subscripts = subscriptsOf(found->second, element, values);
  if (!subscripts)
    return std::nullopt;
  isl::union_set writers(p.isl->get(), "{ }");
  std::set<std::string> uncertain;
  for (const Statement &s : p.statements)
    for (const Access &a : s.accesses) {
      if (a.array != name || !a.isWrite ||
          isl_map_dim(a.relation.get(), isl_dim_out) != int(subscripts->size()))
        continue;
      isl::map here = a.relation;
      for (size_t k = 0; k < subscripts->size(); k++)
        here = isl::manage(isl_map_fix_val(here.release(), isl_dim_out, unsigned(k),
                                           intVal(p.isl->get(), long((*subscripts)[k])).release()));
      writers = writers.unite(isl::union_set(withParameters(here.domain(), parameters)));
      if (!a.isMust)
        uncertain.insert(s.name);
    }
  if (writers.is_empty())
    return std::nullopt;
  isl::union_map order = sourceOrder(p).intersect_domain(writers);
  isl::union_set last = order.intersect_range(order.range().lexmax()).domain();
  for (const isl::set &s : setsOf(last)) {
    const Statement *statement = p.find(tupleOf(s));
    Writer w{statement->at, {}, !uncertain.count(statement->name)};
    isl_point *point = isl_set_sample_point(s.copy());
    for (size_t k = 0; k < statement->loops.size(); k++) {
      isl_val *value = isl_point_get_coordinate_val(point, isl_dim_set, int(k));
      const std::string &counter = p.loop(statement->loops[k]).counter;
      auto v = p.region.variables.find(counter);
      w.counters.push_back({v == p.region.variables.end() ? counter : v->second.spelling,
                            isl_val_get_num_si(value)});
      isl_val_free(value);
    }
    isl_point_free(point);
    return w;
  }
  return std::nullopt;
}

std::string inWords(const Writer &w, const std::string &file) {
  std::string text = fmt::format(
      "{} {}:{}", w.isCertain ? "last written by" : "perhaps last written by", file, w.at.line);
  for (size_t k = 0; k < w.counters.size(); k++)
    text += fmt::format("{}{}={}", k ? " " : ", ", w.counters[k].first, w.counters[k].second);
  return text;
}

} // namespace nw
