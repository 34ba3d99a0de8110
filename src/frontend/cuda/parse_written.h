// Bodies of kernels, and of the functions that they call, as trees of what is written.
#pragma once
#include "ir/written_kernel.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include <map>

namespace nw {

// Thrown where a body has something that cannot be followed.
struct Unread {
  std::string why;
  clang::SourceLocation at;
};

class WrittenReader {
public:
  WrittenReader(clang::ASTContext &context, written::Kernel &out)
      : context(context), sources(context.getSourceManager()), out(out) {}

  // Reads the kernel's body, and those of functions that it calls. Throws Unread.
  void read(const clang::FunctionDecl *kernel);
  // A location in the main file, and how many columns of its line belong to it; line 0 for
  // locations elsewhere.
  std::pair<Location, int> locate(clang::SourceRange range) const;

private:
  written::NodeP statement(const clang::Stmt *s);
  written::NodeP loop(const clang::Stmt *s);
  written::NodeP declarations(const clang::DeclStmt *s);
  written::NodeP value(const clang::Expr *e);
  written::NodeP castValue(const clang::CastExpr *e);
  written::NodeP unaryValue(const clang::UnaryOperator *u);
  written::NodeP binaryValue(const clang::BinaryOperator *b);
  written::NodeP callValue(const clang::CallExpr *c);
  written::NodeP lvalue(const clang::Expr *e);
  written::NodeP loaded(written::NodeP from, const clang::Expr *e);
  written::NodeP threadIndex(const clang::Expr *e) const;
  written::Node node(written::Kind kind, const clang::Stmt *s,
                     std::vector<written::NodeP> args = {}) const;
  written::NodeP lvalueNode(written::Kind kind, const clang::Expr *e,
                            std::vector<written::NodeP> args) const;
  written::NodeP others(const clang::Stmt *s);
  int64_t bytesOf(clang::QualType t) const;
  int variable(const clang::VarDecl *v);
  int function(const clang::FunctionDecl *f);

  clang::ASTContext &context;
  clang::SourceManager &sources;
  written::Kernel &out;
  std::map<const clang::VarDecl *, int> variables;
  std::map<const clang::FunctionDecl *, int> functions;
};

} // namespace nw
