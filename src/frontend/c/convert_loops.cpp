// Loops of Clang to trees: canonical for loops, and others.
#include "frontend/c/acc_around.h"
#include "frontend/c/acc_reader.h"
#include "frontend/c/convert.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/StringExtras.h"
#include <fmt/format.h>

using namespace clang;

namespace nw {

// The counter and step of `i++`, `i -= 3`, `i = i + 2`; false where the increment is anything else.
static bool readStep(const clang::Expr *e, const ASTContext &context, const VarDecl *&counter,
                     int64_t &step) {
  auto variable = [](const clang::Expr *x) -> const VarDecl * {
    const auto *d = dyn_cast<DeclRefExpr>(x->IgnoreParenImpCasts());
    return d ? dyn_cast<VarDecl>(d->getDecl()) : nullptr;
  };
  auto constant = [&](const clang::Expr *x, int64_t &out) {
    clang::Expr::EvalResult r;
    if (x->isValueDependent() || !x->EvaluateAsInt(r, context))
      return false;
    if (r.Val.getInt().getSignificantBits() > 64)
      return false;
    out = r.Val.getInt().getExtValue();
    return out != INT64_MIN;
  };
  e = e->IgnoreParens();
  if (const auto *u = dyn_cast<UnaryOperator>(e); u && u->isIncrementDecrementOp()) {
    counter = variable(u->getSubExpr());
    step = u->isIncrementOp() ? 1 : -1;
    return counter;
  }
  const auto *b = dyn_cast<BinaryOperator>(e);
  if (!b || !(counter = variable(b->getLHS())))
    return false;
  if (b->getOpcode() == BO_AddAssign || b->getOpcode() == BO_SubAssign) {
    if (!constant(b->getRHS(), step))
      return false;
    if (b->getOpcode() == BO_SubAssign)
      step = -step;
    return step != 0;
  }
  if (b->getOpcode() != BO_Assign)
    return false;
  const auto *sum = dyn_cast<BinaryOperator>(b->getRHS()->IgnoreParenImpCasts());
  if (!sum || (sum->getOpcode() != BO_Add && sum->getOpcode() != BO_Sub))
    return false;
  bool left = variable(sum->getLHS()) == counter;
  if (!left && (sum->getOpcode() == BO_Sub || variable(sum->getRHS()) != counter))
    return false;
  if (!constant(left ? sum->getRHS() : sum->getLHS(), step))
    return false;
  if (sum->getOpcode() == BO_Sub)
    step = -step;
  return step != 0;
}

StmtP Converter::forLoop(const clang::Stmt *s) {
  const auto *f = cast<ForStmt>(s);
  const VarDecl *counter = nullptr;
  int64_t step = 0;
  const clang::Expr *start = nullptr;
  bool canonical = f->getInc() && f->getCond() && !f->getConditionVariable() &&
                   readStep(f->getInc(), context, counter, step) &&
                   counter->getType()->isIntegerType() && !modified.count(counter) &&
                   !addressTaken.count(counter) && !counter->hasGlobalStorage();
  if (canonical) {
    if (const auto *d = dyn_cast_or_null<DeclStmt>(f->getInit()); d && d->isSingleDecl()) {
      if (d->getSingleDecl() == counter)
        start = counter->getInit();
    } else if (const auto *b = dyn_cast_or_null<BinaryOperator>(f->getInit());
               b && b->getOpcode() == BO_Assign) {
      if (const auto *r = dyn_cast<DeclRefExpr>(b->getLHS()->IgnoreParens());
          r && r->getDecl() == counter)
        start = b->getRHS();
    }
  }
  if (!start && inKernel)
    if (StmtP made = strideLoop(s))
      return made;
  if (!start || (counter->getType().isVolatileQualified()))
    refuse("NW0110", f->getForLoc(),
           "this for loop does not count one variable from a start by a constant step",
           "write it as for (int i = start; i < end; i += step) and leave i alone in the body");
  auto made = std::make_shared<nw::Stmt>();
  made->kind = StmtKind::For;
  made->at = locate(f->getForLoc());
  made->loop.counter = nameOf(counter);
  made->loop.type = typeOfValue(counter->getType().getUnqualifiedType(), f->getForLoc());
  made->loop.step = step;
  made->loop.start = nw::cast(value(start, nullptr), made->loop.type);
  Variable v = describe(counter, made->loop.counter);
  if (!variables.count(v.name))
    variables.emplace(v.name, v);
  made->loop.condition = value(f->getCond(), nullptr);
  openCounters.push_back(counter);
  innerLoops++;
  if (innerLoops == 1)
    noteConstructsReductions(f);
  LoopNote note = loopNotes[f];
  promisedLoops += note.promise == Promise::Independent;
  made->loop.promise = note.promise;
  made->loop.reductions = note.reductions;
  std::unordered_map<const VarDecl *, std::string> outside = names;
  std::vector<StmtP> body;
  for (auto &[v, at] : note.privates)
    body.push_back(declarePrivate(v, at));
  if (const auto *b = dyn_cast<CompoundStmt>(f->getBody())) {
    std::vector<const clang::Stmt *> list(b->body_begin(), b->body_end());
    body.push_back(blockOf(list, true));
  } else {
    body.push_back(statement(f->getBody()));
  }
  innerLoops--;
  promisedLoops -= note.promise == Promise::Independent;
  for (auto &[v, at] : note.privates)
    names[v->getCanonicalDecl()] = outside[v->getCanonicalDecl()];
  made->body = {body.size() == 1 ? body[0] : block(body)};
  openCounters.pop_back();
  return made;
}

StmtP Converter::whileLoop(const clang::Stmt *s) {
  auto made = std::make_shared<nw::Stmt>();
  made->at = locate(s->getBeginLoc());
  innerLoops++;
  if (const auto *w = dyn_cast<WhileStmt>(s)) {
    if (w->getConditionVariable())
      refuse("NW0104", s->getBeginLoc(), "a variable is declared in a condition");
    made->kind = StmtKind::While;
    made->exprs = {value(w->getCond(), nullptr)};
    made->body = {statement(w->getBody())};
  } else {
    const auto *d = cast<DoStmt>(s);
    made->kind = StmtKind::DoWhile;
    made->body = {statement(d->getBody())};
    made->exprs = {value(d->getCond(), nullptr)};
  }
  innerLoops--;
  return made;
}

} // namespace nw
