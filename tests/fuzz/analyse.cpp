// Walks a program: extents from subscripts, and every reason why it could be undefined.
#include "analyse.h"
#include <algorithm>
#include <set>

namespace nw::fuzz {

namespace {

// The largest (or smallest) value of an affine expression as one of the sizes only.
Affine extreme(const Affine &a, const std::vector<Loop> &loops, bool largest) {
  Affine now = a;
  for (size_t d = loops.size(); d-- > 0;) {
    auto term = now.terms.find(loops[d].counter);
    if (term == now.terms.end())
      continue;
    int factor = term->second;
    now.terms.erase(term);
    now =
        now + factor * ((factor > 0) == largest ? loops[d].upper[0] + Affine(-1) : loops[d].lower);
  }
  return now;
}

// Never below either of them, for sizes from 0.
Affine join(const Affine &a, const Affine &b) {
  Affine both(std::max(a.constant, b.constant));
  for (const Affine *x : {&a, &b})
    for (auto &[name, factor] : x->terms)
      if (factor > 0)
        both.terms[name] = std::max(both.terms[name], factor);
  return both;
}

class Walk {
public:
  explicit Walk(const Program &p) : program(p) { scope.program = &p; }

  Analysis run() {
    for (const Storage &s : program.storages)
      for (int d = 0; d < s.dimensions; d++) {
        reach[s.name].highest.push_back(Affine(0));
        reach[s.name].below.push_back(Affine(0));
      }
    body(program.body);
    for (const Storage &s : program.storages) {
      long long limit = wideRange(s.type, program).high - plainRange(s.type, program).high;
      if (!s.accumulates && collected[s.name] > 0 && limit > 0)
        fail("a sum in " + s.name + ", which holds none");
      if (limit > 0 && collected[s.name] > limit)
        fail("sums in " + s.name + " become too large");
    }
    if (out.problem.empty())
      for (const Storage &s : program.storages)
        out.shapes[s.name] = shapeOf(s);
    return out;
  }

private:
  struct Reach {
    std::vector<Affine> highest, below; // largest subscript; how far subscripts reach below zero
    std::set<int> seen;                 // dimensions that any subscript was seen of
  };

  void fail(const std::string &why) {
    if (out.problem.empty())
      out.problem = why;
  }

  Shape shapeOf(const Storage &s) {
    Shape shape;
    for (int d = 0; d < s.dimensions; d++) {
      if (s.layout == Layout::Private) {
        shape.extents.push_back(Affine(s.privateExtent));
        shape.shifts.push_back(Affine(0));
        continue;
      }
      Affine shift = reach[s.name].below[d];
      Affine extent = shift + reach[s.name].highest[d] + Affine(1);
      int atOne = extent.constant;
      for (auto &[name, factor] : extent.terms)
        atOne += factor;
      if (atOne < 1)
        extent.constant += 1 - atOne;
      if (s.layout == Layout::Fixed || s.layout == Layout::Global ||
          (s.layout == Layout::Pointer && d > 0))
        extent = Affine(int(rangeOf(extent, Scope{&program, {}, {}}).high));
      shape.extents.push_back(extent);
      shape.shifts.push_back(shift);
    }
    return shape;
  }

  void access(const Access &a) {
    const Storage *s = program.find(a.storage);
    if (!s)
      return fail("unknown storage " + a.storage);
    if (s->layout == Layout::Private && !visible.count(a.storage))
      return fail(a.storage + " is used where it is not declared");
    if (int(a.subscripts.size()) != s->dimensions)
      return fail("wrong number of subscripts of " + a.storage);
    for (int d = 0; d < s->dimensions; d++)
      subscript(*s, d, a.subscripts[d]);
  }

  void subscript(const Storage &s, int d, const Subscript &u) {
    if (u.kind == SubscriptKind::Data) {
      expr(u.data[0]);
      std::optional<Typed> r = rangeOf(u.data[0], scope);
      if (!r || isFloat(r->type) || r->range.low < 0 || r->range.high > 63)
        return fail("a subscript from data is out of range");
      if (s.layout == Layout::Private && r->range.high >= s.privateExtent)
        return fail("a subscript from data leaves a private array");
      reached(s, d, Affine(0), Affine(int(r->range.high)));
      return;
    }
    known(u.affine);
    if (s.layout == Layout::Private) {
      Range r = rangeOf(u.affine, scope);
      if (u.kind != SubscriptKind::Plain || r.low < 0 || r.high >= s.privateExtent)
        fail("a subscript leaves a private array");
      return;
    }
    bool divides = u.kind == SubscriptKind::Quotient || u.kind == SubscriptKind::Remainder;
    for (const Loop &l : scope.loops)
      if (divides && l.type == "unsigned" && u.affine.terms.count(l.counter) &&
          rangeOf(u.affine, scope).low < 0)
        return fail("an unsigned number that wraps is divided");
    Affine low = extreme(u.affine, scope.loops, false), high = extreme(u.affine, scope.loops, true);
    if (u.kind == SubscriptKind::Remainder)
      reached(s, d, Affine(1 - u.divisor), Affine(u.divisor - 1));
    else
      reached(s, d, low, high);
    if (u.kind == SubscriptKind::Quotient) // cuts towards zero: a quotient of a negative number may
                                           // be larger than the number
      reached(s, d, Affine(0), Affine(0));
  }

  void reached(const Storage &s, int d, const Affine &low, const Affine &high) {
    Reach &r = reach[s.name];
    r.below[d] = join(r.below[d], -1 * low);
    if (r.seen.insert(d).second)
      r.highest[d] = join(high, high);
    else
      r.highest[d] = join(r.highest[d], high);
  }

  void known(const Affine &a) {
    for (auto &[name, factor] : a.terms) {
      bool found = std::count(program.sizes.begin(), program.sizes.end(), name) > 0;
      for (const Loop &l : scope.loops)
        found |= l.counter == name;
      if (!found)
        fail("unknown name " + name);
    }
  }

  void expr(const Expr &e) {
    if (e.kind == ExprKind::Read)
      access(e.access);
    if (e.kind == ExprKind::Counter)
      known(e.affine);
    for (const Expr &a : e.args)
      expr(a);
  }

  void value(const Expr &e) {
    expr(e);
    if (out.problem.empty() && !rangeOf(e, scope))
      fail("an expression may overflow");
  }

  void store(const Stmt &s) {
    value(s.value[0]);
    if (!out.problem.empty())
      return;
    ElementType type = typeOfElement(program, s.target);
    std::optional<Range> r = converted(*rangeOf(s.value[0], scope), type);
    if (!r || !plainRange(type, program).contains(*r))
      fail("a value is too large for " + s.target.storage);
    if (program.find(s.target.storage)->isIndex)
      fail("an array of subscripts is written");
  }

  void accumulate(const Stmt &s) {
    access(s.target);
    store(s);
    if (!out.problem.empty())
      return;
    const Storage &target = *program.find(s.target.storage);
    ElementType type = typeOfElement(program, s.target);
    Typed operand = *rangeOf(s.value[0], scope);
    bool wraps = program.mayWrap(type);
    if (isFloat(operand.type) && !isFloat(type))
      return fail("a floating-point value is collected in an integer");
    if (s.op == "+" || s.op == "-") {
      size_t from = target.layout == Layout::Private ? declaredAt[target.name] : 0;
      if (!wraps)
        collected[target.name] += instancesOf(scope, from) * std::max(std::abs(operand.range.low),
                                                                      std::abs(operand.range.high));
    } else if (s.op == "*") {
      bool harmless = operand.range.low >= -1 && operand.range.high <= 1;
      bool isDefined = type == ElementType::Unsigned || (wraps && !isPromoted(type));
      if (!isDefined && !harmless)
        fail("a product may overflow");
    } else if (s.op == "&" || s.op == "|" || s.op == "^") {
      if (isFloat(type) || target.accumulates)
        fail("bits of what is not a small integer");
    } else if (operand.type != type || (target.accumulates && !wraps &&
                                        !plainRange(type, program).contains(operand.range))) {
      fail("minimum or maximum of another type");
    }
  }

  void loop(const Stmt &s) {
    const Loop &l = s.loop;
    for (const Loop &outer : scope.loops)
      if (outer.counter == l.counter)
        return fail("a counter is used twice");
    known(l.lower);
    for (const Affine &u : l.upper)
      known(u);
    std::vector<Affine> bounds = l.upper;
    bounds.push_back(l.lower);
    for (const Affine &b : bounds) {
      for (const Loop &outer : scope.loops)
        if (outer.type == "unsigned" && b.terms.count(outer.counter))
          fail("an unsigned counter in a bound");
      if (l.type == "unsigned" && (rangeOf(b, scope).low < int(l.inclusive) || l.step < 0))
        fail("an unsigned counter with a bound that may be negative");
    }
    scope.loops.push_back(l);
    nested(s.body);
    scope.loops.pop_back();
  }

  void nested(const std::vector<Stmt> &list) {
    std::set<std::string> before = visible;
    body(list);
    visible = before;
  }

  void body(const std::vector<Stmt> &list) {
    for (const Stmt &s : list) {
      if (!out.problem.empty())
        return;
      switch (s.kind) {
      case StmtKind::Assign:
        access(s.target);
        store(s);
        break;
      case StmtKind::Accumulate:
        accumulate(s);
        break;
      case StmtKind::Declare:
      case StmtKind::DeclareArray:
        if (s.kind == StmtKind::DeclareArray)
          scope.loops.push_back(s.loop);
        store(s);
        if (s.kind == StmtKind::DeclareArray)
          scope.loops.pop_back();
        visible.insert(s.target.storage);
        declaredAt[s.target.storage] = scope.loops.size();
        break;
      case StmtKind::If:
        value(s.condition[0]);
        nested(s.body);
        nested(s.otherwise);
        break;
      case StmtKind::Continue:
        value(s.condition[0]);
        if (scope.loops.empty())
          fail("continue outside of loops");
        break;
      case StmtKind::For:
        loop(s);
        break;
      }
    }
  }

  const Program &program;
  Scope scope;
  Analysis out;
  std::map<std::string, Reach> reach;
  std::map<std::string, long long> collected;
  std::map<std::string, size_t> declaredAt;
  std::set<std::string> visible;
};

} // namespace

Analysis analyse(const Program &program) { return Walk(program).run(); }

} // namespace nw::fuzz
