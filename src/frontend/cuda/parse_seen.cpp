// A look through the file for kernels and launches.
#include "frontend/cuda/parse_seen.h"
#include "clang/AST/Attr.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;

namespace nw {

namespace {

class Collector : public RecursiveASTVisitor<Collector> {
public:
  Collector(ASTContext &context, Seen &seen) : context(context), seen(seen) {}
  bool shouldVisitTemplateInstantiations() const { return true; }
  bool VisitFunctionDecl(FunctionDecl *f) {
    const SourceManager &sources = context.getSourceManager();
    if (f->hasAttr<CUDAGlobalAttr>() && f->doesThisDeclarationHaveABody() && !f->isDependentContext() && sources.isInMainFile(sources.getExpansionLoc(f->getLocation())))
      seen.kernels.push_back(f);
    return true;
  }
  bool TraverseFunctionDecl(FunctionDecl *f) {
    int before = inTemplate;
    inTemplate += f->isDependentContext() || f->isTemplateInstantiation();
    bool more = RecursiveASTVisitor::TraverseFunctionDecl(f);
    inTemplate = before;
    return more;
  }
  bool VisitCUDAKernelCallExpr(CUDAKernelCallExpr *call) {
    seen.launches.push_back({call, inTemplate > 0});
    return true;
  }

private:
  ASTContext &context;
  Seen &seen;
  int inTemplate = 0;
};

} // namespace

Seen seenIn(ASTContext &context) {
  Seen seen;
  Collector(context, seen).TraverseDecl(context.getTranslationUnitDecl());
  return seen;
}

Sizes sizesOf(const clang::Expr *e, const ASTContext &context, int depth) {
  constexpr int kDeepest = 8;
  if (!e || depth > kDeepest)
    return {0, 0, 0};
  e = e->IgnoreUnlessSpelledInSource();
  auto number = [&](const clang::Expr *x) -> int64_t {
    clang::Expr::EvalResult r;
    return !x->isValueDependent() && x->EvaluateAsInt(r, context) ? r.Val.getInt().getExtValue() : 0;
  };
  if (e->getType()->isIntegralOrEnumerationType())
    return {number(e), 1, 1};
  if (const auto *c = dyn_cast<CXXConstructExpr>(e)) {
    if (c->getNumArgs() == 1 && c->getArg(0)->getType()->isRecordType())
      return sizesOf(c->getArg(0), context, depth + 1);
    Sizes all = {1, 1, 1};
    for (unsigned k = 0; k < c->getNumArgs() && k < 3; k++)
      all[k] = isa<CXXDefaultArgExpr>(c->getArg(k)) ? 1 : number(c->getArg(k));
    return all;
  }
  if (const auto *c = dyn_cast<CXXFunctionalCastExpr>(e))
    return sizesOf(c->getSubExpr(), context, depth + 1);
  if (const auto *d = dyn_cast<DeclRefExpr>(e))
    if (const auto *v = dyn_cast<VarDecl>(d->getDecl()))
      return sizesOf(v->getInit(), context, depth + 1);
  return {0, 0, 0};
}

} // namespace nw
