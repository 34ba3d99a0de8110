// Source order as a kernel.
#include "check/source_kernels.h"
#include "kernel/free_names.h"
#include "lower/expansion.h"
#include "poly/dependences.h"
#include <algorithm>
#include <fmt/format.h>

namespace nw {

namespace {

// Whether iterations of loops outside of its own use a private variable in turns: the copies of a
// sum whose own loop goes around theirs are under way at the same time.
bool isInterleaved(const Program &p, const Array &array) {
  return std::any_of(p.statements.begin(), p.statements.end(), [&](const Statement &s) {
    return std::any_of(s.accesses.begin(), s.accesses.end(),
                       [&](const Access &x) { return x.array == array.name; }) &&
           !std::equal(array.privateLoops.begin(), array.privateLoops.end(), s.loops.begin(),
                       s.loops.begin() + std::min(s.loops.size(), array.privateLoops.size()));
  });
}

StmtP sourceCode(const Program &p, const std::map<std::string, Expansion> &expansions) {
  std::vector<std::string> all;
  std::vector<StmtP> code;
  for (const Statement &s : p.statements)
    all.push_back(s.name);
  for (auto &[name, array] : p.arrays)
    if (array.kind == ArrayKind::Private && !expansions.count(name)) {
      std::vector<int64_t> extents;
      for (const ExprP &e : array.extents)
        extents.push_back(e->integer);
      code.push_back(declare(name, array.variable.type, extents, {}));
    }
  AstReader reader(p, kI64);
  InstanceContext context{p, reader, kI64, expansions};
  code.push_back(instances(context, viewOf(p, all), sourceOrder(p), {}));
  return block(code);
}

} // namespace

Kernels sourceKernels(const Program &p, const Kernels &given) {
  Kernels out;
  for (const Buffer &b : given.buffers)
    if (auto a = p.arrays.find(b.name);
        a != p.arrays.end() && a->second.kind == ArrayKind::Memory) {
      out.buffers.push_back(b);
      out.buffers.back().copyIn = !a->second.isOwn();
      out.buffers.back().copyOut = false;
    }
  std::map<std::string, Expansion> expansions;
  for (auto &[name, array] : p.arrays)
    if (array.kind == ArrayKind::Private && isInterleaved(p, array)) {
      ExpandedVariable made = expandedVariable(p, name, p.context.intersect(p.assumptions));
      out.buffers.push_back(made.buffer);
      expansions.emplace(name, made.expansion);
    }
  out.assumptions = given.assumptions;
  out.mayAlias = given.mayAlias;
  out.scalarAlias = given.scalarAlias;
  out.scalars = given.scalars;
  out.operations = given.operations;
  out.launches = intConst(1);
  Kernel k;
  k.name = fmt::format("{}_{}_source", p.region.function, p.region.number);
  k.summary = "one thread, in source order";
  k.body = sourceCode(p, expansions);
  std::map<std::string, Type> names = freeNames(k.body);
  for (size_t b = 0; b < out.buffers.size(); b++) {
    const Buffer &buffer = out.buffers[b];
    if (!names.count(buffer.name))
      continue;
    KernelParameter q;
    q.name = buffer.name;
    q.type = buffer.element;
    q.buffer = int(b);
    q.extents = p.arrays.at(buffer.name).extents;
    if (expansions.count(buffer.name)) // one subscript for the copy
      q.extents.insert(q.extents.begin(), nullptr);
    q.shifted = !(buffer.low->kind == ExprKind::Int && buffer.low->integer >= 0);
    for (size_t n = 1; n < q.extents.size(); n++)
      walk(q.extents[n], [&](const ExprP &e) {
        if (e->kind == ExprKind::Var)
          names.emplace(e->name, e->type);
        return true;
      });
    k.parameters.push_back(q);
  }
  for (auto &[name, type] : names) {
    if (p.arrays.count(name))
      continue;
    KernelParameter q;
    q.name = name;
    q.type = type;
    for (const Parameter &x : p.parameters)
      if (x.name == name)
        q.type = x.type;
    q.value = var(name, q.type);
    k.parameters.push_back(q);
  }
  out.kernels.push_back(k);
  out.host.kind = HostKind::Launch;
  out.host.kernel = 0;
  out.host.threads = {intConst(1), intConst(1), intConst(1)};
  return out;
}

} // namespace nw
