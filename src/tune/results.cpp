// Results of bundles: JSON from another machine, which is not trusted.
#include "support/diagnostics.h"
#include "support/text.h"
#include "tune/bundle.h"
#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace nw {

using Json = nlohmann::json;

namespace {

constexpr size_t kLargestResults = 64 << 20;

std::string textOf(const Json &object, const char *key) {
  auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

int numberOf(const Json &object, const char *key) {
  auto found = object.find(key);
  return found != object.end() && found->is_number_integer() ? found->get<int>() : 0;
}

JobResult jobOf(const Json &object) {
  JobResult r;
  r.job = textOf(object, "job");
  r.verdict = textOf(object, "verdict");
  for (const char *data : {"ordinary", "special"})
    if (auto found = object.find(data); found != object.end() && found->is_object())
      r.reports[data] = {numberOf(*found, "status"), textOf(*found, "report")};
  r.compiler = textOf(object, "compiler");
  r.errors = textOf(object, "errors");
  r.sanitizer = textOf(object, "sanitizer");
  if (auto t = object.find("times"); t != object.end())
    r.times = t->dump();
  if (auto t = object.find("kernel_times"); t != object.end())
    r.kernelTimes = t->dump();
  for (const char *key : {"times_mistake", "kernel_times_mistake"})
    if (std::string mistake = textOf(object, key); !mistake.empty())
      r.timesMistake += (r.timesMistake.empty() ? "" : "; ") + mistake;
  if (object.contains("word"))
    r.difference = fmt::format("word {} of the output: expected '{}', found '{}'", numberOf(object, "word"), textOf(object, "expected"), textOf(object, "found"));
  return r;
}

} // namespace

Results readResults(const std::string &path, const Manifest &m) { return parseResults(readFile(path, kLargestResults), path, m); }

Results parseResults(const std::string &text, const std::string &path, const Manifest &m) {
  Json json;
  try {
    json = Json::parse(text);
  } catch (const Json::exception &e) {
    throw UserError{fmt::format("{}: this is no file of results, or it is cut off: {}", path, e.what())};
  }
  if (!json.is_object() || numberOf(json, "nestwarp_results") != 1 || !json.contains("jobs") || !json["jobs"].is_array())
    throw UserError{path + ": this is no file of results, or one of another version"};
  Results r;
  r.bundle = textOf(json, "bundle");
  if (r.bundle != m.id)
    throw UserError{fmt::format("{} belongs to another bundle ({}, not {}); run nestwarp-run on this one", path, r.bundle, m.id)};
  r.date = textOf(json, "date");
  r.machine = textOf(json, "machine");
  r.device = textOf(json, "device");
  r.sanitizer = textOf(json, "sanitizer");
  r.jobsFromCubins = numberOf(json, "jobs_from_cubins");
  for (const Json &j : json["jobs"]) {
    if (!j.is_object())
      throw UserError{path + ": a job is no object"};
    r.jobs.push_back(jobOf(j));
    if (std::none_of(m.jobs.begin(), m.jobs.end(), [&](const BundleJob &b) { return b.name == r.jobs.back().job; }))
      throw UserError{fmt::format("{}: the bundle has no job '{}'", path, r.jobs.back().job)};
  }
  return r;
}

} // namespace nw
