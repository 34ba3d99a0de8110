// Plans from the database.
#include "tuner/tuned_plans.h"
#include "check/check_function.h"
#include "tune/choice.h"
#include "tune/program_key.h"
#include <cstdio>
#include <fmt/format.h>

namespace nw {

void addTunedFlags(CLI::App &app, TunedFlags &flags) {
  app.add_option("--tuned", flags.use,
                 "auto: take plans that nestwarp tune has found; off: what the planner proposes")
      ->check(CLI::IsMember({"auto", "off"}));
  app.add_option(
      "--db", flags.database,
      "the database of tuning results; default: NESTWARP_TUNE_DB, else ~/.cache/nestwarp/tune.db");
}

std::string plannedName(const std::optional<DeviceSpec> &device) {
  return device ? device->name : "portable";
}

namespace {

// Integers of the settings; others say nothing about speed.
Sizes integersOf(const std::map<std::string, std::string> &settings) {
  Sizes sizes;
  for (auto &[name, value] : settings)
    if (std::optional<int64_t> number = wholeNumber(value))
      sizes[name] = *number;
  return sizes;
}

// The plan of a result; none where the proposed one is best, or where it is not valid.
std::optional<TunedPlan> planOf(const TunedResult &r) {
  if (r.plan.empty())
    return std::nullopt;
  std::vector<Plan> plans;
  try {
    plans = fromJson(r.plan);
  } catch (const UserError &) { // of another nestwarp
  }
  if (plans.size() != 1)
    return std::nullopt;
  std::string where = r.sizes.empty() ? "" : " at " + inWords(r.sizes);
  return TunedPlan{plans[0],
                   fmt::format("tuned on {}{}, {:.2f} x the proposed one", r.device, where,
                               r.milliseconds > 0 ? r.untuned / r.milliseconds : 0)};
}

} // namespace

void useTunedPlans(CompileOptions &options, const TunedFlags &flags,
                   const std::map<std::string, std::string> &sizes, const std::string &backend) {
  if (flags.use == "off" || !options.planFile.empty())
    return;
  DatabaseLocation location = tuneDatabaseLocation(flags.database);
  auto database =
      std::make_shared<std::unique_ptr<TuneDatabase>>(); // opened when a region asks for it, in the
                                                         // process that compiles
  auto key = [floatingPoint = options.floatingPoint, contract = options.contract,
              planning = options.planning](const Program &p) {
    return programKey(p, floatingPoint, contract, planning);
  };
  options.tuned = [=, planned = plannedName(options.device)](
                      const Program &program) -> std::optional<TunedPlan> {
    if (!*database)
      *database = std::make_unique<TuneDatabase>(location, false, [](const std::string &what) {
        std::fprintf(stderr, "nestwarp: warning: %s\n", what.c_str());
      });
    if (!(*database)->isOpen())
      return std::nullopt;
    CheckSettings all;
    all.sizes = sizes;
    std::optional<TunedResult> found =
        resultFor((*database)->find(key(program), planned), backend,
                  integersOf(settingsFor(all, program.region.function).sizes));
    return found ? planOf(*found) : std::nullopt;
  };
}

} // namespace nw
