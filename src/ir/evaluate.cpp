// Evaluation of integer expressions.
#include "ir/evaluate.h"
#include <algorithm>

namespace nw {

static std::optional<int64_t> applied(const std::string &op, int64_t a, int64_t b) {
  int64_t result;
  if (op == "+")
    return __builtin_add_overflow(a, b, &result) ? std::nullopt : std::optional(result);
  if (op == "-")
    return __builtin_sub_overflow(a, b, &result) ? std::nullopt : std::optional(result);
  if (op == "*")
    return __builtin_mul_overflow(a, b, &result) ? std::nullopt : std::optional(result);
  if (op == "/" || op == "%")
    return b == 0 || b == -1 ? std::nullopt : std::optional(op == "/" ? a / b : a % b);
  if (op == "<<" || op == ">>")
    return b < 0 || b > 62 || a < 0 ? std::nullopt : std::optional(op == "<<" ? a << b : a >> b);
  if (op == "&" || op == "|" || op == "^")
    return op == "&" ? a & b : op == "|" ? a | b : a ^ b;
  if (op == "<" || op == "<=")
    return op == "<" ? a < b : a <= b;
  if (op == ">" || op == ">=")
    return op == ">" ? a > b : a >= b;
  if (op == "==" || op == "!=")
    return op == "==" ? a == b : a != b;
  if (op == "&&" || op == "||")
    return op == "&&" ? a && b : a || b;
  return std::nullopt;
}

std::optional<int64_t> evaluate(const ExprP &e, const std::map<std::string, int64_t> &values) {
  if (!e || !e->type.isInteger())
    return std::nullopt;
  std::vector<int64_t> args;
  if (e->kind != ExprKind::Var && e->kind != ExprKind::Index && e->kind != ExprKind::Member)
    for (const ExprP &a : e->args) {
      std::optional<int64_t> v = evaluate(a, values);
      if (!v)
        return std::nullopt;
      args.push_back(*v);
    }
  switch (e->kind) {
  case ExprKind::Int:
    return e->integer;
  case ExprKind::Var: {
    auto v = values.find(e->name);
    return v == values.end() ? std::nullopt : std::optional(v->second);
  }
  case ExprKind::Unary:
    return e->name == "-" ? -args[0] : e->name == "~" ? ~args[0] : !args[0];
  case ExprKind::Binary:
    return applied(e->name, args[0], args[1]);
  case ExprKind::Select:
    return args[0] ? args[1] : args[2];
  case ExprKind::Cast:
    return bitsOf(e->type.scalar) >= 32 ? std::optional(args[0]) : std::nullopt;
  case ExprKind::Min:
    return std::min(args[0], args[1]);
  case ExprKind::Max:
    return std::max(args[0], args[1]);
  case ExprKind::FloorDiv:
    return args[1] <= 0 ? std::nullopt
                        : std::optional(args[0] >= 0 ? args[0] / args[1]
                                                     : -((-args[0] + args[1] - 1) / args[1]));
  default:
    return std::nullopt;
  }
}

} // namespace nw
