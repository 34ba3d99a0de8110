// Parameters.
#include "lower/parameters.h"
#include "kernel/free_names.h"
#include "kernel/promote.h"
#include "lower/boxes.h"
#include "lower/short_loops.h"
#include <algorithm>

namespace nw {

static bool isNonNegative(const ExprP &low) {
  return low->kind == ExprKind::Int && low->integer >= 0;
}

void finishKernel(Kernel k, const Program &p, const std::map<std::string, ExprP> &hostValues,
                  Kernels &out) {
  if (!k.isTiled())
    k.body = promoteAccumulators(k.body);
  if (!k.isResident())
    k.body = withShortLoops(k.body);
  std::map<std::string, Type> free = freeNames(k.body);
  std::set<std::string> written;
  walkStmts(k.body, [&](const StmtP &s) {
    if (writesFirst(s->kind))
      if (const Expr *base = baseOf(s->exprs[0]))
        written.insert(base->name);
    if (s->kind == StmtKind::Window && s->section.stores)
      written.insert(baseOf(s->exprs[0])->name);
  });
  for (size_t b = 0; b < out.buffers.size(); b++) {
    const Buffer &buffer = out.buffers[b];
    if (!free.count(buffer.name))
      continue;
    KernelParameter q;
    q.name = buffer.name;
    q.type = buffer.element;
    q.buffer = int(b);
    q.isConst = !written.count(buffer.name);
    q.space = q.isConst ? MemorySpace::ReadOnly : MemorySpace::Global;
    if (auto a = p.arrays.find(buffer.name); a != p.arrays.end()) {
      q.extents = a->second.extents;
      if (a->second.kind ==
          ArrayKind::Private) // expanded: one subscript for the copy, then the variable's own
        q.extents.insert(q.extents.begin(), nullptr);
    } else
      q.extents = {nullptr};
    q.shifted = !isNonNegative(buffer.low);
    for (size_t n = 1; n < q.extents.size(); n++)
      walk(q.extents[n], [&](const ExprP &e) {
        if (e->kind == ExprKind::Var)
          free.emplace(e->name, e->type);
        return true;
      });
    k.parameters.push_back(q);
  }
  for (const auto &[name, type] : free) {
    if (std::any_of(k.parameters.begin(), k.parameters.end(),
                    [&](const KernelParameter &q) { return q.name == name; }))
      continue;
    KernelParameter q;
    q.name = name;
    q.type = type;
    q.value = var(name, q.type);
    if (auto v = hostValues.find(name); v != hostValues.end())
      q.value = cast(v->second, q.type);
    else
      for (const Parameter &x : p.parameters)
        if (x.name == name) {
          q.type = x.type;
          q.value = var(name, x.type);
        }
    k.parameters.push_back(q);
  }
  if (k.isResident()) {
    if (std::none_of(out.buffers.begin(), out.buffers.end(),
                     [](const Buffer &b) { return b.isBarrier; })) {
      Buffer b;
      b.name = "nw_barrier_state";
      b.element = typeOf(Scalar::U32);
      b.elementBytes = 4;
      b.low = intConst(0);
      b.high = intConst(2);
      b.isBarrier = true;
      b.copyIn = true;
      out.buffers.push_back(b);
    }
    for (size_t b = 0; b < out.buffers.size(); b++)
      if (out.buffers[b].isBarrier) {
        KernelParameter q;
        q.name = out.buffers[b].name;
        q.type = typeOf(Scalar::U32);
        q.buffer = int(b);
        q.extents = {nullptr};
        k.parameters.push_back(q);
      }
  }
  out.kernels.push_back(k);
}

void addScalars(const Program &p, Kernels &out) {
  std::set<std::string> names(p.valueScalars.begin(), p.valueScalars.end());
  auto note = [&](const ExprP &e) {
    if (e->kind == ExprKind::Var && p.region.variables.count(e->name) && !p.arrays.count(e->name))
      names.insert(e->name);
    return true;
  };
  for (const Parameter &q : p.parameters)
    walk(q.value, note);
  for (const Buffer &b : out.buffers) {
    walk(b.low, note);
    walk(b.high, note);
    if (auto a = p.arrays.find(b.name); a != p.arrays.end() && a->second.kind == ArrayKind::Memory)
      for (const ExprP &e : a->second.extents)
        walk(e, note);
  }
  std::set<std::string> counters;
  for (const SourceLoop &l : p.loops)
    counters.insert(l.counter);
  for (const std::string &name : names)
    if (!counters.count(name))
      out.scalars.push_back(
          {name, var(name, p.region.variables.at(name).type), p.region.variables.at(name).type});
  // Derived parameters are computed from those at the start of the region function.
  for (const Parameter &q : p.parameters)
    if (!p.region.variables.count(q.name))
      out.scalars.push_back(q);
}

void addEstimates(const Program &p, const isl::set &known, Kernels &out) {
  ExprP total = floatConst(0, typeOf(Scalar::F64));
  AstReader wide(p, kI64);
  for (const Statement &s : p.statements) {
    isl::set domain = unnamed(s.domain).intersect_params(known);
    if (domain.is_empty())
      continue;
    ExprP work = floatConst(s.operations, typeOf(Scalar::F64));
    for (size_t k = 0; k < s.loops.size(); k++) {
      ExprP count = difference(wide.value(highest(domain, int(k)), known),
                               wide.value(lowest(domain, int(k)), known));
      work = binary("*", work, cast(count, typeOf(Scalar::F64)), typeOf(Scalar::F64));
    }
    if (ExprP any = wide.condition(onlyParams(domain), known))
      work = select(any, work, floatConst(0, typeOf(Scalar::F64)), typeOf(Scalar::F64));
    total = binary("+", total, work, typeOf(Scalar::F64));
  }
  out.operations = total;
  out.launches = intConst(int64_t(out.kernels.size()));
}

} // namespace nw
