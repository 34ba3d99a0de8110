// Devices as JSON.
#include "device/device_json.h"
#include "device/device_fields.h"
#include "support/diagnostics.h"
#include "support/strict_json.h"
#include "support/text.h"
#include <cmath>
#include <fmt/format.h>
#include <set>

namespace nw {

using nlohmann::ordered_json;

namespace {

// The words of each choice, in the order of its values.
const std::vector<std::string> kKinds = {"cuda", "opencl", "cpu"};
const std::vector<std::string> kCoalescingRules = {"in-order", "segments", "lines"};
const std::vector<std::string> kSubWordRules = {"conflict", "broadcast"};
const std::vector<std::string> kWideRules = {"two-requests", "halves", "whole"};
const std::vector<std::string> kRegisterUnits = {"block", "warp"};

const std::vector<std::string> &wordsOf(DeviceKind) { return kKinds; }
const std::vector<std::string> &wordsOf(CoalescingRule) { return kCoalescingRules; }
const std::vector<std::string> &wordsOf(SubWordRule) { return kSubWordRules; }
const std::vector<std::string> &wordsOf(WideRule) { return kWideRules; }
const std::vector<std::string> &wordsOf(RegisterUnit) { return kRegisterUnits; }

template <class T> constexpr bool isInteger = std::is_integral_v<T> && !std::is_same_v<T, bool>;

std::set<std::string> fieldNames() {
  std::set<std::string> names;
  DeviceSpec device;
  visitFields(device,
              [&](const char *name, auto &, FieldRange, const char *) { names.insert(name); });
  return names;
}

// Reads the fields of one file's object into a device, one call for each field of the table.
class Reader {
public:
  Reader(const ordered_json &object, const std::string &file, bool mayMiss)
      : object(object), file(file), mayMiss(mayMiss) {}

  template <class T>
  void operator()(const char *name, T &member, FieldRange range, const char *meaning) const {
    auto found = object.find(name);
    if (found != object.end())
      read(name, *found, member, range);
    else if (!mayMiss)
      refuse(fmt::format("has no field '{}' ({}); add it, or name a similar device with \"like\"",
                         name, meaning));
  }

private:
  [[noreturn]] void refuse(const std::string &what) const {
    throw UserError{fmt::format("the device in '{}' {}", file, what)};
  }

  void read(const char *name, const ordered_json &v, std::string &member, FieldRange) const {
    if (!v.is_string())
      refuse(fmt::format("has '{}', which must be a text in quotation marks", name));
    member = v.get<std::string>();
  }
  void read(const char *name, const ordered_json &v, bool &member, FieldRange) const {
    if (!v.is_boolean())
      refuse(fmt::format("has '{}', which must be true or false", name));
    member = v.get<bool>();
  }
  template <class T>
  std::enable_if_t<std::is_enum_v<T>> read(const char *name, const ordered_json &v, T &member,
                                           FieldRange) const {
    const std::vector<std::string> &words = wordsOf(T{});
    for (size_t k = 0; k < words.size(); k++)
      if (v.is_string() && v.get<std::string>() == words[k]) {
        member = T(k);
        return;
      }
    refuse(fmt::format("has '{}', which must be one of {}", name, joined(words, ", ")));
  }
  template <class T>
  std::enable_if_t<isInteger<T>> read(const char *name, const ordered_json &v, T &member,
                                      FieldRange range) const {
    if (!v.is_number_integer())
      refuse(fmt::format("has '{}', which must be a whole number from {} to {}", name, range.low,
                         range.high));
    double value = v.get<double>();
    if (value < range.low || value > range.high || value > double(std::numeric_limits<T>::max()))
      refuse(fmt::format("has '{}' = {}, which must be from {} to {}", name, v.dump(), range.low,
                         range.high));
    member = v.get<T>();
  }
  void read(const char *name, const ordered_json &v, double &member, FieldRange range) const {
    if (!v.is_number())
      refuse(fmt::format("has '{}', which must be a number from {} to {}", name, range.low,
                         range.high));
    if (double value = v.get<double>(); !(value >= range.low && value <= range.high))
      refuse(fmt::format("has '{}' = {}, which must be from {} to {}", name, v.dump(), range.low,
                         range.high));
    member = v.get<double>();
  }
  void read(const char *name, const ordered_json &v, long long (&member)[3],
            FieldRange range) const {
    if (!v.is_array() || v.size() != 3)
      refuse(fmt::format("has '{}', which must be a list of three numbers", name));
    for (size_t k = 0; k < 3; k++)
      read(name, v[k], member[k], range);
  }
  template <class T>
  void read(const char *name, const ordered_json &v, std::vector<T> &member,
            FieldRange range) const {
    constexpr size_t kMost = 1000;
    if (!v.is_array() || v.size() > kMost)
      refuse(fmt::format("has '{}', which must be a list", name));
    member.clear();
    for (const ordered_json &one : v)
      read(name, one, member.emplace_back(), range);
  }

  const ordered_json &object;
  const std::string &file;
  bool mayMiss;
};

ordered_json valueOf(const std::string &member) { return member; }
ordered_json valueOf(bool member) { return member; }
ordered_json valueOf(const std::vector<std::string> &member) { return member; }
ordered_json valueOf(const std::vector<int> &member) { return member; }
ordered_json valueOf(const long long (&member)[3]) { return {member[0], member[1], member[2]}; }
template <class T> std::enable_if_t<std::is_enum_v<T>, ordered_json> valueOf(T member) {
  return nameOf(member);
}
template <class T> std::enable_if_t<isInteger<T>, ordered_json> valueOf(T member) { return member; }
// Whole numbers are written without a point.
ordered_json valueOf(double member) {
  if (std::floor(member) == member && std::abs(member) < 1e15)
    return int64_t(member);
  return member;
}

DeviceSpec read(const std::string &text, const std::string &file, bool mayBeLike) {
  ordered_json object = parseStrictJson(text, file);
  if (!object.is_object())
    throw UserError{fmt::format("'{}' is not a device: it must be one object in braces", file)};
  std::set<std::string> known = fieldNames();
  for (auto &[name, ignored] : object.items())
    if (!known.count(name) && !(mayBeLike && name == "like"))
      throw UserError{fmt::format(
          "the device in '{}' has an unknown field '{}'; `nestwarp devices h200` shows all fields",
          file, name.substr(0, 60))};
  DeviceSpec device;
  bool like = object.contains("like");
  if (like) {
    const DeviceSpec *base =
        object["like"].is_string() ? findDevice(object["like"].get<std::string>()) : nullptr;
    if (!base)
      throw UserError{fmt::format("the device in '{}' has 'like', which must name a device of the "
                                  "catalogue; `nestwarp devices` lists them",
                                  file)};
    device = *base;
    for (const char *own : {"name", "source"})
      if (!object.contains(own))
        throw UserError{fmt::format("the device in '{}' has no field '{}'; add it", file, own)};
  }
  visitFields(device, Reader(object, file, like));
  checkDevice(device, file);
  return device;
}

} // namespace

std::string nameOf(DeviceKind kind) { return kKinds[size_t(kind)]; }
std::string nameOf(CoalescingRule rule) { return kCoalescingRules[size_t(rule)]; }
std::string nameOf(SubWordRule rule) { return kSubWordRules[size_t(rule)]; }
std::string nameOf(WideRule rule) { return kWideRules[size_t(rule)]; }
std::string nameOf(RegisterUnit unit) { return kRegisterUnits[size_t(unit)]; }

DeviceSpec deviceFromJson(const std::string &text, const std::string &file) {
  return read(text, file, true);
}
DeviceSpec completeDeviceFromJson(const std::string &text, const std::string &file) {
  return read(text, file, false);
}

// A list stands on one line, so that a file has a line for each field.
std::string toJson(const DeviceSpec &device) {
  std::string out;
  visitFields(device, [&](const char *name, const auto &member, FieldRange, const char *) {
    out += fmt::format("{}  \"{}\": {}", out.empty() ? "{\n" : ",\n", name, valueOf(member).dump());
  });
  return out + "\n}\n";
}

void checkDevice(const DeviceSpec &d, const std::string &file) {
  auto demand = [&](bool holds, const std::string &what) {
    if (!holds)
      throw UserError{fmt::format("the device in '{}' contradicts itself: {}", file, what)};
  };
  demand(!d.name.empty() &&
             d.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string::npos,
         "'name' must be made of small letters, digits and dashes");
  demand(d.preferredBlock <= d.blockThreads, "'preferredBlock' is greater than 'blockThreads'");
  demand(d.blockThreads <= d.residentThreads, "'blockThreads' is greater than 'residentThreads'");
  demand(d.warp <= d.blockThreads, "'warp' is greater than 'blockThreads'");
  demand(d.sharedBytes <= d.sharedOptInBytes, "'sharedBytes' is greater than 'sharedOptInBytes'");
  demand(
      d.sharedOptInBytes + d.sharedReservedPerBlock <= d.sharedPerMultiprocessor,
      "'sharedOptInBytes' and 'sharedReservedPerBlock' together exceed 'sharedPerMultiprocessor'");
  demand(d.registersPerThread <= d.registers, "'registersPerThread' is greater than 'registers'");
  demand(d.bankGroup <= d.warp && d.coalescingGroup <= d.warp,
         "'bankGroup' or 'coalescingGroup' is greater than 'warp'");
  demand(!d.transactionBytes.empty(), "'transactionBytes' is empty");
  for (size_t k = 0; k + 1 < d.transactionBytes.size(); k++)
    demand(d.transactionBytes[k] < d.transactionBytes[k + 1], "'transactionBytes' must ascend");
  demand((d.memoryChannels == 0) == (d.channelBytes == 0),
         "'memoryChannels' and 'channelBytes' go together");
  demand((d.l2Bytes == 0) == (d.l2Bandwidth == 0), "'l2Bytes' and 'l2Bandwidth' go together");
  std::set<std::string> known = fieldNames();
  for (const std::string &name : d.estimated)
    demand(known.count(name) > 0,
           "'estimated' names '" + name.substr(0, 60) + "', which is not a field");
}

} // namespace nw
