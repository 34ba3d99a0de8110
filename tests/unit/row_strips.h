// A loop over rows in strips, as several tests have it.
#pragma once
#include "product.h"

namespace nw::testing {

inline ExprP at(const char *array, const ExprP &x) { return index(var(array, real()), x, real()); }
inline ExprP at(const char *array, const ExprP &row, const ExprP &column) {
  return index(at(array, row), column, real());
}

inline Region regionWith(const StmtP &update, std::vector<Variable> arrays) {
  std::vector<Variable> all = {scalar("n"), scalar("m"), scalar("i"), scalar("j")};
  all.insert(all.end(), arrays.begin(), arrays.end());
  Region r = regionOf({loop("i", i32(0), v("n"), {loop("j", i32(0), v("m"), {update})})}, all);
  for (const char *name : {"i", "j"})
    r.variables[name].storage = Storage::Local;
  return r;
}

// b[i][j] = a[i][j] * t[i]
inline Region scaling() {
  return regionWith(
      assign(at("b", v("i"), v("j")),
             binary("*", at("a", v("i"), v("j")), at("t", v("i")), real())),
      {pointer("a", real(), {v("m")}), pointer("b", real(), {v("m")}), pointer("t", real(), {})});
}

inline TilePlan strips(std::vector<StagedArray> staged) {
  TilePlan t;
  t.grid = {"i"};
  t.block = {4, 1};
  t.threadTile = t.contiguous = {1, 1};
  t.strip = "j";
  t.stripLength = 3;
  t.staged = std::move(staged);
  return t;
}

} // namespace nw::testing
