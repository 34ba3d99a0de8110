// Remarks about directives.
#include "driver/openacc_remarks.h"
#include <fmt/format.h>
#include <set>

namespace nw {

static bool isAboutData(openacc::DirectiveKind kind) {
  using enum openacc::DirectiveKind;
  return kind == Data || kind == EnterData || kind == ExitData || kind == Update ||
         kind == HostData;
}

static Diagnostic notCarriedOut(const openacc::Directive &d) {
  return {"NW0305", Severity::Remark, d.at,
          fmt::format("'{}' is ignored here, and so is every other data directive: each nest "
                      "copies what it needs",
                      openacc::nameOf(d.kind)),
          "nestwarp cc obeys them; results differ only where host and device are meant to hold "
          "different values"};
}

std::vector<Diagnostic> openaccRemarks(const std::vector<openacc::Directive> &directives,
                                       bool carriesData) {
  std::vector<Diagnostic> all;
  std::set<std::string> said;
  for (const openacc::Directive &d : directives)
    for (const openacc::Unheard &u : d.unheard)
      if (said.insert(u.name).second)
        all.push_back({"NW0301", Severity::Remark, u.at,
                       fmt::format("'{}' is not honoured: {}", u.name, u.why),
                       "results are the same without it"});
  for (const openacc::Directive &d : directives)
    if (!carriesData && isAboutData(d.kind)) {
      all.push_back(notCarriedOut(d));
      break;
    }
  return all;
}

} // namespace nw
