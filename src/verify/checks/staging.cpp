// The checks 'staging' and 'steps', by execution of a block: copies in shared memory, and registers
// in which elements wait, hold what is read from them, and reductions of the threads take
// everyone's value once.
#include "kernel/box_copy.h"
#include "kernel/expand.h"
#include "kernel/reduction_steps.h"
#include "verify/checks/kernel_checks.h"
#include "verify/executor/block_executor.h"
#include "verify/readers/copies.h"
#include <fmt/format.h>

namespace nw {

// Whether copies of arrays are in shared memory.
static bool hasCopies(const Kernel &kernel) {
  std::set<std::string> shared;
  walkStmts(kernel.body, [&](const StmtP &s) {
    if (s->kind == StmtKind::Shared)
      shared.insert(s->name);
  });
  bool has = false;
  walkExprs(kernel.body, [&](const ExprP &e) {
    has |= e->kind == ExprKind::Staged && baseOf(e) && shared.count(baseOf(e)->name);
    return !has;
  });
  return has;
}

// Shared arrays live as long as the kernel, under names of their own.
static std::string wrongNames(const Kernel &kernel) {
  std::map<std::string, int> declared;
  std::set<std::string> shared, atTop;
  for (const StmtP &s : kernel.body->body)
    if (s->kind == StmtKind::Shared)
      atTop.insert(s->name);
  walkStmts(kernel.body, [&](const StmtP &s) {
    if (s->kind == StmtKind::Shared)
      shared.insert(s->name);
    if (s->kind == StmtKind::Shared || s->kind == StmtKind::Declare || s->kind == StmtKind::Window)
      declared[s->name]++;
    if (s->kind == StmtKind::For)
      declared[s->loop.counter]++;
  });
  for (const std::string &name : shared)
    if (declared[name] > 1 || !atTop.count(name))
      return name + " is declared twice, or inside of the code";
  return "";
}

std::vector<Finding> checkStaging(const Kernel &kernel) {
  std::set<std::string> registers = registersIn(kernel.body);
  if (!hasCopies(kernel) && registers.empty())
    return {};
  if (std::string wrong = wrongNames(kernel); !wrong.empty())
    return {{"staging", fmt::format("{}: {}", kernel.name, wrong)}};
  std::vector<Finding> wrong;
  walkStmts(kernel.body, [&](const StmtP &s) {
    if (s->kind == StmtKind::Copy && !wrongCopy(*s).empty())
      wrong.push_back(
          {"staging", fmt::format("{}: the copy {} {}", kernel.name, s->name, wrongCopy(*s))});
  });
  if (!wrong.empty())
    return wrong;
  BlockExecutor executor(kernel.block);
  for (const KernelParameter &q : kernel.parameters)
    if (q.buffer >= 0)
      executor.addArray(q.name);
    else if (q.type.isInteger())
      executor.addInteger(q.name, isUnsigned(q.type.scalar));
  for (const std::string &name : registers)
    executor.addRegister(name);
  executor.run(spelledOut(kernel).body);
  std::vector<Finding> findings;
  for (const std::string &problem : executor.problems())
    findings.push_back({"staging", fmt::format("{}: {}", kernel.name, problem)});
  return findings;
}

// The reductions of a kernel in three rounds, as a device runs them that has warps of this size:
// one round meets the slots of the one before, and those of the round before that.
static std::string wrongSteps(const std::vector<StmtP> &reductions, const std::array<int, 3> &shape,
                              int warp) {
  BlockExecutor executor(shape);
  std::vector<StmtP> rounds, code;
  for (int round = 0; round < 3; round++) {
    std::vector<StmtP> here;
    for (const StmtP &r : reductions) {
      auto one = std::make_shared<Stmt>(*r);
      one->name += fmt::format(" {}", code.size()); // values of its own
      executor.addPart(one->name, one->type);
      code.push_back(one);
      here.push_back(one);
    }
    rounds.push_back(block(here));
  }
  executor.run(withReductionSteps(block(rounds), shape, warp));
  for (const std::string &problem : executor.problems())
    return problem;
  for (const StmtP &one : code) {
    const Collective &c = one->collective;
    int all = shape[0] * shape[1] * shape[2], apart = c.axis == 1 ? shape[0] : 1,
        width = c.axis == kAllThreads ? all : shape[size_t(c.axis)];
    for (int t = 0; t < all; t++) {
      std::vector<int> wanted;
      for (int k = 0, first = t - t / apart % width * apart; k < width; k++)
        wanted.push_back(first + k * apart);
      if (executor.threadsIn(one->name, t, c.op) != wanted)
        return fmt::format("thread {} does not have the value of each thread once", t);
    }
  }
  return "";
}

std::vector<Finding> checkReductionSteps(const Kernel &kernel) {
  std::vector<StmtP> reductions;
  walkStmts(kernel.body, [&](const StmtP &s) {
    if (s->kind == StmtKind::Reduce)
      reductions.push_back(s);
  });
  std::vector<Finding> findings;
  for (int warp : {1, 32}) // OpenCL's, which exchange nothing, and CUDA's
    if (std::string problem = reductions.empty() ? "" : wrongSteps(reductions, kernel.block, warp);
        !problem.empty())
      findings.push_back(
          {"steps", fmt::format("{}: reductions in warps of {}: {}", kernel.name, warp, problem)});
  return findings;
}

} // namespace nw
