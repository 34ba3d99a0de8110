// Reduction kernels.
#include "lower/reduction.h"
#include "kernel/reduction_steps.h"
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

static ExprP coordinate(const char *name, const Type &type) {
  return node(ExprKind::Builtin, {}, type, name);
}

// Each thread begins with the value that changes nothing and takes every so-many-th number from its
// own on; then the threads of the block put theirs together.
static std::vector<StmtP> takenTogether(const Reduction &r, const ExprP &counter,
                                        const ExprP &first, const ExprP &count, const ExprP &stride,
                                        const StmtP &take) {
  StmtP loop =
      forLoop(counter->name, counter->type, first, binary("<", counter, count, kI32), stride, take);
  return {declare(kReducedName, r.type, {}, {identityOf(r.kind, r.type)}), loop,
          reduceStmt(kReducedName, r.type, reductionOperator(r.kind, r.byFunction), kAllThreads)};
}

// The number of the thread in a block of so many rows.
static ExprP laneOf(int threads, int rows, const Type &type) {
  ExprP lane = coordinate("local.x", type);
  if (rows == 1)
    return lane;
  ExprP row = binary("*", coordinate("local.y", type), intConst(threads / rows, type), type);
  return binary("+", row, lane, type);
}

static StmtP byFirst(const ExprP &lane, const StmtP &code) {
  return ifElse(binary("==", lane, intConst(0, lane->type), kI32), code);
}

static StmtP intoTarget(const Reduction &r) {
  return assign(r.target, combined(r.kind, r.target, var(kReducedName, r.type), r.byFunction));
}

ReductionCode reductionCode(const Reduction &r, const StmtP &instance, const ExprP &instanceCount,
                            int threads) {
  ExprP partial = var(kPartialName, r.type), reduced = var(kReducedName, r.type),
        lane = coordinate("local.x", kI32);
  ReductionCode code;
  std::vector<StmtP> reduce =
      takenTogether(r, var("nw_instance", kI64), coordinate("thread.x", kI64), instanceCount,
                    coordinate("threads.x", kI64), instance);
  reduce.push_back(
      byFirst(lane, assign(index(partial, coordinate("block.x", kI32), r.type), reduced)));
  code.reduce = block(reduce);
  ExprP number = var("nw_block", kI64);
  StmtP take =
      assign(reduced, combined(r.kind, reduced, index(partial, number, r.type), r.byFunction));
  std::vector<StmtP> combine = takenTogether(r, number, coordinate("local.x", kI64),
                                             var("nw_blocks", kI64), intConst(threads), take);
  combine.push_back(byFirst(lane, intoTarget(r)));
  code.combine = block(combine);
  return code;
}

StmtP residentReduction(const Reduction &r, const StmtP &instance, const ExprP &instanceCount,
                        int threads, int rows) {
  std::vector<StmtP> code =
      takenTogether(r, var("nw_instance", kI64), cast(laneOf(threads, rows, kI32), kI64),
                    instanceCount, intConst(threads), instance);
  code.push_back(byFirst(laneOf(threads, rows, kI32), intoTarget(r)));
  ExprP isFirst =
      binary("==", binary("+", coordinate("block.x", kI32), coordinate("block.y", kI32), kI32),
             intConst(0, kI32), kI32);
  return ifElse(isFirst, block(code));
}

} // namespace nw
