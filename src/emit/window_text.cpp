// Windows as text: the variable, its loads, the code, its stores.
#include "emit/dialect.h"
#include "kernel/window.h"
#include <fmt/format.h>

namespace nw {

static std::string vectorType(const Dialect &d, Scalar scalar, int64_t count) {
  bool isCuda = d.language == Language::Cuda;
  auto name = [&] {
    switch (scalar) {
    case Scalar::F32:
      return "float";
    case Scalar::F64:
      return "double";
    case Scalar::I8:
      return "char";
    case Scalar::I16:
      return "short";
    case Scalar::U16:
      return "ushort";
    case Scalar::I32:
      return "int";
    case Scalar::U32:
      return "uint";
    case Scalar::I64:
      return isCuda ? "longlong" : "long";
    case Scalar::U64:
      return isCuda ? "ulonglong" : "ulong";
    default:
      return "uchar";
    }
  };
  return fmt::format("{}{}", name(), count);
}

// One row: its parts, in order.
static std::string rowText(const Dialect &d, const TreePrinter &printer, const Stmt &s,
                           std::vector<ExprP> row, bool isLoad, const std::string &space,
                           const std::string &pad) {
  std::string out;
  std::vector<WindowPart> parts = partsOf(s);
  for (size_t n = 0; n < parts.size(); n++) {
    auto at = [&](int64_t k) {
      std::vector<ExprP> offsets = row;
      offsets.push_back(intConst(parts[n].first + k, kI32));
      return offsets;
    };
    auto mine = [&](int64_t k) { return printer.expr(elementOfVariable(s, at(k))); };
    std::string element = printer.expr(elementOf(s, at(0)));
    if (parts[n].count == 1) {
      out += isLoad ? fmt::format("{}{} = {};\n", pad, mine(0), element)
                    : fmt::format("{}{} = {};\n", pad, element, mine(0));
      continue;
    }
    std::string type = vectorType(d, s.type.scalar, parts[n].count),
                vector =
                    fmt::format("{}_part{}", s.name, parts.size() > 1 ? std::to_string(n) : "");
    if (isLoad) {
      out += fmt::format("{}const {} {} = *({}const {} *)&{};\n", pad, type, vector, space, type,
                         element);
      for (int64_t k = 0; k < parts[n].count; k++)
        out += fmt::format("{}{} = {}.{};{}", k == 0 ? pad : "", mine(k), vector, "xyzw"[k],
                           k + 1 == parts[n].count ? "\n" : " ");
      continue;
    }
    std::string values;
    for (int64_t k = 0; k < parts[n].count; k++)
      values += (k ? ", " : "") + mine(k);
    out += fmt::format("{}*({}{} *)&{} = {}({});\n", pad, space, type, element,
                       d.language == Language::Cuda ? "make_" + type : "(" + type + ")", values);
  }
  return out;
}

static std::string rowsText(const Dialect &d, const TreePrinter &printer, const Stmt &s,
                            std::vector<ExprP> row, bool isLoad, const std::string &space,
                            int indent) {
  std::string pad(size_t(indent), ' ');
  size_t n = row.size();
  if (n + 1 == s.extents.size())
    return rowText(d, printer, s, row, isLoad, space, pad);
  if (s.extents[n] == 1) {
    row.push_back(intConst(0, kI32));
    return rowsText(d, printer, s, row, isLoad, space, indent);
  }
  std::string counter = fmt::format("nw_row{}", n ? std::to_string(n) : "");
  row.push_back(var(counter, kI32));
  return fmt::format("{0}#pragma unroll\n{0}for (int {1} = 0; {1} < {2}; {1}++) {{\n{3}{0}}}\n",
                     pad, counter, s.extents[n],
                     rowsText(d, printer, s, row, isLoad, space, indent + 2));
}

std::string TreePrinter::window(const StmtP &s, int indent) const {
  std::string space = dialect.language == Language::OpenCl ? "__global " : "";
  if (dialect.language == Language::OpenCl && parameters)
    for (const KernelParameter &q : *parameters)
      if (q.buffer >= 0 && q.name == baseOf(s->exprs[0])->name && q.space == MemorySpace::Constant)
        space = "__constant ";
  std::string out = fmt::format("{}{};\n", std::string(size_t(indent), ' '),
                                declaration(s->type, s->name, s->extents));
  if (s->section.loads)
    out += rowsText(dialect, *this, *s, {}, true, space, indent);
  out += stmt(s->body[0], indent);
  return s->section.stores ? out + rowsText(dialect, *this, *s, {}, false, space, indent) : out;
}

} // namespace nw
