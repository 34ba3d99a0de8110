// Integer programs by linear ones: variable after variable gets its least value without
// integrality, rounded up, and more where the others then find no room. isl's own lexicographic
// minimum cuts planes instead, which takes seconds for the few dozen variables of a schedule row,
// where all corners that matter are integers.
#include "support/integer_program.h"
#include <isl/lp.h>
#include <isl/mat.h>
#include <set>
#include <tuple>

// In the library, but not in its headers: counts an operation, and fails where none is left.
extern "C" isl_stat isl_ctx_next_operation(isl_ctx *ctx);

namespace nw {

IntegerProgram::IntegerProgram(const Budget &budget) : budget(budget) {}

namespace {

// Rows of constant and factors, of the equalities or of the others.
isl_mat *matrixOf(isl::ctx ctx, int variables, const std::vector<LinearConstraint> &constraints,
                  bool equalities) {
  unsigned rows = 0;
  for (const LinearConstraint &c : constraints)
    rows += c.isEquality == equalities;
  isl_mat *matrix = isl_mat_alloc(ctx.get(), rows, unsigned(variables) + 1);
  int row = 0;
  for (const LinearConstraint &c : constraints)
    if (c.isEquality == equalities) {
      matrix = isl_mat_set_element_val(matrix, row, 0, intVal(ctx, long(c.constant)).release());
      for (int k = 0; k < variables; k++)
        matrix = isl_mat_set_element_val(matrix, row, k + 1,
                                         intVal(ctx, long(c.factors[size_t(k)])).release());
      row++;
    }
  return matrix;
}

std::vector<LinearConstraint> withoutRepetitions(const std::vector<LinearConstraint> &constraints) {
  std::set<std::tuple<IntegerRow, int64_t, bool>> known;
  std::vector<LinearConstraint> out;
  for (const LinearConstraint &c : constraints)
    if (known.emplace(c.factors, c.constant, c.isEquality).second)
      out.push_back(c);
  return out;
}

// The least, or the largest, value of a variable without integrality, rounded inward; nothing where
// there is no point.
std::optional<long> bound(const isl::basic_set &set, int variable, bool isLeast) {
  isl::aff value = isl::manage(
      isl_aff_var_on_domain(isl_local_space_from_space(isl_basic_set_get_space(set.get())),
                            isl_dim_set, unsigned(variable)));
  isl::val v = isl::manage(isLeast ? isl_basic_set_min_lp_val(set.get(), value.get())
                                   : isl_basic_set_max_lp_val(set.get(), value.get()));
  if (v.is_nan() || v.is_infty() || v.is_neginfty())
    return std::nullopt;
  return longOf(isLeast ? v.ceil() : v.floor());
}

// Values for all variables from the last of `out` on; gives up when `entries` are used up, of which
// a linear program takes `size`.
bool descend(const isl::basic_set &set, int variables, double size, double &entries,
             IntegerRow &out) {
  int variable = int(out.size());
  if (variable == variables)
    return true;
  if ((entries -= size) < 0)
    return false;
  std::optional<long> least = bound(set, variable, true);
  if (!least)
    return false;
  std::optional<long> most;
  for (long value = *least; !most || value <= *most; value++) {
    isl::val number = intVal(set.ctx(), value);
    isl::basic_set fixed = isl::manage(
        isl_basic_set_fix_val(set.copy(), isl_dim_set, unsigned(variable), number.release()));
    out.push_back(value);
    if (!isl_basic_set_plain_is_empty(fixed.get()) && descend(fixed, variables, size, entries, out))
      return true;
    out.pop_back();
    if (entries < 0 || (!most && !(most = bound(set, variable, false))))
      return false;
  }
  return false;
}

} // namespace

bool IntegerProgram::within(const std::function<void(isl::ctx)> &work) {
  if (exhausted)
    return false;
  isl::ctx ctx = context.get();
  isl_ctx_set_max_operations(ctx.get(), budget.operations);
  try {
    work(ctx);
  } catch (const isl::exception &) {
    // Whatever is under way fails in its own way: a null pointer, a text that cannot be parsed.
    exhausted = isl_ctx_next_operation(ctx.get()) != isl_stat_ok;
    if (!exhausted)
      throw;
  }
  isl_ctx_reset_error(ctx.get());
  isl_ctx_set_max_operations(ctx.get(), 0);
  return !exhausted;
}

std::optional<IntegerRow> IntegerProgram::smallest(int variables,
                                                   const std::vector<LinearConstraint> &given) {
  std::vector<LinearConstraint> constraints = withoutRepetitions(given);
  double size = double(variables) * double(constraints.size());
  if (size * variables > budget.entries / 4) { // what is left is for smaller questions
    skipped = true;
    return std::nullopt;
  }
  isl::ctx ctx = context.get();
  isl::basic_set all = isl::manage(isl_basic_set_from_constraint_matrices(
      anonymousSpace(ctx, variables).release(), matrixOf(ctx, variables, constraints, true),
      matrixOf(ctx, variables, constraints, false), isl_dim_cst, isl_dim_param, isl_dim_set,
      isl_dim_div));
  IntegerRow out;
  bool found = false;
  within([&](isl::ctx) { found = descend(all, variables, size, budget.entries, out); });
  skipped |= budget.entries < 0;
  return found ? std::optional(out) : std::nullopt;
}

} // namespace nw
