// Subscripts in a tile.
#include "lower/tile_subscripts.h"
#include "ir/linear_tree.h"
#include <algorithm>

namespace nw {

namespace {

constexpr int64_t kWidest =
    64; // values of a counter inside a point by which a box is wider than the tile

void move(TileSubscript &s, int64_t by) {
  s.offset += by;
  s.most += by;
  s.number += by;
}

} // namespace

TileSubscripts::TileSubscripts(const Program &program, const TileBox &box, const Type &type,
                               const StmtP &code)
    : p(program), box(box), type(type) {
  findCounters(code);
}

// Loops inside a point that run between numbers. One counter may have several loops.
void TileSubscripts::findCounters(const StmtP &code) {
  walkStmts(code, [&](const StmtP &s) {
    if (s->kind != StmtKind::For)
      return;
    std::optional<std::pair<int64_t, int64_t>> numbers;
    if (bitsOf(s->loop.type.scalar) >= 32)
      numbers = numbersOf(s->loop);
    std::pair<int64_t, int64_t> run = numbers.value_or(std::pair<int64_t, int64_t>(0, kWidest));
    auto [at, isNew] = counters.emplace(s->loop.counter, run);
    if (!isNew)
      at->second = {std::min(at->second.first, run.first), std::max(at->second.second, run.second)};
  });
}

// The counter's values, where there are few.
std::optional<std::pair<int64_t, int64_t>> TileSubscripts::runOf(const ExprP &e) const {
  auto found = e->kind == ExprKind::Var ? counters.find(e->name) : counters.end();
  bool isShort = found != counters.end() && found->second.first <= found->second.second &&
                 found->second.second - found->second.first < kWidest && e->name != box.strip;
  return isShort ? std::optional(found->second) : std::nullopt;
}

std::optional<TileSubscript> TileSubscripts::read(const ExprP &given) const {
  ExprP e = withoutWideCasts(given);
  TileSubscript s;
  if (e->kind == ExprKind::Binary && (e->name == "+" || e->name == "-") &&
      bitsOf(e->type.scalar) >= 32) {
    ExprP first = withoutWideCasts(e->args[0]), second = withoutWideCasts(e->args[1]);
    if (e->name == "+" && second->kind != ExprKind::Int && (runOf(first) || isSame(first)))
      std::swap(first, second);
    std::optional<std::pair<int64_t, int64_t>> run = runOf(second);
    if (std::optional<TileSubscript> inner =
            second->kind == ExprKind::Int || run ? read(first) : std::nullopt;
        inner && inner->kind != TileSubscript::Fixed) {
      if (run)
        addCounter(*inner, second, *run, e->name == "+");
      else
        move(*inner, e->name == "+" ? second->integer : -second->integer);
      return inner;
    }
    if (std::optional<TileSubscript> inner =
            e->name == "+" && isSame(second) ? read(first) : std::nullopt;
        inner && inner->kind != TileSubscript::Fixed) {
      inner->uniform =
          inner->uniform ? binary("+", inner->uniform, ofBlock(second), type) : ofBlock(second);
      return inner;
    }
  }
  if (e->kind == ExprKind::Var && ((e->name == box.y && box.height > 1) || e->name == box.x ||
                                   (e->name == box.strip && !box.strip.empty()))) {
    s.kind = e->name == box.y   ? TileSubscript::Row
             : e->name == box.x ? TileSubscript::Column
                                : TileSubscript::Strip;
    return s;
  }
  if (std::optional<std::pair<int64_t, int64_t>> run = runOf(e)) {
    s.kind = TileSubscript::Inside;
    addCounter(s, e, *run, true);
    return s;
  }
  if (!isSame(e))
    return std::nullopt;
  s.fixed = ofBlock(e);
  return s;
}

// Constants, parameters and loops of the host, and the dimension of which the tile has one value.
bool TileSubscripts::isSame(const ExprP &e) const {
  bool same = true;
  walk(e, [&](const ExprP &x) {
    bool isHost = x->kind == ExprKind::Var &&
                  std::any_of(p.parameters.begin(), p.parameters.end(),
                              [&](const Parameter &q) { return q.name == x->name; });
    same &= x->kind == ExprKind::Int || x->kind == ExprKind::Cast || x->kind == ExprKind::Binary ||
            isHost ||
            (x->kind == ExprKind::Var &&
             ((x->name == box.y && box.height == 1) || box.outer.count(x->name)));
    return same;
  });
  return same;
}

ExprP TileSubscripts::ofBlock(const ExprP &e) const {
  return cast(rewrite(e,
                      [&](const ExprP &x) {
                        return x->kind == ExprKind::Var && x->name == box.y && box.height == 1
                                   ? var(box.yFirst, x->type)
                                   : x;
                      }),
              type);
}

void TileSubscripts::addCounter(TileSubscript &s, const ExprP &counter,
                                std::pair<int64_t, int64_t> run, bool isPlus) const {
  s.offset += isPlus ? run.first : -run.second;
  s.most += isPlus ? run.second : -run.first;
  ExprP own = cast(counter, type);
  s.counters = s.counters ? binary(isPlus ? "+" : "-", s.counters, own, type)
               : isPlus   ? own
                          : unary("-", own, type);
}

} // namespace nw
