// Reduction kernels.
#include "lower/reduction.h"
#include "lower/instances.h"
#include <limits>

namespace nw {

ExprP identityOf(ReductionKind kind, const Type &t) {
  double infinity = std::numeric_limits<double>::infinity();
  auto parse = [&](const std::string &text) { return intConst(int64_t(std::stoull(text[0] == '-' ? text.substr(1) : text)) * (text[0] == '-' ? -1 : 1), t); };
  switch (kind) {
  case ReductionKind::Sum: return t.isFloat() ? floatConst(0, t) : intConst(0, t);
  case ReductionKind::Product: return t.isFloat() ? floatConst(1, t) : intConst(1, t);
  case ReductionKind::Min: return t.isFloat() ? floatConst(infinity, t) : parse(highestOf(t.scalar));
  case ReductionKind::Max: return t.isFloat() ? floatConst(-infinity, t) : parse(lowestOf(t.scalar));
  case ReductionKind::And: return intConst(-1, t);
  case ReductionKind::Or: case ReductionKind::Xor: return intConst(0, t);
  }
  return nullptr;
}

ExprP combined(ReductionKind kind, const ExprP &a, const ExprP &b) {
  const Type &t = a->type;
  switch (kind) {
  case ReductionKind::Sum: return binary("+", a, b, t);
  case ReductionKind::Product: return binary("*", a, b, t);
  case ReductionKind::Min: return select(binary("<", b, a, kI32), b, a, t);
  case ReductionKind::Max: return select(binary(">", b, a, kI32), b, a, t);
  case ReductionKind::And: return binary("&", a, b, t);
  case ReductionKind::Or: return binary("|", a, b, t);
  case ReductionKind::Xor: return binary("^", a, b, t);
  }
  return nullptr;
}

static ExprP coordinate(const char *name) { return node(ExprKind::Builtin, {}, kI32, name); }

ReductionCode reductionCode(const Reduction &r, const StmtP &instance, const ExprP &places, int threads) {
  const Type &t = r.type;
  ExprP own = var(kFoldedName, t), shared = var("nw_shared", t), partial = var(kPartialName, t);
  // Thread: fold every so-manieth instance into a register.
  ExprP wide = node(ExprKind::Builtin, {}, kI64, "thread.x");
  StmtP loop = forLoop("nw_place", kI64, wide, binary("<", var("nw_place", kI64), places, kI32), node(ExprKind::Builtin, {}, kI64, "threads.x"), instance);
  // Block: a tree in shared memory.
  ExprP lane = coordinate("lane.x");
  auto slot = [&](const ExprP &at) { return index(shared, at, t); };
  std::vector<StmtP> tree;
  auto sharedDeclaration = std::make_shared<Stmt>(*declare("nw_shared", t, {threads}, {}));
  sharedDeclaration->kind = StmtKind::Shared;
  tree.push_back(sharedDeclaration);
  tree.push_back(assign(slot(lane), own));
  tree.push_back(marker(StmtKind::Barrier));
  for (int width = threads / 2; width > 0; width /= 2) {
    ExprP other = slot(binary("+", lane, intConst(width, kI32), kI32));
    tree.push_back(ifElse(binary("<", lane, intConst(width, kI32), kI32), assign(slot(lane), combined(r.kind, slot(lane), other))));
    tree.push_back(marker(StmtKind::Barrier));
  }
  tree.push_back(ifElse(binary("==", lane, intConst(0, kI32), kI32), assign(index(partial, coordinate("block.x"), t), slot(intConst(0, kI32)))));
  ReductionCode code;
  std::vector<StmtP> fold = {declare(kFoldedName, t, {}, {identityOf(r.kind, t)}), loop};
  fold.insert(fold.end(), tree.begin(), tree.end());
  code.fold = block(fold);
  ExprP number = var("nw_block", kI64);
  StmtP step = assign(r.target, combined(r.kind, r.target, index(partial, number, t)));
  code.combine = forLoop("nw_block", kI64, intConst(0), binary("<", number, var("nw_blocks", kI64), kI32), intConst(1), step);
  return code;
}

} // namespace nw
