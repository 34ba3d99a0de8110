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

// The driver sets the two functions; as long as it has not, nothing is guarded. What it tells of
// the pointer of a subscript is kept there until its next call (it counts them), since loops ask
// for it again and again.
const char *const kGuards = R"(
#ifdef _OPENMP
#define NW_GUARD_STORAGE static __thread
#else
#define NW_GUARD_STORAGE static
#endif
void (*nw_guard_row_told)(long long extent, int line, const char *text, long long subscript);
void (*nw_guard_pointer_told)(const void *base, long long size, int line, const char *text, long long subscript, long long *known);
unsigned nw_guard_calls;
NW_GUARD_STORAGE struct { unsigned call; const void *base; long long known[2]; } nw_guarded[NW_GUARDS];
static __attribute__((noinline)) void nw_guard_anew(int here, const void *base, long long size, int line, const char *text, long long subscript) {
  if (!nw_guard_pointer_told)
    return;
  nw_guarded[here].call = 0;
  nw_guard_pointer_told(base, size, line, text, subscript, nw_guarded[here].known);
  nw_guarded[here].base = base;
  nw_guarded[here].call = nw_guard_calls;
}
static inline __attribute__((always_inline)) long long nw_guard_pointer(int here, const void *base, long long size, int line, const char *text, long long subscript) {
  if (__builtin_expect(nw_guarded[here].base != base || subscript < nw_guarded[here].known[0] || subscript > nw_guarded[here].known[1] || nw_guarded[here].call != nw_guard_calls, 0))
    nw_guard_anew(here, base, size, line, text, subscript);
  return subscript;
}
static void nw_guard_known(const void *base, long long size, long long *first, long long *last) {
  long long known[2] = {-1 - 0x7fffffffffffffffll, 0x7fffffffffffffffll};
  if (nw_guard_pointer_told)
    nw_guard_pointer_told(base, size, 0, 0, 0, known);
  *first = known[0];
  *last = known[1];
}
static __attribute__((noinline, noreturn, cold)) void nw_guard_outside(const void *base, long long size, int line, const char *text, long long subscript) {
  long long known[2];
  nw_guard_pointer_told(base, size, line, text, subscript, known);
  __builtin_unreachable();
}
static inline __attribute__((always_inline)) long long nw_guard_argument(long long first, long long last, const void *base, long long size, int line, const char *text, long long subscript) {
  if (__builtin_expect(subscript < first || subscript > last, 0))
    nw_guard_outside(base, size, line, text, subscript);
  return subscript;
}
static __attribute__((noinline, noreturn, cold)) void nw_guard_beyond(long long extent, int line, const char *text, long long subscript) {
  nw_guard_row_told(extent, line, text, subscript);
  __builtin_unreachable();
}
static inline __attribute__((always_inline)) long long nw_guard_row(long long extent, int line, const char *text, long long subscript) {
  if (__builtin_expect((subscript < 0 || subscript >= extent) && nw_guard_row_told, 0))
    nw_guard_beyond(extent, line, text, subscript);
  return subscript;
}
)";

class Guards {
public:
  explicit Guards(ASTContext &context)
      : context(context), sources(context.getSourceManager()), elements(context) {}

  // Guards what the function's body touches. OpenMP's default(none) allows no variables of ours.
  void lookAtFunction(const FunctionDecl *f) {
    const auto *body = dyn_cast<CompoundStmt>(f->getBody());
    steady.clear();
    asked.clear();
    bool saysWhatIsShared = elements.textOf(f->getSourceRange()).find("none") != std::string::npos;
    if (body && elements.isHere(SourceRange(body->getLBracLoc())) && !saysWhatIsShared)
      steady.insert(f->param_begin(), f->param_end());
    noteChanges(f->getBody(), false);
    look(f->getBody());
    for (const std::string &name : asked)
      elements.add(elements.endOf(body->getLBracLoc()), ++order,
                   fmt::format(" long long nw_first_{0}, nw_last_{0}; nw_guard_known((const void "
                               "*)({0}), (long long)sizeof(*({0})), &nw_first_{0}, &nw_last_{0});",
                               name));
  }

  std::string text(const std::string &line, std::string source) {
    return fmt::format("#define NW_GUARDS {}", std::max(1, pointers)) + kGuards + line +
           elements.applied(std::move(source));
  }

private:
  // Arguments that are more than read.
  void noteChanges(const clang::Stmt *s, bool isRead) {
    if (!s)
      return;
    if (const auto *name = dyn_cast<DeclRefExpr>(s); name && !isRead)
      steady.erase(dyn_cast<ParmVarDecl>(name->getDecl()));
    const auto *cast = dyn_cast<ImplicitCastExpr>(s);
    isRead = (isRead && isa<ParenExpr>(s)) || (cast && cast->getCastKind() == CK_LValueToRValue);
    for (const clang::Stmt *c : s->children())
      noteChanges(c, isRead);
  }

  bool isSteady(const DeclRefExpr &name) const {
    const auto *argument = dyn_cast<ParmVarDecl>(name.getDecl());
    return argument && steady.count(argument) && !name.refersToEnclosingVariableOrCapture();
  }

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
             name && base->getType()->isPointerType() && isSteady(*name))
      call = fmt::format("argument(nw_first_{0}, nw_last_{0}, (const void *)({0}), (long "
                         "long)sizeof(*({0}))",
                         asked.insert(name->getDecl()->getNameAsString()).first->c_str());
    else if (name && base->getType()->isPointerType())
      call = fmt::format("pointer({1}, (const void *)({0}), (long long)sizeof(*({0}))",
                         name->getDecl()->getNameAsString(), pointers++);
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
  int order = 0, pointers = 0;
  std::set<const ParmVarDecl *> steady; // arguments of the function that it does not change
  std::set<std::string> asked;          // those of them that are guarded
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
    out = made.text(fmt::format("#line 1 {}\n", quotedForC(file)),
                    sources.getBufferData(sources.getMainFileID()).str());
  }

  bool VisitFunctionDecl(FunctionDecl *f) {
    SourceManager &sources = f->getASTContext().getSourceManager();
    if (f->doesThisDeclarationHaveABody() && !f->isConstexpr() &&
        sources.isInMainFile(sources.getExpansionLoc(f->getLocation())))
      guards->lookAtFunction(f);
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
