// Which elements the body of a statement touches, as it stands there.
#include "frontend/affine/accesses.h"
#include "frontend/affine/polynomial.h"
#include "ir/flat_subscript.h"
#include "support/diagnostics.h"
#include <algorithm>
#include <climits>
#include <cstdlib>

namespace nw {

std::optional<Scope> enterLoop(const Loop &loop, const Scope &scope, AffineReader &reader) {
  isl::ctx ctx = reader.ctx;
  auto start = reader.value(loop.start, scope);
  if (!start)
    return std::nullopt;
  Scope inner = scope;
  int depth = dimsOf(scope.domain);
  inner.counters.push_back(loop.counter);
  isl::set outer = addDims(scope.domain, 1);
  isl::pw_aff first = addInputDims(*start, 1);
  isl::pw_aff counter = dimensionOn(outer.get_space(), depth);
  bool up = loop.step > 0;
  isl::set range = outer.intersect(up ? counter.ge_set(first) : counter.le_set(first));
  if (std::abs(loop.step) > 1) {
    isl::pw_aff zero = constantOn(outer.get_space(), intVal(ctx, 0L));
    range = range.intersect(counter.sub(first).mod(intVal(ctx, std::abs(loop.step))).eq_set(zero));
  }
  inner.domain = range;
  const ExprP &c = loop.condition;
  isl::set taken = range;
  if (c->kind == ExprKind::Binary && c->name == "!=" && std::abs(loop.step) == 1) {
    // i != end: counts up to the end, provided that it starts on the right side of it.
    auto left = reader.value(c->args[0], inner), right = reader.value(c->args[1], inner);
    if (!left || !right)
      return std::nullopt;
    isl::pw_aff distance = left->sub(*right);
    isl::set below = distance.lt_set(constantOn(range.get_space(), intVal(ctx, 0L)));
    isl::set above = distance.gt_set(constantOn(range.get_space(), intVal(ctx, 0L)));
    // The side on which the start lies must shrink with the counter.
    isl::set wanted = up ? below : above;
    isl::set other = up ? above : below;
    isl::set wrong = range.intersect(counter.eq_set(first)).intersect(other);
    if (!mentions(c->args[0], loop.counter) || mentions(c->args[1], loop.counter) ||
        !reader.assumeEmpty(wrong))
      return std::nullopt;
    taken = range.intersect(wanted);
  } else {
    auto holds = reader.condition(c, inner);
    if (!holds)
      return std::nullopt;
    taken = range.intersect(*holds);
    isl::set after = range.subtract(*holds).apply(laterInLast(ctx, depth + 1, up));
    if (!taken.intersect(after).is_empty())
      taken = taken.subtract(after);
  }
  if (!isBoundedDim(taken, depth, true) || !isBoundedDim(taken, depth, false))
    return std::nullopt;
  inner.domain = taken.coalesce();
  // The counter must not wrap: the value after the last one must fit its type. For int that is the
  // user's promise, unless signed arithmetic wraps.
  bool promised =
      loop.type.scalar == Scalar::I64 || (loop.type.scalar == Scalar::I32 && !reader.wraps);
  if (!promised) {
    isl::pw_aff next = counter.add(constantOn(outer.get_space(), intVal(ctx, (long)loop.step)));
    isl::pw_aff low = constantOn(outer.get_space(), intVal(ctx, lowestOf(loop.type.scalar)));
    isl::pw_aff high =
        constantOn(outer.get_space(),
                   intVal(ctx, loop.type.scalar == Scalar::U64 ? highestOf(Scalar::I64)
                                                               : highestOf(loop.type.scalar)));
    isl::set wraps = next.lt_set(low).unite(next.gt_set(high)).intersect(inner.domain);
    if (!up && isUnsigned(loop.type.scalar)) // i > 0; i-- may step to the type's end only after the
                                             // last iteration
      wraps = wraps.intersect(next.lt_set(low));
    if (!reader.assumeEmpty(wraps))
      return std::nullopt;
  }
  return inner;
}

namespace {

class Collector {
public:
  Collector(size_t statement, const StmtP &root, const Program &program,
            const std::set<std::string> &written, AffineReader &reader, int outerDims)
      : statement(statement), program(program), written(written), reader(reader),
        outerDims(outerDims) {
    walkStmts(root, [&](const StmtP &s) {
      if (s->kind == StmtKind::Declare)
        own.insert(s->name);
    });
  }

  std::vector<RawAccess> found;

  void visit(const StmtP &s, const Scope &scope, bool must) {
    switch (s->kind) {
    case StmtKind::Assign:
      read(s->exprs[1], scope);
      readSubscripts(s->exprs[0], scope);
      access(s->exprs[0], scope, true, must);
      break;
    case StmtKind::Declare:
      for (const ExprP &e : s->exprs)
        read(e, scope);
      break;
    case StmtKind::Block:
      for (const StmtP &b : s->body)
        visit(b, scope, must);
      break;
    case StmtKind::If: {
      read(s->exprs[0], scope);
      Scope yes = scope, no = scope;
      bool known = narrow(s->exprs[0], scope, yes, no);
      guards += !known;
      visit(s->body[0], yes, false);
      if (s->body.size() > 1)
        visit(s->body[1], no, false);
      guards -= !known;
      break;
    }
    case StmtKind::For: {
      read(s->loop.start, scope);
      auto inner = enterLoop(s->loop, scope, reader);
      Scope body = scope;
      if (inner)
        body = *inner;
      else
        body.unknown.insert(s->loop.counter);
      bool known = inner.has_value() && !leavesEarly(s->body[0]);
      guards += !known;
      read(s->loop.condition, body);
      visit(s->body[0], body, false);
      guards -= !known;
      break;
    }
    case StmtKind::While:
    case StmtKind::DoWhile:
      guards++;
      read(s->exprs[0], scope);
      visit(s->body[0], scope, false);
      guards--;
      break;
    default:
      break;
    }
  }

private:
  // Splits the scope by a condition; false where the model cannot see it.
  bool narrow(const ExprP &condition, const Scope &scope, Scope &yes, Scope &no) {
    auto c = reader.condition(condition, scope);
    if (!c)
      return false;
    yes.domain = scope.domain.intersect(*c);
    no.domain = scope.domain.subtract(*c);
    return true;
  }

  static bool leavesEarly(const StmtP &s) {
    bool found = false;
    walkStmts(s, [&](const StmtP &x) {
      found |= x->kind == StmtKind::Break || x->kind == StmtKind::Continue;
    });
    return found;
  }

  void read(const ExprP &e, const Scope &scope) {
    switch (e->kind) {
    case ExprKind::Var:
    case ExprKind::Index:
    case ExprKind::Member:
      readSubscripts(e, scope);
      access(e, scope, false, false);
      return;
    case ExprKind::Select: {
      read(e->args[0], scope);
      Scope yes = scope, no = scope;
      bool known = narrow(e->args[0], scope, yes, no);
      guards += !known;
      read(e->args[1], yes);
      read(e->args[2], no);
      guards -= !known;
      return;
    }
    case ExprKind::Binary:
      if (e->name == "&&" || e->name == "||") {
        read(e->args[0], scope);
        Scope yes = scope, no = scope;
        bool known = narrow(e->args[0], scope, yes, no);
        guards += !known;
        read(e->args[1], e->name == "&&" ? yes : no);
        guards -= !known;
        return;
      }
      [[fallthrough]];
    default:
      for (const ExprP &a : e->args)
        read(a, scope);
    }
  }

  void readSubscripts(const ExprP &element, const Scope &scope) {
    for (const Expr *e = element.get(); e->kind == ExprKind::Index || e->kind == ExprKind::Member;
         e = e->args[0].get())
      if (e->kind == ExprKind::Index)
        read(e->args[1], scope);
  }

  void access(const ExprP &element, const Scope &scope, bool isWrite, bool isMust) {
    const Expr *base = baseOf(element);
    if (!base || own.count(base->name))
      return;
    auto v = program.region.variables.find(base->name);
    if (v == program.region.variables.end())
      return; // a counter
    bool counter = std::find(scope.counters.begin(), scope.counters.end(), base->name) !=
                       scope.counters.end() ||
                   scope.unknown.count(base->name);
    if (counter)
      return;
    bool memory = v->second.isArray() || v->second.type.isStruct() || written.count(base->name);
    if (memory)
      found.push_back(
          {statement, base->name, element, scope, outerDims, isWrite, isMust, guards == 0});
  }

  size_t statement;
  const Program &program;
  const std::set<std::string> &written;
  AffineReader &reader;
  int outerDims;
  int guards = 0;            // conditions around that the model cannot see
  std::set<std::string> own; // declared in the body itself
};

} // namespace

// Whether the body may read the scalar before it has assigned it. `assigned` is updated to the end
// of the statement.
static bool readsFirst(const StmtP &s, const std::string &name, bool &assigned) {
  auto reads = [&](const ExprP &e) { return e && !assigned && mentions(e, name); };
  switch (s->kind) {
  case StmtKind::Assign: {
    bool isTarget = s->exprs[0]->kind == ExprKind::Var && s->exprs[0]->name == name;
    if (reads(s->exprs[1]) || (!isTarget && reads(s->exprs[0])))
      return true;
    assigned |= isTarget;
    return false;
  }
  case StmtKind::If: {
    if (reads(s->exprs[0]))
      return true;
    bool yes = assigned, no = assigned;
    if (readsFirst(s->body[0], name, yes) ||
        (s->body.size() > 1 && readsFirst(s->body[1], name, no)))
      return true;
    assigned = yes && no;
    return false;
  }
  case StmtKind::For:
  case StmtKind::While:
  case StmtKind::DoWhile: {
    if (reads(s->loop.start) || reads(s->loop.condition))
      return true;
    for (const ExprP &e : s->exprs)
      if (reads(e))
        return true;
    bool inside = assigned; // perhaps the body never runs: nothing is certain after it
    return readsFirst(s->body[0], name, inside);
  }
  default:
    for (const ExprP &e : s->exprs)
      if (reads(e))
        return true;
    for (const StmtP &b : s->body)
      if (readsFirst(b, name, assigned))
        return true;
    return false;
  }
}

std::vector<RawAccess> collectAccesses(size_t statement, const StmtP &body, const Scope &scope,
                                       const Program &program, const std::set<std::string> &written,
                                       AffineReader &reader) {
  Collector c(statement, body, program, written, reader, dimsOf(scope.domain));
  c.visit(body, scope, true);
  // A scalar that the body always sets before it reads it takes nothing over from elsewhere.
  std::erase_if(c.found, [&](const RawAccess &a) {
    bool assigned = false;
    return !a.isWrite && a.element->kind == ExprKind::Var && !a.element->type.isStruct() &&
           !readsFirst(body, a.array, assigned);
  });
  return c.found;
}

} // namespace nw
