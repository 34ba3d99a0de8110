// Guards by additions to the text: A[i] becomes A[nw_guard_…(…, i)].
#include "frontend/c/guard_subscripts.h"
#include "frontend/c/acc_pragma.h"
#include "frontend/c/run_clang.h"
#include "frontend/c/source_additions.h"
#include "support/text.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Sema/SemaConsumer.h"
#include <filesystem>
#include <fmt/format.h>

using namespace clang;

namespace nw {

namespace {

// The driver sets the two functions; as long as it has not, nothing is guarded.
const char *const kGuards = R"(
void (*nw_guard_row_told)(long long extent, int line, const char *text, long long subscript);
void (*nw_guard_pointer_told)(const void *base, long long size, int line, const char *text, long long subscript);
static long long nw_guard_row(long long extent, int line, const char *text, long long subscript) {
  if ((subscript < 0 || subscript >= extent) && nw_guard_row_told)
    nw_guard_row_told(extent, line, text, subscript);
  return subscript;
}
static long long nw_guard_pointer(const void *base, long long size, int line, const char *text, long long subscript) {
  if (nw_guard_pointer_told)
    nw_guard_pointer_told(base, size, line, text, subscript);
  return subscript;
}
)";

class Guards {
public:
  explicit Guards(ASTContext &context)
      : context(context), sources(context.getSourceManager()), elements(context) {}

  // Everything that is evaluated when the statement runs. Initial values of static variables are
  // constants, operands of sizeof are not evaluated, and &a[n] touches nothing.
  void look(const clang::Stmt *s) {
    if (!s || isa<UnaryExprOrTypeTraitExpr>(s))
      return;
    if (const auto *d = dyn_cast<DeclStmt>(s))
      for (const Decl *x : d->decls())
        if (const auto *v = dyn_cast<VarDecl>(x); v && v->hasGlobalStorage())
          return;
    if (const auto *u = dyn_cast<UnaryOperator>(s); u && u->getOpcode() == UO_AddrOf)
      addressed = u->getSubExpr()->IgnoreParens();
    if (const auto *e = dyn_cast<ArraySubscriptExpr>(s); e && e != addressed)
      guard(e);
    for (const clang::Stmt *c : s->children())
      look(c);
  }

  std::string text(std::string source) { return elements.applied(std::move(source)); }

private:
  void guard(const ArraySubscriptExpr *e) {
    const clang::Expr *base = e->getBase()->IgnoreParens(), *subscript = e->getIdx();
    if (!elements.isHere(e->getSourceRange()) || !elements.isHere(subscript->getSourceRange()) ||
        e->getLHS() != e->getBase())
      return;
    std::string call;
    if (const auto *decay = dyn_cast<ImplicitCastExpr>(base);
        decay && decay->getCastKind() == CK_ArrayToPointerDecay)
      call = extentOf(decay->getSubExpr()->IgnoreParens());
    else if (const auto *name = dyn_cast<DeclRefExpr>(base->IgnoreParenImpCasts());
             name && base->getType()->isPointerType())
      call = fmt::format("pointer((const void *)({0}), (long long)sizeof(*({0}))",
                         name->getDecl()->getNameAsString());
    if (call.empty())
      return;
    order++;
    elements.add(elements.offsetOf(subscript->getBeginLoc()), order,
                 fmt::format("nw_guard_{}, {}, {}, (long long)(", call,
                             sources.getPresumedLineNumber(e->getBeginLoc()),
                             quotedForC(oneLine(elements.textOf(e->getSourceRange())))));
    elements.add(elements.endOf(subscript->getEndLoc()), -2 * order, "))");
  }

  // The beginning of a guard for a row of known extent; empty where there is none to name. Extents
  // that are computed are named without evaluating the subscripts before.
  std::string extentOf(const clang::Expr *array) const {
    if (const auto *fixed = context.getAsConstantArrayType(array->getType())) {
      bool mayBeLonger =
          isa<MemberExpr>(array) && fixed->getZExtSize() <= 1; // the last of a struct
      return mayBeLonger ? "" : fmt::format("row({}ll", fixed->getZExtSize());
    }
    if (!context.getAsVariableArrayType(array->getType()))
      return "";
    std::string zeros;
    while (const auto *s = dyn_cast<ArraySubscriptExpr>(array)) {
      zeros += "[0]";
      array = s->getBase()->IgnoreParenImpCasts();
    }
    const auto *name = dyn_cast<DeclRefExpr>(array);
    return name ? fmt::format("row((long long)(sizeof({0}{1}) / sizeof({0}{1}[0]))",
                              name->getDecl()->getNameAsString(), zeros)
                : "";
  }

  static std::string oneLine(std::string text) {
    for (char &c : text)
      if (c == '\n' || c == '\t' || c == '\r')
        c = ' ';
    return text;
  }

  ASTContext &context;
  SourceManager &sources;
  SourceAdditions elements;
  const clang::Expr *addressed = nullptr;
  int order = 0;
};

class GuardingConsumer : public SemaConsumer, public RecursiveASTVisitor<GuardingConsumer> {
public:
  GuardingConsumer(Preprocessor &preprocessor, const std::string &file, std::string &out)
      : preprocessor(preprocessor), file(file), out(out) {}

  void InitializeSema(Sema &) override { handler = replaceAccHandler(preprocessor, hints); }

  void HandleTranslationUnit(ASTContext &context) override {
    if (context.getDiagnostics().hasErrorOccurred())
      return;
    SourceManager &sources = context.getSourceManager();
    Guards made(context);
    guards = &made;
    TraverseDecl(context.getTranslationUnitDecl());
    out = kGuards + fmt::format("#line 1 {}\n", quotedForC(file)) +
          made.text(sources.getBufferData(sources.getMainFileID()).str());
  }

  bool VisitFunctionDecl(FunctionDecl *f) {
    SourceManager &sources = f->getASTContext().getSourceManager();
    if (f->doesThisDeclarationHaveABody() &&
        sources.isInMainFile(sources.getExpansionLoc(f->getLocation())))
      guards->look(f->getBody());
    return true;
  }

private:
  Preprocessor &preprocessor;
  const std::string &file;
  std::string &out;
  Guards *guards = nullptr;
  std::vector<LocatedHint> hints;
  std::unique_ptr<PragmaHandler> handler;
};

class GuardingAction : public ASTFrontendAction {
public:
  GuardingAction(const std::string &file, std::string &out) : file(file), out(out) {}
  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &compiler, StringRef) override {
    return std::make_unique<GuardingConsumer>(compiler.getPreprocessor(), file, out);
  }

private:
  std::string file;
  std::string &out;
};

} // namespace

std::optional<std::string> guardSubscripts(const ParseRequest &request) {
  std::string out;
  if (!runClang(request, std::make_unique<GuardingAction>(
                             std::filesystem::path(request.file).filename().string(), out)) ||
      out.empty())
    return std::nullopt;
  return out;
}

} // namespace nw
