// Functions that are tuned.
#include "tuner/tune_function.h"
#include "check/bundle_input.h"
#include "support/exit_status.h"
#include "support/text.h"
#include "tune/program_key.h"
#include "tuner/tune_driver.h"
#include "tuner/tuned_plans.h"
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>

namespace nw {

namespace fs = std::filesystem;

namespace {

// Results are remembered by sizes, which are numbers then and no expressions of C.
void refuseOtherValues(const char *option, const Variable &parameter, const std::string &text) {
  std::optional<int64_t> value = wholeNumber(text);
  bool isSigned = !isUnsigned(parameter.type.scalar);
  int bits = bitsOf(parameter.type.scalar) - isSigned; // the sign's are all the same above them
  bool fits = value && (isSigned || *value >= 0) &&
              (bits >= 63 || *value >> bits == 0 || *value >> bits == -1);
  if (!fits)
    throw UserError{
        fmt::format("{} {}={}: expected a whole number that the parameter can hold, as in {}=4096",
                    option, parameter.name, text, parameter.name),
        kUsage};
}

// Operations that the original may take, roughly; and what a name that says nothing is worth.
constexpr double kQuick = 2e7;

size_t depthOf(const Compilation &c, const std::string &function) {
  size_t depth = 1;
  for (const CompiledRegion &r : c.regions)
    if (r.program.region.function == function)
      for (const Statement &s : r.program.statements)
        depth = std::max(depth, s.loops.size());
  return depth;
}

// Whether the parameter is the number of a CUDA launch's threads, of which the kernel only needs
// enough.
bool isThreadsEnough(const Compilation &c, const std::string &function,
                     const std::string &parameter) {
  auto uses = [&](const auto &set, auto find, auto involves) {
    int at = find(set.get(), isl_dim_param, parameter.c_str());
    return at >= 0 && involves(set.get(), isl_dim_param, unsigned(at), 1u) != isl_bool_false;
  };
  bool isThreads = std::any_of(c.kernels.begin(), c.kernels.end(), [&](const CudaKernel &k) {
    return k.function == function &&
           std::any_of(k.axes.begin(), k.axes.end(),
                       [&](const GridAxis &a) { return a.threads == parameter; });
  });
  for (const CompiledRegion &r : c.regions)
    if (r.program.region.function == function)
      for (const Statement &s : r.program.statements) {
        isThreads &= !uses(s.domain, isl_set_find_dim_by_name, isl_set_involves_dims);
        for (const Access &a : s.accesses)
          isThreads &= !uses(a.relation, isl_map_find_dim_by_name, isl_map_involves_dims);
      }
  return isThreads;
}

// Threads for the largest of the sizes, in whole blocks.
std::string enoughThreads(const std::map<std::string, std::string> &sizes) {
  constexpr int64_t kBlock = 1024;
  int64_t most = 1;
  for (auto &[name, value] : sizes)
    most = std::max(most, wholeNumber(value).value_or(0));
  return std::to_string((most + kBlock - 1) / kBlock * kBlock);
}

} // namespace

int TunedSearch::add(MadeCandidate candidate) {
  int number = made.empty() ? 0 : made.rbegin()->first + 1;
  made.emplace(number, std::move(candidate));
  return number;
}

Sizes TunedFunction::sizes() const {
  Sizes all;
  for (auto &[name, value] : settings.sizes)
    if (auto number = wholeNumber(value))
      all[name] = *number;
  return all;
}

std::string TunedFunction::title() const {
  return fs::path(options.file).filename().string() + ": " + checked.signature.name;
}

std::map<std::string, std::string> smallSizes(const std::map<std::string, std::string> &sizes,
                                              size_t loopDepth) {
  constexpr int64_t kAwkward = 32, kMost = 100000;
  double each = std::min(double(kMost),
                         std::pow(kQuick, 1.0 / double(std::max<size_t>(loopDepth, 1)))),
         largest = 0;
  for (auto &[name, value] : sizes)
    largest = std::max(largest, double(wholeNumber(value).value_or(0)));
  double factor = std::max(1.0, largest / each);
  std::map<std::string, std::string> small = sizes;
  for (auto &[name, value] : small)
    if (std::optional<int64_t> n = wholeNumber(value); n && *n > 2 * kAwkward && factor > 1) {
      int64_t whole =
          std::max<int64_t>(int64_t(double(*n) / factor) / kAwkward * kAwkward, kAwkward);
      value = std::to_string(std::min(*n, whole + *n % kAwkward));
    }
  return small;
}

TunedFunction describeTuning(const CompileOptions &options, const Compilation &c,
                             const Signature &signature, const CheckSettings &settings,
                             const std::map<std::string, std::string> &checkSizes,
                             const TuneTarget &target) {
  TunedFunction f{options, &c, describeFunction(c, signature, settings.extents), settings, {},
                  target,  {}};
  std::set<std::string> threads;
  for (const Variable &v : signature.parameters)
    if (!v.isPointer && v.type.isInteger()) {
      if (!settings.sizes.count(v.name) && isThreadsEnough(c, signature.name, v.name)) {
        threads.insert(v.name);
        f.settings.sizes[v.name] = enoughThreads(settings.sizes);
      }
      if (!f.settings.sizes.count(v.name))
        throw UserError{fmt::format("give the problem size to tune {} for: --size {}=NUMBER",
                                    signature.name, v.name),
                        kUsage};
      refuseOtherValues("--size", v, f.settings.sizes.at(v.name));
      if (auto small = checkSizes.find(v.name); small != checkSizes.end())
        refuseOtherValues("--check-size", v, small->second);
    }
  f.small = smallSizes(f.settings.sizes, depthOf(c, signature.name));
  for (const std::string &name : threads) // enough for the large ones
    f.small[name] = f.settings.sizes.at(name);
  for (auto &[name, value] : checkSizes)
    f.small[name] = value;
  for (auto &[name, value] : f.sizes())
    f.target.sizes[name] = value;
  for (const CompiledRegion &r : c.regions)
    if (r.program.region.function == signature.name) {
      f.regions.push_back(
          {&r,
           programKey(r.program, options.floatingPoint, options.contract, options.planning),
           spaceFor({r.plan, r.facts}, target.planned),
           {},
           {},
           0});
      f.regions.back().add(madeAsProposed(r, f.regions.back().space, target, c.emitOptions));
    }
  return f;
}

BundleJob tuneJob(const TunedFunction &f, const std::vector<std::vector<int>> &candidates,
                  int repeats, size_t number, std::vector<KernelSource> &kernels) {
  const Compilation &c = *f.compilation;
  fs::path file = f.options.file;
  const std::string &function = f.checked.signature.name;
  BundleJob job;
  job.name = fmt::format("{:03}-{}-{}", number, plainName(file.stem()).substr(0, 50),
                         plainName(function).substr(0, 50));
  job.isTuning = true;
  job.repeats = repeats;
  addInput(job, c, f.options);
  job.files["input/nw_rewritten.c"] =
      hostFile(c.text(), inputName(c, f.options), false, c.emitted());
  job.about = {{"file", file.filename()},
               {"input", inputName(c, f.options)},
               {"function", function},
               {"sizes", sizesKey(f.sizes())},
               {"planned", plannedName(f.options.device)}};
  std::vector<TunedRegion> regions;
  std::vector<FormsOfCandidate> forms;
  for (size_t r = 0; r < f.regions.size(); r++) {
    const TunedSearch &s = f.regions[r];
    regions.push_back({s.region->entry, s.region->where});
    job.about[fmt::format("key-{}", r)] = s.key;
    job.about[fmt::format("where-{}", r)] = s.region->where;
    std::vector<int> numbers = {0};
    numbers.insert(numbers.end(), candidates[r].begin(), candidates[r].end());
    for (int n : numbers) {
      const MadeCandidate &m = s.made.at(n);
      std::string name = fmt::format("{}-{}", r, n);
      job.candidates.push_back({int(r), n});
      job.about["words-" + name] = m.words.substr(0, 500);
      job.files[fmt::format("candidate-{}.nw.c", name)] = m.text;
      job.files[fmt::format("plan-{}.json", name)] = m.plan;
      for (size_t k = 0; k < m.forms.size(); k++)
        job.files[fmt::format("form-{}-{}.nw.c", name, k + 1)] = m.forms[k];
      forms.push_back({int(r), n, int(m.forms.size())});
      kernels.push_back({m.cuda, c.emitOptions});
    }
  }
  // Regions of other functions, as they are planned.
  std::vector<EmittedRegion> rest;
  for (const CompiledRegion &r : c.regions)
    if (r.program.region.function != function)
      rest.push_back({&r.program, &r.kernels, r.entry, r.where, r.alias});
  job.files["rest.nw.c"] =
      rest.empty() ? "typedef int nw_no_other_regions;\n" : runtimeFile(rest, c.emitOptions);
  DriverOptions options = driverOptions(c, f.checked, f.settings.floatingPoint);
  std::string source = "input/" + inputName(c, f.options);
  job.files["original.c"] = wrapperText(f.checked, source, Version::Original, options.isDouble);
  job.files["wider.c"] = wrapperText(f.checked, source, Version::Wider, options.isDouble);
  job.files["generated.c"] =
      tunedWrapperText(f.checked, "input/nw_rewritten.c", regions, options.isDouble);
  job.files["driver.c"] =
      tuneDriverText(f.checked, f.settings.sizes, f.small, regions, forms, options);
  return job;
}

} // namespace nw
