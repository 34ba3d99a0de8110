// Boundary kernels.
#include "lower/boundary_kernel.h"
#include <fmt/format.h>

namespace nw {

namespace {

class Boundary {
public:
  Boundary(const ThreadTile &t, const isl::set &tiles)
      : t(t), tiles(tiles), type(t.context.indexType) {}

  std::optional<BoundaryKernel> run() {
    if (t.order.size() != 2 || t.points.size() != 2 ||
        t.box.first[t.order[1]]->kind != ExprKind::Int || !isBox(tiles))
      return std::nullopt;
    long firstY = long(t.box.first[t.order[1]]->integer);
    tiles = tiles.intersect(
        isl::set(tiles.ctx(), fmt::format("{{ [x, y] : x mod {0} = 0 and (y - {2}) mod {1} = 0 }}",
                                          t.points[0], t.points[1], firstY)));
    isl::set some = onlyParams(tiles);
    if (some.is_empty())
      return std::nullopt;
    known = t.view.context.intersect(some);
    BoundaryKernel made;
    made.condition = t.context.reader.condition(some, t.view.context);
    made.body = block({rows(), columns()});
    auto larger = [](const ExprP &a, const ExprP &b) {
      return node(ExprKind::Max, {cast(a, kI64), cast(b, kI64)}, kI64);
    };
    made.threads = {larger(t.box.count[t.order[0]], t.box.count[t.order[1]]),
                    larger(borderOnHost(1), borderOnHost(0)), intConst(1)};
    return made;
  }

private:
  static bool isBox(const isl::set &s) {
    isl::set alongX = projectOut(s, 1, 1), alongY = projectOut(s, 0, 1);
    return isl::manage(isl_set_flat_product(alongX.release(), alongY.release())).is_subset(s);
  }

  const std::string &nameOf(size_t n) const { return t.step.parallel[t.order[n]].name; }
  ExprP thread(const char *name) const { return node(ExprKind::Builtin, {}, type, name); }
  ExprP first(size_t n) { return t.bound(nameOf(n) + "_first", t.box.first[t.order[n]]); }
  ExprP last(size_t n) { return t.bound(nameOf(n) + "_last", t.box.last[t.order[n]]); }
  // The first point inside the boundary, and the first behind it.
  ExprP lowValue(size_t n) const { return t.context.reader.value(lowest(tiles, int(n)), known); }
  ExprP highValue(size_t n) const {
    isl::pw_aff end = highest(tiles, int(n));
    return t.context.reader.value(
        end.add(constantOn(isl::manage(isl_pw_aff_get_domain_space(end.get())),
                           intVal(end.ctx(), long(t.points[n])))),
        known);
  }
  ExprP low(size_t n) { return t.bound(nameOf(n) + "_low", lowValue(n)); }
  ExprP high(size_t n) { return t.bound(nameOf(n) + "_high", highValue(n)); }

  static ExprP plus(const ExprP &a, const ExprP &b) { return binary("+", a, b, b->type); }
  static ExprP minus(const ExprP &a, const ExprP &b) {
    if (a->kind == ExprKind::Int && b->kind == ExprKind::Int)
      return intConst(a->integer - b->integer, a->type);
    return b->kind == ExprKind::Int && b->integer == 0 ? a : binary("-", a, b, a->type);
  }
  ExprP typed(const ExprP &e) const {
    return e->kind == ExprKind::Int ? intConst(e->integer, type) : cast(e, type);
  }

  // How many values lie at the border.
  ExprP border(const ExprP &from, const ExprP &begin, const ExprP &end, const ExprP &until) const {
    ExprP before = minus(begin, from);
    return plus(minus(until, end), before->kind == ExprKind::Int
                                       ? intConst(before->integer + 1, type)
                                       : plus(before, intConst(1, type)));
  }
  ExprP borderOnHost(size_t n) const {
    return border(typed(t.box.first[t.order[n]]), typed(lowValue(n)), typed(highValue(n)),
                  typed(t.box.last[t.order[n]]));
  }

  // for (border = thread; border < values at the border; border += threads) { d = before the inside
  // ? … : behind it; body }
  StmtP alongBorder(size_t n, const char *axis, const StmtP &body) {
    ExprP from = typed(first(n)), begin = typed(low(n)), end = typed(high(n)),
          until = typed(last(n));
    std::string counter = "nw_" + nameOf(n) + "_border";
    ExprP number = var(counter, type), before = minus(begin, from);
    ExprP value = select(binary("<", number, before, kI32), sumOf(from, number),
                         plus(minus(end, before), number), type);
    ExprP many = border(from, begin, end, until);
    return forLoop(counter, type, thread(axis == std::string("x") ? "thread.x" : "thread.y"),
                   binary("<", number, many, kI32),
                   thread(axis == std::string("x") ? "threads.x" : "threads.y"),
                   block({declare(nameOf(n), type, {}, {value}), body}));
  }

  // All of the rows before and behind the inside.
  StmtP rows() {
    ExprP x = var(nameOf(0), type);
    StmtP row = forLoop(nameOf(0), type, sumOf(typed(first(0)), thread("thread.x")),
                        binary("<=", x, typed(last(0)), kI32), thread("threads.x"), point());
    return alongBorder(1, "y", row);
  }

  // What is left of the others; neighbouring threads have neighbouring rows, since there are many
  // of them.
  StmtP columns() {
    ExprP y = var(nameOf(1), type);
    return forLoop(nameOf(1), type, sumOf(typed(low(1)), thread("thread.x")),
                   binary("<", y, typed(high(1)), kI32), thread("threads.x"),
                   alongBorder(0, "y", point()));
  }

  StmtP point() {
    View inside = t.view;
    for (size_t n = 0; n < t.order.size(); n++)
      inside.context = inside.context.intersect(
          onlyParams(equateToParam(rangeOf(t.step, t.view, t.order[n]), 0, nameOf(n))));
    std::vector<StmtP> all = t.locals;
    all.push_back(codeOfPoint(t, inside, {}));
    return block(all);
  }

  const ThreadTile &t;
  isl::set tiles, known;
  Type type;
};

} // namespace

std::optional<BoundaryKernel> boundaryAround(const ThreadTile &points, const isl::set &tiles) {
  return Boundary(points, tiles).run();
}

} // namespace nw
