// nestwarp check: original and generated code on the same inputs, every output compared. Floating-point outputs are
// held against a run of the original in a wider type. The driver that runs and compares is a process of its own; what
// it finds is put into words here.
#include "cli/check_harness.h"
#include "cli/check_poly.h"
#include "cli/commands.h"
#include "cli/guard.h"
#include "cli/options.h"
#include "cli/process.h"
#include "ir/evaluate.h"
#include "support/text.h"
#include "verify/last_writer.h"
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
    CheckedObject o{v.name, v.type, false, v.isPointer, "", v.extents};
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
          f.objects.push_back({a->second.variable.spelling, a->second.variable.type, true, a->second.variable.isArray(), a->second.variable.isArray() ? product(a->second.variable) : "1", a->second.variable.extents});
  return f;
}

struct CheckRun {
  const CompileOptions &options;
  std::map<std::string, std::string> sizes;
  std::string data; // ordinary, special, both, or empty for what fits the function
};

bool isDouble(const CheckedFunction &f) {
  return f.signature.result.scalar == Scalar::F64 || std::any_of(f.objects.begin(), f.objects.end(), [](const CheckedObject &o) { return o.type.scalar == Scalar::F64; });
}

bool hasFloats(const CheckedFunction &f) {
  return f.signature.result.isFloat() || std::any_of(f.objects.begin(), f.objects.end(), [](const CheckedObject &o) { return o.type.isFloat(); });
}

// Whether any expression of the function's regions is of this kind.
bool anyExpression(const Compilation &c, const std::string &function, const std::function<bool(const Expr &)> &is) {
  bool found = false;
  auto look = [&](const ExprP &e) {
    found |= is(*e);
    return !found;
  };
  for (const CompiledRegion &r : c.regions)
    if (r.program.region.function == function) {
      for (const StmtP &s : r.program.region.body)
        walkExprs(s, look);
      for (const Function &f : r.program.region.functions)
        walkExprs(f.body, look);
    }
  return found;
}

// The kinds of data to run on. C does not say what becomes of a NaN that is converted to an integer.
std::vector<std::string> dataFor(const Compilation &c, const CheckedFunction &f, const CheckRun &r) {
  if (r.data == "both")
    return {"ordinary", "special"};
  if (!r.data.empty())
    return {r.data};
  bool converts = anyExpression(c, f.signature.name, [](const Expr &e) { return e.kind == ExprKind::Cast && e.type.isInteger() && e.type.scalar != Scalar::Bool && e.args[0]->type.isFloat(); });
  if (!hasFloats(f) || converts || r.options.floatingPoint == FloatingPoint::Fast)
    return {"ordinary"};
  return {"ordinary", "special"};
}

// A[3][17] where the extents are known, else A[117].
std::string elementName(const CheckedObject &o, long long element, const std::map<std::string, int64_t> &scalars) {
  if (!o.isArray)
    return o.name;
  std::string subscripts;
  for (size_t k = o.extents.size(); k-- > 1;) {
    std::optional<int64_t> extent = evaluate(o.extents[k], scalars);
    if (!extent || *extent < 1)
      return fmt::format("{}[{}]", o.name, element);
    subscripts = fmt::format("[{}]", element % *extent) + subscripts;
    element /= *extent;
  }
  return fmt::format("{}[{}]{}", o.name, element, subscripts);
}

void explain(const Compilation &c, const CheckedFunction &f, const CheckReport &report, const CheckDifference &d, const std::string &data, const std::string &file) {
  std::vector<const CheckedObject *> compared;
  for (const CheckedObject &o : f.objects)
    if (o.isArray || o.isGlobal)
      compared.push_back(&o);
  std::map<std::string, int64_t> scalars(report.scalars.begin(), report.scalars.end());
  const CheckedObject *o = d.object < int(compared.size()) ? compared[size_t(d.object)] : nullptr;
  std::string wider = d.wider == "-" ? "" : ", wider " + d.wider;
  std::string many = d.count > 1 ? fmt::format("; {} of {} elements {}", d.differing, d.count, d.differing == 1 ? "differs" : "differ") : "";
  std::printf("  %s: original %s, generated %s%s%s, on %s data\n", o ? elementName(*o, d.element, scalars).c_str() : "result", d.original.c_str(), d.generated.c_str(), wider.c_str(), many.c_str(),
              data.c_str());
  // The last region that writes the element is the one that matters.
  if (o)
    for (size_t k = c.regions.size(); k-- > 0;) {
      const Program &p = c.regions[k].program;
      if (p.region.function != f.signature.name)
        continue;
      for (auto &[name, array] : p.arrays)
        if (array.variable.spelling == o->name)
          if (std::optional<Writer> w = lastWriter(p, scalars, name, d.element)) {
            std::printf("    %s\n", inWords(*w, file).c_str());
            return;
          }
    }
}

// Builds the three versions and the driver.
void buildAll(const Compilation &c, const CheckedFunction &f, const CheckRun &r, const std::string &directory) {
  std::string source = fs::absolute(r.options.file), folder = fs::path(source).parent_path();
  bool wide = isDouble(f);
  std::vector<std::string> flags = r.options.arguments;
  flags.insert(flags.end(), {"-iquote", folder});
  writeFile(directory + "/regions.nw.c", runtimeFile(c.emitted(), c.emitOptions));
  writeFile(directory + "/rewritten.c", hostFile(c.parsed.source, source, false, c.emitted()));
  if (buildLibrary(wrapperText(f, source, Version::Original, wide), "original", flags, directory, {}) ||
      buildLibrary(wrapperText(f, directory + "/rewritten.c", Version::Generated, wide), "generated", flags, directory, {directory + "/regions.nw.c", "-I" + runtimeSources(), runtimeLibrary()}) ||
      buildLibrary(wrapperText(f, source, Version::Wider, wide), "wider", flags, directory, {}))
    throw UserError{"the C compiler refused the harness for " + f.signature.name};
  DriverOptions options;
  options.isExact = r.options.floatingPoint == FloatingPoint::Strict;
  options.isFast = r.options.floatingPoint == FloatingPoint::Fast;
  options.isDouble = wide;
  options.callsFunctions = anyExpression(c, f.signature.name, [](const Expr &e) { return e.kind == ExprKind::Call && e.type.isFloat(); });
  std::string driver = directory + "/driver.c";
  writeFile(driver, driverText(f, r.sizes, options, directory));
  if (run({"cc", "-O1", "-w", driver, "-o", directory + "/driver", "-ldl", "-lm"}))
    throw UserError{"the C compiler refused the driver for " + f.signature.name};
}

// Checks one function and says how it went.
Verdict checkFunction(const Compilation &c, const CheckedFunction &f, const CheckRun &r) {
  ScratchDirectory scratch;
  buildAll(c, f, r, scratch.path);
  std::string name = f.signature.name, file = fs::path(r.options.file).filename();
  CheckReport first;
  std::string skipped;
  bool failed = false;
  for (const std::string &data : dataFor(c, f, r)) {
    std::string path = fmt::format("{}/{}.report", scratch.path, data);
    writeFile(path, "");
    std::fflush(stdout);
    int status = run({scratch.path + "/driver", path, data});
    CheckReport report = readReport(readFile(path));
    if (first.stages.empty())
      first = report;
    if (status > 1 && data == "special" && !report.stages.count("original")) {
      skipped = "; the original itself does not end on special data";
      continue;
    }
    if (status && !failed)
      std::printf("%s: %s\n", name.c_str(), status == 1 ? "DIFFERENT" : "did not run");
    failed |= status != 0;
    if (status > 1)
      std::printf("  the %s ended with status %d, on %s data\n", !report.stages.count("original") ? "original" : "generated code", status, data.c_str());
    for (const CheckDifference &d : report.differences)
      explain(c, f, report, d, data, file);
  }
  if (failed)
    return Verdict::Different;
  std::string stayed = first.onHost ? fmt::format("{}: {}", first.where, first.reason) : "no region was reached";
  if (first.onDevice == 0) {
    std::printf("%s: same, but nothing ran on a device: %s%s\n", name.c_str(), stayed.c_str(), skipped.c_str());
    return Verdict::NothingRan;
  }
  if (first.onHost)
    stayed = fmt::format(" ({} of {} regions stayed on the host; {})", first.onHost, first.onHost + first.onDevice, stayed);
  else
    stayed.clear();
  std::printf("%s: same%s%s\n", name.c_str(), stayed.c_str(), skipped.c_str());
  return Verdict::Same;
}

// The exit status of the command.
int translateAndCheck(const CheckRun &r, const std::map<std::string, std::string> &given, bool poly, bool quiet, Watch &watch) {
  Compilation c = compile(r.options);
  watch.stop(); // the limits are for the translation, not for what it is compared with
  if (c.parsed.failed)
    return 1;
  if (c.parsed.isCxx)
    throw UserError{"check takes C files; for C++, write a main and compare its output"};
  if (!quiet)
    for (const Diagnostic &d : c.diagnostics)
      std::fputs(render(d, r.options.file, c.parsed.source).c_str(), stderr);
  int checked = 0;
  Verdict worst = Verdict::Same;
  for (const Signature &s : c.parsed.signatures) {
    bool hasRegion = std::any_of(c.regions.begin(), c.regions.end(), [&](const CompiledRegion &x) { return x.program.region.function == s.name; });
    if (!hasRegion || s.name == "main" || s.name.starts_with("prepare_"))
      continue;
    checked++;
    try {
      CheckedFunction f = describe(c, s, given);
      worst = std::max(worst, poly ? checkPoly(c, f, r.options, r.sizes) : checkFunction(c, f, r));
    } catch (const UserError &e) { // of this function; others may fare better
      std::printf("%s: not checked: %s\n", s.name.c_str(), e.message.c_str());
      worst = std::max(worst, Verdict::NothingRan);
    }
  }
  if (checked == 0)
    throw UserError{r.options.file + ": no function with an offloaded nest can be called for a check"};
  return worst == Verdict::Different ? 1 : worst == Verdict::NothingRan ? 3 : 0;
}

} // namespace

int checkCommand(const std::vector<std::string> &arguments) {
  CLI::App app{"Runs original and generated code on the same inputs and compares every output.", "nestwarp check"};
  CompileOptions options;
  CommonFlags flags;
  std::vector<std::string> sizes, extents;
  std::string data;
  bool poly = false;
  app.add_option("file", options.file, "C source")->required();
  app.add_option("--size", sizes, "value of an integer parameter, as in n=129");
  app.add_option("--extent", extents, "elements of a pointer parameter, as in A=n*n");
  app.add_option("--data", data, "ordinary numbers; special: with NaN, infinities, denormals, zeros; both")->check(CLI::IsMember({"ordinary", "special", "both"}));
  app.add_flag("--poly", poly, "check that every dependence is kept, whatever the data");
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
  CheckRun r{options, settings(sizes), data};
  std::map<std::string, std::string> given = settings(extents);
  return statusOf(runGuarded(flags.limits, [&](Watch &watch, std::string &) {
    options.watch = &watch;
    return translateAndCheck(r, given, poly, flags.quiet, watch);
  }), options.file);
}

} // namespace nw
