// nestwarp: the command line.
#include "cli/commands.h"
#include "driver/guard.h"
#include <cstdio>

static const char *const kUsage = R"(usage: nestwarp COMMAND ...

  compile FILE   source to source: --target=cuda|opencl -o OUT, or --emit=program|deps|schedule|plan|kernels|cuda|opencl
  cc ARGS        like a C compiler; offloads what it can
  explain FILE   what each kernel does, how long it would take on a device, and what holds it back
  lint FILE      what slows the kernels of a CUDA file down, as they are written
  check FILE     runs original and generated code on the same inputs and compares every output
  bench FILE     times the generated code, region by region and kernel by kernel, here or, with --bundle, on another machine
  tune FILE      measures plans for the nests of a file and remembers the best, which the other commands then take
  devices        lists the devices that programs can run on and be planned for; --probe measures one

nestwarp COMMAND --help tells more.
)";

int main(int argc, char **argv) {
  using namespace nw;
  std::string command = argc > 1 ? argv[1] : "";
  std::vector<std::string> arguments(argv + std::min(argc, 2), argv + argc);
  return reportingErrors([&] {
    if (command == "compile")
      return compileCommand(arguments);
    if (command == "cc")
      return ccCommand(arguments);
    if (command == "explain")
      return explainCommand(arguments);
    if (command == "lint")
      return lintCommand(arguments);
    if (command == "check")
      return checkCommand(arguments);
    if (command == "bench")
      return benchCommand(arguments);
    if (command == "tune")
      return tuneCommand(arguments);
    if (command == "devices")
      return devicesCommand(arguments);
    bool asked = command == "--help" || command == "-h" || command == "help";
    std::fputs(kUsage, asked ? stdout : stderr);
    if (!asked && !command.empty())
      std::fprintf(stderr, "nestwarp: unknown command '%s'\n", command.c_str());
    return asked ? 0 : 2;
  });
}
