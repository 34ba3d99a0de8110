// A product in tiles, as several tests have it.
#pragma once
#include "tiled_region.h"

namespace nw::testing {

inline Type real() { return typeOf(Scalar::F32); }

inline Region product() {
  auto element = [](const char *a, const char *x, const char *y) {
    return index(index(var(a, real()), v(x), real()), v(y), real());
  };
  ExprP c = element("C", "i", "j");
  StmtP update =
      assign(c, binary("+", c, binary("*", element("A", "i", "l"), element("B", "l", "j"), real()),
                       real()));
  Region r = regionOf({loop("i", i32(0), v("m"),
                            {loop("j", i32(0), v("n"), {loop("l", i32(0), v("k"), {update})})})},
                      {scalar("m"), scalar("n"), scalar("k"), scalar("i"), scalar("j"), scalar("l"),
                       pointer("A", real(), {v("k")}), pointer("B", real(), {v("n")}),
                       pointer("C", real(), {v("n")})});
  for (const char *name : {"i", "j", "l"})
    r.variables[name].storage = Storage::Local;
  return r;
}

inline TilePlan smallTiles() {
  TilePlan t;
  t.grid = {"j", "i"};
  t.block = {4, 2};
  t.threadTile = {4, 2};
  t.contiguous = {2, 1};
  t.strip = "l";
  t.stripLength = 3;
  t.staged = {{"A", 1}, {"B", 0}};
  return t;
}

inline TilePlan prefetchingTiles() {
  TilePlan t = smallTiles();
  t.stripLength = 4;
  t.prefetch = 1;
  return t;
}

} // namespace nw::testing
