// The printer.
#include "render.h"
#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace nw::fuzz {

namespace {

std::string text(const Affine &a) {
  std::string out;
  for (auto &[name, factor] : a.terms) {
    if (!out.empty())
      out += factor < 0 ? " - " : " + ";
    else if (factor < 0)
      out += "-";
    out += std::abs(factor) == 1 ? name : fmt::format("{} * {}", std::abs(factor), name);
  }
  if (out.empty())
    return std::to_string(a.constant);
  if (a.constant)
    out += fmt::format(" {} {}", a.constant < 0 ? "-" : "+", std::abs(a.constant));
  return out;
}

bool isOneWord(const std::string &t) { return t.find(' ') == std::string::npos && t[0] != '-'; }
std::string grouped(const std::string &t) { return isOneWord(t) ? t : "(" + t + ")"; }

class Printer {
public:
  Printer(const Program &p, const Analysis &a) : program(p), analysis(a) { collectWide(p.body); }

  std::string structs() {
    std::string out;
    for (const Storage &s : program.storages)
      if (!s.fields.empty())
        out += fmt::format("struct {}_{} {{{}}};\n", s.name, program.name, fields(s));
    return out;
  }

  std::string function() {
    std::string out;
    for (const Storage &s : program.storages)
      if (s.layout == Layout::Global)
        out += fmt::format("static {} {}{};\n", element(s), spelled(program, s), brackets(s, 0));
    out += fmt::format("static int helper_{}(int a, int b) {{ return (a * 3 + b) & 255; }}\n",
                       program.name);
    out += fmt::format("void {}({}) {{\n", program.name, parameters());
    for (const Storage &s : program.storages)
      if (s.layout == Layout::Local)
        out += fmt::format("  {} {} = {};\n", cName(s.type), s.name, s.name.back() % 4);
    std::map<std::string, std::string> counters;
    collectCounters(program.body, counters);
    for (auto &[name, type] : counters)
      out += fmt::format("  {} {};\n", type, name);
    out += body(program.body, 1);
    int number = 0;
    for (const Storage *s : results(program))
      out += fmt::format("  results[{}] = (double){};\n", number++, s->name);
    return out + "}\n";
  }

  std::string parameters() {
    std::string out;
    auto add = [&](const std::string &one) { out += (out.empty() ? "" : ", ") + one; };
    for (const std::string &n : program.sizes)
      add("int " + n);
    for (const Storage *s : provided(program))
      if (s->layout != Layout::Global)
        add(declaration(*s));
    if (!results(program).empty())
      add("double *results");
    return out;
  }

  std::string element(const Storage &s) {
    return s.fields.empty() ? cName(s.type) : fmt::format("struct {}_{}", s.name, program.name);
  }

  std::string brackets(const Storage &s, size_t from) {
    std::string out;
    const std::vector<Affine> &extents = analysis.shapes.at(s.name).extents;
    for (size_t d = from; d < extents.size(); d++)
      out += "[" + text(extents[d]) + "]";
    return out;
  }

private:
  std::string fields(const Storage &s) {
    std::string out;
    for (const Field &f : s.fields)
      out += fmt::format(" {} {};", cName(f.type), f.name);
    return out + " ";
  }

  std::string declaration(const Storage &s) {
    std::string type = (s.isIndex ? "const " : "") + element(s);
    if (s.dimensions == 0 || s.layout == Layout::Flat ||
        (s.layout == Layout::Pointer && s.dimensions == 1))
      return fmt::format("{} *{}", type, s.name);
    if (s.layout == Layout::Pointer)
      return fmt::format("{} (*{}){}", type, s.name, brackets(s, 1));
    return fmt::format("{} {}{}", type, s.name, brackets(s, 0));
  }

  void collectCounters(const std::vector<Stmt> &list, std::map<std::string, std::string> &out) {
    for (const Stmt &s : list) {
      if (s.kind == StmtKind::For && s.loop.isOutside)
        out[s.loop.counter] = "int";
      collectCounters(s.body, out);
      collectCounters(s.otherwise, out);
    }
  }

  void collectWide(const std::vector<Stmt> &list) {
    for (const Stmt &s : list) {
      if (s.kind == StmtKind::For && s.loop.type != "int")
        wideCounters.insert(s.loop.counter);
      collectWide(s.body);
      collectWide(s.otherwise);
    }
  }
  bool isInt(const Affine &a) {
    return std::none_of(a.terms.begin(), a.terms.end(),
                        [&](auto &term) { return wideCounters.count(term.first); });
  }

  std::string subscript(const Subscript &u, const Affine &shift) {
    if (u.kind == SubscriptKind::Data)
      return expr(u.data[0]);
    if (u.kind == SubscriptKind::Plain)
      return text(u.affine + shift);
    std::string out = fmt::format("({}) {} {}", text(u.affine),
                                  u.kind == SubscriptKind::Quotient ? "/" : "%", u.divisor);
    return shift == Affine() ? out : out + " + " + grouped(text(shift));
  }

  std::string access(const Access &a) {
    const Storage &s = *program.find(a.storage);
    const Shape &shape = analysis.shapes.at(a.storage);
    std::string out = spelled(program, s);
    if (s.dimensions == 0 && s.layout != Layout::Local && s.layout != Layout::Private &&
        s.layout != Layout::Global)
      out += "[0]";
    std::string flat;
    for (int d = 0; d < s.dimensions; d++) {
      std::string one = subscript(a.subscripts[d], shape.shifts[d]);
      if (s.layout == Layout::Flat)
        flat = d == 0
                   ? one
                   : fmt::format("{} * {} + {}", grouped(flat), grouped(text(shape.extents[d])),
                                 a.subscripts[d].kind == SubscriptKind::Plain ? one : grouped(one));
      else
        out += "[" + one + "]";
    }
    if (s.layout == Layout::Flat)
      out += "[" + flat + "]";
    return a.field.empty() ? out : out + "." + a.field;
  }

  std::string literal(ElementType type, long long value) {
    std::string out = std::to_string(value);
    if (type == ElementType::Float)
      out += ".0f";
    else if (type == ElementType::Double)
      out += ".0";
    else if (type == ElementType::Unsigned)
      out += "u";
    else if (type == ElementType::LongLong)
      out += "ll";
    return value < 0 ? "(" + out + ")" : out;
  }

  bool isInFloat(const Expr &e) { // whether the single-precision functions are meant
    if (e.kind == ExprKind::Literal || e.kind == ExprKind::Cast)
      return e.type == ElementType::Float;
    if (e.kind == ExprKind::Read)
      return typeOfElement(program, e.access) == ElementType::Float;
    for (const Expr &a : e.args)
      if (isDouble(a))
        return false;
    return true;
  }
  bool isDouble(const Expr &e) {
    if (e.kind == ExprKind::Literal || e.kind == ExprKind::Cast)
      return e.type == ElementType::Double;
    if (e.kind == ExprKind::Read)
      return typeOfElement(program, e.access) == ElementType::Double;
    for (const Expr &a : e.args)
      if (isDouble(a))
        return true;
    return false;
  }

  std::string expr(const Expr &e) {
    switch (e.kind) {
    case ExprKind::Literal:
      return literal(e.type, e.literal);
    case ExprKind::Counter:
      return isInt(e.affine) ? text(e.affine) : fmt::format("(int)({})", text(e.affine));
    case ExprKind::Read:
      return access(e.access);
    case ExprKind::Unary:
      return e.op + grouped(expr(e.args[0]));
    case ExprKind::Binary:
      return fmt::format("{} {} {}", grouped(expr(e.args[0])), e.op, grouped(expr(e.args[1])));
    case ExprKind::Select:
      return fmt::format("{} ? {} : {}", grouped(expr(e.args[0])), grouped(expr(e.args[1])),
                         grouped(expr(e.args[2])));
    case ExprKind::Cast:
      return fmt::format("({}){}", cName(e.type), grouped(expr(e.args[0])));
    case ExprKind::Clamp: {
      bool single = isInFloat(e.args[0]);
      ElementType t = single ? ElementType::Float : ElementType::Double;
      return fmt::format("fmax{0}(fmin{0}({1}, {2}), {3})", single ? "f" : "", expr(e.args[0]),
                         literal(t, e.literal), literal(t, -e.literal));
    }
    case ExprKind::Minimum:
    case ExprKind::Maximum:
      return fmt::format("{}{}({}, {})", e.kind == ExprKind::Minimum ? "fmin" : "fmax",
                         isInFloat(e.args[0]) ? "f" : "", expr(e.args[0]), expr(e.args[1]));
    case ExprKind::Helper:
      return fmt::format("helper_{}({}, {})", program.name, expr(e.args[0]), expr(e.args[1]));
    }
    return "";
  }

  std::string accumulation(const Stmt &s) {
    std::string x = access(s.target), e = expr(s.value[0]);
    if (s.op == "min" || s.op == "max") {
      const char *compare = s.op == "min" ? "<" : ">";
      ElementType t = typeOfElement(program, s.target);
      if (s.form == 2 && isFloat(t))
        return fmt::format("{0} = f{1}{2}({0}, {3});", x, s.op, t == ElementType::Float ? "f" : "",
                           e);
      if (s.form == 1)
        return fmt::format("{0} = {0} {1} {2} ? {0} : {2};", x, compare, grouped(e));
      return fmt::format("if ({2} {1} {0}) {0} = {2};", x, compare, grouped(e));
    }
    if (s.form == 1)
      return fmt::format("{0} = {0} {1} {2};", x, s.op, grouped(e));
    if (s.form == 2 && s.op != "-")
      return fmt::format("{0} = {2} {1} {0};", x, s.op, grouped(e));
    return fmt::format("{} {}= {};", x, s.op, e);
  }

  std::string header(const Loop &l) {
    std::string name = l.counter, declared = l.isOutside ? "" : l.type + " ";
    if (l.step > 0) {
      std::string condition;
      for (const Affine &u : l.upper)
        condition += fmt::format("{}{} {} {}", condition.empty() ? "" : " && ", name,
                                 l.inclusive ? "<=" : "<", text(l.inclusive ? u + Affine(-1) : u));
      return fmt::format("for ({}{} = {}; {}; {})", declared, name, text(l.lower), condition,
                         l.step == 1 ? name + "++" : fmt::format("{} += {}", name, l.step));
    }
    std::string condition =
        fmt::format("{} {} {}", name,
                    l.inclusive ? ">" : ">=", text(l.inclusive ? l.lower + Affine(-1) : l.lower));
    for (size_t k = 1; k < l.upper.size(); k++)
      condition += fmt::format(" && {} >= {}", name, text(l.upper[k]));
    return fmt::format("for ({}{} = {}; {}; {})", declared, name, text(l.upper[0] + Affine(-1)),
                       condition,
                       l.step == -1 ? name + "--" : fmt::format("{} -= {}", name, -l.step));
  }

  std::string body(const std::vector<Stmt> &list, int depth) {
    std::string out, pad(depth * 2, ' ');
    for (const Stmt &s : list)
      switch (s.kind) {
      case StmtKind::Assign:
        out += fmt::format("{}{} = {};\n", pad, access(s.target), expr(s.value[0]));
        break;
      case StmtKind::Accumulate:
        out += pad + accumulation(s) + "\n";
        break;
      case StmtKind::Declare:
        out += fmt::format("{}{} {} = {};\n", pad, cName(program.find(s.target.storage)->type),
                           s.target.storage, expr(s.value[0]));
        break;
      case StmtKind::DeclareArray: {
        const Storage &a = *program.find(s.target.storage);
        out += fmt::format("{}{} {}[{}];\n{}{}\n{}  {}[{}] = {};\n", pad, cName(a.type), a.name,
                           a.privateExtent, pad, header(s.loop), pad, a.name, s.loop.counter,
                           expr(s.value[0]));
        break;
      }
      case StmtKind::Continue:
        out += fmt::format("{}if ({}) continue;\n", pad, expr(s.condition[0]));
        break;
      case StmtKind::If:
        out += fmt::format("{}if ({}) {{\n{}{}}}", pad, expr(s.condition[0]),
                           body(s.body, depth + 1), pad);
        out += s.otherwise.empty()
                   ? "\n"
                   : fmt::format(" else {{\n{}{}}}\n", body(s.otherwise, depth + 1), pad);
        break;
      case StmtKind::For:
        out += fmt::format("{}{} {{\n{}{}}}\n", pad, header(s.loop), body(s.body, depth + 1), pad);
        break;
      }
    return out;
  }

  const Program &program;
  const Analysis &analysis;
  std::set<std::string> wideCounters; // whose type is not int in some loop
};

} // namespace

std::string spelled(const Program &program, const Storage &s) {
  return s.layout == Layout::Global ? s.name + "_" + program.name : s.name;
}

std::vector<const Storage *> provided(const Program &program) {
  std::vector<const Storage *> out;
  for (const Storage &s : program.storages)
    if (s.layout != Layout::Local && s.layout != Layout::Private)
      out.push_back(&s);
  return out;
}

std::vector<const Storage *> results(const Program &program) {
  std::vector<const Storage *> out;
  for (const Storage &s : program.storages)
    if (s.layout == Layout::Local)
      out.push_back(&s);
  return out;
}

long long elementsOf(const Analysis &analysis, const Storage &s, const Sizes &sizes) {
  long long count = 1;
  for (const Affine &e : analysis.shapes.at(s.name).extents)
    count *= valueOf(e, sizes);
  return count;
}

std::string structText(const Program &program, const Analysis &analysis) {
  return Printer(program, analysis).structs();
}

std::string functionText(const Program &program, const Analysis &analysis) {
  return Printer(program, analysis).function();
}

std::string preludeText() {
  return "double fmin(double, double);\ndouble fmax(double, double);\nfloat fminf(float, "
         "float);\nfloat fmaxf(float, float);\n";
}

std::string callerText(const Program &program, const Analysis &analysis) {
  Printer printer(program, analysis);
  std::string before, after, arguments;
  for (size_t k = 0; k < program.sizes.size(); k++)
    arguments += fmt::format("{}sizes[{}]", k ? ", " : "", k);
  int number = 0;
  for (const Storage *s : provided(program)) {
    if (s->layout == Layout::Global) {
      before += fmt::format("  __builtin_memcpy(&{0}, data[{1}], sizeof {0});\n",
                            spelled(program, *s), number);
      after += fmt::format("  __builtin_memcpy(data[{1}], &{0}, sizeof {0});\n",
                           spelled(program, *s), number);
    } else {
      arguments += fmt::format(", data[{}]", number);
    }
    number++;
  }
  if (!results(program).empty())
    arguments += fmt::format(", data[{}]", number);
  return fmt::format("void call_{0}(const int *sizes, void **data) {{\n{1}  {0}({2});\n{3}}}\n",
                     program.name, before, arguments, after);
}

unsigned madeUp(unsigned dataSeed, unsigned storage, unsigned slot) {
  unsigned x = dataSeed * 2654435761u + storage * 40503u + slot * 2246822519u;
  x ^= x >> 15;
  x *= 3266489917u;
  return (x >> 17) & 7;
}

std::string mainPrelude() {
  return "#include <stdio.h>\n#include <stdlib.h>\n"
         "static unsigned made_up(unsigned seed, unsigned storage, unsigned slot) {\n"
         "  unsigned x = seed * 2654435761u + storage * 40503u + slot * 2246822519u;\n"
         "  x ^= x >> 15;\n  x *= 3266489917u;\n  return (x >> 17) & 7;\n}\n"
         "static unsigned long long hashed(unsigned long long h, double value) {\n"
         "  union { double d; unsigned long long u; } bits;\n"
         "  bits.d = value + 0.0;\n  return (h ^ bits.u) * 1099511628211ull;\n}\n";
}

std::string trialText(const Program &program, const Analysis &analysis, const Sizes &sizes,
                      unsigned dataSeed) {
  Printer printer(program, analysis);
  std::string values, label;
  for (const std::string &n : program.sizes) {
    values += fmt::format("{}{}", values.empty() ? "" : ", ", sizes.at(n));
    label += fmt::format(" {}={}", n, sizes.at(n));
  }
  std::string set, list, show, release;
  unsigned number = 0;
  // One scalar slot of every element: `action` with %s for the position.
  auto eachSlot = [&](const Storage &s, auto action) {
    std::string out;
    size_t slots = std::max<size_t>(1, s.fields.size());
    for (size_t k = 0; k < slots; k++)
      out += action(s.fields.empty() ? fmt::format("d{}[e]", number)
                                     : fmt::format("d{}[e].{}", number, s.fields[k].name),
                    fmt::format("e * {} + {}", slots, k));
    return out;
  };
  for (const Storage *s : provided(program)) {
    long long count = elementsOf(analysis, *s, sizes);
    set += fmt::format("    {0} *d{1} = malloc({2} * sizeof *d{1});\n    for (unsigned e = 0; e < "
                       "{2}; e++) {{{3} }}\n",
                       printer.element(*s), number, count,
                       eachSlot(*s, [&](const std::string &position, const std::string &slot) {
                         return fmt::format(" {} = made_up({}, {}, {});", position, dataSeed,
                                            number, slot);
                       }));
    show += fmt::format("    h = 1;\n    for (unsigned e = 0; e < {0}; e++) {{{1} }}\n    "
                        "printf(\" {2}=%016llx\", h);\n",
                        count,
                        eachSlot(*s,
                                 [&](const std::string &position, const std::string &) {
                                   return fmt::format(" h = hashed(h, (double){});", position);
                                 }),
                        s->name);
    list += fmt::format("d{}, ", number);
    release += fmt::format("    free(d{});\n", number);
    number++;
  }
  size_t resultCount = results(program).size();
  if (resultCount) {
    set += fmt::format("    double r[{}] = {{0}};\n", resultCount);
    list += "r, ";
    show += fmt::format("    for (int e = 0; e < {}; e++) printf(\" %.17g\", r[e] + 0.0);\n",
                        resultCount);
  }
  return fmt::format(
      "  {{\n{}    const int sizes[] = {{{}}};\n    void *data[] = {{{}0}};\n    unsigned long "
      "long h;\n    call_{}(sizes, data);\n"
      "    printf(\"{}{}:\");\n{}    printf(\"\\n\");\n    fflush(stdout);\n{}  }}\n",
      set, values, list, program.name, program.name, label, show, release);
}

} // namespace nw::fuzz
