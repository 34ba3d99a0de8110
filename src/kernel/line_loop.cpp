// Loops from the beginning of a line on.
#include "kernel/line_loop.h"
#include <algorithm>
#include <map>
#include <set>

namespace nw {

namespace {

constexpr int kDeepest = 16; // a variable may be declared in terms of itself

bool isOfLine(const StmtP &s) { return s->kind == StmtKind::For && s->loop.line.before; }
bool isLane(const ExprP &e) { return isBuiltin(e, "local.x"); }
bool isNumber(const Type &t) { return t == kI32 || t == kI64; }

// Null: 0. Nothing where the loop does not begin at a thread's number.
std::optional<ExprP> firstOf(const Loop &l) {
  if (isLane(l.start))
    return ExprP();
  bool isSum =
      l.start->kind == ExprKind::Binary && l.start->name == "+" && isLane(l.start->args[1]);
  return isSum ? std::optional(l.start->args[0]) : std::nullopt;
}

// Whether the code goes on elsewhere than after its end.
bool leaves(const StmtP &s) {
  bool isLoop =
      s->kind == StmtKind::For || s->kind == StmtKind::While || s->kind == StmtKind::DoWhile;
  return s->kind == StmtKind::Break || s->kind == StmtKind::Continue ||
         s->kind == StmtKind::Return ||
         (!isLoop && std::any_of(s->body.begin(), s->body.end(), leaves));
}

// The code with other values in place of its variables, in what it says of its instances, too.
StmtP withValues(const StmtP &s, const std::function<ExprP(const ExprP &)> &change) {
  auto copy = std::make_shared<Stmt>(*rewriteExprs(s, change));
  for (ExprP &e : copy->values)
    e = rewrite(e, change);
  for (size_t k = 0; k < s->body.size(); k++)
    copy->body[k] = withValues(s->body[k], change);
  return copy;
}

class LineCheck {
public:
  explicit LineCheck(const Kernel &kernel) : kernel(kernel) {
    walkStmts(kernel.body, [&](const StmtP &s) {
      if (s->kind == StmtKind::Declare || s->kind == StmtKind::Shared ||
          s->kind == StmtKind::Window)
        declarations.emplace(s->name, s);
      if (s->kind == StmtKind::For)
        changing.insert({s->loop.counter, s->loop.cyclic.turn});
      if (s->kind == StmtKind::Reduce)
        changing.insert(s->name);
      if (const Expr *base = writesFirst(s->kind) ? baseOf(s->exprs[0]) : nullptr)
        changing.insert(base->name);
      if (isOfLine(s))
        begins[s->loop.line.begin]++;
    });
  }

  std::string wrong() const {
    std::string what;
    walkStmts(kernel.body, [&](const StmtP &s) {
      if (isOfLine(s) && !isRight(*s))
        what = s->loop.counter + ": its values are not shared out from a line on";
    });
    return what;
  }

private:
  bool isRight(const Stmt &s) const {
    const Loop &l = s.loop;
    std::optional<ExprP> first = firstOf(l);
    bool isShared = first && !l.stride && l.step == kernel.block[0] && l.step >= 2 &&
                    isNumber(l.type) && l.start->type == l.type && l.cyclic.turns == 0 &&
                    (!*first || (*first)->type == l.type);
    // What the threads have in common, they compute alike; and nobody else has their variable.
    return isShared && isNumber(l.line.before->type) && isSameInRow(l.line.before, 0) &&
           !leaves(s.body[0]) && begins.at(l.line.begin) == 1 && isUnused(l.line.begin);
  }

  bool isUnused(const std::string &name) const {
    bool is = !name.empty() && !declarations.count(name) && !changing.count(name) &&
              !parameter(name) && !mentions(kernel.body, name);
    walkStmts(kernel.body, [&](const StmtP &s) {
      for (const ExprP &e : s->values)
        is &= !mentions(e, name);
    });
    return is;
  }

  const KernelParameter *parameter(const std::string &name) const {
    auto at = std::find_if(kernel.parameters.begin(), kernel.parameters.end(),
                           [&](const KernelParameter &q) { return q.name == name; });
    return at == kernel.parameters.end() ? nullptr : &*at;
  }

  // Whether all threads of a row of the block compute the same number: from arguments, from where
  // the row is, and from variables that are computed so.
  bool isSameInRow(const ExprP &e, int depth) const {
    switch (e->kind) {
    case ExprKind::Int:
      return true;
    case ExprKind::Builtin:
      return e->name == "local.y" || e->name == "block.x" || e->name == "block.y" ||
             e->name == "thread.y";
    case ExprKind::Var: {
      if (changing.count(e->name) || !e->type.isInteger() || depth > kDeepest)
        return false;
      auto [from, to] = declarations.equal_range(e->name);
      if (const KernelParameter *q = parameter(e->name))
        return from == to && q->buffer < 0;
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
  std::multimap<std::string, StmtP> declarations;
  std::set<std::string> changing;
  std::map<std::string, int> begins;
};

StmtP withFirstTurn(const Stmt &s) {
  const Loop &l = s.loop;
  const Type &type = l.type;
  ExprP first = firstOf(l).value(), own = var(l.line.begin, type), number = l.line.before,
        before = binary("&", number, intConst(l.step - 1, number->type), number->type);
  auto inFirstTurn = [&](const ExprP &e) { return isVar(e, l.counter) ? own : e; };
  StmtP turn = ifElse(binary("&&", binary(">=", own, first ? first : intConst(0, type), kI32),
                             rewrite(l.condition, inFirstTurn), kI32),
                      withValues(s.body[0], inFirstTurn));
  StmtP begun =
      declare(l.line.begin, type, {},
              {binary("-", l.start, before->type == type ? before : cast(before, type), type)});
  auto rest = std::make_shared<Stmt>(s);
  rest->loop.line = {};
  rest->loop.start = binary("+", own, intConst(l.step, type), type);
  return block({begun, turn, rest});
}

} // namespace

std::string wrongLines(const Kernel &kernel) { return LineCheck(kernel).wrong(); }

std::vector<ExprP> lineValues(const Loop &l) {
  return {binary("-", l.start, intConst(l.step - 1, l.type), l.type),
          binary("+", l.start, intConst(l.step, l.type), l.type), l.line.before};
}

StmtP withFirstTurns(const StmtP &code) {
  std::shared_ptr<Stmt> changed;
  for (size_t k = 0; k < code->body.size(); k++)
    if (StmtP b = withFirstTurns(code->body[k]); b != code->body[k]) {
      if (!changed)
        changed = std::make_shared<Stmt>(*code);
      changed->body[k] = b;
    }
  StmtP out = changed ? StmtP(changed) : code;
  return isOfLine(out) && firstOf(out->loop) ? withFirstTurn(*out) : out;
}

} // namespace nw
