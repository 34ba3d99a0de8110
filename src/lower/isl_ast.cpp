// Conversion of isl's syntax trees.
#include "lower/isl_ast.h"
#include "support/diagnostics.h"
#include <isl/ast.h>

namespace nw {

ExprP AstReader::expr(const isl::ast_expr &e) const {
  switch (isl_ast_expr_get_type(e.get())) {
  case isl_ast_expr_int: {
    isl::val v = isl::manage(isl_ast_expr_get_val(e.get()));
    std::optional<long> number = longOf(v);
    if (!number)
      throw Diagnostic{"NW0206", Severity::Remark, program.region.at,
                       "a bound or condition of this nest needs numbers of more than 64 bits",
                       "it stays on the host"};
    return intConst(*number, indexType);
  }
  case isl_ast_expr_id: {
    isl_id *id = isl_ast_expr_get_id(e.get());
    std::string name = isl_id_get_name(id);
    isl_id_free(id);
    for (const Parameter &p : program.parameters)
      if (p.name == name)
        return cast(var(name, p.type), indexType);
    return var(name, indexType);
  }
  default:
    return operation(e);
  }
}

ExprP AstReader::operation(const isl::ast_expr &e) const {
  std::vector<ExprP> args;
  for (int k = 0; k < isl_ast_expr_get_op_n_arg(e.get()); k++)
    args.push_back(expr(isl::manage(isl_ast_expr_get_op_arg(e.get(), k))));
  auto reduce = [&](const char *op, const Type &type) {
    ExprP all = args[0];
    for (size_t k = 1; k < args.size(); k++)
      all = binary(op, all, args[k], type);
    return all;
  };
  auto chain = [&](ExprKind kind) {
    ExprP all = args[0];
    for (size_t k = 1; k < args.size(); k++)
      all = node(kind, {all, args[k]}, indexType);
    return all;
  };
  switch (isl_ast_expr_get_op_type(e.get())) {
  case isl_ast_op_and:
  case isl_ast_op_and_then:
    return reduce("&&", kI32);
  case isl_ast_op_or:
  case isl_ast_op_or_else:
    return reduce("||", kI32);
  case isl_ast_op_max:
    return chain(ExprKind::Max);
  case isl_ast_op_min:
    return chain(ExprKind::Min);
  case isl_ast_op_minus:
    return unary("-", args[0], indexType);
  case isl_ast_op_add:
    return reduce("+", indexType);
  case isl_ast_op_sub:
    return reduce("-", indexType);
  case isl_ast_op_mul:
    return reduce("*", indexType);
  case isl_ast_op_div:
  case isl_ast_op_pdiv_q:
    return reduce("/", indexType);
  case isl_ast_op_fdiv_q:
    return node(ExprKind::FloorDiv, args, indexType);
  case isl_ast_op_pdiv_r:
  case isl_ast_op_zdiv_r:
    return reduce("%", indexType);
  case isl_ast_op_cond:
  case isl_ast_op_select:
    return select(args[0], args[1], args[2], indexType);
  case isl_ast_op_eq:
    return reduce("==", kI32);
  case isl_ast_op_le:
    return reduce("<=", kI32);
  case isl_ast_op_lt:
    return reduce("<", kI32);
  case isl_ast_op_ge:
    return reduce(">=", kI32);
  case isl_ast_op_gt:
    return reduce(">", kI32);
  default:
    throw InternalError{"isl made an expression that lowering does not know"};
  }
}

StmtP AstReader::stmt(const isl::ast_node &n, const Instantiate &user,
                      const std::vector<std::string> &loops) const {
  switch (isl_ast_node_get_type(n.get())) {
  case isl_ast_node_for: {
    isl::ast_expr iterator = isl::manage(isl_ast_node_for_get_iterator(n.get()));
    std::string name = expr(iterator)->name;
    ExprP start = expr(isl::manage(isl_ast_node_for_get_init(n.get())));
    bool isLoop = !isl_ast_node_for_is_degenerate(n.get());
    std::vector<std::string> around = loops;
    if (isLoop || !loops.empty())
      around.push_back(name);
    StmtP body = stmt(isl::manage(isl_ast_node_for_get_body(n.get())), user, around);
    if (!isLoop)
      return block({declare(name, indexType, {}, {start}), body});
    ExprP condition = expr(isl::manage(isl_ast_node_for_get_cond(n.get())));
    ExprP step = expr(isl::manage(isl_ast_node_for_get_inc(n.get())));
    return forLoop(name, indexType, start, condition, step, body);
  }
  case isl_ast_node_if: {
    ExprP condition = expr(isl::manage(isl_ast_node_if_get_cond(n.get())));
    StmtP then = stmt(isl::manage(isl_ast_node_if_get_then_node(n.get())), user, loops);
    StmtP otherwise;
    if (isl_ast_node_if_has_else_node(n.get()))
      otherwise = stmt(isl::manage(isl_ast_node_if_get_else_node(n.get())), user, loops);
    return ifElse(condition, then, otherwise);
  }
  case isl_ast_node_block: {
    isl::ast_node_list list = isl::manage(isl_ast_node_block_get_children(n.get()));
    std::vector<StmtP> all;
    for (int k = 0; k < isl_ast_node_list_n_ast_node(list.get()); k++)
      all.push_back(stmt(isl::manage(isl_ast_node_list_get_ast_node(list.get(), k)), user));
    return block(all);
  }
  case isl_ast_node_user: {
    isl::ast_expr call = isl::manage(isl_ast_node_user_get_expr(n.get()));
    std::vector<ExprP> args;
    std::string name = expr(isl::manage(isl_ast_expr_get_op_arg(call.get(), 0)))->name;
    for (int k = 1; k < isl_ast_expr_get_op_n_arg(call.get()); k++)
      args.push_back(expr(isl::manage(isl_ast_expr_get_op_arg(call.get(), k))));
    return user(name, args, loops);
  }
  default:
    throw InternalError{"isl made a statement that lowering does not know"};
  }
}

ExprP AstReader::condition(const isl::set &set, const isl::set &context) const {
  isl::set needed = alignedWith(alignedWith(set, context).gist(context).coalesce(), context);
  if (needed.is_equal(isl::set::universe(needed.get_space())))
    return nullptr;
  isl::ast_build build = isl::ast_build::from_context(context);
  return expr(build.expr_from(needed));
}

// The two parts of a minimum or a maximum, which isl takes for a choice between them.
static std::optional<std::pair<isl::pw_aff, isl::pw_aff>>
extremes(const isl::pw_aff &value, const isl::set &when, bool &isMin) {
  if (isl_pw_aff_n_piece(value.get()) != 2)
    return std::nullopt;
  std::vector<isl::pw_aff> parts;
  isl_pw_aff_foreach_piece(
      value.get(),
      [](isl_set *domain, isl_aff *part, void *user) {
        isl_set_free(domain);
        static_cast<std::vector<isl::pw_aff> *>(user)->push_back(
            isl::manage(isl_pw_aff_from_aff(part)));
        return isl_stat_ok;
      },
      &parts);
  for (bool smaller : {true, false}) {
    isMin = smaller;
    isl::pw_aff one = isl::manage(smaller ? isl_pw_aff_min(parts[0].copy(), parts[1].copy())
                                          : isl_pw_aff_max(parts[0].copy(), parts[1].copy()));
    if (when.is_disjoint(one.ne_set(value)))
      return std::pair(parts[0], parts[1]);
  }
  return std::nullopt;
}

ExprP AstReader::value(const isl::pw_aff &value, const isl::set &context) const {
  for (const Known &k : known)
    if (isl_pw_aff_plain_is_equal(k.value.get(), value.get()) == isl_bool_true &&
        isl_set_plain_is_equal(k.context.get(), context.get()) == isl_bool_true)
      return k.read;
  known.push_back({value, context, newValue(value, context)});
  return known.back().read;
}

ExprP AstReader::newValue(const isl::pw_aff &value, const isl::set &context) const {
  isl::pw_aff aligned = alignedWith(value, context);
  isl::pw_aff simple = alignedWith(
      isl::manage(isl_pw_aff_coalesce(isl_pw_aff_gist_params(aligned.release(), context.copy()))),
      context);
  isl::set when = context.intersect(onlyParams(isl::manage(isl_pw_aff_domain(value.copy()))));
  if (when.is_empty()) // nobody asks
    return intConst(0, indexType);
  isl::ast_build build = isl::ast_build::from_context(when);
  bool isMin = false;
  if (auto parts = extremes(simple, when, isMin))
    return node(isMin ? ExprKind::Min : ExprKind::Max,
                {expr(build.expr_from(parts->first)), expr(build.expr_from(parts->second))},
                indexType);
  return expr(build.expr_from(simple));
}

} // namespace nw
