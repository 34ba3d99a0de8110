// Sorting a compiler's command line.
#include "driver/compiler_line.h"
#include "frontend/openacc/directives.h"
#include "support/diagnostics.h"
#include "support/exit_status.h"
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <set>

namespace nw {

namespace fs = std::filesystem;

namespace {

bool isSource(const std::string &path) {
  static const std::set<std::string> extensions = {".c", ".cc", ".cpp", ".cxx", ".C"};
  return extensions.count(fs::path(path).extension()) > 0;
}

// CUDA files go through nestwarp compile and nvcc: no C compiler takes what comes out.
void refuseCuda(const std::string &path) {
  std::string e = fs::path(path).extension();
  if (e == ".cu" || e == ".cuh")
    throw UserError{
        fmt::format("{0}: nestwarp cc takes C and C++, and this is CUDA; write it with 'nestwarp "
                    "compile {0} -o {1}.out.cu', compile that with nvcc -c, and give the object",
                    path, fs::path(path).stem().string()),
        kUsage};
}

// Flags whose value is the next argument.
bool takesValue(const std::string &flag) {
  static const std::set<std::string> flags = {
      "-I", "-D",         "-U",    "-include", "-isystem",       "-iquote",     "-idirafter",
      "-L", "-l",         "-x",    "-Xlinker", "-imacros",       "-T",          "-u",
      "-z", "-framework", "-arch", "--param",  "-Xpreprocessor", "-Xassembler", "-aux-info"};
  return flags.count(flag) > 0;
}

// Those of them that the front end needs, too.
bool isForClang(const std::string &flag) {
  static const std::set<std::string> flags = {"-I",       "-D",      "-U",         "-include",
                                              "-isystem", "-iquote", "-idirafter", "-imacros"};
  return flags.count(flag) > 0;
}

// Those of them that are for the linker.
bool takesLinkValue(const std::string &flag) {
  static const std::set<std::string> flags = {"-L", "-l", "-Xlinker", "-T", "-u", "-z"};
  return flags.count(flag) > 0;
}

bool isLinkFlag(const std::string &a) {
  static const std::set<std::string> flags = {"-shared", "-static",   "-pie",
                                              "-no-pie", "-rdynamic", "-nostdlib"};
  return a.starts_with("-l") || a.starts_with("-L") || a.starts_with("-Wl,") || flags.count(a) > 0;
}

// What is not a compilation, and an explicit language, which may be none of ours.
bool isForCompilerAlone(const std::string &a) {
  static const std::set<std::string> flags = {
      "-E", "-S",   "-M", "-MM", "-fsyntax-only", "--version", "-dumpversion", "-dumpmachine",
      "-v", "-###", "-",  "-x"};
  return a.starts_with("-print-") || flags.count(a) > 0;
}

} // namespace

bool CompilerLine::isCxxSource(const std::string &path) const {
  return isSource(path) && (isCxx || fs::path(path).extension() != ".c");
}

bool CompilerLine::linksAsCxx() const {
  return isCxx || std::any_of(sources.begin(), sources.end(),
                              [&](const std::string &s) { return isCxxSource(s); });
}

CompilerLine readCompilerLine(const std::vector<std::string> &arguments, bool isCxx) {
  CompilerLine line;
  line.all = arguments;
  line.isCxx = isCxx;
  for (size_t k = 0; k < arguments.size(); k++) {
    const std::string &a = arguments[k];
    auto next = [&]() -> const std::string & {
      if (k + 1 >= arguments.size())
        throw UserError{a + " wants a value", kUsage};
      return arguments[++k];
    };
    if (a == "-o")
      line.output = next();
    else if (a.starts_with("-o"))
      line.output = a.substr(2);
    else if (a == "-c")
      line.compileOnly = true;
    else if (isForCompilerAlone(a))
      line.passThrough = true;
    else if (a == "-MD" || a == "-MMD") {
      line.wantsRules = true;
      line.dependencies.push_back(a == "-MD" ? "-M" : "-MM");
    } else if (a == "-MP" || a == "-MG") {
      line.dependencies.push_back(a);
    } else if (a == "-MF" || a == "-MT" || a == "-MQ") {
      line.dependencies.push_back(a);
      line.dependencies.push_back(next());
    } else if (a == "-fopenacc") {
      line.openacc = true; // the system's compiler sees plain loops: what is on the device is ours
    } else if (takesValue(a)) {
      std::string value = next();
      if (takesLinkValue(a)) {
        line.link.push_back({a});
        line.link.push_back({value});
        continue;
      }
      line.forward.insert(line.forward.end(), {a, value});
      if (isForClang(a))
        line.forClang.insert(line.forClang.end(), {a, value});
    } else if (isLinkFlag(a)) {
      line.link.push_back({a});
    } else if (a.starts_with("-")) {
      line.forward.push_back(a);
      for (const char *flag : {"-I", "-D", "-U", "-isystem", "-iquote"})
        if (a.starts_with(flag))
          line.forClang.push_back(a);
    } else {
      refuseCuda(a);
      line.link.push_back({a, isSource(a)});
      if (isSource(a))
        line.sources.push_back(a);
    }
  }
  // The macro instead of the flag: the system's compiler would take directives for its own.
  std::replace(line.all.begin(), line.all.end(), std::string("-fopenacc"),
               std::string(openacc::kDefinition));
  if (line.openacc) // in front: what the user says of the macro comes after it
    for (std::vector<std::string> *flags : {&line.forward, &line.forClang})
      flags->insert(flags->begin(), openacc::kDefinition);
  return line;
}

} // namespace nw
