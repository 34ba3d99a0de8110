// Accesses and conditions as the warps of one block see them: addresses of all lanes, for the
// iterations that matter.
#pragma once
#include "lint/trace.h"
#include <optional>

namespace nw::lint {

// The shape of a launch, and the sizes that the user gave.
struct Setting {
  std::array<int64_t, 3> block = {1, 1, 1};
  std::map<std::string, int64_t> sizes;
  int warp = 32;
  int threads() const { return int(block[0] * block[1] * block[2]); }
  int warps() const { return (threads() + warp - 1) / warp; }
};

using Lanes = std::vector<std::optional<int64_t>>;

// Iterations that are looked at: of those counters that decide how threads of a warp differ, all
// values up to a limit; of others the first.
std::vector<Surroundings> iterationsOf(const std::vector<SymbolP> &symbols,
                                       const std::vector<int> &loops, const Trace &trace,
                                       const Setting &setting);
// How often a loop goes round, where that does not depend on sizes that are not given; nothing
// where it does, or where it is more than `most`.
std::optional<int> iterationsIn(const LoopFacts &loop, const Setting &setting, int most);

// Values of a symbol for the lanes of a warp; lanes that guards keep out have none. Nothing at all
// where a lane's value is not known. Guards that depend on data, on blocks or on sizes that nobody
// gave keep no lane out.
std::optional<Lanes> lanesOf(const SymbolP &s, const std::vector<SymbolP> &guards, int warp,
                             const Setting &setting, const Surroundings &iteration);

// Whether its value follows from indices, counters and sizes that were given, without any
// assumption.
bool isCertain(const SymbolP &s, const Setting &setting);
// " (with n = 1024)" for the sizes that were assumed.
std::string assumptions(const SymbolP &s, const Setting &setting);
// " (at s = 16)" for the counters that an iteration chose.
std::string iterationText(const Surroundings &iteration, const std::vector<int> &loops,
                          const Trace &trace);

} // namespace nw::lint
