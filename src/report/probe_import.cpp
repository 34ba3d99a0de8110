// Importing a probe.
#include "report/probe_import.h"
#include "device/device_from_probe.h"
#include "device/device_json.h"
#include "report/chart.h"
#include "support/diagnostics.h"
#include "support/text.h"
#include <filesystem>
#include <fmt/format.h>

namespace nw {

namespace fs = std::filesystem;

static LineChart chartOf(const ProbeCurve &curve) {
  LineChart chart{curve.title,
                  {curve.x, curve.logX ? Scale::Doublings : Scale::Linear},
                  {curve.y, curve.logY ? Scale::Decades : Scale::Linear},
                  {}};
  for (const ProbeLine &line : curve.lines)
    chart.lines.push_back({line.label, line.points});
  return chart;
}

static std::string pageOf(const ProbeResult &result, const DeviceSpec &device) {
  std::string page = fmt::format(
      "# {}\n\n{} by `nestwarp-run probe{}` on {} ({}); the description is `{}.json`.\n\n",
      result.name, "Measured", result.quick ? " --quick" : "", result.label, result.version,
      device.name);
  for (const std::string &finding : findingsOf(result))
    page += "- " + finding + "\n";
  page += "\n| measured | |\n|---|---:|\n";
  for (auto &[name, value] : result.measured)
    page += fmt::format("| {} | {:.5g} |\n", name, value);
  for (const ProbeCurve &curve : result.curves)
    page += fmt::format("\n![{}]({}.svg)\n", curve.title, curve.id);
  return page;
}

std::string importProbe(const std::string &file, const std::string &folder,
                        const std::string &name) {
  ProbeResult result = probeFromJson(readFile(file, kLargestProbe), file);
  DeviceSpec device = deviceFromProbe(result, file, name);
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed)
    throw UserError{"cannot make the folder '" + folder + "': " + failed.message()};
  for (const ProbeCurve &curve : result.curves)
    writeFile(folder + "/" + curve.id + ".svg", drawn(chartOf(curve)));
  writeFile(folder + "/probe.md", pageOf(result, device));
  std::string description = folder + "/" + device.name + ".json";
  writeFile(description, toJson(device));
  return description;
}

} // namespace nw
