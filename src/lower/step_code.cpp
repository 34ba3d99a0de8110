// Code of a step's instances.
#include "lower/step_code.h"
#include "lower/thread_tile.h"
#include "support/diagnostics.h"

namespace nw {

ExprP coordinate(const char *name, const Type &type) {
  return node(ExprKind::Builtin, {}, type, name);
}

ExprP product(const ExprP &a, const ExprP &b) {
  return a->kind == ExprKind::Int && a->integer == 1 ? b : binary("*", a, b, kI64);
}

std::vector<size_t> gridOrder(const Step &step, const KernelPlan &plan) {
  std::vector<size_t> order;
  for (const std::string &name : plan.grid)
    for (size_t d = 0; d < step.parallel.size(); d++)
      if (step.parallel[d].name == name)
        order.push_back(d);
  if (order.size() != step.parallel.size())
    throw InternalError{"the plan does not name every parallel dimension once"};
  return order;
}

StmtP valueLoop(const InstanceContext &context, const Dimension &dimension, const View &view,
                const StmtP &inside) {
  isl::set values =
      alignedWith(loopValues(dimension, view), view.context).gist_params(view.context);
  isl::map order = identityOn(values);
  isl::ast_build build = isl::ast_build::from_context(view.context);
  isl_id_list *ids = isl_id_list_from_id(
      isl_id_alloc(context.program.isl->get().get(), dimension.name.c_str(), nullptr));
  build = isl::manage(isl_ast_build_set_iterators(build.release(), ids));
  order = isl::manage(isl_map_set_tuple_name(order.release(), isl_dim_in, "value"));
  isl::ast_node node = build.node_from_schedule_map(isl::union_map(order));
  return context.reader.stmt(
      node, [&](const std::string &, const std::vector<ExprP> &args, const auto &) -> StmtP {
        if (args[0]->kind == ExprKind::Var && args[0]->name == dimension.name)
          return inside;
        return block({declare(dimension.name, context.indexType, {}, args), inside});
      });
}

View inLoop(const Step &step, const View &view) {
  View inner = fixed(view, step.dimension, step.dimension.name);
  isl::set values = loopValues(step.dimension, view);
  inner.context = view.context.intersect(onlyParams(equateToParam(values, 0, step.dimension.name)));
  return inner;
}

std::vector<StmtP> privateDeclarations(const InstanceContext &context, const Step &step) {
  std::vector<StmtP> all;
  std::set<std::string> done;
  for (const std::string &name : step.statements)
    for (const Access &a : context.program.find(name)->accesses) {
      const Array &array = context.program.arrays.at(a.array);
      if (array.kind != ArrayKind::Private || context.expansions.count(a.array) ||
          !done.insert(a.array).second)
        continue;
      std::vector<int64_t> extents;
      for (const ExprP &e : array.extents)
        extents.push_back(e->integer);
      all.push_back(declare(a.array, array.variable.type, extents, {}));
    }
  return all;
}

StmtP threadCode(const InstanceContext &context, const Step &step, View view) {
  for (const Dimension &d : step.parallel)
    view = fixed(view, d, d.name);
  std::vector<StmtP> code = privateDeclarations(context, step);
  code.push_back(instances(context, view, step.inside, step.insideNames));
  return block(code);
}

LinearInstances linearInstancesOf(const InstanceContext &context, const Step &step,
                                  const std::vector<size_t> &order, size_t first, const Box &box,
                                  const KernelBound &bound) {
  LinearInstances linear{{}, intConst(1)};
  ExprP rest = var("nw_instance", kI64);
  for (size_t n = first; n < order.size(); n++) {
    const std::string &name = step.parallel[order[n]].name;
    ExprP low = bound(name + "_first", box.first[order[n]]),
          count = cast(bound(name + "_count", box.count[order[n]]), kI64);
    ExprP here =
        cast(n + 1 == order.size() ? rest : binary("%", rest, count, kI64), context.indexType);
    linear.dimensions.push_back(declare(name, context.indexType, {}, {sumOf(low, here)}));
    rest = binary("/", rest, count, kI64);
    linear.total = product(linear.total, cast(box.count[order[n]], kI64));
  }
  return linear;
}

StmtP instancesLoop(const LinearInstances &linear, const ExprP &total, const StmtP &inside) {
  std::vector<StmtP> code = linear.dimensions;
  code.push_back(inside);
  return forLoop("nw_instance", kI64, coordinate("thread.y", kI64),
                 binary("<", var("nw_instance", kI64), total, kI32), coordinate("threads.y", kI64),
                 block(code));
}

StmtP numberedInstance(InstanceContext &context, const Step &step, const View &view,
                       const KernelPlan &plan, const Box &box, const KernelBound &bound,
                       ExprP &total) {
  LinearInstances linear = linearInstancesOf(context, step, gridOrder(step, plan), 0, box, bound);
  total = linear.total;
  const Statement &statement = *context.program.find(step.statements[0]);
  context.reductions.emplace(statement.name, statement.reduction->target);
  std::vector<StmtP> code = linear.dimensions;
  code.push_back(threadCode(context, step, view));
  context.reductions.clear();
  return block(code);
}

Reduction reductionOf(const InstanceContext &context, const Step &step) {
  const Program &p = context.program;
  const Statement &statement = *p.find(step.statements[0]);
  Reduction r = *statement.reduction;
  r.target = rewrite(expandedElement(context, r.target), [&](const ExprP &e) -> ExprP {
    for (int id : statement.loops)
      if (const SourceLoop &l = p.loop(id); e->kind == ExprKind::Var && e->name == l.counter)
        return l.step < 0 ? cast(unary("-", var("nw_minus_" + l.counter, context.indexType),
                                       context.indexType),
                                 l.type)
                          : cast(var(l.counter, context.indexType), l.type);
    return e;
  });
  return r;
}

} // namespace nw
