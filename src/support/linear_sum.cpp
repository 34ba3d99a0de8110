// Linear sums, and those that isl's functions are.
#include "support/linear_sum.h"
#include <algorithm>
#include <fmt/format.h>

namespace nw {

int64_t LinearSum::factorOf(const std::string &name) const {
  auto found = factors.find(name);
  return found == factors.end() ? 0 : found->second;
}

LinearSum LinearSum::without(const std::string &name) const {
  LinearSum out = *this;
  out.factors.erase(name);
  return out;
}

LinearSum LinearSum::times(int64_t by) const {
  LinearSum out;
  if (by == 0)
    return out;
  for (auto &[name, factor] : factors)
    out.factors[name] = factor * by;
  out.constant = constant * by;
  return out;
}

LinearSum operator+(const LinearSum &a, const LinearSum &b) {
  LinearSum out = a;
  for (auto &[name, factor] : b.factors)
    if ((out.factors[name] += factor) == 0)
      out.factors.erase(name);
  out.constant += b.constant;
  return out;
}

LinearSum operator-(const LinearSum &a, const LinearSum &b) { return a + b.times(-1); }

std::string textOf(const LinearSum &sum) {
  std::string text = std::to_string(sum.constant);
  for (auto &[name, factor] : sum.factors)
    text += fmt::format(" + {} {}", factor, name);
  return text;
}

std::optional<std::vector<int64_t>> coefficientsOf(const isl::aff &f, isl_dim_type kind) {
  std::vector<int64_t> all;
  for (int k = 0; k < isl_aff_dim(f.get(), kind); k++) {
    std::optional<long> one = longOf(isl::manage(isl_aff_get_coefficient_val(f.get(), kind, k)));
    if (!one)
      return std::nullopt;
    all.push_back(*one);
  }
  return all;
}

bool hasDivisions(const isl::aff &f) {
  std::optional<std::vector<int64_t>> factors = coefficientsOf(f, isl_dim_div);
  return !factors || std::any_of(factors->begin(), factors->end(), [](int64_t x) { return x; });
}

std::optional<AffineRow> affineRowOf(const isl::aff &f) {
  std::optional<std::vector<int64_t>> in = coefficientsOf(f, isl_dim_in),
                                      parameters = coefficientsOf(f, isl_dim_param);
  std::optional<long> constant = longOf(isl::manage(isl_aff_get_constant_val(f.get())));
  if (hasDivisions(f) || !in || !parameters || !constant)
    return std::nullopt;
  AffineRow out{*in, {{}, *constant}};
  for (size_t k = 0; k < parameters->size(); k++)
    if ((*parameters)[k])
      out.rest.factors[isl_aff_get_dim_name(f.get(), isl_dim_param, unsigned(k))] =
          (*parameters)[k];
  return out;
}

} // namespace nw
