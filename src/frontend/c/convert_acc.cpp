// What OpenACC directives say about loops: promises, reductions and private variables.
#include "frontend/c/acc_around.h"
#include "frontend/c/acc_reader.h"
#include "frontend/c/convert.h"
#include "clang/AST/OpenACCClause.h"

using namespace clang;

namespace nw {

const VarDecl *Converter::wholeVariable(const clang::Expr *e, const char *clause) {
  const auto *r = dyn_cast<DeclRefExpr>(e->IgnoreParenImpCasts());
  const auto *v = r ? dyn_cast<VarDecl>(r->getDecl()) : nullptr;
  if (!v)
    refuse("NW0303", e->getBeginLoc(), std::string("'") + clause + "' names a part of a variable",
           "name the whole variable, or declare one inside the loop");
  return v;
}

ReductionClause Converter::reductionClause(const clang::Expr *e,
                                           const std::vector<openacc::ReductionItem> &items) {
  const VarDecl *v = wholeVariable(e, "reduction");
  if (!v->getType()->isArithmeticType())
    refuse("NW0302", e->getBeginLoc(),
           "'" + v->getNameAsString() +
               "' is not a number; nestwarp only takes reductions into numbers",
           "reduce each element in a loop of its own");
  std::string op;
  for (const openacc::ReductionItem &x : items)
    if (x.variable == v->getNameAsString())
      op = x.op;
  return {op, nameOf(v), locate(e->getBeginLoc())};
}

void Converter::noteLoops(const clang::Stmt *s) {
  const auto *construct = cast<OpenACCConstructStmt>(s);
  openacc::Directive d = readDirective(construct, context);
  if (!loopBelow(s))
    refuse("NW0110", s->getBeginLoc(), "the directive is not followed by a for loop");
  std::vector<const ForStmt *> loops = loopsOf(construct, d);
  if (loops.size() < size_t(std::max(d.loop.collapse, d.loop.tiles)))
    refuse("NW0110", s->getBeginLoc(),
           "collapse or tile asks for more loops than are perfectly nested here");
  for (const ForStmt *f : loops)
    loopNotes[f].promise = promiseOf(construct, d);
  LoopNote &outermost = loopNotes[loops.front()], &innermost = loopNotes[loops.back()];
  for (const OpenACCClause *c : construct->clauses()) {
    if (const auto *r = dyn_cast<OpenACCReductionClause>(c))
      for (const clang::Expr *e : r->getVarList())
        outermost.reductions.push_back(reductionClause(e, d.loop.reductions));
    if (const auto *p = dyn_cast<OpenACCPrivateClause>(c))
      for (const clang::Expr *e : p->getVarList())
        if (const VarDecl *v = wholeVariable(e, "private");
            !counters.count(v)) // those of loops are private as it is
          innermost.privates.push_back({v, e->getBeginLoc()});
  }
  if (promiseOf(construct, d) == Promise::Independent && promisedLoops == 0)
    noteConstructsPrivates(loops.front(), loops.back());
}

void Converter::noteConstructsReductions(const clang::Stmt *loop) {
  const auto *construct =
      around.empty() ? nullptr : dyn_cast<OpenACCComputeConstruct>(around.back());
  if (!construct)
    return;
  openacc::Directive d = readDirective(construct, context);
  for (const OpenACCClause *c : construct->clauses())
    if (const auto *r = dyn_cast<OpenACCReductionClause>(c))
      for (const clang::Expr *e : r->getVarList())
        if (const VarDecl *v = variableOf(e); !v || mentionsOf(v, loop)) {
          ReductionClause made = reductionClause(e, d.reductions);
          std::vector<ReductionClause> &reductions = loopNotes[loop].reductions;
          if (std::none_of(reductions.begin(), reductions.end(),
                           [&](const ReductionClause &f) { return f.variable == made.variable; }))
            reductions.push_back(made);
        }
}

// Each gang has an array of its own, and its iterations one after the other; which iterations those
// are, nobody knows. So an iteration of a loop that gangs share out must set what it reads, and the
// array can be its own, unless it is used elsewhere in the construct. Scalars are seen exactly as
// it is.
void Converter::noteConstructsPrivates(const clang::Stmt *outermost, const clang::Stmt *innermost) {
  const auto *construct =
      around.empty() ? nullptr : dyn_cast<OpenACCComputeConstruct>(around.back());
  if (!construct)
    return;
  for (const OpenACCClause *c : construct->clauses()) {
    if (!isa<OpenACCPrivateClause, OpenACCFirstPrivateClause>(c))
      continue;
    for (const clang::Expr *e : cast<OpenACCClauseWithVarList>(c)->getVarList()) {
      const VarDecl *v =
          wholeVariable(e, isa<OpenACCPrivateClause>(c) ? "private" : "firstprivate");
      if (!v->getType()->isArrayType() || !mentionsOf(v, outermost) || !isWrittenIn(v, outermost))
        continue; // what is only read is the same for all
      if (isa<OpenACCFirstPrivateClause>(c))
        refuse("NW0303", e->getBeginLoc(),
               "the array '" + v->getNameAsString() +
                   "' is firstprivate, and a parallel loop writes it",
               "declare an array inside the loop and copy the initial values into it");
      if (mentionsOf(v, statementOf(construct)) > mentionsOf(v, outermost))
        refuse("NW0303", e->getBeginLoc(),
               "the array '" + v->getNameAsString() +
                   "' is private to gangs, but a parallel loop writes it and it is used outside "
                   "that loop",
               "declare an array inside the loop");
      loopNotes[innermost].privates.push_back({v, e->getBeginLoc()});
    }
  }
}

StmtP Converter::declarePrivate(const VarDecl *v, SourceLocation at) {
  v = v->getCanonicalDecl();
  std::string spelling = v->getNameAsString();
  if (v->getType()->isPointerType() ||
      (isa<ParmVarDecl>(v) && cast<ParmVarDecl>(v)->getOriginalType()->isArrayType()))
    refuse("NW0303", at, "'" + spelling + "' is a pointer, and what it points to cannot be private",
           "declare an array inside the loop");
  std::string elsewhere = nameOf(v), name = fresh(spelling);
  names[v] = name;
  Variable made = describe(v, name);
  made.inside = true;
  made.liveAfter = made.addressKnown = false;
  made.storage = Storage::Local;
  std::vector<int64_t> extents;
  int64_t count = 1;
  for (const ExprP &x : made.extents) {
    constexpr int64_t kMostElements = 4096; // as of arrays that are declared in the nest
    if (!x || x->kind != ExprKind::Int || x->integer <= 0 || x->integer > kMostElements ||
        (count *= x->integer) > kMostElements)
      refuse("NW0107", at,
             "the private array '" + spelling +
                 "' has no constant size, or is too large to be private to a thread");
    extents.push_back(x->integer);
  }
  variables[name] = made;
  privates.push_back({v, elsewhere, at});
  return declare(name, made.type, extents, {}, locate(at));
}

} // namespace nw
