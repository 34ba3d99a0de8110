// Integer expressions of the parameters, as far as extents of arrays need them.
#pragma once
#include "ir/linear_tree.h"
#include "ir/program.h"
#include "support/isl_pieces.h"

namespace nw {

class ParameterSizes {
public:
  explicit ParameterSizes(const Program &p)
      : p(p), context(p.context.intersect(p.assumptions)),
        params(isl::manage(isl_space_params_alloc(p.isl->get().get(), 0))) {}

  std::optional<isl::pw_aff> value(const ExprP &e) const {
    for (const Parameter &q : p.parameters)
      if (sameTree(q.value, e) || (e->kind == ExprKind::Var && e->name == q.name)) {
        isl_id *id = isl_id_alloc(p.isl->get().get(), q.name.c_str(), nullptr);
        isl_space *space = isl_space_add_param_id(params.copy(), isl_id_copy(id));
        return isl::manage(isl_pw_aff_from_aff(isl_aff_param_on_domain_space_id(space, id)));
      }
    if (e->kind == ExprKind::Cast && e->type.scalar == Scalar::I64)
      return value(e->args[0]);
    if (e->kind == ExprKind::Int)
      return isl::manage(isl_pw_aff_from_aff(
          isl_aff_val_on_domain(isl_local_space_from_space(params.copy()),
                                intVal(p.isl->get(), long(e->integer)).release())));
    if (e->kind == ExprKind::Binary && (e->name == "+" || e->name == "-") &&
        e->type.scalar == Scalar::I64) {
      std::optional<isl::pw_aff> a = value(e->args[0]), b = value(e->args[1]);
      if (a && b)
        return e->name == "+" ? a->add(*b) : a->sub(*b);
    }
    return std::nullopt;
  }

  // How many values from 0 on the only dimension of the set has at most: simple expressions, each
  // of which is a bound; none where a value is negative.
  std::vector<ExprP> countsOf(isl::set values) const {
    values = unnamed(values).intersect_params(context);
    if (values.is_empty() || !isBoundedDim(values, 0, true) || !isBoundedDim(values, 0, false))
      return {};
    isl::pw_aff x = dimensionOn(values.get_space(), 0),
                zero = constantOn(values.get_space(), intVal(p.isl->get(), 0L));
    if (!values.is_subset(x.ge_set(zero)))
      return {};
    isl::pw_aff most = isl::manage(isl_set_dim_max(values.copy(), 0));
    std::vector<ExprP> candidates;
    std::pair<const ParameterSizes *, std::vector<ExprP> *> user{this, &candidates};
    isl_pw_aff_foreach_piece(
        most.get(),
        [](isl_set *set, isl_aff *aff, void *user) {
          auto &[self, all] =
              *static_cast<std::pair<const ParameterSizes *, std::vector<ExprP> *> *>(user);
          if (ExprP e = self->oneMoreThan(isl::manage(aff)))
            all->push_back(e);
          isl_set_free(set);
          return isl_stat_ok;
        },
        &user);
    std::erase_if(candidates, [&](const ExprP &e) {
      std::optional<isl::pw_aff> bound = value(e);
      return !bound || !values.is_subset(x.lt_set(lifted(*bound, values)));
    });
    return candidates;
  }

  bool isAtMost(const ExprP &a, const ExprP &b, const isl::set &when) const {
    std::optional<isl::pw_aff> x = value(a), y = value(b);
    return x && y && when.intersect(context).is_subset(x->le_set(*y));
  }

private:
  static isl::pw_aff lifted(const isl::pw_aff &a, const isl::set &like) {
    isl_space *target =
        isl_space_align_params(like.get_space().release(), isl_pw_aff_get_domain_space(a.get()));
    return isl::manage(isl_pw_aff_insert_domain(a.copy(), target));
  }

  // The function of the parameters, plus 1, as an expression; null where it is none with whole
  // factors 1 and -1.
  ExprP oneMoreThan(const isl::aff &aff) const {
    std::optional<AffineRow> row = affineRowOf(aff);
    if (!row || std::abs(row->rest.constant) > (1L << 30))
      return nullptr;
    ExprP plus, minus;
    for (const auto &[name, factor] : row->rest.factors) {
      if (std::abs(factor) > 1)
        return nullptr;
      auto q = std::find_if(p.parameters.begin(), p.parameters.end(),
                            [&, &wanted = name](const Parameter &x) { return x.name == wanted; });
      if (q == p.parameters.end())
        return nullptr;
      ExprP &sum = factor > 0 ? plus : minus, one = cast(var(q->name, q->type), kI64);
      sum = sum ? binary("+", sum, one, kI64) : one;
    }
    int64_t number = row->rest.constant + 1;
    plus = plus ? plusNumber(plus, number, kI64) : intConst(number);
    return minus ? binary("-", plus, minus, kI64) : plus;
  }

  const Program &p;
  isl::set context;
  isl::space params;
};

} // namespace nw
