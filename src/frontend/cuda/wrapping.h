// Subscripts of kernels that are computed in 32 bits without a sign.
#pragma once
#include "ir/region.h"

namespace nw {

// What has to hold for nothing to wrap.
struct NoWrap {
  std::vector<std::string> lessThan31Bits; // arrays of which no element beyond 2^31 is touched
  std::vector<std::string> notNegative;    // arguments
};

// The tree with such subscripts computed in 64 bits, where they are sums and products of what is
// not negative.
StmtP withWideSubscripts(const StmtP &tree, const std::map<std::string, Variable> &variables,
                         NoWrap &assumed);

} // namespace nw
