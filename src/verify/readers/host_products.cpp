// The check 'widths', of products that the host computes: those of counts, which 64 bits may not
// hold for sizes that the arrays allow, since boxes may be far larger than what lies in them.
#include "verify/readers/host_products.h"
#include "ir/program.h"
#include <algorithm>
#include <cmath>

namespace nw {

namespace {

bool isOne(const ExprP &e) { return e->kind == ExprKind::Int && e->integer == 1; }

ExprP withoutCasts(ExprP e) {
  while (e->kind == ExprKind::Cast && bitsOf(e->type.scalar) == 64)
    e = e->args[0];
  return e;
}

// Factors that are no numbers, and the product of those that are.
struct Product {
  std::vector<ExprP> factors;
  double constant = 1;
};

void split(const ExprP &product, Product &out) {
  ExprP e = withoutCasts(product);
  if (e->kind == ExprKind::Binary && e->name == "*" && bitsOf(e->type.scalar) == 64) {
    split(e->args[0], out);
    split(e->args[1], out);
  } else if (e->kind == ExprKind::Int)
    out.constant *= double(e->integer);
  else
    out.factors.push_back(e);
}

// x of `x > 1 ? x : 1`; null for others.
ExprP atLeastOne(const ExprP &e) {
  bool is = e->kind == ExprKind::Select && e->args[0]->kind == ExprKind::Binary &&
            e->args[0]->name == ">" && isOne(e->args[0]->args[1]) && isOne(e->args[2]) &&
            sameTree(e->args[0]->args[0], e->args[1]);
  return is ? withoutCasts(e->args[1]) : nullptr;
}

// Of `number / (x > 1 ? x : 1) / ... >= 1`: each x, and the number. That bounds the product of any
// of them which are not negative.
std::optional<Product> boundedProduct(const ExprP &condition) {
  if (condition->kind != ExprKind::Binary || condition->name != ">=" || !isOne(condition->args[1]))
    return std::nullopt;
  Product bounded;
  ExprP e = condition->args[0];
  for (; e->kind == ExprKind::Binary && e->name == "/" && bitsOf(e->type.scalar) == 64;
       e = e->args[0])
    if (ExprP x = atLeastOne(e->args[1]))
      bounded.factors.push_back(x);
    else
      return std::nullopt;
  if (e->kind != ExprKind::Int)
    return std::nullopt;
  bounded.constant = double(e->integer);
  return bounded;
}

std::vector<Product> boundedProducts(const ExprP &assumptions) {
  if (!assumptions)
    return {};
  if (assumptions->kind == ExprKind::Binary && assumptions->name == "&&") {
    std::vector<Product> all = boundedProducts(assumptions->args[0]),
                         more = boundedProducts(assumptions->args[1]);
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  std::optional<Product> one = boundedProduct(assumptions);
  return one ? std::vector{*one} : std::vector<Product>{};
}

class Sizes {
public:
  Sizes(const AffineScope &scope, const isl::set &when) : scope(scope), when(when) {}

  // The logarithm, to the base of 2, of the largest value; 64 where that is not known.
  double bits(const ExprP &e) const {
    std::optional<isl::pw_aff> value = scope.value(e);
    if (!value)
      return 64;
    isl::pw_aff here = value->intersect_domain(when);
    std::optional<long> least = longOf(isl::manage(isl_pw_aff_min_val(here.copy()))),
                        most = longOf(isl::manage(isl_pw_aff_max_val(here.copy())));
    if (!least || !most)
      return when.is_empty() ? 0 : 64;
    return std::log2(std::max({1.0, std::fabs(double(*least)), std::fabs(double(*most))}));
  }

  bool isBetweenZeroAnd(const ExprP &e, const ExprP &bound) const {
    std::optional<isl::pw_aff> value = scope.value(e), most = scope.value(bound);
    return value && most &&
           when.is_subset(meet(value->ge_set(scope.constant(0)), value->le_set(*most)));
  }

private:
  const AffineScope &scope;
  const isl::set &when;
};

// Whether each factor from a number on has a bound of its own that is as large.
bool haveBounds(const std::vector<ExprP> &factors, size_t from, const std::vector<ExprP> &bounds,
                const Sizes &sizes) {
  if (from == factors.size())
    return true;
  for (size_t k = 0; k < bounds.size(); k++) {
    std::vector<ExprP> others = bounds;
    others.erase(others.begin() + long(k));
    if (sizes.isBetweenZeroAnd(factors[from], bounds[k]) &&
        haveBounds(factors, from + 1, others, sizes))
      return true;
  }
  return false;
}

bool isWithin(const Product &product, const Product &bounded, const Sizes &sizes) {
  return std::fabs(product.constant) * bounded.constant <= 0x1p62 &&
         haveBounds(product.factors, 0, bounded.factors, sizes);
}

bool fitsInto64(const Product &product, const Sizes &sizes, const ExprP &assumptions) {
  double bits = std::log2(std::max(std::fabs(product.constant), 1.0));
  for (const ExprP &factor : product.factors)
    bits += sizes.bits(factor);
  if (bits < 62.5)
    return true;
  std::vector<Product> bounded = boundedProducts(assumptions);
  return std::ranges::any_of(bounded,
                             [&](const Product &one) { return isWithin(product, one, sizes); });
}

} // namespace

std::string productBeyond64(const ExprP &e, const AffineScope &scope, const isl::set &when,
                            const ExprP &assumptions) {
  std::string beyond;
  walk(e, [&](const ExprP &x) {
    if (x->kind != ExprKind::Binary || x->name != "*" || !x->type.isInteger() ||
        bitsOf(x->type.scalar) != 64 || !beyond.empty())
      return beyond.empty();
    Product product;
    split(x, product);
    // A size by a number is an extent of the source, or a multiple of a count that is asked about.
    if (product.factors.size() != 1 && !fitsInto64(product, Sizes(scope, when), assumptions))
      beyond = print(x);
    return false;
  });
  return beyond;
}

} // namespace nw
