// nestwarp cc and nestwarp c++: like a compiler. Our own flags are read here; all others are the
// system compiler's.
#include "cli/commands.h"
#include "cli/options.h"
#include "driver/cc.h"
#include "support/exit_status.h"
#include "support/nearest.h"
#include "tuner/tuned_plans.h"
#include <cstdio>
#include <fmt/format.h>

namespace nw {

namespace {

struct CcFlags {
  CcSettings settings;
  TunedFlags tuned;
};

// A flag of nestwarp's own: how it is written, what it means, what it does.
struct OwnFlag {
  std::string name;
  std::string value; // "" : it takes none; "auto|always": one of these; "DIR": anything
  std::string meaning;
  void (*set)(CcFlags &, const std::string &value);
};

double limitOf(const std::string &flag, const std::string &value) {
  char *end = nullptr;
  double number = std::strtod(value.c_str(), &end);
  if (value.empty() || *end || !(number >= 0 && number <= 1e9))
    throw UserError{fmt::format("{}={}: expected a number from 0 to 1000000000", flag, value),
                    kUsage};
  return number;
}

using Text = const std::string &;

const std::vector<OwnFlag> &ownFlags() {
  static const std::vector<OwnFlag> flags = {
      {"--fp", "strict|reduce|fast",
       "strict: every operation in order; reduce (the default): reductions may be reordered; fast: "
       "fast math",
       [](CcFlags &f, Text v) { f.settings.floatingPoint = floatingPointOf(v); }},
      {"--offload", "auto|always",
       "auto (the default): each region decides at run time; always: whenever there is a device",
       [](CcFlags &f, Text v) { f.settings.always = v == "always"; }},
      {"--share", "predict|obey",
       "share hints of OpenACC: predict (the default), where their tiles are predicted to be "
       "faster; obey, wherever they can be made",
       [](CcFlags &f, Text v) { f.settings.obeysShare = v == "obey"; }},
      {"--save-temps", "DIR",
       "keep what is generated in DIR, with a script that builds it on any machine",
       [](CcFlags &f, Text v) { f.settings.saveTemps = v; }},
      {"--time-limit", "SECONDS",
       "processor time for the translation of a file, 60 unless said otherwise; 0: none",
       [](CcFlags &f, Text v) { f.settings.limits.seconds = limitOf("--time-limit", v); }},
      {"--memory-limit", "MIB", "the same for memory, 4096 unless said otherwise",
       [](CcFlags &f, Text v) {
         f.settings.limits.mebibytes = long(limitOf("--memory-limit", v));
       }},
      {"--tuned", "auto|off",
       "auto (the default): take plans that nestwarp tune has found; off: what the planner "
       "proposes",
       [](CcFlags &f, Text v) { f.tuned.use = v; }},
      {"--db", "FILE", "the database of tuning results",
       [](CcFlags &f, Text v) { f.tuned.database = v; }},
      {"--line-info", "", "kernels name the lines of the source, for profilers",
       [](CcFlags &f, Text) { f.settings.lines = true; }},
      {"--remarks", "", "tell what stays on the host, and why",
       [](CcFlags &f, Text) { f.settings.remarks = true; }},
      {"--quiet", "", "no line of counts; warnings about marked nests are still printed",
       [](CcFlags &f, Text) { f.settings.quiet = true; }}};
  return flags;
}

std::string written(const OwnFlag &flag) {
  return flag.name + (flag.value.empty() ? "" : "=" + flag.value);
}

// --offload=auto or --offload=always
std::string choicesOf(const OwnFlag &flag) {
  std::string out;
  for (size_t at = 0, end; at < flag.value.size(); at = end + 1) {
    end = std::min(flag.value.find('|', at), flag.value.size());
    bool isLast = end == flag.value.size();
    out += fmt::format("{}{}={}",
                       at == 0  ? ""
                       : isLast ? " or "
                                : ", ",
                       flag.name, flag.value.substr(at, end - at));
  }
  return out;
}

// Refuses a flag that is probably a mistyped one of ours; the compiler's pass.
void refuseMistyped(const std::string &argument) {
  static const std::set<std::string> others = {"--shared", "--save-temps", "--param", "--help"};
  std::string name = argument.substr(0, argument.find('='));
  if (!name.starts_with("--") || others.count(name))
    return;
  std::vector<std::string> known;
  for (const OwnFlag &flag : ownFlags())
    known.push_back(flag.name);
  for (const OwnFlag &flag : ownFlags())
    if (name == flag.name && !flag.value.empty())
      throw UserError{fmt::format("{} wants a value: {}", name, written(flag)), kUsage};
  if (std::string near = nearestTo(name, known); !near.empty() && near != name)
    throw UserError{fmt::format("unknown flag '{}'; did you mean {}?", argument, near), kUsage};
}

void printHelp(bool cxx) {
  std::printf(
      "usage: nestwarp %s [FLAGS] COMPILER-ARGUMENTS\n\n"
      "Compiles and links like %s, also with -c and in makefiles, and offloads the loop nests that "
      "it can.\nIts own flags:\n\n",
      cxx ? "c++" : "cc", cxx ? "a C++ compiler" : "a C compiler");
  for (const OwnFlag &flag : ownFlags())
    std::printf("  %-28s %s\n", written(flag).c_str(), flag.meaning.c_str());
  std::printf("  %-28s %s\n\n", "-fopenacc", "read OpenACC's directives (docs/openacc.md)");
  std::puts(cxx ? "All others go to the C++ compiler: c++, or what NESTWARP_CXX says. Every source "
                  "is taken as C++,\nand the program is linked with the C++ library."
                : "All others go to the compiler: cc for C and c++ for C++ sources, or what "
                  "NESTWARP_CC and\nNESTWARP_CXX say. Lines with a C++ source are linked as C++; "
                  "objects of C++ want nestwarp c++.");
}

// Sets the flag if `argument` is one of ours; throws UserError for a value that it does not take.
bool take(CcFlags &flags, const std::string &argument) {
  for (const OwnFlag &flag : ownFlags()) {
    if (flag.value.empty() ? argument != flag.name : !argument.starts_with(flag.name + "="))
      continue;
    std::string value = flag.value.empty() ? "" : argument.substr(flag.name.size() + 1);
    bool isChoice = flag.value.find('|') != std::string::npos;
    if (isChoice && ("|" + flag.value + "|").find("|" + value + "|") == std::string::npos)
      throw UserError{fmt::format("unknown {}; expected {}", argument, choicesOf(flag)), kUsage};
    flag.set(flags, value);
    return true;
  }
  return false;
}

} // namespace

int ccCommand(const std::vector<std::string> &arguments, bool cxx) {
  CcFlags flags;
  std::vector<std::string> others;
  for (const std::string &a : arguments) {
    if (a == "--help") {
      printHelp(cxx);
      return kDone;
    }
    if (take(flags, a))
      continue;
    refuseMistyped(a);
    others.push_back(a);
  }
  flags.settings.usePlans = [tuned = flags.tuned](CompileOptions &options) {
    useTunedPlans(options, tuned, {}, "");
  };
  return runCc(readCompilerLine(others, cxx), flags.settings);
}

} // namespace nw
