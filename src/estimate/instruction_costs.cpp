// Costs of nodes.
#include "estimate/instruction_costs.h"
#include <algorithm>
#include <map>

namespace nw {

namespace {

InstructionMix integers(double count) {
  InstructionMix m;
  m.integer = count;
  return m;
}

// `numbers` operations in the precision at hand, and special ones.
InstructionMix numbers(double count, double special, bool isDouble) {
  InstructionMix m;
  (isDouble ? m.fp64 : m.fma) = count;
  m.special = special;
  return m;
}

InstructionMix costOfInteger(const std::string &op, bool isWide, bool byConstant) {
  if (op == "/" || op == "%" || op == "floord")
    return integers(byConstant ? (isWide ? 12 : 5) : (isWide ? 70 : 20));
  if (op == "*")
    return integers(isWide ? 3 : 1);
  if (op == "&&" || op == "||")
    return integers(0); // the second comparison takes the first along
  return integers(isWide ? 2 : 1);
}

} // namespace

InstructionMix costOfFloat(const std::string &op, bool fused, bool isDouble) {
  InstructionMix m;
  if (op == "/")
    return isDouble ? numbers(9, 2, true) : numbers(8, 1, false);
  if (isDouble) {
    m.fp64 = 1;
    m.fp64Fma = fused;
  } else {
    (fused ? m.fma : op == "*" ? m.multiply : m.add) = 1;
  }
  return m;
}

// x << a | x >> (32 - a), which is one instruction.
bool isRotation(const Expr &e) {
  auto shifts = [](const ExprP &x, const char *by) {
    return x->kind == ExprKind::Binary && x->name == by;
  };
  if (e.kind != ExprKind::Binary || e.name != "|" || !e.type.isInteger() ||
      bitsOf(e.type.scalar) != 32)
    return false;
  bool isLeftFirst = shifts(e.args[0], "<<") && shifts(e.args[1], ">>");
  return (isLeftFirst || (shifts(e.args[0], ">>") && shifts(e.args[1], "<<"))) &&
         sameTree(e.args[0]->args[0], e.args[1]->args[0]);
}

InstructionMix costOfNode(const Expr &e) {
  bool isWide = e.type.isInteger() && bitsOf(e.type.scalar) > 32;
  bool compares =
      !e.args.empty() && e.args[0]->type.isInteger() && bitsOf(e.args[0]->type.scalar) > 32;
  switch (e.kind) {
  case ExprKind::Binary:
    if (e.args[0]->type.isFloat() && !e.type.isFloat())
      return costOfFloat("<", false, e.args[0]->type.scalar == Scalar::F64);
    if (e.type.isFloat())
      return costOfFloat(e.name, false, e.type.scalar == Scalar::F64);
    // Three numbers are added in one instruction.
    if (e.name == "+" && !isWide && std::any_of(e.args.begin(), e.args.end(), [](const ExprP &a) {
          return a->kind == ExprKind::Binary && a->name == "+";
        }))
      return integers(0.5);
    return costOfInteger(e.name, isWide || compares, e.args[1]->kind == ExprKind::Int);
  case ExprKind::Unary:
    return e.type.isFloat() ? InstructionMix{}
                            : integers(isWide ? 2 : 1); // a sign is free on an operand
  case ExprKind::FloorDiv:
    return costOfInteger("floord", isWide, true);
  case ExprKind::Min:
  case ExprKind::Max:
    return integers(isWide ? 4 : 1);
  case ExprKind::Select:
    return integers(e.type.isFloat() && e.type.scalar == Scalar::F64 ? 2 : isWide ? 2 : 1);
  case ExprKind::Cast: {
    const Type &from = e.args[0]->type;
    if (from.isInteger() && e.type.isInteger())
      return integers(bitsOf(e.type.scalar) > bitsOf(from.scalar) ? 1 : 0);
    bool constant = e.args[0]->kind == ExprKind::Int || e.args[0]->kind == ExprKind::Float;
    return constant ? InstructionMix{} : numbers(0, 1, false);
  }
  default:
    return {};
  }
}

InstructionMix costOfFunction(const std::string &given, bool isDouble) {
  static const std::map<std::string, std::pair<double, double>> table = {
      // operations, special ones
      {"sqrt", {8, 1}},     {"rsqrt", {4, 1}}, {"fabs", {0, 0}},  {"fmin", {1, 0}},
      {"fmax", {1, 0}},     {"fma", {1, 0}},   {"floor", {1, 0}}, {"ceil", {1, 0}},
      {"trunc", {1, 0}},    {"round", {4, 0}}, {"rint", {1, 0}},  {"nearbyint", {1, 0}},
      {"copysign", {1, 0}}, {"abs", {1, 0}},   {"labs", {2, 0}},  {"llabs", {2, 0}},
      {"exp", {8, 1}},      {"exp2", {4, 1}},  {"log", {14, 0}},  {"log2", {14, 0}},
      {"log10", {15, 0}},   {"sin", {28, 2}},  {"cos", {28, 2}},  {"tan", {38, 3}},
      {"tanh", {14, 2}},    {"sinh", {14, 1}}, {"cosh", {12, 1}}, {"pow", {45, 2}},
      {"hypot", {14, 1}},   {"fmod", {30, 1}}, {"cbrt", {16, 2}}};
  std::string name =
      given.size() > 1 && given.back() == 'f' && table.count(given.substr(0, given.size() - 1))
          ? given.substr(0, given.size() - 1)
          : given;
  auto found = table.find(name);
  auto [operations, special] =
      found == table.end() ? std::pair<double, double>{20, 1} : found->second;
  return numbers(operations * (isDouble ? 1.5 : 1), special, isDouble);
}

} // namespace nw
