// The checks 'accesses' and 'resources'.
#include "ir/flat_subscript.h"
#include "kernel/reduction_steps.h"
#include "verify/checks/kernel_checks.h"
#include "verify/readers/affine_value.h"
#include <fmt/format.h>

namespace nw {

namespace {

// A[e][f], outermost subscript last; nothing where there are members in between.
bool subscriptsOf(const ExprP &e, std::vector<ExprP> &out) {
  if (e->kind == ExprKind::Var)
    return true;
  if (e->kind != ExprKind::Index || !subscriptsOf(e->args[0], out))
    return false;
  out.push_back(e->args[1]);
  return true;
}

class AccessReader {
public:
  AccessReader(const Program &p, const Statement &s) : p(p), s(s), scope(p.isl->get()) {
    position.statement = s.name;
    for (const Parameter &q : p.parameters)
      scope.addUnknown(q.name, q.name);
    for (int id : s.loops)
      position.values.push_back(
          scope.addUnknown(p.loop(id).counter, p.loop(id).counter + "@source"));
    // Variables of the body's own are not unknowns of the statement.
    walkStmts(s.body, [&](const StmtP &x) {
      if (x->kind == StmtKind::Declare)
        scope.forget(x->name);
      if (x->kind == StmtKind::For)
        scope.forget(x->loop.counter);
      if (x->kind == StmtKind::Assign && x->exprs[0]->kind == ExprKind::Var)
        scope.forget(x->exprs[0]->name);
    });
  }

  std::vector<Finding> run() {
    stmt(s.body);
    return findings;
  }

private:
  // Only what every instance does: conditions of a body may keep subscripts inside what the Program
  // says.
  void stmt(const StmtP &x) {
    if (x->kind == StmtKind::Block)
      for (const StmtP &b : x->body)
        stmt(b);
    if (x->kind == StmtKind::Block || x->kind == StmtKind::Assign || x->kind == StmtKind::Declare)
      for (size_t k = 0; k < x->exprs.size(); k++)
        visit(x->exprs[k], x->kind == StmtKind::Assign && k == 0);
  }

  void visit(const ExprP &e, bool isTarget) {
    if (e->kind == ExprKind::Index) {
      std::vector<ExprP> subscripts;
      if (subscriptsOf(e, subscripts)) {
        element(*baseOf(e), subscripts, isTarget);
        for (const ExprP &x : subscripts)
          visit(x, false);
        return;
      }
    }
    bool isConditional = e->kind == ExprKind::Select ||
                         (e->kind == ExprKind::Binary && (e->name == "&&" || e->name == "||"));
    for (size_t k = 0; k < (isConditional ? 1 : e->args.size()); k++)
      visit(e->args[k], isTarget && e->kind == ExprKind::Member);
  }

  void element(const Expr &base, const std::vector<ExprP> &subscripts, bool isWrite) {
    auto found = p.arrays.find(base.name);
    if (found == p.arrays.end() || found->second.kind != ArrayKind::Memory ||
        !found->second.flatSizes.empty() || found->second.slots ||
        found->second.extents.size() != subscripts.size())
      return;
    std::vector<isl::pw_aff> values;
    for (const ExprP &x : subscripts) {
      std::optional<isl::pw_aff> v = scope.value(x);
      if (!v)
        return; // depends on data: the Program has to take it for any element
      values.push_back(*v);
    }
    isl::set when =
        meet(p.context,
             p.assumptions); // and where the element is one: others are none of the source's
    for (size_t k = 0; k < values.size(); k++) {
      std::optional<isl::pw_aff> extent = found->second.extents[k] && !isDelinearized(found->second)
                                              ? scope.value(found->second.extents[k])
                                              : std::nullopt;
      if (extent)
        when = meet(meet(when, values[k].ge_set(scope.constant(0))), values[k].lt_set(*extent));
    }
    isl::map read =
        namedOutput(relationTo(position, values, when), base.name).intersect_domain(s.domain);
    Unset<isl::map> known;
    for (const Access &a : s.accesses)
      if (a.array == base.name && a.isWrite == isWrite)
        known = known.is_null() ? a.relation : known.unite(a.relation);
    if (known.is_null() || !read.is_subset(known))
      findings.push_back(
          {"accesses", fmt::format("{} {} elements of {} that the Program does not touch", s.name,
                                   isWrite ? "writes" : "reads", base.name)});
  }

  const Program &p;
  const Statement &s;
  AffineScope scope;
  SchedulePosition position;
  std::vector<Finding> findings;
};

} // namespace

std::vector<Finding> checkAccesses(const Program &p) {
  std::vector<Finding> findings;
  for (const Statement &s : p.statements)
    for (const Finding &f : AccessReader(p, s).run())
      findings.push_back(f);
  return findings;
}

std::vector<Finding> checkResources(const Kernels &kernels, const DeviceSpec &device) {
  std::vector<Finding> findings;
  for (const Kernel &k : kernels.kernels) {
    int64_t threads = int64_t(k.block[0]) * k.block[1] * k.block[2], bytes = 0;
    if (threads < 1 || threads > device.blockThreads)
      findings.push_back(
          {"resources", fmt::format("{}: blocks of {} threads, at most {} on {}", k.name, threads,
                                    device.blockThreads, device.name)});
    walkStmts(k.body, [&](const StmtP &s) {
      if (s->kind != StmtKind::Shared)
        return;
      int64_t size = bytesOf(s->type.scalar);
      for (int64_t e : s->extents)
        size *= e;
      bytes += size;
    });
    bytes += reductionBytes(k.body, k.block);
    if (bytes > device.sharedBytes)
      findings.push_back(
          {"resources", fmt::format("{}: {} bytes of shared memory, at most {} on {}", k.name,
                                    bytes, device.sharedBytes, device.name)});
  }
  return findings;
}

} // namespace nw
