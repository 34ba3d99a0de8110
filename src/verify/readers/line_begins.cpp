// Loops from the beginning of a line on.
#include "verify/readers/line_begins.h"
#include <algorithm>
#include <map>
#include <set>

namespace nw {

namespace {

bool isInt(const ExprP &e, int64_t value) {
  return e->kind == ExprKind::Int && e->integer == value;
}
bool isBinary(const ExprP &e, const char *op) {
  return e->kind == ExprKind::Binary && e->name == op;
}
bool isLocalId(const ExprP &e) { return e->kind == ExprKind::Builtin && e->name == "local.x"; }
bool isNumber(const Type &t) { return t == kI32 || t == kI64; }

int usesOf(const StmtP &s, const std::string &name) {
  int uses = 0;
  auto count = [&](const ExprP &e) {
    uses += isVar(e, name);
    return true;
  };
  walkExprs(s, count);
  walkStmts(s, [&](const StmtP &x) {
    for (const ExprP &e : x->values)
      walk(e, count);
    uses += ((x->kind == StmtKind::Declare || x->kind == StmtKind::Shared ||
              x->kind == StmtKind::Window || x->kind == StmtKind::Reduce) &&
             x->name == name) ||
            (x->kind == StmtKind::For && x->loop.counter == name);
  });
  return uses;
}

// Whether the first is the second with the variable `to` in place of `from`.
bool isSame(const ExprP &a, const ExprP &b, const ExprP &to, const std::string &from) {
  if (!a || !b)
    return !a && !b;
  return sameTree(a, rewrite(b, [&](const ExprP &e) { return isVar(e, from) ? to : e; }));
}

bool isSame(const StmtP &a, const StmtP &b, const ExprP &to, const std::string &from) {
  auto all = [&](const std::vector<ExprP> &x, const std::vector<ExprP> &y) {
    return std::equal(x.begin(), x.end(), y.begin(), y.end(),
                      [&](const ExprP &e, const ExprP &g) { return isSame(e, g, to, from); });
  };
  if (a->kind != b->kind || a->name != b->name || !(a->type == b->type) ||
      a->extents != b->extents || a->copyOf != b->copyOf || a->isSpeculated != b->isSpeculated ||
      a->isAsync != b->isAsync || !(a->copy == b->copy) || !all(a->exprs, b->exprs) ||
      !all(a->values, b->values) || a->body.size() != b->body.size())
    return false;
  const Loop &l = a->loop, &m = b->loop;
  if (a->kind == StmtKind::For &&
      (l.counter != m.counter || !(l.type == m.type) || l.step != m.step ||
       !isSame(l.start, m.start, to, from) || !isSame(l.condition, m.condition, to, from) ||
       !isSame(l.stride, m.stride, to, from)))
    return false;
  for (size_t k = 0; k < a->body.size(); k++)
    if (!isSame(a->body[k], b->body[k], to, from))
      return false;
  return true;
}

// Whether the code goes on elsewhere than after its end.
bool leaves(const StmtP &s) {
  bool isLoop =
      s->kind == StmtKind::For || s->kind == StmtKind::While || s->kind == StmtKind::DoWhile;
  return s->kind == StmtKind::Break || s->kind == StmtKind::Continue ||
         s->kind == StmtKind::Return ||
         (!isLoop && std::any_of(s->body.begin(), s->body.end(), leaves));
}

class LineBegins {
public:
  LineBegins(const Kernel &kernel, const StmtP &body) : kernel(kernel), whole(body) {
    walkStmts(body, [&](const StmtP &s) {
      if (s->kind == StmtKind::Declare || s->kind == StmtKind::Shared ||
          s->kind == StmtKind::Window)
        declarations.emplace(s->name, s);
      if (s->kind == StmtKind::For)
        changing.insert(s->loop.counter);
      if (s->kind == StmtKind::Reduce)
        changing.insert(s->name);
      if (const Expr *base = s->kind == StmtKind::Assign ? baseOf(s->exprs[0]) : nullptr)
        changing.insert(base->name);
    });
  }

  StmtP stmt(const StmtP &s) const {
    auto copy = std::make_shared<Stmt>(*s);
    if (s->isInstance())
      return copy;
    for (StmtP &b : copy->body)
      b = stmt(b);
    if (s->kind == StmtKind::Block)
      for (size_t k = 0; k + 2 < copy->body.size(); k++)
        if (std::vector<StmtP> made = shared(copy->body[k], copy->body[k + 1], copy->body[k + 2]);
            !made.empty()) {
          copy->body.erase(copy->body.begin() + long(k), copy->body.begin() + long(k) + 3);
          copy->body.insert(copy->body.begin() + long(k), made.begin(), made.end());
        }
    return copy;
  }

private:
  // The loop in place of those three; nothing where they are something else. Before it stand the
  // least and the largest number that they compute, and the one of which bits are taken, so that it
  // is seen whether they fit their types.
  std::vector<StmtP> shared(const StmtP &begin, const StmtP &turn, const StmtP &loop) const {
    int64_t width = kernel.block[0];
    if (begin->kind != StmtKind::Declare || turn->kind != StmtKind::If ||
        loop->kind != StmtKind::For || width < 2 || begin->exprs.size() != 1 ||
        !begin->extents.empty() || !isNumber(begin->type))
      return {};
    // begin = first + local.x - (number & (width - 1))
    const ExprP &value = begin->exprs[0];
    if (!isBinary(value, "-") || !(value->type == begin->type))
      return {};
    const ExprP &start = value->args[0];
    ExprP first = isLocalId(start)                                    ? intConst(0, begin->type)
                  : isBinary(start, "+") && isLocalId(start->args[1]) ? start->args[0]
                                                                      : nullptr,
          before = value->args[1];
    if (before->kind == ExprKind::Cast && isNumber(before->type))
      before = before->args[0];
    if (!first || !(start->type == begin->type) || !(first->type == begin->type) ||
        !isBinary(before, "&") || !isNumber(before->type) || !isInt(before->args[1], width - 1) ||
        !isSameInRow(before->args[0]))
      return {};
    // for (j = begin + width; …; j += width)
    const Loop &l = loop->loop;
    ExprP own = var(begin->name, begin->type);
    if (l.stride || l.step != width || !(l.type == begin->type) || !isBinary(l.start, "+") ||
        !(l.start->type == l.type) || !sameTree(l.start->args[0], own) ||
        !isInt(l.start->args[1], width))
      return {};
    // if (begin >= first && …)
    const ExprP &asked = turn->exprs[0];
    if (turn->body.size() != 1 || turn->isSpeculated || !isBinary(asked, "&&") ||
        !isBinary(asked->args[0], ">=") || !sameTree(asked->args[0]->args[0], own) ||
        !sameTree(asked->args[0]->args[1], first) ||
        !isSame(asked->args[1], l.condition, own, l.counter) ||
        !isSame(turn->body[0], loop->body[0], own, l.counter) || leaves(loop->body[0]))
      return {};
    // `begin` is nothing but that, and nothing in between changes what it is made of.
    if (usesOf(loop, begin->name) != 1 ||
        usesOf(whole, begin->name) != 2 + usesOf(turn, begin->name) || mentions(value, l.counter) ||
        changing.count(begin->name) || !isKept(first) || !isKept(before))
      return {};
    auto plain = std::make_shared<Stmt>(*loop);
    plain->loop.start = start;
    const Type &type = begin->type;
    return {
        declare(begin->name, type, {}, {binary("-", start, intConst(width - 1, type), type)}),
        declare(begin->name + "@end", type, {}, {binary("+", start, intConst(width, type), type)}),
        declare(begin->name + "@number", before->type, {}, {before->args[0]}), plain};
  }

  // Whether nothing assigns the variables of the expression, so that it has one value.
  bool isKept(const ExprP &e) const {
    bool is = true;
    walk(e, [&](const ExprP &x) {
      is &= x->kind != ExprKind::Var || !changing.count(x->name);
      return is;
    });
    return is;
  }

  // Whether all threads of a row of the block compute the same number: from arguments, from where
  // the row is, and from variables that are computed so.
  bool isSameInRow(const ExprP &e, int depth = 0) const {
    switch (e->kind) {
    case ExprKind::Int:
      return true;
    case ExprKind::Builtin:
      return e->name == "local.y" || e->name == "block.x" || e->name == "block.y" ||
             e->name == "thread.y";
    case ExprKind::Var: {
      constexpr int kDeepest = 16; // a variable may be declared in terms of itself
      if (changing.count(e->name) || !e->type.isInteger() || depth > kDeepest)
        return false;
      auto [from, to] = declarations.equal_range(e->name);
      auto parameter = std::find_if(kernel.parameters.begin(), kernel.parameters.end(),
                                    [&](const KernelParameter &q) { return q.name == e->name; });
      if (parameter != kernel.parameters.end())
        return from == to && parameter->buffer < 0;
      return from != to && std::next(from) == to && from->second->kind == StmtKind::Declare &&
             from->second->extents.empty() && from->second->exprs.size() == 1 &&
             isSameInRow(from->second->exprs[0], depth + 1);
    }
    case ExprKind::Cast:
    case ExprKind::Unary:
    case ExprKind::Binary:
    case ExprKind::Min:
    case ExprKind::Max:
    case ExprKind::FloorDiv:
    case ExprKind::Select:
      return e->type.isInteger() &&
             std::all_of(e->args.begin(), e->args.end(),
                         [&](const ExprP &a) { return isSameInRow(a, depth); });
    default:
      return false;
    }
  }

  const Kernel &kernel;
  StmtP whole;
  std::multimap<std::string, StmtP> declarations;
  std::set<std::string> changing;
};

} // namespace

StmtP withoutLineBegins(const Kernel &kernel, const StmtP &body) {
  return LineBegins(kernel, body).stmt(body);
}

} // namespace nw
