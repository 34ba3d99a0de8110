// Jobs of bundles, there and back.
#include "check/check_bundle.h"
#include "check/bundle_cubins.h"
#include "check/bundle_input.h"
#include "check/setting_names.h"
#include "check/times_table.h"
#include "support/process.h"
#include "support/text.h"
#include "tune/bundle.h"
#include "tune/manifest_words.h"
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <set>
#include <sstream>

namespace nw {

namespace fs = std::filesystem;

namespace {

// What the manifest says of a job, for messages.
std::string shown(const BundleJob &job, const char *key) {
  return job.about.count(key) ? withoutControls(job.about.at(key)) : job.name;
}

// How exact the numbers are that a program prints. A float anywhere may make floats of what it
// prints: in the user's files, or as the type of a function that a nest calls.
std::string exactness(const Compilation &c, const BundleJob &job, FloatingPoint mode) {
  if (mode == FloatingPoint::Strict)
    return "strict";
  bool hasFloat =
      std::any_of(job.files.begin(), job.files.end(),
                  [](auto &f) { return f.second.find("float") != std::string::npos; }) ||
      computesInFloat(c);
  return !hasFloat ? "double" : mode == FloatingPoint::Fast ? "fast" : "float";
}

class BundleWriter {
public:
  BundleWriter(CompileOptions options, const CheckSettings &settings, int repeats)
      : options(std::move(options)), settings(settings), repeats(repeats) {}

  void add(const std::string &file) {
    options.file = file;
    Compilation c = compile(options);
    if (c.parsed.failed || c.parsed.isCxx) {
      skip(file,
           c.parsed.isCxx ? "it is C++; bundles take C and CUDA files" : "it does not compile");
      return;
    }
    names.add(c);
    size_t before = jobs.size();
    // A main has data of its own, which made-up ones need not be like: subscripts, divisors, sums
    // that do not overflow. That of a CUDA file is not translated.
    bool hasMain =
        !c.isCuda &&
        std::count(c.parsed.functionsSeen.begin(), c.parsed.functionsSeen.end(), "main") > 0 &&
        options.function.empty();
    for (const Signature &s : c.parsed.signatures)
      if (!hasMain && isCheckable(c, s))
        try {
          function(c, s);
        } catch (const UserError &e) {
          skip(file + ": " + s.name, e.message);
        }
    if (hasMain && !c.regions.empty())
      try {
        program(c);
      } catch (const UserError &e) {
        skip(file, e.message);
      }
    if (jobs.size() == before)
      skip(file, "no function with an offloaded nest can be called");
  }

  std::vector<BundleJob> jobs;
  std::vector<KernelSource> kernels; // of the jobs
  int skipped = 0;
  SettingNames names; // of all files

private:
  void skip(const std::string &what, const std::string &why) {
    std::fprintf(stderr, "nestwarp: %s: not in the bundle: %s\n", what.c_str(), why.c_str());
    skipped++;
  }

  BundleJob jobFor(const Compilation &c, const std::string &function) {
    BundleJob job;
    fs::path file = options.file;
    job.name = fmt::format("{:03}-{}-{}", jobs.size() + 1, plainName(file.stem()).substr(0, 50),
                           plainName(function).substr(0, 50));
    addInput(job, c, options);
    job.numbers = exactness(c, job, settings.floatingPoint);
    job.files["input/nw_rewritten.c"] =
        hostFile(c.text(), inputName(c, options), false, c.emitted());
    job.about = {{"file", file.filename()},
                 {"input", inputName(c, options)},
                 {"function", function},
                 {"fp", settings.floatingPoint == FloatingPoint::Strict ? "strict"
                        : settings.floatingPoint == FloatingPoint::Fast ? "fast"
                                                                        : "reduce"},
                 {"contract", options.contract ? "on" : "off"}};
    return job;
  }

  void function(const Compilation &c, const Signature &s) {
    CheckSettings own = settingsFor(settings, s.name);
    CheckedFunction f = describeFunction(c, s, own.extents);
    BundleJob job = jobFor(c, s.name);
    job.about["sizes"] = joinedSettings(own.sizes);
    job.about["extents"] = joinedSettings(own.extents);
    job.data = dataFor(c, f, own);
    job.repeats = repeats;
    std::string original = "input/" + inputName(c, options);
    for (auto &[name, text] : checkTexts(c, f, own, original, "input/nw_rewritten.c", "."))
      job.files[name] = text;
    if (std::optional<std::string> guarded =
            guardedSource(c, options, c.isCuda ? inputName(c, options) : options.file)) {
      job.files["input/nw_guarded.c"] = *guarded;
      job.files["original.c"] =
          checkTexts(c, f, own, "input/nw_guarded.c", "input/nw_rewritten.c", ".").at("original.c");
    }
    jobs.push_back(std::move(job));
    kernels.push_back({kernelText(c.emitted(), Language::Cuda, c.emitOptions), c.emitOptions});
  }

  void program(const Compilation &c) {
    BundleJob job = jobFor(c, "main");
    job.isProgram = true;
    job.files["regions.nw.c"] = runtimeFile(c.emitted(), c.emitOptions);
    job.files["input/nw_original.c"] = fmt::format("#include \"{}\"\n", inputName(c, options));
    jobs.push_back(std::move(job));
    kernels.push_back({kernelText(c.emitted(), Language::Cuda, c.emitOptions), c.emitOptions});
  }

  CompileOptions options;
  const CheckSettings &settings;
  int repeats;
};

// A bundle that comes back may have been changed: what is compiled again lies in it, and is reached
// without a link.
void checkInside(const std::string &folder, const BundleJob &job, const std::string &file) {
  std::string location = fmt::format("{}/jobs/{}", folder, job.name);
  if (!isBundleName(file) || fs::is_symlink(folder + "/jobs") || fs::is_symlink(location) ||
      !fs::is_directory(location))
    throw UserError{fmt::format("{}: the source of job {} is not in the bundle", folder, job.name)};
  for (const fs::directory_entry &e : fs::recursive_directory_iterator(location))
    if (e.is_symlink())
      throw UserError{e.path().string() + " is a link, which may lead out of the bundle"};
}

// What a function's results say, in the words of a check that ran here.
Verdict sayFunction(const std::string &folder, const BundleJob &job, const JobResult &r,
                    const std::string &name) {
  std::vector<CheckOutcome> outcomes;
  bool differs = false;
  for (const std::string &data : job.data)
    if (auto found = r.reports.find(data); found != r.reports.end()) {
      outcomes.push_back({data, found->second.status, readReport(found->second.text)});
      differs |= !outcomes.back().report.differences.empty();
    } else
      throw UserError{fmt::format("{} has no report on {} data", job.name, data)};
  auto about = [&](const char *key) {
    return job.about.count(key) ? job.about.at(key) : std::string();
  };
  Compilation c;
  CheckedFunction f;
  if (differs) { // which instance wrote the element: that takes the Program
    std::string input = job.about.count("input")
                            ? about("input")
                            : about("file"); // bundles of an older nestwarp have no such word
    checkInside(folder, job, input);
    CompileOptions o;
    o.file = fmt::format("{}/jobs/{}/input/{}", folder, job.name, input);
    o.always = true;
    o.floatingPoint = about("fp") == "strict" ? FloatingPoint::Strict
                      : about("fp") == "fast" ? FloatingPoint::Fast
                                              : FloatingPoint::Reduce;
    o.contract = about("contract") != "off";
    o.arguments = job.flags;
    o.wraps = meaningOf(job.flags).wraps;
    for (const std::string &i : job.includes)
      o.arguments.push_back(fmt::format("-I{}/jobs/{}/{}", folder, job.name, i));
    c = compile(o);
    for (const Signature &s : c.parsed.signatures)
      if (s.name == about("function"))
        f = describeFunction(c, s, splitSettings(about("extents")));
  }
  Verdict checked = judge(c, f, outcomes, about("file"), name);
  if (checked != Verdict::Different && r.verdict == "DIFFERENT") {
    std::printf("  but nestwarp-run found it different\n");
    return Verdict::Different;
  }
  return checked;
}

Verdict say(const std::string &folder, const BundleJob &job, const JobResult &r) {
  std::string name =
      shown(job, "file") + (job.isProgram ? " (program)" : ": " + shown(job, "function"));
  bool ran = r.verdict != "did not build" && r.verdict != "did not run";
  bool leaves = std::any_of(r.reports.begin(), r.reports.end(), [](const auto &report) {
    return !readReport(report.second.text).outside.empty(); // nothing was compared then
  });
  if (!job.isProgram && (ran || leaves)) {
    Verdict checked = sayFunction(folder, job, r, name);
    if (checked == Verdict::NothingRan && !r.errors.empty())
      std::printf("  it said:\n%s\n", r.errors.c_str());
    if (r.timesMistake.empty())
      return checked;
    std::printf("  no times: %s\n", r.timesMistake.c_str());
    return Verdict::Different;
  }
  std::string verdict =
      r.verdict.starts_with("same") && !r.difference.empty() ? "DIFFERENT" : r.verdict;
  std::printf("%s: %s%s%s\n", name.c_str(), verdict.c_str(), r.difference.empty() ? "" : "; ",
              r.difference.c_str());
  if (!r.timesMistake.empty())
    std::printf("  no times: %s\n", r.timesMistake.c_str());
  if (verdict != "same" && !r.compiler.empty())
    std::printf("  the C compiler said:\n%s\n", r.compiler.c_str());
  if (verdict != "same" && !r.errors.empty())
    std::printf("  it said:\n%s\n", r.errors.c_str());
  return !r.timesMistake.empty()            ? Verdict::Different
         : verdict == "same"                ? Verdict::Same
         : verdict.starts_with("same, but") ? Verdict::NothingRan
                                            : Verdict::Different;
}

} // namespace

int writeCheckBundle(const std::string &folder, const std::vector<std::string> &files,
                     CompileOptions options, const CheckSettings &settings, int repeats,
                     const std::string &cubins, Watch &watch) {
  std::vector<std::string> architectures = cubinArchitectures(cubins, options.device);
  BundleWriter writer(std::move(options), settings, repeats);
  for (const std::string &file : files)
    writer.add(file);
  watch.stop();
  writer.names.refuseOthers("--size", settings.sizes);
  writer.names.refuseOthers("--extent", settings.extents);
  if (writer.jobs.empty())
    throw UserError{"nothing goes into the bundle"};
  BundleCubins made = makeCubins(writer.kernels, architectures);
  writeBundle(folder, writer.jobs, made, runtimeSources());
  std::printf("nestwarp: wrote %s with %zu jobs and %zu cubins%s; on the other machine:\n",
              folder.c_str(), writer.jobs.size(), made.files.size(),
              writer.skipped ? fmt::format(" ({} left out)", writer.skipped).c_str() : "");
  std::printf("  cmake -S %s/runtime -B run && cmake --build run && run/nestwarp-run %s\n",
              folder.c_str(), folder.c_str());
  return 0;
}

int importResults(const std::string &location) {
  std::string folder =
      fs::is_directory(location) ? location : fs::path(location).parent_path().string();
  std::string file = fs::is_directory(location) ? location + "/results.json" : location;
  if (folder.empty())
    folder = ".";
  Manifest m = readManifest(folder);
  Results results = readResults(file, m);
  std::printf("%s: %s, %s%s%s%s\n", file.c_str(), results.date.c_str(), results.machine.c_str(),
              results.device.empty() ? "" : ", device ", results.device.c_str(),
              results.sanitizer.empty() ? "" : (", under " + results.sanitizer).c_str());
  if (results.jobsFromCubins)
    std::printf("kernels of %d of %zu jobs came from the bundle's cubins\n", results.jobsFromCubins,
                results.jobs.size());
  Verdict worst = Verdict::Same;
  std::set<std::string> seen;
  for (const JobResult &r : results.jobs) {
    const BundleJob &job = *std::find_if(m.jobs.begin(), m.jobs.end(),
                                         [&](const BundleJob &b) { return b.name == r.job; });
    try {
      worst = std::max(worst, say(folder, job, r));
      printTimes(r.times, r.kernelTimes);
    } catch (const UserError &) {
      throw;
    } catch (const std::exception &) { // numbers that are none
      throw UserError{fmt::format("{}: the report of {} is not valid", file, r.job)};
    }
    seen.insert(r.job);
  }
  size_t missing = m.jobs.size() - seen.size();
  if (missing)
    std::printf("%zu of %zu jobs have no result yet: run nestwarp-run again\n", missing,
                m.jobs.size());
  return statusOf(missing ? std::max(worst, Verdict::NothingRan) : worst);
}

} // namespace nw
