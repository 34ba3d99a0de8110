// The engines that run whole programs: PoCL by nestwarp cc, and the CUDA text on the emulation.
// Neither shares a process with Clang.
#include "engine.h"
#include "support/process.h"
#include "support/text.h"
#include "vary.h"
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace nw::fuzz {

namespace fs = std::filesystem;

namespace {

constexpr long long kMostInstances = 1500;

// Standard output of a command, with what it said on the other channel in a file.
struct Shell {
  std::string folder;
  int status = 0;
  std::string said;

  std::string run(const std::string &command, int seconds = 240) {
    std::string output;
    status = runCaptured(
        {"sh", "-c",
         fmt::format("cd {0} && timeout {1} {2} 2> {0}/said", folder, seconds, command)},
        output);
    said = readFile(folder + "/said");
    said = said.substr(said.size() > 1500 ? said.size() - 1500 : 0);
    return output;
  }
};

// What runs a trial in a forked child, at whose end the program goes on. A child that hangs is a
// failure, as one that ends with an error.
const char *const kChildren = R"(#include <sys/wait.h>
#include <unistd.h>
static int in_child(void) { // whether the trial is this process's
  int status = 0;
  fflush(stdout);
  pid_t child = fork();
  if (child < 0 || (child > 0 && (waitpid(child, &status, 0) != child || status != 0)))
    exit(97);
  if (child == 0)
    alarm(200); // it does not outlive the run
  return child == 0;
}
)";

// What --emit=facts says, as far as plans are varied by it.
std::vector<RegionFacts> factsIn(const std::string &text) {
  std::vector<RegionFacts> all;
  for (const nlohmann::json &region : nlohmann::json::parse(text)) {
    all.emplace_back();
    for (const nlohmann::json &step : region["steps"]) {
      StepFacts &f = all.back().emplace_back();
      for (StepKind kind : {StepKind::Parallel, StepKind::Reduction, StepKind::Serial})
        if (step["kind"] == nameOf(kind))
          f.kind = kind;
      if (step.contains("blockReduction")) {
        f.reduction.emplace().loop.name = step["blockReduction"]["loop"];
        f.reduction->inPhases = step["blockReduction"]["inPhases"];
        f.whyNotLineAligned = step["blockReduction"]["lineAligned"] ? "" : "it cannot";
      }
      if (step.contains("fuse"))
        f.fusion.emplace();
      for (const nlohmann::json &array : step.value("arrays", nlohmann::json::array()))
        f.arrays.push_back(
            {array["name"], array["isWritten"], array["isWrittenInRegion"],
             array.contains("bytes") ? std::optional<int64_t>(array["bytes"]) : std::nullopt});
    }
  }
  return all;
}

// functions.c has the functions, and main.c calls them: loops of main are never translated.
void writeSources(const std::vector<Program> &programs, const std::string &folder, bool forks) {
  std::string functions = preludeText(), others = mainPrelude() + (forks ? kChildren : ""), trials;
  for (const Program &p : programs) {
    Random random(Random::mixed(p.seed ^ 0x73697a65)), children(Random::mixed(p.seed ^ 0x666f726b));
    Analysis a = analyse(p);
    functions += structText(p, a) + functionText(p, a) + callerText(p, a);
    others += structText(p, a) + fmt::format("void call_{}(const int *, void **);\n", p.name);
    for (const Sizes &sizes : randomSizes(p, random, 3, kMostInstances))
      if (std::string trial = trialText(p, a, sizes, 7); forks && children.chance(10))
        trials += "  if (in_child()) {\n" + trial + "    exit(0);\n  }\n";
      else
        trials += trial;
  }
  writeFile(folder + "/functions.c", functions);
  writeFile(folder + "/main.c", others + "int main(void) {\n" + trials + "  return 0;\n}\n");
}

// The lines of each program, by its name.
std::map<std::string, std::string> byProgram(const std::string &output) {
  std::map<std::string, std::string> all;
  for (size_t at = 0; at < output.size();) {
    size_t end = std::min(output.find('\n', at), output.size());
    std::string line = output.substr(at, end - at);
    all[line.substr(0, line.find(' '))] += line + "\n";
    at = end + 1;
  }
  return all;
}

// A way to make and run the program; the kind of a failure carries its name.
struct Target {
  std::string name;
  std::function<bool(Shell &, const std::vector<Program> &)> build; // ./own
  std::vector<std::string> runs;                                    // commands
  bool forks = false; // some trials are those of a child
};

std::vector<Verdict> compareOutputs(const std::vector<Program> &programs, const std::string &wanted,
                                    const std::string &got, const Shell &shell,
                                    const std::string &name) {
  std::vector<Verdict> verdicts(programs.size());
  auto want = byProgram(wanted), have = byProgram(got);
  for (size_t k = 0; k < programs.size(); k++) {
    const std::string &w = want[programs[k].name], &h = have[programs[k].name];
    if (w == h)
      continue;
    if (shell.status != 0 && w.starts_with(h)) { // it ended here; what follows was not tried
      verdicts[k] = {name + " ended", fmt::format("status {}: {}", shell.status, shell.said), ""};
      return verdicts;
    }
    verdicts[k] = {name + " difference", fmt::format("by gcc:\n{}by nestwarp:\n{}", w, h), ""};
  }
  return verdicts;
}

std::vector<Verdict> tryBy(const Target &target, const std::vector<Program> &programs,
                           const std::string &folder, Counts &counts) {
  Shell shell{folder, 0, ""};
  writeSources(programs, folder, target.forks);
  shell.run(fmt::format("gcc -O0 -w -ffp-contract=off {} functions.c main.c -o reference -lm",
                        joined(programs[0].flags(), " ")));
  std::string wanted = shell.run("./reference");
  if (shell.status != 0)
    return std::vector<Verdict>(programs.size(), {"reference", shell.said, ""});
  if (!target.build(shell, programs)) {
    if (programs.size() == 1)
      return {{target.name + " build", shell.said, ""}};
    std::vector<Verdict> verdicts; // which one?
    for (const Program &p : programs)
      verdicts.push_back(tryBy(target, {p}, folder, counts)[0]);
    return verdicts;
  }
  counts["programs"] += (long long)programs.size();
  std::vector<Verdict> verdicts(programs.size());
  for (const std::string &command : target.runs) {
    std::string got = shell.run(command);
    std::vector<Verdict> now = compareOutputs(programs, wanted, got, shell, target.name);
    for (size_t k = 0; k < programs.size(); k++)
      if (verdicts[k].kind.empty())
        verdicts[k] = now[k];
    size_t at = shell.said.rfind("\"regions_offloaded\": "); // of the parent
    if (at != std::string::npos)
      counts["regions offloaded at run time"] += std::atoll(shell.said.c_str() + at + 21);
    if (size_t host = shell.said.rfind("\"regions_on_host\": "); host != std::string::npos)
      counts["regions on the host at run time"] += std::atoll(shell.said.c_str() + host + 19);
  }
  return verdicts;
}

// The compiler beside the fuzzer, or another one, to see whether it fails.
std::string nestwarp() {
  const char *other = getenv("NESTWARP_FUZZ_COMPILER");
  return other ? other : executableDirectory() + "/nestwarp";
}

} // namespace

std::vector<Verdict> tryByPocl(const std::vector<Program> &programs, const std::string &folder,
                               Counts &counts) {
  Target target;
  target.name = "pocl";
  target.forks = true;
  target.build = [](Shell &shell, const std::vector<Program> &list) {
    std::string flags = joined(list[0].flags(), " ");
    shell.run(fmt::format("gcc -w -c {} main.c", flags));
    shell.run(fmt::format("{} cc -O1 -w --quiet --time-limit=0 --offload=always {} functions.c "
                          "main.o -o own -lm",
                          nestwarp(), flags));
    return shell.status == 0;
  };
  target.runs = {"env NESTWARP_DEVICE=pocl NESTWARP_STATS=1 ./own"};
  return tryBy(target, programs, folder, counts);
}

std::vector<Verdict> tryByEmulation(const std::vector<Program> &programs, const std::string &folder,
                                    Counts &counts) {
  Target target;
  target.name = "emulation";
  fs::path tests = fs::path(runtimeSources()).lexically_normal().parent_path() / "tests";
  if (!fs::exists(tests))
    tests = fs::path(runtimeSources()) / ".." / "tests";
  bool countsAccesses = programs[0].seed % 3 == 0; // these runs see races, the others addresses
  target.build = [&](Shell &shell, const std::vector<Program> &list) {
    // Without a limit of time, which two translations of the same source may meet at different
    // positions.
    std::string compile = fmt::format("{} compile -q --time-limit 0 {} functions.c", nestwarp(),
                                      joined(list[0].flags(), " "));
    std::string text = shell.run(compile + " --emit=plan");
    if (shell.status != 0)
      return false;
    std::vector<Plan> plans = fromJson(text);
    std::vector<RegionFacts> facts = factsIn(shell.run(compile + " --emit=facts"));
    Random random(Random::mixed(list[0].seed));
    for (size_t k = 0; k < plans.size() && k < facts.size(); k++)
      if (random.chance(70))
        varyPlan(plans[k], facts[k], commonDevice(), random);
    writeFile(shell.folder + "/plan.json", toJson(plans));
    shell.run(compile + " --plan plan.json -o functions.cu");
    if (shell.said.find("no nest can be offloaded") !=
        std::string::npos) { // nothing to hold against the original
      shell.run("cp reference own");
      return shell.status == 0;
    }
    if (shell.status != 0)
      return false;
    shell.run(fmt::format("python3 {} functions.cu functions.host.c main.c -o own {} "
                          "--host-flag={}",
                          (tests / "emulation" / "run_on_cpu.py").string(),
                          countsAccesses ? "--count" : "",
                          joined(list[0].flags(), " --host-flag=")));
    return shell.status == 0;
  };
  std::string base = "env ASAN_OPTIONS=detect_leaks=0 NESTWARP_EMULATION_SEED={} "
                     "NESTWARP_EMULATION_PROCESSORS={} ./own";
  target.runs = {fmt::format(fmt::runtime(base), 1, 2),
                 fmt::format(fmt::runtime(base), 5 + programs[0].seed % 100, 0)};
  return tryBy(target, programs, folder, counts);
}

} // namespace nw::fuzz
