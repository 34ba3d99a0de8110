// Numbers of threads that other bounds make needless.
#include "frontend/cuda/covering.h"
#include <algorithm>

namespace nw {

namespace {

constexpr int kMostPieces = 24; // of what is not assumed: each is a condition at run time

isl::set without(const isl::set &s, const std::string &parameter) {
  int at = isl_set_find_dim_by_name(s.get(), isl_dim_param, parameter.c_str());
  return at < 0 ? s
                : isl::manage(isl_set_project_out(s.copy(), isl_dim_param, unsigned(at), 1))
                      .coalesce();
}

isl::map without(const isl::map &m, const std::string &parameter) {
  int at = isl_map_find_dim_by_name(m.get(), isl_dim_param, parameter.c_str());
  return at < 0 ? m
                : isl::manage(isl_map_project_out(m.copy(), isl_dim_param, unsigned(at), 1))
                      .coalesce();
}

bool isBounded(const isl::set &s) {
  for (int k = 0; k < dimsOf(s); k++)
    if (!isBoundedDim(s, k, true) || !isBoundedDim(s, k, false))
      return false;
  return true;
}

// As if there were always enough threads; false where the number matters otherwise.
bool cover(Program &p, const std::string &count) {
  isl::set missed =
      isl::set::empty(p.context.get_space()); // parameters for which some instance has no thread
  bool changes = false;
  for (Statement &s : p.statements) {
    isl::set all = without(s.domain, count);
    if (!isBounded(all))
      return false;
    missed = missed.unite(onlyParams(all.subtract(s.domain)).intersect(p.context));
    changes |= !all.is_equal(s.domain);
    for (Access &a : s.accesses) {
      isl::map elements = without(a.relation, count);
      if (!elements.intersect_domain(a.relation.domain()).is_equal(a.relation)) // they depend on it
        return false;
      a.relation = elements;
    }
    s.domain = all;
  }
  missed = isl::manage(isl_set_remove_divs(missed.coalesce().release()));
  isl::set assumed = p.context.intersect(p.assumptions).subtract(missed).coalesce();
  if (!changes || isl_set_n_basic_set(missed.get()) > kMostPieces ||
      std::all_of(p.statements.begin(), p.statements.end(), [&](const Statement &s) {
        return bool(s.domain.intersect_params(assumed).is_empty());
      }))
    return false;
  p.assumptions = assumed.gist(p.context);
  return true;
}

} // namespace

void assumeCovered(Program &program, const CudaKernel &kernel) {
  for (const GridAxis &axis : kernel.axes)
    for (const std::string &count : {axis.threads, axis.grid})
      if (!count.empty()) {
        Program covered = program;
        if (cover(covered, count))
          program = covered;
      }
}

} // namespace nw
