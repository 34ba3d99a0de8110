// Launches that were estimated already.
#include "estimate/launch_memory.h"
#include "ir/program.h"
#include <fmt/format.h>

namespace nw {

namespace {

std::string textOf(const ExprP &e) { return e ? print(e) : "-"; }

std::string textOf(const KernelParameter &q, const Kernels &kernels) {
  std::string text =
      fmt::format("{} {} {} {} {}", q.name, q.buffer, q.isConst, int(q.space), textOf(q.value));
  for (const ExprP &x : q.extents)
    text += "[" + textOf(x) + "]";
  if (q.buffer >= 0) {
    const Buffer &b = kernels.buffers[size_t(q.buffer)];
    text += fmt::format(" {} to {} of {}", textOf(b.low), textOf(b.high), b.elementBytes);
  }
  return text + "\n";
}

std::string textOf(const Kernel &k, const Kernels &kernels) {
  std::string text = (k.isResident() ? "resident\n" : "\n") + print(k.body, 0);
  for (const KernelParameter &q : k.parameters)
    text += textOf(q, kernels);
  walkStmts(k.body, [&](const StmtP &s) {
    text += s->kind == StmtKind::For && s->loop.unroll
                ? fmt::format("{} {} ", s->loop.counter, s->loop.unroll)
                : "";
  });
  return text;
}

} // namespace

const EstimatedLaunch &
LaunchMemory::estimate(const Program &program, const Kernels &kernels, const Kernel &kernel,
                       const std::map<std::string, int64_t> &values, const LaunchShape &shape,
                       const KernelResources &resources, const DeviceSpec &device,
                       const LaunchOptions &options) {
  std::string key = textOf(kernel, kernels) +
                    fmt::format("\n{} {} {} {}", resources.registers, resources.spilledBytes,
                                resources.sharedBytes, resources.loops.size());
  key += fmt::format(" {}", resources.stackBytes);
  key += fmt::format(" {} {} {}", options.walk.samples, options.walk.contract, options.isWarm);
  for (size_t d = 0; d < 3; d++)
    key += fmt::format(" {}x{}", shape.grid[d], shape.block[d]);
  for (auto &[name, value] : values)
    key += fmt::format(" {}={}", name, value);
  if (auto found = known.find(key); found != known.end())
    return found->second;
  return known
      .emplace(std::move(key),
               estimateLaunch(program, kernels, kernel, values, shape, resources, device, options))
      .first->second;
}

} // namespace nw
