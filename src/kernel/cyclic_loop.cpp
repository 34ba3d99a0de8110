// Values that threads take in turns.
#include "kernel/cyclic_loop.h"
#include <fmt/format.h>
#include <map>
#include <set>

namespace nw {

namespace {

ExprP laneOf(const Type &type) { return node(ExprKind::Builtin, {}, type, "local.x"); }

// Null: 0.
ExprP firstOf(const Loop &l) {
  bool isSum = l.start->kind == ExprKind::Binary && l.start->name == "+";
  return isSum ? l.start->args[0] : nullptr;
}

// Whether it has the same value for all threads, and all the time.
bool isPlain(const ExprP &e) {
  bool is = true;
  walk(e, [&](const ExprP &x) {
    return is &= x->kind == ExprKind::Int || x->kind == ExprKind::Var ||
                 x->kind == ExprKind::Cast || x->kind == ExprKind::Unary ||
                 x->kind == ExprKind::Binary || x->kind == ExprKind::Min ||
                 x->kind == ExprKind::Max || x->kind == ExprKind::FloorDiv,
           is;
  });
  return is;
}

bool isCyclic(const StmtP &s) { return s->kind == StmtKind::For && s->loop.cyclic.turns > 0; }

// Names that the code declares or changes.
std::set<std::string> changedIn(const StmtP &code) {
  std::set<std::string> names;
  walkStmts(code, [&](const StmtP &s) {
    if (s->kind == StmtKind::For)
      names.insert(s->loop.counter);
    if (s->kind == StmtKind::Declare || s->kind == StmtKind::Shared ||
        s->kind == StmtKind::Window || s->kind == StmtKind::Reduce)
      names.insert(s->name);
    if (writesFirst(s->kind) && s->exprs[0]->kind == ExprKind::Var)
      names.insert(s->exprs[0]->name);
  });
  return names;
}

std::string wrongLoop(const Stmt &s, int threads) {
  const Loop &l = s.loop;
  ExprP first = firstOf(l);
  StmtP right = cyclicLoop(l.counter, l.type, first, threads, l.cyclic, s.body[0]);
  bool isRight = l.type.isInteger() && bitsOf(l.type.scalar) >= 32 && !l.stride &&
                 l.step == threads && sameTree(l.start, right->loop.start) &&
                 sameTree(l.condition, right->loop.condition) && (!first || isPlain(first));
  std::set<std::string> changed = changedIn(s.body[0]);
  if (first)
    walk(first, [&](const ExprP &e) {
      return isRight &=
             e->kind != ExprKind::Var ||
             (!changed.count(e->name) && e->name != l.counter && e->name != l.cyclic.turn),
             isRight;
    });
  isRight &= !changed.count(l.counter) && !changed.count(l.cyclic.turn) &&
             l.counter != l.cyclic.turn && !mentions(s.body[0], l.cyclic.turn);
  walkStmts(s.body[0], [&](const StmtP &b) { isRight &= !isCyclic(b); });
  return isRight ? "" : "its values are not taken in turns";
}

class DealingCheck {
public:
  DealingCheck(const StmtP &code, int threads) : threads(threads) {
    walkStmts(code, [&](const StmtP &s) {
      if (s->kind == StmtKind::For)
        declared[s->loop.counter]++;
      if (s->kind == StmtKind::Declare || s->kind == StmtKind::Shared ||
          s->kind == StmtKind::Window)
        declared[s->name]++;
      if (s->kind == StmtKind::Declare && s->owners)
        variable(*s);
    });
    for (const auto &[name, many] : dealt)
      if (declared.at(name) != 1)
        say(name, "is declared twice");
    look(code, nullptr);
  }

  std::string wrong;

private:
  void say(const std::string &name, const std::string &what) {
    if (wrong.empty())
      wrong = fmt::format("{}: {}", name, what);
  }

  void variable(const Stmt &s) {
    bool isRight = s.owners == threads && s.extents.size() == 1 && s.exprs.empty() &&
                   s.copyOf.empty() && s.extents[0] > 0 && s.extents[0] % threads == 0;
    if (!isRight)
      say(s.name, "it is not dealt out to the threads of the block");
    else
      dealt[s.name] = s.extents[0];
  }

  // An element of the value that the loop is at.
  bool isOwn(const ExprP &e, const Stmt *loop) const {
    auto of = e->kind == ExprKind::Index && e->args[0]->kind == ExprKind::Var
                  ? dealt.find(e->args[0]->name)
                  : dealt.end();
    return of != dealt.end() && loop && int64_t(loop->loop.cyclic.turns) * threads == of->second &&
           sameTree(e->args[1], positionIn(*loop));
  }

  void look(const ExprP &e, const Stmt *loop) {
    walk(e, [&](const ExprP &x) {
      if (isOwn(x, loop))
        return false;
      if (x->kind == ExprKind::Var && dealt.count(x->name))
        say(x->name, "an element of another value is used");
      return true;
    });
  }

  void look(const StmtP &s, const Stmt *loop) {
    for (const ExprP &e : s->exprs)
      look(e, loop);
    for (const ExprP &e : s->values)
      look(e, loop);
    if (s->kind == StmtKind::For)
      for (const ExprP &e : {s->loop.start, s->loop.condition, s->loop.stride, s->loop.line.before})
        if (e)
          look(e, loop);
    if ((s->kind == StmtKind::Reduce || s->kind == StmtKind::Window) && dealt.count(s->name))
      say(s->name, "it is used as a whole");
    if (isCyclic(s)) {
      if (std::string what = wrongLoop(*s, threads); !what.empty())
        say(s->loop.counter, what);
      loop = s.get();
    }
    for (const StmtP &b : s->body)
      look(b, loop);
  }

  int threads;
  std::map<std::string, int64_t> dealt; // and how many elements
  std::map<std::string, int> declared;
};

// One value of a thread at a time.
class Turns {
public:
  Turns(const Stmt &s, const std::set<std::string> &dealt) : s(s), dealt(dealt) {}

  StmtP run() const {
    const Loop &l = s.loop;
    ExprP first = firstOf(l), turn = this->turn(),
          here = binary("+", laneOf(l.type), binary("*", turn, intConst(l.step, l.type), l.type),
                        l.type);
    StmtP body =
        block({declare(l.counter, l.type, {}, {first ? binary("+", first, here, l.type) : here}),
               inRegisters(asked(s.body[0]))});
    auto made = std::make_shared<Stmt>(*forLoop(
        l.cyclic.turn, l.type, intConst(0, l.type),
        binary("<", turn, intConst(l.cyclic.turns, l.type), kI32), intConst(1, l.type), body));
    made->loop.isUnrolled = true;
    return made;
  }

private:
  ExprP turn() const { return var(s.loop.cyclic.turn, s.loop.type); }

  StmtP inRegisters(const StmtP &code) const {
    return rewriteExprs(code, [&](const ExprP &e) {
      bool isElement = e->kind == ExprKind::Index && e->args[0]->kind == ExprKind::Var &&
                       dealt.count(e->args[0]->name) && sameTree(e->args[1], positionIn(s));
      return isElement ? index(e->args[0], turn(), e->type) : e;
    });
  }

  // Guards that ask for one of the first values: of whole turns, which all threads have.
  StmtP asked(const StmtP &code) const {
    if (code->isInstance())
      return code;
    auto copy = std::make_shared<Stmt>(*code);
    if (code->kind == StmtKind::If)
      copy->exprs[0] = rewrite(code->exprs[0], [&](const ExprP &e) {
        bool isEarly = e->kind == ExprKind::Binary && e->name == "<" &&
                       e->args[1]->kind == ExprKind::Int && e->args[1]->integer >= 0 &&
                       e->args[1]->integer % s.loop.step == 0 &&
                       sameTree(e->args[0], positionIn(s));
        return isEarly ? binary("<", turn(),
                                intConst(e->args[1]->integer / s.loop.step, s.loop.type), e->type)
                       : e;
      });
    for (StmtP &b : copy->body)
      b = asked(b);
    return copy;
  }

  const Stmt &s;
  const std::set<std::string> &dealt;
};

StmtP withoutLoops(const StmtP &code, const std::set<std::string> &dealt) {
  if (isCyclic(code) && code->loop.step > 0 && wrongLoop(*code, int(code->loop.step)).empty())
    return Turns(*code, dealt).run();
  std::shared_ptr<Stmt> changed;
  if (code->kind == StmtKind::Declare && dealt.count(code->name)) {
    changed = std::make_shared<Stmt>(*code);
    changed->extents[0] /= code->owners;
    changed->owners = 0;
  }
  for (size_t k = 0; k < code->body.size(); k++)
    if (StmtP b = withoutLoops(code->body[k], dealt); b != code->body[k]) {
      if (!changed)
        changed = std::make_shared<Stmt>(*code);
      changed->body[k] = b;
    }
  return changed ? StmtP(changed) : code;
}

} // namespace

StmtP cyclicLoop(const std::string &counter, const Type &type, const ExprP &first, int threads,
                 const CyclicMapping &mapping, const StmtP &body) {
  ExprP all = intConst(int64_t(mapping.turns) * threads, type);
  StmtP made =
      forLoop(counter, type, first ? binary("+", first, laneOf(type), type) : laneOf(type),
              binary("<", var(counter, type), first ? binary("+", first, all, type) : all, kI32),
              intConst(threads, type), body);
  auto copy = std::make_shared<Stmt>(*made);
  copy->loop.cyclic = mapping;
  return copy;
}

StmtP dealtOut(const std::string &name, const Type &type, int threads,
               const CyclicMapping &mapping) {
  auto made = std::make_shared<Stmt>(*declare(name, type, {int64_t(mapping.turns) * threads}, {}));
  made->owners = threads;
  return made;
}

ExprP positionIn(const Stmt &loop) {
  const Loop &l = loop.loop;
  ExprP counter = var(l.counter, l.type), first = firstOf(l);
  return first ? binary("-", counter, first, l.type) : counter;
}

std::string wrongDealing(const StmtP &code, int threads) {
  return DealingCheck(code, threads).wrong;
}

StmtP withoutCyclicLoops(const StmtP &code) {
  std::set<std::string> dealt;
  walkStmts(code, [&](const StmtP &s) {
    if (s->kind == StmtKind::Declare && s->owners > 0 && s->extents.size() == 1)
      dealt.insert(s->name);
  });
  return withoutLoops(code, dealt);
}

} // namespace nw
