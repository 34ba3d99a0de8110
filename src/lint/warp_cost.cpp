// What accesses cost, by the rules of the device.
#include "analysis/transactions.h"
#include "lint/findings.h"
#include <algorithm>
#include <fmt/format.h>

namespace nw::lint {

Finding finding(const Subject &subject, const char *code, Severity severity, Location at,
                int length, std::string message, std::string help) {
  return {{code, severity, at, std::move(message), std::move(help)}, length, subject.kernel.name};
}

std::string threadsText(const std::array<int64_t, 3> &b) {
  int64_t threads = b[0] * b[1] * b[2];
  std::string shape = b[2] > 1   ? fmt::format("{}x{}x{} = ", b[0], b[1], b[2])
                      : b[1] > 1 ? fmt::format("{}x{} = ", b[0], b[1])
                                 : "";
  return fmt::format("{}{} thread{}", shape, threads, threads == 1 ? "" : "s");
}

std::optional<WarpCost> costOf(const Access &access, const Subject &subject) {
  SymbolP offset = offsetOf(access.address);
  if (dependsOnData(offset) || access.bytes < 1 || access.address.base.empty())
    return std::nullopt;
  std::vector<SymbolP> symbols = access.guards;
  symbols.push_back(offset);
  bool isShared = access.address.space == written::Space::Shared;
  int bytes = int(access.bytes);
  std::optional<WarpCost> worst;
  for (const Surroundings &iteration :
       iterationsOf(symbols, access.loops, subject.trace, subject.setting))
    for (int warp = 0; warp < subject.setting.warps(); warp++) {
      std::optional<Lanes> lanes = lanesOf(offset, access.guards, warp, subject.setting, iteration);
      if (!lanes)
        return std::nullopt;
      WarpCost here;
      here.iteration = iteration;
      std::optional<int64_t> first;
      for (auto &a : *lanes)
        if (a) {
          here.lanes++;
          *a += kArrayBegin;
          first = std::min(first.value_or(*a), *a);
        }
      if (!here.lanes)
        continue;
      if (isShared) {
        BankTurns turns = bankTurnsOf(*lanes, bytes, subject.device);
        here.count = turns.turns;
        here.ideal = turns.ideal;
      } else {
        here.count = transactionsOf(*lanes, bytes, subject.device).count;
        here.ideal = idealTransactions(*lanes, bytes, subject.device);
        for (auto &a : *lanes)
          if (a)
            *a += kArrayBegin - *first;
        here.aligned = transactionsOf(*lanes, bytes, subject.device).count;
      }
      if (!worst || int64_t(here.count) * worst->ideal > int64_t(worst->count) * here.ideal)
        worst = here;
    }
  return worst;
}

} // namespace nw::lint
