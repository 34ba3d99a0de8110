// nestwarp cc: like a C compiler. Sources are rewritten, compiled by the system's compiler together
// with their kernels, and linked with the runtime.
#include "cli/commands.h"
#include "cli/options.h"
#include "driver/guard.h"
#include "driver/pipeline.h"
#include "frontend/openacc/data_text.h"
#include "support/process.h"
#include "support/text.h"
#include "tuner/tuned_plans.h"
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>

namespace nw {

namespace fs = std::filesystem;

namespace {

struct CcLine {
  std::vector<std::string> sources;
  std::vector<std::string> forward;  // flags for compiling
  std::vector<std::string> link;     // objects, libraries and link flags, in order
  std::vector<std::string> forClang; // what the front end must know
  std::vector<std::string>
      dependencies; // -MD and its like: rules are made from the user's file, not from ours
  bool wantsRules = false;
  std::string output, saveTemps, language, entryPrefix;
  bool compileOnly = false, passThrough = false, verbose = false, quiet = false, openacc = false,
       always = false, lines = false, contract = true, obeysShare = false;
  FloatingPoint floatingPoint = FloatingPoint::Reduce;
  Limits limits;
  TunedFlags tuned;
};

bool isSource(const std::string &path) {
  std::string e = fs::path(path).extension();
  return e == ".c" || e == ".cc" || e == ".cpp" || e == ".cxx" || e == ".C";
}

// CUDA files go through nestwarp compile and nvcc: no C compiler takes what comes out.
void refuseCuda(const std::string &path) {
  std::string e = fs::path(path).extension();
  if (e == ".cu" || e == ".cuh")
    throw UserError{
        fmt::format("{0}: nestwarp cc takes C and C++, and this is CUDA; write it with 'nestwarp "
                    "compile {0} -o {1}.out.cu', compile that with nvcc -c, and give the object",
                    path, fs::path(path).stem().string()),
        2};
}

bool isCxxSource(const std::string &path) {
  return isSource(path) && fs::path(path).extension() != ".c";
}

double limitOf(const std::string &flag, const std::string &value) {
  char *end = nullptr;
  double number = std::strtod(value.c_str(), &end);
  if (value.empty() || *end || !(number >= 0 && number <= 1e9))
    throw UserError{fmt::format("{}={}: expected a number from 0 to 1000000000", flag, value), 2};
  return number;
}

CcLine readLine(const std::vector<std::string> &arguments) {
  CcLine line;
  static const std::set<std::string> takesValue = {
      "-I", "-D",         "-U",    "-include", "-isystem",       "-iquote",     "-idirafter",
      "-L", "-l",         "-x",    "-Xlinker", "-imacros",       "-T",          "-u",
      "-z", "-framework", "-arch", "--param",  "-Xpreprocessor", "-Xassembler", "-aux-info"};
  static const std::set<std::string> clangToo = {"-I",       "-D",      "-U",         "-include",
                                                 "-isystem", "-iquote", "-idirafter", "-imacros"};
  for (size_t k = 0; k < arguments.size(); k++) {
    const std::string &a = arguments[k];
    auto valueOf = [&](const std::string &flag) -> std::string {
      if (a.size() > flag.size())
        return a.substr(flag.size() + (a[flag.size()] == '=' ? 1 : 0));
      if (k + 1 >= arguments.size())
        throw UserError{flag + " wants a value", 2};
      return arguments[++k];
    };
    if (a.starts_with("--fp="))
      line.floatingPoint = floatingPointOf(a.substr(5));
    else if (a == "--offload=always")
      line.always = true;
    else if (a == "--offload=auto")
      line.always = false;
    else if (a.starts_with("--offload="))
      throw UserError{"unknown " + a + "; expected --offload=auto or --offload=always", 2};
    else if (a == "--share=obey" || a == "--share=predict")
      line.obeysShare = a == "--share=obey";
    else if (a.starts_with("--share="))
      throw UserError{"unknown " + a + "; expected --share=predict or --share=obey", 2};
    else if (a.starts_with("--save-temps="))
      line.saveTemps = a.substr(13);
    else if (a.starts_with("--time-limit="))
      line.limits.seconds = limitOf("--time-limit", a.substr(13));
    else if (a.starts_with("--memory-limit="))
      line.limits.mebibytes = long(limitOf("--memory-limit", a.substr(15)));
    else if (a == "--tuned=auto" || a == "--tuned=off")
      line.tuned.use = a.substr(8);
    else if (a.starts_with("--tuned="))
      throw UserError{"unknown " + a + "; expected --tuned=auto or --tuned=off", 2};
    else if (a.starts_with("--db="))
      line.tuned.database = a.substr(5);
    else if (a == "--remarks")
      line.verbose = true;
    else if (a == "--line-info")
      line.lines = true;
    else if (a == "--quiet")
      line.quiet = true;
    else if (a == "--help") {
      std::puts("usage: nestwarp cc [--fp=strict|reduce|fast] [--offload=auto|always] "
                "[--share=predict|obey] [--save-temps=DIR] [--time-limit=SECONDS] "
                "[--memory-limit=MIB] [--line-info] [--tuned=auto|off] [--db=FILE] [--remarks] "
                "[--quiet] COMPILER-ARGUMENTS\n\n"
                "Everything else goes to the C compiler ($NESTWARP_CC, else cc or c++).");
      std::exit(0);
    } else if (a == "-o")
      line.output = valueOf("-o");
    else if (a.starts_with("-o") && a.size() > 2)
      line.output = a.substr(2);
    else if (a == "-c")
      line.compileOnly = true;
    else if (a == "-E" || a == "-S" || a == "-M" || a == "-MM" || a == "-fsyntax-only" ||
             a == "--version" || a == "-dumpversion" || a == "-dumpmachine" ||
             a.starts_with("-print-") || a == "-v" || a == "-###" || a == "-") {
      line.passThrough = true;
    } else if (a == "-x") {
      line.passThrough = true; // an explicit language: nothing of ours
    } else if (a == "-MD" || a == "-MMD") {
      line.wantsRules = true;
      line.dependencies.push_back(a == "-MD" ? "-M" : "-MM");
    } else if (a == "-MP" || a == "-MG") {
      line.dependencies.push_back(a);
    } else if (a == "-MF" || a == "-MT" || a == "-MQ") {
      line.dependencies.push_back(a);
      line.dependencies.push_back(valueOf(a));
    } else if (a == "-fopenacc") {
      line.openacc = true; // the system's compiler sees plain loops: what is on the device is ours
    } else if (a.starts_with("-ffp-contract=")) {
      line.contract = a != "-ffp-contract=off";
      line.forward.push_back(a);
    } else if (takesValue.count(a)) {
      std::string value = valueOf(a);
      bool links = a == "-L" || a == "-l" || a == "-Xlinker" || a == "-T" || a == "-u" || a == "-z";
      auto &to = links ? line.link : line.forward;
      to.push_back(a);
      to.push_back(value);
      if (clangToo.count(a)) {
        line.forClang.push_back(a);
        line.forClang.push_back(value);
      }
    } else if (a.starts_with("-l") || a.starts_with("-L") || a.starts_with("-Wl,") ||
               a == "-shared" || a == "-static" || a == "-pie" || a == "-no-pie" ||
               a == "-rdynamic" || a == "-nostdlib") {
      line.link.push_back(a);
    } else if (a.starts_with("-")) {
      line.forward.push_back(a);
      for (const char *flag : {"-I", "-D", "-U", "-std=", "-isystem", "-iquote"})
        if (a.starts_with(flag))
          line.forClang.push_back(a);
    } else if (isSource(a)) {
      line.sources.push_back(a);
      line.link.push_back("\x01" + a); // its object goes here
    } else {
      refuseCuda(a);
      line.link.push_back(a);
    }
  }
  if (line.openacc) // in front: what the user says of the macro comes after it
    for (std::vector<std::string> *flags : {&line.forward, &line.forClang})
      flags->insert(flags->begin(), openacc::kDefinition);
  return line;
}

std::string compilerFor(bool cxx) {
  if (const char *given = std::getenv(cxx ? "NESTWARP_CXX" : "NESTWARP_CC"))
    return given;
  return cxx ? "c++" : "cc";
}

std::vector<std::string> wordsOf(const std::string &command) {
  std::vector<std::string> words;
  std::string word;
  for (char c : command + " ")
    if (c != ' ')
      word += c;
    else if (!word.empty()) {
      words.push_back(word);
      word.clear();
    }
  return words;
}

int runCompiler(bool cxx, const std::vector<std::string> &arguments) {
  std::vector<std::string> line = wordsOf(compilerFor(cxx));
  line.insert(line.end(), arguments.begin(), arguments.end());
  int status = run(line);
  if (status == 127)
    throw UserError{"cannot run the compiler '" + compilerFor(cxx) +
                    "'; set NESTWARP_CC or NESTWARP_CXX"};
  return status;
}

// A short, stable mark of a path, so that region functions of different files never clash.
std::string markOf(const std::string &path) {
  uint32_t hash = 2166136261u;
  for (char c : fs::absolute(path).lexically_normal().string())
    hash = (hash ^ uint8_t(c)) * 16777619u;
  return fmt::format("{:08x}_", hash);
}

struct Rewritten {
  bool any = false;
  std::string hostText, kernelText, cuda, opencl, deviceHeader;
};

// Texts one after the other, each after its length.
std::string packed(const std::vector<std::string> &texts) {
  std::string all;
  for (const std::string &t : texts)
    all += std::to_string(t.size()) + ":" + t;
  return all;
}

std::vector<std::string> unpacked(const std::string &all) {
  std::vector<std::string> texts;
  for (size_t at = 0; at < all.size();) {
    size_t colon = all.find(':', at), size = std::stoul(all.substr(at, colon - at));
    texts.push_back(all.substr(colon + 1, size));
    at = colon + 1 + size;
  }
  return texts;
}

// What the source's data directives become.
DataText dataText(const Compilation &c, const std::string &source) {
  if (c.parsed.directives.empty())
    return {};
  std::vector<TextSpan> regions;
  for (const CompiledRegion &r : c.regions)
    regions.push_back({r.program.region.beginOffset, r.program.region.endOffset});
  return {true, dataBrackets(c.parsed.directives, regions, c.parsed.source, source),
          dataPrototypes(c.parsed.isCxx)};
}

// Rewrites one source; its remarks go to stderr. Nothing where the source has errors, which Clang
// has said.
std::optional<Rewritten> rewrite(const CcLine &line, const std::string &source, Watch &watch) {
  CompileOptions options;
  options.file = source;
  options.arguments = line.forClang;
  options.floatingPoint = line.floatingPoint;
  options.contract = line.contract;
  options.always = line.always;
  options.openacc = line.openacc;
  options.obeysShare = line.obeysShare;
  options.carriesData = true;
  options.lines = line.lines;
  options.entryPrefix = markOf(source);
  options.watch = &watch;
  useTunedPlans(options, line.tuned, {}, "");
  Compilation c = compile(options);
  if (c.parsed.failed)
    return std::nullopt;
  if (!line.quiet)
    sayTuned(c);
  size_t onHost = 0;
  for (const Diagnostic &d : c.diagnostics) {
    onHost++;
    if (line.verbose || d.severity != Severity::Remark)
      std::fputs(render(d, source, c.parsed.source).c_str(), stderr);
  }
  if (!line.quiet && (onHost > 0 || !c.regions.empty()))
    std::fprintf(stderr,
                 "nestwarp: %s: %zu region%s for the device, %zu remark%s about the rest%s\n",
                 source.c_str(), c.regions.size(), c.regions.size() == 1 ? "" : "s", onHost,
                 onHost == 1 ? "" : "s", onHost && !line.verbose ? " (--remarks shows them)" : "");
  Rewritten r;
  r.any = !c.regions.empty() || !c.parsed.directives.empty();
  if (r.any) {
    r.hostText = hostFile(c.parsed.source, source, c.parsed.isCxx, c.emitted(), c.emitOptions,
                          dataText(c, source));
    r.kernelText = runtimeFile(c.emitted(), c.emitOptions);
    r.cuda = kernelText(c.emitted(), Language::Cuda, c.emitOptions);
    r.opencl = kernelText(c.emitted(), Language::OpenCl, c.emitOptions);
    r.deviceHeader = deviceHeader(c.emitted(), c.emitOptions);
  }
  return r;
}

// The same in a process of its own. A translation that was stopped costs the user the device, not
// the program. `status` is not 0 where there is nothing to compile.
Rewritten rewriteGuarded(const CcLine &line, const std::string &source, int &status) {
  GuardedEnd end = runGuarded(line.limits, [&](Watch &watch, std::string &answer) {
    std::optional<Rewritten> r = rewrite(line, source, watch);
    if (r && r->any)
      answer = packed({r->hostText, r->kernelText, r->cuda, r->opencl, r->deviceHeader});
    return r ? 0 : 1;
  });
  if (!end.stopped.empty() && line.openacc &&
      readFile(source).find("pragma acc") != std::string::npos)
    throw UserError{fmt::format("{}: the translation was stopped: {}; without it, what its "
                                "directives say about data would not be done",
                                source, end.stopped)};
  if (!end.stopped.empty()) {
    std::fprintf(stderr,
                 "nestwarp: warning: %s is compiled as it is, nothing goes to the device: the "
                 "translation was stopped: %s\n",
                 source.c_str(), end.stopped.c_str());
    return {};
  }
  status = end.status;
  if (end.status || end.answer.empty())
    return {};
  std::vector<std::string> texts = unpacked(end.answer);
  return {true, texts.at(0), texts.at(1), texts.at(2), texts.at(3), texts.at(4)};
}

// The make rule of one object, as -MD asks for it.
int writeRule(const CcLine &line, const std::string &source, const std::string &object) {
  std::vector<std::string> args = line.forward;
  args.insert(args.end(), line.dependencies.begin(), line.dependencies.end());
  auto given = [&](const char *flag) {
    return std::count(line.dependencies.begin(), line.dependencies.end(), flag) > 0;
  };
  std::string named = line.compileOnly ? object : line.output.empty() ? "a.out" : line.output;
  if (!given("-MT") && !given("-MQ"))
    args.insert(args.end(), {"-MT", named});
  if (!given("-MF"))
    args.insert(args.end(),
                {"-MF", (fs::path(named).parent_path() /
                         (line.compileOnly ? fs::path(named).stem() : fs::path(source).stem()))
                                .string() +
                            ".d"});
  args.push_back(source);
  return runCompiler(isCxxSource(source), args);
}

// One object from one source: the rewritten file and its kernels, joined.
int compileSource(const CcLine &line, const std::string &source, const std::string &object,
                  const std::string &scratch, std::vector<std::string> &saved) {
  bool cxx = isCxxSource(source);
  int status = 0;
  Rewritten r = rewriteGuarded(line, source, status);
  if (status)
    return status;
  std::vector<std::string> common = line.forward;
  if (!r.any) {
    std::vector<std::string> args = common;
    args.insert(args.end(), {"-c", source, "-o", object});
    if (!line.saveTemps.empty()) {
      fs::copy_file(source, fs::path(line.saveTemps) / fs::path(source).filename(),
                    fs::copy_options::overwrite_existing);
      saved.push_back(fs::path(source).filename());
    }
    return runCompiler(cxx, args);
  }
  std::string stem = fs::path(source).stem(), extension = fs::path(source).extension();
  std::string base = fmt::format("{}/{}{}", scratch, markOf(source), stem);
  std::string host = base + ".host" + extension, kernels = base + ".nw.c";
  writeFile(host, r.hostText);
  writeFile(kernels, r.kernelText);
  if (!line.saveTemps.empty()) {
    fs::path to(line.saveTemps);
    writeFile(to / (stem + ".host" + extension), r.hostText);
    writeFile(to / (stem + ".nw.c"), r.kernelText);
    writeFile(to / (stem + ".cu"), r.cuda);
    writeFile(to / (stem + ".cl"), r.opencl);
    writeFile(to / (stem + ".device.h"), r.deviceHeader);
    saved.push_back(stem + ".host" + extension);
    saved.push_back(stem + ".nw.c");
  }
  std::vector<std::string> args = common;
  std::string directory = fs::absolute(source).parent_path();
  args.insert(args.end(), {"-iquote", directory, "-c", host, "-o", base + ".host.o"});
  if (int status = runCompiler(cxx, args))
    return status;
  // Our own text is compiled plainly, whatever dialect and warnings the user asked for.
  std::vector<std::string> own = {"-std=gnu11", "-w", "-I" + runtimeSources(), "-c",
                                  kernels,      "-o", base + ".nw.o"};
  for (const std::string &f : common)
    if (f.starts_with("-O") || f == "-g" || f == "-fPIC" || f == "-fpic" || f == "-fPIE" ||
        f.starts_with("-m") || f.starts_with("-fsanitize="))
      own.push_back(f);
  if (int status = runCompiler(false, own))
    return status;
  return runCompiler(cxx, {"-r", "-nostdlib", "-o", object, base + ".host.o", base + ".nw.o"});
}

std::string quoted(const std::string &word) {
  if (!word.empty() &&
      word.find_first_not_of(
          "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:@%^") ==
          std::string::npos)
    return word;
  std::string out = "'";
  for (char c : word)
    out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

bool isHeader(const fs::path &p) {
  std::string e = p.extension();
  return e == ".h" || e == ".hpp" || e == ".hh" || e == ".hxx" || e == ".inc" || e == ".def";
}

// The flags for build.sh: directories of headers outside the system travel along under names of
// their own.
std::vector<std::string> portableFlags(const CcLine &line) {
  std::vector<std::string> out;
  int copies = 0;
  auto travels = [&](const std::string &directory) -> std::string {
    if (!fs::is_directory(directory) ||
        fs::weakly_canonical(directory).string().starts_with("/usr/"))
      return directory;
    std::string name = fmt::format("include{}", copies++);
    for (const auto &entry : fs::recursive_directory_iterator(directory))
      if (entry.is_regular_file() && isHeader(entry.path())) {
        fs::path to = fs::path(line.saveTemps) / name / fs::relative(entry.path(), directory);
        fs::create_directories(to.parent_path());
        fs::copy_file(entry.path(), to, fs::copy_options::overwrite_existing);
      }
    fs::create_directories(fs::path(line.saveTemps) / name);
    return name;
  };
  for (size_t k = 0; k < line.forward.size(); k++) {
    const std::string &f = line.forward[k];
    bool separate = (f == "-I" || f == "-iquote" || f == "-isystem" || f == "-idirafter") &&
                    k + 1 < line.forward.size();
    if (separate) {
      out.push_back(f);
      out.push_back(travels(line.forward[++k]));
    } else if (f.starts_with("-I"))
      out.push_back("-I" + travels(f.substr(2)));
    else
      out.push_back(f);
  }
  for (const std::string &source : line.sources) // "header.h" beside the source
    for (const auto &entry : fs::directory_iterator(fs::absolute(source).parent_path()))
      if (entry.is_regular_file() && isHeader(entry.path()))
        fs::copy_file(entry.path(), fs::path(line.saveTemps) / entry.path().filename(),
                      fs::copy_options::overwrite_existing);
  return out;
}

void saveRuntime(const std::string &directory) {
  fs::create_directories(fs::path(directory) / "runtime");
  for (const auto &entry : fs::directory_iterator(runtimeSources()))
    if (entry.path().extension() == ".c" || entry.path().extension() == ".h")
      fs::copy_file(entry.path(), fs::path(directory) / "runtime" / entry.path().filename(),
                    fs::copy_options::overwrite_existing);
}

} // namespace

int ccCommand(const std::vector<std::string> &arguments) {
  CcLine line = readLine(arguments);
  bool cxx = false;
  for (const std::string &s : line.sources) {
    cxx |= isCxxSource(s);
    readFile(s);
  }
  bool isForOthers =
      line.compileOnly && line.sources.empty() && !line.link.empty(); // assembly, say
  if (line.passThrough || isForOthers) {
    std::vector<std::string> plain;
    for (const std::string &a : arguments)
      if (!a.starts_with("--fp=") && !a.starts_with("--offload=") &&
          !a.starts_with("--save-temps=") && !a.starts_with("--time-limit=") &&
          !a.starts_with("--memory-limit=") && a != "--remarks" && a != "--line-info" &&
          a != "--quiet")
        plain.push_back(a == "-fopenacc" ? openacc::kDefinition : a);
    return runCompiler(cxx, plain);
  }
  if (line.sources.empty() && line.link.empty())
    throw UserError{"no input files; nestwarp cc --help tells more", 2};
  if (line.compileOnly && line.sources.size() > 1 && !line.output.empty())
    throw UserError{"-o with -c and several sources: each would overwrite the other", 2};
  ScratchDirectory scratch;
  std::vector<std::string> saved;
  if (!line.saveTemps.empty())
    fs::create_directories(line.saveTemps);
  std::map<std::string, std::string> objects;
  for (const std::string &source : line.sources) {
    std::string object =
        line.compileOnly
            ? line.output.empty() ? fs::path(source).stem().string() + ".o" : line.output
            : fmt::format("{}/{}{}.o", scratch.path, markOf(source),
                          fs::path(source).stem().string());
    if (int status = compileSource(line, source, object, scratch.path, saved))
      return status;
    if (line.wantsRules)
      if (int status = writeRule(line, source, object))
        return status;
    objects[source] = object;
  }
  if (!line.saveTemps.empty()) {
    saveRuntime(line.saveTemps);
    // C++ sources are linked by the C++ compiler; our own files stay C.
    std::string compiler = cxx ? "c++" : "cc", command;
    std::string flags;
    for (const std::string &f : portableFlags(line))
      flags += " " + quoted(f);
    std::string own, objects;
    for (const std::string &s : saved)
      if (s.ends_with(".nw.c")) {
        own += " " + quoted(s);
        objects += " " + quoted(s + ".o");
      }
    command = "for f in runtime/*.c" + own +
              "; do cc -w -O2 -fPIC -Iruntime -c \"$f\" -o \"$f.o\" || exit 1; done; " + compiler +
              " -w -I." + flags;
    for (const std::string &s : saved)
      if (!s.ends_with(".nw.c"))
        command += " " + quoted(s);
    command += objects + " runtime/*.c.o";
    for (const std::string &l : line.link)
      if (l[0] != '\x01')
        command += " " + quoted(l);
    command += " -ldl -lpthread -lm -o " +
               quoted(line.output.empty() ? "a.out" : fs::path(line.output).filename().string());
    writeFile(fs::path(line.saveTemps) / "build.sh",
              "#!/bin/sh\ncd \"$(dirname \"$0\")\" || exit 1\n" + command + "\n");
    fs::permissions(fs::path(line.saveTemps) / "build.sh", fs::perms::owner_exec,
                    fs::perm_options::add);
    std::fprintf(stderr,
                 "nestwarp: %s/build.sh builds it with a C compiler alone, on any machine\n",
                 line.saveTemps.c_str());
  }
  if (line.compileOnly)
    return 0;
  std::vector<std::string> link = line.forward;
  for (const std::string &l : line.link)
    link.push_back(l[0] == '\x01' ? objects.at(l.substr(1)) : l);
  link.insert(link.end(), {runtimeLibrary(), "-ldl", "-lpthread", "-lm", "-o",
                           line.output.empty() ? "a.out" : line.output});
  return runCompiler(cxx, link);
}

} // namespace nw
