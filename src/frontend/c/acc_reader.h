// Clang's OpenACC nodes as plain values (frontend/openacc/directives.h), and the way from a
// directive to its loop.
#pragma once
#include "frontend/openacc/directives.h"
#include "ir/tree.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/StmtOpenACC.h"

namespace nw {

// Everything but the function's name.
openacc::Directive readDirective(const clang::OpenACCConstructStmt *s, clang::ASTContext &context);

// What it promises about its loops, and which these are: as many as collapse and tile say,
// outermost first; fewer where they do not stand directly inside each other.
Promise promiseOf(const clang::OpenACCConstructStmt *s, const openacc::Directive &directive);
std::vector<const clang::ForStmt *> loopsOf(const clang::OpenACCConstructStmt *s,
                                            const openacc::Directive &directive);

// The statement that a directive belongs to; nullptr for one that stands alone. Directives in front
// of it are not skipped.
const clang::Stmt *statementOf(const clang::OpenACCConstructStmt *s);
// The statement without the directives in front of it.
const clang::Stmt *withoutDirectives(const clang::Stmt *s);
// The for statement behind compute and loop directives; nullptr where there is something else.
const clang::ForStmt *loopBelow(const clang::Stmt *s);
// Whether a compute construct, or a directive about data, stands in the statement or below it.
bool hasConstruct(const clang::Stmt *s);
// Where a statement really ends: the last statement of the ones inside each other. Clang ends a
// loop whose body has a directive at that directive.
const clang::Stmt *lastOf(const clang::Stmt *s);

} // namespace nw
