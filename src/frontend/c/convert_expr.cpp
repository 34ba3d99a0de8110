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

Type Converter::typeOfValue(QualType t, SourceLocation at) {
  t = t.getCanonicalType();
  if (t.isVolatileQualified())
    refuse("NW0101", at,
           "a volatile object is accessed here; every access must happen, in order, on the host");
  if (t->isAtomicType())
    refuse("NW0101", at, "an atomic object is accessed here; its accesses must stay on the host");
  if (const auto *e = t->getAs<EnumType>()) {
    if (e->getDecl()->getDefinitionOrSelf()->getIntegerType().isNull())
      refuse("NW0102", at, "this enumeration has no complete type");
    return typeOfValue(e->getDecl()->getDefinitionOrSelf()->getIntegerType(), at);
  }
  if (const auto *r = t->getAsRecordDecl()) {
    return Type{Scalar::Void, structOf(r, at)};
  }
  if (const auto *b = t->getAs<BuiltinType>()) {
    switch (b->getKind()) {
    case BuiltinType::Void:
      return typeOf(Scalar::Void);
    case BuiltinType::Bool:
      return typeOf(Scalar::Bool);
    case BuiltinType::Char_S:
    case BuiltinType::SChar:
      return typeOf(Scalar::I8);
    case BuiltinType::Char_U:
    case BuiltinType::UChar:
    case BuiltinType::Char8:
      return typeOf(Scalar::U8);
    case BuiltinType::Short:
      return typeOf(Scalar::I16);
    case BuiltinType::UShort:
    case BuiltinType::Char16:
      return typeOf(Scalar::U16);
    case BuiltinType::Int:
      return typeOf(Scalar::I32);
    case BuiltinType::WChar_S:
      return typeOf(context.getTypeSize(t) == 32 ? Scalar::I32 : Scalar::I16);
    case BuiltinType::WChar_U:
      return typeOf(context.getTypeSize(t) == 32 ? Scalar::U32 : Scalar::U16);
    case BuiltinType::UInt:
    case BuiltinType::Char32:
      return typeOf(Scalar::U32);
    case BuiltinType::Long:
      return typeOf(context.getTypeSize(t) == 64 ? Scalar::I64 : Scalar::I32);
    case BuiltinType::ULong:
      return typeOf(context.getTypeSize(t) == 64 ? Scalar::U64 : Scalar::U32);
    case BuiltinType::LongLong:
      return typeOf(Scalar::I64);
    case BuiltinType::ULongLong:
      return typeOf(Scalar::U64);
    case BuiltinType::Float:
      return typeOf(Scalar::F32);
    case BuiltinType::Double:
      return typeOf(Scalar::F64);
    default:
      break;
    }
  }
  refuse("NW0102", at, "values of type '" + t.getAsString() + "' have no counterpart on a device",
         "use float, double or an integer type of at most 64 bits");
}

// How a device aligns values of the type: numbers to their size, structs as the widest of theirs.
int64_t Converter::naturalAlignment(const Type &type) const {
  if (!type.isStruct())
    return bytesOf(type.scalar);
  int64_t widest = 1;
  for (const Struct &s : structs)
    if (s.name == type.structName)
      for (const Field &f : s.fields)
        widest = std::max(widest, naturalAlignment(f.type));
  return widest;
}

// Adds the struct, after those inside it, to `structs`; its name there.
std::string Converter::structOf(const RecordDecl *r, SourceLocation at) {
  r = r->getDefinition();
  if (!r)
    refuse("NW0102", at, "this struct is not defined here");
  std::string name = r->getNameAsString();
  if (name.empty()) {
    if (const auto *t = r->getTypedefNameForAnonDecl())
      name = t->getNameAsString();
    else
      refuse("NW0102", at, "a struct without a name is accessed here",
             "give it a tag or a typedef name");
  }
  // Structs of one name in different scopes are different structs.
  if (r->getParentFunctionOrMethod())
    name += "_L" + std::to_string(locate(r->getLocation()).line);
  else if (context.getLangOpts().CPlusPlus && !r->getDeclContext()->isTranslationUnit()) {
    name = r->getQualifiedNameAsString();
    for (char &c : name)
      c = isalnum(c) ? c : '_';
  }
  for (const Struct &known : structs)
    if (known.name == name)
      return name;
  if (r->isUnion())
    refuse("NW0102", at, "unions are not supported on devices");
  if (const auto *cxx = dyn_cast<CXXRecordDecl>(r);
      cxx && (!cxx->isStandardLayout() || !cxx->isTriviallyCopyable()))
    refuse("NW0102", at, "class '" + name + "' is not a plain struct");
  Struct made;
  made.name = name;
  made.size = context.getASTRecordLayout(r).getSize().getQuantity();
  constexpr int64_t kLargestStruct = 1 << 24; // its scalars are counted in int
  if (made.size > kLargestStruct)
    refuse("NW0102", at, "struct '" + name + "' is larger than 16 MiB",
           "use arrays outside structs");
  if (r->hasAttr<PackedAttr>() || r->hasAttr<AlignedAttr>())
    refuse("NW0102", at, "struct '" + name + "' has a packed or aligned layout");
  int64_t end = 0, alignment = 1; // as a device lays the fields out
  for (const FieldDecl *f : r->fields()) {
    if (f->isBitField())
      refuse("NW0102", at, "struct '" + name + "' has bit-fields");
    Field field;
    field.name = f->getNameAsString();
    QualType t = f->getType();
    while (const auto *a = context.getAsConstantArrayType(t)) {
      field.extents.push_back(a->getSize().getSExtValue());
      t = a->getElementType();
    }
    if (t->isPointerType() || t->isArrayType() || f->hasAttr<AlignedAttr>())
      refuse("NW0102", at, "struct '" + name + "' contains the pointer '" + field.name + "'",
             "keep the data of a nest in arrays of plain structs");
    field.type = typeOfValue(t, at);
    made.fields.push_back(field);
    int64_t own = naturalAlignment(field.type);
    end = (end + own - 1) / own * own;
    alignment = std::max(alignment, own);
    if (context.toCharUnitsFromBits(context.getFieldOffset(f)).getQuantity() != end)
      refuse("NW0102", at, "struct '" + name + "' has a packed or aligned layout");
    end += context.getTypeSizeInChars(f->getType()).getQuantity();
  }
  if ((end + alignment - 1) / alignment * alignment != made.size)
    refuse("NW0102", at, "struct '" + name + "' has a packed or aligned layout");
  structs.push_back(made);
  return name;
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

// Whether a function without a visible body is what the standard says of its name. In C++ other
// namespaces may have functions of that name, and -fno-builtin lets a program bring its own.
bool Converter::isFromLibrary(const FunctionDecl *callee) const {
  const LangOptions &language = context.getLangOpts();
  if (language.NoBuiltin || language.isNoBuiltinFunc(callee->getNameAsString()))
    return false;
  return !language.CPlusPlus || language.CUDA || callee->isInStdNamespace() ||
         callee->isExternC() || context.getSourceManager().isInSystemHeader(callee->getLocation());
}

// A call of a function of math.h or stdlib.h. The overloads of C++ take integers where the result
// is a number, and have abs for numbers.
static ExprP mathCall(const std::string &name, std::vector<ExprP> args, const Type &type) {
  for (ExprP &a : args)
    a = nw::cast(a, type);
  return call(name == "abs" && type.isFloat() ? "fabs" : name, args, type);
}

ExprP Converter::callValue(const clang::Expr *e, Prelude *out) {
  const auto *c = cast<CallExpr>(e);
  const FunctionDecl *callee = c->getDirectCallee();
  SourceLocation where = e->getExprLoc();
  if (!callee)
    refuse("NW0106", where, "a function is called through a pointer, so its effects are unknown",
           "call it by name");
  std::string name = callee->getNameAsString();
  Type type = typeOfValue(e->getType(), where);
  std::vector<ExprP> args;
  if (context.getLangOpts().CUDA)
    if (ExprP known = deviceCall(e, out))
      return known;
  const FunctionDecl *definition = nullptr;
  bool own = callee->hasBody(definition) &&
             !context.getSourceManager().isInSystemHeader(definition->getLocation());
  if (!own) {
    std::optional<std::string> math;
    if (isFromLibrary(callee))
      math = mathFunction(name);
    if (!math)
      refuse("NW0106", where,
             "'" + name + "' is called, but its body is not visible here; it may have side effects",
             "move the call out of the nest, or make the function's definition visible");
    for (const clang::Expr *a : c->arguments())
      args.push_back(value(a, out));
    return nw::at(mathCall(*math, args, type), locate(where));
  }
  if (!definition)
    refuse("NW0106", where, "'" + name + "' has no visible body");
  if (std::find(inlining.begin(), inlining.end(), definition) != inlining.end() ||
      definition == function)
    refuse("NW0105", where, "'" + name + "' is recursive");
  constexpr size_t kDeepestCalls = 200;
  if (inlining.size() > kDeepestCalls)
    refuse(
        "NW0105", where,
        fmt::format("'{}' is called through a chain of more than {} calls", name, kDeepestCalls));
  if (definition->isVariadic() || isa<CXXMethodDecl>(definition))
    refuse("NW0105", where, "calls of '" + name + "' cannot be inlined");
  auto savedSubstitution = substitution;
  std::vector<std::pair<const VarDecl *, ExprP>> bound;
  bool pointers = false;
  for (unsigned k = 0; k < definition->getNumParams(); k++) {
    const ParmVarDecl *p = definition->getParamDecl(k);
    pointers |= p->getType()->isPointerType() || p->getType()->isReferenceType();
    if (pointers)
      refuse("NW0105", where, "'" + name + "' takes a pointer",
             "pass values, or write the function's body into the nest");
    args.push_back(
        nw::cast(value(c->getArg(k), out), typeOfValue(p->getType().getUnqualifiedType(), where)));
    bound.push_back({p, args.back()});
  }
  // A body that only returns an expression, perhaps by cases, is substituted: its accesses stay
  // visible.
  const auto *body = dyn_cast<CompoundStmt>(definition->getBody());
  inlining.push_back(definition);
  for (auto &[p, a] : bound)
    substitution[p] = a;
  ExprP inlined;
  if (body && !notInlined.count(definition)) {
    refuseDeep(body);
    std::vector<const clang::Stmt *> list(body->body_begin(), body->body_end());
    inlined = returned(list, 8);
  }
  inlining.pop_back();
  substitution = savedSubstitution;
  constexpr int kMostInlined = 3000; // nodes
  if (inlined) {
    int nodes = 0;
    walk(inlined, [&](const ExprP &) { return ++nodes < kMostInlined; });
    if (nodes < kMostInlined)
      return nw::cast(inlined, type);
  }
  // Where it is not because of the arguments, trying again at each of its calls would take
  // exponentially long.
  int ownNodes = inlined ? 0 : kMostInlined;
  if (inlined)
    walk(inlined, [&](const ExprP &x) {
      return ++ownNodes < kMostInlined && std::count(args.begin(), args.end(), x) == 0;
    });
  if (ownNodes >= kMostInlined)
    notInlined.insert(definition);
  return nw::at(call(deviceFunction(definition, where), args, type), locate(where));
}

// The value of a function body made of returns and ifs alone; null where it is anything else.
ExprP Converter::returned(llvm::ArrayRef<const clang::Stmt *> list, int budget) {
  if (list.empty() || budget == 0)
    return nullptr;
  const clang::Stmt *first = list[0];
  if (const auto *b = dyn_cast<CompoundStmt>(first)) {
    std::vector<const clang::Stmt *> all(b->body_begin(), b->body_end());
    all.insert(all.end(), list.begin() + 1, list.end());
    return returned(all, budget);
  }
  if (const auto *r = dyn_cast<ReturnStmt>(first))
    return r->getRetValue() ? value(r->getRetValue(), nullptr) : nullptr;
  if (const auto *i = dyn_cast<IfStmt>(first)) {
    if (i->getConditionVariable() || i->getInit())
      return nullptr;
    ExprP then = returned({i->getThen()}, budget - 1);
    std::vector<const clang::Stmt *> rest;
    if (i->getElse())
      rest.push_back(i->getElse());
    rest.insert(rest.end(), list.begin() + 1, list.end());
    ExprP otherwise = then ? returned(rest, budget - 1) : nullptr;
    if (!otherwise)
      return nullptr;
    return select(value(i->getCond(), nullptr), then, otherwise, then->type);
  }
  return nullptr;
}

} // namespace nw
