// Splitting at collisions.
#include "poly/split.h"
#include "support/linear_sum.h"
#include <fmt/format.h>

namespace nw {

namespace {

constexpr size_t kMostParts = 9;

// Subscript `k` of an access that touches exactly one element per instance.
isl::pw_aff subscript(const Access &a, int k) {
  isl::pw_multi_aff f = isl::manage(isl_pw_multi_aff_from_map(a.relation.copy()));
  return isl::manage(isl_pw_multi_aff_get_pw_aff(f.get(), k));
}

// Whether the value has remainders or quotients. The instances on one side of it are no half of the
// domain but scattered over it: no loop becomes parallel by such a split, and isl takes ages with
// the parts.
bool isDivided(const isl::pw_aff &value) {
  bool found = false;
  auto look = [](isl_set *on, isl_aff *aff, void *user) {
    *static_cast<bool *>(user) |= hasDivisions(isl::manage(aff));
    isl_set_free(on);
    return isl_stat_ok;
  };
  isl_pw_aff_foreach_piece(value.get(), look, &found);
  return found;
}

// Differences between read and written subscripts, where they differ in a single, varying
// subscript.
std::vector<isl::pw_aff> collisions(const Statement &s) {
  std::vector<isl::pw_aff> found;
  for (const Access &w : s.accesses)
    for (const Access &r : s.accesses) {
      if (!w.isWrite || r.isWrite || w.array != r.array || !w.relation.is_single_valued() ||
          !r.relation.is_single_valued())
        continue;
      int rank = isl_map_dim(w.relation.get(), isl_dim_out), differing = 0;
      isl::pw_aff difference;
      for (int k = 0; k < rank; k++) {
        isl::pw_aff d = subscript(r, k).sub(subscript(w, k));
        isl::pw_aff zero = constantOn(s.domain.get_space(), intVal(s.domain.ctx(), 0L));
        if (s.domain.is_subset(d.eq_set(zero)))
          continue;
        differing++;
        difference = d;
      }
      if (differing == 1 && !isl_pw_aff_is_cst(difference.get()) && !isDivided(difference))
        found.push_back(difference);
    }
  return found;
}

std::vector<isl::set> partsOf(const Statement &s) {
  std::vector<isl::set> parts = {s.domain};
  for (const isl::pw_aff &d : collisions(s)) {
    isl::pw_aff zero = constantOn(s.domain.get_space(), intVal(s.domain.ctx(), 0L));
    std::vector<isl::set> finer;
    for (const isl::set &p : parts)
      // Where the element is touched under a condition only, there is no difference: the instances
      // on no side.
      for (const isl::set &side :
           {d.lt_set(zero), d.eq_set(zero), d.gt_set(zero), s.domain.subtract(d.domain())})
        if (isl::set part = p.intersect(side).coalesce(); !part.is_empty())
          finer.push_back(part);
    if (finer.size() > kMostParts)
      break;
    parts = finer;
  }
  return parts;
}

} // namespace

std::optional<Program> splitAtCollisions(const Program &program) {
  Program out = program;
  out.statements.clear();
  bool any = false;
  for (const Statement &s : program.statements) {
    std::vector<isl::set> parts = partsOf(s);
    any |= parts.size() > 1;
    for (size_t k = 0; k < parts.size(); k++) {
      Statement part = s;
      if (parts.size() > 1)
        part.name = fmt::format("{}_{}", s.name, k);
      part.domain = named(parts[k], part.name);
      for (Access &a : part.accesses)
        a.relation = namedInput(a.relation, part.name).intersect_domain(part.domain);
      out.statements.push_back(part);
    }
  }
  if (!any)
    return std::nullopt;
  madeOf(out, program, Rewriting::Splitting);
  return out;
}

} // namespace nw
