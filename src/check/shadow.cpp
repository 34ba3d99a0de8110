// Instrumented kernels: what stands around the instances. Data that move (into registers, into
// shared memory, through the steps of a reduction) take their shadows along.
#include "check/shadow.h"
#include "check/shadow_instance.h"
#include "kernel/expand.h"
#include "kernel/free_names.h"
#include "kernel/reduction_steps.h"
#include "support/diagnostics.h"
#include <algorithm>
#include <fmt/format.h>

namespace nw {

namespace {

class KernelWalk {
public:
  KernelWalk(const Program &p, const RecordLayout &layout, const ShadowElements &shadows,
             bool isSource)
      : p(p), layout(layout), shadows(shadows), isSource(isSource) {}

  std::set<std::string> used; // statements

  StmtP run(const StmtP &body) {
    std::vector<StmtP> all;
    if (isSource)
      all.push_back(declare(kClock, kWho, {}, {intConst(0, kWho)}));
    stmt(body, all);
    return block(all);
  }

private:
  void stmt(const StmtP &s, std::vector<StmtP> &out) {
    if (s->isInstance()) {
      used.insert(s->name);
      out.push_back(instrumentedInstance(p, shadows, layout, s, isSource));
      return;
    }
    switch (s->kind) {
    case StmtKind::Declare:
    case StmtKind::Shared:
      out.push_back(s);
      if (shadows.carries(s->name))
        out.push_back(shadowDeclaration(s));
      return;
    case StmtKind::Assign:
      if (shadows.carrierOf(s->exprs[0])) {
        std::vector<ExprP> targets = shadows.of(s->exprs[0]), values = shadowsOf(s->exprs[1]);
        if (targets.size() != values.size())
          throw InternalError{"data move between elements of different shapes"};
        for (size_t k = 0; k < targets.size(); k++)
          out.push_back(assign(targets[k], values[k]));
      }
      out.push_back(s);
      return;
    default: {
      auto copy = std::make_shared<Stmt>(*s);
      copy->isSpeculated = false; // points that are none must not sign for those of another row
      if (s->kind == StmtKind::Block)
        copy->body.clear();
      for (size_t k = 0; k < s->body.size(); k++) {
        std::vector<StmtP> inner;
        if (s->kind == StmtKind::Block)
          reducing = reductionAfter(s, k);
        stmt(s->body[k], inner);
        if (s->kind == StmtKind::Block)
          copy->body.insert(copy->body.end(), inner.begin(), inner.end());
        else
          copy->body[k] = block(inner);
      }
      out.push_back(copy);
    }
    }
  }

  // The first reduction in what follows: an accumulator that is declared here belongs to it.
  std::optional<ReductionKind> reductionAfter(const StmtP &s, size_t from) const {
    std::optional<ReductionKind> kind;
    for (size_t k = from; k < s->body.size() && !kind; k++)
      walkStmts(s->body[k], [&](const StmtP &x) {
        if (x->isInstance() && !kind)
          if (const Statement &st = *p.find(x->name); st.reduction)
            kind = st.reduction->kind;
      });
    const Stmt &declared = *s->body[from];
    for (size_t k = from + 1; k < s->body.size() && !kind && declared.kind == StmtKind::Declare;
         k++)
      walkStmts(s->body[k], [&](const StmtP &x) {
        if (x->kind == StmtKind::Assign && isVar(x->exprs[0], declared.name) && !kind)
          kind = kindOf(x->exprs[1]);
      });
    return kind;
  }

  // How the expression reduces two values into one; nothing where it does not.
  static std::optional<ReductionKind> kindOf(const ExprP &e) {
    static const std::map<std::string, ReductionKind> kinds = {
        {"+", ReductionKind::Sum},    {"*", ReductionKind::Product}, {"&", ReductionKind::And},
        {"|", ReductionKind::Or},     {"^", ReductionKind::Xor},     {"fmin", ReductionKind::Min},
        {"fmax", ReductionKind::Max}, {"<", ReductionKind::Min},     {">", ReductionKind::Max}};
    bool isChoice = e->kind == ExprKind::Select && e->args[0]->kind == ExprKind::Binary &&
                    sameTree(e->args[0]->args[0], e->args[1]) &&
                    sameTree(e->args[0]->args[1], e->args[2]);
    if (!isChoice && e->kind != ExprKind::Binary && e->kind != ExprKind::Call)
      return std::nullopt;
    auto kind = kinds.find(isChoice ? e->args[0]->name.substr(0, 1) : e->name);
    return kind != kinds.end() ? std::optional(kind->second) : std::nullopt;
  }

  StmtP shadowDeclaration(const StmtP &s) {
    auto copy = std::make_shared<Stmt>(*s);
    copy->name = shadowName(s->name);
    copy->type = kWho;
    if (shadows.isStruct(s->name))
      copy->extents.push_back(shadows.scalarsOf(s->name));
    copy->exprs.clear();
    if (s->kind == StmtKind::Shared)
      return copy;
    copy->exprs = {intConst(0, kWho)}; // nobody, or in an array: nobody in all of it
    if (s->exprs.size() == 1 && copy->extents.empty())
      copy->exprs = {shadowsOf(s->exprs[0])[0]};
    return copy;
  }

  // Who a value comes from: the same as a copy's original, or all whose contributions are combined.
  std::vector<ExprP> shadowsOf(const ExprP &e) {
    if (shadows.carrierOf(e))
      return shadows.of(e);
    auto reduced = [&](ReductionKind kind, const ExprP &a, const ExprP &b) {
      return std::vector<ExprP>{reducedShadow(kind, shadowsOf(a)[0], shadowsOf(b)[0])};
    };
    std::optional<ReductionKind> kind = kindOf(e);
    switch (e->kind) {
    case ExprKind::Cast:
      return shadowsOf(e->args[0]);
    case ExprKind::Int:
    case ExprKind::Float:
      return {reducing ? emptyReduction(*reducing) : intConst(0, kWho)};
    case ExprKind::Binary:
    case ExprKind::Call:
      if (kind)
        return reduced(*kind, e->args[0], e->args[1]);
      break;
    case ExprKind::Select: {
      const ExprP &c = e->args[0];
      if (kind)
        return reduced(*kind, e->args[2], e->args[1]);
      std::vector<ExprP> all, a = shadowsOf(e->args[1]), b = shadowsOf(e->args[2]);
      for (size_t k = 0; k < a.size() && k < b.size(); k++)
        all.push_back(select(c, a[k], b[k], kWho));
      return all;
    }
    default:
      break;
    }
    return {intConst(0, kWho)};
  }

  const Program &p;
  const RecordLayout &layout;
  const ShadowElements &shadows;
  bool isSource;
  std::optional<ReductionKind> reducing;
};

// The buffer of the shadow of `b`.
Buffer shadowBuffer(const Program &p, const Buffer &b, bool isSource) {
  Buffer s = b;
  s.name = shadowName(b.name);
  s.array.clear();
  s.element = kWho;
  s.isScalar = false;
  s.elementBytes = 8;
  if (auto a = p.arrays.find(b.name); a != p.arrays.end())
    s.elementBytes = 8 * scalarsIn(a->second.variable.type, p.region.structs) *
                     (b.elementBytes / a->second.elementBytes);
  bool isMemory = !b.array.empty(), isVisible = isMemory && p.arrays.at(b.array).variable.liveAfter;
  s.record =
      fmt::format("{}{}", isMemory && b.copyIn ? "live-in" : "unset", isVisible ? " visible" : "");
  s.copyIn = true;
  s.copyOut = isMemory && (isSource || b.copyOut);
  return s;
}

void addValue(Kernel &k, const std::string &name, const Type &type) {
  if (std::any_of(k.parameters.begin(), k.parameters.end(),
                  [&](const KernelParameter &q) { return q.name == name; }))
    return;
  KernelParameter q;
  q.name = name;
  q.type = type;
  q.value = var(name, type);
  k.parameters.push_back(q);
}

} // namespace

Instrumented instrument(const Program &p, const Kernels &given, const RecordLayout &layout,
                        const InstrumentOptions &options) {
  Instrumented out{p, given};
  for (const Function &f : shadowFunctions(p, layout))
    out.program.region.functions.push_back(f);
  Kernels &kernels = out.kernels;
  kernels.scalars.insert(kernels.scalars.end(), layout.scalars.begin(), layout.scalars.end());
  std::map<int, int> shadowOf; // buffers
  for (size_t b = 0; b < given.buffers.size(); b++)
    if (!given.buffers[b].isBarrier) {
      shadowOf[int(b)] = int(kernels.buffers.size());
      kernels.buffers.push_back(shadowBuffer(p, given.buffers[b], options.isSource));
    }
  if (!options.copiesBack)
    for (size_t b = 0; b < given.buffers.size(); b++)
      kernels.buffers[b].copyOut = false;
  Buffer log;
  log.name = "nw_log";
  log.element = kWho;
  log.elementBytes = 8;
  log.low = intConst(0);
  log.high =
      binary("*", binary("+", var(kCells, kI64), intConst(1), kI64), intConst(layout.words), kI64);
  log.record = "log";
  log.copyIn = log.copyOut = true;
  int logNumber = int(kernels.buffers.size());
  kernels.buffers.push_back(log);
  for (Kernel &k : kernels.kernels) {
    k.name += options.suffix;
    std::set<std::string> buffers;
    for (const KernelParameter &q : k.parameters)
      if (q.buffer >= 0 && shadowOf.count(q.buffer))
        buffers.insert(q.name);
    k.body = withReductionSteps(spelledOut(k).body, k.block, 1);
    ShadowElements shadows(p, k.body, buffers);
    KernelWalk walked(p, layout, shadows, options.isSource);
    k.body = walked.run(k.body);
    std::vector<KernelParameter> more;
    for (const KernelParameter &q : k.parameters)
      if (q.buffer >= 0 && shadowOf.count(q.buffer)) {
        KernelParameter s = q;
        s.name = shadowName(q.name);
        s.type = kWho;
        s.buffer = shadowOf[q.buffer];
        s.isConst = false;
        if (shadows.isStruct(q.name))
          s.extents.insert(s.extents.end(),
                           s.extents.empty() ? ExprP() : intConst(shadows.scalarsOf(q.name)));
        more.push_back(s);
      }
    KernelParameter entries;
    entries.name = "nw_log";
    entries.type = kWho;
    entries.buffer = logNumber;
    entries.extents = {nullptr};
    more.push_back(entries);
    k.parameters.insert(k.parameters.end(), more.begin(), more.end());
    // What the iterators of an instance need may not have been an argument so far.
    for (auto &[name, type] : freeNames(k.body)) {
      Type own = type;
      for (const Parameter &x : p.parameters)
        if (x.name == name)
          own = x.type;
      addValue(k, name, own);
    }
  }
  return out;
}

} // namespace nw
