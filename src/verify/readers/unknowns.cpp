// Unknowns that are quantified away.
#include "verify/readers/unknowns.h"

namespace nw {

std::optional<int> numberOfUnknown(const std::string &name) {
  size_t at = name.find('@');
  return at == std::string::npos ? std::nullopt : std::optional(std::atoi(name.c_str() + at + 1));
}

isl::set withoutUnknowns(isl::set s, const std::function<bool(const std::string &)> &isKept) {
  std::vector<std::string> names = paramNames(s.get_space());
  auto goes = [&](const std::string &name) {
    return numberOfUnknown(name) && !(isKept && isKept(name));
  };
  // Neighbours at once, from the last to the first.
  for (size_t end = names.size(); end > 0;) {
    size_t begin = end;
    while (begin > 0 && goes(names[begin - 1]))
      begin--;
    if (begin < end)
      s = isl::manage(
          isl_set_project_out(s.release(), isl_dim_param, unsigned(begin), unsigned(end - begin)));
    end = begin == end ? end - 1 : begin;
  }
  return s;
}

isl::set valuesAs(const std::vector<isl::pw_aff> &values, const isl::set &when,
                  const std::function<bool(const std::string &)> &isKept) {
  isl::space space = anonymousSpace(when.ctx(), int(values.size()));
  isl::set graph = isl::set::universe(space).intersect_params(when);
  for (int n = 0; n < int(values.size()); n++) {
    isl_space *target =
        isl_space_align_params(space.copy(), isl_pw_aff_get_domain_space(values[size_t(n)].get()));
    isl::pw_aff lifted = isl::manage(isl_pw_aff_insert_domain(values[size_t(n)].copy(), target));
    graph = meet(graph, dimensionOn(space, n).eq_set(lifted));
  }
  return withoutUnknowns(graph, isKept);
}

} // namespace nw
