// The list of known functions.
#include "frontend/c/math_functions.h"
#include <set>

namespace nw {

static const std::set<std::string> kFloating = {
    "sqrt",  "fabs",   "floor",  "ceil",     "trunc", "round",    "rint", "nearbyint", "fmin",
    "fmax",  "fmod",   "fma",    "exp",      "exp2",  "expm1",    "log",  "log2",      "log10",
    "log1p", "pow",    "sin",    "cos",      "tan",   "asin",     "acos", "atan",      "atan2",
    "sinh",  "cosh",   "tanh",   "asinh",    "acosh", "atanh",    "cbrt", "hypot",     "erf",
    "erfc",  "tgamma", "lgamma", "copysign", "fdim",  "remainder"};
static const std::set<std::string> kInteger = {"abs", "labs", "llabs"};

std::optional<std::string> mathFunction(const std::string &given) {
  std::string name = given;
  if (name.starts_with("__builtin_"))
    name = name.substr(10);
  if (kFloating.count(name) || kInteger.count(name))
    return name;
  if (!name.empty() && name.back() == 'f' && kFloating.count(name.substr(0, name.size() - 1)))
    return name.substr(0, name.size() - 1);
  return std::nullopt;
}

} // namespace nw
