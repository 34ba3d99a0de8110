// Rendering of diagnostics.
#include "support/diagnostics.h"
#include "support/text.h"
#include <fmt/format.h>

namespace nw {

std::string render(const Diagnostic &d, const std::string &file, const std::string &source) {
  static const char *const kSeverity[] = {"error", "warning", "remark"};
  std::string out =
      d.at.line ? fmt::format("{}:{}:{}: ", file, d.at.line, d.at.column) : file + ": ";
  out += fmt::format("{}: {} [{}]\n", kSeverity[int(d.severity)], d.message, d.code);
  if (d.at.line) {
    std::string line = lineOf(source, d.at.line);
    out +=
        fmt::format("{:5} | {}\n      | {:>{}}\n", d.at.line, line, "^", std::max(d.at.column, 1));
  }
  if (!d.help.empty())
    out += fmt::format("      = help: {}\n", d.help);
  return out;
}

} // namespace nw
