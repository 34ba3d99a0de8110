// Expressions.
#include "values.h"
#include <algorithm>

namespace nw::fuzz {

Expr literal(long long value, ElementType type) {
  Expr e;
  e.kind = ExprKind::Literal;
  e.literal = value;
  e.type = type;
  return e;
}

Expr counter(const Affine &a) {
  Expr e;
  e.kind = ExprKind::Counter;
  e.affine = a;
  return e;
}

Expr readOf(const Access &access) {
  Expr e;
  e.kind = ExprKind::Read;
  e.access = access;
  return e;
}

static Expr node(ExprKind kind, std::vector<Expr> args, const std::string &op = "") {
  Expr e;
  e.kind = kind;
  e.args = std::move(args);
  e.op = op;
  return e;
}

Expr binary(const std::string &op, Expr a, Expr b) {
  return node(ExprKind::Binary, {std::move(a), std::move(b)}, op);
}

Expr castTo(ElementType type, Expr e) {
  Expr c = node(ExprKind::Cast, {std::move(e)});
  c.type = type;
  return c;
}

std::vector<std::string> Values::countersInnermostFirst() const {
  std::vector<std::string> names;
  for (size_t d = scope.loops.size(); d-- > 0;)
    names.push_back(scope.loops[d].counter);
  return names;
}

std::string Values::field(const Storage &storage) {
  return storage.fields.empty() ? "" : random.pick(storage.fields).name;
}

bool Values::isReadable(const Storage &s) const {
  return s.layout != Layout::Private || std::count(privates.begin(), privates.end(), s.name);
}

Subscript Values::subscript(const std::string &name) {
  Subscript u;
  if (name.empty() || random.chance(3)) {
    u.affine = Affine(random.below(3));
    return u;
  }
  u.affine = Affine(name, random.chance(60) ? 0 : random.between(-2, 2));
  std::vector<std::string> counters = countersInnermostFirst();
  int how = random.below(100);
  if (how < 5)
    u.affine = u.affine + Affine(random.pick(counters), 0);
  else if (how < 9)
    u.affine = 2 * Affine(name, 0) + Affine(random.below(3));
  else if (how < 14)
    u.affine = Affine(random.pick(program.sizes), -1) + -1 * Affine(name, 0);
  else if (how < 16)
    u.kind = SubscriptKind::Quotient, u.divisor = random.between(2, 3);
  else if (how < 18)
    u.kind = SubscriptKind::Remainder, u.divisor = random.between(2, 5);
  else if (how < 20)
    u.affine = u.affine + -1 * Affine(random.pick(counters), 0);
  return u;
}

Access Values::read(const Storage &s) {
  Access a{s.name, {}, field(s)};
  if (s.layout == Layout::Private && s.dimensions == 1) {
    Subscript u;
    u.affine = Affine(random.below(s.privateExtent));
    std::vector<std::string> fits;
    for (const std::string &c : countersInnermostFirst())
      if (Range r = rangeOf(Affine(c, 0), scope); r.low >= 0 && r.high < s.privateExtent)
        fits.push_back(c);
    if (!fits.empty() && random.chance(70))
      u.affine = Affine(random.pick(fits), 0);
    a.subscripts.push_back(u);
    return a;
  }
  std::vector<std::string> counters = countersInnermostFirst();
  // The innermost counters in the order of the loops, or any.
  bool inOrder = random.chance(70);
  for (int d = 0; d < s.dimensions; d++) {
    int position = s.dimensions - 1 - d;
    std::string name = counters.empty()                             ? ""
                       : inOrder && position < int(counters.size()) ? counters[position]
                                                                    : random.pick(counters);
    Subscript u = subscript(name);
    if (!s.isIndex && !name.empty() && random.chance(4))
      for (const Storage &index : program.storages)
        if (index.isIndex) {
          u = {};
          u.kind = SubscriptKind::Data;
          u.data = {readOf(read(index))};
        }
    a.subscripts.push_back(u);
  }
  return a;
}

Access Values::written(const Storage &s) {
  Access a{s.name, {}, field(s)};
  std::vector<std::string> counters = countersInnermostFirst();
  while (int(counters.size()) > s.dimensions && random.chance(60))
    counters.erase(counters.begin()); // a reduction, or the last one wins
  if (random.chance(15))
    for (size_t k = counters.size(); k > 1; k--)
      std::swap(counters[k - 1], counters[random.below(int(k))]);
  for (int d = 0; d < s.dimensions; d++) {
    int position = s.dimensions - 1 - d;
    Subscript u;
    u.affine = position < int(counters.size())
                   ? Affine(counters[position], random.chance(80) ? 0 : random.between(-1, 2))
                   : Affine(random.below(2));
    if (random.chance(4))
      u.affine = 2 * u.affine;
    if (random.chance(3) && position < int(counters.size()))
      u = subscript(counters[position]);
    a.subscripts.push_back(u);
  }
  return a;
}

Access Values::nearby(const Access &access) {
  Access a = access;
  if (!a.subscripts.empty() && random.chance(75)) {
    Subscript &u = a.subscripts[random.below(int(a.subscripts.size()))];
    if (u.kind == SubscriptKind::Plain)
      u.affine.constant += random.chance(70) ? -1 : random.between(-2, 2);
  }
  return a;
}

Expr Values::large() {
  return literal(
      random.pick(std::vector<long long>{2147483647, -2147483647, 1103515245, 65537, 46341}));
}

Expr Values::leaf(bool withFloat) {
  if (program.wraps && random.chance(10))
    return large();
  int how = random.below(100);
  if (how < 14)
    return literal(random.between(-3, 9),
                   withFloat && random.chance(30) ? ElementType::Float : ElementType::Int);
  if (how < 28 && !scope.loops.empty()) {
    Affine a(random.pick(countersInnermostFirst()), random.chance(50) ? 0 : random.between(-2, 3));
    return counter(random.chance(15) ? a + Affine(random.pick(program.sizes), 0) : a);
  }
  std::vector<const Storage *> candidates;
  for (const Storage &s : program.storages)
    if (isReadable(s) && (!avoided.count(s.name) || random.chance(6))) {
      bool isInteger = s.fields.empty() && !fuzz::isFloat(s.type);
      if (withFloat || isInteger)
        candidates.insert(candidates.end(), s.layout == Layout::Private ? 3 : 1, &s);
    }
  if (candidates.empty())
    return literal(random.between(1, 9));
  Access a = read(*random.pick(candidates));
  Expr e = readOf(a);
  if (!withFloat && fuzz::isFloat(typeOfElement(program, a)))
    return literal(5);
  return random.chance(50) ? narrowed(e, 1000) : e;
}

Expr Values::narrowed(Expr e, long long limit) {
  std::optional<Typed> t = rangeOf(e, scope);
  if (!t)
    return literal(3);
  if (t->range.low >= -limit && t->range.high <= limit)
    return e;
  if (fuzz::isFloat(t->type)) {
    Expr c = node(ExprKind::Clamp, {std::move(e)});
    c.literal = limit;
    return c;
  }
  long long mask = 1;
  while (mask * 2 + 1 <= limit)
    mask = mask * 2 + 1;
  return random.chance(60) ? binary("&", std::move(e), literal(mask))
                           : binary("%", std::move(e), literal(limit));
}

Expr Values::combined(Expr a, Expr b) {
  static const std::vector<std::string> forAll = {"+", "+", "-", "*"},
                                        forInts = {"+",  "-",  "*", "&", "|", "^",
                                                   "<<", ">>", "/", "%", "<", "=="};
  for (int attempt = 0; attempt < 3; attempt++) {
    bool floats = fuzz::isFloat(rangeOf(a, scope)->type) || fuzz::isFloat(rangeOf(b, scope)->type);
    int how = random.below(100);
    Expr e;
    if (how < 8)
      e = node(ExprKind::Select, {condition(), a, b});
    else if (how < 14 && floats && rangeOf(a, scope)->type == rangeOf(b, scope)->type)
      e = node(random.chance(50) ? ExprKind::Minimum : ExprKind::Maximum, {a, b});
    else if (how < 18 && !floats)
      e = node(ExprKind::Helper, {narrowed(a, 4000), narrowed(b, 4000)});
    else {
      std::string op = random.pick(floats ? forAll : forInts);
      Expr right = op == "<<" || op == ">>" ? literal(random.between(0, 3))
                   : op == "/" || op == "%" ? literal(random.between(2, 9))
                                            : b;
      e = binary(op, a, right);
    }
    if (rangeOf(e, scope))
      return e;
    a = narrowed(a, 60);
    b = narrowed(b, 60);
  }
  return a;
}

Expr Values::value(int depth, bool withFloat) {
  if (depth <= 0 || random.chance(15))
    return leaf(withFloat);
  if (random.chance(6)) {
    Expr e = node(ExprKind::Unary, {narrowed(value(depth - 1, withFloat), 100000)}, "-");
    if (rangeOf(e, scope))
      return e;
  }
  return combined(value(depth - 1, withFloat), value(random.below(depth), withFloat));
}

Expr Values::fitting(Expr e, ElementType type) {
  Typed t = *rangeOf(e, scope);
  if (fuzz::isFloat(t.type) && !fuzz::isFloat(type)) {
    e = castTo(ElementType::Int, narrowed(std::move(e), 100));
    t = *rangeOf(e, scope);
  }
  std::optional<Range> r = converted(t, type);
  if (r && plainRange(type, program).contains(*r))
    return e;
  return narrowed(std::move(e),
                  type == ElementType::Float || type == ElementType::Int ? 1000 : 100000);
}

Expr Values::affineCondition() {
  std::vector<std::string> counters = countersInnermostFirst();
  Affine left(random.pick(counters), 0);
  static const std::vector<std::string> compare = {"<", "<=", ">", ">=", "==", "!="};
  int how = random.below(100);
  if (how < 25)
    return binary(random.pick(compare), binary("%", counter(left), literal(random.between(2, 3))),
                  literal(random.below(2)));
  if (how < 45)
    left = left + Affine(random.pick(counters), 0);
  Affine right = random.chance(40)   ? Affine(random.below(6))
                 : random.chance(50) ? Affine(random.pick(program.sizes), -random.below(3))
                                     : Affine(random.pick(counters), random.between(-1, 1));
  return binary(random.pick(compare), counter(left), counter(right));
}

Expr Values::condition() {
  if (!scope.loops.empty() && random.chance(50))
    return affineCondition();
  static const std::vector<std::string> compare = {"<", ">", "==", "!=", ">="};
  if (program.wraps && random.chance(40)) { // whether a sum overflows
    Expr e = leaf(false);
    Expr c = binary(random.chance(80) ? "<" : ">", binary("+", e, large()), e);
    if (rangeOf(c, scope))
      return c;
  }
  Expr e = leaf(random.chance(40));
  Expr c = binary(random.pick(compare), e, literal(random.between(0, 6)));
  if (!rangeOf(c, scope))
    c = binary(random.pick(compare), narrowed(e, 1000), literal(random.between(0, 6)));
  if (random.chance(15)) {
    Expr other = scope.loops.empty() ? binary("<", leaf(false), literal(4)) : affineCondition();
    Expr both = binary(random.chance(50) ? "&&" : "||", c, other);
    if (rangeOf(both, scope))
      return both;
  }
  return rangeOf(c, scope) ? c : binary("<", literal(1), literal(2));
}

} // namespace nw::fuzz
