// The kernels and launches of a CUDA file, before anything is made of them.
#pragma once
#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include <array>

namespace nw {

using Sizes = std::array<int64_t, 3>;

struct Seen {
  std::vector<const clang::FunctionDecl *> kernels;               // definitions and concrete instances, in order
  std::vector<std::pair<const clang::CUDAKernelCallExpr *, bool>> launches; // and whether each stands in a template
};

Seen seenIn(clang::ASTContext &context);

// The numbers of a dim3 where its expression tells, as far as it is followed; 0 where not.
Sizes sizesOf(const clang::Expr *e, const clang::ASTContext &context, int depth = 0);

} // namespace nw
