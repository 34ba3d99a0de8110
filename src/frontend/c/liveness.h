// Whether a local variable may still be read after a statement: a walk outwards through the
// enclosing statements.
#pragma once
#include "clang/AST/Decl.h"
#include "clang/AST/Stmt.h"
#include <vector>

namespace nw {

// One step from the function's body down to a statement: `parent` holds `child`.
struct Enclosing {
  const clang::Stmt *parent, *child;
};

// True unless it is certain that `v` is written before it is read, or never touched, after the
// innermost child.
bool isLiveAfter(const clang::VarDecl *v, const std::vector<Enclosing> &path);

} // namespace nw
