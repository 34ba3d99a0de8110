// Runs Clang over a file and looks through every function for runs of statements that can be
// converted.
// Over 500 lines: one scan of a function; what it has found so far decides what comes next.
#include "frontend/c/acc_addresses.h"
#include "frontend/c/acc_around.h"
#include "frontend/c/acc_branches.h"
#include "frontend/c/acc_pragma.h"
#include "frontend/c/acc_reader.h"
#include "frontend/c/convert.h"
#include "frontend/c/liveness.h"
#include "frontend/c/run_clang.h"
#include "support/install_paths.h"
#include "clang/AST/ASTConsumer.h"
#include "clang/AST/DeclOpenACC.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendAction.h"
#include "clang/Lex/Lexer.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Sema/SemaConsumer.h"
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
  ScopPragma(const char *name, std::vector<unsigned> &offsets)
      : PragmaHandler(name), offsets(offsets) {}
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
  FunctionScan(ASTContext &context, const FunctionDecl *function, const ScopMarks &marks,
               std::vector<LocatedHint> &hints, Watch *watch, ParsedFile &out)
      : context(context), sources(context.getSourceManager()), function(function), marks(marks),
        hints(hints), watch(watch), out(out) {}

  // Every directive is noted, also those in nests that are not looked at any more. Returns the ones
  // that were.
  std::set<const OpenACCConstructStmt *> run() {
    visit(function->getBody());
    noteAll(function->getBody());
    for (const Unnamed &u : unnamedIn(function->getBody()))
      report({"NW0328",
              "'" + u.variable->getNameAsString() +
                  "' is in no data clause, but default(none) requires one",
              "name it in a clause of the construct, or of a data construct around it", u.at},
             Severity::Error);
    return std::move(noted);
  }

private:
  void visit(const clang::Stmt *s) {
    if (!s)
      return;
    if (const auto *b = dyn_cast<CompoundStmt>(s)) {
      list(b);
      return;
    }
    if (const ForStmt *f = loopBelow(s)) { // a single statement without braces around
      if (!enter(s, f) && !outOfLimits(f))
        below(s);
      close();
      return;
    }
    if (const auto *c = dyn_cast<OpenACCConstructStmt>(s)) {
      constructBelow(c);
      return;
    }
    descend(s);
  }

  // What stands behind a directive. A compute construct's nests are regions of their own: its
  // arrays may be on the device.
  void constructBelow(const OpenACCConstructStmt *c) {
    close();
    note(c);
    const OpenACCConstructStmt *around = compute;
    if (isa<OpenACCComputeConstruct, OpenACCCombinedConstruct>(c))
      compute = c;
    if (const clang::Stmt *s = statementOf(c)) {
      path.push_back({c, s});
      visit(s);
      path.pop_back();
    }
    close();
    compute = around;
  }

  // A loop that was not taken, or a directive in front of it: what is inside.
  void below(const clang::Stmt *s) {
    if (const auto *c = dyn_cast<OpenACCConstructStmt>(s)) {
      const OpenACCConstructStmt *around = compute;
      note(c);
      if (isa<OpenACCComputeConstruct, OpenACCCombinedConstruct>(c))
        compute = c;
      path.push_back({c, statementOf(c)});
      below(statementOf(c));
      path.pop_back();
      compute = around;
    } else
      descend(s);
  }

  // Every directive is told once.
  void note(const OpenACCConstructStmt *c) {
    if (!noted.insert(c).second)
      return;
    openacc::Directive d = readDirective(c, context);
    d.function = function->getNameAsString();
    if (isa<OpenACCDataConstruct, OpenACCHostDataConstruct>(c))
      if (const clang::Stmt *jump = branchOut(statementOf(c)))
        report({"NW0324", std::string("this jump leaves the block of '") + nameOf(d.kind) + "'",
                "leave the block only at its end", jump->getBeginLoc()},
               Severity::Error);
    if (const auto *h = dyn_cast<OpenACCHostDataConstruct>(c); h && !d.condition && !d.ifPresent)
      refuseReads(h);
    out.directives.push_back(d);
  }

  // Memory of the device cannot be read by the host.
  void refuseReads(const OpenACCHostDataConstruct *c) {
    for (const OpenACCClause *clause : c->clauses())
      if (const auto *use = dyn_cast<OpenACCUseDeviceClause>(clause))
        for (const clang::Expr *e : use->getVarList())
          if (const auto *d = dyn_cast<DeclRefExpr>(e->IgnoreParenImpCasts()))
            if (const auto *v = dyn_cast<VarDecl>(d->getDecl()))
              if (const clang::Expr *read = addressUses(statementOf(c), v, context).read)
                report({"NW0329",
                        "'" + v->getNameAsString() +
                            "' is an address on the device here, through which the host cannot "
                            "read or write",
                        "end the block of host_data before, or only pass the address on",
                        read->getBeginLoc()},
                       Severity::Error);
  }

  void noteAll(const clang::Stmt *s) {
    if (!s)
      return;
    if (const auto *c = dyn_cast<OpenACCConstructStmt>(s))
      note(c);
    for (const clang::Stmt *c : s->children())
      noteAll(c);
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
      if (const ForStmt *f = loopBelow(s))
        taken = enter(s, f);
      else if (canJoin(s))
        taken = enter(s, nullptr);
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
    if (loopBelow(s))
      below(s);
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
  std::optional<std::pair<unsigned, unsigned>> extent(const clang::Stmt *whole) {
    const clang::Stmt *s = withoutDirectives(whole), *last = lastOf(s);
    CharSourceRange range = Lexer::makeFileCharRange(
        CharSourceRange::getTokenRange(s->getBeginLoc(), last->getEndLoc()), sources,
        context.getLangOpts());
    if (range.isInvalid() || !sources.isInMainFile(range.getBegin()) ||
        sources.isMacroArgExpansion(s->getBeginLoc()) ||
        sources.isMacroArgExpansion(last->getEndLoc()))
      return std::nullopt;
    unsigned begin = sources.getFileOffset(range.getBegin()),
             end = sources.getFileOffset(range.getEnd());
    if (const auto *c = dyn_cast<OpenACCConstructStmt>(whole))
      if (openacc::Directive d = readDirective(c, context); d.inMainFile)
        begin = d.beginOffset;
    begin = beforePragmas(begin);
    if (isa<CompoundStmt>(last) || isa<NullStmt>(last))
      return std::make_pair(begin, end);
    std::optional<Token> next =
        Lexer::findNextToken(range.getEnd().getLocWithOffset(-1), sources, context.getLangOpts());
    if (!next || !next->is(tok::semi))
      return std::nullopt;
    end = sources.getFileOffset(next->getEndLoc());
    return std::make_pair(begin, end);
  }

  // A pragma right before a loop belongs to it: the text begins there.
  // Lines of comments may stand in between.
  unsigned beforePragmas(unsigned begin) {
    StringRef text = sources.getBufferData(sources.getMainFileID());
    unsigned from = begin;
    while (true) {
      unsigned line = from;
      while (line > 0 && text[line - 1] != '\n')
        line--;
      if (line == 0 || !text.slice(line, from).trim().empty())
        return begin;
      size_t previous = line - 1;
      while (previous > 0 && (text[previous - 1] != '\n' || isContinued(text, previous - 1)))
        previous--;
      StringRef above = text.slice(previous, line - 1).trim();
      if (above.starts_with("//")) {
        from = unsigned(previous);
        continue;
      }
      if (!above.starts_with("#") || !above.drop_front().ltrim().starts_with("pragma") ||
          above.contains("scop") || isDirective(above))
        return begin;
      begin = from = unsigned(previous + text.slice(previous, line).find('#'));
    }
  }

  // Whether it is a statement of OpenACC's, which stays in front of the loop; the loop's own are
  // known from its node.
  bool isDirective(StringRef pragma) const {
    StringRef words = pragma.drop_front().ltrim().drop_front(StringRef("pragma").size()).ltrim();
    return context.getLangOpts().OpenACC && words.consume_front("acc") &&
           !words.ltrim().starts_with("share");
  }

  // Whether the line that ends here goes on in the next one.
  static bool isContinued(StringRef text, size_t lineBreak) {
    return text.slice(0, lineBreak).rtrim(" \t\r").ends_with("\\");
  }

  int markOf(unsigned offset) {
    for (size_t k = 0; k < marks.begins.size(); k++)
      if (marks.begins[k] < offset && (k >= marks.ends.size() || offset < marks.ends[k]))
        return int(k);
    return -1;
  }

  // A variable that is private to iterations has its old value afterwards; the original loops,
  // which run where the device does not, would leave another one. So nobody may look.
  void refuseVisiblePrivates(const StmtP &tree) {
    for (const Converter::Private &p : current->privates) {
      bool seen = p.variable->hasGlobalStorage() || current->isAddressTaken(p.variable) ||
                  isLiveAfter(p.variable, path);
      walkExprs(tree, [&](const ExprP &e) {
        seen |= e->kind == ExprKind::Var && e->name == p.name;
        return !seen;
      });
      if (seen)
        throw Refusal{
            "NW0303",
            "'" + p.variable->getNameAsString() +
                "' is private to the iterations of this loop, but is also read outside it",
            "declare a variable inside the loop", p.at};
    }
  }

  // The hint in the lines above the loop. What is wrong with it is an error, at the word that is.
  std::optional<openacc::ShareHint> shareOf(unsigned begin, const ForStmt *loop,
                                            const StmtP &tree) {
    LocatedHint *found = hintBefore(begin, loop);
    if (!found)
      return std::nullopt;
    openacc::ShareHint made = found->hint;
    std::set<std::string> used, named;
    walkExprs(tree, [&](const ExprP &e) {
      if (e->kind == ExprKind::Var)
        used.insert(e->name);
      return true;
    });
    auto wrong = [&](Location at, const std::string &message) {
      sayError(
          context.getDiagnostics(),
          sources.translateLineCol(sources.getMainFileID(), unsigned(at.line), unsigned(at.column)),
          message, "NW0311");
    };
    for (openacc::ShareSection &s : made.sections) {
      const Variable *v = nullptr;
      for (auto &[name, x] : current->variables)
        if (x.spelling == s.array && used.count(name) && (!v || x.isArray()))
          v = &x;
      if (!v || !v->isArray() || v->inside) {
        wrong(s.at, !v ? "'" + s.array + "' is not an array of this nest"
                       : "'" + s.array + "' is " +
                             (v->inside ? "declared in the nest" : "a scalar") +
                             "; share takes arrays");
        continue;
      }
      if (!named.insert(s.array).second)
        wrong(s.at, "'" + s.array + "' is named twice");
      if (v->extents.size() != s.lengths.size())
        wrong(s.at, "'" + s.array + "' has " + std::to_string(v->extents.size()) +
                        " dimension(s), but " + std::to_string(s.lengths.size()) +
                        " length(s) are given");
      for (size_t k = 0; k < std::min(v->extents.size(), s.lengths.size()); k++)
        checkLength(s.lengths[k], v->extents[k], k, s.array,
                    [&](const std::string &message) { wrong(s.lengthsAt[k], message); });
      s.array = v->name;
    }
    return made;
  }

  template <class Wrong>
  static void checkLength(const share::Length &length, const ExprP &extent, size_t dimension,
                          const std::string &array, const Wrong &wrong) {
    if (length.isAny())
      return;
    bool isPossible = false;
    for (int64_t x = 1; x <= 1024; x *= 2)
      for (int64_t y = 1; y <= 1024; y *= 2)
        if (std::optional<int64_t> value = share::valueAt(length, {x, y, 1}); value && *value > 0)
          isPossible = true;
    std::optional<int64_t> value = share::valueAt(length, {1, 1, 1});
    if (!isPossible)
      wrong("this length is not positive in any block");
    else if (extent && extent->kind == ExprKind::Cast && extent->args[0]->kind == ExprKind::Int)
      checkLength(length, extent->args[0], dimension, array, wrong);
    else if (value && extent && extent->kind == ExprKind::Int &&
             share::isSame(length, share::number(*value)) && *value > extent->integer)
      wrong("the length " + std::to_string(*value) + " is beyond the extent of dimension " +
            std::to_string(dimension + 1) + " of '" + array + "', which is " +
            std::to_string(extent->integer));
  }

  LocatedHint *hintBefore(unsigned begin, const ForStmt *loop) {
    LocatedHint *found = nullptr;
    unsigned end = sources.getFileOffset(sources.getExpansionLoc(loop->getForLoc()));
    for (LocatedHint &h : hints)
      if (h.offset > begin && h.offset < end) {
        if (found)
          sayError(context.getDiagnostics(), h.at, "this nest has a second share", "NW0310");
        found = &h;
        h.isBound = true;
      }
    return found;
  }

  // if(…) and self(…) are asked again for each nest of the construct: that must not make a
  // difference.
  void refuseCondition(const OpenACCConstructStmt *c, const openacc::Directive &d) {
    if (!d.condition && !d.self)
      return;
    if ((d.condition && d.condition->empty()) || !d.inMainFile)
      throw Refusal{"NW0109", "the condition of the directive is inside a macro",
                    "write it without the macro", c->getBeginLoc()};
    for (const OpenACCClause *k : c->clauses()) {
      const clang::Expr *e = nullptr;
      if (const auto *i = dyn_cast<OpenACCIfClause>(k))
        e = i->getConditionExpr();
      else if (const auto *f = dyn_cast<OpenACCSelfClause>(k);
               f && f->isConditionExprClause() && f->hasConditionExpr())
        e = f->getConditionExpr();
      if (e && (e->HasSideEffects(context) ||
                (!isa<OpenACCCombinedConstruct>(c) && !dependsOnUnchanged(e))))
        throw Refusal{
            "NW0104",
            "the condition of the directive may change while the construct runs, or has effects",
            "compute it before the construct, in a separate variable", e->getBeginLoc()};
    }
  }

  void report(const Refusal &r, Severity severity) {
    PresumedLoc p = sources.getPresumedLoc(sources.getExpansionLoc(r.at), false);
    Location at = p.isValid() ? Location{int(p.getLine()), int(p.getColumn())} : Location{};
    out.diagnostics.push_back({r.code, severity, at, r.message, r.help});
  }

  // Converts the statement and adds it to the sequence being built; false when it cannot be taken.
  // `loop`: the for statement that it is, behind its directives.
  bool enter(const clang::Stmt *s, const ForStmt *loop) {
    if (watch && watch->excess() != Watch::Excess::None)
      return false;
    const OpenACCConstructStmt *own = compute;
    for (const clang::Stmt *d = s; isa<OpenACCConstructStmt>(d);
         d = statementOf(cast<OpenACCConstructStmt>(d)))
      if (isa<OpenACCComputeConstruct, OpenACCCombinedConstruct>(d))
        own = cast<OpenACCConstructStmt>(d);
    if (loop && hasConstruct(loop)) // what is around constructs is the host's
      return false;
    if (own != sequenceOf) {
      close();
      sequenceOf = own;
    }
    bool isLoop = loop;
    if (!current)
      current = std::make_unique<Converter>(context, function);
    try {
      auto where = extent(s);
      if (!where)
        throw Refusal{"NW0109", "the loop begins or ends inside a macro",
                      "put the whole statement into the macro, or none of it", s->getBeginLoc()};
      int mark = markOf(where->first);
      if (!sequence.items.empty() && mark != currentMark) {
        close();
        current = std::make_unique<Converter>(context, function);
      }
      currentMark = mark;
      Item item;
      current->around = constructsAround(own);
      item.tree = current->convert(s);
      refuseVisiblePrivates(item.tree);
      item.at = current->locate((loop ? loop : s)->getBeginLoc());
      if (own) {
        item.construct = readDirective(own, context);
        refuseCondition(own, *item.construct);
      }
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
        item.countersAfter = countersAfter(loop, item);
      if (isLoop)
        item.share = shareOf(where->first, loop, item.tree);
      noteAll(s);
      sequence.items.push_back(std::move(item));
      return true;
    } catch (const Refusal &r) {
      if (isLoop)
        if (auto where = extent(s))
          hintBefore(where->first, loop); // it has a nest, though that stays on the host
      if (isLoop)
        report(r, own ? Severity::Warning : Severity::Remark);
      return false;
    }
  }

  // The data constructs around, and the compute construct; none without a compute construct, since
  // other loops work on the host's values.
  std::vector<const OpenACCConstructStmt *>
  constructsAround(const OpenACCConstructStmt *own) const {
    std::vector<const OpenACCConstructStmt *> all;
    for (const Enclosing &e : path)
      if (const auto *d = dyn_cast<OpenACCDataConstruct>(e.parent))
        all.push_back(d);
    if (!own)
      return {};
    all.push_back(own);
    return all;
  }

  // for headers without bodies, so that counters declared before the loop end with their right
  // values.
  std::string countersAfter(const clang::Stmt *s, const Item &item) {
    const auto *f = cast<ForStmt>(s);
    std::function<bool(const clang::Stmt *)> declaresLater = [&](const clang::Stmt *t) -> bool {
      t = withoutDirectives(t);
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
        if (!loopBelow(c))
          throw Refusal{"NW0111", "the value of an inner loop's counter is used after the nest",
                        "declare the counter in the for statement", c->getBeginLoc()};
        inner += countersAfter(loopBelow(c), item) + " ";
      }
    } else if (loopBelow(body)) {
      inner = countersAfter(loopBelow(body), item);
    } else {
      throw Refusal{"NW0111", "the value of an inner loop's counter is used after the nest",
                    "declare the counter in the for statement", body->getBeginLoc()};
    }
    return text + " { " + inner + "}";
  }

  // Whether the header can be evaluated once more after the nest, with the same result: constants,
  // counters, and variables from outside that nobody assigns.
  bool dependsOnUnchanged(const clang::Stmt *s) {
    if (!s)
      return true;
    if (isa<ArraySubscriptExpr>(s) || isa<MemberExpr>(s) || isa<CallExpr>(s) || isa<DeclStmt>(s))
      return isa<DeclStmt>(s) && cast<DeclStmt>(s)->isSingleDecl() &&
             isa<VarDecl>(cast<DeclStmt>(s)->getSingleDecl()) &&
             dependsOnUnchanged(cast<VarDecl>(cast<DeclStmt>(s)->getSingleDecl())->getInit());
    if (const auto *d = dyn_cast<DeclRefExpr>(s))
      if (const auto *v = dyn_cast<VarDecl>(d->getDecl())) {
        if (current->isCounter(v))
          return true;
        return !current->isInside(v) && !current->isModified(v) && !current->isAddressTaken(v) &&
               (!v->hasGlobalStorage() || v->getType().isConstQualified());
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
    if (!dependsOnUnchanged(f->getInit()) || !dependsOnUnchanged(f->getCond()) ||
        !dependsOnUnchanged(f->getInc()))
      throw Refusal{"NW0111",
                    "the value of a loop's counter is used after the nest, and the loop's bounds "
                    "may have changed by then",
                    "declare the counter in the for statement", f->getForLoc()};
    if (f->getForLoc().isMacroID() || f->getRParenLoc().isMacroID())
      throw Refusal{"NW0109", "the loop's header is inside a macro and its counter is used later",
                    "declare the counter in the for statement", f->getForLoc()};
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
    sequenceOf = compute;
  }

  ASTContext &context;
  SourceManager &sources;
  const FunctionDecl *function;
  const ScopMarks &marks;
  std::vector<LocatedHint> &hints;
  Watch *watch;
  ParsedFile &out;
  std::vector<Enclosing> path;
  std::unique_ptr<Converter> current;
  Sequence sequence;
  int currentMark = -1;
  const OpenACCConstructStmt *compute =
      nullptr; // the compute construct around what is being looked at
  const OpenACCConstructStmt *sequenceOf = nullptr; // that of the sequence being built
  std::set<const OpenACCConstructStmt *> noted;
};

class Consumer : public SemaConsumer, public RecursiveASTVisitor<Consumer> {
public:
  Consumer(const ParseRequest &request, const ScopMarks &marks, Preprocessor &preprocessor,
           ParsedFile &out)
      : request(request), marks(marks), preprocessor(preprocessor), out(out) {}

  void InitializeSema(Sema &) override {
    if (request.openacc)
      handler = replaceAccHandler(preprocessor, hints);
  }

  void HandleTranslationUnit(ASTContext &context) override {
    SourceManager &sources = context.getSourceManager();
    out.source = sources.getBufferData(sources.getMainFileID()).str();
    out.isCxx = context.getLangOpts().CPlusPlus;
    out.charIsUnsigned = !context.getLangOpts().CharIsSigned;
    manager = &sources;
    if (context.getDiagnostics().hasErrorOccurred())
      return;
    TraverseDecl(context.getTranslationUnitDecl());
    if (request.function.empty())
      for (const LocatedHint &h : hints)
        if (!h.isBound)
          sayError(context.getDiagnostics(), h.at,
                   "no loop follows share; put it above the outermost loop of a nest", "NW0310");
  }

  bool VisitFunctionDecl(FunctionDecl *f) {
    ASTContext &context = f->getASTContext();
    if (!f->doesThisDeclarationHaveABody() || f->isConstexpr() || f->isDependentContext() ||
        f->isTemplateInstantiation() ||
        !context.getSourceManager().isInMainFile(
            context.getSourceManager().getExpansionLoc(f->getLocation())))
      return true;
    out.functionsSeen.push_back(f->getNameAsString());
    try {
      out.signatures.push_back(Converter(context, f).signature());
    } catch (const Refusal
                 &) { // nobody outside can call it for us; its nests are looked at all the same
    }
    if (request.function.empty() || request.function == f->getNameAsString())
      noted.merge(FunctionScan(context, f, marks, hints, request.watch, out).run());
    return true;
  }

  // A directive in a function that is not looked at would not be carried out, though what it is
  // about may be on the device.
  bool VisitOpenACCConstructStmt(OpenACCConstructStmt *s) {
    if (request.function.empty() && !noted.count(s) &&
        !isa<OpenACCLoopConstruct, OpenACCCacheConstruct, OpenACCAtomicConstruct>(s))
      refuse(s->getBeginLoc(), "NW0323",
             "nestwarp does not handle directives in a header, a template or a lambda",
             "move it into an ordinary function of this file");
    return true;
  }

  bool VisitOpenACCDeclareDecl(OpenACCDeclareDecl *d) {
    refuse(d->getBeginLoc(), "NW0327", "'declare' is not supported",
           "use data, or enter data and exit data, where the variable is used");
    return true;
  }

private:
  void refuse(SourceLocation where, const char *code, const char *message, const char *help) {
    SourceManager &sources = *manager;
    PresumedLoc p = sources.getPresumedLoc(sources.getExpansionLoc(where), false);
    bool isHere = p.isValid() && sources.isInMainFile(sources.getExpansionLoc(where));
    std::string element = p.isValid() && !isHere ? std::string(" (") + p.getFilename() + ":" +
                                                       std::to_string(p.getLine()) + ")"
                                                 : "";
    out.diagnostics.push_back({code, Severity::Error,
                               isHere ? Location{int(p.getLine()), int(p.getColumn())} : Location{},
                               message + element, help});
  }

  const ParseRequest &request;
  const ScopMarks &marks;
  Preprocessor &preprocessor;
  ParsedFile &out;
  std::unique_ptr<PragmaHandler> handler;
  std::vector<LocatedHint> hints;
  SourceManager *manager = nullptr;
  std::set<const OpenACCConstructStmt *> noted;
};

class Action : public ASTFrontendAction {
public:
  Action(const ParseRequest &request, ParsedFile &out) : request(request), out(out) {}

  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &compiler, StringRef) override {
    compiler.getPreprocessor().AddPragmaHandler(new ScopPragma("scop", marks.begins));
    compiler.getPreprocessor().AddPragmaHandler(new ScopPragma("endscop", marks.ends));
    return std::make_unique<Consumer>(request, marks, compiler.getPreprocessor(), out);
  }

private:
  const ParseRequest &request;
  ParsedFile &out;
  ScopMarks marks;
};

} // namespace

bool runClang(const ParseRequest &request, std::unique_ptr<FrontendAction> action) {
  std::vector<std::string> line = {
      "clang-tool", "-fbracket-depth=100000"}; // the stack is deep; the user may say less
  line.insert(line.end(), request.arguments.begin(), request.arguments.end());
  if (request.openacc)
    line.push_back("-fopenacc");
  line.insert(line.end(), {"-w", "-fsyntax-only", "-resource-dir",
                           clangResources(NESTWARP_CLANG_RESOURCES), request.file});
  auto visible =
      llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(llvm::vfs::getRealFileSystem());
  if (request.text) {
    auto given = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
    given->addFile(request.file, 0, llvm::MemoryBuffer::getMemBufferCopy(*request.text));
    visible->pushOverlay(given);
  }
  IntrusiveRefCntPtr<FileManager> files(new FileManager(FileSystemOptions(), visible));
  tooling::ToolInvocation invocation(line, std::move(action), files.get());
  return invocation.run();
}

ParsedFile parseC(const ParseRequest &request) {
  ParsedFile out;
  out.file = request.file;
  out.failed = !runClang(request, std::make_unique<Action>(request, out));
  return out;
}

} // namespace nw
