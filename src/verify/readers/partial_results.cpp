// Partial results.
#include "verify/readers/partial_results.h"
#include <algorithm>

namespace nw {

const Stmt *reductionOf(const Kernel &kernel, const std::string &variable) {
  const Stmt *found = nullptr;
  int many = 0;
  walkStmts(kernel.body, [&](const StmtP &s) {
    if (s->kind == StmtKind::Reduce && s->name == variable) {
      found = s.get();
      many++;
    }
  });
  return many == 1 ? found : nullptr;
}

const Combination *combinationOf(const PositionReport &report, const Kernel &kernel,
                                 const std::string &variable) {
  const Combination *found = nullptr;
  for (const Combination &c : report.combinations)
    if (c.kernel == &kernel && c.variable == variable) {
      if (found)
        return nullptr;
      found = &c;
    }
  return found;
}

std::vector<std::string> unknownsAlong(const Combination &c, int axis) {
  std::vector<std::string> names;
  for (const char *what : {"local.", "thread."})
    for (const std::string &name : paramNames(isl::manage(
             isl_pw_aff_get_domain_space(c.threads.at(what + std::string(1, "xyz"[axis])).get()))))
      names.push_back(name);
  return names;
}

isl::set without(isl::set s, const std::vector<std::string> &unknowns) {
  for (const std::string &name : unknowns)
    if (int at = isl_set_find_dim_by_name(s.get(), isl_dim_param, name.c_str()); at >= 0)
      s = isl::manage(isl_set_project_out(s.release(), isl_dim_param, unsigned(at), 1));
  return s;
}

std::vector<const Kernel *> usersOf(const Kernels &k, const std::string &buffer) {
  std::vector<const Kernel *> all;
  for (const Kernel &kernel : k.kernels)
    if (std::any_of(kernel.parameters.begin(), kernel.parameters.end(),
                    [&](const KernelParameter &q) { return q.buffer >= 0 && q.name == buffer; }))
      all.push_back(&kernel);
  return all;
}

std::string bufferOf(const Program &p, const Combination &c) {
  const ExprP &to = c.code->exprs[0];
  bool isBuffer = to->kind == ExprKind::Index && to->args[0]->kind == ExprKind::Var &&
                  !p.arrays.count(to->args[0]->name) && !c.locals.count(to->args[0]->name);
  return isBuffer && !c.loop ? to->args[0]->name : "";
}

const Combination *gatheringOf(const PositionReport &report, const std::string &buffer) {
  const Combination *found = nullptr;
  for (const Combination &c : report.combinations)
    if (c.loop && c.variable == buffer) {
      if (found)
        return nullptr;
      found = &c;
    }
  return found;
}

ExprP bareInteger(ExprP e) {
  while (e->kind == ExprKind::Cast && e->type.isInteger() && bitsOf(e->type.scalar) >= 32)
    e = e->args[0];
  return e;
}

bool isCoordinate(const ExprP &e, const char *name) {
  return bareInteger(e)->kind == ExprKind::Builtin && bareInteger(e)->name == name;
}

std::string withoutCasts(const ExprP &e) {
  return print(
      rewrite(e, [](const ExprP &x) { return x->kind == ExprKind::Cast ? x->args[0] : x; }));
}

std::optional<PartialCell> cellOf(const ExprP &e, const std::string &buffer) {
  if (e->kind != ExprKind::Index || e->args[0]->kind != ExprKind::Var || e->args[0]->name != buffer)
    return std::nullopt;
  const ExprP &sum = e->args[1];
  if (sum->kind != ExprKind::Binary || sum->name != "+" || !(sum->type == kI64))
    return std::nullopt;
  const ExprP &product = sum->args[0];
  if (product->kind != ExprKind::Binary || product->name != "*" || !(product->type == kI64))
    return std::nullopt;
  return PartialCell{product->args[0], product->args[1], sum->args[1]};
}

bool isThere(const Buffer &buffer, const Combination &c) {
  std::optional<isl::set> when = buffer.touched ? c.host->condition(buffer.touched) : std::nullopt;
  return !buffer.touched || (when && c.executed.is_subset(*when));
}

ExprP passed(const Kernel &kernel, const ExprP &e) {
  for (const KernelParameter &q : kernel.parameters)
    if (e->kind == ExprKind::Var && q.name == e->name && q.buffer < 0)
      return q.value;
  return nullptr;
}

bool follows(const Combination &first, const Combination &second) {
  for (size_t n = 0; n < std::min(first.coordinates.size(), second.coordinates.size()); n++) {
    const Coordinate &a = first.coordinates[n], &b = second.coordinates[n];
    if (a.kind != Coordinate::Ordered || b.kind != Coordinate::Ordered || a.site != b.site)
      return false;
    isl::set later = b.value.eq_set(a.value.add(first.host->constant(1)));
    if (a.value.ne_set(b.value).is_empty())
      continue;
    return isl_pw_aff_is_cst(a.value.get()) && isl_pw_aff_is_cst(b.value.get()) &&
           later.complement().is_empty();
  }
  return false;
}

isl::map columnRelation(const isl::pw_aff &column, const std::vector<isl::pw_aff> &values,
                        const isl::set &when) {
  SchedulePosition position;
  position.statement = "column";
  position.values = {column};
  return relationTo(position, values, when);
}

std::optional<isl::pw_aff> blocksOf(const HostStep &launch, const Kernel &kernel, int axis,
                                    const AffineScope &host) {
  std::optional<isl::pw_aff> wanted = host.value(launch.threads[size_t(axis)]);
  int64_t most = launch.limit[size_t(axis)], size = kernel.block[size_t(axis)];
  if (!wanted || most < 1)
    return std::nullopt;
  isl::pw_aff up = wanted->add(host.constant(size - 1));
  isl::pw_aff blocks = isl::manage(isl_pw_aff_floor(
      isl_pw_aff_scale_down_val(up.release(), intVal(wanted->ctx(), long(size)).release())));
  return isl::manage(isl_pw_aff_min(blocks.release(), host.constant(most).release()));
}

} // namespace nw
