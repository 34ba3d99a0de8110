// Moves on nests that nobody had in mind: products of one to five parallel loops that sum over one
// to three, in tiles with strips of each of the loops summed over, buffers, loads ahead and tails.
#include "product.h"
#include <fmt/format.h>

namespace nw::testing {

namespace {

struct Nest {
  std::vector<std::string> parallel, summed;
  Region region;
};

ExprP element(const std::string &array, const std::vector<std::string> &subscripts) {
  ExprP e = var(array, real());
  for (const std::string &s : subscripts)
    e = index(e, v(s.c_str()), real());
  return e;
}

constexpr int kFew = 3; // values of a loop inside of the strips

// C[p0]...[pn] += A[...][rows][sums] * B[...][sums][columns], each with as many of the outer loops
// as four subscripts leave room for.
Nest nestOf(int parallel, int summed, int strips) {
  Nest n;
  for (int k = 0; k < parallel; k++)
    n.parallel.push_back(fmt::format("p{}", k));
  for (int k = 0; k < summed; k++)
    n.summed.push_back(fmt::format("s{}", k));
  auto end = [&](const std::string &loop) {
    auto at = std::find(n.summed.begin(), n.summed.end(), loop);
    return at - n.summed.begin() > strips && at != n.summed.end() ? i32(kFew)
                                                                  : v(("n_" + loop).c_str());
  };
  auto array = [&](const std::string &name, const std::vector<std::string> &subscripts) {
    std::vector<ExprP> inner;
    for (size_t k = 1; k < subscripts.size(); k++)
      inner.push_back(end(subscripts[k]));
    return pointer(name, real(), inner);
  };
  auto with = [&](int own) { // of the last two parallel loops
    std::vector<std::string> all;
    int room = 4 - summed - (own >= 0 ? 1 : 0);
    for (int k = 0; k + 2 < parallel && k < room; k++)
      all.push_back(n.parallel[size_t(k)]);
    if (own >= 0)
      all.push_back(n.parallel[size_t(own)]);
    all.insert(all.end(), n.summed.begin(), n.summed.end());
    return all;
  };
  std::vector<std::string> a = with(parallel - 1), b = with(parallel - 2), c = n.parallel;
  ExprP target = element("C", c);
  StmtP body = assign(
      target, binary("+", target, binary("*", element("A", a), element("B", b), real()), real()));
  std::vector<std::string> loops = n.parallel;
  loops.insert(loops.end(), n.summed.begin(), n.summed.end());
  std::vector<Variable> variables = {array("A", a), array("B", b), array("C", c)};
  for (size_t k = loops.size(); k-- > 0;) {
    body = loop(loops[k], i32(0), end(loops[k]), {body});
    variables.push_back(scalar(loops[k]));
    variables.push_back(scalar("n_" + loops[k]));
  }
  n.region = regionOf({body}, variables);
  for (const std::string &name : loops)
    n.region.variables[name].storage = Storage::Local;
  return n;
}

TilePlan tileOf(const Nest &n, const std::string &strip) {
  TilePlan t;
  t.grid.assign(n.parallel.rbegin(), n.parallel.rend());
  bool isLine = n.parallel.size() == 1;
  t.block = isLine ? std::vector{8, 1} : std::vector{4, 2};
  t.threadTile = isLine ? std::vector{2, 1} : std::vector{2, 2};
  t.contiguous = isLine ? std::vector{1, 1} : std::vector{2, 1};
  t.strip = strip;
  t.stripLength = 2;
  t.staged = {{"A", 1}, {"B", 0}};
  return t;
}

std::map<std::string, int64_t> sizesOf(const Nest &n, int64_t columns, int64_t others) {
  std::map<std::string, int64_t> sizes;
  for (const std::string &p : n.parallel)
    sizes["n_" + p] = others;
  for (const std::string &s : n.summed)
    sizes["n_" + s] = 3;
  sizes["n_" + n.parallel.back()] = columns;
  return sizes;
}

} // namespace

TEST(Compositions, TilesOfAnyNestAreAcceptedAndRight) {
  for (int parallel = 1; parallel <= 5; parallel++)
    for (int summed = 1; summed <= 3; summed++)
      for (int strips = 0; strips < summed; strips++) {
        Nest n = nestOf(parallel, summed, strips);
        TilePlan t = tileOf(n, n.summed[size_t(strips)]);
        t.stages = 1 + (strips + parallel) % 2;
        t.prefetch = (strips + summed) % 2;
        SCOPED_TRACE(fmt::format("{} parallel loops, {} sums, strips of {}, {} buffers, {} ahead",
                                 parallel, summed, t.strip, t.stages, t.prefetch));
        TiledRegion tiled(n.region, t);
        EXPECT_TRUE(tiled.tiles().isTiled());
        EXPECT_EQ(textOf(provedFindings(tiled.program, tiled.kernels)), "");
        tiled.expectSame({sizesOf(n, 17, 2), sizesOf(n, 1, 1)});
      }
}

} // namespace nw::testing
