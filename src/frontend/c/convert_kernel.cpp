// What is special about the body of a CUDA kernel: indices of threads and blocks, returns,
// variables that only name an index, loops that go on by as many elements as there are threads, and
// functions that only devices have.
#include "frontend/c/convert.h"
#include "clang/AST/Attr.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;

namespace nw {

namespace {

// Variables that change after their declaration; a counter that its loop's header begins does not
// count.
class Assigned : public RecursiveASTVisitor<Assigned> {
public:
  std::set<const VarDecl *> found;
  bool VisitBinaryOperator(BinaryOperator *b) {
    if (b->isAssignmentOp())
      note(b->getLHS());
    return true;
  }
  bool VisitUnaryOperator(UnaryOperator *u) {
    if (u->isIncrementDecrementOp() || u->getOpcode() == UO_AddrOf)
      note(u->getSubExpr());
    return true;
  }

private:
  void note(const clang::Expr *e) {
    if (const auto *d = dyn_cast<DeclRefExpr>(e->IgnoreParenImpCasts()))
      if (const auto *v = dyn_cast<VarDecl>(d->getDecl()))
        found.insert(v);
  }
};

// Whether a continue is anywhere in it.
bool continues(const clang::Stmt *s) {
  if (!s)
    return false;
  if (isa<ContinueStmt>(s))
    return true;
  for (const clang::Stmt *c : s->children())
    if (continues(c))
      return true;
  return false;
}

bool isIndexName(StringRef name) {
  return name == "threadIdx" || name == "blockIdx" || name == "blockDim" || name == "gridDim";
}

} // namespace

// threadIdx.x and the like, as a field (our header) or as a property (the toolkit's).
ExprP Converter::threadIndex(const clang::Expr *e) const {
  e = e->IgnoreParenImpCasts();
  const clang::Expr *base = nullptr;
  std::string axis;
  if (const auto *p = dyn_cast<PseudoObjectExpr>(e)) {
    const auto *property =
        dyn_cast<MSPropertyRefExpr>(p->getSyntacticForm()->IgnoreParenImpCasts());
    if (!property)
      return nullptr;
    base = property->getBaseExpr();
    axis = property->getPropertyDecl()->getNameAsString();
  } else if (const auto *m = dyn_cast<MemberExpr>(e)) {
    base = m->getBase();
    axis = m->getMemberDecl()->getNameAsString();
  } else {
    return nullptr;
  }
  base = base->IgnoreParenImpCasts();
  if (const auto *o = dyn_cast<OpaqueValueExpr>(base); o && o->getSourceExpr())
    base = o->getSourceExpr()->IgnoreParenImpCasts();
  const auto *d = dyn_cast<DeclRefExpr>(base);
  const auto *v = d ? dyn_cast<VarDecl>(d->getDecl()) : nullptr;
  if (!v || !v->hasGlobalStorage() || v->isLocalVarDecl() || !isIndexName(v->getName()) ||
      axis.size() != 1)
    return nullptr;
  return nw::at(var(v->getNameAsString() + "." + axis, typeOf(Scalar::U32)),
                locate(e->getExprLoc()));
}

// Whether the variable is nothing but another name for a number that is computed from indices,
// counters and arguments. Floating-point ones are computed again at each use, so that they are few
// operations: what they spare is a variable that would tie an inner loop to one thread.
bool Converter::namesIndex(const VarDecl *v, const ExprP &value) const {
  bool isWhole = v->getType()->isIntegerType();
  const int kMostNodes = isWhole ? 60 : 16;
  if ((!isWhole && !v->getType()->isRealFloatingType()) || v->getType()->isBooleanType() ||
      v->getType().isVolatileQualified() || assigned.count(v) || modified.count(v) ||
      addressTaken.count(v))
    return false;
  bool isPlain = true;
  int nodes = 0;
  walk(value, [&](const ExprP &e) {
    isPlain &= (e->type.isInteger() || (!isWhole && e->type.isFloat())) && ++nodes < kMostNodes;
    isPlain &= e->kind == ExprKind::Int || e->kind == ExprKind::Float || e->kind == ExprKind::Var ||
               e->kind == ExprKind::Cast || e->kind == ExprKind::Unary ||
               e->kind == ExprKind::Binary;
    return isPlain;
  });
  return isPlain;
}

// for (i = START; …; i += STRIDE) with a stride that is not a constant: what is made of it is
// decided when all uses of the indices are known.
StmtP Converter::strideLoop(const clang::Stmt *s) {
  const auto *f = cast<ForStmt>(s);
  auto variable = [](const clang::Expr *x) -> const VarDecl * {
    const auto *d = dyn_cast<DeclRefExpr>(x->IgnoreParenImpCasts());
    return d ? dyn_cast<VarDecl>(d->getDecl()) : nullptr;
  };
  const auto *step =
      dyn_cast_or_null<BinaryOperator>(f->getInc() ? f->getInc()->IgnoreParens() : nullptr);
  const VarDecl *counter = step ? variable(step->getLHS()) : nullptr;
  const clang::Expr *stride = nullptr, *start = nullptr;
  if (counter && step->getOpcode() == BO_AddAssign)
    stride = step->getRHS();
  else if (counter && step->getOpcode() == BO_Assign)
    if (const auto *sum = dyn_cast<BinaryOperator>(step->getRHS()->IgnoreParenImpCasts());
        sum && sum->getOpcode() == BO_Add)
      stride = variable(sum->getLHS()) == counter   ? sum->getRHS()
               : variable(sum->getRHS()) == counter ? sum->getLHS()
                                                    : nullptr;
  if (!stride || !f->getCond() || f->getConditionVariable() ||
      !counter->getType()->isIntegerType() || counter->hasGlobalStorage() ||
      modified.count(counter) || addressTaken.count(counter) || !isStable(stride))
    return nullptr;
  if (const auto *d = dyn_cast_or_null<DeclStmt>(f->getInit());
      d && d->isSingleDecl() && d->getSingleDecl() == counter)
    start = counter->getInit();
  else if (const auto *b = dyn_cast_or_null<BinaryOperator>(f->getInit());
           b && b->getOpcode() == BO_Assign && variable(b->getLHS()) == counter)
    start = b->getRHS();
  auto made = std::make_shared<nw::Stmt>();
  if (!f->getInit() &&
      !continues(f->getBody())) { // as a while loop, whose counter has begun before
    made->kind = StmtKind::While;
    made->at = locate(f->getForLoc());
    innerLoops++;
    made->exprs = {value(f->getCond(), nullptr)};
    StmtP body = statement(f->getBody());
    made->body = {block({body, statement(f->getInc())})};
    innerLoops--;
    return made;
  }
  if (!start)
    return nullptr;
  made->kind = StmtKind::For;
  made->at = locate(f->getForLoc());
  made->loop.counter = nameOf(counter);
  made->loop.type = typeOfValue(counter->getType().getUnqualifiedType(), f->getForLoc());
  made->loop.start = nw::cast(value(start, nullptr), made->loop.type);
  made->loop.stride = nw::cast(value(stride, nullptr), made->loop.type);
  variables.emplace(made->loop.counter, describe(counter, made->loop.counter));
  made->loop.condition = value(f->getCond(), nullptr);
  openCounters.push_back(counter);
  innerLoops++;
  std::vector<const clang::Stmt *> list{f->getBody()};
  if (const auto *b = dyn_cast<CompoundStmt>(f->getBody()))
    list.assign(b->body_begin(), b->body_end());
  made->body = {blockOf(list, true)};
  innerLoops--;
  openCounters.pop_back();
  return made;
}

// min and max of C++ and __ldg; null for all other functions.
ExprP Converter::deviceCall(const clang::Expr *e, Prelude *out) {
  const auto *c = cast<CallExpr>(e);
  const FunctionDecl *callee = c->getDirectCallee();
  const FunctionDecl *definition = nullptr;
  if (!callee || (callee->hasBody(definition) &&
                  !context.getSourceManager().isInSystemHeader(definition->getLocation())))
    return nullptr;
  std::string name = callee->getNameAsString();
  if ((name == "min" || name == "max") && c->getNumArgs() == 2 &&
      !callee->getParamDecl(0)->getType()->isReferenceType()) {
    Type type = typeOfValue(e->getType().getUnqualifiedType(), e->getExprLoc());
    ExprP a = nw::cast(value(c->getArg(0), out), type),
          b = nw::cast(value(c->getArg(1), out), type);
    if (type.isFloat())
      return call("f" + name, {a, b}, type);
    return select(binary(name == "min" ? "<" : ">", a, b, kI32), a, b, type);
  }
  if (name == "__ldg" && c->getNumArgs() == 1) {
    Pointer p = pointer(c->getArg(0), out);
    return index(p.base, p.offset ? p.offset : intConst(0),
                 typeOfValue(e->getType().getUnqualifiedType(), e->getExprLoc()));
  }
  return nullptr;
}

StmtP Converter::convertKernel() {
  inKernel = true;
  const auto *body = cast<CompoundStmt>(function->getBody());
  Assigned scan;
  scan.TraverseStmt(function->getBody());
  assigned = std::move(scan.found);
  std::vector<StmtP> out;
  for (const ParmVarDecl *p : function->parameters()) {
    std::string name = nameOf(p);
    variables[name] = describe(p, name);
    if (p->getType()->isPointerType() || !assigned.count(p))
      continue;
    // Each thread has an argument of its own.
    Variable own = variables[name];
    own.name = fresh(name);
    own.spelling = own.name;
    own.storage = Storage::Local;
    own.inside = true;
    names[p->getCanonicalDecl()] = own.name;
    variables[own.name] = own;
    out.push_back(declare(own.name, own.type, {}, {var(name, own.type)}, locate(p->getLocation())));
  }
  inside.clear();
  rows.clear();
  refuseDeep(body);
  class Declared : public RecursiveASTVisitor<Declared> {
  public:
    explicit Declared(std::set<const VarDecl *> &all) : all(all) {}
    bool VisitVarDecl(VarDecl *v) { return all.insert(v), true; }
    std::set<const VarDecl *> &all;
  } declared(inside);
  declared.TraverseStmt(function->getBody());
  for (const ParmVarDecl *p : function->parameters())
    if (assigned.count(p))
      modified.insert(p);
  std::vector<const clang::Stmt *> list(body->body_begin(), body->body_end());
  out.push_back(blockOf(list, true));
  return block(out);
}

} // namespace nw
