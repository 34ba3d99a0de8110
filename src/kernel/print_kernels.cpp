// Kernels as text, for --emit=kernels.
#include "kernel/kernel.h"
#include "support/text.h"
#include <fmt/format.h>

namespace nw {

static std::string orOne(const ExprP &e) { return e ? print(e) : "true"; }

// When the host takes the alternative.
static std::string head(const HostAlternative &a, const Kernels &k) {
  std::string out = nameOf(a.form);
  std::vector<std::string> legal;
  if (a.legalIf)
    legal.push_back(print(a.legalIf));
  for (auto &[buffer, bytes] : a.aligned)
    legal.push_back(
        fmt::format("{} lies at a multiple of {} bytes", k.buffers[size_t(buffer)].name, bytes));
  if (!legal.empty())
    out += ", legal if " + joined(legal, " and ");
  if (a.profitableIf)
    out += ", profitable if " + print(a.profitableIf);
  if (a.runtimeDecides)
    out += ", profitable if the runtime says so";
  return out;
}

static std::string printHost(const HostStep &s, const Kernels &k, int indent) {
  std::string pad(indent, ' '), out;
  switch (s.kind) {
  case HostKind::Sequence:
    break;
  case HostKind::Loop:
    out = pad + "host loop\n" + print(s.loop, indent + 2);
    break;
  case HostKind::Choice:
    for (const HostAlternative &a : s.alternatives)
      out += pad + (&a == &s.alternatives[0] ? "" : "else ") + head(a, k) + "\n" +
             printHost(a.body, k, indent + 2);
    out += pad + "else\n";
    break;
  case HostKind::Launch:
    return fmt::format("{}launch {} on {} x {} work-items when {}\n", pad, k.kernels[s.kernel].name,
                       print(s.threads[0]), print(s.threads[1]), orOne(s.condition));
  }
  for (const HostStep &c : s.children)
    out += printHost(c, k, indent + (s.kind == HostKind::Sequence ? 0 : 2));
  return out;
}

std::string print(const Kernels &k) {
  std::string out;
  if (k.assumptions)
    out += fmt::format("assumes {}\n", print(k.assumptions));
  for (const Buffer &b : k.buffers)
    out += fmt::format("buffer {} elements [{}, {}){}{}\n", b.name, print(b.low), print(b.high),
                       b.copyIn ? " in" : "", b.copyOut ? " out" : "");
  for (auto &[a, b] : k.mayAlias)
    out +=
        fmt::format("checks that {} and {} do not overlap\n", k.buffers[a].name, k.buffers[b].name);
  out += printHost(k.host, k, 0);
  for (const Kernel &x : k.kernels) {
    out += fmt::format("kernel {} ({}), blocks of {} x {}\n", x.name, x.summary, x.block[0],
                       x.block[1]);
    for (const KernelParameter &q : x.parameters)
      if (q.space == MemorySpace::Constant)
        out += fmt::format("  reads {} from constant memory\n", q.name);
    out += print(x.body, 2);
  }
  return out;
}

} // namespace nw
