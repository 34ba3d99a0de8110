// Uses of addresses on the device.
#include "frontend/c/acc_addresses.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"
#include "clang/AST/StmtOpenACC.h"
#include <map>
#include <set>

using namespace clang;

namespace nw {

namespace {

class Uses {
public:
  Uses(const VarDecl *variable, const ASTContext &context) : context(context) {
    addresses.insert(variable);
  }

  AddressUses run(const Stmt *block) {
    for (size_t before = 0; before != addresses.size();) { // copies of copies
      before = addresses.size();
      std::map<const VarDecl *, bool> copies; // whether all that is assigned is an address
      collect(block, copies);
      for (auto &[pointer, always] : copies)
        if (always)
          addresses.insert(pointer);
    }
    visit(block, false);
    return out;
  }

private:
  static const VarDecl *variableOf(const Expr *e) {
    const auto *d = dyn_cast<DeclRefExpr>(e->IgnoreParens());
    return d ? dyn_cast<VarDecl>(d->getDecl()) : nullptr;
  }

  // Whether the value is an address on the device: the variable itself, a row of it, either of two.
  bool isAddress(const Expr *e) const {
    e = e->IgnoreParenCasts();
    if (const auto *d = dyn_cast<DeclRefExpr>(e))
      return addresses.count(dyn_cast<VarDecl>(d->getDecl())) > 0;
    if (const auto *s = dyn_cast<ArraySubscriptExpr>(e))
      return s->getType()->isArrayType() && isAddress(s->getBase());
    if (const auto *c = dyn_cast<ConditionalOperator>(e))
      return isAddress(c->getTrueExpr()) || isAddress(c->getFalseExpr());
    if (const auto *u = dyn_cast<UnaryOperator>(e); u && u->getOpcode() == UO_AddrOf)
      return isElement(u->getSubExpr());
    if (const auto *b = dyn_cast<BinaryOperator>(e))
      return b->isAdditiveOp() && b->getType()->isPointerType() &&
             (isAddress(b->getLHS()) || isAddress(b->getRHS()));
    return false;
  }

  // Whether an lvalue is memory of the device's.
  bool isElement(const Expr *e) const {
    e = e->IgnoreParens();
    if (const auto *s = dyn_cast<ArraySubscriptExpr>(e))
      return isAddress(s->getBase());
    if (const auto *m = dyn_cast<MemberExpr>(e))
      return m->isArrow() ? isAddress(m->getBase()) : isElement(m->getBase());
    const auto *u = dyn_cast<UnaryOperator>(e);
    return u && u->getOpcode() == UO_Deref && isAddress(u->getSubExpr());
  }

  bool isZero(const Expr *e) const {
    Expr::EvalResult r;
    return !e->isValueDependent() && e->EvaluateAsInt(r, context) && r.Val.getInt() == 0;
  }

  static bool isOnDevice(const Stmt *s) {
    return isa<OpenACCComputeConstruct, OpenACCCombinedConstruct>(s);
  }

  // Pointers that are set in the block.
  void collect(const Stmt *s, std::map<const VarDecl *, bool> &copies) const {
    if (!s || isOnDevice(s))
      return;
    auto note = [&](const VarDecl *to, const Expr *from) {
      if (to && from && to->getType()->isPointerType()) {
        auto [element, isNew] = copies.insert({to, true});
        element->second &= isAddress(from);
      }
    };
    if (const auto *d = dyn_cast<DeclStmt>(s))
      for (const Decl *one : d->decls())
        if (const auto *v = dyn_cast<VarDecl>(one))
          note(v, v->getInit());
    if (const auto *b = dyn_cast<BinaryOperator>(s); b && b->getOpcode() == BO_Assign)
      note(variableOf(b->getLHS()), b->getRHS());
    for (const Stmt *c : s->children())
      collect(c, copies);
  }

  void computed(const Expr *e) { out.computed = out.computed ? out.computed : e; }

  // An lvalue on the device: its address may be taken, or a row of it passed on.
  void element(const Expr *e, bool isAddressTaken, bool isMoved) {
    if (!isAddressTaken && !e->getType()->isArrayType())
      out.read = out.read ? out.read : e;
    else if (isMoved)
      computed(e);
  }

  void visit(const Stmt *s, bool isAddressTaken) {
    if (!s || isOnDevice(s) || isa<UnaryExprOrTypeTraitExpr>(s))
      return;
    if (const auto *p = dyn_cast<ParenExpr>(s))
      return visit(p->getSubExpr(), isAddressTaken);
    bool below = false; // of the operands
    if (const auto *a = dyn_cast<ArraySubscriptExpr>(s)) {
      below = isAddress(a->getBase());
      if (below)
        element(a, isAddressTaken, !isZero(a->getIdx()));
    } else if (const auto *m = dyn_cast<MemberExpr>(s)) {
      below = isAddressTaken || (m->isArrow() && isAddress(m->getBase()));
      if (isElement(m))
        element(m, isAddressTaken, true);
    } else if (const auto *u = dyn_cast<UnaryOperator>(s)) {
      below = u->getOpcode() == UO_AddrOf;
      if (u->getOpcode() == UO_Deref && isAddress(u->getSubExpr()))
        element(u, isAddressTaken, false);
      if (u->isIncrementDecrementOp() && isAddress(u->getSubExpr()))
        computed(u);
    } else if (const auto *b = dyn_cast<BinaryOperator>(s)) {
      bool left = isAddress(b->getLHS()), right = isAddress(b->getRHS());
      const Expr *other = left ? b->getRHS() : b->getLHS();
      if ((left || right) && (b->isAdditiveOp() || b->isRelationalOp()) && !isZero(other))
        computed(b);
      if (left && b->isCompoundAssignmentOp())
        computed(b);
    }
    for (const Stmt *c : s->children())
      visit(c, below);
  }

  const ASTContext &context;
  std::set<const VarDecl *> addresses;
  AddressUses out;
};

} // namespace

AddressUses addressUses(const Stmt *block, const VarDecl *variable, const ASTContext &context) {
  return Uses(variable, context).run(block);
}

} // namespace nw
