// Expressions of Clang to typed trees: every implicit conversion becomes a cast, every assignment
// inside an expression is moved in front of it where C's order of evaluation allows.
#include "frontend/c/convert.h"
#include "frontend/c/math_functions.h"
#include "clang/AST/Attr.h"
#include "clang/AST/Decl.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/RecordLayout.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include <fmt/format.h>

using namespace clang;

namespace nw {

static std::string sourceText(const clang::Expr *e, const ASTContext &context) {
  return Lexer::getSourceText(CharSourceRange::getTokenRange(e->getSourceRange()),
                              context.getSourceManager(), context.getLangOpts())
      .str();
}

ExprP Converter::variableRef(const VarDecl *v, SourceLocation where) {
  if (auto found = substitution.find(v); found != substitution.end())
    return found->second;
  std::string name = nameOf(v);
  if (inKernel && v->hasGlobalStorage())
    refuse("NW0121", where,
           "the kernel uses '" + name + "', a device variable that is not a kernel argument",
           "pass its address, or its value, as an argument");
  if (!variables.count(name)) {
    if (inDeviceFunction && v->hasGlobalStorage())
      refuse("NW0105", where, "the called function uses the global variable '" + name + "'",
             "pass it as an argument, or make the function a single return statement");
    variables.emplace(name, describe(v, name));
  }
  return nw::at(var(name, variables[name].type), locate(where));
}

// A chain such as m->cells or s.count whose root never changes here: evaluated once, before the
// region.
bool Converter::isInvariantChain(const clang::Expr *e) const {
  e = e->IgnoreParenImpCasts();
  if (const auto *m = dyn_cast<MemberExpr>(e)) {
    const auto *f = dyn_cast<FieldDecl>(m->getMemberDecl());
    return f && !modifiedFields.count(f->getCanonicalDecl()) && isInvariantChain(m->getBase());
  }
  if (const auto *u = dyn_cast<UnaryOperator>(e); u && u->getOpcode() == UO_Deref)
    return isInvariantChain(u->getSubExpr());
  if (isa<CXXThisExpr>(e))
    return true;
  if (const auto *s = dyn_cast<ArraySubscriptExpr>(e))
    return isInvariantChain(s->getBase()) && s->getIdx()->isIntegerConstantExpr(context);
  if (const auto *d = dyn_cast<DeclRefExpr>(e))
    if (const auto *v = dyn_cast<VarDecl>(d->getDecl()))
      return !modified.count(v) && !inside.count(v) && !v->getType().isVolatileQualified();
  return false;
}

// A stand-in variable for an invariant chain; its `spelling` is the chain's text.
ExprP Converter::invariant(const clang::Expr *e, bool isPointer) {
  if (inDeviceFunction || inKernel || !inlining.empty() ||
      !isInvariantChain(e)) // what is in a device's memory cannot be read before a kernel
    return nullptr;
  std::string text = sourceText(e, context);
  if (text.empty() || e->getBeginLoc().isMacroID())
    return nullptr;
  for (auto &[name, v] : variables)
    if (v.spelling == text)
      return var(name, v.type);
  Variable v;
  v.spelling = text;
  // Every pointer on the way must be there before the chain may be evaluated ahead of the nest.
  for (const clang::Expr *x = e->IgnoreParenImpCasts();;) {
    const clang::Expr *base = nullptr;
    bool isPointerStep = false;
    if (const auto *m = dyn_cast<MemberExpr>(x)) {
      if (const auto *f = dyn_cast<FieldDecl>(m->getMemberDecl()); f && f->isBitField())
        return nullptr;
      base = m->getBase()->IgnoreParenImpCasts();
      isPointerStep = m->isArrow();
    } else if (const auto *s = dyn_cast<ArraySubscriptExpr>(x)) {
      base = s->getBase()->IgnoreParenImpCasts();
      isPointerStep = base->getType()->isPointerType();
    } else if (const auto *u = dyn_cast<UnaryOperator>(x); u && u->getOpcode() == UO_Deref) {
      base = u->getSubExpr()->IgnoreParenImpCasts();
      isPointerStep = true;
    } else {
      break;
    }
    if (isPointerStep && !isa<CXXThisExpr>(base))
      v.guard = "(" + sourceText(base, context) + ")" + (v.guard.empty() ? "" : " && " + v.guard);
    x = base;
  }
  std::string wish;
  for (char c : text)
    wish += isalnum(c) ? c : '_';
  QualType t = e->getType();
  if (isPointer) {
    v.isPointer = true;
    t = t->getPointeeType();
    v.isConst = false;
    v.extents.push_back(nullptr);
    while (const auto *a = context.getAsArrayType(t)) {
      if (const auto *c = dyn_cast<ConstantArrayType>(a))
        v.extents.push_back(intConst(c->getSize().getSExtValue()));
      else
        return nullptr;
      t = a->getElementType();
    }
    if (t->isPointerType())
      return nullptr;
  }
  v.type = typeOfValue(t, e->getExprLoc());
  v.name = fresh(wish);
  v.storage = Storage::Global;
  variables.emplace(v.name, v);
  return var(v.name, v.type);
}

Converter::Pointer Converter::pointer(const clang::Expr *e, Prelude *out) {
  e = e->IgnoreParens();
  if (const auto *c = dyn_cast<CastExpr>(e)) {
    switch (c->getCastKind()) {
    case CK_ArrayToPointerDecay:
      return {lvalue(c->getSubExpr(), out), nullptr};
    case CK_NoOp:
      return pointer(c->getSubExpr(), out);
    case CK_LValueToRValue: {
      const clang::Expr *sub = c->getSubExpr()->IgnoreParens();
      if (const auto *d = dyn_cast<DeclRefExpr>(sub))
        if (const auto *v = dyn_cast<VarDecl>(d->getDecl())) {
          if (auto row = rows.find(v); row != rows.end())
            return row->second;
          if (inside.count(v) || modified.count(v))
            refuse("NW0103", d->getLocation(),
                   "the pointer '" + v->getNameAsString() +
                       "' changes in or before the nest in ways that cannot be followed",
                   "index the array directly");
          return {variableRef(v, d->getLocation()), nullptr};
        }
      if (ExprP chain = invariant(sub, true))
        return {chain, nullptr};
      refuse("NW0103", e->getExprLoc(), "the array is reached through a pointer loaded from memory",
             "copy the pointer to a local variable before the nest");
    }
    default:
      break;
    }
    if (c->getCastKind() == CK_BitCast &&
        context.hasSameUnqualifiedType(c->getType()->getPointeeType(),
                                       c->getSubExpr()->getType()->getPointeeType()))
      return pointer(c->getSubExpr(), out);
    refuse("NW0103", e->getExprLoc(),
           "a pointer is converted here in a way that cannot be followed");
  }
  if (const auto *b = dyn_cast<BinaryOperator>(e);
      b && (b->getOpcode() == BO_Add || b->getOpcode() == BO_Sub)) {
    bool pointerLeft = b->getLHS()->getType()->isPointerType();
    if (!pointerLeft && b->getOpcode() == BO_Sub)
      refuse("NW0103", e->getExprLoc(), "unexpected pointer arithmetic");
    Pointer p = pointer(pointerLeft ? b->getLHS() : b->getRHS(), out);
    ExprP offset = cast(value(pointerLeft ? b->getRHS() : b->getLHS(), out), kI64);
    if (b->getOpcode() == BO_Sub)
      offset = unary("-", offset, kI64);
    p.offset = p.offset ? binary("+", p.offset, offset, kI64) : offset;
    return p;
  }
  if (const auto *u = dyn_cast<UnaryOperator>(e); u && u->getOpcode() == UO_AddrOf) {
    if (const auto *s = dyn_cast<ArraySubscriptExpr>(u->getSubExpr()->IgnoreParens())) {
      Pointer p = pointer(s->getBase(), out);
      ExprP offset = cast(value(s->getIdx(), out), kI64);
      p.offset = p.offset ? binary("+", p.offset, offset, kI64) : offset;
      return p;
    }
  }
  refuse("NW0103", e->getExprLoc(), "this pointer expression cannot be followed to an array",
         "index a named array directly");
}

ExprP Converter::lvalue(const clang::Expr *e, Prelude *out) {
  e = e->IgnoreParens();
  if (inKernel)
    if (ExprP index = threadIndex(e))
      return index;
  auto indexed = [&](Pointer p, ExprP subscript) {
    if (p.offset) // keep A[i] plain; (p + o)[i] becomes p[o + i]
      subscript = subscript ? binary("+", p.offset, cast(subscript, kI64), kI64) : p.offset;
    if (!subscript)
      subscript = intConst(0);
    QualType t = e->getType();
    while (const auto *a = context.getAsArrayType(t))
      t = a->getElementType();
    return nw::at(index(p.base, subscript, typeOfValue(t, e->getExprLoc())),
                  locate(e->getExprLoc()));
  };
  if (const auto *d = dyn_cast<DeclRefExpr>(e)) {
    if (const auto *v = dyn_cast<VarDecl>(d->getDecl()))
      return variableRef(v, d->getLocation());
  } else if (const auto *s = dyn_cast<ArraySubscriptExpr>(e)) {
    if (s->getBase()->getType()->isVectorType())
      refuse("NW0102", e->getExprLoc(), "vector types are not supported on devices");
    Pointer p = pointer(s->getBase(), out);
    return indexed(p, value(s->getIdx(), out));
  } else if (const auto *u = dyn_cast<UnaryOperator>(e); u && u->getOpcode() == UO_Deref) {
    return indexed(pointer(u->getSubExpr(), out), nullptr);
  } else if (const auto *m = dyn_cast<MemberExpr>(e)) {
    const auto *f = dyn_cast<FieldDecl>(m->getMemberDecl());
    if (!f)
      refuse("NW0102", e->getExprLoc(), "this member is not a data field");
    if (!f->getType()->isArrayType() && !f->getType()->isRecordType() &&
        !f->getType().isVolatileQualified() && isInvariantChain(m->getBase()) && m->isArrow())
      if (ExprP chain = invariant(m, false))
        return chain;
    QualType t = f->getType();
    while (const auto *a = context.getAsArrayType(t))
      t = a->getElementType();
    ExprP base = m->isArrow() ? nullptr : lvalue(m->getBase(), out);
    if (m->isArrow()) {
      Pointer p = pointer(m->getBase(), out);
      QualType pointee = m->getBase()->getType()->getPointeeType();
      base =
          index(p.base, p.offset ? p.offset : intConst(0), typeOfValue(pointee, e->getExprLoc()));
    }
    return nw::at(member(base, f->getNameAsString(), typeOfValue(t, e->getExprLoc())),
                  locate(e->getExprLoc()));
  }
  refuse("NW0103", e->getExprLoc(), "this object cannot be followed to a variable or an array");
}

ExprP Converter::castValue(const clang::Expr *e, Prelude *out) {
  const auto *c = cast<CastExpr>(e);
  switch (c->getCastKind()) {
  case CK_LValueToRValue: {
    const clang::Expr *sub = c->getSubExpr()->IgnoreParens();
    Type type = typeOfValue(sub->getType(), sub->getExprLoc());
    if (const auto *s = dyn_cast<ArraySubscriptExpr>(sub);
        s && isa<StringLiteral>(s->getBase()->IgnoreParenImpCasts())) {
      clang::Expr::EvalResult letter; // "abc"[1]
      if (c->EvaluateAsInt(letter, context))
        return intConst(letter.Val.getInt().getSExtValue(), type);
    }
    if (isa<ConditionalOperator>(sub)) // in C++ it is an object where both of its values are
      return value(sub, out);
    return lvalue(sub, out);
  }
  case CK_NoOp:
  case CK_ToVoid:
    return value(c->getSubExpr(), out);
  case CK_IntegralCast:
  case CK_FloatingCast:
  case CK_IntegralToFloating:
  case CK_FloatingToIntegral:
  case CK_BooleanToSignedIntegral:
    return nw::cast(value(c->getSubExpr(), out), typeOfValue(c->getType(), e->getExprLoc()));
  case CK_IntegralToBoolean:
  case CK_FloatingToBoolean: {
    ExprP v = value(c->getSubExpr(), out);
    ExprP zero = v->type.isFloat() ? floatConst(0, v->type) : intConst(0, v->type);
    return nw::cast(binary("!=", v, zero, kI32), typeOf(Scalar::Bool));
  }
  default:
    refuse("NW0102", e->getExprLoc(), "this conversion has no counterpart on a device");
  }
}

ExprP Converter::unaryValue(const clang::Expr *e, Prelude *out) {
  const auto *u = cast<UnaryOperator>(e);
  Type type = typeOfValue(u->getType(), e->getExprLoc());
  switch (u->getOpcode()) {
  case UO_Plus:
    return value(u->getSubExpr(), out);
  case UO_Minus:
    return unary("-", value(u->getSubExpr(), out), type);
  case UO_Not:
    return unary("~", value(u->getSubExpr(), out), type);
  case UO_LNot:
    return unary("!", value(u->getSubExpr(), out), kI32);
  case UO_Extension:
    return value(u->getSubExpr(), out);
  case UO_Deref:
    return lvalue(u, out);
  case UO_PreInc:
  case UO_PreDec:
    if (!out)
      break;
    assignment(u, *out);
    return lvalue(u->getSubExpr(), out);
  case UO_PostInc:
  case UO_PostDec: {
    if (!out)
      break;
    ExprP target = lvalue(u->getSubExpr(), out);
    std::string old = fresh("old");
    out->push_back(declare(old, target->type, {}, {target}, locate(e->getExprLoc())));
    Variable v;
    v.name = v.spelling = old;
    v.type = target->type;
    v.inside = true;
    variables.emplace(old, v);
    assignment(u, *out);
    return var(old, target->type);
  }
  default:
    break;
  }
  refuse("NW0104", e->getExprLoc(),
         "this operator has a side effect that cannot be moved to a separate statement",
         "write the assignment as a separate statement");
}

ExprP Converter::binaryValue(const clang::Expr *e, Prelude *out) {
  const auto *b = cast<BinaryOperator>(e);
  if (b->isAssignmentOp()) {
    if (!out)
      refuse("NW0104", e->getExprLoc(), "this assignment is evaluated only under a condition",
             "write it as a separate statement");
    assignment(b, *out);
    return lvalue(b->getLHS(), out);
  }
  if (b->getOpcode() == BO_Comma) {
    if (!out)
      refuse("NW0104", e->getExprLoc(), "this comma operator is evaluated only under a condition");
    StmtP first = effects(b->getLHS());
    out->push_back(first);
    return value(b->getRHS(), out);
  }
  if (b->getLHS()->getType()->isPointerType() || b->getRHS()->getType()->isPointerType())
    refuse("NW0103", e->getExprLoc(), "pointers are compared or subtracted here");
  Type type = typeOfValue(b->getType(), e->getExprLoc());
  bool lazy = b->isLogicalOp();
  ExprP left = value(b->getLHS(), lazy ? nullptr : out);
  ExprP right = value(b->getRHS(), lazy ? nullptr : out);
  std::string op = b->getOpcodeStr().str();
  if (b->isComparisonOp() || lazy)
    type = kI32;
  return nw::at(binary(op, left, right, type), locate(b->getOperatorLoc()));
}

ExprP Converter::value(const clang::Expr *e, Prelude *out) {
  e = e->IgnoreParens();
  if (inKernel)
    if (ExprP index = threadIndex(e))
      return index;
  SourceLocation where = e->getExprLoc();
  QualType t = e->getType();
  if (t->isIntegralOrEnumerationType() && !isa<DeclRefExpr>(e) && !e->isValueDependent()) {
    clang::Expr::EvalResult result;
    bool literal = e->isIntegerConstantExpr(context);
    if (literal && e->EvaluateAsInt(result, context)) {
      Type type = typeOfValue(t, where);
      const llvm::APSInt &v = result.Val.getInt();
      return nw::at(intConst(v.isUnsigned() ? int64_t(v.getZExtValue()) : v.getSExtValue(), type),
                    locate(where));
    }
  }
  if (const auto *f = dyn_cast<FloatingLiteral>(e))
    return floatConst(f->getValueAsApproximateDouble(), typeOfValue(t, where));
  if (const auto *d = dyn_cast<DeclRefExpr>(e)) {
    if (const auto *k = dyn_cast<EnumConstantDecl>(d->getDecl()))
      return intConst(k->getInitVal().isUnsigned() ? int64_t(k->getInitVal().getZExtValue())
                                                   : k->getInitVal().getSExtValue(),
                      typeOfValue(t, where));
    return lvalue(e, out);
  }
  if (isa<CastExpr>(e))
    return castValue(e, out);
  if (isa<UnaryOperator>(e))
    return unaryValue(e, out);
  if (isa<BinaryOperator>(e))
    return binaryValue(e, out);
  if (const auto *c = dyn_cast<ConditionalOperator>(e)) {
    ExprP cond = value(c->getCond(), out);
    return select(cond, value(c->getTrueExpr(), nullptr), value(c->getFalseExpr(), nullptr),
                  typeOfValue(t, where));
  }
  if (isa<CallExpr>(e))
    return callValue(e, out);
  if (isa<ArraySubscriptExpr>(e) || isa<MemberExpr>(e))
    return lvalue(e, out);
  if (const auto *d = dyn_cast<CXXDefaultArgExpr>(e))
    return value(d->getExpr(), out);
  if (const auto *k = dyn_cast<ConstantExpr>(e))
    return value(k->getSubExpr(), out);
  refuse("NW0104", where,
         std::string("this expression (") + e->getStmtClassName() + ") cannot run on a device");
}

} // namespace nw
