// What nestwarp-run probe found on a machine, read from its JSON file.
#pragma once
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace nw {

struct ProbeLine {
  std::string label;
  std::vector<std::pair<double, double>> points;
};

struct ProbeCurve {
  std::string id, title, x, y; // the axes with their units
  bool logX = false, logY = false;
  std::vector<ProbeLine> lines;
};

struct ProbeResult {
  std::string label, name, kind, version; // of the device, as its driver tells
  bool quick = false;
  nlohmann::ordered_json queried; // fields of a DeviceSpec
  std::map<std::string, double> measured;
  std::vector<ProbeCurve> curves;
  std::vector<std::pair<std::string, std::string>> skipped; // what and why
};

constexpr size_t kLargestProbe = 4 << 20; // bytes of a file

// Throws UserError when the text is not a result of a probe, or one of another version. `file` is
// for messages.
ProbeResult probeFromJson(const std::string &text, const std::string &file);
// The curve with this id; nullptr if it was not measured.
const ProbeCurve *curveOf(const ProbeResult &result, const std::string &id);

} // namespace nw
