// Resident kernels.
#include "lower/resident.h"
#include "lower/reduction.h"
#include "lower/step_code.h"
#include "lower/thread_tile.h"
#include <algorithm>
#include <bit>
#include <fmt/format.h>

namespace nw {

namespace {

constexpr int kMostBarriers = 40;

bool isLeaf(const Step &s) { return s.kind != StepKind::Sequence && s.kind != StepKind::Loop; }

int widestRank(const Step &s) {
  int rank = int(std::min<size_t>(s.parallel.size(), 2));
  for (const Step &c : s.children)
    rank = std::max(rank, widestRank(c));
  return rank;
}

// A reduction of so many threads counts as the steps that it takes in shared memory.
int barriersIn(const StmtP &body, int threads) {
  int barriers = 0;
  walkStmts(body, [&](const StmtP &s) {
    barriers += s->kind == StmtKind::GridBarrier || s->kind == StmtKind::Barrier;
    barriers += s->kind == StmtKind::Reduce ? int(std::bit_width(unsigned(threads))) : 0;
  });
  return barriers;
}

bool isAllParallel(const Step &s) {
  return isLeaf(s) ? s.kind == StepKind::Parallel : std::ranges::all_of(s.children, isAllParallel);
}

class Resident {
public:
  Resident(InstanceContext &context, std::span<const KernelPlan> plans, const DeviceSpec &device)
      : context(context), p(context.program), indexType(context.indexType), plans(plans),
        device(device) {}

  std::optional<ResidentKernel> run(const Step &loop, const View &view) {
    shape = blockOf(loop);
    ResidentKernel made{nullptr, shape, widths(loop, view)};
    made.body = deviceStep(loop, view);
    return barriersIn(made.body, threadsInBlock()) > kMostBarriers ? std::nullopt
                                                                   : std::optional(made);
  }

private:
  // Threads that are few and have long loops are on as many multiprocessors as there are warps.
  std::array<int, 3> blockOf(const Step &loop) const {
    int widest = widestRank(loop);
    bool areFew = widest == 1 && isAllParallel(loop) &&
                  std::all_of(plans.begin(), plans.end(),
                              [&](const KernelPlan &k) { return k.block[0] <= device.warp; });
    int threads = areFew ? device.warp : std::min(512, device.blockThreads);
    return widest > 1 ? std::array<int, 3>{device.warp, threads / device.warp, 1}
                      : std::array<int, 3>{threads, 1, 1};
  }

  int threadsInBlock() const { return shape[0] * shape[1]; }

  // Work-items of the widest step, over all iterations of the loops around it.
  std::array<ExprP, 3> widths(const Step &loop, const View &view) const {
    std::array<ExprP, 3> most = {intConst(1), intConst(1), intConst(1)};
    size_t next = 0;
    std::function<void(const Step &)> look = [&](const Step &s) {
      const KernelPlan *plan = isLeaf(s) ? &plans[next++] : nullptr;
      if (s.kind == StepKind::Parallel) {
        Box box = boxOf(s, restrictTo(view, p, s.statements), AstReader(p, kI64), indexType);
        std::vector<size_t> order = gridOrder(s, *plan);
        std::array<ExprP, 2> counts = {intConst(1), intConst(1)};
        for (size_t n = 0; n < order.size(); n++)
          counts[n > 0] = product(counts[n > 0], cast(box.count[order[n]], kI64));
        for (size_t n = 0; n < std::min<size_t>(order.size(), 2); n++)
          most[n] = node(ExprKind::Max,
                         {most[n], box.nonempty ? select(box.nonempty, counts[n], intConst(0), kI64)
                                                : counts[n]},
                         kI64);
      }
      for (const Step &c : s.children)
        look(c);
    };
    look(loop);
    return most;
  }

  StmtP deviceStep(const Step &s, const View &outer) {
    if (s.kind == StepKind::Sequence) {
      std::vector<StmtP> all;
      for (const Step &c : s.children)
        all.push_back(deviceStep(c, outer));
      return block(all);
    }
    View view = restrictTo(outer, p, s.statements);
    if (s.kind == StepKind::Loop)
      return valueLoop(context, s.dimension, view, deviceStep(s.children[0], inLoop(s, view)));
    const KernelPlan &plan = plans[nextPlan++];
    StmtP code = s.kind == StepKind::Reduction ? reduction(s, view, plan)
                 : s.kind == StepKind::Serial  ? serial(s, view)
                                               : parallel(s, view, plan);
    return block({code, marker(StmtKind::GridBarrier)});
  }

  StmtP reduction(const Step &s, const View &view, const KernelPlan &plan) {
    Box box = boxOf(s, view, context.reader, indexType);
    ExprP total;
    StmtP instance = numberedInstance(context, s, view, plan, box, inKernel, total);
    StmtP code =
        residentReduction(reductionOf(context, s), instance, total, threadsInBlock(), shape[1]);
    return box.nonempty ? ifElse(box.nonempty, code) : code;
  }

  StmtP serial(const Step &s, const View &view) const {
    ExprP first = binary("==",
                         binary("+", coordinate("thread.x", indexType),
                                coordinate("thread.y", indexType), indexType),
                         intConst(0, indexType), kI32);
    return ifElse(first, threadCode(context, s, view));
  }

  StmtP parallel(const Step &s, const View &view, const KernelPlan &plan) const {
    Box box = boxOf(s, view, context.reader, indexType);
    std::vector<size_t> order = gridOrder(s, plan);
    View inner = view;
    for (size_t d : order)
      inner.context = inner.context.intersect(
          onlyParams(equateToParam(rangeOf(s, view, d), 0, s.parallel[d].name)));
    StmtP code = threadCode(context, s, inner);
    if (order.size() > 2) {
      LinearInstances linear = linearInstancesOf(context, s, order, 1, box, inKernel);
      code = instancesLoop(linear, linear.total, code);
    }
    for (size_t n = 0; n < (order.size() > 2 ? 1 : order.size()); n++) {
      const std::string &name = s.parallel[order[n]].name;
      ExprP last = binary("<=", var(name, indexType), box.last[order[n]], kI32);
      const char *thread = n == 0 ? "thread.x" : "thread.y",
                 *threads = n == 0 ? "threads.x" : "threads.y";
      code = forLoop(name, indexType, sumOf(box.first[order[n]], coordinate(thread, indexType)),
                     last, coordinate(threads, indexType), code);
    }
    // A one-dimensional step in a two-dimensional block is done by the first row of threads.
    if (order.size() == 1)
      code = ifElse(binary("==", coordinate("thread.y", indexType), intConst(0, indexType), kI32),
                    code);
    return box.nonempty ? ifElse(box.nonempty, code) : code;
  }

  InstanceContext &context;
  const Program &p;
  const Type indexType;
  const std::span<const KernelPlan> plans;
  const DeviceSpec &device;
  std::array<int, 3> shape = {1, 1, 1};
  size_t nextPlan = 0;
};

} // namespace

std::optional<ResidentKernel> residentKernel(InstanceContext &context, const Step &loop,
                                             const View &view, std::span<const KernelPlan> plans,
                                             const DeviceSpec &device) {
  return Resident(context, plans, device).run(loop, view);
}

} // namespace nw
