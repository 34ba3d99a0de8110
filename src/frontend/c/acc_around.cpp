// Variables in the clauses of directives around.
#include "frontend/c/acc_around.h"
#include "frontend/c/acc_reader.h"
#include "clang/AST/Expr.h"
#include "clang/AST/OpenACCClause.h"
#include <algorithm>
#include <functional>
#include <set>

using namespace clang;

namespace nw {

const VarDecl *variableOf(const clang::Expr *e) {
  while (true) {
    e = e->IgnoreParenImpCasts();
    if (const auto *s = dyn_cast<ArraySectionExpr>(e))
      e = s->getBase();
    else if (const auto *s = dyn_cast<ArraySubscriptExpr>(e))
      e = s->getBase();
    else
      break;
  }
  const auto *r = dyn_cast<DeclRefExpr>(e);
  const auto *v = r ? dyn_cast<VarDecl>(r->getDecl()) : nullptr;
  return v ? v->getCanonicalDecl() : nullptr;
}

namespace {

bool isSectionClause(const OpenACCClause *c) {
  return isa<OpenACCCopyClause, OpenACCCopyInClause, OpenACCCopyOutClause, OpenACCCreateClause,
             OpenACCPresentClause, OpenACCNoCreateClause>(c);
}

bool isZero(const clang::Expr *e, ASTContext &context) {
  clang::Expr::EvalResult r;
  return !e || (e->EvaluateAsInt(r, context) && r.Val.getInt() == 0);
}

// The length of the outermost section, where it begins at 0 and the ones inside of it, if there are
// any, are whole.
const clang::Expr *lengthOf(const clang::Expr *item, ASTContext &context) {
  const auto *s = dyn_cast<ArraySectionExpr>(item->IgnoreParenImpCasts());
  while (s)
    if (const auto *outer = dyn_cast<ArraySectionExpr>(s->getBase()->IgnoreParenImpCasts())) {
      if (!isZero(s->getLowerBound(), context) || s->getColonLocFirst().isInvalid() ||
          s->getLength())
        return nullptr; // less than whole rows, or as many columns as somebody says
      s = outer;
    } else
      break;
  return s && s->getColonLocFirst().isValid() && isZero(s->getLowerBound(), context)
             ? s->getLength()
             : nullptr;
}

// The same with rows of which the length is given and is that of the type.
const clang::Expr *lengthOfRows(const clang::Expr *item, ASTContext &context) {
  const auto *inner = dyn_cast<ArraySectionExpr>(item->IgnoreParenImpCasts());
  const auto *outer =
      inner ? dyn_cast<ArraySectionExpr>(inner->getBase()->IgnoreParenImpCasts()) : nullptr;
  if (!outer || isa<ArraySectionExpr>(outer->getBase()->IgnoreParenImpCasts()) ||
      !inner->getLength() || !isZero(inner->getLowerBound(), context))
    return nullptr;
  const VarDecl *v = variableOf(item);
  QualType row = v ? v->getType()->getPointeeType() : QualType();
  const ArrayType *a = row.isNull() ? nullptr : context.getAsArrayType(row);
  bool isWhole = false;
  clang::Expr::EvalResult r;
  if (const auto *k = dyn_cast_or_null<ConstantArrayType>(a))
    isWhole = inner->getLength()->EvaluateAsInt(r, context) &&
              r.Val.getInt().getExtValue() == k->getSize().getSExtValue();
  else if (const auto *k = dyn_cast_or_null<VariableArrayType>(a))
    isWhole = k->getSizeExpr() && variableOf(k->getSizeExpr()) &&
              variableOf(k->getSizeExpr()) == variableOf(inner->getLength());
  return isWhole ? lengthOf(outer, context) : nullptr;
}

} // namespace

const clang::Expr *lengthOf(const VarDecl *pointer,
                            std::span<const OpenACCConstructStmt *const> around,
                            ASTContext &context) {
  for (size_t k = around.size(); k-- > 0;)
    for (const OpenACCClause *c : around[k]->clauses())
      if (isSectionClause(c))
        for (const clang::Expr *e : cast<OpenACCClauseWithVarList>(c)->getVarList())
          if (variableOf(e) == pointer->getCanonicalDecl())
            if (const clang::Expr *length =
                    lengthOf(e, context) ? lengthOf(e, context) : lengthOfRows(e, context))
              return length;
  return nullptr;
}

int mentionsOf(const VarDecl *v, const clang::Stmt *s) {
  if (!s)
    return 0;
  const auto *r = dyn_cast<DeclRefExpr>(s);
  const auto *named = r ? dyn_cast<VarDecl>(r->getDecl()) : nullptr;
  int count = named && named->getCanonicalDecl() == v->getCanonicalDecl();
  for (const clang::Stmt *c : s->children())
    count += mentionsOf(v, c);
  return count;
}

namespace {

void localsOf(const clang::Stmt *s, std::set<const Decl *> &locals,
              std::set<const Decl *> &counters) {
  if (!s)
    return;
  if (const auto *d = dyn_cast<DeclStmt>(s))
    locals.insert(d->decl_begin(), d->decl_end());
  if (const auto *f = dyn_cast<ForStmt>(s))
    if (const auto *d = dyn_cast_or_null<DeclStmt>(f->getInit()))
      counters.insert(d->decl_begin(), d->decl_end());
  for (const clang::Stmt *c : s->children())
    localsOf(c, locals, counters);
}

} // namespace

bool isGathered(const VarDecl *pointer, const clang::Stmt *s) {
  std::set<const Decl *> locals, counters;
  localsOf(s, locals, counters);
  std::function<bool(const clang::Stmt *)> isLoose = [&](const clang::Stmt *x) -> bool {
    if (!x)
      return false;
    if (isa<ArraySubscriptExpr>(x))
      return true;
    if (const auto *r = dyn_cast<DeclRefExpr>(x);
        r && locals.count(r->getDecl()) && !counters.count(r->getDecl()))
      return true;
    return std::any_of(x->child_begin(), x->child_end(), isLoose);
  };
  int loose = 0;
  std::function<void(const clang::Stmt *)> look = [&](const clang::Stmt *x) {
    if (!x)
      return;
    if (const auto *a = dyn_cast<ArraySubscriptExpr>(x))
      if (const auto *r = dyn_cast<DeclRefExpr>(a->getBase()->IgnoreParenImpCasts()))
        if (const auto *v = dyn_cast<VarDecl>(r->getDecl());
            v && v->getCanonicalDecl() == pointer->getCanonicalDecl())
          loose += isLoose(a->getIdx());
    for (const clang::Stmt *c : x->children())
      look(c);
  };
  look(s);
  return loose == mentionsOf(pointer, s);
}

bool isWrittenIn(const VarDecl *v, const clang::Stmt *s) {
  // Reads are elements that become values; whatever else is done with the array may write it.
  std::function<int(const clang::Stmt *)> reads = [&](const clang::Stmt *x) -> int {
    if (!x)
      return 0;
    int count = 0;
    if (const auto *c = dyn_cast<ImplicitCastExpr>(x); c && c->getCastKind() == CK_LValueToRValue)
      if (const clang::Expr *e = c->getSubExpr(); isa<ArraySubscriptExpr>(e->IgnoreParens()))
        count += variableOf(e) == v->getCanonicalDecl();
    for (const clang::Stmt *c : x->children())
      count += reads(c);
    return count;
  };
  return mentionsOf(v, s) > reads(s);
}

namespace {

using Variables = std::set<const VarDecl *>;

// What needs no clause: counters of loops, what is declared in the construct, constants.
void predetermined(const clang::Stmt *s, Variables &out) {
  if (!s)
    return;
  if (const auto *d = dyn_cast<DeclStmt>(s))
    for (const Decl *x : d->decls())
      if (const auto *v = dyn_cast<VarDecl>(x))
        out.insert(v->getCanonicalDecl());
  if (const auto *f = dyn_cast<ForStmt>(s))
    if (const auto *b = dyn_cast_or_null<BinaryOperator>(f->getInit()); b && b->isAssignmentOp())
      if (const VarDecl *v = variableOf(b->getLHS()))
        out.insert(v);
  for (const clang::Stmt *c : s->children())
    predetermined(c, out);
}

class Search {
public:
  std::vector<Unnamed> found;

  // `named`: by clauses of data constructs around; `isAsked`: one of them says default(none).
  void look(const clang::Stmt *s, Variables named, bool isAsked) {
    if (!s)
      return;
    if (const auto *c = dyn_cast<OpenACCConstructStmt>(s)) {
      bool isCompute = isa<OpenACCComputeConstruct, OpenACCCombinedConstruct>(c);
      if (isCompute || isa<OpenACCDataConstruct>(c)) {
        names(c, named);
        for (const OpenACCClause *k : c->clauses())
          if (const auto *d = dyn_cast<OpenACCDefaultClause>(k))
            isAsked = d->getDefaultClauseKind() == OpenACCDefaultClauseKind::None;
      }
      if (isCompute && isAsked) {
        loops(statementOf(c), named);
        predetermined(statementOf(c), named);
        uses(statementOf(c), c, named);
      }
      if (isCompute)
        return;
      look(statementOf(c), named, isAsked);
      return;
    }
    for (const clang::Stmt *c : s->children())
      look(c, named, isAsked);
  }

private:
  static void names(const OpenACCConstructStmt *c, Variables &out) {
    for (const OpenACCClause *k : c->clauses())
      if (const auto *list = dyn_cast<OpenACCClauseWithVarList>(k))
        for (const clang::Expr *e : list->getVarList())
          if (const VarDecl *v = variableOf(e))
            out.insert(v);
  }

  // Clauses of loop directives inside name variables, too.
  static void loops(const clang::Stmt *s, Variables &out) {
    if (!s)
      return;
    if (const auto *l = dyn_cast<OpenACCLoopConstruct>(s))
      names(l, out);
    for (const clang::Stmt *c : s->children())
      loops(c, out);
  }

  void uses(const clang::Stmt *s, const OpenACCConstructStmt *construct, Variables &named) {
    if (!s)
      return;
    if (const auto *r = dyn_cast<DeclRefExpr>(s))
      if (const auto *v = dyn_cast<VarDecl>(r->getDecl()))
        if (bool isConstant = v->getType().isConstQualified() && !v->getType()->isArrayType();
            !isConstant && named.insert(v->getCanonicalDecl()).second)
          found.push_back({v, construct, r->getBeginLoc()});
    for (const clang::Stmt *c : s->children())
      uses(c, construct, named);
  }
};

} // namespace

std::vector<Unnamed> unnamedIn(const clang::Stmt *body) {
  Search search;
  search.look(body, {}, false);
  return std::move(search.found);
}

} // namespace nw
