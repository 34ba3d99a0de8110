// Types and ranges of expressions.
#include "analyse.h"
#include <algorithm>
#include <climits>

namespace nw::fuzz {

namespace {

Range bits(int count) { return {-(1ll << count), (1ll << count) - 1}; }

// Values that results of operations in this type may have.
Range limitsOf(ElementType t) {
  switch (t) {
  case ElementType::SignedChar:
  case ElementType::CharWithSign:
    return bits(7);
  case ElementType::CharWithoutSign:
    return {0, 255};
  case ElementType::Short:
    return bits(15);
  case ElementType::Int:
    return bits(31);
  case ElementType::Unsigned:
    return {0, 4294967295ll};
  case ElementType::LongLong:
    return bits(61);
  case ElementType::Float:
    return {-(1ll << 24), 1ll << 24};
  case ElementType::Double:
    return {-(1ll << 52), 1ll << 52};
  }
  return {};
}

ElementType promoted(ElementType t) { return isPromoted(t) ? ElementType::Int : t; }

ElementType common(ElementType a, ElementType b) {
  a = promoted(a);
  b = promoted(b);
  for (ElementType t :
       {ElementType::Double, ElementType::Float, ElementType::LongLong, ElementType::Unsigned})
    if (a == t || b == t)
      return t;
  return ElementType::Int;
}

// The smallest 2^k - 1 that is not below the value.
long long allOnes(long long value) {
  long long ones = 0;
  while (ones < value)
    ones = ones * 2 + 1;
  return ones;
}

Range bitwise(const std::string &op, const Range &a, const Range &b) {
  if (a.low >= 0 && b.low >= 0)
    return {0, op == "&" ? std::min(a.high, b.high) : allOnes(std::max(a.high, b.high))};
  if (op == "&" && (a.low >= 0 || b.low >= 0))
    return {0, a.low >= 0 ? a.high : b.high};
  long long ones = allOnes(std::max({a.high, b.high, -(a.low + 1), -(b.low + 1)}));
  return {-ones - 1, ones};
}

std::optional<Range> arithmetic(const std::string &op, const Range &a, const Range &b) {
  using Wide = __int128;
  Wide low, high;
  if (op == "+") {
    low = Wide(a.low) + b.low;
    high = Wide(a.high) + b.high;
  } else if (op == "-") {
    low = Wide(a.low) - b.high;
    high = Wide(a.high) - b.low;
  } else {
    Wide corners[] = {Wide(a.low) * b.low, Wide(a.low) * b.high, Wide(a.high) * b.low,
                      Wide(a.high) * b.high};
    low = *std::min_element(corners, corners + 4);
    high = *std::max_element(corners, corners + 4);
  }
  if (low < -(Wide(1) << 62) || high > (Wide(1) << 62))
    return std::nullopt;
  return Range{(long long)low, (long long)high};
}

std::optional<Typed> fitted(ElementType type, const Range &r, const Program &program) {
  if (limitsOf(type).contains(r))
    return Typed{type, r};
  if (program.mayWrap(type))
    return Typed{type, limitsOf(type)};
  return std::nullopt;
}

std::optional<Typed> binaryRange(const std::string &op, Typed a, Typed b, const Program &program) {
  bool compares = op == "<" || op == "<=" || op == ">" || op == ">=" || op == "==" || op == "!=";
  if (op == "&&" || op == "||")
    return Typed{ElementType::Int, {0, 1}};
  bool shifts = op == "<<" || op == ">>";
  ElementType type = shifts ? promoted(a.type) : common(a.type, b.type);
  std::optional<Range> x = converted(a, type), y = shifts ? b.range : converted(b, type);
  if (!x || !y)
    return std::nullopt;
  if (compares)
    return Typed{ElementType::Int, {0, 1}};
  if (op == "+" || op == "-" || op == "*") {
    std::optional<Range> r = arithmetic(op, *x, *y);
    if (!r && program.mayWrap(type))
      return Typed{type, limitsOf(type)};
    return r ? fitted(type, *r, program) : std::nullopt;
  }
  if (isFloat(type))
    return std::nullopt;
  if (op == "/" || op == "%") {
    if (y->low < 1)
      return std::nullopt;
    if (op == "/")
      return Typed{type, {std::min(x->low, 0ll) / y->low, std::max(x->high, 0ll) / y->low}};
    return Typed{type, {x->low < 0 ? -(y->high - 1) : 0, x->high > 0 ? y->high - 1 : 0}};
  }
  if (shifts) {
    if (y->low < 0 || y->high > 8 || (op == "<<" && x->low < 0 && !program.mayWrap(type)))
      return std::nullopt;
    if (op == ">>")
      return Typed{type, {std::min(x->low, 0ll), std::max(x->high, 0ll)}};
    std::optional<Range> r =
        arithmetic("*", {std::min(x->low, 0ll), std::max(x->high, 0ll)}, {1, 1ll << y->high});
    return r ? fitted(type, *r, program) : std::nullopt;
  }
  return fitted(type, bitwise(op, *x, *y), program);
}

} // namespace

Range plainRange(ElementType t, const Program &program) {
  if (program.mayWrap(t))
    return limitsOf(t);
  switch (t) {
  case ElementType::Int:
    return bits(10);
  case ElementType::LongLong:
    return bits(20);
  case ElementType::Float:
    return {-1024, 1024};
  case ElementType::Double:
    return {-(1 << 20), 1 << 20};
  default:
    return limitsOf(t);
  }
}

Range wideRange(ElementType t, const Program &program) {
  if (program.mayWrap(t))
    return limitsOf(t);
  switch (t) {
  case ElementType::Int:
    return bits(28);
  case ElementType::LongLong:
    return bits(45);
  case ElementType::Float:
    return {-(1ll << 22), 1ll << 22};
  case ElementType::Double:
    return {-(1ll << 45), 1ll << 45};
  default:
    return limitsOf(t);
  }
}

Range rangeOf(const Affine &a, const Scope &scope) {
  Range r{a.constant, a.constant};
  for (auto &[name, factor] : a.terms) {
    Range one{1, scope.program->largestSize};
    if (auto size = scope.sizes.find(name); size != scope.sizes.end())
      one = size->second;
    for (size_t d = 0; d < scope.loops.size(); d++)
      if (scope.loops[d].counter == name) {
        Scope outer = scope;
        outer.loops.resize(d);
        one = rangeOfCounter(scope.loops[d], outer);
      }
    r.low += factor * (factor > 0 ? one.low : one.high);
    r.high += factor * (factor > 0 ? one.high : one.low);
  }
  return r;
}

Range rangeOfCounter(const Loop &loop, const Scope &outer) {
  Range r{rangeOf(loop.lower, outer).low, rangeOf(loop.upper[0], outer).high - 1};
  r.high = std::max(r.low, r.high);
  return r;
}

std::optional<Range> converted(const Typed &from, ElementType to) {
  if (limitsOf(to).contains(from.range))
    return from.range;
  if (isFloat(to) || isFloat(from.type))
    return std::nullopt;
  return limitsOf(to); // wraps around
}

ElementType typeOfElement(const Program &program, const Access &access) {
  const Storage &s = *program.find(access.storage);
  for (const Field &f : s.fields)
    if (f.name == access.field)
      return f.type;
  return s.type;
}

std::optional<Typed> rangeOf(const Expr &e, const Scope &scope) {
  std::vector<Typed> args;
  for (const Expr &a : e.args) {
    std::optional<Typed> r = rangeOf(a, scope);
    if (!r)
      return std::nullopt;
    args.push_back(*r);
  }
  switch (e.kind) {
  case ExprKind::Literal:
    return Typed{e.type, {e.literal, e.literal}};
  case ExprKind::Counter:
    return Typed{ElementType::Int, rangeOf(e.affine, scope)};
  case ExprKind::Read: {
    const Storage &s = *scope.program->find(e.access.storage);
    ElementType type = typeOfElement(*scope.program, e.access);
    return Typed{type, s.isIndex       ? Range{0, 7}
                       : s.accumulates ? wideRange(type, *scope.program)
                                       : plainRange(type, *scope.program)};
  }
  case ExprKind::Unary: {
    if (e.op == "!")
      return Typed{ElementType::Int, {0, 1}};
    Typed zero{ElementType::Int, e.op == "-" ? Range{0, 0} : Range{-1, -1}}; // ~x is -1 - x
    if (e.op == "~" && isFloat(args[0].type))
      return std::nullopt;
    return binaryRange("-", zero, args[0], *scope.program);
  }
  case ExprKind::Binary:
    return binaryRange(e.op, args[0], args[1], *scope.program);
  case ExprKind::Select: {
    ElementType type = common(args[1].type, args[2].type);
    std::optional<Range> a = converted(args[1], type), b = converted(args[2], type);
    if (!a || !b)
      return std::nullopt;
    return Typed{type, {std::min(a->low, b->low), std::max(a->high, b->high)}};
  }
  case ExprKind::Cast: {
    std::optional<Range> r = converted(args[0], e.type);
    return r ? std::optional(Typed{e.type, *r}) : std::nullopt;
  }
  case ExprKind::Clamp:
    if (!isFloat(args[0].type))
      return std::nullopt;
    return Typed{
        args[0].type,
        {std::max(-e.literal, args[0].range.low), std::min(e.literal, args[0].range.high)}};
  case ExprKind::Minimum:
  case ExprKind::Maximum:
    if (!isFloat(args[0].type) || args[0].type != args[1].type)
      return std::nullopt;
    return Typed{args[0].type,
                 {std::min(args[0].range.low, args[1].range.low),
                  std::max(args[0].range.high, args[1].range.high)}};
  case ExprKind::Helper: {
    std::optional<Range> a = converted(args[0], ElementType::Int),
                         b = converted(args[1], ElementType::Int);
    if (!a || !b || !bits(24).contains(*a) || !bits(24).contains(*b))
      return std::nullopt;
    return Typed{ElementType::Int, {0, 255}};
  }
  }
  return std::nullopt;
}

long long instancesOf(const Scope &scope, size_t fromDepth) {
  long long count = 1;
  for (size_t d = fromDepth; d < scope.loops.size(); d++) {
    Scope outer = scope;
    outer.loops.resize(d);
    Range r = rangeOfCounter(scope.loops[d], outer);
    count *= (r.high - r.low) / std::abs(scope.loops[d].step) + 1;
    if (count > (1ll << 40))
      return count;
  }
  return count;
}

static long long instancesIn(const std::vector<Stmt> &body, Scope &scope) {
  long long count = 0;
  for (const Stmt &s : body) {
    if (s.kind == StmtKind::For) {
      scope.loops.push_back(s.loop);
      count += instancesIn(s.body, scope);
      scope.loops.pop_back();
    } else {
      count += instancesOf(scope) + instancesIn(s.body, scope) + instancesIn(s.otherwise, scope);
    }
  }
  return count;
}

long long instancesOf(const Program &program, const std::map<std::string, int> &sizes) {
  Scope scope{&program, {}, {}};
  for (auto &[name, value] : sizes)
    scope.sizes[name] = {value, value};
  return instancesIn(program.body, scope);
}

long long valueOf(const Affine &a, const std::map<std::string, int> &sizes) {
  long long sum = a.constant;
  for (auto &[name, factor] : a.terms)
    sum += (long long)factor * sizes.at(name);
  return sum;
}

} // namespace nw::fuzz
