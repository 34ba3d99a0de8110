// nestwarp tune: measures plans and remembers the best. Here, or through a bundle on another
// machine.
#include "check/check_bundle.h"
#include "check/setting_names.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "device/user_devices.h"
#include "driver/guard.h"
#include "support/exit_status.h"
#include "support/process.h"
#include "tuner/tune_import.h"
#include "tuner/tune_search.h"
#include "tuner/tuned_plans.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

namespace nw {

namespace {

struct TuneFlags {
  std::vector<std::string> files, sizes, extents, checkSizes;
  std::string budget = "60s", strategy = "model", database, on, bundle, cubins, import;
  int repeats = 7, candidates = 24;
  unsigned seed = 1;
};

// "90", "90s", "2m", "1h" in seconds.
double secondsIn(const std::string &text) {
  char *end = nullptr;
  double number = std::strtod(text.c_str(), &end);
  std::string unit = end;
  double factor = unit.empty() || unit == "s"    ? 1
                  : unit == "m" || unit == "min" ? 60
                  : unit == "h"                  ? 3600
                                                 : 0;
  if (end == text.c_str() || !factor || !(number > 0 && number * factor <= 1e6))
    throw UserError{fmt::format("--budget {}: expected a time, as in 60s, 5m or 1h", text), kUsage};
  return number * factor;
}

// All that an import takes from the command line; whatever else is there, somebody expects
// something of it.
void refuseBesideImport(const CLI::App &app) {
  for (const CLI::Option *o : app.get_options())
    if (std::string name = o->get_name();
        o->count() && name != "--import" && name != "--db" && name != "--quiet")
      throw UserError{fmt::format("--import reads the bundle alone and takes nothing from {}; only "
                                  "--db may be given as well",
                                  name == "file" ? "a source" : name),
                      kUsage};
}

// Nobody waits for results that cannot be kept; why they cannot has been said.
void refuseClosed(const TuneDatabase &database) {
  if (!database.isOpen())
    throw UserError{"there is no database for tuning results; give --db FILE, with a file that is "
                    "writable or does not exist yet"};
}

Strategy strategyNamed(const std::string &word) {
  return word == "exhaustive" ? Strategy::Exhaustive
         : word == "local"    ? Strategy::Local
         : word == "random"   ? Strategy::Random
                              : Strategy::Model;
}

// The device of this machine that programs would run on: its label (cuda:0) and its kind (cuda,
// opencl, cpu); empty where there is none.
struct HereDevice {
  std::string label, kind, name;
};

// The runtime chooses, as it will when candidates are measured.
HereDevice deviceHere(const std::string &on) {
  std::string output;
  if (runCaptured({runnerProgram(), "devices", "--format=json", "--device=" + on}, output))
    return {};
  nlohmann::json all = nlohmann::json::parse(output, nullptr, false);
  if (!all.is_array() || all.size() != 1)
    return {};
  return {all[0].value("label", ""), all[0].value("kind", ""), all[0].value("name", "")};
}

// Whose times the model tells: the device that is planned for, else what is known of the one that
// is here.
DeviceSpec predictedDevice(const std::optional<DeviceSpec> &planned, const HereDevice &here) {
  if (planned)
    return *planned;
  if (here.kind == "cpu" || here.name.empty())
    return deviceNamed(here.kind == "cpu" ? "cpu" : deviceCatalogue().front().name);
  for (const DeviceSpec &d : deviceCatalogue())
    if (!here.name.empty() && d.title.find(here.name) != std::string::npos)
      return d;
  return deviceCatalogue().front();
}

class TuneSession {
public:
  TuneSession(CompileOptions options, const TuneFlags &flags, bool isQuiet)
      : options(std::move(options)), flags(flags), progress(isQuiet) {
    search.options = {strategyNamed(flags.strategy), 8, size_t(flags.candidates), flags.seed};
    search.repeats = flags.repeats;
    search.seconds = secondsIn(flags.budget);
    search.options.batch = size_t(std::clamp(
        search.seconds / 6, 2.0,
        8.0)); // making and building one takes a while: short searches look at the clock more often
    search.on = flags.on;
    search.isStopped = stopRequested;
  }

  int run(Watch &watch) {
    target.planned = options.device.value_or(commonDevice());
    HereDevice here = flags.bundle.empty() ? deviceHere(flags.on) : HereDevice{};
    if (flags.bundle.empty())
      refuseOtherDevice(here);
    target.predicted = predictedDevice(options.device, here);
    target.asksCompiler = target.predicted.kind == DeviceKind::Cuda &&
                          (options.device || here.label.starts_with("cuda"));
    options.watch = &watch;
    for (const std::string &file : flags.files)
      describe(file);
    watch.stop();
    names.refuseOthers("--size", settingsOf(flags.sizes));
    names.refuseOthers("--check-size", settingsOf(flags.checkSizes));
    names.refuseOthers("--extent", settingsOf(flags.extents));
    if (functions.empty())
      throw UserError{"there is nothing to tune"};
    return flags.bundle.empty() ? searchAll() : writeAll();
  }

private:
  void refuseOtherDevice(const HereDevice &here) const {
    if (here.label.empty() && !flags.on.empty())
      throw UserError{fmt::format(
          "--on={}: there is no such device here; `nestwarp devices` lists the devices", flags.on)};
    if (here.label.empty())
      throw UserError{"no device to measure on was found; --bundle DIR writes a folder to be "
                      "measured on another machine"};
    bool isCuda = here.label.starts_with("cuda");
    if (options.device && (options.device->kind == DeviceKind::Cuda) != isCuda)
      throw UserError{
          fmt::format("--device={} is programmed in {}, but the device here is {} ({}); --bundle "
                      "DIR writes a folder to be measured on the right machine",
                      options.device->name, isCuda ? "OpenCL" : "CUDA", here.label, here.name)};
  }

  void describe(const std::string &file) {
    options.file = file;
    compilations.push_back(std::make_unique<Compilation>(compile(options)));
    const Compilation &c = *compilations.back();
    if (c.parsed.failed || c.parsed.isCxx)
      throw UserError{file + (c.parsed.isCxx ? ": it is C++; nestwarp tune takes C and CUDA files"
                                             : ": it does not compile")};
    CheckSettings all{options.floatingPoint, settingsOf(flags.sizes), settingsOf(flags.extents),
                      "ordinary"},
        small = all;
    small.sizes = settingsOf(flags.checkSizes);
    names.add(c);
    size_t before = functions.size();
    for (const Signature &s : c.parsed.signatures)
      if (isCheckable(c, s))
        functions.push_back(describeTuning(options, c, s, settingsFor(all, s.name),
                                           settingsFor(small, s.name).sizes, target));
    if (functions.size() == before) {
      for (const Diagnostic &d : c.diagnostics)
        std::fputs(render(d, file, c.parsed.source).c_str(), stderr);
      std::fprintf(
          stderr,
          "nestwarp: %s: no function with an offloaded nest can be called; nothing to tune\n",
          file.c_str());
    }
  }

  int searchAll() {
    TuneDatabase database(tuneDatabaseLocation(flags.database), true, [](const std::string &what) {
      std::fprintf(stderr, "nestwarp: warning: %s\n", what.c_str());
    });
    refuseClosed(database);
    int status = 0;
    for (TunedFunction &f : functions) {
      sayBegin(f);
      SearchEnd end = searchHere(f, search, progress);
      status = std::max(status, sayEnd(f, end, database));
      if (stopRequested())
        return kInterrupted;
    }
    return status;
  }

  void sayBegin(const TunedFunction &f) {
    std::string sizes = inWords(f.sizes());
    for (const TunedSearch &s : f.regions) {
      size_t pool = poolSize(search.options);
      bool isCut = search.options.strategy == Strategy::Exhaustive &&
                   sizeOf(s.space) > pool; // the others do not promise all
      progress.say(fmt::format("{}{}{}: {} decisions, {:.3g} plans{}", s.region->where,
                               sizes.empty() ? "" : " at ", sizes, s.space.knobs.size(),
                               double(sizeOf(s.space)),
                               isCut ? fmt::format("; --strategy=exhaustive looks at {} of them, "
                                                   "those that differ in one decision first",
                                                   pool)
                                     : ""));
    }
  }

  int sayEnd(TunedFunction &f, const SearchEnd &end, TuneDatabase &database) {
    progress.say(fmt::format("{}: {} predicted, {} tried, {} refused, {} wrong, {} crashed, {} not "
                             "on the device, {} given up as slow; {:.0f} s",
                             f.title(), predicted(f), end.tally.tried, end.refused, end.tally.wrong,
                             end.tally.crashed, end.tally.onHost, end.tally.slow, end.seconds));
    for (const std::string &fault : end.faults)
      std::fprintf(stderr, "nestwarp: %s; this is a bug of nestwarp: please report it\n",
                   fault.c_str());
    for (const std::string &why : end.failed.empty() ? end.onHost : std::vector<std::string>())
      progress.say(why);
    if (!end.failed.empty())
      throw UserError{f.title() + ": " + end.failed};
    int status = end.faults.empty() ? 0 : 1;
    bool isIdle = std::all_of(f.regions.begin(), f.regions.end(),
                              [](const TunedSearch &s) { return s.known.isIdle; });
    if (end.tally.tried == 0 && !end.isStopped && isIdle) {
      std::printf(
          "%s: nothing was measured: at %s there is nothing to do; give larger sizes (--size)\n",
          f.title().c_str(), inWords(f.sizes()).c_str());
      return 1;
    }
    if (end.tally.tried == 0 && !end.isStopped) {
      bool isMade = std::any_of(f.regions.begin(), f.regions.end(),
                                [](const TunedSearch &s) { return s.made.size() > 1; });
      std::printf("%s: the proposed plan stays: %s\n", f.title().c_str(),
                  isMade ? "there was no time to try another; --budget gives more"
                         : "no other plan is possible");
      return status;
    }
    for (size_t r = 0; r < f.regions.size(); r++) {
      const TunedSearch &s = f.regions[r];
      const Winner &w = end.winners[r];
      const MadeCandidate &made = s.made.at(w.number);
      TunedResult result{s.key,
                         plannedName(options.device),
                         backendOf(end.log.label),
                         end.log.device,
                         f.sizes(),
                         end.log.version,
                         made.plan,
                         made.words,
                         0,
                         0,
                         0,
                         dateNow()};
      if (!keepWinner(fmt::format("{} ({})", s.region->where, f.checked.signature.name), w, result,
                      measuredPlans(s), database) &&
          !end.isStopped)
        status = std::max(status, 1);
    }
    return status;
  }

  static std::set<std::string> measuredPlans(const TunedSearch &s) {
    std::set<std::string> plans;
    for (auto &[number, made] : s.made)
      if (number != 0 && s.known.measured.count(made.choice))
        plans.insert(made.plan);
    return plans;
  }

  static size_t predicted(const TunedFunction &f) {
    size_t all = 0;
    for (const TunedSearch &s : f.regions)
      all += s.known.predicted.size();
    return all;
  }

  int writeAll() {
    std::vector<BundleJob> jobs;
    std::vector<KernelSource> kernels;
    size_t candidates = 0, refused = 0;
    search.options.batch = search.options.most;
    for (TunedFunction &f : functions) {
      sayBegin(f);
      std::vector<std::vector<int>> numbers = allCandidates(f);
      if (stopRequested())
        return kInterrupted;
      jobs.push_back(tuneJob(f, numbers, flags.repeats, jobs.size() + 1, kernels));
      for (size_t r = 0; r < numbers.size(); r++) {
        candidates += numbers[r].size();
        refused += f.regions[r].refused;
      }
    }
    BundleCubins cubins = makeCubins(kernels, cubinArchitectures(flags.cubins, options.device));
    writeBundle(flags.bundle, jobs, cubins, runtimeSources());
    std::printf("nestwarp: wrote %s with %zu functions, %zu candidates (%zu others refused) and "
                "%zu cubins; on the other machine:\n",
                flags.bundle.c_str(), jobs.size(), candidates, refused, cubins.files.size());
    std::printf("  cmake -S %s/runtime -B run && cmake --build run && run/nestwarp-run tune %s\n",
                flags.bundle.c_str(), flags.bundle.c_str());
    std::printf("and here again, with its results:\n  nestwarp tune --import %s\n",
                flags.bundle.c_str());
    return 0;
  }

  // As many as were asked for, where there are as many that are not refused.
  std::vector<std::vector<int>> allCandidates(TunedFunction &f) {
    std::vector<std::vector<int>> all(f.regions.size());
    for (bool isMore = true; isMore && !stopRequested();) {
      isMore = false;
      std::vector<std::vector<int>> more = nextCandidates(f, search, 0, progress);
      for (size_t r = 0; r < more.size(); r++)
        for (int n : more[r]) {
          isMore = true;
          all[r].push_back(n);
          f.regions[r].known.measured[f.regions[r].made.at(n).choice] =
              std::numeric_limits<double>::infinity(); // they are not chosen again
        }
    }
    return all;
  }

  CompileOptions options;
  const TuneFlags &flags;
  TuneProgress progress;
  SearchSettings search;
  TuneTarget target;
  std::vector<std::unique_ptr<Compilation>> compilations;
  std::vector<TunedFunction> functions;
  SettingNames names;
};

} // namespace

int tuneCommand(const std::vector<std::string> &arguments) {
  CLI::App app{
      "Measures plans for the nests of a file, checks what each computes, and remembers the "
      "fastest for these sizes and this device. compile, cc, check, explain and bench then take it "
      "(--tuned=off: they do not).",
      "nestwarp tune"};
  app.footer("nestwarp tune mm.c --size n=4096 --budget 60s\n"
             "nestwarp tune mm.c --size n=4096 --device=h200 --bundle DIR; nestwarp-run tune DIR "
             "on the other machine; nestwarp tune --import DIR\n"
             "docs/tuning.md tells more.");
  CompileOptions options;
  CommonFlags flags;
  TuneFlags own;
  app.add_option("file", own.files, "C and CUDA sources");
  app.add_option("--size", own.sizes,
                 "value of an integer parameter, as in n=4096, or mm.n=4096 for one function; all "
                 "integers must be given, but those of a CUDA launch that has threads enough");
  app.add_option("--extent", own.extents, "elements of a pointer parameter, as in A=n*n");
  app.add_option("--check-size", own.checkSizes,
                 "the same at which candidates are checked against the original; default: smaller "
                 "ones, so that the original is quick");
  app.add_option("--function", options.function, "tune this function only");
  app.add_option("--budget", own.budget,
                 "time for the search in each function, as in 60s, 5m; default: 60s");
  app.add_option("--strategy", own.strategy,
                 "model: the candidates that the model of time likes best, unlike each other; "
                 "exhaustive: all, in the model's order; local: neighbours of the best so far, and "
                 "mutations; random: drawn from the space")
      ->check(CLI::IsMember({"model", "exhaustive", "local", "random"}));
  app.add_option("--candidates", own.candidates, "most candidates for each region; default: 24")
      ->check(CLI::Range(1, 20000));
  app.add_option("--repeats", own.repeats, "runs that are timed for each candidate; default: 7")
      ->check(CLI::Range(1, 200));
  app.add_option(
      "--seed", own.seed,
      "of mixtures and mutations; the same seed and the same times give the same search");
  app.add_option(
      "--db", own.database,
      "the database of results; default: NESTWARP_TUNE_DB, else ~/.cache/nestwarp/tune.db");
  app.add_option("--on", own.on, "the device of this machine to measure on, as in NESTWARP_DEVICE");
  app.add_option("--bundle", own.bundle,
                 "write a folder to be measured by nestwarp-run tune on another machine, instead "
                 "of measuring here");
  app.add_option("--cubin", own.cubins,
                 "with --bundle: architectures for which kernels travel as cubins, too, as in "
                 "sm_90,sm_80; none; default: that of --device, else sm_90");
  app.add_option("--import", own.import,
                 "a bundle's folder, or a file of its results: put the winners into the database");
  addCommonFlags(app, flags);
  if (int status = parse(app, arguments, &flags); status >= 0)
    return status;
  auto warn = [](const std::string &what) {
    std::fprintf(stderr, "nestwarp: warning: %s\n", what.c_str());
  };
  if (!own.import.empty()) {
    refuseBesideImport(app);
    TuneDatabase database(tuneDatabaseLocation(own.database), true, warn);
    refuseClosed(database);
    return importTuning(own.import, database);
  }
  if (own.files.empty())
    throw UserError{"name a C or CUDA source", kUsage};
  if (!own.bundle.empty() && own.strategy == "local")
    throw UserError{"--strategy=local needs each result before the next candidate, which a bundle "
                    "cannot provide; expected model, exhaustive or random",
                    kUsage};
  secondsIn(own.budget);
  settingsOf(own.sizes);
  apply(flags, options);
  options.always = true;
  passSignalsOn();
  return statusOf(runGuarded(
                      flags.limits,
                      [&](Watch &watch, std::string &) {
                        return TuneSession(options, own, flags.quiet).run(watch);
                      },
                      Progress::Hidden), // it has a bar of its own
                  own.files[0]);
}

} // namespace nw
