// Renamed fields.
#include "plan/plan_renames.h"
#include "plan/plan.h"
#include "support/text.h"
#include <fmt/format.h>
#include <map>
#include <set>

namespace nw {

namespace {

using nlohmann::ordered_json;

struct Change {
  const char *field; // with the object that it was in
  const char *now;   // its name now; null: it is no choice, and left out
  const char *how;   // what else is different; null: nothing
  int last = 1;      // the last version that had it
};

// In the order of the files.
const Change kChanges[] = {
    {"schedule", nullptr, nullptr},
    {"expanded", nullptr, nullptr},
    {"kernels.kind", nullptr, nullptr},
    {"kernels.statements", nullptr, nullptr},
    {"kernels.points", "threadTile", nullptr},
    {"kernels.vectors", "vectorBytes", nullptr},
    {"kernels.vectorsFrom", "vectorsProfitableFrom", nullptr},
    {"kernels.windows", "windowTile", nullptr},
    {"kernels.windowsFrom", "windowsProfitableFrom", nullptr},
    {"kernels.frame", "boundaryKernel", "true or false"},
    {"kernels.tiles.points", "threadTile", nullptr},
    {"kernels.tiles.run", "contiguous", nullptr},
    {"kernels.tiles.length", "stripLength", nullptr},
    {"kernels.tiles.buffers", "stages", nullptr},
    {"kernels.tiles.ahead", "prefetch", nullptr},
    {"kernels.tiles.async", "async", "true or false"},
    {"kernels.tiles.inside", "tail", "\"shift-inwards\" for 1, \"guard\" for 0"},
    {"kernels.tiles.vectors", "vectorBytes", "with the tail \"exact\" where it is not 0"},
    {"kernels.tiles.together", "minBlocksPerSm", nullptr},
    {"kernels.tiles.least", "profitableFrom", nullptr},
    {"kernels.spread", "blockReductions", "a list of one entry"},
    {"kernels.spread.from", "profitableFrom", nullptr},
    {"kernels.spread.lines", "lineAligned", nullptr},
    {"kernels.join", "fuse", nullptr},
    {"kernels.join.from", "profitableFrom", nullptr},
    {"kernels.blockReduction", "blockReductions", "a list of one entry", 2},
};

// Names of all fields in the entry, each with the objects around it.
void collect(const ordered_json &value, const std::string &path, std::set<std::string> &out) {
  if (value.is_array())
    for (const ordered_json &one : value)
      collect(one, path, out);
  if (value.is_object())
    for (auto &[name, inner] : value.items()) {
      std::string at = path.empty() ? name : path + "." + name;
      out.insert(at);
      collect(inner, at, out);
    }
}

} // namespace

std::string whatChanged(const ordered_json &entry, int version) {
  std::set<std::string> present;
  collect(entry, "", present);
  std::vector<std::string> renamed, left;
  for (const Change &c : kChanges) {
    if (c.last < version || !present.count(c.field))
      continue;
    if (!c.now)
      left.push_back(c.field);
    else
      renamed.push_back(
          fmt::format("{} is {} now{}", c.field, c.now, c.how ? fmt::format(" ({})", c.how) : ""));
  }
  std::string out = "What changed: ";
  out += renamed.empty() ? "nothing of it was renamed" : joined(renamed, "; ");
  if (!left.empty())
    out += fmt::format("; leave out {}, which {} no choice{}", joined(left, ", "),
                       left.size() == 1 ? "is" : "are", left.size() == 1 ? "" : "s");
  return out + fmt::format("; then say \"planVersion\": {}, or make the plan anew with --plan-out",
                           kPlanVersion);
}

} // namespace nw
