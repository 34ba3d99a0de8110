// Chains of operations.
#include "estimate/chains.h"
#include <algorithm>

namespace nw {

constexpr int kLongOperation = 8, kConversion = 3; // a division or a function, in plain operations

static int stepsOf(const Expr &e) {
  if (e.kind == ExprKind::Call)
    return kLongOperation;
  if (e.kind == ExprKind::Cast)
    return e.type.isFloat() && e.args[0]->kind != ExprKind::Int &&
                   e.args[0]->kind != ExprKind::Float
               ? kConversion
               : 0;
  if (e.kind != ExprKind::Binary)
    return 0;
  int width = e.type.isFloat() && e.type.scalar == Scalar::F64 ? 2 : 1;
  return width * (e.name == "/" || e.name == "%" ? kLongOperation : 1);
}

int heightOf(const ExprP &e) {
  int below = 0;
  if (e->kind != ExprKind::Index)
    for (const ExprP &a : e->args)
      below = std::max(below, a ? heightOf(a) : 0);
  return below + (e->type.isFloat() ? stepsOf(*e) : 0);
}

int pathTo(const ExprP &e, const ExprP &element) {
  if (sameTree(e, element))
    return 0;
  for (const ExprP &a : e->args)
    if (a)
      if (int path = pathTo(a, element); path >= 0)
        return path + stepsOf(*e);
  return -1;
}

} // namespace nw
