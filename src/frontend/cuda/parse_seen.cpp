// A look through the file for kernels and launches.
#include "frontend/cuda/parse_seen.h"
#include "clang/AST/Attr.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/MacroInfo.h"
#include <fmt/format.h>

using namespace clang;

namespace nw {

namespace {

class Collector : public RecursiveASTVisitor<Collector> {
public:
  Collector(ASTContext &context, Seen &seen) : context(context), seen(seen) {}
  bool shouldVisitTemplateInstantiations() const { return true; }
  bool VisitFunctionDecl(FunctionDecl *f) {
    const SourceManager &sources = context.getSourceManager();
    if (f->hasAttr<CUDAGlobalAttr>() && f->doesThisDeclarationHaveABody() &&
        !f->isDependentContext() && sources.isInMainFile(sources.getExpansionLoc(f->getLocation())))
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
    return !x->isValueDependent() && x->EvaluateAsInt(r, context) ? r.Val.getInt().getExtValue()
                                                                  : 0;
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

std::optional<std::string> valueOf(const clang::Expr *e, const ASTContext &context) {
  clang::Expr::EvalResult r;
  if (e->isValueDependent() || e->getType()->isEnumeralType() || !e->EvaluateAsRValue(r, context) ||
      r.HasSideEffects)
    return std::nullopt;
  if (e->getType()->isPointerType() && r.Val.isNullPointer())
    return "0";
  if (r.Val.isInt()) {
    bool isUnsigned = r.Val.getInt().isUnsigned();
    if (!isUnsigned && r.Val.getInt().isMinSignedValue())
      return fmt::format("(-{}LL - 1)", INT64_MAX >> (64 - r.Val.getInt().getBitWidth()));
    return fmt::format("{}{}", llvm::toString(r.Val.getInt(), 10),
                       r.Val.getInt().getSignificantBits() <= 32 ? isUnsigned ? "u" : ""
                       : isUnsigned                              ? "ULL"
                                                                 : "LL");
  }
  if (r.Val.isFloat() && r.Val.getFloat().isFinite() &&
      (e->getType()->isSpecificBuiltinType(BuiltinType::Float) ||
       e->getType()->isSpecificBuiltinType(BuiltinType::Double))) {
    bool isSingle = e->getType()->isSpecificBuiltinType(BuiltinType::Float);
    double value =
        isSingle ? r.Val.getFloat().convertToFloat() : r.Val.getFloat().convertToDouble();
    std::string text = isSingle ? fmt::format("{}", float(value)) : fmt::format("{}", value);
    return text + (text.find_first_of(".e") == std::string::npos ? ".0" : "") +
           (isSingle ? "f" : "");
  }
  return std::nullopt;
}

std::set<std::string> macrosOf(const Preprocessor &preprocessor) {
  std::set<std::string> names;
  const SourceManager &sources = preprocessor.getSourceManager();
  for (const auto &[identifier, state] : preprocessor.macros())
    for (const MacroDirective *d = state.getLatest(); d; d = d->getPrevious())
      if (const auto *defined = dyn_cast<DefMacroDirective>(d))
        if (SourceLocation at = defined->getInfo()->getDefinitionLoc();
            at.isValid() && !defined->getInfo()->isBuiltinMacro() &&
            !sources.isInSystemHeader(at) && !sources.isWrittenInBuiltinFile(at) &&
            !identifier->getName().starts_with("__") &&
            !identifier->getName().starts_with_insensitive("nw_"))
          names.insert(identifier->getName().str());
  return names;
}

} // namespace nw
