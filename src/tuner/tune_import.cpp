// Winners, in words and in the database.
#include "tuner/tune_import.h"
#include "plan/plan.h"
#include "support/diagnostics.h"
#include "support/text.h"
#include "tune/bundle.h"
#include "tune/tune_log.h"
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fmt/format.h>
#include <set>

namespace nw {

namespace fs = std::filesystem;

std::string backendOf(const std::string &label) { return label.substr(0, label.find(':')); }

std::string dateNow() {
  std::time_t now = std::time(nullptr);
  char text[40];
  std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", std::gmtime(&now));
  return text;
}

// What the database has for the same region, sizes and device, if that is another plan than the
// proposed one.
static std::optional<TunedResult> olderWinner(const TunedResult &result, TuneDatabase &database) {
  for (const TunedResult &r : database.find(result.program, result.planned))
    if (r.backend == result.backend && r.device == result.device && r.sizes == result.sizes &&
        !r.plan.empty())
      return r;
  return std::nullopt;
}

std::string outcomeInWords(const Winner &w, const std::string &what) {
  double percent = 100 * std::max(w.spread, w.untunedSpread);
  std::string timedAnew;
  if (constexpr double kChanged = 1.2;
      w.inFinals && (w.searched > kChanged * w.untuned || w.untuned > kChanged * w.searched))
    timedAnew =
        fmt::format("; the search had {:.4g} ms for the proposed plan, which was timed anew "
                    "at the end, in turn with the best",
                    w.searched);
  if (w.number == 0 && w.timed == 0)
    return fmt::format("the proposed plan stays: {:.4g} ms, no other was timed", w.untuned);
  if (w.number == 0)
    return fmt::format("the proposed plan stays: {:.4g} ms, no other is faster by more than the "
                       "spread ({:.1f} %){}",
                       w.untuned, percent, timedAnew);
  return fmt::format("{:.4g} ms instead of {:.4g} ms, {:.2f} x (spread {:.1f} %): {}{}",
                     w.milliseconds, w.untuned, w.untuned / w.milliseconds, percent, what,
                     timedAnew);
}

bool keepWinner(const std::string &title, const Winner &w, TunedResult result,
                const std::set<std::string> &measured, TuneDatabase &database) {
  if (w.untuned <= 0) {
    std::printf("%s: nothing was measured\n", title.c_str());
    return false;
  }
  result.milliseconds = w.milliseconds;
  result.spread = w.spread;
  result.untuned = w.untuned;
  double percent = 100 * std::max(w.spread, w.untunedSpread);
  std::printf("%s: %s\n", title.c_str(), outcomeInWords(w, result.what).c_str());
  if (w.number == 0) {
    result.plan = "";
    result.what = "as proposed";
  }
  if (constexpr double kRestless = 20; percent > kRestless)
    std::printf("times vary by %.0f %%: something else is running on this machine; tune again when "
                "it is idle\n",
                percent);
  if (std::optional<TunedResult> older =
          w.number == 0 ? olderWinner(result, database) : std::nullopt;
      older && !measured.count(older->plan)) {
    std::printf(
        "  the database keeps the plan of %s, which was not measured this time: %s, %.2f x\n",
        older->date.c_str(), older->what.c_str(),
        older->milliseconds > 0 ? older->untuned / older->milliseconds : 0);
    return true;
  }
  return database.put(result);
}

namespace {

// Files of results in a bundle's folder.
std::vector<std::string> filesOfResults(const std::string &folder) {
  std::vector<std::string> files;
  for (const fs::directory_entry &e : fs::directory_iterator(folder))
    if (std::string name = e.path().filename(); e.is_regular_file() && !e.is_symlink() &&
                                                name.starts_with("results") &&
                                                name.ends_with(".json"))
      files.push_back(e.path());
  std::sort(files.begin(), files.end());
  if (files.empty())
    throw UserError{folder + " has no results; run nestwarp-run tune on it first"};
  return files;
}

// A candidate's plan from the bundle, which may have been changed: it is reached without a link,
// and is one plan.
std::string planIn(const std::string &folder, const BundleJob &job, int region, int number) {
  std::string location = fmt::format("{}/jobs/{}", folder, job.name),
              file = fmt::format("{}/plan-{}-{}.json", location, region, number);
  for (const std::string &path : {folder + "/jobs", location, file})
    if (fs::is_symlink(path))
      throw UserError{path + " is a link, which may lead out of the bundle"};
  std::string text = readFile(file, kLargestPlan);
  if (fromJson(text).size() != 1)
    throw UserError{file + " is not a plan of one region"};
  return text;
}

class Importer {
public:
  Importer(const std::string &folder, TuneDatabase &database)
      : folder(folder), manifest(readManifest(folder)), database(database) {}

  int run(const std::vector<std::string> &files) {
    std::vector<Results> all;
    for (const std::string &file : files)
      all.push_back(readResults(file, manifest));
    for (const BundleJob &job : manifest.jobs)
      if (job.isTuning)
        one(job, all);
    return status;
  }

private:
  void one(const BundleJob &job, const std::vector<Results> &all) {
    std::vector<TuneLog> parts;
    std::string trouble;
    for (const Results &results : all)
      for (const JobResult &r : results.jobs)
        if (r.job == job.name) {
          parts.push_back(readTuneLog(r.check, r.measure));
          if (r.verdict != "same" && r.verdict != "DIFFERENT")
            trouble = r.verdict + (r.compiler.empty() ? "" : ": " + r.compiler) +
                      (r.errors.empty() ? "" : ": " + r.errors);
        }
    TuneLog known = together(parts);
    Tally tally = tallyOf(known);
    sayFaults(job, known);
    std::set<std::pair<int, std::string>> reasons;
    for (const TuneLog &log : parts)
      for (auto &[region, why] : reasonsOnHost(log))
        reasons.insert({region, why});
    std::set<int> regions;
    for (auto &[region, number] : job.candidates)
      regions.insert(region);
    for (int region : regions)
      winner(job, parts, known, region);
    for (auto &[region, why] : reasons)
      std::printf("  %s: not on the device: %s\n",
                  about(job, fmt::format("where-{}", region)).c_str(),
                  withoutControls(why).c_str());
    if (!trouble.empty())
      std::printf("  %s\n", trouble.c_str());
    std::printf("  %d of %zu candidates tried%s: %d wrong, %d crashed, %d not on the device, %d "
                "given up as slow\n",
                tally.tried, job.candidates.size() - regions.size(),
                parts.size() > 1 ? fmt::format(", in {} parts", parts.size()).c_str() : "",
                tally.wrong, tally.crashed, tally.onHost, tally.slow);
  }

  std::string about(const BundleJob &job, const std::string &key) const {
    return job.about.count(key) ? withoutControls(job.about.at(key)) : "";
  }

  void sayFaults(const BundleJob &job, const TuneLog &log) {
    for (auto &[key, m] : log.candidates)
      if (isFault(m.fate)) {
        std::printf("nestwarp: %s: %s: %s: %s; this is a bug of nestwarp: please report it\n",
                    about(job, fmt::format("where-{}", key.first)).c_str(),
                    m.fate == Fate::Wrong ? "WRONG" : "CRASHED",
                    about(job, fmt::format("words-{}-{}", key.first, key.second)).c_str(),
                    m.words.c_str());
        status = 1;
      }
  }

  // Plans of a region that were tried.
  std::set<std::string> measuredPlans(const BundleJob &job, const TuneLog &known,
                                      int region) const {
    std::set<std::string> plans;
    for (auto &[r, number] : job.candidates)
      if (auto found = known.candidates.find({region, number});
          r == region && number != 0 && found != known.candidates.end() &&
          found->second.fate != Fate::NotTried)
        plans.insert(planIn(folder, job, region, number));
    return plans;
  }

  void winner(const BundleJob &job, const std::vector<TuneLog> &parts, const TuneLog &known,
              int region) {
    size_t part = 0;
    Winner w = winnerOf(parts, region, part);
    std::string title =
        fmt::format("{} ({})", about(job, fmt::format("where-{}", region)), about(job, "function"));
    bool isThere = w.untuned > 0 && std::count(job.candidates.begin(), job.candidates.end(),
                                               std::pair(region, w.number));
    TunedResult r;
    std::set<std::string> measured;
    if (isThere) {
      r.program = about(job, fmt::format("key-{}", region));
      r.planned = about(job, "planned");
      r.backend = backendOf(parts[part].label);
      r.device = parts[part].device;
      r.compiler = parts[part].version;
      r.sizes = sizesOfKey(about(job, "sizes"));
      r.what = about(job, fmt::format("words-{}-{}", region, w.number));
      r.plan = w.number ? planIn(folder, job, region, w.number) : "";
      r.date = dateNow();
      if (w.number == 0)
        measured = measuredPlans(job, known, region);
    }
    if (!keepWinner(title, isThere ? w : Winner{}, r, measured, database))
      status = 1;
  }

  std::string folder;
  Manifest manifest;
  TuneDatabase &database;
  int status = 0;
};

} // namespace

int importTuning(const std::string &path, TuneDatabase &database) {
  if (!fs::exists(path))
    throw UserError{fmt::format("--import {}: there is no such folder or file", path)};
  bool isFolder = fs::is_directory(path);
  std::string folder = isFolder ? path : fs::path(path).parent_path().string();
  return Importer(folder.empty() ? "." : folder, database)
      .run(isFolder ? filesOfResults(folder) : std::vector<std::string>{path});
}

} // namespace nw
