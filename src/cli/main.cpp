// nestwarp: the command line.
#include "cli/commands.h"
#include "driver/guard.h"
#include "support/diagnostics.h"
#include "support/exit_status.h"
#include "support/nearest.h"
#include "support/version.h"
#include <algorithm>
#include <cstdio>

namespace {

using nw::Arguments;

struct Command {
  const char *name, *usage, *meaning;
  int (*run)(const Arguments &);
};

const Command kCommands[] = {
    {"cc", "cc ARGS", "like a C compiler; offloads what it can",
     [](const Arguments &a) { return nw::ccCommand(a, false); }},
    {"c++", "c++ ARGS", "like a C++ compiler",
     [](const Arguments &a) { return nw::ccCommand(a, true); }},
    {"compile", "compile FILE", "source to source: CUDA or OpenCL; or print a stage (--emit)",
     nw::compileCommand},
    {"check", "check FILE", "run original and generated code on the same inputs and compare",
     nw::checkCommand},
    {"explain", "explain FILE", "how long each kernel would take on a device, and what limits it",
     nw::explainCommand},
    {"lint", "lint FILE", "what slows the kernels of a CUDA file down, as they are written",
     nw::lintCommand},
    {"bench", "bench FILE", "time the generated code, here or, with --bundle, on another machine",
     nw::benchCommand},
    {"tune", "tune FILE", "measure plans and remember the best, which the others then take",
     nw::tuneCommand},
    {"devices", "devices", "list the devices that there are and can be planned for; --probe",
     nw::devicesCommand},
};

void printUsage(std::FILE *to) {
  std::fputs("usage: nestwarp COMMAND ...\n\n", to);
  for (const Command &c : kCommands)
    std::fprintf(to, "  %-14s %s\n", c.usage, c.meaning);
  std::fputs("\nnestwarp help COMMAND tells more, nestwarp --version which one this is.\n", to);
}

int printVersion() {
  std::printf("nestwarp %s%s%s%s\n", nw::kVersion, *nw::kCommit ? " (" : "", nw::kCommit,
              *nw::kCommit ? ")" : "");
  return nw::kDone;
}

const Command &commandNamed(const std::string &name) {
  std::vector<std::string> names;
  for (const Command &c : kCommands) {
    if (c.name == name)
      return c;
    names.push_back(c.name);
  }
  std::string near = nw::nearestTo(name, names);
  throw nw::UserError{"unknown command '" + name + "'; " +
                          (near.empty() ? "" : "did you mean " + near + "? ") +
                          "nestwarp --help lists the commands",
                      nw::kUsage};
}

int runCommand(const std::string &name, const Arguments &arguments) {
  if (name == "--version" || name == "-V" || name == "version")
    return printVersion();
  bool isHelp = name == "--help" || name == "-h" || name == "help";
  if (isHelp && !arguments.empty())
    return commandNamed(arguments[0]).run({"--help"});
  if (isHelp || name.empty()) {
    printUsage(isHelp ? stdout : stderr);
    return isHelp ? nw::kDone : nw::kUsage;
  }
  return commandNamed(name).run(arguments);
}

} // namespace

int main(int argc, char **argv) {
  std::string name = argc > 1 ? argv[1] : "";
  Arguments arguments(argv + std::min(argc, 2), argv + argc);
  return nw::reportingErrors([&] { return runCommand(name, arguments); });
}
