// What the directives around a nest say of its variables: how long pointers are, and whether all
// are named where default(none) asks for it.
#pragma once
#include "clang/AST/Decl.h"
#include "clang/AST/StmtOpenACC.h"
#include <span>
#include <vector>

namespace nw {

// The variable at the bottom of an item of a clause, A of A[0:n]; nullptr where it is no plain
// variable.
const clang::VarDecl *variableOf(const clang::Expr *item);

// How many elements a pointer has by the data clauses of these constructs, innermost last: n of
// copy(p[0:n]). Nothing where none begins at its first element, or where the section has less than
// whole rows.
const clang::Expr *lengthOf(const clang::VarDecl *pointer,
                            std::span<const clang::OpenACCConstructStmt *const> around,
                            clang::ASTContext &context);

// Whether each use of the pointer in the statement has a first subscript that comes from memory, or
// from a local variable: p[key[i]]. What p[i] touches is known as it is, and need not be what a
// clause says.
bool isGathered(const clang::VarDecl *pointer, const clang::Stmt *s);

// How often the statement mentions the variable.
int mentionsOf(const clang::VarDecl *v, const clang::Stmt *s);

// Whether an element of the array may be written in the statement: it is assigned to, or handed on.
bool isWrittenIn(const clang::VarDecl *array, const clang::Stmt *s);

// A variable of a compute construct under default(none) that no clause of it, or of a data
// construct around it, names.
struct Unnamed {
  const clang::VarDecl *variable;
  const clang::OpenACCConstructStmt *construct;
  clang::SourceLocation at; // its first use
};

std::vector<Unnamed> unnamedIn(const clang::Stmt *body);

} // namespace nw
