// Candidates, made and predicted.
#include "tuner/tune_candidates.h"
#include "driver/compiler_report.h"
#include "estimate/region_estimate.h"
#include "lower/lower.h"
#include "support/diagnostics.h"
#include "tune/forms.h"
#include "verify/verify.h"
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <set>

namespace nw {

namespace {

using Json = nlohmann::json;

// What a plan becomes, or in `refused` why nothing.
std::optional<CompiledRegion> lowered(const CompiledRegion &region, const Plan &plan,
                                      const TuneTarget &target, std::string &refused) {
  CompiledRegion r = region;
  isl_ctx_reset_operations(r.program.isl->get().get());
  try {
    r.plan = adopt(region.plan, region.facts, plan, target.planned);
    r.kernels = lower(r.program, r.dependences, r.schedule, r.plan, target.planned);
    return r;
  } catch (const UserError &e) {
    refused = e.message;
  } catch (const Diagnostic &d) {
    refused = d.message;
  } catch (const InternalError &e) {
    refused = e.message;
  } catch (const isl::exception &e) {
    refused = fmt::format("isl gave up: {}", e.what());
  }
  return std::nullopt;
}

double secondsOf(const CompiledRegion &r, const TuneTarget &target, LaunchMemory &memory) {
  std::vector<std::string> assumed;
  RegionOptions options;
  options.memory = &memory;
  ResourcesOf resources = [&](const Kernel &k) {
    return modelledResources(r.program, k, target.predicted);
  };
  return estimateRegion(r.program, r.kernels,
                        completeSizes(r.program, r.kernels, target.sizes, assumed),
                        target.predicted, resources, options)
      .seconds;
}

EmittedRegion emittedOf(const CompiledRegion &r) {
  return {&r.program, &r.kernels, r.entry, r.where, r.alias};
}

// What the compiler says against running a kernel; empty: nothing. A thread that spills more than
// this waits for memory more than any plan gains.
std::string overLimits(const CompiledRegion &r, const TuneTarget &target,
                       const EmitOptions &options) {
  constexpr int kMostSpilled = 64;
  CompilerReport report = compilerReport({emittedOf(r)}, options, target.predicted.architecture);
  for (const Kernel &k : r.kernels.kernels)
    if (auto found = report.kernels.find(k.name); found != report.kernels.end()) {
      const KernelResources &own = found->second;
      int threads = k.block[0] * k.block[1] * k.block[2];
      if (int64_t(own.registers) * threads > target.predicted.registers)
        return fmt::format("{} needs {} registers in each of {} threads", k.name, own.registers,
                           threads);
      if (own.sharedBytes > target.predicted.sharedOptInBytes)
        return fmt::format("{} needs {} bytes of shared memory", k.name, own.sharedBytes);
      if (own.spilledBytes > kMostSpilled)
        return fmt::format("{} spills {} bytes of registers", k.name, own.spilledBytes);
    }
  return "";
}

// The function in each of its forms, for the check at small sizes. Its kernels are those of the
// candidate, which have been verified; texts that are not are left out.
std::vector<std::string> formsOf(const CompiledRegion &region, const CompiledRegion &candidate,
                                 const TuneTarget &target, const EmitOptions &options) {
  std::vector<std::string> texts;
  std::set<std::string> known = {runtimeFile({emittedOf(candidate)}, options)};
  std::string kernels = kernelText({emittedOf(candidate)}, Language::Cuda, options), refused;
  for (const Plan &plan : plansByForm(candidate.plan))
    if (std::optional<CompiledRegion> r = lowered(region, plan, target, refused);
        r && kernelText({emittedOf(*r)}, Language::Cuda, options) == kernels)
      if (std::string text = runtimeFile({emittedOf(*r)}, options); known.insert(text).second)
        texts.push_back(text);
  return texts;
}

Json answerOf(const CompiledRegion &region, const Plan &plan, const TuneTarget &target,
              const EmitOptions &options) {
  std::string refused;
  std::optional<CompiledRegion> r = lowered(region, plan, target, refused);
  if (!r)
    return {{"refused", refused}};
  if (regionPrototype(emittedOf(*r)) != regionPrototype(emittedOf(region)))
    return {{"refused", "its function has other parameters"}};
  try {
    if (std::vector<Finding> all = verifyKernels(r->program, r->kernels, target.planned);
        !all.empty())
      return {{"refused",
               fmt::format("the verifier rejects it (check '{}': {})", all[0].check, all[0].what)}};
  } catch (const isl::exception &e) {
    return {{"refused", fmt::format("isl gave up: {}", e.what())}};
  }
  if (std::string wrong = target.asksCompiler ? overLimits(*r, target, options) : "";
      !wrong.empty())
    return {{"refused", wrong}};
  return {{"plan", toJson({r->plan})},
          {"text", runtimeFile({emittedOf(*r)}, options)},
          {"cuda", kernelText({emittedOf(*r)}, Language::Cuda, options)},
          {"forms", formsOf(region, *r, target, options)}};
}

} // namespace

size_t predict(const CompiledRegion &region, const Space &space,
               const std::vector<Candidate> &candidates, const TuneTarget &target, Knowledge &known,
               const Deadline &deadline, const std::function<bool()> &isStopped) {
  LaunchMemory memory; // of each process
  auto answers = inProcesses(
      candidates.size(),
      [&](size_t k) -> std::string {
        std::string refused;
        std::optional<CompiledRegion> r =
            lowered(region, planOf(space, candidates[k]), target, refused);
        if (!r)
          return "refused";
        try {
          return fmt::format("{}", secondsOf(*r, target, memory));
        } catch (const isl::exception &) { // no prediction is no fault of the plan's
          return "";
        }
      },
      deadline, isStopped);
  size_t refused = 0;
  for (size_t k = 0; k < candidates.size(); k++)
    if (answers[k] && *answers[k] == "refused") {
      known.refused.insert(candidates[k]);
      refused++;
    } else if (answers[k] && !answers[k]->empty()) {
      double seconds = std::atof(answers[k]->c_str());
      if (seconds > 0)
        known.predicted[candidates[k]] = seconds;
      known.isIdle |= seconds == 0;
    }
  return refused;
}

std::vector<MadeCandidate> make(const CompiledRegion &region, const Space &space,
                                const std::vector<Candidate> &candidates, const TuneTarget &target,
                                const EmitOptions &options, const Deadline &deadline,
                                const std::function<bool()> &isStopped) {
  auto answers = inProcesses(
      candidates.size(),
      [&](size_t k) {
        return answerOf(region, planOf(space, candidates[k]), target, options)
            .dump(-1, ' ', false, Json::error_handler_t::replace);
      },
      deadline, isStopped);
  std::vector<MadeCandidate> made;
  std::set<std::string> texts = {runtimeFile({emittedOf(region)}, options)};
  for (size_t k = 0; k < candidates.size(); k++) {
    MadeCandidate m{candidates[k], "", "", inWords(space, candidates[k]), "", "", {}};
    Json answer = answers[k] ? Json::parse(*answers[k], nullptr, false) : Json();
    if (!answer.is_object())
      m.refused = "time ran out before it was made, or nestwarp crashed on it";
    else if (answer.contains("refused"))
      m.refused = answer["refused"];
    else {
      m.plan = answer["plan"];
      m.text = answer["text"];
      m.cuda = answer["cuda"];
      m.forms = answer["forms"];
      if (!texts.insert(m.text).second)
        m.refused = "its code is the same as another candidate's";
    }
    made.push_back(std::move(m));
  }
  return made;
}

MadeCandidate madeAsProposed(const CompiledRegion &region, const Space &space,
                             const TuneTarget &target, const EmitOptions &options) {
  return {proposedCandidate(space),
          "",
          toJson({region.plan}),
          "as proposed",
          runtimeFile({emittedOf(region)}, options),
          kernelText({emittedOf(region)}, Language::Cuda, options),
          formsOf(region, region, target, options)};
}

} // namespace nw
