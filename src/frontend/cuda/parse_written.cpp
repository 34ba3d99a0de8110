// Clang's trees to trees of what is written. Nothing is refused but what moves control to labels
// that cannot be seen.
#include "frontend/cuda/parse_written.h"
#include "clang/AST/Attr.h"
#include "clang/AST/RecordLayout.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"

using namespace clang;

namespace nw {

using written::Kind;
using written::Node;
using written::NodeP;

namespace {

NodeP made(Node n) { return std::make_shared<const Node>(std::move(n)); }

NodeP number(int64_t value) {
  Node n;
  n.kind = Kind::Number;
  n.integer = value;
  return made(n);
}

// Without what stands for nothing.
const clang::Expr *bare(const clang::Expr *e) {
  for (const clang::Expr *before = nullptr; e && e != before;) {
    before = e;
    e = e->IgnoreParens();
    if (const auto *c = dyn_cast<FullExpr>(e))
      e = c->getSubExpr();
    else if (const auto *m = dyn_cast<MaterializeTemporaryExpr>(e))
      e = m->getSubExpr();
    else if (const auto *t = dyn_cast<CXXBindTemporaryExpr>(e))
      e = t->getSubExpr();
    else if (const auto *s = dyn_cast<SubstNonTypeTemplateParmExpr>(e))
      e = s->getReplacement();
    else if (const auto *d = dyn_cast<CXXDefaultArgExpr>(e))
      e = d->getExpr();
  }
  return e;
}

} // namespace

std::pair<Location, int> WrittenReader::locate(SourceRange range) const {
  SourceLocation begin = sources.getExpansionLoc(range.getBegin());
  if (begin.isInvalid() || !sources.isInMainFile(begin))
    return {{}, 1};
  Location at{int(sources.getSpellingLineNumber(begin)),
              int(sources.getSpellingColumnNumber(begin))};
  SourceLocation last = range.getEnd().isMacroID()
                            ? sources.getExpansionRange(range.getEnd()).getEnd()
                            : range.getEnd();
  SourceLocation end = Lexer::getLocForEndOfToken(last, 0, sources, context.getLangOpts());
  bool isOneLine = end.isValid() && sources.isInMainFile(end) &&
                   int(sources.getSpellingLineNumber(end)) == at.line;
  int length = isOneLine ? int(sources.getSpellingColumnNumber(end)) - at.column
                         : int(Lexer::MeasureTokenLength(begin, sources, context.getLangOpts()));
  return {at, std::max(length, 1)};
}

int64_t WrittenReader::bytesOf(QualType t) const {
  t = t.getNonReferenceType();
  return t->isIncompleteType() || t->isDependentType() || t->isFunctionType()
             ? 0
             : context.getTypeSizeInChars(t).getQuantity();
}

Node WrittenReader::node(Kind kind, const clang::Stmt *s, std::vector<NodeP> args) const {
  Node n;
  n.kind = kind;
  n.args = std::move(args);
  std::tie(n.at, n.length) = locate(s->getSourceRange());
  return n;
}

NodeP WrittenReader::lvalueNode(Kind kind, const clang::Expr *e, std::vector<NodeP> args) const {
  Node n = node(kind, e, std::move(args));
  n.bytes = bytesOf(e->getType());
  n.type = e->getType().getCanonicalType().getUnqualifiedType().getAsString();
  n.isVolatile = e->getType().isVolatileQualified();
  return made(n);
}

int WrittenReader::variable(const VarDecl *v) {
  v = v->getCanonicalDecl();
  if (auto known = variables.find(v); known != variables.end())
    return known->second;
  written::Variable made;
  QualType type = v->getType(), value = type.getNonReferenceType();
  made.name = v->getNameAsString();
  made.type = value.getCanonicalType().getUnqualifiedType().getAsString();
  made.isInteger = !type->isReferenceType() && type->isIntegralOrEnumerationType();
  made.isPointer = type->isPointerType() || type->isReferenceType();
  made.isRestrict = type.isRestrictQualified();
  made.bytes = bytesOf(value);
  if (made.isPointer)
    made.elementBytes = bytesOf(type->isReferenceType() ? value : type->getPointeeType());
  if (v->hasAttr<CUDASharedAttr>())
    made.space = written::Space::Shared;
  else if (v->hasAttr<CUDAConstantAttr>())
    made.space = written::Space::Constant;
  else if (v->hasGlobalStorage())
    made.space = written::Space::Global;
  std::tie(made.at, made.length) = locate(SourceRange(v->getLocation(), v->getLocation()));
  out.variables.push_back(made);
  return variables[v] = int(out.variables.size()) - 1;
}

int WrittenReader::function(const FunctionDecl *f) {
  if (auto known = functions.find(f); known != functions.end())
    return known->second;
  int lvalue = int(out.functions.size());
  functions[f] = lvalue;
  out.functions.push_back({f->getNameAsString(), {}, nullptr});
  std::vector<int> parameters;
  for (const ParmVarDecl *p : f->parameters())
    parameters.push_back(variable(p));
  NodeP body = statement(f->getBody());
  out.functions[size_t(lvalue)].parameters = parameters;
  out.functions[size_t(lvalue)].body = body;
  return lvalue;
}

void WrittenReader::read(const FunctionDecl *kernel) {
  for (const ParmVarDecl *p : kernel->parameters())
    out.variables[size_t(variable(p))].isParameter = true;
  function(kernel);
}

NodeP WrittenReader::declarations(const DeclStmt *s) {
  std::vector<NodeP> all;
  for (const Decl *d : s->decls())
    if (const auto *v = dyn_cast<VarDecl>(d)) {
      Node n = node(Kind::Declare, s);
      n.variable = variable(v);
      std::tie(n.at, n.length) = locate(SourceRange(v->getLocation(), v->getLocation()));
      bool isShared = v->hasAttr<CUDASharedAttr>();
      if (const clang::Expr *init = isShared || v->hasGlobalStorage() ? nullptr : v->getInit()) {
        if (v->getType()->isReferenceType()) {
          Node address = node(Kind::Address, init, {lvalue(init)});
          n.args.push_back(made(address));
        } else {
          n.args.push_back(value(init));
        }
      }
      all.push_back(made(n));
    }
  return made(node(Kind::Block, s, all));
}

NodeP WrittenReader::loop(const clang::Stmt *s) {
  if (const auto *f = dyn_cast<ForStmt>(s)) {
    std::vector<NodeP> all;
    if (f->getInit())
      all.push_back(statement(f->getInit()));
    NodeP condition = f->getCond() ? value(f->getCond()) : nullptr,
          step = f->getInc() ? value(f->getInc()) : nullptr;
    all.push_back(made(node(Kind::Loop, s, {condition, step, statement(f->getBody())})));
    return made(node(Kind::Block, s, all));
  }
  if (const auto *w = dyn_cast<WhileStmt>(s))
    return made(node(Kind::Loop, s, {value(w->getCond()), nullptr, statement(w->getBody())}));
  const auto *d = cast<DoStmt>(s);
  Node n = node(Kind::Loop, s, {value(d->getCond()), nullptr, statement(d->getBody())});
  n.isFirst = true;
  return made(n);
}

NodeP WrittenReader::statement(const clang::Stmt *s) {
  if (!s)
    return nullptr;
  if (const auto *e = dyn_cast<clang::Expr>(s))
    return value(e);
  if (const auto *c = dyn_cast<CompoundStmt>(s)) {
    std::vector<NodeP> all;
    for (const clang::Stmt *x : c->body())
      all.push_back(statement(x));
    return made(node(Kind::Block, s, all));
  }
  if (const auto *d = dyn_cast<DeclStmt>(s))
    return declarations(d);
  if (const auto *i = dyn_cast<IfStmt>(s)) {
    if (i->isConstexpr())
      if (auto taken = i->getNondiscardedCase(context))
        return statement(*taken);
    std::vector<NodeP> all;
    if (i->getInit())
      all.push_back(statement(i->getInit()));
    if (i->getConditionVariableDeclStmt())
      all.push_back(declarations(i->getConditionVariableDeclStmt()));
    Node n =
        node(Kind::If, s, {value(i->getCond()), statement(i->getThen()), statement(i->getElse())});
    std::tie(n.at, n.length) = locate(i->getCond()->getSourceRange());
    all.push_back(made(n));
    return all.size() == 1 ? all[0] : made(node(Kind::Block, s, all));
  }
  if (isa<ForStmt, WhileStmt, DoStmt>(s))
    return loop(s);
  if (const auto *w = dyn_cast<SwitchStmt>(s))
    return made(node(Kind::Switch, s, {value(w->getCond()), statement(w->getBody())}));
  if (const auto *c = dyn_cast<SwitchCase>(s))
    return statement(c->getSubStmt());
  if (const auto *a = dyn_cast<AttributedStmt>(s))
    return statement(a->getSubStmt());
  if (const auto *r = dyn_cast<ReturnStmt>(s))
    return made(node(Kind::Return, s,
                     r->getRetValue() ? std::vector<NodeP>{value(r->getRetValue())}
                                      : std::vector<NodeP>{}));
  if (isa<BreakStmt, ContinueStmt>(s))
    return made(node(Kind::Leave, s));
  if (isa<GotoStmt, IndirectGotoStmt, LabelStmt>(s))
    throw Unread{"it jumps (goto)", s->getBeginLoc()};
  if (isa<CXXForRangeStmt>(s))
    throw Unread{"it has a loop over a range", s->getBeginLoc()};
  return others(s);
}

NodeP WrittenReader::others(const clang::Stmt *s) {
  std::vector<NodeP> all;
  for (const clang::Stmt *x : s->children())
    if (const auto *e = dyn_cast_or_null<clang::Expr>(x); e && !isa<LambdaExpr>(e))
      all.push_back(e->isGLValue() ? lvalue(e) : value(e));
  return made(node(Kind::Other, s, all));
}

// threadIdx.x and the like, as a field (our header) or as a property (the toolkit's).
NodeP WrittenReader::threadIndex(const clang::Expr *e) const {
  e = e->IgnoreParenImpCasts();
  const clang::Expr *base = nullptr;
  std::string axis;
  if (const auto *p = dyn_cast<PseudoObjectExpr>(e)) {
    const auto *property =
        dyn_cast<MSPropertyRefExpr>(p->getSyntacticForm()->IgnoreParenImpCasts());
    base = property ? property->getBaseExpr() : nullptr;
    axis = property ? property->getPropertyDecl()->getNameAsString() : "";
  } else if (const auto *m = dyn_cast<MemberExpr>(e)) {
    base = m->getBase();
    axis = m->getMemberDecl()->getNameAsString();
  }
  base = base ? base->IgnoreParenImpCasts() : nullptr;
  if (const auto *o = dyn_cast_or_null<OpaqueValueExpr>(base); o && o->getSourceExpr())
    base = o->getSourceExpr()->IgnoreParenImpCasts();
  const auto *d = dyn_cast_or_null<DeclRefExpr>(base);
  const auto *v = d ? dyn_cast<VarDecl>(d->getDecl()) : nullptr;
  if (!v || !v->hasGlobalStorage() || v->isLocalVarDecl() || axis.size() != 1)
    return nullptr;
  StringRef name = v->getName();
  if (name != "threadIdx" && name != "blockIdx" && name != "blockDim" && name != "gridDim")
    return nullptr;
  Node n = node(Kind::Index, e);
  n.name = v->getNameAsString() + "." + axis;
  return made(n);
}

NodeP WrittenReader::lvalue(const clang::Expr *e) {
  e = bare(e);
  if (const auto *d = dyn_cast<DeclRefExpr>(e))
    if (const auto *v = dyn_cast<VarDecl>(d->getDecl())) {
      int which = variable(v);
      out.variables[size_t(which)].uses++;
      Node n = *lvalueNode(Kind::Variable, e, {});
      n.variable = which;
      if (!v->getType()->isReferenceType())
        return made(n);
      return lvalueNode(Kind::Element, e, {made(node(Kind::Load, e, {made(n)})), number(0)});
    }
  if (const auto *a = dyn_cast<ArraySubscriptExpr>(e))
    return lvalueNode(Kind::Element, e, {value(a->getBase()), value(a->getIdx())});
  if (const auto *u = dyn_cast<UnaryOperator>(e)) {
    if (u->getOpcode() == UO_Deref)
      return lvalueNode(Kind::Element, e, {value(u->getSubExpr()), number(0)});
    if (u->isPrefix() &&
        u->isIncrementDecrementOp()) // an lvalue in C++, like the assignments below
      return unaryValue(u);
  }
  if (const auto *b = dyn_cast<BinaryOperator>(e); b && b->isAssignmentOp())
    return binaryValue(b);
  if (const auto *m = dyn_cast<MemberExpr>(e))
    if (const auto *f = dyn_cast<FieldDecl>(m->getMemberDecl())) {
      NodeP of = m->isArrow()
                     ? lvalueNode(Kind::Element, m->getBase(), {value(m->getBase()), number(0)})
                     : lvalue(m->getBase());
      Node n = *lvalueNode(Kind::Member, e, {of});
      n.name = f->getNameAsString();
      if (const ASTRecordLayout *layout = f->getParent()->isDependentType()
                                              ? nullptr
                                              : &context.getASTRecordLayout(f->getParent()))
        n.integer = int64_t(layout->getFieldOffset(f->getFieldIndex()) / 8);
      return made(n);
    }
  if (const auto *c = dyn_cast<CastExpr>(e);
      c && (c->getCastKind() == CK_NoOp || c->getCastKind() == CK_LValueBitCast))
    return lvalue(c->getSubExpr());
  if (e->isGLValue())
    return others(e);
  return value(e);
}

NodeP WrittenReader::loaded(NodeP from, const clang::Expr *e) {
  Node n = node(Kind::Load, e, {from});
  n.bytes = bytesOf(e->getType());
  n.type = e->getType().getCanonicalType().getUnqualifiedType().getAsString();
  if (e->getType()->isPointerType())
    n.integer = std::max<int64_t>(bytesOf(e->getType()->getPointeeType()), 1);
  return made(n);
}

NodeP WrittenReader::castValue(const CastExpr *c) {
  const clang::Expr *sub = c->getSubExpr();
  switch (c->getCastKind()) {
  case CK_LValueToRValue:
    return loaded(lvalue(sub), c);
  case CK_ArrayToPointerDecay: {
    Node n = node(Kind::Address, c, {lvalue(sub)});
    n.bytes = bytesOf(c->getType()->getPointeeType());
    n.isFirst = true;
    return made(n);
  }
  case CK_BitCast:
  case CK_AddressSpaceConversion: {
    Node n = node(Kind::Pointer, c, {value(sub)});
    n.bytes = c->getType()->isPointerType() ? bytesOf(c->getType()->getPointeeType()) : 0;
    n.type = c->getType()->isPointerType()
                 ? c->getType()->getPointeeType().getUnqualifiedType().getAsString()
                 : "";
    return n.bytes && c->getType()->isPointerType() ? made(n) : n.args[0];
  }
  case CK_NoOp:
  case CK_IntegralCast:
  case CK_IntegralToBoolean:
  case CK_UserDefinedConversion:
  case CK_ConstructorConversion:
    return sub->isGLValue() ? loaded(lvalue(sub), c) : value(sub);
  default:
    return made(node(Kind::Other, c, {sub->isGLValue() ? lvalue(sub) : value(sub)}));
  }
}

NodeP WrittenReader::unaryValue(const UnaryOperator *u) {
  if (u->isIncrementDecrementOp()) {
    Node n = node(Kind::Assign, u, {lvalue(u->getSubExpr()), number(1)});
    n.name = u->isIncrementOp() ? "+" : "-";
    n.isOld = u->isPostfix();
    return made(n);
  }
  if (u->getOpcode() == UO_AddrOf)
    return made(node(Kind::Address, u, {lvalue(u->getSubExpr())}));
  if (u->getOpcode() == UO_Plus || u->getOpcode() == UO_Extension)
    return value(u->getSubExpr());
  Node n = node(Kind::Operator, u, {value(u->getSubExpr())});
  n.name = UnaryOperator::getOpcodeStr(u->getOpcode()).str();
  return made(n);
}

NodeP WrittenReader::binaryValue(const BinaryOperator *b) {
  if (b->isAssignmentOp()) {
    Node n = node(Kind::Assign, b, {lvalue(b->getLHS()), value(b->getRHS())});
    if (b->isCompoundAssignmentOp())
      n.name = b->getOpcodeStr().drop_back().str();
    return made(n);
  }
  Node n = node(
      Kind::Operator, b,
      {b->getLHS()->isGLValue() ? lvalue(b->getLHS()) : value(b->getLHS()), value(b->getRHS())});
  n.name = b->getOpcodeStr().str();
  return made(n);
}

NodeP WrittenReader::callValue(const CallExpr *c) {
  const FunctionDecl *callee = c->getDirectCallee();
  if (const auto *o = dyn_cast<CXXOperatorCallExpr>(c)) {
    if (o->getOperator() == OO_Equal && c->getNumArgs() == 2)
      return made(node(Kind::Assign, c,
                       {lvalue(c->getArg(0)), c->getArg(1)->isGLValue()
                                                  ? loaded(lvalue(c->getArg(1)), c->getArg(1))
                                                  : value(c->getArg(1))}));
    return others(c);
  }
  if (!callee || isa<CXXMemberCallExpr>(c))
    return others(c);
  Node n = node(Kind::Call, c);
  n.name = callee->getNameAsString();
  const FunctionDecl *definition = nullptr;
  bool isOurs = callee->hasBody(definition) &&
                !sources.isInSystemHeader(definition->getLocation()) &&
                !definition->isDependentContext();
  for (unsigned k = 0; k < c->getNumArgs(); k++) {
    const clang::Expr *a = c->getArg(k);
    bool isValue = !a->isGLValue(), isOnlyRead = !isOurs && a->getType().isConstQualified();
    n.args.push_back(isValue      ? value(a)
                     : isOnlyRead ? loaded(lvalue(a), a)
                                  : made(node(Kind::Address, a, {lvalue(a)})));
  }
  n.type = c->getType().getCanonicalType().getUnqualifiedType().getAsString();
  n.bytes = bytesOf(c->getType());
  if (c->getNumArgs() > 0 && c->getArg(0)->getType()->isPointerType()) // what an atomic touches
    n.integer = bytesOf(c->getArg(0)->getType()->getPointeeType());
  if (isOurs)
    n.function = function(definition);
  return made(n);
}

NodeP WrittenReader::value(const clang::Expr *e) {
  e = bare(e);
  if (NodeP index = threadIndex(e))
    return index;
  clang::Expr::EvalResult reduced;
  if (e->getType()->isIntegralOrEnumerationType() && !e->isValueDependent() && !e->isGLValue() &&
      e->EvaluateAsInt(reduced, context, clang::Expr::SE_NoSideEffects) &&
      reduced.Val.getInt().getSignificantBits() <= 64) {
    Node n = node(Kind::Number, e);
    n.integer = reduced.Val.getInt().getExtValue();
    return made(n);
  }
  if (const auto *c = dyn_cast<CastExpr>(e))
    return castValue(c);
  if (const auto *u = dyn_cast<UnaryOperator>(e))
    return u->getOpcode() == UO_Deref ? lvalue(e) : unaryValue(u);
  if (const auto *b = dyn_cast<BinaryOperator>(e))
    return binaryValue(b);
  if (const auto *c = dyn_cast<ConditionalOperator>(e)) {
    auto side = [&](const clang::Expr *x) {
      return x->isGLValue() ? loaded(lvalue(x), x) : value(x);
    };
    Node n = node(Kind::Operator, e,
                  {value(c->getCond()), side(c->getTrueExpr()), side(c->getFalseExpr())});
    n.name = "?:";
    return made(n);
  }
  if (const auto *c = dyn_cast<CallExpr>(e))
    return callValue(c);
  if (const auto *c = dyn_cast<CXXConstructExpr>(e);
      c && c->getNumArgs() == 1 && c->getConstructor()->isCopyOrMoveConstructor())
    return c->getArg(0)->isGLValue() ? loaded(lvalue(c->getArg(0)), c->getArg(0))
                                     : value(c->getArg(0));
  return e->isGLValue() && isa<DeclRefExpr, ArraySubscriptExpr, MemberExpr>(e) ? lvalue(e)
                                                                               : others(e);
}

} // namespace nw
