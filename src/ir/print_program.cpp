// The Program as text, for --emit=program.
#include "ir/flat_subscript.h"
#include <fmt/format.h>
#include <sstream>

namespace nw {

template <class T> static std::string text(const T &object) {
  std::ostringstream out;
  out << object;
  return out.str();
}

static std::string shapeOf(const Array &a) {
  std::string out;
  for (const ExprP &x : a.extents)
    out += fmt::format("[{}]", x ? print(x) : "*");
  if (isDelinearized(a))
    out += ", one subscript in the source";
  if (!a.flatSizes.empty()) {
    out += " as [*]";
    for (const ExprP &x : a.flatSizes)
      out += fmt::format("[{}]", print(x));
  }
  return out;
}

std::string print(const Program &p) {
  std::string out = fmt::format("region {} of {} (line {})\n", p.region.number, p.region.function,
                                p.region.at.line);
  for (const Parameter &x : p.parameters)
    out += fmt::format("  parameter {} {} = {}\n", cName(x.type), x.name, print(x.value));
  for (auto &[name, a] : p.arrays) {
    std::string kind =
        a.kind == ArrayKind::Private ? fmt::format("private to {} loops", a.privateDepth)
        : a.isOwn()                  ? fmt::format("memory of its own, for {}", a.standsFor)
        : a.variable.isPointer       ? a.variable.isRestrict ? "restrict pointer" : "pointer"
                                     : "memory";
    out += fmt::format("  array {} {}{} ({})\n", cName(a.variable.type), name, shapeOf(a), kind);
  }
  if (!p.assumptions.is_equal(isl::set::universe(p.assumptions.get_space())))
    out += fmt::format("  assuming {}\n", text(p.assumptions));
  for (const SourceLoop &l : p.loops) {
    std::string words = l.promise == Promise::Independent ? " promised to be independent"
                        : l.promise == Promise::InOrder   ? " in order"
                                                          : "";
    for (const ReductionClause &f : l.reductions)
      words += fmt::format("{} reduction({}: {})", words.empty() ? "" : ",", f.op, f.variable);
    if (!words.empty())
      out += fmt::format("  loop {} of line {}:{}\n", l.counter, l.at.line, words);
  }
  for (const Statement &s : p.statements) {
    out += fmt::format("  {} for {}\n", s.name, text(s.domain));
    out += print(s.body, 6);
    for (const Access &a : s.accesses)
      out += fmt::format("    {} {}\n", a.isWrite ? a.isMust ? "writes" : "may write" : "reads",
                         text(a.relation));
    if (s.reduction) {
      static const char *const kKinds[] = {"sum", "product", "min", "max", "and", "or", "xor"};
      out += fmt::format("    reduction {} into {}\n", kKinds[int(s.reduction->kind)],
                         print(s.reduction->target));
    }
  }
  return out;
}

} // namespace nw
