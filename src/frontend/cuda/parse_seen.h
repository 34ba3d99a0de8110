// The kernels and launches of a CUDA file, before anything is made of them.
#pragma once
#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Lex/Preprocessor.h"
#include <array>
#include <optional>
#include <set>
#include <string>

namespace nw {

using Sizes = std::array<int64_t, 3>;

struct Seen {
  std::vector<const clang::FunctionDecl *> kernels; // definitions and concrete instances, in order
  std::vector<std::pair<const clang::CUDAKernelCallExpr *, bool>>
      launches; // and whether each stands in a template
};

Seen seenIn(clang::ASTContext &context);

// The numbers of a dim3 where its expression tells, as far as it is followed; 0 where not.
Sizes sizesOf(const clang::Expr *e, const clang::ASTContext &context, int depth = 0);

// What an expression is, as a number that means the same wherever it stands: nothing where it is no
// number and no null pointer.
std::optional<std::string> valueOf(const clang::Expr *e, const clang::ASTContext &context);

// Names that are macros somewhere in the file, but those of the system's headers, of the compiler
// and of what nestwarp writes.
std::set<std::string> macrosOf(const clang::Preprocessor &preprocessor);

} // namespace nw
