// Integer expressions of final kernels as isl functions of named unknowns: program parameters,
// counters, threads. The verifier's own reading of the trees, apart from ir/linear_tree.h on
// purpose: it shares nothing with the code that made them.
#pragma once
#include "ir/tree.h"
#include "support/isl_tools.h"
#include <map>

namespace nw {

// What the variables of a piece of code stand for. Unknowns are parameters of isl's; a name that is
// absent is not affine.
class AffineScope {
public:
  explicit AffineScope(isl::ctx ctx) : ctx(ctx) {}

  // A fresh unknown; `unknown` must be unique among all unknowns of a run.
  isl::pw_aff addUnknown(const std::string &name, const std::string &unknown);
  void bind(const std::string &name, const isl::pw_aff &value) {
    values.insert_or_assign(name, value);
  }
  void forget(const std::string &name) { values.erase(name); }

  // Forgets everything that depends on the unknowns of `value`.
  void forgetUsing(const isl::pw_aff &value);

  isl::pw_aff constant(int64_t value) const;
  // Nothing where the expression is not affine.
  std::optional<isl::pw_aff> value(const ExprP &e) const;
  // The unknowns for which the expression is not 0.
  std::optional<isl::set> condition(const ExprP &e) const;

private:
  std::optional<isl::pw_aff> arithmetic(const ExprP &e) const;
  std::optional<isl::set> ofExtremes(const ExprP &comparison) const;

  mutable isl::ctx ctx; // isl's handle is not const
  std::map<std::string, isl::pw_aff> values;
};

} // namespace nw
