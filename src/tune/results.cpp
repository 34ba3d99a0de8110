// Results of bundles: JSON from another machine, which is not trusted.
#include "support/diagnostics.h"
#include "support/text.h"
#include "tune/bundle.h"
#include <algorithm>
#include <climits>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace nw {

using Json = nlohmann::json;

namespace {

constexpr size_t kLargestResults = 64 << 20;

// A member of another type than it should have is not a result; one that is missing is empty.
[[noreturn]] void refuse(const char *key) {
  throw std::invalid_argument(fmt::format("'{}' is not valid", key));
}

// All of it may be printed. Texts of several lines, and reports, whose words tabs separate, keep
// these.
std::string textOf(const Json &object, const char *key, const char *kept = "") {
  auto found = object.find(key);
  if (found == object.end())
    return "";
  return found->is_string() ? withoutControls(found->get<std::string>(), kept) : (refuse(key), "");
}

int numberOf(const Json &object, const char *key) {
  auto found = object.find(key);
  if (found == object.end())
    return 0;
  if (!found->is_number_integer() ||
      (found->is_number_unsigned() && found->get<uint64_t>() > INT_MAX) ||
      found->get<int64_t>() > INT_MAX || found->get<int64_t>() < INT_MIN)
    refuse(key);
  return found->get<int>();
}

// What printTimes prints of them, as JSON.
std::string timesOf(const Json &object, const char *key) {
  auto found = object.find(key);
  if (found == object.end())
    return "";
  auto hold = [&](bool isUnderstood) { isUnderstood ? void() : refuse(key); };
  auto has = [](const Json &o, const char *member, bool (Json::*is)() const noexcept) {
    return o.is_object() && o.contains(member) && (o[member].*is)();
  };
  Json times = *found;
  hold(has(times, "regions", &Json::is_array));
  for (Json &r : times["regions"]) {
    hold(has(r, "where", &Json::is_string) && has(r, "milliseconds", &Json::is_array) &&
         has(r, "kernels", &Json::is_array));
    hold(std::all_of(r["milliseconds"].begin(), r["milliseconds"].end(),
                     [](const Json &t) { return t.is_number(); }));
    r["where"] = textOf(r, "where");
    for (Json &k : r["kernels"]) {
      hold(has(k, "name", &Json::is_string) && has(k, "launches", &Json::is_number) &&
           has(k, "least", &Json::is_number));
      k["name"] = textOf(k, "name");
    }
  }
  return times.dump();
}

JobResult jobOf(const Json &object) {
  JobResult r;
  r.job = textOf(object, "job");
  r.verdict = textOf(object, "verdict");
  for (const char *data : {"ordinary", "special"})
    if (auto found = object.find(data); found != object.end())
      r.reports[data] = found->is_object() ? JobResult::Report{numberOf(*found, "status"),
                                                               textOf(*found, "report", "\t\n")}
                                           : (refuse(data), JobResult::Report{});
  r.compiler = textOf(object, "compiler", "\t\n");
  r.errors = textOf(object, "errors", "\t\n");
  r.sanitizer = textOf(object, "sanitizer", "\t\n");
  r.check = textOf(object, "check", "\t\n");
  r.measure = textOf(object, "measure", "\t\n");
  r.times = timesOf(object, "times");
  r.kernelTimes = timesOf(object, "kernel_times");
  for (const char *key : {"times_mistake", "kernel_times_mistake"})
    if (std::string mistake = textOf(object, key); !mistake.empty())
      r.timesMistake += (r.timesMistake.empty() ? "" : "; ") + mistake;
  if (int original = numberOf(object, "original_status"),
      generated = numberOf(object, "generated_status");
      original != generated)
    r.difference = fmt::format("the original ended with status {}, the generated program with {}",
                               original, generated);
  if (object.contains("word"))
    r.difference =
        fmt::format("word {} of the output: expected '{}', found '{}'", numberOf(object, "word"),
                    textOf(object, "expected"), textOf(object, "found"));
  return r;
}

Results resultsOf(const Json &json, const std::string &path, const Manifest &m) {
  Results r;
  r.bundle = textOf(json, "bundle");
  if (r.bundle != m.id)
    throw UserError{
        fmt::format("{} belongs to another bundle ({}, not {}); run nestwarp-run on this one", path,
                    r.bundle, m.id)};
  r.date = textOf(json, "date");
  r.machine = textOf(json, "machine");
  r.device = textOf(json, "device");
  r.sanitizer = textOf(json, "sanitizer");
  r.jobsFromCubins = numberOf(json, "jobs_from_cubins");
  for (const Json &j : json["jobs"]) {
    if (!j.is_object())
      throw UserError{path + ": a job is not an object"};
    std::string name = textOf(j, "job");
    if (std::none_of(m.jobs.begin(), m.jobs.end(),
                     [&](const BundleJob &b) { return b.name == name; }))
      throw UserError{fmt::format("{}: the bundle has no job '{}'", path, name)};
    try {
      r.jobs.push_back(jobOf(j));
    } catch (const std::invalid_argument &e) {
      throw UserError{fmt::format("{}: of job {}, {}", path, name, e.what())};
    }
  }
  return r;
}

} // namespace

Results readResults(const std::string &path, const Manifest &m) {
  return parseResults(readFile(path, kLargestResults), path, m);
}

Results parseResults(const std::string &text, const std::string &path, const Manifest &m) {
  Json json;
  try {
    json = Json::parse(text);
  } catch (const Json::exception &e) {
    throw UserError{fmt::format("{}: this is not a file of results, or it is cut off: {}", path,
                                withoutControls(e.what()))};
  }
  if (!json.is_object() || !json.contains("nestwarp_results") || json["nestwarp_results"] != 1 ||
      !json.contains("jobs") || !json["jobs"].is_array())
    throw UserError{path + ": this is not a file of results, or one of another version"};
  try {
    return resultsOf(json, path, m);
  } catch (const std::invalid_argument &e) {
    throw UserError{fmt::format("{}: {}", path, e.what())};
  }
}

} // namespace nw
