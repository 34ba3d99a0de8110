// Variables of a function as the trees know them: names, extents, and which of them a function
// changes.
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

namespace {

// Which variables of a function are assigned (other than as the counter in a for header), and whose
// address is taken.
class Effects : public RecursiveASTVisitor<Effects> {
public:
  std::set<const VarDecl *> modified, addressTaken, counters;
  std::set<const FieldDecl *> modifiedFields;

  bool VisitBinaryOperator(BinaryOperator *b) {
    if (b->isAssignmentOp() && !headers.count(b))
      note(b->getLHS());
    return true;
  }
  bool VisitUnaryOperator(UnaryOperator *u) {
    if (u->isIncrementDecrementOp() && !headers.count(u))
      note(u->getSubExpr());
    if (u->getOpcode() == UO_AddrOf)
      escapes(u->getSubExpr());
    return true;
  }
  // An array that is handed on, other than to be indexed, may be read through that pointer later.
  bool VisitArraySubscriptExpr(ArraySubscriptExpr *s) {
    indexed.insert(s->getBase()->IgnoreParens());
    return true;
  }
  bool VisitImplicitCastExpr(ImplicitCastExpr *c) {
    if (c->getCastKind() == CK_ArrayToPointerDecay && !indexed.count(c))
      escapes(c->getSubExpr());
    return true;
  }
  // References bind without an operator.
  bool VisitVarDecl(VarDecl *v) {
    if (v->getType()->isReferenceType() && v->getInit())
      escapes(v->getInit());
    return true;
  }
  bool VisitCallExpr(CallExpr *call) {
    for (const clang::Expr *a : call->arguments())
      if (a->isGLValue())
        escapes(a);
    return true;
  }
  bool VisitLambdaExpr(LambdaExpr *l) {
    for (const LambdaCapture &c : l->captures())
      if (c.capturesVariable())
        if (const auto *v = dyn_cast<VarDecl>(c.getCapturedVar()))
          addressTaken.insert(v);
    return true;
  }
  bool VisitForStmt(ForStmt *f) {
    if (f->getInit())
      headers.insert(f->getInit());
    if (const auto *d = dyn_cast_or_null<DeclStmt>(f->getInit()))
      for (const Decl *x : d->decls())
        if (const auto *v = dyn_cast<VarDecl>(x))
          counters.insert(v);
    if (const auto *b = dyn_cast_or_null<BinaryOperator>(f->getInit()))
      if (const auto *d = dyn_cast<DeclRefExpr>(b->getLHS()->IgnoreParens()))
        if (const auto *v = dyn_cast<VarDecl>(d->getDecl()))
          counters.insert(v);
    if (f->getInc())
      headers.insert(f->getInc());
    return true;
  }

private:
  void escapes(const clang::Expr *e) {
    e = e->IgnoreParenImpCasts();
    while (true)
      if (const auto *m = dyn_cast<MemberExpr>(e))
        e = m->getBase()->IgnoreParenImpCasts();
      else if (const auto *s = dyn_cast<ArraySubscriptExpr>(e))
        e = s->getBase()->IgnoreParenImpCasts();
      else
        break;
    if (const auto *d = dyn_cast<DeclRefExpr>(e))
      if (const auto *v = dyn_cast<VarDecl>(d->getDecl()))
        addressTaken.insert(v);
  }
  void note(const clang::Expr *e) {
    e = e->IgnoreParens();
    if (const auto *r = e->getType()->getAsRecordDecl())
      for (const FieldDecl *f : r->fields())
        modifiedFields.insert(f->getCanonicalDecl());
    if (const auto *d = dyn_cast<DeclRefExpr>(e))
      if (const auto *v = dyn_cast<VarDecl>(d->getDecl()))
        modified.insert(v);
    if (const auto *m = dyn_cast<MemberExpr>(e))
      if (const auto *f = dyn_cast<FieldDecl>(m->getMemberDecl()))
        modifiedFields.insert(f->getCanonicalDecl());
    while (const auto *s = dyn_cast<ArraySubscriptExpr>(
               e)) // an element of an array field is a change of the field
      e = s->getBase()->IgnoreParenImpCasts();
    if (const auto *m = dyn_cast<MemberExpr>(e))
      if (const auto *f = dyn_cast<FieldDecl>(m->getMemberDecl());
          f && !f->getType()->isPointerType())
        modifiedFields.insert(f->getCanonicalDecl());
  }
  std::set<const clang::Stmt *> headers, indexed;
};

} // namespace

Converter::Converter(ASTContext &context, const FunctionDecl *function)
    : context(context), function(function) {
  Effects effects;
  effects.TraverseStmt(function->getBody());
  modified = std::move(effects.modified);
  addressTaken = std::move(effects.addressTaken);
  modifiedFields = std::move(effects.modifiedFields);
  counters = std::move(effects.counters);
}

void Converter::refuse(const char *code, SourceLocation at, std::string message, std::string help) {
  throw Refusal{code, std::move(message), std::move(help), at};
}

Location Converter::locate(SourceLocation at) const {
  PresumedLoc p = context.getSourceManager().getPresumedLoc(
      context.getSourceManager().getExpansionLoc(at), false);
  return p.isValid() ? Location{int(p.getLine()), int(p.getColumn())} : Location{};
}

std::string Converter::fresh(const std::string &asked) {
  // Names that begin with nw_ are ours, in every later stage.
  std::string wish =
      asked.starts_with("nw_") && !asked.starts_with("nw_device_") ? "user_" + asked : asked;
  std::string name = wish;
  for (int k = 2; usedNames.count(name); k++)
    name = wish + "_" + std::to_string(k);
  usedNames.insert(name);
  return name;
}

std::string Converter::nameOf(const VarDecl *v) {
  v = v->getCanonicalDecl();
  auto [found, isNew] = names.emplace(v, "");
  if (isNew)
    found->second = fresh(v->getNameAsString());
  return found->second;
}

std::vector<std::pair<std::string, const VarDecl *>> Converter::declarations() const {
  std::vector<std::pair<std::string, const VarDecl *>> all;
  for (auto &[decl, name] : names)
    all.push_back({name, decl});
  return all;
}

// An extent of an array type as a tree, or null where it cannot be expressed: it was computed at
// the declaration, so that a variable in it must not have changed since.
ExprP Converter::extentExpr(const clang::Expr *e) {
  std::function<bool(const clang::Stmt *)> changes = [&](const clang::Stmt *s) -> bool {
    if (const auto *d = dyn_cast_or_null<DeclRefExpr>(s))
      if (const auto *v = dyn_cast<VarDecl>(d->getDecl()))
        return modified.count(v) || addressTaken.count(v) ||
               (v->hasGlobalStorage() && !v->getType().isConstQualified());
    for (const clang::Stmt *c : s->children())
      if (c && changes(c))
        return true;
    return false;
  };
  if (e && changes(e))
    return nullptr;
  try {
    return e ? nw::cast(value(e, nullptr), kI64) : nullptr;
  } catch (const Refusal &) {
    return nullptr;
  }
}

// Of a pointer, in the words of a data clause around: n of copy(p[0:n]).
ExprP Converter::saidExtent(const VarDecl *v) {
  if (around.empty() || inDeviceFunction)
    return nullptr;
  const clang::Expr *length = lengthOf(v, around, context);
  return length && isGathered(v, statementOf(around.back())) ? extentExpr(length) : nullptr;
}

Variable Converter::describe(const VarDecl *v, const std::string &name) {
  Variable made;
  made.name = name;
  made.spelling = v->getNameAsString();
  if (context.getLangOpts().CPlusPlus && v->hasGlobalStorage() && !v->isLocalVarDecl())
    if (std::string qualified = v->getQualifiedNameAsString();
        qualified.find('(') == std::string::npos)
      made.spelling = qualified;
  QualType t = v->getType();
  SourceLocation where = v->getLocation();
  if (t->isReferenceType())
    refuse("NW0103", where,
           "'" + made.spelling +
               "' is a reference; what it refers to may be touched under another name too",
           "copy the value to a local variable, or pass a pointer");
  if (t.isVolatileQualified())
    refuse("NW0101", where,
           "'" + made.spelling + "' is volatile; every access must happen, in order, on the host");
  made.storage = v->hasGlobalStorage() ? Storage::Global
                 : isa<ParmVarDecl>(v) ? Storage::Parameter
                                       : Storage::Local;
  made.inside = inside.count(v);
  made.addressKnown = v->hasGlobalStorage() ? !(v->getStorageClass() == SC_Static &&
                                                !addressTaken.count(v) && v->isLocalVarDecl())
                                            : addressTaken.count(v);
  made.isRegister = v->getStorageClass() == SC_Register;
  if (v->getTLSKind() != VarDecl::TLS_None)
    refuse("NW0102", where, "'" + made.spelling + "' is thread-local");
  if (const auto *p = dyn_cast<ParmVarDecl>(v))
    if (QualType original = p->getOriginalType(); original->isArrayType()) {
      made.isRestrict = t.isRestrictQualified();
      made.isPointer = true;
      if (const auto *c = context.getAsConstantArrayType(
              original)) // C promises nothing about a[4] but for a[static 4]
        made.extents.push_back(c->getSizeModifier() == ArraySizeModifier::Static
                                   ? intConst(c->getSize().getSExtValue())
                                   : saidExtent(v));
      else if (const auto *vla = context.getAsVariableArrayType(original))
        made.extents.push_back(extentExpr(vla->getSizeExpr()));
      else
        made.extents.push_back(saidExtent(v));
      t = t->getPointeeType();
    }
  if (t->isPointerType() && !made.isPointer) {
    made.isPointer = true;
    made.isRestrict = t.isRestrictQualified();
    made.extents.push_back(saidExtent(v));
    t = t->getPointeeType();
  }
  while (const auto *a = context.getAsArrayType(t)) {
    if (const auto *c = dyn_cast<ConstantArrayType>(a))
      made.extents.push_back(intConst(c->getSize().getSExtValue()));
    else if (const auto *vla = dyn_cast<VariableArrayType>(a)) {
      made.extents.push_back(extentExpr(vla->getSizeExpr()));
      if (!made.extents.back() && made.extents.size() > 1)
        refuse("NW0103", where, "the extent of '" + made.spelling + "' is too complicated");
    } else
      made.extents.push_back(nullptr);
    t = a->getElementType();
  }
  if (t->isPointerType())
    refuse("NW0103", where, "'" + made.spelling + "' is an array of pointers",
           "use one array and compute the subscripts");
  if (t->isVoidType())
    refuse("NW0103", where, "'" + made.spelling + "' is an untyped pointer");
  made.isConst = t.isConstQualified() && !made.isPointer;
  made.type = typeOfValue(t.getUnqualifiedType(), where);
  return made;
}

Signature Converter::signature() {
  Signature made;
  made.name = function->getNameAsString();
  for (const ParmVarDecl *p : function->parameters())
    made.parameters.push_back(describe(p, nameOf(p)));
  if (!function->getReturnType()->isVoidType())
    made.result =
        typeOfValue(function->getReturnType().getUnqualifiedType(), function->getLocation());
  return made;
}

} // namespace nw
