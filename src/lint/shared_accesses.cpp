// Bank conflicts, and shared memory that nobody uses.
#include "lint/findings.h"
#include <algorithm>
#include <fmt/format.h>

namespace nw::lint {

namespace {

std::string remedy(const Access &a, const Subject &subject) {
  const Address &p = a.address;
  bool isTile = p.subscripts.size() > 1 && !p.hidden;
  if (isTile)
    if (SymbolP g = growthAlong(p.subscripts.back().index, 0);
        g && g->kind == SymbolKind::Number && g->value == 0)
      return fmt::format("make its rows one element longer: a row then has {} elements, and "
                         "threads of a column are in different banks",
                         p.subscripts[p.subscripts.size() - 2].bytes / p.subscripts.back().bytes +
                             1);
  (void)subject;
  return "let neighbouring threads touch neighbouring elements, or pad the array so that they fall "
         "into different banks";
}

} // namespace

void checkSharedAccesses(const Subject &subject, Findings &found) {
  std::vector<std::pair<std::string, int>> told; // address and degree
  for (const Access &a : subject.trace.accesses) {
    if (a.address.space != written::Space::Shared || a.touch == Touch::Atomic)
      continue;
    std::optional<WarpCost> cost = costOf(a, subject);
    int degree = cost && cost->ideal ? (cost->count + cost->ideal - 1) / cost->ideal : 0;
    if (degree < 2)
      continue;
    std::pair<std::string, int> same = {textOf(a.address), degree};
    if (std::find(told.begin(), told.end(), same) != told.end())
      continue;
    told.push_back(same);
    found.push_back(
        finding(subject, "NW0502", Severity::Warning, a.at, a.length,
                fmt::format("{}: {} threads of a warp access the same one of {} banks: {} turns "
                            "where {} would do{}{}",
                            textOf(a.address), degree, subject.device.banks, cost->count,
                            cost->ideal, assumptions(offsetOf(a.address), subject.setting),
                            iterationText(cost->iteration, a.loops, subject.trace)),
                remedy(a, subject)));
  }
  for (const written::Variable &v : subject.kernel.variables)
    if (v.space == written::Space::Shared && !v.uses && v.bytes)
      found.push_back(
          finding(subject, "NW0508", Severity::Warning, v.at, v.length,
                  fmt::format("'{}' ({} bytes of shared memory) is never used", v.name, v.bytes),
                  "take it out"));
}

} // namespace nw::lint
