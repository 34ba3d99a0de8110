// Reduction kernels.
#include "lower/reduction.h"
#include "lower/instances.h"
#include <limits>

namespace nw {

ExprP identityOf(ReductionKind kind, const Type &t) {
  double infinity = std::numeric_limits<double>::infinity();
  auto parse = [&](const std::string &text) { // from the lowest long long to the highest unsigned
    bool isNegative = text[0] == '-';
    uint64_t magnitude = std::stoull(isNegative ? text.substr(1) : text);
    return intConst(int64_t(isNegative ? 0 - magnitude : magnitude), t);
  };
  switch (kind) {
  case ReductionKind::Sum:
    return t.isFloat() ? floatConst(0, t) : intConst(0, t);
  case ReductionKind::Product:
    return t.isFloat() ? floatConst(1, t) : intConst(1, t);
  case ReductionKind::Min:
    return t.isFloat() ? floatConst(infinity, t) : parse(highestOf(t.scalar));
  case ReductionKind::Max:
    return t.isFloat() ? floatConst(-infinity, t) : parse(lowestOf(t.scalar));
  case ReductionKind::And:
    return intConst(t.scalar == Scalar::Bool ? 1 : -1, t);
  case ReductionKind::Or:
  case ReductionKind::Xor:
    return intConst(0, t);
  }
  return nullptr;
}

ExprP combined(ReductionKind kind, const ExprP &a, const ExprP &b, bool byFunction) {
  const Type &t = a->type;
  switch (kind) {
  case ReductionKind::Min:
  case ReductionKind::Max:
    if (byFunction)
      return call(kind == ReductionKind::Min ? "fmin" : "fmax", {a, b}, t);
    break;
  default:
    break;
  }
  switch (kind) {
  case ReductionKind::Sum:
    return binary("+", a, b, t);
  case ReductionKind::Product:
    return binary("*", a, b, t);
  case ReductionKind::Min:
    return select(binary("<", b, a, kI32), b, a, t);
  case ReductionKind::Max:
    return select(binary(">", b, a, kI32), b, a, t);
  case ReductionKind::And:
    return binary("&", a, b, t);
  case ReductionKind::Or:
    return binary("|", a, b, t);
  case ReductionKind::Xor:
    return binary("^", a, b, t);
  }
  return nullptr;
}

static ExprP coordinate(const char *name) { return node(ExprKind::Builtin, {}, kI32, name); }

// All values of the block's threads reduced into nw_shared[0].
static std::vector<StmtP> reductionTree(const Reduction &r, const ExprP &lane, int threads) {
  ExprP shared = var("nw_shared", r.type);
  auto slot = [&](const ExprP &at) { return index(shared, at, r.type); };
  std::vector<StmtP> tree = {assign(slot(lane), var(kReducedName, r.type)),
                             marker(StmtKind::Barrier)};
  for (int width = threads / 2; width > 0; width /= 2) {
    ExprP other = slot(binary("+", lane, intConst(width, kI32), kI32));
    tree.push_back(ifElse(binary("<", lane, intConst(width, kI32), kI32),
                          assign(slot(lane), combined(r.kind, slot(lane), other, r.byFunction))));
    tree.push_back(marker(StmtKind::Barrier));
  }
  return tree;
}

static StmtP sharedArray(const Type &t, int threads) {
  auto made = std::make_shared<Stmt>(*declare("nw_shared", t, {threads}, {}));
  made->kind = StmtKind::Shared;
  return made;
}

ReductionCode reductionCode(const Reduction &r, const StmtP &instance, const ExprP &instanceCount,
                            int threads) {
  const Type &t = r.type;
  ExprP partial = var(kPartialName, t), lane = coordinate("local.x");
  // Thread: reduce every n-th instance into a register. Block: a tree in shared memory.
  ExprP wide = node(ExprKind::Builtin, {}, kI64, "thread.x");
  StmtP loop =
      forLoop("nw_instance", kI64, wide, binary("<", var("nw_instance", kI64), instanceCount, kI32),
              node(ExprKind::Builtin, {}, kI64, "threads.x"), instance);
  std::vector<StmtP> reduce = {sharedArray(t, threads),
                               declare(kReducedName, t, {}, {identityOf(r.kind, t)}), loop};
  for (const StmtP &s : reductionTree(r, lane, threads))
    reduce.push_back(s);
  ExprP first = index(var("nw_shared", t), intConst(0, kI32), t);
  reduce.push_back(ifElse(binary("==", lane, intConst(0, kI32), kI32),
                          assign(index(partial, coordinate("block.x"), t), first)));
  ReductionCode code;
  code.reduce = block(reduce);
  ExprP number = var("nw_block", kI64);
  StmtP step =
      assign(r.target, combined(r.kind, r.target, index(partial, number, t), r.byFunction));
  code.combine = forLoop("nw_block", kI64, intConst(0),
                         binary("<", number, var("nw_blocks", kI64), kI32), intConst(1), step);
  return code;
}

StmtP residentReduction(const Reduction &r, const StmtP &instance, const ExprP &instanceCount,
                        int threads, int rows) {
  const Type &t = r.type;
  ExprP lane = coordinate("local.x");
  if (rows > 1)
    lane = binary("+", binary("*", coordinate("local.y"), intConst(threads / rows, kI32), kI32),
                  lane, kI32);
  StmtP loop = forLoop("nw_instance", kI64, cast(lane, kI64),
                       binary("<", var("nw_instance", kI64), instanceCount, kI32),
                       intConst(threads), instance);
  std::vector<StmtP> code = {declare(kReducedName, t, {}, {identityOf(r.kind, t)}), loop};
  for (const StmtP &s : reductionTree(r, lane, threads))
    code.push_back(s);
  ExprP first = index(var("nw_shared", t), intConst(0, kI32), t);
  code.push_back(ifElse(binary("==", lane, intConst(0, kI32), kI32),
                        assign(r.target, combined(r.kind, r.target, first, r.byFunction))));
  ExprP isFirst = binary("==", binary("+", coordinate("block.x"), coordinate("block.y"), kI32),
                         intConst(0, kI32), kI32);
  return ifElse(isFirst, block(code));
}

} // namespace nw
