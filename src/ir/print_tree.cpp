// C text of trees in the user's names, for people to read. (Generated code is printed by the
// emitters.)
#include "ir/program.h"
#include <fmt/format.h>

namespace nw {

std::string print(const ExprP &e) {
  auto arg = [&](size_t k) { return print(e->args[k]); };
  switch (e->kind) {
  case ExprKind::Int:
    return std::to_string(e->integer);
  case ExprKind::Float:
    return fmt::format("{}{}", e->number, e->type.scalar == Scalar::F32 ? "f" : "");
  case ExprKind::Var:
  case ExprKind::Builtin:
    return e->name;
  case ExprKind::Index:
    return fmt::format("{}[{}]", arg(0), arg(1));
  case ExprKind::Staged:
    return fmt::format("{} (for {})", arg(0), arg(1));
  case ExprKind::Member:
    return fmt::format("{}.{}", arg(0), e->name);
  case ExprKind::Unary:
    return fmt::format("{}({})", e->name, arg(0));
  case ExprKind::Binary:
    return fmt::format("({} {} {})", arg(0), e->name, arg(1));
  case ExprKind::Select:
    return fmt::format("({} ? {} : {})", arg(0), arg(1), arg(2));
  case ExprKind::Cast:
    return fmt::format("({}){}", cName(e->type), arg(0));
  case ExprKind::Min:
    return fmt::format("min({}, {})", arg(0), arg(1));
  case ExprKind::Max:
    return fmt::format("max({}, {})", arg(0), arg(1));
  case ExprKind::FloorDiv:
    return fmt::format("floor({} / {})", arg(0), arg(1));
  case ExprKind::Call: {
    std::string args;
    for (size_t k = 0; k < e->args.size(); k++)
      args += (k ? ", " : "") + arg(k);
    return fmt::format("{}({})", e->name, args);
  }
  }
  return "?";
}

std::string print(const StmtP &s, int indent) {
  std::string pad(indent, ' ');
  switch (s->kind) {
  case StmtKind::Block: {
    std::string out;
    for (const StmtP &b : s->body)
      out += print(b, indent);
    return out;
  }
  case StmtKind::Declare: {
    std::string extents, init;
    for (int64_t x : s->extents)
      extents += fmt::format("[{}]", x);
    for (size_t k = 0; k < s->exprs.size(); k++)
      init += (k ? ", " : "") + print(s->exprs[k]);
    if (!init.empty())
      init = s->exprs.size() > 1 || !s->extents.empty() ? " = {" + init + "}" : " = " + init;
    if (s->owners)
      init += fmt::format(" of {} threads", s->owners);
    return fmt::format("{}{} {}{}{};\n", pad, cName(s->type), s->name, extents, init);
  }
  case StmtKind::Assign:
    return fmt::format("{}{} = {}{};\n", pad, print(s->exprs[0]), print(s->exprs[1]),
                       s->isAsync ? ", under way" : "");
  case StmtKind::If: {
    std::string out = fmt::format("{}{} ({}) {{\n{}{}}}", pad, s->isSpeculated ? "speculate" : "if",
                                  print(s->exprs[0]), print(s->body[0], indent + 2), pad);
    if (s->body.size() > 1)
      out += fmt::format(" else {{\n{}{}}}", print(s->body[1], indent + 2), pad);
    return out + "\n";
  }
  case StmtKind::For:
    return fmt::format(
        "{}{} ({} {} = {}; {}; {} += {}{}) {{\n{}{}}}\n", pad,
        s->loop.cyclic.turns ? "cyclic"
        : s->loop.isUnrolled ? "unroll"
                             : "for",
        cName(s->loop.type), s->loop.counter, print(s->loop.start), print(s->loop.condition),
        s->loop.counter, s->loop.stride ? print(s->loop.stride) : std::to_string(s->loop.step),
        s->loop.line.before ? fmt::format("; {} from the line of {} on", s->loop.line.begin,
                                          print(s->loop.line.before))
                            : "",
        print(s->body[0], indent + 2), pad);
  case StmtKind::While:
    return fmt::format("{}while ({}) {{\n{}{}}}\n", pad, print(s->exprs[0]),
                       print(s->body[0], indent + 2), pad);
  case StmtKind::DoWhile:
    return fmt::format("{}do {{\n{}{}}} while ({});\n", pad, print(s->body[0], indent + 2), pad,
                       print(s->exprs[0]));
  case StmtKind::Break:
    return pad + "break;\n";
  case StmtKind::Continue:
    return pad + "continue;\n";
  case StmtKind::Barrier:
    return pad + "barrier;\n";
  case StmtKind::Reduce:
    return s->collective.axis == kAllThreads
               ? fmt::format("{}reduce {} by {} in the block;\n", pad, s->name, s->collective.op)
               : fmt::format("{}reduce {} by {} along {};\n", pad, s->name, s->collective.op,
                             "xy"[s->collective.axis]);
  case StmtKind::GridBarrier:
    return pad + "grid barrier;\n";
  case StmtKind::Shared: {
    std::string extents;
    for (int64_t x : s->extents)
      extents += fmt::format("[{}]", x);
    return fmt::format("{}shared {} {}{};\n", pad, cName(s->type), s->name, extents);
  }
  case StmtKind::Window: {
    std::string extents;
    for (int64_t x : s->extents)
      extents += fmt::format("[{}]", x);
    std::string how = s->section.loads && s->section.stores ? "loads and stores"
                      : s->section.loads                    ? "loads"
                                                            : "stores";
    return fmt::format("{}window {} {}{} {} elements from {} on, by {}\n{}", pad, cName(s->type),
                       s->name, extents, how, print(s->exprs[0]), s->section.unit,
                       print(s->body[0], indent));
  }
  case StmtKind::Copy: {
    std::string box, how;
    for (size_t k = 0; k < s->extents.size(); k++)
      box += fmt::format("{}{} < {}", k ? ", " : "", s->copy.counters[k], s->extents[k]);
    if (s->copy.unit > 1)
      how = fmt::format(", {} for each thread, by {}", s->copy.unit, s->copy.width);
    return fmt::format("{}copy {} = {} for {}{}{}{};\n", pad, print(s->exprs[0]),
                       print(s->exprs[1]), box,
                       s->exprs.size() > 2 ? " where " + print(s->exprs[2]) : "", how,
                       s->isAsync ? ", under way" : "");
  }
  case StmtKind::Keep: {
    std::string elements;
    for (size_t k = 1; k < s->exprs.size(); k++)
      elements += (k > 1 ? ", " : "") + print(s->exprs[k]);
    return fmt::format("{}keep {} in registers where {}\n{}", pad, elements, print(s->exprs[0]),
                       print(s->body[0], indent));
  }
  case StmtKind::Leave: {
    if (s->exprs.size() < 2)
      return pad + "leave;\n";
    std::string of = s->exprs.size() < 4 ? ""
                                         : fmt::format(" for column {} of {}", print(s->exprs[2]),
                                                       print(s->exprs[3]));
    return fmt::format("{}leave {} in {}{}, by blocks along {};\n", pad, print(s->exprs[1]),
                       print(s->exprs[0]), of, "xy"[s->collective.axis & 1]);
  }
  case StmtKind::Take: {
    if (s->exprs.size() < 4)
      return pad + "take;\n";
    bool isGuarded = s->exprs[3]->kind != ExprKind::Int;
    std::string of =
        s->exprs.size() < 5 ? "" : fmt::format(" for column thread.x of {}", print(s->exprs[4]));
    const char *by = s->collective.axis == kOneThread    ? "each thread"
                     : s->collective.axis == kAllThreads ? "all threads of the block"
                                                         : "the block's threads along y";
    return fmt::format("{}take {} by {} from {} of {} blocks{}{}, by {};\n", pad,
                       print(s->exprs[0]), s->collective.op, print(s->exprs[1]), print(s->exprs[2]),
                       of, isGuarded ? " where " + print(s->exprs[3]) : "", by);
  }
  case StmtKind::Return:
    return fmt::format("{}return {};\n", pad, print(s->exprs[0]));
  }
  return "";
}

} // namespace nw
