// Evaluation of expressions, in C's arithmetic or in the prime field.
#include "verify/interpreter/execute.h"
#include "verify/interpreter/field.h"
#include <cmath>
#include <fmt/format.h>

namespace nw {

static bool isSigned(Kind k) { return k == Kind::I32 || k == Kind::I64; }
static int bitsOf(Kind k) { return k == Kind::I32 || k == Kind::U32 ? 32 : 64; }

static int64_t wrapped(Kind k, __int128 value) {
  switch (k) {
  case Kind::I32:
    return int32_t(uint64_t(value));
  case Kind::U32:
    return uint32_t(uint64_t(value));
  default:
    return int64_t(uint64_t(value));
  }
}

void Executor::undefined(const char *check, const std::string &subject, const std::string &what) {
  if (!log)
    throw Undefined{fmt::format("{}: {}", check, what)};
  log->add(check, subject, what);
}

Word Executor::eval(int32_t node) {
  const ExprNode &n = code.exprs[size_t(node)];
  switch (n.op) {
  case Op::Constant:
    return n.word;
  case Op::Frame:
    if (!t->isSet[n.word.integer])
      undefined("uninitialised", "local", "a local variable is used before it is set");
    return t->frame[n.word.integer];
  case Op::Load:
    return load(n.a);
  case Op::Coordinate:
    return {t->coordinates[n.word.integer]};
  case Op::Not:
    return {eval(n.a).integer == 0};
  case Op::Both:
    return {eval(n.a).integer != 0 && eval(n.b).integer != 0};
  case Op::Either:
    return {eval(n.a).integer != 0 || eval(n.b).integer != 0};
  case Op::Select:
    return eval(n.a).integer != 0 ? eval(n.b) : eval(n.c);
  case Op::NonZero:
    return {eval(n.a).number != 0};
  case Op::ToInteger:
    return {narrowed(n.type, eval(n.a).integer)};
  case Op::IntegerToFloat:
  case Op::FloatToInteger:
  case Op::FloatToFloat:
    return cast(n);
  case Op::Less:
  case Op::LessEqual:
  case Op::Greater:
  case Op::GreaterEqual:
  case Op::Equal:
  case Op::NotEqual:
    return {compare(n)};
  case Op::Math:
    return mathOf(n);
  case Op::Call:
    return callOf(n);
  case Op::Add:
  case Op::Subtract:
  case Op::Multiply: // the commonest first
    if (n.kind == Kind::I32) {
      int64_t a = eval(n.a).integer, b = eval(n.b).integer;
      int64_t result = n.op == Op::Add ? a + b : n.op == Op::Subtract ? a - b : a * b;
      if (result == int32_t(result))
        return {result};
      return integerOf(n, a, b);
    }
    [[fallthrough]];
  default:
    return arithmeticOf(n);
  }
}

Word Executor::arithmeticOf(const ExprNode &n) {
  if (n.kind == Kind::Field) {
    int64_t a = eval(n.a).integer;
    if (n.op == Op::Negate)
      return {field::negated(a)};
    int64_t b = eval(n.b).integer;
    switch (n.op) {
    case Op::Add:
      return {field::add(a, b)};
    case Op::Subtract:
      return {field::subtract(a, b)};
    case Op::Multiply:
      return {field::multiply(a, b)};
    case Op::Divide:
      return {field::divide(a, b)};
    case Op::Minimum:
      return {std::min(a, b)};
    case Op::Maximum:
      return {std::max(a, b)};
    default:
      return {
          field::fromHash(field::mixed(uint64_t(a), field::mixed(uint64_t(b), uint64_t(n.op))))};
    }
  }
  if (n.kind == Kind::F32 || n.kind == Kind::F64)
    return numberOf(n);
  int64_t a = eval(n.a).integer;
  return integerOf(n, a, n.b >= 0 ? eval(n.b).integer : 0);
}

Word Executor::numberOf(const ExprNode &n) {
  double a = eval(n.a).number, b = n.b >= 0 ? eval(n.b).number : 0, result = 0;
  switch (n.op) {
  case Op::Negate:
    result = -a;
    break;
  case Op::Add:
    result = a + b;
    break;
  case Op::Subtract:
    result = a - b;
    break;
  case Op::Multiply:
    result = a * b;
    break;
  case Op::Divide:
    result = a / b;
    break;
  case Op::Minimum:
    result = a < b ? a : b;
    break;
  case Op::Maximum:
    result = a > b ? a : b;
    break;
  default:
    undefined("undefined", "operator", "an integer operator is applied to floating-point values");
  }
  Word word;
  word.number =
      n.kind == Kind::F32 ? double(float(result)) : result; // a double is wide enough to round once
  return word;
}

Word Executor::integerOf(const ExprNode &n, int64_t a, int64_t b) {
  // Unsigned 64-bit values are kept as their bits.
  auto wide = [&](int64_t x) -> __int128 {
    return n.kind == Kind::U64 ? (__int128)uint64_t(x) : (__int128)x;
  };
  __int128 result = 0;
  switch (n.op) {
  case Op::Negate:
    result = -wide(a);
    break;
  case Op::Absolute:
    result = a < 0 ? -wide(a) : wide(a);
    break;
  case Op::Complement:
    return {wrapped(n.kind, ~wide(a))};
  case Op::Add:
    result = wide(a) + wide(b);
    break;
  case Op::Subtract:
    result = wide(a) - wide(b);
    break;
  case Op::Multiply:
    result = wide(a) * wide(b);
    break;
  case Op::And:
    return {a & b};
  case Op::Or:
    return {a | b};
  case Op::Xor:
    return {a ^ b};
  case Op::Minimum:
    return {wide(a) < wide(b) ? a : b};
  case Op::Maximum:
    return {wide(a) > wide(b) ? a : b};
  case Op::Divide:
  case Op::Remainder:
  case Op::FloorDivide:
    if (b == 0) {
      undefined("undefined", "division", "a division by zero");
      return {0};
    }
    if (n.op == Op::Remainder)
      result = wide(a) % wide(b);
    else {
      result = wide(a) / wide(b);
      if (n.op == Op::FloorDivide && wide(a) < 0)
        result = -((-wide(a) + wide(b) - 1) / wide(b));
    }
    break;
  case Op::ShiftLeft:
  case Op::ShiftRight:
    if (b < 0 || b >= bitsOf(n.kind)) {
      undefined("undefined", "shift", "a shift by more bits than the type has");
      return {0};
    }
    if (n.op == Op::ShiftRight)
      return {n.kind == Kind::U64 ? int64_t(uint64_t(a) >> b) : a >> b};
    if (isSigned(n.kind) && a < 0) {
      if (!log && !code.wraps)
        undefined("undefined", "shift", "a shift of a negative number");
      return {wrapped(n.kind, (__int128)a * ((__int128)1 << b))};
    }
    result = wide(a) << b;
    break;
  default:
    undefined("undefined", "operator", "a floating-point operator is applied to integers");
  }
  int64_t fits = wrapped(n.kind, result);
  if (isSigned(n.kind) && result != fits && !log &&
      !code.wraps) // devices wrap around; in C it is undefined
    undefined("undefined", "overflow", "a signed integer overflows");
  return {fits};
}

bool Executor::compare(const ExprNode &n) {
  auto decide = [&](const auto &a, const auto &b) {
    switch (n.op) {
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
    default:
      return a != b;
    }
  };
  Word a = eval(n.a), b = eval(n.b);
  if (n.kind == Kind::F32 || n.kind == Kind::F64)
    return decide(a.number, b.number);
  if (n.kind == Kind::U64)
    return decide(uint64_t(a.integer), uint64_t(b.integer));
  if (n.kind == Kind::Field && (a.integer == field::kNaN || b.integer == field::kNaN))
    return n.op == Op::NotEqual; // NaN is in no order, and not equal to itself
  return decide(a.integer, b.integer);
}

Word Executor::cast(const ExprNode &n) {
  Word a = eval(n.a);
  Word word = {0};
  if (n.op == Op::FloatToFloat) {
    word.number = double(float(a.number));
  } else if (n.op == Op::IntegerToFloat) {
    bool isBig = n.kind == Kind::U64;
    if (arithmetic == Arithmetic::Field)
      return {isBig ? field::fromUnsigned(uint64_t(a.integer)) : field::fromInteger(a.integer)};
    if (n.type == Scalar::F32)
      word.number = isBig ? double(float(uint64_t(a.integer))) : double(float(a.integer));
    else
      word.number = isBig ? double(uint64_t(a.integer)) : double(a.integer);
  } else {
    if (n.kind == Kind::Field)
      return {narrowed(n.type, field::toInteger(a.integer))};
    double whole = std::trunc(a.number);
    bool isBig = n.type == Scalar::U64;
    if (!(whole >= (isBig || isUnsigned(n.type) ? 0 : -0x1p63) &&
          whole < (isBig ? 0x1p64 : 0x1p63)) ||
        narrowed(n.type, int64_t(isBig ? uint64_t(whole) : uint64_t(int64_t(whole)))) !=
            int64_t(isBig ? uint64_t(whole) : uint64_t(int64_t(whole)))) {
      undefined("undefined", "conversion",
                "a value does not fit the integer type it is converted to");
      return {0};
    }
    word.integer = isBig ? int64_t(uint64_t(whole)) : int64_t(whole);
  }
  return word;
}

// A function of the host's libm by name.
static double libraryValue(const std::string &name, const double *x, size_t count) {
  struct One {
    const char *name;
    double (*function)(double);
  };
  struct Two {
    const char *name;
    double (*function)(double, double);
  };
  static const One kOne[] = {{"sqrt", std::sqrt},     {"fabs", std::fabs},
                             {"floor", std::floor},   {"ceil", std::ceil},
                             {"trunc", std::trunc},   {"round", std::round},
                             {"rint", std::rint},     {"nearbyint", std::nearbyint},
                             {"exp", std::exp},       {"exp2", std::exp2},
                             {"expm1", std::expm1},   {"log", std::log},
                             {"log2", std::log2},     {"log10", std::log10},
                             {"log1p", std::log1p},   {"sin", std::sin},
                             {"cos", std::cos},       {"tan", std::tan},
                             {"asin", std::asin},     {"acos", std::acos},
                             {"atan", std::atan},     {"sinh", std::sinh},
                             {"cosh", std::cosh},     {"tanh", std::tanh},
                             {"asinh", std::asinh},   {"acosh", std::acosh},
                             {"atanh", std::atanh},   {"cbrt", std::cbrt},
                             {"erf", std::erf},       {"erfc", std::erfc},
                             {"tgamma", std::tgamma}, {"lgamma", std::lgamma}};
  static const Two kTwo[] = {
      {"fmin", std::fmin},         {"fmax", std::fmax},   {"fmod", std::fmod},
      {"pow", std::pow},           {"atan2", std::atan2}, {"hypot", std::hypot},
      {"copysign", std::copysign}, {"fdim", std::fdim},   {"remainder", std::remainder}};
  if (count == 1)
    for (const One &f : kOne)
      if (name == f.name)
        return f.function(x[0]);
  if (count == 2)
    for (const Two &f : kTwo)
      if (name == f.name)
        return f.function(x[0], x[1]);
  if (count == 3 && name == "fma")
    return std::fma(x[0], x[1], x[2]);
  return std::nan("");
}

Word Executor::mathOf(const ExprNode &n) {
  const CallNode &c = code.calls[size_t(n.a)];
  size_t count = std::min<size_t>(c.arguments.size(), 3);
  Word values[3] = {};
  for (size_t k = 0; k < count; k++)
    values[k] = eval(c.arguments[k]);
  if (n.kind == Kind::Field) {
    if (count == 2 && c.name == "fmin")
      return {field::smaller(values[0].integer, values[1].integer)};
    if (count == 2 && c.name == "fmax")
      return {field::larger(values[0].integer, values[1].integer)};
    if (count == 3 && c.name == "fma")
      return {field::add(field::multiply(values[0].integer, values[1].integer), values[2].integer)};
    uint64_t hash = c.hash;
    for (size_t k = 0; k < count; k++)
      hash = field::mixed(hash, uint64_t(values[k].integer));
    return {field::fromHash(hash)};
  }
  if (n.kind != Kind::F32 && n.kind != Kind::F64) {
    undefined("undefined", c.name, fmt::format("'{}' is not a function of integers", c.name));
    return {0};
  }
  double numbers[3] = {values[0].number, values[1].number, values[2].number};
  Word word;
  word.number = libraryValue(c.name, numbers, count);
  if (n.kind == Kind::F32)
    word.number = double(float(word.number));
  return word;
}

Word Executor::callOf(const ExprNode &n) {
  const CallNode &c = code.calls[size_t(n.a)];
  const FunctionCode &f = code.functions[size_t(c.function)];
  // All arguments are there before the first is bound: one of them may call the function too.
  Word values[64];
  uint8_t isSet[64];
  int filled = 0;
  for (size_t k = 0; k < c.arguments.size(); k++) {
    if (filled + f.widths[k] > 64)
      throw Exhausted{};
    if (c.arguments[k] < 0)
      readLValue(-1 - c.arguments[k], values + filled, isSet + filled, f.widths[k]);
    else {
      values[filled] = eval(c.arguments[k]);
      isSet[filled] = 1;
    }
    filled += f.widths[k];
  }
  int from = 0;
  for (size_t k = 0; k < c.arguments.size(); k++)
    for (int32_t j = 0; j < f.widths[k]; j++, from++) {
      t->frame[f.parameters[k] + j] = values[from];
      t->isSet[f.parameters[k] + j] = isSet[from];
    }
  for (int32_t j = 0; j < f.resultWidth; j++)
    t->isSet[f.result + j] = 0;
  exec(f.body);
  if (f.resultWidth == 1 && !t->isSet[f.result] && n.type != Scalar::Void)
    undefined("uninitialised", f.name, fmt::format("'{}' ends without a value", f.name));
  return t->frame[f.result];
}

} // namespace nw
