// Factors and constants of the model's constraints, and the type that holds their sums.
#include "lower/index_type.h"
#include "support/diagnostics.h"
#include <algorithm>
#include <climits>
#include <cmath>
#include <isl/constraint.h>

namespace nw {

namespace {

// What can come together in one constraint.
struct Magnitude {
  double factors = 1; // sum of the factors of counters and parameters
  double constant = 0;
};

void add(const isl::set &s, Magnitude &most) {
  for (const isl::basic_set &piece : piecesOf(s))
    isl_basic_set_foreach_constraint(
        piece.get(),
        [](isl_constraint *c, void *user) {
          auto size = [](isl_val *v) {
            double number = std::fabs(isl_val_get_d(v));
            isl_val_free(v);
            return number;
          };
          double factors = 0, constant = size(isl_constraint_get_constant_val(c));
          for (isl_dim_type kind : {isl_dim_param, isl_dim_set})
            for (int k = 0; k < isl_constraint_dim(c, kind); k++)
              factors += size(isl_constraint_get_coefficient_val(c, kind, k));
          auto &most = *static_cast<Magnitude *>(user);
          most.factors = std::max(most.factors, factors);
          if (factors > 1 || constant < INT_MAX) // a variable that is no larger than its type
            most.constant = std::max(most.constant, constant);
          isl_constraint_free(c);
          return isl_stat_ok;
        },
        &most);
}

bool needsWideType(const Program &p) {
  auto isWide = [](const Type &t) { return bitsOf(t.scalar) > 32 || t.scalar == Scalar::U32; };
  return std::any_of(p.parameters.begin(), p.parameters.end(),
                     [&](const Parameter &q) { return isWide(q.type); }) ||
         std::any_of(p.loops.begin(), p.loops.end(),
                     [&](const SourceLoop &l) { return isWide(l.type); });
}

} // namespace

IndexRange indexRangeOf(const Program &p, const Schedule &schedule, bool isWide) {
  constexpr double kMostSumsOfInt = 64, kMostSumsOfWide = 1073741824.0, kInt = 2147483648.0,
                   kWide = 4611686018427387904.0;
  Magnitude inKernels, onHost;
  for (const Statement &s : p.statements)
    add(s.domain, inKernels);
  add(p.assumptions, onHost); // always computed in 64 bits
  double sums = inKernels.factors *
                (schedule.how == "source order" ? 1 : 8); // wavefronts add up several counters
  auto limit = [](int bits, double sums) {
    return (1LL << bits) >> std::max(2, int(std::ceil(std::log2(sums))));
  };
  bool fitsHost = onHost.factors <= kMostSumsOfWide && onHost.constant < 2 * kWide;
  if (fitsHost && !isWide && !needsWideType(p) && sums <= kMostSumsOfInt &&
      4 * sums * inKernels.constant < kInt) // sizes may be larger than any constant
    return {kI32, limit(31, sums)};
  if (!fitsHost || sums > kMostSumsOfWide || sums * inKernels.constant > 2 * kWide)
    throw Diagnostic{"NW0206", Severity::Remark, p.region.at,
                     "a bound or condition of this nest needs numbers of more than 64 bits",
                     "it stays on the host"};
  return {kI64, limit(62, std::max(sums, onHost.factors))};
}

} // namespace nw
