// Runs Clang over a file and looks through every function for runs of statements that can be converted.
#include "frontend/c/convert.h"
#include "frontend/c/liveness.h"
#include "clang/AST/ASTConsumer.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendAction.h"
#include "clang/Lex/Lexer.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Tooling/Tooling.h"
#include "llvm/Support/VirtualFileSystem.h"

using namespace clang;

namespace nw {

namespace {

struct ScopMarks {
  std::vector<unsigned> begins, ends; // offsets in the main file
};

class ScopPragma : public PragmaHandler {
public:
  ScopPragma(const char *name, std::vector<unsigned> &offsets) : PragmaHandler(name), offsets(offsets) {}
  void HandlePragma(Preprocessor &p, PragmaIntroducer, Token &first) override {
    SourceManager &m = p.getSourceManager();
    if (m.isInMainFile(first.getLocation()))
      offsets.push_back(m.getFileOffset(m.getExpansionLoc(first.getLocation())));
    p.DiscardUntilEndOfDirective();
  }

private:
  std::vector<unsigned> &offsets;
};

// Looks through one function.
class FunctionScan {
public:
  FunctionScan(ASTContext &context, const FunctionDecl *function, const ScopMarks &marks, Watch *watch, ParsedFile &out)
      : context(context), sources(context.getSourceManager()), function(function), marks(marks), watch(watch), out(out) {}

  void run() { visit(function->getBody()); }

private:
  void visit(const clang::Stmt *s) {
    if (!s)
      return;
    if (const auto *b = dyn_cast<CompoundStmt>(s)) {
      list(b);
      return;
    }
    if (isa<ForStmt>(s)) { // a single statement without braces around
      if (!enter(s, true) && !outOfLimits(s))
        descend(s);
      close();
      return;
    }
    descend(s);
  }

  void descend(const clang::Stmt *s) {
    close();
    for (const clang::Stmt *c : s->children())
      if (c && !isa<clang::Expr>(c)) {
        path.push_back({s, c});
        visit(c);
        path.pop_back();
      }
  }

  void list(const CompoundStmt *b) {
    for (const clang::Stmt *s : b->body()) {
      path.push_back({b, s});
      bool taken = false;
      if (isa<ForStmt>(s))
        taken = enter(s, true);
      else if (canJoin(s))
        taken = enter(s, false);
      if (!taken) {
        close();
        visitBelow(s);
      }
      path.pop_back();
    }
    close();
  }

  void visitBelow(const clang::Stmt *s) {
    if (isa<clang::Expr>(s) || isa<DeclStmt>(s) || outOfLimits(s))
      return;
    if (isa<ForStmt>(s))
      descend(s);
    else
      visit(s);
  }

  // Whether a limit was reached: nothing more is taken then, and the outermost loops say so.
  bool outOfLimits(const clang::Stmt *s) {
    PresumedLoc p = sources.getPresumedLoc(sources.getExpansionLoc(s->getBeginLoc()), false);
    Location at = p.isValid() ? Location{int(p.getLine()), int(p.getColumn())} : Location{};
    std::optional<Diagnostic> reached = watch ? watch->reached(at) : std::nullopt;
    if (reached && isa<ForStmt>(s))
      out.diagnostics.push_back(*reached);
    return reached && isa<ForStmt>(s);
  }

  // Statements without loops may stand between loops: assignments, and ifs around loops.
  bool canJoin(const clang::Stmt *s) {
    if (const auto *e = dyn_cast<clang::Expr>(s)) {
      e = e->IgnoreParens();
      const auto *b = dyn_cast<BinaryOperator>(e);
      const auto *u = dyn_cast<UnaryOperator>(e);
      return (b && b->isAssignmentOp()) || (u && u->isIncrementDecrementOp());
    }
    return false;
  }

  // Where the text of a statement begins and ends in the main file, with its semicolon.
  std::optional<std::pair<unsigned, unsigned>> extent(const clang::Stmt *s) {
    CharSourceRange range = Lexer::makeFileCharRange(CharSourceRange::getTokenRange(s->getSourceRange()), sources, context.getLangOpts());
    if (range.isInvalid() || !sources.isInMainFile(range.getBegin()) || sources.isMacroArgExpansion(s->getBeginLoc()) || sources.isMacroArgExpansion(s->getEndLoc()))
      return std::nullopt;
    unsigned begin = sources.getFileOffset(range.getBegin()), end = sources.getFileOffset(range.getEnd());
    begin = beforePragmas(begin);
    const clang::Stmt *last = s;
    while (true) {
      if (const auto *f = dyn_cast<ForStmt>(last))
        last = f->getBody();
      else if (const auto *w = dyn_cast<WhileStmt>(last))
        last = w->getBody();
      else if (const auto *i = dyn_cast<IfStmt>(last))
        last = i->getElse() ? i->getElse() : i->getThen();
      else if (const auto *a = dyn_cast<AttributedStmt>(last))
        last = a->getSubStmt();
      else
        break;
    }
    if (isa<CompoundStmt>(last) || isa<NullStmt>(last))
      return std::make_pair(begin, end);
    std::optional<Token> next = Lexer::findNextToken(range.getEnd().getLocWithOffset(-1), sources, context.getLangOpts());
    if (!next || !next->is(tok::semi))
      return std::nullopt;
    end = sources.getFileOffset(next->getEndLoc());
    return std::make_pair(begin, end);
  }

  // A pragma right before a loop belongs to it: the text begins there.
  unsigned beforePragmas(unsigned begin) {
    StringRef text = sources.getBufferData(sources.getMainFileID());
    while (true) {
      unsigned line = begin;
      while (line > 0 && text[line - 1] != '\n')
        line--;
      if (line == 0 || !text.slice(line, begin).trim().empty())
        return begin;
      size_t previous = line - 1;
      while (previous > 0 && text[previous - 1] != '\n')
        previous--;
      StringRef above = text.slice(previous, line - 1).trim();
      if (!above.starts_with("#") || !above.drop_front().ltrim().starts_with("pragma") || above.contains("scop"))
        return begin;
      begin = unsigned(previous + text.slice(previous, line).find('#'));
    }
  }

  int markOf(unsigned offset) {
    for (size_t k = 0; k < marks.begins.size(); k++)
      if (marks.begins[k] < offset && (k >= marks.ends.size() || offset < marks.ends[k]))
        return int(k);
    return -1;
  }

  void report(const Refusal &r) {
    PresumedLoc p = sources.getPresumedLoc(sources.getExpansionLoc(r.at), false);
    Location at = p.isValid() ? Location{int(p.getLine()), int(p.getColumn())} : Location{};
    out.diagnostics.push_back({r.code, Severity::Remark, at, r.message, r.help});
  }

  // Converts the statement and adds it to the sequence being built; false when it cannot be taken.
  bool enter(const clang::Stmt *s, bool isLoop) {
    if (watch && watch->excess() != Watch::Excess::None)
      return false;
    if (!current)
      current = std::make_unique<Converter>(context, function);
    try {
      auto where = extent(s);
      if (!where)
        throw Refusal{"NW0109", "the loop begins or ends inside a macro", "let the macro contain the whole statement, or none of its ends", s->getBeginLoc()};
      int mark = markOf(where->first);
      if (!sequence.items.empty() && mark != currentMark) {
        close();
        current = std::make_unique<Converter>(context, function);
      }
      currentMark = mark;
      Item item;
      item.tree = current->convert(s);
      item.at = current->locate(s->getBeginLoc());
      item.hasLoop = isLoop;
      item.marked = mark >= 0;
      item.beginOffset = where->first;
      item.endOffset = where->second;
      for (auto &[name, v] : current->declarations()) {
        bool local = !v->hasGlobalStorage() && !v->getType()->isReferenceType();
        if (!local || current->isAddressTaken(v) || isLiveAfter(v, path))
          item.liveAfter.insert(name);
      }
      if (isLoop)
        item.countersAfter = countersAfter(s, item);
      sequence.items.push_back(std::move(item));
      return true;
    } catch (const Refusal &r) {
      if (isLoop)
        report(r);
      return false;
    }
  }

  // for headers without bodies, so that counters declared before the loop end with their right values.
  std::string countersAfter(const clang::Stmt *s, const Item &item) {
    const auto *f = cast<ForStmt>(s);
    std::function<bool(const clang::Stmt *)> declaresLater = [&](const clang::Stmt *t) -> bool {
      if (!t)
        return false;
      if (const auto *inner = dyn_cast<ForStmt>(t))
        if (needsAfter(inner, item))
          return true;
      for (const clang::Stmt *c : t->children())
        if (declaresLater(c))
          return true;
      return false;
    };
    if (!declaresLater(f))
      return "";
    std::string text = header(f);
    if (!declaresLater(f->getBody()))
      return text + ";";
    const clang::Stmt *body = f->getBody();
    std::string inner;
    if (const auto *b = dyn_cast<CompoundStmt>(body)) {
      for (const clang::Stmt *c : b->body()) {
        if (!declaresLater(c))
          continue;
        if (!isa<ForStmt>(c))
          throw Refusal{"NW0111", "the value of an inner loop's counter is used after the nest", "declare the counter in the for statement", c->getBeginLoc()};
        inner += countersAfter(c, item) + " ";
      }
    } else if (isa<ForStmt>(body)) {
      inner = countersAfter(body, item);
    } else {
      throw Refusal{"NW0111", "the value of an inner loop's counter is used after the nest", "declare the counter in the for statement", body->getBeginLoc()};
    }
    return text + " { " + inner + "}";
  }

  // Whether the header can be evaluated once more after the nest, with the same result: constants, counters, and
  // variables from outside that nobody assigns.
  bool dependsOnUnchanged(const clang::Stmt *s) {
    if (!s)
      return true;
    if (isa<ArraySubscriptExpr>(s) || isa<MemberExpr>(s) || isa<CallExpr>(s) || isa<DeclStmt>(s))
      return isa<DeclStmt>(s) && cast<DeclStmt>(s)->isSingleDecl() && isa<VarDecl>(cast<DeclStmt>(s)->getSingleDecl()) &&
             dependsOnUnchanged(cast<VarDecl>(cast<DeclStmt>(s)->getSingleDecl())->getInit());
    if (const auto *d = dyn_cast<DeclRefExpr>(s))
      if (const auto *v = dyn_cast<VarDecl>(d->getDecl())) {
        if (current->isCounter(v))
          return true;
        return !current->isInside(v) && !current->isModified(v) && !current->isAddressTaken(v) && (!v->hasGlobalStorage() || v->getType().isConstQualified());
      }
    for (const clang::Stmt *c : s->children())
      if (!dependsOnUnchanged(c))
        return false;
    return true;
  }

  bool needsAfter(const ForStmt *f, const Item &item) {
    const auto *b = dyn_cast_or_null<BinaryOperator>(f->getInit());
    const auto *d = b ? dyn_cast<DeclRefExpr>(b->getLHS()->IgnoreParens()) : nullptr;
    const auto *v = d ? dyn_cast<VarDecl>(d->getDecl()) : nullptr;
    return v && item.liveAfter.count(current->nameOf(v));
  }

  std::string header(const ForStmt *f) {
    CharSourceRange range = CharSourceRange::getTokenRange(f->getForLoc(), f->getRParenLoc());
    if (!dependsOnUnchanged(f->getInit()) || !dependsOnUnchanged(f->getCond()) || !dependsOnUnchanged(f->getInc()))
      throw Refusal{"NW0111", "the value of a loop's counter is used after the nest, and the loop's bounds may have changed by then", "declare the counter in the for statement", f->getForLoc()};
    if (f->getForLoc().isMacroID() || f->getRParenLoc().isMacroID())
      throw Refusal{"NW0109", "the loop's header stands in a macro and its counter is used later", "declare the counter in the for statement", f->getForLoc()};
    return Lexer::getSourceText(range, sources, context.getLangOpts()).str();
  }

  void close() {
    while (!sequence.items.empty() && !sequence.items.back().hasLoop)
      sequence.items.pop_back();
    size_t first = 0;
    while (first < sequence.items.size() && !sequence.items[first].hasLoop)
      first++;
    if (first < sequence.items.size()) {
      sequence.function = function->getNameAsString();
      sequence.variables = current->variables;
      sequence.structs = current->structs;
      sequence.functions = current->functions;
      out.sequences.push_back(std::move(sequence));
    }
    sequence = {};
    current.reset();
  }

  ASTContext &context;
  SourceManager &sources;
  const FunctionDecl *function;
  const ScopMarks &marks;
  Watch *watch;
  ParsedFile &out;
  std::vector<Enclosing> path;
  std::unique_ptr<Converter> current;
  Sequence sequence;
  int currentMark = -1;
};

class Consumer : public ASTConsumer, public RecursiveASTVisitor<Consumer> {
public:
  Consumer(const ParseRequest &request, const ScopMarks &marks, ParsedFile &out) : request(request), marks(marks), out(out) {}

  void HandleTranslationUnit(ASTContext &context) override {
    SourceManager &sources = context.getSourceManager();
    out.source = sources.getBufferData(sources.getMainFileID()).str();
    out.isCxx = context.getLangOpts().CPlusPlus;
    if (context.getDiagnostics().hasErrorOccurred())
      return;
    TraverseDecl(context.getTranslationUnitDecl());
  }

  bool VisitFunctionDecl(FunctionDecl *f) {
    ASTContext &context = f->getASTContext();
    if (!f->doesThisDeclarationHaveABody() || f->isConstexpr() || f->isDependentContext() || f->isTemplateInstantiation() ||
        !context.getSourceManager().isInMainFile(context.getSourceManager().getExpansionLoc(f->getLocation())))
      return true;
    out.functionsSeen.push_back(f->getNameAsString());
    try {
      out.signatures.push_back(Converter(context, f).signature());
    } catch (const Refusal &) { // nobody outside can call it for us; its nests are looked at all the same
    }
    if (request.function.empty() || request.function == f->getNameAsString())
      FunctionScan(context, f, marks, request.watch, out).run();
    return true;
  }

private:
  const ParseRequest &request;
  const ScopMarks &marks;
  ParsedFile &out;
};

class Action : public ASTFrontendAction {
public:
  Action(const ParseRequest &request, ParsedFile &out) : request(request), out(out) {}

  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &compiler, StringRef) override {
    compiler.getPreprocessor().AddPragmaHandler(new ScopPragma("scop", marks.begins));
    compiler.getPreprocessor().AddPragmaHandler(new ScopPragma("endscop", marks.ends));
    return std::make_unique<Consumer>(request, marks, out);
  }

private:
  const ParseRequest &request;
  ParsedFile &out;
  ScopMarks marks;
};

} // namespace

ParsedFile parseC(const ParseRequest &request) {
  ParsedFile out;
  out.file = request.file;
  std::vector<std::string> line = {"clang-tool", "-fbracket-depth=100000"}; // the stack is deep; the user may say less
  line.insert(line.end(), request.arguments.begin(), request.arguments.end());
  line.insert(line.end(), {"-w", "-fsyntax-only", "-resource-dir", NESTWARP_CLANG_RESOURCES, request.file});
  auto visible = llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(llvm::vfs::getRealFileSystem());
  if (request.text) {
    auto given = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
    given->addFile(request.file, 0, llvm::MemoryBuffer::getMemBufferCopy(*request.text));
    visible->pushOverlay(given);
  }
  IntrusiveRefCntPtr<FileManager> files(new FileManager(FileSystemOptions(), visible));
  tooling::ToolInvocation invocation(line, std::make_unique<Action>(request, out), files.get());
  out.failed = !invocation.run();
  return out;
}

} // namespace nw
