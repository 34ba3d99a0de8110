// Wide points.
#include "lower/windowed_tile.h"
#include "kernel/window.h"
#include "lower/boundary_kernel.h"
#include "lower/known_conditions.h"
#include "lower/window_search.h"
#include <algorithm>
#include <fmt/format.h>

namespace nw {

namespace {

constexpr int64_t kMostInner = 64; // instances of a statement in one point that are written out

// The values that a statement's own loops take in some point, if they are few and the same for all
// sizes; the points that have all of them.
class WholePoints {
public:
  explicit WholePoints(const ThreadTile &t) : t(t), which(t.order.size()) {}

  std::optional<isl::set> run() {
    isl::set full;
    for (const isl::set &domain : setsOf(t.view.domain)) {
      isl::set values = valuesWithInside(domain).intersect_params(t.view.context);
      isl::set points = projectOut(values, which, dimsOf(values) - which);
      isl::set inner = projectOut(values, 0, which);
      if (!isSmall(inner))
        return std::nullopt;
      isl::set everything = isl::manage(isl_set_flat_product(points.copy(), inner.copy()));
      isl::set missing = everything.subtract(values);
      isl::set here =
          points.subtract(projectOut(missing, which, dimsOf(missing) - which)).coalesce();
      full = full.is_null() ? here : full.intersect(here);
    }
    return full.is_null() ? std::nullopt : std::optional(full.coalesce());
  }

private:
  isl::set valuesWithInside(const isl::set &domain) const {
    isl::map product = isl::manage(isl_map_from_domain_and_range(
        domain.copy(), isl_set_universe(anonymousSpace(domain.ctx(), 0).release())));
    std::vector<isl::union_map> all;
    for (size_t d : t.order)
      all.push_back(t.step.parallel[d].value);
    all.push_back(t.step.inside);
    for (const isl::union_map &one : all)
      for (const isl::map &m : mapsOf(one))
        if (inputTupleOf(m) == tupleOf(domain))
          product = isl::manage(isl_map_flat_range_product(product.release(), m.copy()));
    return unnamed(product.range());
  }

  static bool isSmall(const isl::set &inner) {
    isl::set anySize = isl::manage(isl_set_project_out(
        inner.copy(), isl_dim_param, 0, unsigned(isl_set_dim(inner.get(), isl_dim_param))));
    int64_t count = 1;
    for (int d = 0; d < dimsOf(anySize); d++) {
      if (!isBoundedDim(anySize, d, true) || !isBoundedDim(anySize, d, false))
        return false;
      std::optional<long> low = longOf(isl::manage(isl_set_dim_min_val(anySize.copy(), d))),
                          high = longOf(isl::manage(isl_set_dim_max_val(anySize.copy(), d)));
      if (!low || !high || *high - *low >= kMostInner)
        return false;
      count *= *high - *low + 1;
    }
    return count <= kMostInner;
  }

  const ThreadTile &t;
  int which;
};

// Loops of few iterations are written out by the device's compiler, so that windows become
// registers.
StmtP unrolled(const StmtP &s) {
  auto copy = std::make_shared<Stmt>(*s);
  if (s->kind == StmtKind::For)
    copy->loop.isUnrolled = true;
  if (!s->isInstance())
    for (StmtP &b : copy->body)
      b = unrolled(b);
  return copy;
}

class WideTile {
public:
  WideTile(const ThreadTile &t, int bytes, bool hasBoundaryKernel, const WholeTile &tile)
      : t(t), bytes(bytes), hasBoundaryKernel(hasBoundaryKernel), tile(tile),
        type(t.context.indexType) {}

  // Nothing where there is nothing to gain, or where an array is written in a way that windows do
  // not know.
  StmtP run(WindowedTile &out) {
    std::optional<std::vector<FoundWindow>> first = windowsOf(codeIn(tile.whole));
    if (!first)
      return nullptr;
    isl::set safe = tile.whole;
    for (const FoundWindow &w : *first)
      if (w.section.loads)
        safe = safe.subtract(unsafeTiles(w));
    safe = safe.coalesce();
    if (safe.is_empty())
      return nullptr;
    StmtP code = codeIn(safe);
    code = withoutKnownConditions(code, pointsOf(safe));
    std::optional<std::vector<FoundWindow>> found = windowsOf(code);
    if (!found)
      return nullptr;
    for (const FoundWindow &w : *found)
      if (w.section.loads && !isInside(w, *first))
        return nullptr;
    bool isWide = false;
    for (const FoundWindow &w : *found) {
      isWide |= w.section.unit > 1;
      code = rewriteExprs(code, [&](const ExprP &e) {
        for (const auto &[access, element] : w.accesses)
          if (sameTree(e, access))
            return element;
        return e;
      });
    }
    if (!isWide && bytes > 0)
      return nullptr;
    code = unrolled(code);
    for (size_t n = 0; n < tile.dimensions.size(); n++)
      code = pointLoop(n, code);
    for (size_t k = found->size(); k-- > 0;) {
      const FoundWindow &w = (*found)[k];
      code = window(w.name, w.origin, w.extents, w.section, w.phase, code);
      align(w, out);
      out.held += w.section.loads ? held(w) : 0;
      out.isPacked |= bytesOf(w.origin->type.scalar) < 4;
      if (w.section.loads && w.extents.size() > 1 && tile.points.size() > 1)
        out.underWay = std::max(out.underWay,
                                std::min<int64_t>(tile.points[1], w.extents[w.extents.size() - 2] -
                                                                      tile.points[1] + 1) *
                                    tile.points[0]);
    }
    ExprP isWhole = t.context.reader.condition(ofFirst(safe), t.view.context);
    if (isWhole && hasBoundaryKernel)
      out.frame = boundaryAround(t, safe);
    return !isWhole ? code : out.frame ? ifElse(isWhole, code) : ifElse(isWhole, code, tile.rest);
  }

private:
  std::optional<std::vector<FoundWindow>> windowsOf(const StmtP &code) const {
    return findWindows({t.context, t.step, code, tile, bytes});
  }

  StmtP pointLoop(size_t n, const StmtP &body) const {
    ExprP first = var(tile.firsts[n], type), here = var(tile.dimensions[n], type);
    if (tile.points[n] == 1 && tile.firsts[n] == tile.dimensions[n])
      return body;
    StmtP loop =
        forLoop(tile.dimensions[n], type, first,
                binary("<", here, binary("+", first, intConst(tile.points[n], type), type), kI32),
                intConst(1, type), body);
    auto copy = std::make_shared<Stmt>(*loop);
    copy->loop.isUnrolled = true;
    return copy;
  }

  // Points of tiles whose first points are given.
  isl::set pointsOf(const isl::set &firsts) const {
    isl::set all;
    for (int kx = 0; kx < tile.points[0]; kx += std::max(1, tile.points[0] - 1))
      for (int ky = 0; ky < yPoints(); ky += std::max(1, yPoints() - 1)) {
        isl::set moved = translated(firsts, 0, kx);
        if (tile.points.size() > 1)
          moved = translated(moved, 1, ky);
        all = all.is_null() ? moved : all.unite(moved);
      }
    isl::set points = hullOf(all); // all in between, or more: what is known of a single point
    points = equateToParam(points, 0, tile.dimensions[0]);
    return onlyParams(tile.points.size() > 1 ? equateToParam(points, 1, tile.dimensions[1])
                                             : points)
        .intersect(t.view.context);
  }

  int yPoints() const { return tile.points.size() > 1 ? tile.points[1] : 1; }

  isl::set ofFirst(const isl::set &tiles) const {
    isl::set all = equateToParam(tiles, 0, tile.firsts[0]);
    return onlyParams(tile.points.size() > 1 ? equateToParam(all, 1, tile.firsts[1]) : all);
  }

  // The code of one point of such a tile.
  StmtP codeIn(const isl::set &firsts) const {
    View inside = t.view;
    inside.context = pointsOf(firsts);
    std::vector<StmtP> all = t.locals;
    all.push_back(codeOfPoint(t, inside, {}));
    return block(all);
  }

  // Tiles whose window holds an element that is not certainly read by some instance of the step.
  isl::set unsafeTiles(const FoundWindow &w) const {
    isl::set read;
    const View &view = t.everything ? *t.everything : t.view;
    for (const std::string &name : t.step.statements)
      for (const Access &a : t.context.program.find(name)->accesses)
        if (a.array == w.array && a.isCertain && !a.isWrite && a.relation.is_single_valued())
          for (const isl::set &domain : setsOf(view.domain))
            if (tupleOf(domain) == name) {
              isl::set elements = unnamed(a.relation.intersect_domain(domain).range());
              read = read.is_null() ? elements : read.unite(elements);
            }
    isl::map box = w.elements(tile.whole.ctx(), tile.points.size()).intersect_domain(tile.whole);
    if (read.is_null())
      return box.domain();
    return box.subtract(box.intersect_range(read.intersect_params(t.view.context).coalesce()))
        .domain();
  }

  static bool isInside(const FoundWindow &w, const std::vector<FoundWindow> &others) {
    return std::any_of(others.begin(), others.end(), [&](const FoundWindow &o) {
      bool inside = o.array == w.array && o.section.loads && o.low.size() == w.low.size();
      for (size_t d = 0; d < w.low.size() && inside; d++) {
        LinearSum before = w.low[d] - o.low[d];
        inside = before.factors.empty() && before.constant >= 0 &&
                 before.constant + w.extents[d] <= o.extents[d];
      }
      return inside;
    });
  }

  static int64_t held(const FoundWindow &w) {
    int64_t bytes = bytesOf(w.origin->type.scalar);
    for (int64_t e : w.extents)
      bytes *= e;
    return (bytes + 3) / 4;
  }

  // What the launch has to ask for: buffers and rows that begin at multiples of the widest access.
  void align(const FoundWindow &w, WindowedTile &out) const {
    if (w.section.unit == 1)
      return;
    int &most = out.alignment[w.array];
    most = std::max(most, int(w.section.unit) * bytesOf(w.origin->type.scalar));
    const std::vector<ExprP> &extents = t.context.program.arrays.at(w.array).extents;
    if (extents.size() < 2 || extents.back()->kind == ExprKind::Int)
      return;
    ExprP whole =
        binary("==", binary("%", cast(extents.back(), kI64), intConst(w.section.unit), kI64),
               intConst(0), kI32);
    if (!out.condition)
      out.condition = whole;
    else if (!sameTree(out.condition, whole) &&
             !(out.condition->kind == ExprKind::Binary && out.condition->name == "&&" &&
               sameTree(out.condition->args[1], whole)))
      out.condition = binary("&&", out.condition, whole, kI32);
  }

  const ThreadTile &t;
  int bytes;
  bool hasBoundaryKernel;
  const WholeTile &tile;
  Type type;
};

bool isPowerOfTwo(int n) { return n > 0 && (n & (n - 1)) == 0; }

} // namespace

std::optional<WindowedTile> windowedTile(ThreadTile t, int bytes, bool hasBoundaryKernel,
                                         std::array<ExprP, 3> &threads) {
  const ExprP &first = t.box.first[t.order[0]];
  if (t.order.size() > 2 || t.points.empty() || (bytes > 0 && t.points[0] < 2) ||
      !isPowerOfTwo(t.points[0]) || first->kind != ExprKind::Int || first->integer < 0)
    return std::nullopt;
  t.only = WholePoints(t).run();
  if (!t.only)
    return std::nullopt;
  WindowedTile out;
  bool isMade = false;
  t.tileCode = [&](const WholeTile &tile) {
    StmtP code = WideTile(t, bytes, hasBoundaryKernel, tile).run(out);
    isMade = code != nullptr;
    return isMade ? code : tile.rest;
  };
  out.body = threadTileCode(t, threads);
  return isMade ? std::optional(out) : std::nullopt;
}

} // namespace nw
