// Structured liveness. Jumps make it give up, on the safe side.
#include "frontend/c/liveness.h"
#include "clang/AST/Expr.h"
#include "clang/AST/StmtOpenACC.h"

using namespace clang;

namespace nw {

enum class First { Nothing, Write, Read, Unknown };

static bool refersTo(const clang::Stmt *s, const VarDecl *v) {
  if (!s)
    return false;
  if (const auto *d = dyn_cast<DeclRefExpr>(s))
    if (d->getDecl() == v)
      return true;
  if (const auto *d = dyn_cast<DeclStmt>(s))
    for (const Decl *decl : d->decls())
      if (const auto *x = dyn_cast<VarDecl>(decl)) {
        if (refersTo(x->getInit(), v))
          return true;
        // the extents of a variable-length array
        QualType t = x->getType();
        while (const auto *a = dyn_cast_or_null<VariableArrayType>(t->getAsArrayTypeUnsafe())) {
          if (refersTo(a->getSizeExpr(), v))
            return true;
          t = a->getElementType();
        }
      }
  if (const auto *directive = dyn_cast<OpenACCConstructStmt>(s))
    for (const OpenACCClause *clause : directive->clauses())
      for (const clang::Stmt *c : clause->children())
        if (refersTo(c, v))
          return true;
  for (const clang::Stmt *c : s->children())
    if (refersTo(c, v))
      return true;
  return false;
}

static bool jumps(const clang::Stmt *s) {
  if (!s)
    return false;
  if (isa<BreakStmt>(s) || isa<ContinueStmt>(s) || isa<GotoStmt>(s) || isa<ReturnStmt>(s) ||
      isa<SwitchCase>(s) || isa<LabelStmt>(s))
    return true;
  for (const clang::Stmt *c : s->children())
    if (jumps(c))
      return true;
  return false;
}

static bool writes(const clang::Stmt *s, const VarDecl *v) {
  const auto *e = dyn_cast_or_null<clang::Expr>(s);
  const auto *b = e ? dyn_cast<BinaryOperator>(e->IgnoreParens()) : nullptr;
  if (!b || b->getOpcode() != BO_Assign || refersTo(b->getRHS(), v))
    return false;
  const auto *d = dyn_cast<DeclRefExpr>(b->getLHS()->IgnoreParens());
  return d && d->getDecl() == v;
}

static First firstUse(const clang::Stmt *s, const VarDecl *v) {
  if (!s)
    return First::Nothing;
  if (!refersTo(s, v))
    return isa<ReturnStmt>(s) ? First::Write : jumps(s) ? First::Unknown : First::Nothing;
  if (writes(s, v))
    return First::Write;
  if (const auto *f = dyn_cast<ForStmt>(s)) {
    if (writes(f->getInit(), v))
      return First::Write;
    if (refersTo(f->getInit(), v) || refersTo(f->getCond(), v) || refersTo(f->getInc(), v))
      return First::Read;
    // A body that sets it first reads nothing from before; but perhaps it never runs.
    First inside = firstUse(f->getBody(), v);
    return inside == First::Write ? First::Nothing : inside;
  }
  if (const auto *b = dyn_cast<CompoundStmt>(s)) {
    for (const clang::Stmt *c : b->body())
      if (First r = firstUse(c, v); r != First::Nothing)
        return r;
    return First::Nothing;
  }
  return First::Read;
}

bool isLiveAfter(const VarDecl *v, const std::vector<Enclosing> &path) {
  for (size_t k = path.size(); k-- > 0;) {
    const auto &[parent, child] = path[k];
    if (const auto *b = dyn_cast<CompoundStmt>(parent)) {
      bool after = false;
      for (const clang::Stmt *s : b->body()) {
        if (after) {
          First r = firstUse(s, v);
          if (r == First::Write)
            return false;
          if (r == First::Read)
            return true;
          if (r == First::Unknown)
            return true; // a jump: it may lead anywhere
        }
        after |= s == child;
      }
    } else if (const auto *f = dyn_cast<ForStmt>(parent)) {
      for (const clang::Stmt *s : {static_cast<const clang::Stmt *>(f->getInc()),
                                   static_cast<const clang::Stmt *>(f->getCond()), f->getBody()}) {
        First r = firstUse(s, v);
        if (r == First::Read || r == First::Unknown)
          return true;
        if (r == First::Write)
          break;
      }
    } else if (isa<WhileStmt>(parent) || isa<DoStmt>(parent)) {
      if (refersTo(parent, v))
        return true;
    } else if (isa<SwitchStmt>(parent) || isa<LabelStmt>(parent)) {
      return true;
    }
  }
  return false;
}

} // namespace nw
