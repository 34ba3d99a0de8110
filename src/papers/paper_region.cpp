// Numbers of a region at given sizes.
#include "papers/paper_region.h"
#include "support/text.h"
#include <fmt/format.h>

namespace nw::papers {

const Program &sourceOf(const Program &program) {
  const Program *at = &program;
  while (at->before)
    at = at->before.get();
  return *at;
}

static isl::set atSizes(const isl::set &given, const std::map<std::string, int64_t> &sizes) {
  isl_set *set = given.copy();
  for (auto &[name, value] : sizes)
    if (int at = isl_set_find_dim_by_name(set, isl_dim_param, name.c_str()); at >= 0)
      set = isl_set_fix_val(set, isl_dim_param, unsigned(at),
                            isl_val_int_from_si(isl_set_get_ctx(set), value));
  return isl::manage(set);
}

std::optional<int64_t> extentOf(const isl::set &given, int dimension,
                                const std::map<std::string, int64_t> &sizes) {
  isl::set set = atSizes(given, sizes);
  if (set.is_empty())
    return 0;
  if (!isBoundedDim(set, dimension, true) || !isBoundedDim(set, dimension, false))
    return std::nullopt;
  std::optional<long> low = longOf(isl::manage(isl_set_dim_min_val(set.copy(), dimension))),
                      high = longOf(isl::manage(isl_set_dim_max_val(set.copy(), dimension)));
  return low && high ? std::optional<int64_t>(*high - *low + 1) : std::nullopt;
}

std::optional<int64_t> bytesOf(const Program &p, const std::string &array,
                               const std::map<std::string, int64_t> &sizes) {
  std::vector<int64_t> extents;
  for (const Statement &s : p.statements)
    for (const Access &a : s.accesses) {
      if (a.array != array)
        continue;
      isl::set touched = a.relation.intersect_domain(s.domain).range();
      extents.resize(size_t(isl_set_dim(touched.get(), isl_dim_set)), 0);
      for (size_t d = 0; d < extents.size(); d++) {
        std::optional<int64_t> extent = extentOf(touched, int(d), sizes);
        if (!extent)
          return std::nullopt;
        extents[d] = std::max(extents[d], *extent);
      }
    }
  int64_t bytes = p.arrays.at(array).elementBytes;
  for (int64_t e : extents)
    if (__builtin_mul_overflow(bytes, e, &bytes))
      return std::nullopt;
  return bytes;
}

const std::vector<std::string> &givenNames() {
  static const std::vector<std::string> all = {
      "fma",        "add",           "multiply",        "special",         "integer",
      "loadGlobal", "storeGlobal",   "loadShared",      "storeShared",     "branch",
      "barrier",    "activeThreads", "sharedPerThread", "memoryToCompute", "transactionBytes"};
  return all;
}

std::string counted(int64_t number, const std::string &what) {
  return fmt::format("{} {}{}", number, what, number == 1 ? "" : "s");
}

std::string listed(const std::vector<std::string> &names, const std::string &none) {
  return names.empty() ? none : joined(names, ", ");
}

} // namespace nw::papers
