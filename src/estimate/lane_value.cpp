// Arithmetic on lane values. Slopes of quotients and remainders are those of neighbours in the same
// row.
#include "estimate/lane_value.h"
#include <algorithm>
#include <cmath>

namespace nw {

namespace {

enum class Op {
  Add,
  Subtract,
  Multiply,
  Divide,
  Remainder,
  FloorDivide,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  Equal,
  Unequal,
  And,
  Or,
  BitAnd,
  BitOr,
  BitXor,
  Left,
  Right,
  Min,
  Max,
  None
};

Op opOf(const std::string &name) {
  char first = name[0], second = name.size() > 1 ? name[1] : '\0';
  switch (first) {
  case '+':
    return Op::Add;
  case '-':
    return Op::Subtract;
  case '*':
    return Op::Multiply;
  case '/':
    return Op::Divide;
  case '%':
    return Op::Remainder;
  case 'f':
    return name == "floord" ? Op::FloorDivide : Op::None;
  case '<':
    return second == '<' ? Op::Left : second == '=' ? Op::LessEqual : Op::Less;
  case '>':
    return second == '>' ? Op::Right : second == '=' ? Op::GreaterEqual : Op::Greater;
  case '=':
    return Op::Equal;
  case '!':
    return Op::Unequal;
  case '&':
    return second == '&' ? Op::And : Op::BitAnd;
  case '|':
    return second == '|' ? Op::Or : Op::BitOr;
  case '^':
    return Op::BitXor;
  case 'm':
    return name == "min" ? Op::Min : name == "max" ? Op::Max : Op::None;
  default:
    return Op::None;
  }
}

int64_t floorDivided(int64_t a, int64_t b) {
  int64_t q = a / b;
  return q - (a % b != 0 && (a < 0) != (b < 0));
}

// Wraps where C would not define the result: nothing but an estimate comes of it.
int64_t compute(Op op, int64_t a, int64_t b) {
  uint64_t x = uint64_t(a), y = uint64_t(b);
  bool divides = b != 0 && b != -1;
  switch (op) {
  case Op::Add:
    return int64_t(x + y);
  case Op::Subtract:
    return int64_t(x - y);
  case Op::Multiply:
    return int64_t(x * y);
  case Op::Divide:
    return divides ? a / b : b == -1 ? int64_t(-x) : 0;
  case Op::Remainder:
    return divides ? a % b : 0;
  case Op::FloorDivide:
    return divides ? floorDivided(a, b) : 0;
  case Op::Less:
    return a < b;
  case Op::LessEqual:
    return a <= b;
  case Op::Greater:
    return a > b;
  case Op::GreaterEqual:
    return a >= b;
  case Op::Equal:
    return a == b;
  case Op::Unequal:
    return a != b;
  case Op::And:
    return a && b;
  case Op::Or:
    return a || b;
  case Op::BitAnd:
    return a & b;
  case Op::BitOr:
    return a | b;
  case Op::BitXor:
    return a ^ b;
  case Op::Left:
    return int64_t(x << (y & 63));
  case Op::Right:
    return a >> (y & 63);
  case Op::Min:
    return std::min(a, b);
  case Op::Max:
    return std::max(a, b);
  case Op::None:
    return 0;
  }
  return 0;
}

double slopeOf(Op op, const LaneValue &a, const LaneValue &b, size_t d) {
  double x = a.slope(d), y = b.slope(d), first = double(a.lanes[0]), second = double(b.lanes[0]);
  switch (op) {
  case Op::Add:
    return x + y;
  case Op::Subtract:
    return x - y;
  case Op::Multiply:
    return x * second + y * first;
  case Op::Divide:
  case Op::FloorDivide:
    return std::fabs(x) < std::fabs(second) ? 0 : second != 0 ? x / second : 0;
  case Op::Remainder:
    return std::fabs(x) < std::fabs(second) ? x : 0;
  case Op::Left:
    return x * std::ldexp(1.0, int(std::clamp(second, 0.0, 62.0)));
  case Op::Right:
    return x / std::ldexp(1.0, int(std::clamp(second, 0.0, 62.0)));
  case Op::Min:
    return first <= second ? x : y;
  case Op::Max:
    return first >= second ? x : y;
  default:
    return 0;
  }
}

} // namespace

LaneValue uniform(int64_t value) {
  LaneValue v;
  v.isKnown = true;
  v.lanes = {value};
  return v;
}

LaneValue unknown(int level) {
  LaneValue v;
  v.level = level;
  return v;
}

LaneValue applied(const std::string &name, const LaneValue &a, const LaneValue &b) {
  LaneValue v = unknown(std::max(a.level, b.level));
  Op op = opOf(name);
  // One side may decide: a guard on sizes that does not hold needs nothing of the data.
  for (const LaneValue *side : {&a, &b})
    if (side->isKnown && side->isUniform() &&
        ((op == Op::And && !side->lanes[0]) || (op == Op::Or && side->lanes[0])))
      return uniform(op == Op::Or);
  if (!a.isKnown || !b.isKnown || op == Op::None)
    return v;
  v.isKnown = true;
  v.lanes.resize(std::max(a.lanes.size(), b.lanes.size()));
  const int64_t *x = a.lanes.begin(), *y = b.lanes.begin();
  size_t stepX = !a.isUniform(), stepY = !b.isUniform();
  auto each = [&](auto operation) {
    for (int64_t &lane : v.lanes) {
      lane = operation(*x, *y);
      x += stepX;
      y += stepY;
    }
  };
  if (op == Op::Add) // most are sums and products
    each([](int64_t p, int64_t q) { return int64_t(uint64_t(p) + uint64_t(q)); });
  else if (op == Op::Multiply)
    each([](int64_t p, int64_t q) { return int64_t(uint64_t(p) * uint64_t(q)); });
  else
    each([&](int64_t p, int64_t q) { return compute(op, p, q); });
  v.slopes.resize(std::max(a.slopes.size(), b.slopes.size()));
  for (size_t d = 0; d < v.slopes.size(); d++)
    v.slopes[d] = slopeOf(op, a, b, d);
  return v;
}

LaneValue negated(const std::string &op, const LaneValue &a) {
  if (op == "-")
    return applied("-", uniform(0), a);
  LaneValue v = a;
  v.slopes.clear();
  for (int64_t &x : v.lanes)
    x = op == "!" ? !x : ~x;
  return v;
}

LaneValue chosen(const LaneValue &condition, const LaneValue &a, const LaneValue &b) {
  LaneValue v = unknown(std::max({condition.level, a.level, b.level}));
  if (!condition.isKnown)
    return v;
  if (condition.isUniform())
    return condition.lanes[0] ? a : b;
  if (!a.isKnown || !b.isKnown)
    return v;
  v.isKnown = true;
  v.slopes = condition.lanes[0] ? a.slopes : b.slopes;
  for (size_t k = 0; k < condition.lanes.size(); k++)
    v.lanes.push_back(condition.lanes[k] ? a.at(k) : b.at(k));
  return v;
}

} // namespace nw
