// The check 'spaces'.
#include "analysis/array_bytes.h"
#include "verify/checks/kernel_checks.h"
#include <fmt/format.h>
#include <set>

namespace nw {

// Arrays that the body assigns to.
static std::set<std::string> writtenBy(const Kernel &k) {
  std::set<std::string> names;
  walkStmts(k.body, [&](const StmtP &s) {
    if (writesFirst(s->kind))
      if (const Expr *base = baseOf(s->exprs[0]))
        names.insert(base->name);
    if (s->kind == StmtKind::Window && s->section.stores)
      if (const Expr *base = baseOf(s->exprs[0]))
        names.insert(base->name);
  });
  return names;
}

std::vector<Finding> checkSpaces(const Program &program, const Kernels &kernels,
                                 const DeviceSpec &device) {
  std::vector<Finding> findings;
  auto report = [&](const Kernel &k, const std::string &what) {
    findings.push_back({"spaces", fmt::format("{}: {}", k.name, what)});
  };
  std::set<std::string> writtenSomewhere;
  for (const Kernel &k : kernels.kernels)
    writtenSomewhere.merge(writtenBy(k));
  for (const Kernel &k : kernels.kernels) {
    std::set<std::string> written = writtenBy(k);
    int64_t bytes = 0;
    int arrays = 0;
    for (const KernelParameter &q : k.parameters) {
      if (q.buffer < 0)
        continue;
      if ((q.isConst || q.space != MemorySpace::Global) && written.count(q.name))
        report(k, fmt::format("{} is declared {}, but is written", q.name,
                              q.space == MemorySpace::Constant ? "constant" : "read-only"));
      if (q.space != MemorySpace::Constant)
        continue;
      const std::string &array = kernels.buffers[size_t(q.buffer)].array;
      std::optional<int64_t> size =
          program.arrays.count(array) ? constantBytesOf(program, array) : std::nullopt;
      if (writtenSomewhere.count(q.name))
        report(k, fmt::format("{} is in constant memory, but a kernel of the region writes it",
                              q.name));
      if (!size)
        report(k, fmt::format("{} is in constant memory, but its size is not known", q.name));
      bytes += size.value_or(0);
      arrays++;
    }
    if (bytes > device.constantBytes)
      report(k, fmt::format("{} bytes of constant memory, at most {} on {}", bytes,
                            device.constantBytes, device.name));
    if (arrays > kMostConstantArrays)
      report(k, fmt::format("{} arrays in constant memory, at most {} everywhere", arrays,
                            kMostConstantArrays));
  }
  return findings;
}

} // namespace nw
