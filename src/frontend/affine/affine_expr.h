// Integer expressions of the source as isl functions of the loop counters and parameters, with the
// conditions under which the reading is right (an unsigned value that does not wrap, and so on).
#pragma once
#include "ir/region.h"
#include "support/isl_tools.h"
#include <set>

namespace nw {

// The loops around an expression: dimension k of `domain` is counters[k]; an unknown counter has no
// dimension.
struct Scope {
  std::vector<std::string> counters;
  isl::set domain;               // anonymous tuple
  std::set<std::string> unknown; // counters of loops that are not affine
};

// Reads expressions of one region. Parameters are introduced as they are met.
class AffineReader {
public:
  // `written`: scalars that the region assigns; they are never parameters.
  // `wraps`: signed arithmetic wraps around, as that without a sign does.
  AffineReader(isl::ctx ctx, const std::map<std::string, Variable> &variables,
               std::set<std::string> written, bool wraps = false);

  std::optional<isl::pw_aff> value(const ExprP &e, const Scope &scope);
  std::optional<isl::set> condition(const ExprP &e, const Scope &scope);
  // Records that the points of `bad`, a set over iterators, must not exist. False when they exist
  // for all parameters.
  bool assumeEmpty(const isl::set &bad);
  // A parameter for the value of `e`, which does not change in the region; null when it may.
  std::optional<std::string> parameter(const ExprP &e);

  struct Known {
    std::string name;
    ExprP value;
    Type type;
  };
  std::vector<Known> parameters;
  isl::set context() const;     // ranges of the parameters' types
  isl::set assumptions() const; // parameters for which no assumption is violated
  isl::ctx ctx;
  const bool wraps;
  // Whether arithmetic of this type may wrap around and is meant to: not where overflow is the
  // program's mistake, nor in 64 bits, whose ends no subscript and no bound comes near.
  bool mayWrap(const Type &type) const;

private:
  std::optional<isl::pw_aff> inRange(isl::pw_aff v, const Type &type, const Scope &scope);
  std::optional<isl::pw_aff> computed(isl::pw_aff v, const Type &type, const Scope &scope);
  std::optional<isl::pw_aff> arithmetic(const ExprP &e, const Scope &scope);
  std::optional<isl::pw_aff> division(const ExprP &e, const Scope &scope);
  bool isInvariant(const ExprP &e) const;

  const std::map<std::string, Variable> &variables;
  std::set<std::string> written;
  isl::set violated; // parameter values for which an assumption fails
};

} // namespace nw
