// Jumps out of the block of a data directive, which OpenACC forbids: what began at its beginning
// would never end.
#pragma once
#include "clang/AST/Stmt.h"

namespace nw {

// The first return, goto, break or continue in `block` that leaves it; nullptr if there is none.
const clang::Stmt *branchOut(const clang::Stmt *block);

} // namespace nw
