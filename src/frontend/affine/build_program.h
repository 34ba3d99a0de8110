// A Region's trees to a Program: loops become dimensions, everything else becomes statements with
// access maps.
#pragma once
#include "ir/program.h"
#include "support/diagnostics.h"

namespace nw {

// Never refuses for what is not affine (that becomes an opaque statement), only for what cannot be
// described at all; throws a Diagnostic then.
Program buildProgram(const Region &region,
                     std::shared_ptr<IslContext> isl = std::make_shared<IslContext>());

} // namespace nw
