// Functions of loops.
#include "emit/loops_text.h"
#include "emit/kernel_text.h"
#include "support/text.h"
#include <fmt/format.h>
#include <set>

namespace nw {

static std::string parameterText(const Variable &v, const Dialect &d) {
  if (!v.isPointer)
    return fmt::format("{} {}", d.type(v.type), d.name(v.name));
  if (v.extents.size() < 2)
    return fmt::format("{} *{}", d.type(v.type), d.name(v.name));
  std::string rows;
  for (size_t k = 1; k < v.extents.size(); k++)
    rows += fmt::format("[{}]", TreePrinter(d).expr(v.extents[k]));
  return fmt::format("{} (*{}){}", d.type(v.type), d.name(v.name), rows);
}

std::string nameInLoops(const std::string &variable) { return Dialect().name(variable); }

std::string loopsText(std::vector<LoopsFunction> &functions) {
  Dialect d;
  std::string out = "#include <math.h>\n\n";
  std::set<std::string> seen;
  for (LoopsFunction &f : functions) {
    for (const Struct &s : f.structs)
      if (seen.insert("struct " + s.name).second)
        out += structText(s, d);
    for (const Function &g : f.functions)
      if (seen.insert(g.name).second)
        out += "static " + functionText(g, d);
    std::vector<std::string> parameters;
    for (const Variable &v : f.parameters)
      parameters.push_back(parameterText(v, d));
    out += fmt::format("void {}({}) {{\n  ", f.name,
                       parameters.empty() ? "void" : joined(parameters, ", "));
    f.begin = unsigned(out.size());
    out += "{\n" + TreePrinter(d).stmt(f.body, 4) + "  }";
    f.end = unsigned(out.size());
    out += "\n}\n\n";
  }
  return out;
}

} // namespace nw
