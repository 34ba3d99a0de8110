// Trees as text, with names by the order in which they come up.
#include "verify/checks/proof_key.h"
#include "kernel/expand.h"
#include <fmt/format.h>

namespace nw {

namespace {

class Key {
public:
  explicit Key(const Kernel &kernel) : kernel(kernel) {
    text = fmt::format("{} {} {}\n", kernel.block[0], kernel.block[1], kernel.block[2]);
    stmt(spelledOut(kernel).body); // with the names that they declare
  }

  std::string text;

private:
  // A variable by its number; a parameter with what is known of it, where it comes up first.
  void name(const std::string &given) {
    auto [at, isNew] = numbers.emplace(given, numbers.size());
    text += fmt::format("@{}", at->second);
    for (const KernelParameter &q : kernel.parameters)
      if (isNew && q.name == given)
        text += fmt::format("<{} {}{}>", cName(q.type), q.isConst ? "const " : "",
                            q.buffer >= 0 ? int(q.extents.size()) : -1);
  }

  void expr(const ExprP &e) {
    if (!e) {
      text += "()";
      return;
    }
    text += fmt::format("({} {} ", int(e->kind), cName(e->type));
    if (e->kind == ExprKind::Var)
      name(e->name);
    else
      text += e->name;
    text += fmt::format(" {} {}", e->integer, e->number);
    for (const ExprP &a : e->args)
      expr(a);
    text += ")";
  }

  void stmt(const StmtP &s) {
    text += fmt::format("{{{} {}{}{} ", int(s->kind), s->isInstance() ? "i" : "",
                        s->isAsync ? "a" : "", s->isSpeculated ? "s" : "");
    if (!s->name.empty() && !s->isInstance())
      name(s->name);
    text += cName(s->type);
    for (int64_t x : s->extents)
      text += fmt::format("[{}]", x);
    if (s->kind == StmtKind::For) {
      name(s->loop.counter);
      text += fmt::format(" {} {}", cName(s->loop.type), s->loop.step);
      for (const ExprP &e : {s->loop.start, s->loop.condition, s->loop.stride})
        expr(e);
    }
    if (s->kind == StmtKind::Reduce)
      text += fmt::format("{} {}", s->collective.op, s->collective.axis);
    if (s->kind == StmtKind::Window)
      text += fmt::format("{} {} {}", s->section.loads, s->section.stores, s->section.unit);
    for (const ExprP &e : s->exprs)
      expr(e);
    for (const StmtP &b : s->body)
      stmt(b);
    text += "}\n";
  }

  const Kernel &kernel;
  std::map<std::string, size_t> numbers;
};

} // namespace

std::string proofKey(const Kernel &kernel) { return Key(kernel).text; }

} // namespace nw
