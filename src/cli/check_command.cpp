// nestwarp check: original and generated code on the same inputs, every output compared. Floating-point outputs are
// held against a run of the original in a wider type.
#include "cli/check_harness.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/process.h"
#include "support/text.h"
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>

namespace nw {

namespace fs = std::filesystem;

namespace {

// Parameters and globals of a function, with their sizes as far as they are known.
CheckedFunction describe(const Compilation &c, const Signature &signature, const std::map<std::string, std::string> &extents) {
  CheckedFunction f;
  f.signature = signature;
  Dialect host;
  TreePrinter print(host);
  f.hasPrepare = std::count(c.parsed.functionsSeen.begin(), c.parsed.functionsSeen.end(), "prepare_" + signature.name) > 0;
  std::set<std::string> scalars;
  for (const Variable &v : signature.parameters)
    if (!v.isPointer)
      scalars.insert(v.name);
  // Sizes that follow from what the regions touch.
  std::map<std::string, std::string> touched;
  for (const CompiledRegion &r : c.regions)
    if (r.program.region.function == signature.name)
      for (const Buffer &b : r.kernels.buffers) {
        if (b.array.empty())
          continue;
        bool known = true;
        walk(b.high, [&](const ExprP &e) {
          known &= e->kind != ExprKind::Var || scalars.count(e->name);
          return true;
        });
        if (known) {
          std::string now = print.expr(cast(b.high, kI64));
          std::string &all = touched[b.name];
          all = all.empty() ? now : fmt::format("(({0}) > ({1}) ? ({0}) : ({1}))", all, now);
        }
      }
  auto product = [&](const Variable &v) -> std::string {
    std::string count;
    for (const ExprP &e : v.extents) {
      if (!e)
        return "";
      count += (count.empty() ? "(long long)(" : " * (") + print.expr(e) + ")";
    }
    return count;
  };
  for (const Variable &v : signature.parameters) {
    CheckedObject o{v.name, v.type, false, v.isPointer, ""};
    if (v.type.isStruct())
      throw UserError{fmt::format("cannot make up values for the parameter '{}' of {}: it is a struct; write a main that calls it", v.name, signature.name)};
    if (v.isPointer) {
      o.count = product(v);
      if (auto given = extents.find(v.name); given != extents.end())
        o.count = given->second;
      if (o.count.empty())
        o.count = touched[v.name];
      if (o.count.empty())
        throw UserError{fmt::format("the extent of '{}' in {} is unknown; say --extent {}=NUMBER or an expression of the sizes", v.name, signature.name, v.name)};
    }
    f.objects.push_back(o);
  }
  std::set<std::string> seen;
  for (const CompiledRegion &r : c.regions)
    if (r.program.region.function == signature.name)
      for (const Buffer &b : r.kernels.buffers)
        if (auto a = r.program.arrays.find(b.array); a != r.program.arrays.end() && a->second.variable.storage == Storage::Global && !a->second.variable.isPointer &&
                                                     !a->second.variable.type.isStruct() && !a->second.variable.isConst && isIdentifier(a->second.variable.spelling) && seen.insert(b.name).second)
          f.objects.push_back({a->second.variable.spelling, a->second.variable.type, true, a->second.variable.isArray(), a->second.variable.isArray() ? product(a->second.variable) : "1"});
  return f;
}

struct CheckRun {
  const CommonFlags &flags;
  const CompileOptions &options;
  std::map<std::string, std::string> sizes;
  std::string device;
};

int buildLibrary(const std::string &text, const std::string &stem, const std::vector<std::string> &flags, const std::string &directory, const std::vector<std::string> &more) {
  std::string source = directory + "/" + stem + ".c";
  writeFile(source, text);
  std::vector<std::string> line = {"cc", "-O2", "-w", "-fPIC", "-shared", "-ffp-contract=off"};
  line.insert(line.end(), flags.begin(), flags.end());
  line.insert(line.end(), {source});
  line.insert(line.end(), more.begin(), more.end());
  line.insert(line.end(), {"-o", directory + "/" + stem + ".so", "-lm", "-ldl", "-lpthread"});
  return run(line);
}

// 0 when all outputs agree.
int checkFunction(const Compilation &c, const CheckedFunction &f, const CheckRun &r) {
  ScratchDirectory scratch;
  std::string source = fs::absolute(r.options.file), folder = fs::path(source).parent_path();
  bool isDouble = f.signature.result.scalar == Scalar::F64;
  for (const CheckedObject &o : f.objects)
    isDouble |= o.type.scalar == Scalar::F64;
  bool exact = r.options.floatingPoint == FloatingPoint::Strict;
  std::vector<std::string> flags = r.options.arguments;
  flags.insert(flags.end(), {"-iquote", folder});
  writeFile(scratch.path + "/regions.nw.c", runtimeFile(c.emitted(), c.emitOptions));
  writeFile(scratch.path + "/rewritten.c", hostFile(c.parsed.source, source, false, c.emitted()));
  std::vector<std::string> none;
  if (buildLibrary(wrapperText(f, source, Version::Original, isDouble), "original", flags, scratch.path, none) ||
      buildLibrary(wrapperText(f, scratch.path + "/rewritten.c", Version::Generated, isDouble), "generated", flags, scratch.path,
                   {scratch.path + "/regions.nw.c", "-I" + runtimeSources(), runtimeLibrary()}) ||
      buildLibrary(wrapperText(f, source, Version::Wider, isDouble), "wider", flags, scratch.path, none))
    throw UserError{"the C compiler refused the harness for " + f.signature.name};
  std::string driver = scratch.path + "/driver.c";
  writeFile(driver, driverText(f, r.sizes, exact, isDouble, scratch.path));
  if (run({"cc", "-O1", "-w", driver, "-o", scratch.path + "/driver", "-ldl", "-lm"}))
    throw UserError{"the C compiler refused the driver for " + f.signature.name};
  return run({scratch.path + "/driver"});
}

} // namespace

int checkCommand(const std::vector<std::string> &arguments) {
  CLI::App app{"Runs original and generated code on the same inputs and compares every output.", "nestwarp check"};
  CompileOptions options;
  CommonFlags flags;
  std::vector<std::string> sizes, extents;
  app.add_option("file", options.file, "C source")->required();
  app.add_option("--size", sizes, "value of an integer parameter, as in n=129");
  app.add_option("--extent", extents, "elements of a pointer parameter, as in A=n*n");
  app.add_option("--function", options.function, "check this function only");
  app.add_option("--plan", options.planFile, "take decisions from this file");
  addCommonFlags(app, flags);
  if (int status = parse(app, arguments); status >= 0)
    return status;
  apply(flags, options);
  options.always = true;
  auto settings = [](const std::vector<std::string> &list) {
    std::map<std::string, std::string> all;
    for (const std::string &s : list) {
      size_t at = s.find('=');
      if (at == std::string::npos || at == 0)
        throw UserError{"'" + s + "' is no setting; expected NAME=VALUE", 2};
      all[s.substr(0, at)] = s.substr(at + 1);
    }
    return all;
  };
  CheckRun r{flags, options, settings(sizes), ""};
  std::map<std::string, std::string> given = settings(extents);
  Compilation c = compile(options);
  if (c.parsed.failed)
    return 1;
  if (c.parsed.isCxx)
    throw UserError{"check takes C files; for C++, write a main and compare its output"};
  if (!flags.quiet)
    for (const Diagnostic &d : c.diagnostics)
      std::fputs(render(d, options.file, c.parsed.source).c_str(), stderr);
  int checked = 0, failed = 0;
  for (const Signature &s : c.parsed.signatures) {
    bool hasRegion = std::any_of(c.regions.begin(), c.regions.end(), [&](const CompiledRegion &x) { return x.program.region.function == s.name; });
    if (!hasRegion || s.name == "main" || s.name.starts_with("prepare_"))
      continue;
    checked++;
    int status = checkFunction(c, describe(c, s, given), r);
    std::printf("%s: %s\n", s.name.c_str(), status == 0 ? "same" : status == 1 ? "DIFFERENT" : "did not run");
    failed += status != 0;
  }
  if (checked == 0)
    throw UserError{options.file + ": no function with an offloaded nest can be called for a check"};
  return failed ? 1 : 0;
}

} // namespace nw
