// Trees as C, with as few parentheses as the language needs.
#include "emit/dialect.h"
#include "kernel/reduction_steps.h"
#include "support/diagnostics.h"
#include "support/text.h"
#include <fmt/format.h>
#include <map>
#include <set>

namespace nw {

// Binding strength of C's operators; more binds tighter.
static int strength(const std::string &op) {
  static const std::map<std::string, int> table = {
      {"||", 2}, {"&&", 3}, {"|", 4},  {"^", 5},  {"&", 6},  {"==", 7},
      {"!=", 7}, {"<", 8},  {"<=", 8}, {">", 8},  {">=", 8}, {"<<", 9},
      {">>", 9}, {"+", 10}, {"-", 10}, {"*", 11}, {"/", 11}, {"%", 11}};
  return table.at(op);
}
constexpr int kSelect = 1, kPrefix = 12, kPostfix = 13;

// Mixtures that compilers warn about get parentheses although C needs none.
static bool isTreacherous(const std::string &outer, const std::string &inner) {
  auto in = [](const std::string &op, std::initializer_list<const char *> list) {
    for (const char *x : list)
      if (op == x)
        return true;
    return false;
  };
  return (in(outer, {"|", "^", "&", "<<", ">>", "||", "==", "!="}) &&
          in(inner,
             {"+", "-", "&&", "|", "^", "&", "<<", ">>", "<", ">", "<=", ">=", "==", "!="})) ||
         (in(outer, {"&&"}) && in(inner, {"||"}));
}

bool hasConstantRows(const KernelParameter &p) {
  for (size_t k = 1; k < p.extents.size(); k++)
    if (!p.extents[k] || p.extents[k]->kind != ExprKind::Int)
      return false;
  return true;
}

std::string TreePrinter::declaration(const Type &t, const std::string &name,
                                     const std::vector<int64_t> &extents) const {
  std::string text = fmt::format("{} {}", dialect.type(t), dialect.name(name));
  for (int64_t x : extents)
    text += fmt::format("[{}]", x);
  return text;
}

// Beside a 64-bit factor a cast to 64 bits says nothing.
static const ExprP &narrow(const ExprP &e) {
  return e->kind == ExprKind::Cast && e->type == kI64 && e->args[0]->kind == ExprKind::Var
             ? e->args[0]
             : e;
}

// An element of an array: as in the source, or flattened where rows have no constant length.
std::string TreePrinter::location(const ExprP &e) const {
  if (parameters && e->kind == ExprKind::Index) {
    std::vector<const Expr *> chain;
    const Expr *base = e.get();
    while (base->kind == ExprKind::Index) {
      chain.insert(chain.begin(), base);
      base = base->args[0].get();
    }
    if (base->kind == ExprKind::Var)
      for (const KernelParameter &p : *parameters)
        if (p.name == base->name && p.buffer >= 0 && !hasConstantRows(p) &&
            chain.size() == p.extents.size()) {
          std::string flat = print(cast(chain[0]->args[1], kI64), strength("*"));
          for (size_t k = 1; k < chain.size(); k++)
            flat = fmt::format("{} * {} + {}", k > 1 ? "(" + flat + ")" : flat,
                               print(narrow(p.extents[k]), kPrefix),
                               print(chain[k]->args[1], strength("+") + 1));
          return fmt::format("{}[{}]", dialect.name(p.name), flat);
        }
  }
  // A scalar of the user's in a buffer.
  return fmt::format("{}[{}]", print(e->args[0], kPostfix), print(e->args[1], 0));
}

// Whether C computes it with a sign and may overflow.
static bool mayOverflow(const ExprP &e) {
  static const std::set<std::string> operators = {"+", "-", "*", "<<"};
  bool computes = (e->kind == ExprKind::Binary && operators.count(e->name)) ||
                  (e->kind == ExprKind::Unary && e->name == "-");
  return computes && (valueType(e) == Scalar::I32 || valueType(e) == Scalar::I64);
}

// The bits of a value of at most that many bits as a number without a sign. Sums, differences and
// products are computed there, and wrap around.
static ExprP withoutSign(const ExprP &e, Scalar type) {
  Type t = typeOf(type);
  if (e->kind == ExprKind::Int && valueType(e) != Scalar::U32)
    return intConst(e->integer, t);
  if (!mayOverflow(e) || bitsOf(valueType(e)) != bitsOf(type))
    return cast(e, t);
  if (e->kind == ExprKind::Unary)
    return unary("-", withoutSign(e->args[0], type), t);
  return binary(e->name, withoutSign(e->args[0], type),
                e->name == "<<" ? e->args[1] : withoutSign(e->args[1], type), t);
}

// The same value with signed arithmetic that wraps around, where C leaves overflow undefined.
static ExprP wrapping(const ExprP &e) {
  bool isWide = valueType(e) == Scalar::I64;
  return cast(withoutSign(e, isWide ? Scalar::U64 : Scalar::U32), isWide ? kI64 : kI32);
}

std::string TreePrinter::step(const Loop &loop) const {
  std::string counter = dialect.name(loop.counter);
  bool isSigned = loop.type.scalar == Scalar::I32 || loop.type.scalar == Scalar::I64;
  if (dialect.wraps && isSigned) {
    ExprP by = loop.stride ? loop.stride : intConst(loop.step, loop.type);
    ExprP next = binary("+", var(loop.counter, loop.type), by, loop.type);
    return counter + " = " + print(cast(next, loop.type), 0);
  }
  if (loop.stride)
    return counter + " += " + print(loop.stride, 0);
  return loop.step == 1    ? counter + "++"
         : loop.step == -1 ? counter + "--"
                           : fmt::format("{} += {}", counter, loop.step);
}

std::string TreePrinter::print(const ExprP &e, int outer) const {
  if (dialect.wraps && mayOverflow(e))
    return print(wrapping(e), outer);
  auto wrap = [&](const std::string &text, int own) {
    return own < outer ? "(" + text + ")" : text;
  };
  switch (e->kind) {
  case ExprKind::Int: {
    std::string text = dialect.integer(e->integer, e->type);
    return text[0] == '-' || text[0] == '(' ? wrap(text, text.back() == ')' ? kPostfix : kPrefix)
                                            : text;
  }
  case ExprKind::Float: {
    std::string text = dialect.number(e->number, e->type);
    return text[0] == '-' ? wrap(text, kPrefix) : text;
  }
  case ExprKind::Var:
    if (parameters)
      for (const KernelParameter &p : *parameters)
        if (p.name == e->name && p.buffer >= 0 && p.extents.empty())
          return wrap("*" + dialect.name(e->name), kPrefix);
    return dialect.name(e->name);
  case ExprKind::Builtin:
    return dialect.builtin(e->name, e->type);
  case ExprKind::Index:
    return location(e);
  case ExprKind::Staged:
    return print(e->args[0], outer);
  case ExprKind::Member:
    return fmt::format("{}.{}", print(e->args[0], kPostfix), dialect.name(e->name));
  case ExprKind::Unary:
    return wrap(e->name + print(e->args[0], e->name == "-" && e->args[0]->kind != ExprKind::Var
                                                ? kPostfix
                                                : kPrefix),
                kPrefix);
  case ExprKind::Select:
    return wrap(fmt::format("{} ? {} : {}", print(e->args[0], kSelect + 1),
                            print(e->args[1], kSelect + 1), print(e->args[2], kSelect)),
                kSelect);
  case ExprKind::Cast: {
    if (e->type.scalar == Scalar::Bool && !e->type.isStruct()) {
      const ExprP &a = e->args[0];
      bool isTruth = a->kind == ExprKind::Binary && strength(a->name) <= 8 && a->name != "&" &&
                     a->name != "|" && a->name != "^";
      return isTruth || (a->kind == ExprKind::Unary && a->name == "!")
                 ? print(a, outer)
                 : wrap(print(a, strength("!=") + 1) + " != 0", strength("!="));
    }
    return wrap(fmt::format("({}){}", dialect.type(e->type), print(e->args[0], kPrefix)), kPrefix);
  }
  case ExprKind::Min:
    return fmt::format("nw_min({}, {})", print(e->args[0], 0), print(e->args[1], 0));
  case ExprKind::Max:
    return fmt::format("nw_max({}, {})", print(e->args[0], 0), print(e->args[1], 0));
  case ExprKind::FloorDiv:
    return fmt::format("nw_floor_div({}, {})", print(e->args[0], 0), print(e->args[1], 0));
  case ExprKind::Call: {
    if (e->name == "abs" || e->name == "labs" || e->name == "llabs") {
      if (dialect.wraps) {
        const ExprP &x = e->args[0];
        return "(" +
               print(select(binary("<", x, intConst(0, x->type), kI32), unary("-", x, x->type), x,
                            x->type),
                     0) +
               ")";
      }
      std::string a = print(e->args[0], kPrefix);
      return fmt::format("({0} < 0 ? -{0} : {0})", a[0] == '-' ? "(" + a + ")" : a);
    }
    std::string args;
    for (size_t k = 0; k < e->args.size(); k++)
      args += (k ? ", " : "") + print(e->args[k], 0);
    if (e->name == kExchange)
      return fmt::format("__shfl_xor_sync(0xffffffffu, {})", args);
    bool isMath = e->type.isFloat() && !e->name.starts_with("nw_");
    return fmt::format("{}({})", isMath ? dialect.function(e->name, e->type) : e->name, args);
  }
  case ExprKind::Binary: {
    if (e->name == "*" && e->type.isFloat() && !dialect.contract &&
        dialect.language == Language::Cuda)
      return fmt::format("{}({}, {})", e->type.scalar == Scalar::F32 ? "__fmul_rn" : "__dmul_rn",
                         print(e->args[0], 0), print(e->args[1], 0));
    int own = strength(e->name);
    auto operand = [&](const ExprP &a, int least) {
      std::string text = print(a, least);
      bool bare = a->kind == ExprKind::Binary && strength(a->name) >= least &&
                  isTreacherous(e->name, a->name);
      return bare ? "(" + text + ")" : text;
    };
    return wrap(
        fmt::format("{} {} {}", operand(e->args[0], own), e->name, operand(e->args[1], own + 1)),
        own);
  }
  }
  throw InternalError{"an expression that no emitter knows"};
}

// Whether variables of the block would be seen around it if it were printed without braces, as a
// block alone in another is.
static bool declaresWithoutBraces(const StmtP &block) {
  for (const StmtP &s : block->body)
    if (s->kind == StmtKind::Declare || s->kind == StmtKind::Window ||
        (s->kind == StmtKind::Block && block->body.size() == 1 && declaresWithoutBraces(s)))
      return true;
  return false;
}

// What comes from a line of the source says so, where that is wanted.
std::string TreePrinter::stmt(const StmtP &s, int indent) const {
  if (dialect.lines.empty() || s->kind == StmtKind::Block || s->at.line < 1)
    return plainStmt(s, indent);
  return fmt::format("#line {} {}\n{}", s->at.line, quotedForC(dialect.lines),
                     plainStmt(s, indent));
}

std::string TreePrinter::plainStmt(const StmtP &s, int indent) const {
  std::string pad(indent, ' ');
  auto braced = [&](const StmtP &b) { return "{\n" + stmt(b, indent + 2) + pad + "}"; };
  switch (s->kind) {
  case StmtKind::Block: {
    // A block that declares something keeps its braces unless it stands alone in others.
    std::string out;
    for (const StmtP &b : s->body) {
      out += b->kind == StmtKind::Block && s->body.size() > 1 && declaresWithoutBraces(b)
                 ? pad + braced(b) + "\n"
                 : stmt(b, indent);
    }
    if (s->isAsync &&
        dialect.language == Language::Cuda) // nvcc would move them to where they are needed
      out +=
          pad + "asm volatile(\"\" ::: \"memory\"); // what was loaded is under way from here on\n";
    return out;
  }
  case StmtKind::Declare: {
    std::string init;
    for (size_t k = 0; k < s->exprs.size(); k++)
      init += (k ? ", " : "") + print(s->exprs[k], 0);
    bool isList = !s->extents.empty() ||
                  (s->type.isStruct() && !s->exprs.empty() && !s->exprs[0]->type.isStruct());
    if (!init.empty())
      init = isList ? " = {" + init + "}" : " = " + init;
    return fmt::format("{}{}{};\n", pad, declaration(s->type, s->name, s->extents), init);
  }
  case StmtKind::Shared: {
    const char *space = dialect.language == Language::Cuda ? "__shared__" : "__local";
    // Rows that are aligned let the compiler load several neighbours at once.
    bool isTile = s->extents.size() > 1 && s->extents.back() * bytesOf(s->type.scalar) % 16 == 0;
    const char *aligned = !isTile                              ? ""
                          : dialect.language == Language::Cuda ? "__align__(16) "
                                                               : "__attribute__((aligned(16))) ";
    if (dialect.language == Language::Cuda)
      return fmt::format("{}{} {}{};\n", pad, space, aligned,
                         declaration(s->type, s->name, s->extents));
    return fmt::format("{}{} {}{}{};\n", pad, space, declaration(s->type, s->name, s->extents),
                       isTile ? " " : "", aligned);
  }
  case StmtKind::Window:
    return window(s, indent);
  case StmtKind::Assign:
    if (s->isAsync && dialect.language == Language::Cuda)
      return fmt::format("{}nw_copy_async(&{}, &{});\n", pad, print(s->exprs[0], 0),
                         print(s->exprs[1], 0));
    return fmt::format("{}{} = {};\n", pad, print(s->exprs[0], 0), print(s->exprs[1], 0));
  case StmtKind::If:
    return fmt::format("{}if ({}) {}{}\n", pad, print(s->exprs[0], 0), braced(s->body[0]),
                       s->body.size() > 1 ? " else " + braced(s->body[1]) : "");
  case StmtKind::For: {
    std::string hint = s->loop.isUnrolled ? "#pragma unroll\n"
                       : s->loop.unroll && dialect.language == Language::Cuda
                           ? fmt::format("#pragma unroll {}\n", s->loop.unroll)
                           : "";
    return hint + fmt::format("{}for ({} {} = {}; {}; {}) {}\n", pad, dialect.type(s->loop.type),
                              dialect.name(s->loop.counter), print(s->loop.start, 0),
                              print(s->loop.condition, 0), step(s->loop), braced(s->body[0]));
  }
  case StmtKind::While:
    return fmt::format("{}while ({}) {}\n", pad, print(s->exprs[0], 0), braced(s->body[0]));
  case StmtKind::DoWhile:
    return fmt::format("{}do {} while ({});\n", pad, braced(s->body[0]), print(s->exprs[0], 0));
  case StmtKind::Break:
    return pad + "break;\n";
  case StmtKind::Continue:
    return pad + "continue;\n";
  case StmtKind::Copy: // has become plain statements
    throw InternalError{"a copy that was not expanded: " + s->name};
  case StmtKind::Keep:
    throw InternalError{"registers that were not made"};
  case StmtKind::Leave:
  case StmtKind::Take:
    throw InternalError{"partial results that were not spelled out"};
  case StmtKind::Return:
    return fmt::format("{}return {};\n", pad, print(s->exprs[0], 0));
  case StmtKind::Barrier:
    return (s->isAsync ? pad + "nw_wait_async();\n" : "") + pad +
           (dialect.language == Language::Cuda
                ? "__syncthreads();\n"
                : "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);\n");
  case StmtKind::Reduce:
    throw InternalError{"a reduction that was not taken apart"};
  case StmtKind::GridBarrier:
    return pad + (dialect.language == Language::Cuda
                      ? "nw_grid_barrier(nw_barrier_state);\n"
                      : "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);\n");
  }
  return "";
}

} // namespace nw
