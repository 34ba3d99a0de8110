// Sets of the verifier without some of their unknowns: what holds for some value of each. An
// unknown's name has an @ and its number.
#pragma once
#include "support/isl_tools.h"
#include <functional>

namespace nw {

// The number of an unknown; nothing for a parameter of the program.
std::optional<int> numberOfUnknown(const std::string &name);

// The set, for some values of all unknowns that are not kept.
isl::set withoutUnknowns(isl::set s,
                         const std::function<bool(const std::string &unknown)> &isKept = {});

// The values as a set over as many dimensions, for some values of all unknowns that are not kept.
isl::set valuesAs(const std::vector<isl::pw_aff> &values, const isl::set &when,
                  const std::function<bool(const std::string &unknown)> &isKept = {});

} // namespace nw
