// A description from a probe.
#include "device/device_from_probe.h"
#include "device/device_fields.h"
#include "device/device_json.h"
#include "device/fit.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <set>

namespace nw {

using nlohmann::ordered_json;

namespace {

std::string lowered(std::string text) {
  for (char &c : text)
    c = char(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

// "NVIDIA H200" becomes nvidia-h200.
std::string nameFrom(const std::string &title) {
  std::string name;
  for (char c : lowered(title))
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))
      name += c;
    else if (!name.empty() && name.back() != '-')
      name += '-';
  while (!name.empty() && name.back() == '-')
    name.pop_back();
  return name.empty() ? "device" : name;
}

// How much a device of the catalogue looks like the one probed: its kind, its architecture, its
// name.
int likeness(const DeviceSpec &d, const ProbeResult &result) {
  std::string architecture =
      result.queried.contains("architecture") && result.queried["architecture"].is_string()
          ? result.queried["architecture"].get<std::string>()
          : "";
  int points = 0;
  if (nameOf(d.kind) == result.kind)
    points += 4;
  if (!architecture.empty() && d.architecture == architecture)
    points += 2;
  std::string model = d.name.substr(0, d.name.find("-opencl"));
  if (("-" + nameFrom(result.name) + "-").find("-" + model + "-") != std::string::npos)
    points += 1;
  return points;
}

const DeviceSpec &mostAlike(const ProbeResult &result) {
  const std::vector<DeviceSpec> &all = deviceCatalogue();
  return *std::max_element(all.begin(), all.end(), [&](const DeviceSpec &a, const DeviceSpec &b) {
    return likeness(a, result) < likeness(b, result);
  });
}

// Sets fields of the object that a device is read from, and remembers which.
class Fields {
public:
  explicit Fields(const DeviceSpec &base) : object(ordered_json::parse(toJson(base))) {}

  void set(const std::string &name, const ordered_json &value) {
    if (!object.contains(name))
      return;
    object[name] = value;
    known.insert(name);
  }
  double number(const char *name) const {
    return object[name].is_number() ? object[name].get<double>() : 0;
  }

  ordered_json object;
  std::set<std::string> known;
};

// Rates per cycle of a multiprocessor from operations per second. A data sheet's number is kept
// when the measured one is close: kernels reach a little less.
void setRates(const ProbeResult &result, Fields &fields) {
  constexpr double kClose = 0.15;
  const std::pair<const char *, const char *> rates[] = {
      {"fp32PerSecond", "fp32PerCycle"},
      {"fp64PerSecond", "fp64PerCycle"},
      {"specialPerSecond", "specialPerCycle"},
      {"integerPerSecond", "integerPerCycle"},
      {"integerMultiplyPerSecond", "integerMultiplyPerCycle"}};
  double cycles = 1e9 * fields.number("clockGigahertz") * fields.number("multiprocessors");
  for (auto [measured, field] : rates) {
    auto found = result.measured.find(measured);
    if (found == result.measured.end() || !(cycles > 0))
      continue;
    double rate = std::round(100 * found->second / cycles) / 100, listed = fields.number(field);
    fields.set(field, std::abs(rate - listed) <= kClose * listed ? listed : rate);
  }
}

// The cost of conflicts, in cycles, from the line of one warp.
void setConflicts(const ProbeResult &result, Fields &fields) {
  const ProbeCurve *curve = curveOf(result, "shared-by-degree");
  if (!curve || curve->lines.empty() || result.kind == "cpu")
    return;
  std::optional<LineFit> fit = fitLine(curve->lines[0].points);
  double clock = fields.number("clockGigahertz");
  if (!fit || fit->slope < 0)
    return;
  fields.set("sharedStartCycles", std::round(100 * std::max(0.0, fit->start * clock)) / 100);
  fields.set("sharedRequestCycles", std::round(100 * fit->slope * clock) / 100);
  // The second line is that of a full block, whose warps wait for the banks and not for themselves.
  if (std::optional<LineFit> full =
          curve->lines.size() > 1 ? fitLine(curve->lines[1].points) : std::nullopt;
      full && full->slope > 0) {
    double warps = fields.number("blockThreads") / fields.number("warp");
    fields.set("sharedTurnCycles", std::round(100 * full->slope * clock / warps) / 100);
  }
}

// The value of a curve's first line at the largest x of a range; nothing where it has no point
// there.
std::optional<std::pair<double, double>> lastWithin(const ProbeResult &result, const char *id,
                                                    double low, double high) {
  std::optional<std::pair<double, double>> found;
  if (const ProbeCurve *curve = curveOf(result, id); curve && !curve->lines.empty())
    for (const auto &p : curve->lines[0].points)
      if (p.first > low && p.first <= high)
        found = p;
  return found;
}

// What the caches give, from chains of loads and from scattered reads of small and of larger
// ranges. A repeated read in order does not show the second level: each multiprocessor reads its
// own part again, from its first.
void setCaches(const ProbeResult &result, Fields &fields) {
  double first = fields.number("l1Bytes"), second = fields.number("l2Bytes"),
         clock = fields.number("clockGigahertz"), warp = fields.number("warp");
  if (result.kind == "cpu" || first <= 0 || second <= 4 * first)
    return;
  if (auto p = lastWithin(result, "latency-by-footprint", 0, first))
    fields.set("l1Latency", p->second);
  if (auto p = lastWithin(result, "latency-by-footprint", 2 * first, second / 8))
    fields.set("l2Latency", p->second);
  constexpr double kElement = 4; // bytes of useful data in each
  double line = fields.object["transactionBytes"].back(),
         sector = fields.object["transactionBytes"].front();
  if (auto p = lastWithin(result, "read-only-path", 0, first / 4)) {
    double lines = p->first / line,
           distinct =
               lines * (1 - std::pow(1 - 1 / lines, warp)); // that a warp of random lanes meets
    double accesses = p->second / kElement / warp / (clock * fields.number("multiprocessors"));
    fields.set("l1LinesPerCycle", std::round(100 * accesses * distinct) / 100);
  }
  if (auto p = lastWithin(result, "read-only-path", 8 * first, second / 3))
    fields.set("l2Bandwidth", std::round(p->second / kElement * sector));
}

// Drivers leave some limits out; what is left from the model must not contradict what was said.
void reconcile(Fields &fields) {
  double block = std::max(fields.number("sharedBytes"), fields.number("sharedOptInBytes"));
  fields.object["sharedOptInBytes"] = int64_t(block);
  if (double least = block + fields.number("sharedReservedPerBlock");
      fields.number("sharedPerMultiprocessor") < least)
    fields.object["sharedPerMultiprocessor"] = int64_t(least);
  if (fields.number("residentThreads") < fields.number("blockThreads"))
    fields.object["residentThreads"] = int64_t(fields.number("blockThreads"));
  if (fields.number("preferredBlock") > fields.number("blockThreads"))
    fields.object["preferredBlock"] = int64_t(fields.number("blockThreads"));
  if (fields.number("l2Bytes") > 0 && fields.number("l2Bandwidth") == 0)
    fields.object["l2Bandwidth"] = fields.number("copyBandwidth");
  if (fields.number("l2Bytes") == 0)
    fields.object["l2Bandwidth"] = 0;
}

// What a description of another device cannot tell about this one.
ordered_json guesses(const DeviceSpec &base, bool sameArchitecture,
                     const std::set<std::string> &known) {
  static const std::set<std::string> described = {"name",         "title",     "kind",
                                                  "architecture", "year",      "portable",
                                                  "source",       "estimated", "preferredBlock"};
  std::set<std::string> listed(base.estimated.begin(), base.estimated.end());
  ordered_json all = ordered_json::array();
  visitFields(base, [&](const char *name, auto &, FieldRange, const char *) {
    if (!known.count(name) && !described.count(name) && (!sameArchitecture || listed.count(name)))
      all.push_back(name);
  });
  return all;
}

} // namespace

DeviceSpec deviceFromProbe(const ProbeResult &result, const std::string &file,
                           const std::string &name) {
  const DeviceSpec &base = mostAlike(result);
  Fields fields(base);
  static const std::set<std::string> notForCpus = {"sharedBytes",
                                                   "sharedOptInBytes"}; // PoCL names any amount
  for (auto &[field, value] : result.queried.items())
    if (result.kind != "cpu" || !notForCpus.count(field))
      fields.set(field, value);
  for (auto &[field, value] : result.measured)
    fields.set(field, value);
  setRates(result, fields);
  setConflicts(result, fields);
  setCaches(result, fields);
  reconcile(fields);
  fields.object["name"] =
      !name.empty() ? name : nameFrom(result.name) + (result.kind == "opencl" ? "-opencl" : "");
  fields.object["title"] = result.name;
  fields.object["kind"] = result.kind;
  fields.object["source"] =
      fmt::format("{} of {}, {}; the rest as {}", result.quick ? "quick probe" : "probe",
                  result.label, result.version, base.name);
  bool sameArchitecture = likeness(base, result) >= 6;
  fields.object["estimated"] = guesses(base, sameArchitecture, fields.known);
  return completeDeviceFromJson(fields.object.dump(), file);
}

} // namespace nw
