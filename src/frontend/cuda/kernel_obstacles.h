// What keeps a kernel from being taken as independent threads.
#pragma once
#include "frontend/c/convert.h"

namespace nw {

// Throws a Refusal at the first thing in the kernel by which threads know of each other, or which
// is not the same for all devices.
void refuseObstacles(const clang::FunctionDecl *kernel, clang::ASTContext &context);

} // namespace nw
