// Expressions to compact code. Types are C's: operands are promoted and converted as the emitted
// text would be, whatever type a node claims.
#include "support/diagnostics.h"
#include "verify/interpreter/field.h"
#include "verify/interpreter/translate.h"
#include <fmt/format.h>

namespace nw {

Kind Translator::kindOf(Scalar s) const {
  switch (promoted(s)) {
  case Scalar::U32:
    return Kind::U32;
  case Scalar::I64:
    return Kind::I64;
  case Scalar::U64:
    return Kind::U64;
  case Scalar::F32:
    return arithmetic == Arithmetic::Field ? Kind::Field : Kind::F32;
  case Scalar::F64:
    return arithmetic == Arithmetic::Field ? Kind::Field : Kind::F64;
  default:
    return Kind::I32;
  }
}

int32_t Translator::add(ExprNode n) {
  code.exprs.push_back(n);
  return int32_t(code.exprs.size()) - 1;
}

int32_t Translator::convert(Typed value, Scalar to) {
  if (value.type == to)
    return value.node;
  ExprNode n{Op::ToInteger, kindOf(value.type), to, value.node};
  bool fromFloat = isFloating(value.type), toFloat = isFloating(to);
  if (fromFloat && to == Scalar::Bool) {
    n.op = n.kind == Kind::Field ? Op::ToInteger : Op::NonZero;
  } else if (fromFloat) {
    if (toFloat && (arithmetic == Arithmetic::Field || to == Scalar::F64))
      return value.node;
    n.op = toFloat ? Op::FloatToFloat : Op::FloatToInteger;
  } else if (toFloat) {
    n.op = Op::IntegerToFloat;
  } else if (bitsOf(to) == 64 && to != Scalar::Bool) {
    return value.node; // all integers are kept extended to 64 bits
  }
  if (code.exprs[size_t(value.node)].op == Op::Constant && n.op == Op::ToInteger) {
    ExprNode constant{Op::Constant, kindOf(to), to};
    constant.word.integer = narrowed(to, code.exprs[size_t(value.node)].word.integer);
    return add(constant);
  }
  return add(n);
}

int32_t Translator::converted(const ExprP &e, Scalar type) { return convert(expr(e), type); }

int32_t Translator::condition(const ExprP &e) {
  Typed t = expr(e);
  if (!isFloating(t.type) || arithmetic == Arithmetic::Field)
    return t.node;
  return add({Op::NonZero, kindOf(t.type), Scalar::I32, t.node});
}

bool Translator::isLValue(const ExprP &e) const {
  return e->kind == ExprKind::Staged || e->kind == ExprKind::Var || e->kind == ExprKind::Index ||
         e->kind == ExprKind::Member;
}

Translator::Typed Translator::expr(const ExprP &e) {
  switch (e->kind) {
  case ExprKind::Int: {
    ExprNode n{Op::Constant, kindOf(e->type.scalar), e->type.scalar};
    n.word.integer = narrowed(e->type.scalar, e->integer);
    return {add(n), e->type.scalar};
  }
  case ExprKind::Float: {
    ExprNode n{Op::Constant, kindOf(e->type.scalar), e->type.scalar};
    double number = e->type.scalar == Scalar::F32 ? double(float(e->number)) : e->number;
    if (arithmetic == Arithmetic::Field)
      n.word.integer = field::fromDouble(number);
    else
      n.word.number = number;
    return {add(n), e->type.scalar};
  }
  case ExprKind::Staged:
    return expr(e->args[0]);
  case ExprKind::Var:
  case ExprKind::Index:
  case ExprKind::Member: {
    LValue p = lvalue(e);
    if (p.type.isStruct())
      throw InternalError{"a struct is used as a number"};
    const LValueNode &made = code.lvalues[size_t(p.node)];
    ExprNode n{Op::Load, kindOf(p.type.scalar), p.type.scalar, p.node};
    if (made.where == LValueNode::InFrame && made.count == 0 && made.call < 0) {
      n.op = Op::Frame;
      n.word.integer = made.base + made.offset;
    }
    return {add(n), p.type.scalar};
  }
  case ExprKind::Unary:
    return unary(e);
  case ExprKind::Binary:
    return binary(e);
  case ExprKind::Select: {
    int32_t c = condition(e->args[0]);
    Typed a = expr(e->args[1]), b = expr(e->args[2]);
    Scalar type = commonType(a.type, b.type);
    int32_t yes = convert(a, type), no = convert(b, type);
    return {add({Op::Select, kindOf(type), type, c, yes, no}), type};
  }
  case ExprKind::Cast:
    return {converted(e->args[0], e->type.scalar), e->type.scalar};
  case ExprKind::Call:
    return call(e);
  case ExprKind::Min:
  case ExprKind::Max:
  case ExprKind::FloorDiv: {
    Typed a = expr(e->args[0]), b = expr(e->args[1]);
    Scalar type = commonType(a.type, b.type);
    Op op = e->kind == ExprKind::Min   ? Op::Minimum
            : e->kind == ExprKind::Max ? Op::Maximum
                                       : Op::FloorDivide;
    int32_t left = convert(a, type), right = convert(b, type);
    return {add({op, kindOf(type), type, left, right}), type};
  }
  case ExprKind::Builtin:
    return coordinate(e);
  }
  throw InternalError{"an expression that the interpreter does not know"};
}

Translator::Typed Translator::coordinate(const ExprP &e) {
  static const char *const kNames[] = {"thread", "threads", "local", "block", "blocks"};
  std::string what = e->name.substr(0, e->name.find('.')),
              axis = e->name.substr(e->name.find('.') + 1);
  for (int k = 0; k < 5; k++)
    if (what == kNames[k] && axis.size() == 1 && axis[0] >= 'x' && axis[0] <= 'z') {
      Scalar type = bitsOf(e->type.scalar) > 32 ? Scalar::I64 : Scalar::I32;
      ExprNode n{Op::Coordinate, kindOf(type), type};
      n.word.integer = 3 * k + (axis[0] - 'x');
      return {add(n), type};
    }
  throw InternalError{fmt::format("'{}' is not a coordinate", e->name)};
}

Translator::Typed Translator::unary(const ExprP &e) {
  if (e->name == "!")
    return {add({Op::Not, Kind::I32, Scalar::I32, condition(e->args[0])}), Scalar::I32};
  Typed a = expr(e->args[0]);
  Scalar type = promoted(a.type);
  int32_t operand = convert(a, type);
  return {add({e->name == "~" ? Op::Complement : Op::Negate, kindOf(type), type, operand}), type};
}

Translator::Typed Translator::binary(const ExprP &e) {
  static const std::unordered_map<std::string, Op> kOperations = {
      {"+", Op::Add},       {"-", Op::Subtract},      {"*", Op::Multiply},    {"/", Op::Divide},
      {"%", Op::Remainder}, {"<<", Op::ShiftLeft},    {">>", Op::ShiftRight}, {"&", Op::And},
      {"|", Op::Or},        {"^", Op::Xor},           {"<", Op::Less},        {"<=", Op::LessEqual},
      {">", Op::Greater},   {">=", Op::GreaterEqual}, {"==", Op::Equal},      {"!=", Op::NotEqual},
      {"&&", Op::Both},     {"||", Op::Either}};
  auto found = kOperations.find(e->name);
  if (found == kOperations.end())
    throw InternalError{fmt::format("the operator '{}' is not known", e->name)};
  Op op = found->second;
  if (op == Op::Both || op == Op::Either) {
    int32_t a = condition(e->args[0]), b = condition(e->args[1]);
    return {add({op, Kind::I32, Scalar::I32, a, b}), Scalar::I32};
  }
  Typed a = expr(e->args[0]), b = expr(e->args[1]);
  bool shifts = op == Op::ShiftLeft || op == Op::ShiftRight;
  Scalar type = shifts ? promoted(a.type) : commonType(a.type, b.type);
  int32_t left = convert(a, type), right = convert(b, shifts ? promoted(b.type) : type);
  bool compares = op >= Op::Less && op <= Op::NotEqual;
  Scalar result = compares ? Scalar::I32 : type;
  return {add({op, kindOf(type), result, left, right}), result};
}

Translator::Typed Translator::call(const ExprP &e) {
  if (e->name == "abs" || e->name == "labs" || e->name == "llabs") {
    Typed a = expr(e->args[0]);
    Scalar type = promoted(a.type);
    int32_t operand = convert(a, type);
    return {add({Op::Absolute, kindOf(type), type, operand}), type};
  }
  CallNode made;
  made.name = e->name;
  made.hash = field::mixed(e->name);
  made.function = function(e->name);
  Scalar type = e->type.scalar;
  for (size_t k = 0; k < e->args.size(); k++) {
    const ExprP &a = e->args[k];
    if (made.function < 0) {
      made.arguments.push_back(converted(a, type));
      continue;
    }
    const Function *callee = nullptr;
    for (const Function &f : region.functions)
      if (f.name == e->name)
        callee = &f;
    const Type &wanted = callee->parameters.at(k).type;
    made.arguments.push_back(wanted.isStruct() ? -1 - lvalue(a).node : converted(a, wanted.scalar));
  }
  code.calls.push_back(made);
  ExprNode n{made.function < 0 ? Op::Math : Op::Call, kindOf(type), type,
             int32_t(code.calls.size()) - 1};
  return {add(n), type};
}

// ---- lvalues ----

const Translator::Symbol &Translator::find(const std::string &name) const {
  for (auto s = scopes.rbegin(); s != scopes.rend(); ++s)
    if (auto found = s->find(name); found != s->end())
      return found->second;
  throw InternalError{fmt::format("'{}' is not declared here", name)};
}

int32_t Translator::lvalueOf(const ExprP &e) { return lvalue(e).node; }

Translator::LValue Translator::lvalue(const ExprP &e) {
  std::vector<const Expr *> steps;
  const ExprP *base = &e;
  while ((*base)->kind == ExprKind::Index || (*base)->kind == ExprKind::Member) {
    steps.insert(steps.begin(), base->get());
    base = &(*base)->args[0];
  }
  LValueNode made;
  Type type = (*base)->type;
  std::vector<int64_t> pending; // extents of the dimensions that the next subscripts belong to
  bool runtimeDims = false;
  if ((*base)->kind == ExprKind::Select) {
    made.where = LValueNode::Chosen;
    made.condition = condition((*base)->args[0]);
    made.yes = lvalue((*base)->args[1]).node;
    made.no = lvalue((*base)->args[2]).node;
  } else if ((*base)->kind == ExprKind::Call) {
    made.call = call(*base).node;
    int32_t callee = code.calls[size_t(code.exprs[size_t(made.call)].a)].function;
    if (callee < 0)
      throw InternalError{"a function of math.h returns no struct"};
    made.base = code.functions[size_t(callee)].result;
  } else if ((*base)->kind == ExprKind::Cast || (*base)->kind == ExprKind::Staged) {
    return lvalue((*base)->args[0]);
  } else {
    const Symbol &s = find((*base)->name);
    made.where = s.inFrame ? LValueNode::InFrame : LValueNode::InArray;
    made.base = s.base;
    type = s.type;
    pending = s.extents;
    runtimeDims = !s.inFrame && !code.arrays[size_t(s.base)].isShared;
  }
  finishLValue(made, type, pending, runtimeDims, steps);
  code.lvalues.push_back(made);
  return {int32_t(code.lvalues.size()) - 1, type};
}

// Adds the subscripts and members of the steps, from the base outwards.
void Translator::finishLValue(LValueNode &made, Type &type, std::vector<int64_t> pending,
                              bool runtimeDims, const std::vector<const Expr *> &steps) {
  std::vector<Subscript> all;
  size_t dim = 0;
  for (const Expr *s : steps) {
    if (s->kind == ExprKind::Index) {
      if (dim >= pending.size())
        throw InternalError{"more subscripts than dimensions"};
      int64_t stride = widthOf(type);
      for (size_t k = dim + 1; k < pending.size(); k++)
        stride *= pending[k];
      Typed subscript = expr(s->args[1]);
      all.push_back({subscript.node, runtimeDims ? int32_t(dim) : -1, stride, pending[dim]});
      dim++;
      continue;
    }
    const Field *field = nullptr;
    for (const Struct &x : region.structs)
      if (x.name == type.structName)
        for (const Field &f : x.fields) {
          if (f.name == s->name) {
            field = &f;
            break;
          }
          int64_t width = widthOf(f.type);
          for (int64_t n : f.extents)
            width *= n;
          made.offset += width;
        }
    if (!field || dim != pending.size())
      throw InternalError{fmt::format("no member '{}' here", s->name)};
    type = field->type;
    pending = field->extents;
    runtimeDims = false;
    dim = 0;
  }
  if (dim != pending.size())
    throw InternalError{"fewer subscripts than dimensions"};
  made.first = int32_t(code.subscripts.size());
  made.count = int32_t(all.size());
  code.subscripts.insert(code.subscripts.end(), all.begin(), all.end());
}

} // namespace nw
