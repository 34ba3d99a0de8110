// Recording by additions to the text.
#include "frontend/c/record_accesses.h"
#include "frontend/c/acc_pragma.h"
#include "frontend/c/acc_reader.h"
#include "frontend/c/run_clang.h"
#include "frontend/c/source_additions.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Sema/SemaConsumer.h"
#include <algorithm>
#include <fmt/format.h>

using namespace clang;

namespace nw {

namespace {

enum class Use { Read = 1, Write = 2, Both = 3 };

class Recorder {
public:
  Recorder(ASTContext &context, RecordedSource &out)
      : context(context), sources(context.getSourceManager()), out(out), elements(context) {}

  void look(const clang::Stmt *s) {
    if (!s)
      return;
    if (const auto *c = dyn_cast<OpenACCConstructStmt>(s);
        c && isa<OpenACCLoopConstruct, OpenACCCombinedConstruct>(c)) {
      openacc::Directive d = readDirective(c, context);
      if (promiseOf(c, d) == Promise::Independent)
        for (const ForStmt *f : loopsOf(c, d))
          promised.insert(f);
      for (const OpenACCClause *clause : c->clauses())
        if (const auto *p = dyn_cast<OpenACCPrivateClause>(clause))
          for (const clang::Expr *e : p->getVarList())
            if (const auto *r = dyn_cast<DeclRefExpr>(e->IgnoreParenImpCasts()))
              own.insert(r->getDecl());
    }
    const auto *f = dyn_cast<ForStmt>(s);
    bool isPromised = f && promised.count(f) && loop(f);
    depth += isPromised;
    if (const auto *d = dyn_cast<DeclStmt>(s); d && depth > 0)
      for (const Decl *x : d->decls())
        own.insert(x);
    if (const auto *e = dyn_cast<clang::Expr>(s); e && depth > 0)
      access(e);
    for (const clang::Stmt *c : s->children())
      look(c);
    depth -= isPromised;
  }

  std::string text(std::string source) { return elements.applied(std::move(source)); }

private:
  unsigned endOfStatement(const clang::Stmt *s) const {
    const clang::Stmt *last = lastOf(s);
    if (!isa<CompoundStmt, NullStmt>(last))
      if (std::optional<Token> next =
              Lexer::findNextToken(last->getEndLoc(), sources, context.getLangOpts());
          next && next->is(tok::semi))
        return elements.offsetOf(next->getEndLoc());
    return elements.endOf(last->getEndLoc());
  }

  bool loop(const ForStmt *f) {
    const clang::Stmt *body = withoutDirectives(f->getBody());
    if (!elements.isHere({f->getForLoc(), f->getRParenLoc()}) ||
        !elements.isHere({body->getBeginLoc(), lastOf(body)->getEndLoc()}))
      return false;
    const VarDecl *counter = nullptr;
    if (const auto *d = dyn_cast_or_null<DeclStmt>(f->getInit()); d && d->isSingleDecl())
      counter = dyn_cast<VarDecl>(d->getSingleDecl());
    else if (const auto *b = dyn_cast_or_null<BinaryOperator>(f->getInit()))
      if (const auto *r = dyn_cast<DeclRefExpr>(b->getLHS()->IgnoreParens()))
        counter = dyn_cast<VarDecl>(r->getDecl());
    if (!counter)
      return false;
    out.loops++;
    std::string name = counter->getNameAsString();
    int line = int(sources.getPresumedLineNumber(f->getForLoc()));
    unsigned end = endOfStatement(f);
    int inner = -2 * ++order; // a later loop is an inner one, or stands elsewhere
    elements.add(elements.offsetOf(f->getForLoc()), 1000000 + order,
                 fmt::format("{{ nw_promise_enter({}, \"{}\"); ", line, name));
    elements.add(elements.offsetOf(body->getBeginLoc()), order,
                 fmt::format("{{ nw_promise_iterate((long long)({})); ", name));
    elements.add(end, inner - 1, " }");
    elements.add(end, inner, " nw_promise_leave(); }");
    return true;
  }

  // What an expression does to the lvalues directly in it.
  void access(const clang::Expr *e) {
    if (const auto *b = dyn_cast<BinaryOperator>(e); b && b->isAssignmentOp())
      element(b->getLHS(), b->isCompoundAssignmentOp() ? Use::Both : Use::Write);
    else if (const auto *u = dyn_cast<UnaryOperator>(e); u && u->isIncrementDecrementOp())
      element(u->getSubExpr(), Use::Both);
    else if (const auto *c = dyn_cast<ImplicitCastExpr>(e);
             c && c->getCastKind() == CK_LValueToRValue)
      element(c->getSubExpr(), Use::Read);
  }

  // A[i][j] or p[i].x: recorded where it is at least one subscript into memory that outlives an
  // iteration.
  void element(const clang::Expr *given, Use use) {
    const clang::Expr *e = given->IgnoreParens();
    std::string path, arguments;
    const clang::Expr *root = e;
    int subscripts = 0;
    while (true) {
      root = root->IgnoreParenImpCasts();
      if (const auto *s = dyn_cast<ArraySubscriptExpr>(root)) {
        path = "[%lld]" + path;
        arguments =
            fmt::format(", (long long)({})", elements.textOf(s->getIdx()->getSourceRange())) +
            arguments;
        root = s->getBase();
        subscripts++;
      } else if (const auto *m = dyn_cast<MemberExpr>(root); m && !m->isArrow()) {
        path = "." + m->getMemberDecl()->getNameAsString() + path;
        root = m->getBase();
      } else
        break;
    }
    if (subscripts == 0)
      return;
    if (const auto *r = dyn_cast<DeclRefExpr>(root);
        r && own.count(r->getDecl()) && !r->getDecl()->getType()->isPointerType())
      return;
    if (!elements.isHere(e->getSourceRange()) || e->refersToBitField()) {
      out.unseen++;
      return;
    }
    std::string name = elements.textOf(root->getSourceRange()),
                whole = elements.textOf(e->getSourceRange());
    order++;
    elements.add(elements.offsetOf(e->getBeginLoc()), order,
                 fmt::format("(*(__typeof__({}) *)nw_promise_touch((void *)&(", whole));
    elements.add(elements.endOf(e->getEndLoc()), -2 * order,
                 fmt::format("), {}, \"{}{}\"{}))", int(use), name, path, arguments));
  }

  ASTContext &context;
  SourceManager &sources;
  RecordedSource &out;
  SourceAdditions elements;
  std::set<const clang::Stmt *> promised;
  std::set<const Decl *> own; // declared in promised loops, or private to them
  int depth = 0, order = 0;
};

class RecordingConsumer : public SemaConsumer, public RecursiveASTVisitor<RecordingConsumer> {
public:
  RecordingConsumer(Preprocessor &preprocessor, RecordedSource &out)
      : preprocessor(preprocessor), out(out) {}

  void InitializeSema(Sema &) override { handler = replaceAccHandler(preprocessor, hints); }

  void HandleTranslationUnit(ASTContext &context) override {
    SourceManager &sources = context.getSourceManager();
    out.text = sources.getBufferData(sources.getMainFileID()).str();
    if (context.getDiagnostics().hasErrorOccurred())
      return;
    Recorder made(context, out);
    recorder = &made;
    TraverseDecl(context.getTranslationUnitDecl());
    out.text = made.text(out.text);
  }

  bool VisitFunctionDecl(FunctionDecl *f) {
    SourceManager &sources = f->getASTContext().getSourceManager();
    if (f->doesThisDeclarationHaveABody() &&
        sources.isInMainFile(sources.getExpansionLoc(f->getLocation())))
      recorder->look(f->getBody());
    return true;
  }

private:
  Preprocessor &preprocessor;
  RecordedSource &out;
  Recorder *recorder = nullptr;
  std::vector<LocatedHint> hints;
  std::unique_ptr<PragmaHandler> handler;
};

class RecordingAction : public ASTFrontendAction {
public:
  explicit RecordingAction(RecordedSource &out) : out(out) {}
  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &compiler, StringRef) override {
    return std::make_unique<RecordingConsumer>(compiler.getPreprocessor(), out);
  }

private:
  RecordedSource &out;
};

} // namespace

RecordedSource recordAccesses(const ParseRequest &request) {
  RecordedSource out;
  out.failed = !runClang(request, std::make_unique<RecordingAction>(out));
  return out;
}

} // namespace nw
