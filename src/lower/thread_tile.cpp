// Several points of a thread tile.
#include "lower/thread_tile.h"
#include "kernel/copies.h"
#include "kernel/jam.h"
#include <fmt/format.h>

namespace nw {

ExprP sumOf(const ExprP &a, const ExprP &b) {
  return a->kind == ExprKind::Int && a->integer == 0 ? b : binary("+", a, b, b->type);
}

std::string pointName(const InstanceContext &c, const std::string &dimension, int k) {
  std::string name = fmt::format("{}_{}", dimension, k);
  while (c.program.region.variables.count(name) || c.dimensions.count(name) ||
         c.program.arrays.count(name))
    name = "nw_" + name;
  return name;
}

StmtP codeOfPoint(const ThreadTile &t, View view, const std::map<std::string, std::string> &names) {
  for (const Dimension &d : t.step.parallel) {
    auto other = names.find(d.name);
    view = fixed(view, d, other == names.end() ? d.name : other->second);
  }
  return instances(t.context, view, t.step.inside, t.step.insideNames);
}

namespace {

class ThreadTileCode {
public:
  ThreadTileCode(const ThreadTile &t, std::array<ExprP, 3> &threads)
      : t(t), threads(threads), type(t.context.indexType) {
    for (size_t n = 0; n < t.order.size(); n++) {
      const std::string &name = t.step.parallel[t.order[n]].name;
      dimensions.push_back(name);
      first.push_back(t.bound(name + "_first", t.box.first[t.order[n]]));
      points.push_back(n < t.points.size() ? t.points[n] : 1);
    }
    if (t.tileCode)
      base = first[0]->integer / points[0] * points[0];
  }

  StmtP run() {
    std::vector<StmtP> all;
    StmtP inside = tileOf();
    const std::string &x = dimensions[0];
    if (points[0] == 1)
      all.push_back(declare(x, type, {}, {sumOf(first[0], thread("thread.x"))}));
    else
      all.push_back(declare(nameOf(0, 0), type, {},
                            {sumOf(beginning(), product(thread("thread.x"), points[0]))}));
    threads[0] = tilesAlong(0);
    if (dimensions.size() == 1) {
      all.push_back(inside);
      return block(all);
    }
    threads[1] = tilesAlong(1);
    if (points[1] == 1) {
      ExprP last = t.bound(dimensions[1] + "_last", t.box.last[t.order[1]]);
      alongY(all, dimensions[1], sumOf(first[1], thread("thread.y")),
             binary("<=", var(dimensions[1], type), last, kI32), inside);
      return block(all);
    }
    ExprP tile = var("nw_" + dimensions[1] + "_tile", type);
    ExprP base = sumOf(first[1], product(tile, points[1]));
    ExprP isTile = binary("<", tile, cast(t.launchValue(tile->name + "s", threads[1]), type), kI32);
    alongY(all, tile->name, thread("thread.y"), isTile,
           block({declare(nameOf(1, 0), type, {}, {base}), inside}));
    return block(all);
  }

private:
  // For a thread's own value or, unless there is a thread for each, from that on in steps of all
  // threads.
  void alongY(std::vector<StmtP> &all, const std::string &counter, const ExprP &own,
              const ExprP &isThere, const StmtP &inside) const {
    if (t.tileCode)
      all.insert(all.end(), {declare(counter, type, {}, {own}), ifElse(isThere, inside)});
    else
      all.push_back(forLoop(counter, type, own, isThere, thread("threads.y"), inside));
  }

  static ExprP thread(const char *name, const Type &type) {
    return node(ExprKind::Builtin, {}, type, name);
  }
  ExprP thread(const char *name) const { return thread(name, type); }
  ExprP product(const ExprP &a, int by) const { return binary("*", a, intConst(by, type), type); }
  // Point number k of dimension n; a dimension of single points keeps its name.
  std::string nameOf(size_t n, int k) const {
    return points[n] == 1 ? dimensions[n] : pointName(t.context, dimensions[n], k);
  }

  // Where the first tile along x begins.
  ExprP beginning() const { return base ? intConst(*base, type) : first[0]; }

  ExprP tilesAlong(size_t n) const {
    ExprP count = cast(t.box.count[t.order[n]], kI64);
    if (int64_t more = n == 0 && base ? first[0]->integer - *base : 0)
      count = binary("+", count, intConst(more), kI64);
    return points[n] == 1 ? count
                          : binary("/", binary("+", count, intConst(points[n] - 1), kI64),
                                   intConst(points[n]), kI64);
  }

  // That all points are there, said of the first: of x and, if there are two dimensions, of y.
  isl::set wholeTiles() const {
    std::vector<Dimension> which;
    for (size_t d : t.order)
      which.push_back(t.step.parallel[d]);
    isl::set exact = valuesOf(t.view, which);
    if (t.only)
      exact = exact.intersect(*t.only).coalesce();
    isl::set all = exact;
    for (int kx = 0; kx < points[0]; kx++)
      for (int ky = 0; ky < yPoints(); ky++)
        if (kx || ky)
          all = all.intersect(moved(exact, -kx, -ky));
    return all.coalesce();
  }

  int yPoints() const { return points.size() > 1 ? points[1] : 1; }
  isl::set moved(const isl::set &values, int x, int y) const {
    isl::set alongX = translated(values, 0, x);
    return points.size() > 1 ? translated(alongX, 1, y) : alongX;
  }

  isl::set ofPoint(const isl::set &values, int kx, int ky) const {
    isl::set all = equateToParam(moved(values, kx, ky), 0, nameOf(0, kx));
    return onlyParams(points.size() > 1 ? equateToParam(all, 1, nameOf(1, ky)) : all);
  }

  StmtP tileOf() {
    isl::set tiles = wholeTiles();
    if (t.tileCode) {
      WholeTile tile{tiles, dimensions, {}, points, pointByPoint()};
      for (size_t n = 0; n < dimensions.size(); n++)
        tile.firsts.push_back(nameOf(n, 0));
      return t.tileCode(tile);
    }
    std::vector<StmtP> whole, codes;
    for (size_t n = dimensions.size(); n-- > 0;)
      for (int k = 1; k < points[n]; k++)
        whole.push_back(declare(nameOf(n, k), type, {},
                                {binary("+", var(nameOf(n, 0), type), intConst(k, type), type)}));
    for (int ky = 0; ky < yPoints(); ky++)
      for (int kx = 0; kx < points[0]; kx++) {
        View inside = t.view;
        inside.context = inside.context.intersect(ofPoint(tiles, kx, ky));
        std::map<std::string, std::string> names = {{dimensions[0], nameOf(0, kx)}};
        if (points.size() > 1)
          names[dimensions[1]] = nameOf(1, ky);
        codes.push_back(codeOfPoint(t, inside, names));
      }
    Copies copies = withCopies(t.locals, codes, [&](const std::string &name) {
      return t.context.program.region.variables.count(name) || t.context.dimensions.count(name) ||
             t.context.program.arrays.count(name);
    });
    whole.insert(whole.end(), copies.declarations.begin(), copies.declarations.end());
    whole.push_back(jam(copies.codes));
    ExprP isWhole = t.context.reader.condition(ofPoint(tiles, 0, 0), t.view.context);
    return isWhole ? ifElse(isWhole, block(whole), pointByPoint()) : block(whole);
  }

  // Those points of the tile that are there, one after the other.
  StmtP pointByPoint() {
    View rest = t.view;
    const View &bounded = t.everything ? *t.everything : t.view; // what the box is of
    for (size_t n = 0; n < dimensions.size(); n++)
      if (points[n] > 1 || n > 0)
        rest.context = rest.context.intersect(
            onlyParams(equateToParam(rangeOf(t.step, bounded, t.order[n]), 0, dimensions[n])));
    std::vector<StmtP> all = t.locals;
    all.push_back(codeOfPoint(t, rest, {}));
    StmtP code = block(all);
    for (size_t n = 0; n < dimensions.size(); n++) {
      if (points[n] == 1)
        continue;
      ExprP here = var(dimensions[n], type), tile = var(nameOf(n, 0), type), begin = tile,
            last = t.bound(dimensions[n] + "_last", t.box.last[t.order[n]]);
      ExprP isLeft = binary(
          "&&", binary("<=", here, binary("+", tile, intConst(points[n] - 1, type), type), kI32),
          binary("<=", here, last, kI32), kI32);
      if (n == 0 && base && first[0]->integer > *base)
        begin = node(ExprKind::Max, {begin, first[0]}, type);
      code = forLoop(dimensions[n], type, begin, isLeft, intConst(1, type), code);
    }
    return code;
  }

  const ThreadTile &t;
  std::array<ExprP, 3> &threads;
  Type type;
  std::vector<std::string> dimensions; // x and perhaps y
  std::vector<ExprP> first;
  std::vector<int> points;
  std::optional<int64_t> base; // of the first tile along x, where that is a multiple of the width
};

} // namespace

StmtP threadTileCode(const ThreadTile &points, std::array<ExprP, 3> &threads) {
  return ThreadTileCode(points, threads).run();
}

} // namespace nw
