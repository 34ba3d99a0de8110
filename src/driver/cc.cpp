// One source after the other, then the link.
#include "driver/cc.h"
#include "driver/guard.h"
#include "driver/host_compiler.h"
#include "driver/saved_files.h"
#include "driver/tuned_note.h"
#include "frontend/openacc/data_text.h"
#include "support/exit_status.h"
#include "support/process.h"
#include "support/text.h"
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>

namespace nw {

namespace fs = std::filesystem;

namespace {

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

void append(std::vector<std::string> &to, const std::vector<std::string> &more) {
  to.insert(to.end(), more.begin(), more.end());
}

// The optimization, debug and code model flags, which our own text takes over from the user's.
bool isForOwnText(const std::string &flag) {
  return flag.starts_with("-O") || flag == "-g" || flag == "-fPIC" || flag == "-fpic" ||
         flag == "-fPIE" || flag.starts_with("-m") || flag.starts_with("-fsanitize=");
}

class Build {
public:
  Build(const CompilerLine &line, const CcSettings &settings) : line(line), settings(settings) {}

  int run() {
    if (!settings.saveTemps.empty())
      fs::create_directories(settings.saveTemps);
    for (const std::string &source : line.sources) {
      std::string object = objectOf(source);
      if (int status = compileSource(source, object))
        return status;
      if (line.wantsRules)
        if (int status = writeRule(source, object))
          return status;
    }
    if (!settings.saveTemps.empty())
      writeBuildScript(line, settings.saveTemps, saved);
    return line.compileOnly ? kDone : link();
  }

private:
  std::string objectOf(const std::string &source) const {
    std::string stem = fs::path(source).stem();
    if (!line.compileOnly)
      return fmt::format("{}/{}{}.o", scratch.path, markOf(source), stem);
    return line.output.empty() ? stem + ".o" : line.output;
  }

  CompileOptions optionsFor(const std::string &source, Watch &watch) const {
    CompileOptions options;
    options.file = source;
    options.arguments = line.forClang;
    if (line.isCxx && fs::path(source).extension() == ".c")
      append(options.arguments, {"-x", "c++"});
    options.floatingPoint = settings.floatingPoint;
    takeMeaning(compilerMeaning(line.isCxxSource(source), line.forward), options);
    options.always = settings.always;
    options.openacc = line.openacc;
    options.obeysShare = settings.obeysShare;
    options.carriesData = true;
    options.lines = settings.lines;
    options.entryPrefix = markOf(source);
    options.watch = &watch;
    settings.usePlans(options);
    return options;
  }

  // Remarks, warnings and the line of counts, on stderr.
  void report(const Compilation &c, const std::string &source) const {
    if (!settings.quiet)
      sayTuned(c);
    size_t onHost = c.diagnostics.size();
    for (const Diagnostic &d : c.diagnostics)
      if (settings.remarks || d.severity != Severity::Remark)
        std::fputs(render(d, source, c.parsed.source).c_str(), stderr);
    if (settings.quiet || (onHost == 0 && c.regions.empty()))
      return;
    std::fprintf(
        stderr, "nestwarp: %s: %zu region%s for the device, %zu remark%s about the rest%s\n",
        source.c_str(), c.regions.size(), c.regions.size() == 1 ? "" : "s", onHost,
        onHost == 1 ? "" : "s", onHost && !settings.remarks ? " (--remarks shows them)" : "");
  }

  // Rewrites one source. Nothing where the source has errors, which Clang has said.
  std::optional<Rewritten> rewrite(const std::string &source, Watch &watch) const {
    Compilation c = compile(optionsFor(source, watch));
    if (c.parsed.failed)
      return std::nullopt;
    report(c, source);
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
  Rewritten rewriteGuarded(const std::string &source, int &status) const {
    GuardedEnd end = runGuarded(
        settings.limits,
        [&](Watch &watch, std::string &answer) {
          std::optional<Rewritten> r = rewrite(source, watch);
          if (r && r->any)
            answer = packed({r->hostText, r->kernelText, r->cuda, r->opencl, r->deviceHeader});
          return r ? kDone : kFailed;
        },
        settings.quiet ? Progress::Hidden : Progress::Shown);
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

  // One object from one source: the rewritten file and its kernels, joined.
  int compileSource(const std::string &source, const std::string &object) {
    bool cxx = line.isCxxSource(source);
    int status = 0;
    Rewritten r = rewriteGuarded(source, status);
    if (status)
      return status;
    save(source, r);
    std::vector<std::string> args = line.forward;
    if (!r.any) {
      append(args, {"-c", source, "-o", object});
      return runCompiler(cxx, args);
    }
    std::string stem = fs::path(source).stem(), extension = fs::path(source).extension();
    std::string base = fmt::format("{}/{}{}", scratch.path, markOf(source), stem);
    std::string host = base + ".host" + extension, kernels = base + ".nw.c";
    writeFile(host, r.hostText);
    writeFile(kernels, r.kernelText);
    std::string directory = fs::absolute(source).parent_path();
    append(args, {"-iquote", directory, "-c", host, "-o", base + ".host.o"});
    if (int status = runCompiler(cxx, args))
      return status;
    // Our own text is compiled plainly, whatever dialect and warnings the user asked for.
    std::vector<std::string> own = {"-std=gnu11", "-w", "-I" + runtimeSources(), "-c",
                                    kernels,      "-o", base + ".nw.o"};
    std::copy_if(line.forward.begin(), line.forward.end(), std::back_inserter(own), isForOwnText);
    if (int status = runCompiler(false, own))
      return status;
    return runCompiler(cxx, {"-r", "-nostdlib", "-o", object, base + ".host.o", base + ".nw.o"});
  }

  // --save-temps: what became of the source; the source itself where it is compiled as it is.
  void save(const std::string &source, const Rewritten &r) {
    if (settings.saveTemps.empty())
      return;
    fs::path to(settings.saveTemps);
    if (!r.any) {
      fs::copy_file(source, to / fs::path(source).filename(), fs::copy_options::overwrite_existing);
      saved.push_back(fs::path(source).filename());
      return;
    }
    std::string stem = fs::path(source).stem(), extension = fs::path(source).extension();
    writeFile(to / (stem + ".host" + extension), r.hostText);
    writeFile(to / (stem + ".nw.c"), r.kernelText);
    writeFile(to / (stem + ".cu"), r.cuda);
    writeFile(to / (stem + ".cl"), r.opencl);
    writeFile(to / (stem + ".device.h"), r.deviceHeader);
    append(saved, {stem + ".host" + extension, stem + ".nw.c"});
  }

  // The make rule of one object, as -MD asks for it.
  int writeRule(const std::string &source, const std::string &object) const {
    std::vector<std::string> args = line.forward;
    append(args, line.dependencies);
    auto given = [&](const char *flag) {
      return std::count(line.dependencies.begin(), line.dependencies.end(), flag) > 0;
    };
    std::string named = line.compileOnly ? object : line.output.empty() ? "a.out" : line.output;
    fs::path stem = fs::path(line.compileOnly ? named : source).stem();
    if (!given("-MT") && !given("-MQ"))
      append(args, {"-MT", named});
    if (!given("-MF"))
      append(args, {"-MF", (fs::path(named).parent_path() / stem).string() + ".d"});
    args.push_back(source);
    return runCompiler(line.isCxxSource(source), args);
  }

  int link() const {
    std::vector<std::string> args = line.forward;
    for (const CompilerLine::LinkWord &l : line.link)
      args.push_back(l.isSource ? objectOf(l.word) : l.word);
    auto isNarrow = [](const std::string &a) { return a == "-m32" || a == "-mx32"; };
    if (std::none_of(args.begin(), args.end(), isNarrow)) // else nothing of ours is in it
      append(args, {runtimeLibrary(), "-ldl", "-lpthread", "-lm"});
    append(args, {"-o", line.output.empty() ? "a.out" : line.output});
    return runCompiler(line.linksAsCxx(), args);
  }

  const CompilerLine &line;
  const CcSettings &settings;
  ScratchDirectory scratch;
  std::vector<std::string> saved; // names of files in the folder of --save-temps
};

} // namespace

int runCc(const CompilerLine &given, const CcSettings &settings) {
  CompilerLine line = given;
  if (settings.floatingPoint == FloatingPoint::Strict) { // one arithmetic, on the host as well
    for (bool cxx : {false, true})
      refuseMixedArithmetic(compilerMeaning(cxx, line.forward));
    line.forward.push_back("-ffp-contract=off");
  }
  for (const std::string &s : line.sources)
    readFile(s); // so that the message is ours
  bool isForOthers =
      line.compileOnly && line.sources.empty() && !line.link.empty(); // assembly, say
  if (line.passThrough || isForOthers)
    return runCompiler(line.linksAsCxx(), line.all);
  if (line.link.empty())
    throw UserError{
        fmt::format("no input files; nestwarp {} --help tells more", line.isCxx ? "c++" : "cc"),
        kUsage};
  if (line.compileOnly && line.sources.size() > 1 && !line.output.empty())
    throw UserError{"-o with -c and several sources: each would overwrite the other", kUsage};
  return Build(line, settings).run();
}

} // namespace nw
