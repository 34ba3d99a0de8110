// Loads in place of variables.
#include "frontend/affine/forward_loads.h"
#include <algorithm>
#include <set>

namespace nw {

namespace {

constexpr int kMostNodes = 12; // what is computed again in each iteration is little

class Forwarding {
public:
  explicit Forwarding(Region &region) : region(region) {
    for (const StmtP &s : region.body)
      walkStmts(s, [&](const StmtP &x) {
        if (x->kind == StmtKind::Assign)
          note(x->exprs[0]);
        else if (x->kind == StmtKind::Declare)
          declared[x->name]++;
      });
  }

  void run() {
    for (StmtP &s : region.body)
      s = changed(s);
  }

private:
  void note(const ExprP &target) {
    if (const Expr *base = baseOf(target))
      written.insert(base->name);
    else
      isUnclear = true;
  }

  // Whether the declaration gives its variable a value that any position in its scope can load:
  // nothing in it changes there.
  bool isLoad(const Stmt &s) const {
    if (isUnclear || s.kind != StmtKind::Declare || !s.extents.empty() || s.exprs.size() != 1 ||
        !s.type.isFloat() || declared.at(s.name) != 1 || written.count(s.name))
      return false;
    bool isPlain = true, loads = false;
    int nodes = 0;
    walk(s.exprs[0], [&](const ExprP &e) {
      isPlain &= ++nodes <= kMostNodes;
      switch (e->kind) {
      case ExprKind::Int:
      case ExprKind::Float:
      case ExprKind::Cast:
      case ExprKind::Unary:
      case ExprKind::Binary:
        break;
      case ExprKind::Index:
        loads = true;
        break;
      case ExprKind::Var:
        isPlain &= staysAsItIs(e->name);
        break;
      default:
        isPlain = false;
      }
      return isPlain;
    });
    return isPlain && loads;
  }

  // Arguments, counters of loops around, and variables with one value.
  bool staysAsItIs(const std::string &name) const {
    if (written.count(name))
      return false;
    auto v = region.variables.find(name);
    bool isArrayInside = v != region.variables.end() && v->second.isArray() &&
                         (v->second.inside || !v->second.isPointer);
    auto d = declared.find(name);
    return !isArrayInside && (d == declared.end() || d->second == 1);
  }

  // Whether iterations of the loop are held together by nothing but what they read: they store
  // elements of their own, and set no variable from outside.
  static bool mayBeShared(const StmtP &loop) {
    std::set<std::string> own;
    bool stores = false, isHeld = false;
    walkStmts(loop, [&](const StmtP &s) {
      if (s->kind == StmtKind::Declare)
        own.insert(s->name);
      isHeld |=
          s->kind == StmtKind::While || s->kind == StmtKind::DoWhile || s->kind == StmtKind::Break;
    });
    walkStmts(loop, [&](const StmtP &s) {
      if (s->kind == StmtKind::Assign) {
        const Expr *base = baseOf(s->exprs[0]);
        bool isOwn = base && own.count(base->name);
        isHeld |= !isOwn && (s->exprs[0]->kind != ExprKind::Index ||
                             !mentions(s->exprs[0], loop->loop.counter));
        stores |= !isOwn;
      }
    });
    return stores && !isHeld;
  }

  static bool uses(const StmtP &s, const std::string &name) {
    bool found = false;
    walkExprs(s, [&](const ExprP &e) {
      return found |= e->kind == ExprKind::Var && e->name == name, !found;
    });
    return found;
  }

  // The value in place of the variable in all loops below that may be shared out.
  StmtP inLoops(const StmtP &s, const std::string &name, const ExprP &value,
                const Type &type) const {
    if (s->kind == StmtKind::For && mayBeShared(s))
      return rewriteExprs(s, [&](const ExprP &e) {
        return e->kind == ExprKind::Var && e->name == name ? at(cast(value, type), e->at) : e;
      });
    auto made = std::make_shared<Stmt>(*s);
    for (StmtP &b : made->body)
      b = inLoops(b, name, value, type);
    return made;
  }

  StmtP changed(const StmtP &s) const {
    auto made = std::make_shared<Stmt>(*s);
    for (StmtP &b : made->body)
      b = changed(b);
    if (s->kind != StmtKind::Block)
      return made;
    for (size_t k = made->body.size(); k-- > 0;) { // a later one may be made of an earlier one
      StmtP d = made->body[k];
      if (!isLoad(*d))
        continue;
      bool isUsed = false;
      for (size_t later = k + 1; later < made->body.size(); later++) {
        made->body[later] = inLoops(made->body[later], d->name, d->exprs[0], d->type);
        isUsed |= uses(made->body[later], d->name);
      }
      if (!isUsed)
        made->body.erase(made->body.begin() + long(k));
    }
    return made;
  }

  Region &region;
  std::map<std::string, int> declared;
  std::set<std::string> written;
  bool isUnclear = false; // something is written that has no name
};

} // namespace

Region withForwardedLoads(Region region) {
  Forwarding(region).run();
  return region;
}

} // namespace nw
