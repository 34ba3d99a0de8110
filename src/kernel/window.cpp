// Windows.
#include "kernel/window.h"
#include "ir/linear_tree.h"
#include "support/diagnostics.h"

namespace nw {

StmtP window(std::string name, ExprP origin, std::vector<int64_t> extents, Section section,
             int64_t phase, StmtP body) {
  auto s = std::make_shared<Stmt>();
  s->kind = StmtKind::Window;
  s->name = std::move(name);
  s->type = origin->type;
  s->extents = std::move(extents);
  s->section = section;
  s->exprs = {std::move(origin), intConst(phase)};
  s->body = {std::move(body)};
  return s;
}

int64_t phaseOf(const Stmt &window) { return window.exprs.at(1)->integer; }

std::vector<WindowPart> partsOf(const Stmt &window) {
  std::vector<WindowPart> parts;
  int64_t phase = phaseOf(window), all = window.extents.back();
  for (int64_t k = 0; k < all;) {
    int64_t count = window.section.unit;
    while (count > 1 && (k + count > all || (phase + k) % count != 0))
      count /= 2;
    parts.push_back({k, count});
    k += count;
  }
  return parts;
}

std::optional<std::vector<ExprP>> subscriptsOf(const ExprP &element) {
  std::vector<ExprP> all;
  const Expr *e = element.get();
  for (; e->kind == ExprKind::Index; e = e->args[0].get())
    all.insert(all.begin(), e->args[1]);
  return e->kind == ExprKind::Var ? std::optional(all) : std::nullopt;
}

// The sum; a constant is added to the constant that is there.
static ExprP added(const ExprP &a, const ExprP &b) {
  if (b->kind != ExprKind::Int)
    return binary("+", a, cast(b, a->type), a->type);
  if (a->kind == ExprKind::Int)
    return intConst(a->integer + b->integer, a->type);
  auto [rest, number] = splitNumber(a);
  return plusNumber(rest, number + b->integer, a->type);
}

ExprP elementOf(const Stmt &window, const std::vector<ExprP> &offsets) {
  std::vector<ExprP> origin = subscriptsOf(window.exprs[0]).value();
  ExprP e = var(baseOf(window.exprs[0])->name, window.type);
  for (size_t d = 0; d < origin.size(); d++)
    e = index(e, added(origin[d], offsets[d]), window.type);
  return e;
}

ExprP elementOfVariable(const Stmt &window, const std::vector<ExprP> &offsets) {
  ExprP e = var(window.name, window.type);
  for (const ExprP &o : offsets)
    e = index(e, o, window.type);
  return e;
}

StmtP withoutWindow(const StmtP &s) {
  std::vector<ExprP> counters;
  for (size_t d = 0; d < s->extents.size(); d++)
    counters.push_back(var("nw_element" + std::to_string(d), kI32));
  auto moved = [&](bool isLoad) {
    ExprP mine = elementOfVariable(*s, counters), element = elementOf(*s, counters);
    StmtP code = isLoad ? assign(mine, element) : assign(element, mine);
    for (size_t d = counters.size(); d-- > 0;)
      code = forLoop(counters[d]->name, kI32, intConst(0, kI32),
                     binary("<", counters[d], intConst(s->extents[d], kI32), kI32),
                     intConst(1, kI32), code);
    return code;
  };
  std::vector<StmtP> all = {declare(s->name, s->type, s->extents, {})};
  if (s->section.loads)
    all.push_back(moved(true));
  all.push_back(s->body[0]);
  if (s->section.stores)
    all.push_back(moved(false));
  return block(all);
}

} // namespace nw
