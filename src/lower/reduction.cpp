// Reduction kernels.
#include "lower/reduction.h"
#include "kernel/partial_results.h"
#include "kernel/reduction_steps.h"
#include "lower/instances.h"

namespace nw {

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
  return {declare(kReducedName, r.type, {}, {identityOf(r)}), loop,
          reduceStmt(kReducedName, r.type, operatorOf(r), kAllThreads)};
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

ReductionCode reductionCode(const Reduction &r, const StmtP &instance, const ExprP &instanceCount,
                            const std::string &partialName) {
  ExprP partial = var(partialName, r.type);
  ReductionCode code;
  std::vector<StmtP> reduce =
      takenTogether(r, var("nw_instance", kI64), coordinate("thread.x", kI64), instanceCount,
                    coordinate("threads.x", kI64), instance);
  reduce.push_back(byFirst(coordinate("local.x", kI32),
                           leaveStmt({.buffer = partial, .value = var(kReducedName, r.type)})));
  code.reduce = block(reduce);
  code.combine = block({takeStmt({.target = r.target,
                                  .buffer = partial,
                                  .rows = var("nw_blocks", kI64),
                                  .guard = intConst(1, kI32),
                                  .op = operatorOf(r),
                                  .axis = kAllThreads,
                                  .type = kI32})});
  return code;
}

StmtP residentReduction(const Reduction &r, const StmtP &instance, const ExprP &instanceCount,
                        int threads, int rows) {
  std::vector<StmtP> code =
      takenTogether(r, var("nw_instance", kI64), cast(laneOf(threads, rows, kI32), kI64),
                    instanceCount, intConst(threads), instance);
  StmtP intoTarget =
      assign(r.target, reducedBy(operatorOf(r), r.target, var(kReducedName, r.type)));
  code.push_back(byFirst(laneOf(threads, rows, kI32), intoTarget));
  ExprP isFirst =
      binary("==", binary("+", coordinate("block.x", kI32), coordinate("block.y", kI32), kI32),
             intConst(0, kI32), kI32);
  return ifElse(isFirst, block(code));
}

} // namespace nw
