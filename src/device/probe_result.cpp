// Reading the result of a probe. The file comes from another machine: everything in it is checked.
#include "device/probe_result.h"
#include "support/diagnostics.h"
#include "support/strict_json.h"
#include <cmath>
#include <fmt/format.h>
#include <set>

namespace nw {

using nlohmann::ordered_json;

namespace {

constexpr int kVersion = 1;
constexpr size_t kMostCurves = 100, kMostLines = 100, kMostPoints = 10000, kLongestText = 1000;

class Reader {
public:
  explicit Reader(const std::string &file) : file(file) {}

  [[noreturn]] void refuse(const std::string &what) const {
    throw UserError{fmt::format(
        "'{}' is not a result of a probe: {}; run `nestwarp-run probe` again", file, what)};
  }

  const ordered_json &field(const ordered_json &object, const char *name) const {
    if (!object.is_object() || !object.contains(name))
      refuse(fmt::format("it has no '{}'", name));
    return object[name];
  }
  std::string text(const ordered_json &object, const char *name) const {
    const ordered_json &v = field(object, name);
    if (!v.is_string() || v.get_ref<const std::string &>().size() > kLongestText)
      refuse(fmt::format("'{}' is not a short text", name));
    return v.get<std::string>();
  }
  bool truth(const ordered_json &object, const char *name) const {
    const ordered_json &v = field(object, name);
    if (!v.is_boolean())
      refuse(fmt::format("'{}' is neither true nor false", name));
    return v.get<bool>();
  }
  const ordered_json &list(const ordered_json &object, const char *name, size_t most) const {
    const ordered_json &v = field(object, name);
    if (!v.is_array() || v.size() > most)
      refuse(fmt::format("'{}' is not a list of at most {}", name, most));
    return v;
  }
  double number(const ordered_json &v, const char *name) const {
    if (!v.is_number() || !std::isfinite(v.get<double>()))
      refuse(fmt::format("'{}' holds something that is not a number", name));
    return v.get<double>();
  }
  void onlyKnown(const ordered_json &object, const std::set<std::string> &known) const {
    if (!object.is_object())
      refuse("it is not a object in braces");
    for (auto &[name, ignored] : object.items())
      if (!known.count(name))
        refuse(fmt::format("it has an unknown field '{}'", name.substr(0, 60)));
  }

private:
  const std::string &file;
};

ProbeLine lineFrom(const Reader &read, const ordered_json &object) {
  read.onlyKnown(object, {"label", "points"});
  ProbeLine line{read.text(object, "label"), {}};
  for (const ordered_json &point : read.list(object, "points", kMostPoints)) {
    if (!point.is_array() || point.size() != 2)
      read.refuse("a point is not a pair");
    line.points.emplace_back(read.number(point[0], "points"), read.number(point[1], "points"));
  }
  return line;
}

ProbeCurve curveFrom(const Reader &read, const ordered_json &object) {
  read.onlyKnown(object, {"id", "title", "x", "y", "logX", "logY", "lines"});
  ProbeCurve curve{read.text(object, "id"),
                   read.text(object, "title"),
                   read.text(object, "x"),
                   read.text(object, "y"),
                   read.truth(object, "logX"),
                   read.truth(object, "logY"),
                   {}};
  // The name of a file is made of it.
  if (curve.id.empty() ||
      curve.id.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") != std::string::npos)
    read.refuse("the 'id' of a curve is not made of small letters, digits and dashes");
  for (const ordered_json &line : read.list(object, "lines", kMostLines))
    curve.lines.push_back(lineFrom(read, line));
  return curve;
}

} // namespace

ProbeResult probeFromJson(const std::string &text, const std::string &file) {
  Reader read(file);
  if (text.size() > kLargestProbe)
    read.refuse(fmt::format("it has more than {} MiB", kLargestProbe >> 20));
  ordered_json whole = parseStrictJson(text, file);
  if (read.text(whole, "format") != "nestwarp-probe")
    read.refuse("its 'format' is not that of a probe");
  if (double version = read.number(read.field(whole, "version"), "version"); version != kVersion)
    throw UserError{fmt::format("'{}' is version {} of the probe's format, and this nestwarp reads "
                                "version {}; probe with the nestwarp-run that belongs to it",
                                file, version, kVersion)};
  read.onlyKnown(
      whole, {"format", "version", "quick", "device", "queried", "measured", "curves", "skipped"});
  const ordered_json &device = read.field(whole, "device");
  ProbeResult result{read.text(device, "label"),
                     read.text(device, "name"),
                     read.text(device, "kind"),
                     read.text(device, "version"),
                     read.truth(whole, "quick"),
                     read.field(whole, "queried"),
                     {},
                     {},
                     {}};
  if (!result.queried.is_object())
    read.refuse("'queried' is not an object");
  const ordered_json &measured = read.field(whole, "measured");
  if (!measured.is_object())
    read.refuse("'measured' is not an object");
  for (auto &[name, value] : measured.items())
    result.measured[name] = read.number(value, "measured");
  std::set<std::string> ids;
  for (const ordered_json &curve : read.list(whole, "curves", kMostCurves)) {
    result.curves.push_back(curveFrom(read, curve));
    if (!ids.insert(result.curves.back().id).second)
      read.refuse("two curves have one 'id'");
  }
  for (const ordered_json &one : read.list(whole, "skipped", kMostCurves))
    result.skipped.emplace_back(read.text(one, "what"), read.text(one, "why"));
  return result;
}

const ProbeCurve *curveOf(const ProbeResult &result, const std::string &id) {
  for (const ProbeCurve &c : result.curves)
    if (c.id == id)
      return &c;
  return nullptr;
}

} // namespace nw
