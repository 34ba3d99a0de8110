// nestwarp_fuzz: makes programs, tries them by an engine, shrinks what fails, and counts.
#include "engine.h"
#include "generate.h"
#include "shrink.h"
#include "support/process.h"
#include "support/text.h"
#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <unistd.h>

namespace nw::fuzz {

namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

struct Settings {
  uint64_t seed = 1;
  long long count = 100;
  int seconds = 0; // 0: no limit
  std::string engine = "interpreter";
  int chunk = 0;  // programs of one process; 0: what suits the engine
  int limit = 60; // seconds of processor time without news from a process: what the tool itself
                  // allows a translation
  int shrinkSeconds = 60;
  int mostFailures = 10;
  std::string folder = "."; // for fuzz-failure files
  bool noNative = false, print = false;
  int refusals = -1; // how many programs the verifier or isl refuses; -1: each is a failure
};

// Numbers of programs that can share a file, in their order: neighbours with the same flags.
std::vector<std::vector<size_t>> byFlags(const std::vector<Program> &programs) {
  std::vector<std::vector<size_t>> groups;
  for (size_t k = 0; k < programs.size(); k++) {
    if (k == 0 || programs[k].flags() != programs[k - 1].flags())
      groups.push_back({});
    groups.back().push_back(k);
  }
  return groups;
}

class Fuzzer {
public:
  explicit Fuzzer(const Settings &s) : settings(s) {
    if (!settings.chunk)
      settings.chunk = settings.engine == "interpreter" ? 25 : 12;
    if (settings.engine != "interpreter")
      settings.limit = std::max(settings.limit, 300);
  }

  int run() {
    begin = Clock::now();
    double lastNews = 0;
    for (long long next = 0; next < settings.count && !isOver(); next += settings.chunk) {
      int size = int(std::min<long long>(settings.chunk, settings.count - next));
      tryChunk(settings.seed + uint64_t(next), size);
      if (secondsSince(begin) - lastNews > 15) {
        lastNews = secondsSince(begin);
        say();
      }
    }
    summary();
    return failures || (settings.refusals >= 0 && refusals != settings.refusals) ? 1 : 0;
  }

private:
  bool isOver() const {
    return (settings.seconds && secondsSince(begin) >= settings.seconds) ||
           failures >= settings.mostFailures;
  }

  void say() {
    std::printf("%s: %lld programs in %.0f s, %lld failures\n", settings.engine.c_str(), tried,
                secondsSince(begin), failures);
    std::fflush(stdout);
  }

  // Verdicts of programs, from a process of their own.
  Isolated examine(const std::vector<Program> &programs, bool withNative) const {
    return examine(programs, withNative, settings.engine);
  }
  Isolated examine(const std::vector<Program> &programs, bool withNative,
                   const std::string &engine) const {
    return isolated(settings.limit, [&](const Begin &start, const Report &report, Counts &found) {
      ScratchDirectory scratch;
      if (chdir(scratch.path.c_str()) != 0)
        return;
      for (const std::vector<size_t> &numbers : byFlags(programs)) {
        std::vector<Program> group;
        for (size_t k : numbers)
          group.push_back(programs[k]);
        if (engine != "interpreter") {
          start(-1);
          std::vector<Verdict> all = engine == "pocl" ? tryByPocl(group, scratch.path, found)
                                                      : tryByEmulation(group, scratch.path, found);
          for (size_t k = 0; k < all.size(); k++)
            report(int(numbers[k]), all[k]);
          continue;
        }
        std::unique_ptr<NativeLibrary> native;
        if (withNative)
          native = std::make_unique<NativeLibrary>(group, scratch.path);
        for (size_t k = 0; k < group.size(); k++) {
          start(int(numbers[k]));
          report(int(numbers[k]), tryByInterpreter(group[k], scratch.path, native.get(), found));
        }
      }
    });
  }

  void tryChunk(uint64_t first, int size) {
    std::vector<Program> programs;
    for (int k = 0; k < size; k++)
      programs.push_back(generate(first + uint64_t(k), fmt::format("kernel{}", k)));
    for (size_t from = 0; from < programs.size() && !isOver();) {
      std::vector<Program> rest(programs.begin() + long(from), programs.end());
      Isolated result = examine(rest, !settings.noNative);
      for (auto &[name, count] : result.counts)
        counts[name] += count;
      size_t reached = rest.size();
      for (auto &[k, verdict] : result.verdicts) {
        if (verdict.kind == "crash" || verdict.kind == "hang")
          reached = size_t(std::max(k, 0)) + 1;
        if (k >= 0)
          tried++;
        if (!verdict.kind.empty() && !isOver())
          failed(k >= 0 ? rest[size_t(k)] : rest[0], verdict);
      }
      from += reached;
    }
  }

  // PoCL translates some kernels with many barriers wrongly. Where the other engines find nothing,
  // it is suspected.
  bool isPoclAlone(const Program &program, const Verdict &verdict) {
    if (verdict.kind != "pocl difference")
      return false;
    for (const char *engine : {"interpreter", "emulation"})
      for (auto &[k, v] : examine({program}, false, engine).verdicts)
        if (!v.kind.empty())
          return false;
    counts["differences of PoCL alone"]++;
    std::printf("seed %llu: PoCL differs, the interpreter and the emulation do not\n",
                (unsigned long long)program.seed);
    std::fflush(stdout);
    return true;
  }

  void failed(Program program, const Verdict &verdict) {
    if (isPoclAlone(program, verdict))
      return;
    if ((verdict.kind == "verifier" || verdict.kind == "isl") && settings.refusals >= 0) {
      refusals++;
      counts["refused: " + verdict.kind]++;
      std::printf("REFUSED seed %llu: %s\n", (unsigned long long)program.seed,
                  verdict.what.c_str());
      std::fflush(stdout);
      return;
    }
    failures++;
    counts["failures: " + verdict.kind]++;
    program.name = "kernel";
    std::printf("FAIL seed %llu: %s\n  %s\n", (unsigned long long)program.seed,
                verdict.kind.c_str(), verdict.what.c_str());
    std::fflush(stdout);
    Verdict last = verdict;
    bool native = verdict.kind == "front end" || verdict.kind == "original";
    auto fails = [&](const Program &candidate) {
      Isolated one = examine({candidate}, native);
      for (auto &[k, v] : one.verdicts)
        if (v.kind == verdict.kind) {
          last = v;
          return true;
        }
      return false;
    };
    bool repeats = fails(program);
    Program small = repeats ? shrink(program, fails, settings.shrinkSeconds) : program;
    if (repeats)
      fails(small); // for what it says and its plan
    write(small, last, repeats);
  }

  void write(const Program &p, const Verdict &v, bool repeats) {
    std::string comment = fmt::format(
        "seed {}, engine {}: {}\n{}\nRepeat: nestwarp_fuzz --engine {} --seed {} --count 1\n",
        p.seed, settings.engine, v.kind, v.what, settings.engine, p.seed);
    if (!repeats)
      comment += "It did not fail again on its own; this is the whole program.\n";
    for (const std::string &flag : p.flags())
      comment += "Flag: " + flag + "\n";
    comment += v.plan;
    std::string text;
    for (size_t at = 0; at < comment.size();) {
      size_t end = std::min(comment.find('\n', at), comment.size());
      text += "// " + comment.substr(at, end - at) + "\n";
      at = end + 1;
    }
    std::string file = fmt::format("{}/fuzz-failure-{}.c", settings.folder, p.seed);
    writeFile(file, text + preludeText() + structText(p, analyse(p)) + functionText(p, analyse(p)));
    std::printf("  written to %s; repeat with --engine %s --seed %llu --count 1\n", file.c_str(),
                settings.engine.c_str(), (unsigned long long)p.seed);
    std::fflush(stdout);
  }

  void summary() {
    double seconds = secondsSince(begin);
    std::printf(
        "---- %s: %lld programs from seed %llu in %.0f s (%.1f per second), %lld failures, %lld "
        "refusals\n",
        settings.engine.c_str(), tried, (unsigned long long)settings.seed, seconds,
        double(tried) / seconds, failures, refusals);
    for (auto &[name, count] : counts)
      std::printf("  %-60s %lld\n", name.c_str(), count);
  }

  Settings settings;
  Clock::time_point begin;
  Counts counts;
  long long tried = 0, failures = 0, refusals = 0;
};

// A whole C program of the generated functions, to look at or to try elsewhere.
void printPrograms(const Settings &s) {
  std::string functions, trials;
  for (long long k = 0; k < s.count; k++) {
    Program p = generate(s.seed + uint64_t(k), fmt::format("kernel{}", k));
    Analysis a = analyse(p);
    functions += fmt::format("// seed {}, {}\n", p.seed, joined(p.flags(), " ")) +
                 structText(p, a) + functionText(p, a) + callerText(p, a);
    for (int size : {1, 2, p.largestSize / 2, p.largestSize}) {
      Sizes sizes;
      for (const std::string &n : p.sizes)
        sizes[n] = std::max(1, size - int(sizes.size()));
      trials += trialText(p, a, sizes, 7);
    }
  }
  std::printf("%s%s%s\nint main(void) {\n%s  return 0;\n}\n", mainPrelude().c_str(),
              preludeText().c_str(), functions.c_str(), trials.c_str());
}

} // namespace

} // namespace nw::fuzz

int main(int argc, char **argv) {
  nw::fuzz::Settings s;
  CLI::App app{"Makes random programs and tries the whole compiler on them.", "nestwarp_fuzz"};
  app.add_option("--seed", s.seed,
                 "of the first program; the next ones have the numbers that follow");
  app.add_option("--count", s.count, "how many programs");
  app.add_option("--seconds", s.seconds, "stop after this time");
  app.add_option("--engine", s.engine, "interpreter, pocl or emulation")
      ->check(CLI::IsMember({"interpreter", "pocl", "emulation"}));
  app.add_option("--chunk", s.chunk, "programs of one process");
  app.add_option("--limit", s.limit, "seconds after which one program hangs");
  app.add_option("--shrink-seconds", s.shrinkSeconds, "time to shrink a failure");
  app.add_option("--failures", s.mostFailures, "stop after so many");
  app.add_option("--refusals", s.refusals,
                 "how many programs the verifier or isl refuses, which then stay on the host: "
                 "another number is a failure; without this, each refusal is one");
  app.add_option("--output", s.folder, "folder for fuzz-failure files");
  app.add_flag("--no-native", s.noNative, "do not hold the front end against gcc");
  app.add_flag("--print", s.print,
               "print the programs as one C file with a main, and do nothing else");
  CLI11_PARSE(app, argc, argv);
  s.folder = std::filesystem::absolute(s.folder);
  if (s.print) {
    nw::fuzz::printPrograms(s);
    return 0;
  }
  if (!getenv("NESTWARP_FUZZ_KEEP_STDERR") &&
      !freopen("/dev/null", "w", stderr)) // remarks of compilers are of no interest
    return 2;
  return nw::fuzz::Fuzzer(s).run();
}
