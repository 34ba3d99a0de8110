// Division of trees by the size of a row.
#include "ir/flat_subscript.h"

namespace nw {

bool isTransparent(const ExprP &e) {
  if (e->kind != ExprKind::Cast || !e->type.isInteger() || !e->args[0]->type.isInteger())
    return false;
  const ExprP &inner = e->args[0];
  Scalar from = inner->type.scalar, to = e->type.scalar;
  bool keepsValue = bitsOf(to) > bitsOf(from) ||
                    (bitsOf(to) == bitsOf(from) && isUnsigned(to) == isUnsigned(from)) ||
                    bitsOf(from) == 64;
  // What is computed without a sign in fewer bits wraps around there.
  bool mayWrap = isUnsigned(from) && bitsOf(from) < 64 && inner->kind != ExprKind::Var &&
                 inner->kind != ExprKind::Int;
  return keepsValue && !mayWrap && from != Scalar::Bool && to != Scalar::Bool;
}

namespace {

ExprP bare(ExprP e) {
  while (isTransparent(e))
    e = e->args[0];
  return e;
}

// Sums of more than two terms that were not added up in this order before are made of 64 bits: what
// lies between may be larger than the result.
struct Term {
  ExprP value; // null for 0
  bool isMade = false;
};

struct Division {
  Term quotient, rest;
};

bool isInt(const ExprP &e, int64_t value) {
  return e->kind == ExprKind::Int && e->integer == value;
}

class Divider {
public:
  explicit Divider(const ExprP &by) : by(bare(by)) {}

  Division divide(const ExprP &given) const {
    ExprP e = bare(given);
    if (isSame(e, by))
      return {{intConst(1, kI32)}, {}};
    if (by->kind == ExprKind::Int && e->kind == ExprKind::Int && by->integer > 1 &&
        e->integer != 0 && e->integer % by->integer == 0)
      return {{intConst(e->integer / by->integer, e->type)}, {}};
    if (isInt(e, 0))
      return {};
    if (!has(e))
      return {{}, {e}};
    if (e->kind == ExprKind::Unary && e->name == "-") {
      Division a = divide(e->args[0]);
      return {negated(a.quotient), negated(a.rest)};
    }
    bool mayWrap = isUnsigned(e->type.scalar) && bitsOf(e->type.scalar) < 64;
    if (e->kind != ExprKind::Binary || mayWrap)
      return {{}, {e}};
    if (e->name == "+" || e->name == "-") {
      Division a = divide(e->args[0]), b = divide(e->args[1]);
      return {sum(*e, a.quotient, b.quotient), sum(*e, a.rest, b.rest)};
    }
    if (e->name != "*")
      return {{}, {e}};
    bool isFirst = has(e->args[0]) && !isWhole(e->args[1]);
    Division a = divide(e->args[isFirst ? 0 : 1]);
    const ExprP &other = e->args[isFirst ? 1 : 0];
    return {product(*e, a.quotient, other), product(*e, a.rest, other)};
  }

private:
  static bool isSame(const ExprP &a, const ExprP &b) {
    ExprP x = bare(a), y = bare(b);
    if (x->kind != y->kind || x->name != y->name || x->integer != y->integer ||
        x->args.size() != y->args.size() || x->type.isFloat() ||
        (x->kind != ExprKind::Int && bitsOf(x->type.scalar) < 64 && bitsOf(y->type.scalar) < 64 &&
         !(x->type == y->type)))
      return false;
    for (size_t k = 0; k < x->args.size(); k++)
      if (!isSame(x->args[k], y->args[k]))
        return false;
    return true;
  }

  bool isWhole(const ExprP &e) const {
    return isSame(e, by) ||
           (by->kind == ExprKind::Int && bare(e)->kind == ExprKind::Int && by->integer > 1 &&
            bare(e)->integer != 0 && bare(e)->integer % by->integer == 0);
  }

  // Whether the size is a factor somewhere in it.
  bool has(const ExprP &e) const {
    bool found = false;
    walk(e, [&](const ExprP &x) {
      found |= isWhole(x);
      return !found;
    });
    return found;
  }

  // A sum of 64 bits may be of what is negative.
  static Type signedOf(const Type &t) { return t.scalar == Scalar::U64 ? kI64 : t; }

  static Term negated(const Term &a) {
    if (!a.value)
      return {};
    if (a.value->kind == ExprKind::Int)
      return {intConst(-a.value->integer, signedOf(a.value->type))};
    return {unary("-", a.value, signedOf(a.value->type)), true};
  }

  static Term sum(const Expr &e, const Term &a, const Term &b) {
    if (!b.value)
      return a;
    if (!a.value)
      return e.name == "+" ? b : negated(b);
    Type type = a.isMade || b.isMade || e.type.scalar == Scalar::U64 ? kI64 : e.type;
    return {at(binary(e.name, cast(a.value, type), cast(b.value, type), type), e.at), true};
  }

  static Term product(const Expr &e, const Term &a, const ExprP &other) {
    if (!a.value)
      return {};
    if (isInt(a.value, 1))
      return {bare(other)};
    if (isInt(bare(other), 1))
      return a;
    Type type = signedOf(e.type);
    return {at(binary("*", cast(a.value, type), cast(bare(other), type), type), e.at), a.isMade};
  }

  ExprP by;
};

} // namespace

std::vector<ExprP> splitSubscript(const ExprP &subscript, const std::vector<ExprP> &sizes) {
  std::vector<ExprP> out(sizes.size() + 1);
  ExprP rest = subscript;
  for (size_t k = sizes.size(); k-- > 0;) {
    Division d = Divider(sizes[k]).divide(rest);
    out[k + 1] = d.rest.value ? bare(d.rest.value) : intConst(0, kI32);
    rest = d.quotient.value ? d.quotient.value : intConst(0, kI32);
  }
  out[0] = bare(rest);
  return out;
}

} // namespace nw
