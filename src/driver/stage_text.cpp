// Text of stages.
#include "driver/stage_text.h"
#include "driver/program_passes.h"
#include "emit/kernel_text.h"
#include "kernel/expand.h"
#include "support/diagnostics.h"
#include "support/exit_status.h"
#include "support/text.h"
#include <algorithm>
#include <fmt/format.h>

namespace nw {

namespace {

const std::vector<std::string> kStages = {"program", "deps",    "schedule", "facts",
                                          "plan",    "kernels", "cuda",     "opencl"};

// "program@split" is the stage "program" and the pass "split".
struct StagePass {
  std::string stage, pass;
};

StagePass parted(const std::string &text) {
  size_t at = text.find('@');
  return at == std::string::npos ? StagePass{text, ""}
                                 : StagePass{text.substr(0, at), text.substr(at + 1)};
}

std::vector<std::string> passesOf(const std::string &stage) {
  if (stage == "program")
    return programPassNames();
  std::vector<std::string> names;
  if (stage == "kernels")
    for (const KernelPass &pass : kernelPasses())
      names.push_back(pass.name);
  return names;
}

// The program as the pass left it.
std::string programText(const CompiledRegion &r, const std::string &pass) {
  if (pass.empty())
    return print(r.program);
  for (const auto &[name, program] : r.history)
    if (name == pass)
      return print(program);
  return "";
}

std::string factsText(const Compilation &c) {
  std::vector<NamedFacts> all;
  for (const CompiledRegion &r : c.regions)
    all.push_back({r.plan.function, r.plan.region, &r.facts});
  return toJson(all);
}

// As they are for CUDA, which has all passes.
std::string kernelsText(const CompiledRegion &r, const std::string &pass) {
  Kernels kernels = r.kernels;
  if (!pass.empty())
    for (Kernel &k : kernels.kernels)
      k.body = expanded(k, expandTarget(Language::Cuda), pass);
  return print(kernels);
}

} // namespace

std::string planText(const Compilation &c) {
  std::vector<Plan> plans;
  for (const CompiledRegion &r : c.regions)
    plans.push_back(r.plan);
  return toJson(plans);
}

void refuseUnknownStage(const std::string &text) {
  StagePass wanted = parted(text);
  if (std::find(kStages.begin(), kStages.end(), wanted.stage) == kStages.end())
    throw UserError{
        fmt::format("--emit={}: there is no such stage; there are {}", text, joined(kStages, ", ")),
        kUsage};
  if (text.find('@') == std::string::npos)
    return;
  std::vector<std::string> passes = passesOf(wanted.stage);
  if (std::find(passes.begin(), passes.end(), wanted.pass) == passes.end())
    throw UserError{passes.empty()
                        ? fmt::format("--emit={}: '{}' has no passes; program and kernels have",
                                      text, wanted.stage)
                        : fmt::format("--emit={}: there is no such pass; there are {}", text,
                                      joined(passes, ", ")),
                    kUsage};
}

bool needsHistory(const std::string &stage) { return stage.starts_with("program@"); }

bool isOfSchedule(const std::string &text) {
  std::string stage = parted(text).stage;
  return stage == "program" || stage == "deps" || stage == "schedule";
}

std::string stageText(const Compilation &c, const std::string &text) {
  StagePass wanted = parted(text);
  if (wanted.stage == "plan")
    return planText(c);
  if (wanted.stage == "facts")
    return factsText(c);
  if (wanted.stage == "cuda" || wanted.stage == "opencl")
    return kernelText(c.emitted(), wanted.stage == "cuda" ? Language::Cuda : Language::OpenCl,
                      c.emitOptions);
  std::string out;
  for (const CompiledRegion &r : c.regions)
    out += wanted.stage == "program"    ? programText(r, wanted.pass)
           : wanted.stage == "deps"     ? "dependences of " + r.where + "\n" + print(r.dependences)
           : wanted.stage == "schedule" ? r.where + " " + print(r.schedule)
                                        : kernelsText(r, wanted.pass);
  return out;
}

} // namespace nw
