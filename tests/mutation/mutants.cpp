// Mutants of kernels, buffers and host steps.
#include "mutants.h"
#include "bend_tree.h"
#include <fmt/format.h>

namespace nw::mutation {

namespace {

ExprP moved(const ExprP &e, int64_t k) {
  return e->kind == ExprKind::Int ? intConst(e->integer + k, e->type)
                                  : binary("+", e, intConst(k, e->type), e->type);
}

class Maker {
public:
  explicit Maker(const Kernels &kernels) : kernels(kernels) {}

  std::vector<Mutant> run() {
    for (size_t k = 0; k < kernels.kernels.size(); k++)
      kernel(k);
    for (size_t k = 0; k < kernels.buffers.size(); k++)
      if (!kernels.buffers[k].isBarrier)
        buffer(k);
    host(kernels.host, [](Kernels &k) -> HostStep & { return k.host; });
    if (kernels.assumptions)
      assumptions();
    return std::move(all);
  }

private:
  void add(const std::string &where, const std::string &what,
           std::function<void(Kernels &)> apply) {
    all.push_back({where, what, std::move(apply)});
  }

  // A mutant for every bent form of an expression of the host.
  void bendHost(const std::string &where, const std::string &name, const ExprP &e,
                const std::function<ExprP &(Kernels &)> &position) {
    bend(e, [&](const ExprP &bent, const std::string &what) {
      add(where, name + ": " + what, [position, bent](Kernels &k) { position(k) = bent; });
    });
  }

  void kernel(size_t n) {
    const Kernel &k = kernels.kernels[n];
    bend(k.body, [&](const StmtP &bent, const std::string &what) {
      add(k.name, what, [n, bent](Kernels &x) { x.kernels[n].body = bent; });
    });
    for (size_t d = 0; d < 2; d++)
      if (k.block[d] > 1)
        add(k.name, fmt::format("block[{}] halved", d),
            [n, d](Kernels &x) { x.kernels[n].block[d] /= 2; });
    for (size_t q = 0; q < k.parameters.size(); q++) {
      const KernelParameter &p = k.parameters[q];
      if (p.buffer < 0) {
        if (p.type.isInteger())
          for (int64_t by : {1, -1})
            add(k.name, fmt::format("argument {} moved by {}", p.name, by), [n, q, by](Kernels &x) {
              x.kernels[n].parameters[q].value = moved(x.kernels[n].parameters[q].value, by);
            });
        if (p.value->kind != ExprKind::Var)
          bendHost(k.name, "argument " + p.name, p.value,
                   [n, q](Kernels &x) -> ExprP & { return x.kernels[n].parameters[q].value; });
        continue;
      }
      if (!p.isConst && !kernels.buffers[size_t(p.buffer)].isBarrier)
        add(k.name, fmt::format("{} taken for read-only", p.name), [n, q](Kernels &x) {
          x.kernels[n].parameters[q].isConst = true;
          x.kernels[n].parameters[q].space = MemorySpace::ReadOnly;
        });
      if (p.shifted)
        add(k.name, fmt::format("{} not shifted", p.name),
            [n, q](Kernels &x) { x.kernels[n].parameters[q].shifted = false; });
      for (size_t d = 1; d < p.extents.size(); d++)
        for (int64_t by : {1, -1})
          add(k.name, fmt::format("extent {} of {} moved by {}", d, p.name, by),
              [n, q, d, by](Kernels &x) {
                x.kernels[n].parameters[q].extents[d] =
                    moved(x.kernels[n].parameters[q].extents[d], by);
              });
      for (size_t other = q + 1; other < k.parameters.size(); other++)
        if (k.parameters[other].buffer >= 0 && k.parameters[other].type == p.type &&
            !kernels.buffers[size_t(k.parameters[other].buffer)].isBarrier &&
            !kernels.buffers[size_t(p.buffer)].isBarrier)
          add(k.name, fmt::format("{} and {} exchanged", p.name, k.parameters[other].name),
              [n, q, other](Kernels &x) {
                std::swap(x.kernels[n].parameters[q].buffer, x.kernels[n].parameters[other].buffer);
              });
    }
  }

  void buffer(size_t n) {
    const Buffer &b = kernels.buffers[n];
    std::string where = "buffer " + b.name;
    if (!b.array.empty()) {
      add(where, b.copyIn ? "not copied in" : "copied in",
          [n](Kernels &x) { x.buffers[n].copyIn = !x.buffers[n].copyIn; });
      add(where, b.copyOut ? "not copied out" : "copied out",
          [n](Kernels &x) { x.buffers[n].copyOut = !x.buffers[n].copyOut; });
    }
    for (int64_t by : {1, -1}) {
      add(where, fmt::format("low moved by {}", by),
          [n, by](Kernels &x) { x.buffers[n].low = moved(x.buffers[n].low, by); });
      add(where, fmt::format("high moved by {}", by),
          [n, by](Kernels &x) { x.buffers[n].high = moved(x.buffers[n].high, by); });
    }
    if (b.low->kind != ExprKind::Int)
      bendHost(where, "low", b.low, [n](Kernels &x) -> ExprP & { return x.buffers[n].low; });
    if (b.high->kind != ExprKind::Int)
      bendHost(where, "high", b.high, [n](Kernels &x) -> ExprP & { return x.buffers[n].high; });
    if (b.touched) {
      add(where, "always touched", [n](Kernels &x) { x.buffers[n].touched = nullptr; });
      bendHost(where, "touched", b.touched,
               [n](Kernels &x) -> ExprP & { return x.buffers[n].touched; });
    }
  }

  using Path = std::function<HostStep &(Kernels &)>;

  void host(const HostStep &s, const Path &path) {
    if (s.kind == HostKind::Launch)
      launch(s, path);
    if (s.kind == HostKind::Loop)
      bend(s.loop, [&](const StmtP &bent, const std::string &what) {
        add("host", "loop: " + what, [path, bent](Kernels &x) { path(x).loop = bent; });
      });
    for (size_t n = 0; n < s.alternatives.size(); n++)
      alternative(s.alternatives[n], path, n);
    for (size_t c = 0; c < s.children.size(); c++) {
      if (s.kind == HostKind::Sequence) {
        add("host", fmt::format("step {} dropped", c),
            [path, c](Kernels &x) { path(x).children.erase(path(x).children.begin() + long(c)); });
        if (c + 1 < s.children.size())
          add("host", fmt::format("steps {} and {} swapped", c, c + 1),
              [path, c](Kernels &x) { std::swap(path(x).children[c], path(x).children[c + 1]); });
      }
      host(s.children[c], [path, c](Kernels &x) -> HostStep & { return path(x).children[c]; });
    }
  }

  // What is merely profitable may be taken or not: bending that changes nothing.
  void alternative(const HostAlternative &a, const Path &path, size_t n) {
    auto position = [path, n](Kernels &x) -> HostAlternative & { return path(x).alternatives[n]; };
    if (!a.runtimeDecides) { // how wide a resident kernel is launched decides how fast it is, not
                             // what it does
      add("host", "alternative and fallback swapped",
          [path, position](Kernels &x) { std::swap(position(x).body, path(x).children[0]); });
      host(a.body, [position](Kernels &x) -> HostStep & { return position(x).body; });
    }
    for (size_t k = 0; k < a.aligned.size(); k++) {
      add("host", "alignment not asked for", [position, k](Kernels &x) {
        position(x).aligned.erase(position(x).aligned.begin() + long(k));
      });
      add("host", "less alignment asked for",
          [position, k](Kernels &x) { position(x).aligned[k].second /= 2; });
    }
    if (!a.legalIf)
      return;
    add("host", "condition of a choice dropped",
        [position](Kernels &x) { position(x).legalIf = nullptr; });
    bendHost("host", "condition of a choice", a.legalIf,
             [position](Kernels &x) -> ExprP & { return position(x).legalIf; });
  }

  void launch(const HostStep &s, const Path &path) {
    std::string where = "launch of " + kernels.kernels[size_t(s.kernel)].name;
    for (size_t d = 0; d < 2; d++) {
      for (int64_t by : {1, -1})
        add(where, fmt::format("threads[{}] moved by {}", d, by),
            [path, d, by](Kernels &x) { path(x).threads[d] = moved(path(x).threads[d], by); });
      if (s.threads[d]->kind != ExprKind::Int)
        bendHost(where, fmt::format("threads[{}]", d), s.threads[d],
                 [path, d](Kernels &x) -> ExprP & { return path(x).threads[d]; });
      if (s.limit[d])
        for (int limit : {1, s.limit[d] - 1})
          add(where, fmt::format("limit[{}] {} -> {}", d, s.limit[d], limit),
              [path, d, limit](Kernels &x) { path(x).limit[d] = limit; });
    }
    if (!s.condition)
      return;
    add(where, "condition dropped", [path](Kernels &x) { path(x).condition = nullptr; });
    add(where, "condition negated",
        [path](Kernels &x) { path(x).condition = unary("!", path(x).condition, kI32); });
    bendHost(where, "condition", s.condition,
             [path](Kernels &x) -> ExprP & { return path(x).condition; });
  }

  void assumptions() {
    add("assumptions", "dropped", [](Kernels &x) { x.assumptions = nullptr; });
    bendHost("assumptions", "test", kernels.assumptions,
             [](Kernels &x) -> ExprP & { return x.assumptions; });
  }

  const Kernels &kernels;
  std::vector<Mutant> all;
};

} // namespace

std::vector<Mutant> mutantsOf(const Kernels &kernels) { return Maker(kernels).run(); }

} // namespace nw::mutation
