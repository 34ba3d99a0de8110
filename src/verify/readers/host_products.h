// Products that the host computes for its launches.
#pragma once
#include "verify/readers/affine_value.h"

namespace nw {

// A product of 64 bits in the expression that may need more; empty where there is none.
std::string productBeyond64(const ExprP &e, const AffineScope &scope, const isl::set &when,
                            const ExprP &assumptions);

} // namespace nw
