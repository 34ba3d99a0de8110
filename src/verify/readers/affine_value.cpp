// Trees to isl functions.
#include "verify/readers/affine_value.h"

namespace nw {

namespace {

isl::set truth(isl::ctx ctx, bool value) {
  isl::space space = isl::manage(isl_space_params_alloc(ctx.get(), 0));
  return value ? isl::set::universe(space) : isl::set::empty(space);
}

// C's division by a positive constant, which cuts towards zero.
isl::pw_aff quotient(const isl::pw_aff &a, const isl::pw_aff &zero, const isl::val &divisor) {
  auto floored = [&](const isl::pw_aff &x) {
    return isl::manage(isl_pw_aff_floor(isl_pw_aff_scale_down_val(x.copy(), divisor.copy())));
  };
  isl::set negative = a.lt_set(zero);
  if (negative.is_empty())
    return floored(a);
  isl::pw_aff below = floored(a.neg()).neg();
  return below.intersect_domain(negative).union_add(floored(a).intersect_domain(a.ge_set(zero)));
}

std::optional<isl::val> constantOf(const isl::pw_aff &a) {
  if (!isl_pw_aff_is_cst(a.get()) || isl_pw_aff_n_piece(a.get()) != 1)
    return std::nullopt;
  isl::val v = isl::manage(isl_pw_aff_max_val(a.copy()));
  if (v.is_null() || !isl_val_is_int(v.get()))
    return std::nullopt;
  return v;
}

} // namespace

void AffineScope::forgetUsing(const isl::pw_aff &value) {
  for (const std::string &unknown :
       paramNames(isl::manage(isl_pw_aff_get_domain_space(value.get()))))
    std::erase_if(values, [&](const auto &entry) {
      int at = isl_pw_aff_find_dim_by_name(entry.second.get(), isl_dim_param, unknown.c_str());
      return at >= 0 &&
             isl_pw_aff_involves_dims(entry.second.get(), isl_dim_param, unsigned(at), 1);
    });
}

isl::pw_aff AffineScope::constant(int64_t value) const {
  isl::space space = isl::manage(isl_space_params_alloc(ctx.get(), 0));
  return constantOn(space, intVal(ctx, std::to_string(value)));
}

isl::pw_aff AffineScope::addUnknown(const std::string &name, const std::string &unknown) {
  isl_id *id = isl_id_alloc(ctx.get(), unknown.c_str(), nullptr);
  isl_space *space = isl_space_add_param_id(isl_space_params_alloc(ctx.get(), 0), isl_id_copy(id));
  isl::pw_aff x = isl::manage(isl_pw_aff_from_aff(isl_aff_param_on_domain_space_id(space, id)));
  bind(name, x);
  return x;
}

std::optional<isl::pw_aff> AffineScope::value(const ExprP &e) const {
  if (e->type.isFloat() || e->type.isStruct())
    return std::nullopt;
  bool computes =
      e->kind == ExprKind::Unary ||
      (e->kind == ExprKind::Binary && (e->name == "+" || e->name == "-" || e->name == "*"));
  if (computes && isUnsigned(e->type.scalar)) // may wrap
    return std::nullopt;
  switch (e->kind) {
  case ExprKind::Int:
    return constant(e->integer);
  case ExprKind::Var:
  case ExprKind::Builtin: {
    auto found = values.find(e->name);
    return found == values.end() ? std::nullopt : std::optional(found->second);
  }
  case ExprKind::Cast: // between integers: counters and sizes keep their values, which the
                       // assumptions see to, unless the type is a short one
    return e->args[0]->type.isFloat() || e->type.scalar == Scalar::Bool ||
                   (bitsOf(e->type.scalar) < 32 &&
                    bitsOf(e->type.scalar) < bitsOf(e->args[0]->type.scalar))
               ? std::nullopt
               : value(e->args[0]);
  case ExprKind::Select: {
    std::optional<isl::set> when = condition(e->args[0]);
    std::optional<isl::pw_aff> a = value(e->args[1]), b = value(e->args[2]);
    if (!when || !a || !b)
      return std::nullopt;
    return a->intersect_domain(*when).union_add(b->intersect_domain(when->complement()));
  }
  case ExprKind::Unary: {
    std::optional<isl::pw_aff> a = e->name == "-" ? value(e->args[0]) : std::nullopt;
    return a ? std::optional(a->neg()) : std::nullopt;
  }
  case ExprKind::Min:
  case ExprKind::Max:
  case ExprKind::FloorDiv:
  case ExprKind::Binary:
    return arithmetic(e);
  default:
    return std::nullopt;
  }
}

std::optional<isl::pw_aff> AffineScope::arithmetic(const ExprP &e) const {
  std::optional<isl::pw_aff> a = value(e->args[0]), b = value(e->args[1]);
  if (!a || !b)
    return std::nullopt;
  if (e->kind == ExprKind::Min)
    return isl::manage(isl_pw_aff_min(a->copy(), b->copy()));
  if (e->kind == ExprKind::Max)
    return isl::manage(isl_pw_aff_max(a->copy(), b->copy()));
  if (e->kind == ExprKind::Binary && e->name == "+")
    return a->add(*b);
  if (e->kind == ExprKind::Binary && e->name == "-")
    return a->sub(*b);
  std::optional<isl::val> left = constantOf(*a), right = constantOf(*b);
  if (e->kind == ExprKind::Binary && e->name == "*") {
    if (!left && !right)
      return std::nullopt;
    return isl::manage(
        isl_pw_aff_scale_val(left ? b->copy() : a->copy(), left ? left->copy() : right->copy()));
  }
  if (!right || !right->is_pos())
    return std::nullopt;
  if (e->kind == ExprKind::FloorDiv)
    return isl::manage(isl_pw_aff_floor(isl_pw_aff_scale_down_val(a->copy(), right->copy())));
  if (e->name != "/" && e->name != "%")
    return std::nullopt;
  isl::pw_aff whole = quotient(*a, constant(0), *right);
  if (e->name == "/")
    return whole;
  return a->sub(isl::manage(isl_pw_aff_scale_val(whole.release(), right->copy())));
}

// x < min(a, b) is x < a and x < b, and so on: one convex set, where the function min would make
// two.
std::optional<isl::set> AffineScope::ofExtremes(const ExprP &e) const {
  bool isLess = e->name == "<" || e->name == "<=";
  if (!isLess && e->name != ">" && e->name != ">=")
    return std::nullopt;
  for (size_t side : {0, 1}) {
    const ExprP &x = e->args[side];
    if (x->kind != ExprKind::Min && x->kind != ExprKind::Max)
      continue;
    auto with = [&](const ExprP &one) {
      std::vector<ExprP> args = e->args;
      args[side] = one;
      return condition(node(ExprKind::Binary, args, e->type, e->name));
    };
    std::optional<isl::set> a = with(x->args[0]), b = with(x->args[1]);
    if (!a || !b)
      return std::nullopt;
    bool isBoth = (x->kind == ExprKind::Min) ==
                  (isLess == (side == 1)); // below the smaller, above the larger
    return isBoth ? meet(*a, *b) : a->unite(*b);
  }
  return std::nullopt;
}

std::optional<isl::set> AffineScope::condition(const ExprP &e) const {
  if (e->kind == ExprKind::Int)
    return truth(ctx, e->integer != 0);
  if (e->kind == ExprKind::Unary && e->name == "!") {
    std::optional<isl::set> a = condition(e->args[0]);
    return a ? std::optional(a->complement()) : std::nullopt;
  }
  if (e->kind == ExprKind::Cast)
    return condition(e->args[0]);
  if (e->kind != ExprKind::Binary) {
    std::optional<isl::pw_aff> a = value(e);
    return a ? std::optional(a->ne_set(constant(0))) : std::nullopt;
  }
  if (e->name == "&&" || e->name == "||") {
    std::optional<isl::set> a = condition(e->args[0]), b = condition(e->args[1]);
    if (!a || !b)
      return std::nullopt;
    return e->name == "&&" ? meet(*a, *b) : a->unite(*b);
  }
  if (std::optional<isl::set> parts = ofExtremes(e))
    return parts;
  std::optional<isl::pw_aff> a, b;
  if (isComparison(e)) {
    a = value(e->args[0]);
    b = value(e->args[1]);
  }
  if (!a || !b)
    return std::nullopt;
  if (e->name == "<")
    return a->lt_set(*b);
  if (e->name == "<=")
    return a->le_set(*b);
  if (e->name == ">")
    return a->gt_set(*b);
  if (e->name == ">=")
    return a->ge_set(*b);
  return e->name == "==" ? a->eq_set(*b) : a->ne_set(*b);
}

} // namespace nw
