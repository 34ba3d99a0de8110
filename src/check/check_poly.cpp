// Running instrumented kernels, and their findings in words.
#include "check/check_poly.h"
#include "check/poly_harness.h"
#include "driver/host_compiler.h"
#include "ir/evaluate.h"
#include "support/process.h"
#include "support/text.h"
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

namespace nw {

namespace fs = std::filesystem;

namespace {

class Findings {
public:
  Findings(const CompiledRegion &r, const RecordLayout &layout, std::string file,
           const std::map<std::string, int64_t> &scalars)
      : p(r.program), layout(layout), file(std::move(file)), values(scalars) {
    for (const Parameter &q : p.parameters)
      if (std::optional<int64_t> v = evaluate(q.value, scalars))
        values[q.name] = *v;
  }

  std::string inWords(const PolyViolation &v) const {
    std::string text;
    if (v.kind == "final")
      text =
          fmt::format("after the region, {} was last written by {}; expected {}",
                      element(v.array.substr(7), v.element), writer(v.found), writer(v.expected));
    else if (v.kind == "foreign")
      text = fmt::format("{} runs, but is not in the program", writer(v.writer));
    else if (v.kind == "missing")
      text = fmt::format("{} does not run", writer(v.writer));
    else if (v.kind == "repeated")
      text = fmt::format("{} runs {} times", writer(v.writer), v.found);
    else {
      const ReadSite &site = recordOf(v.writer)->sites[size_t(v.site)];
      std::string lvalue = lvalueRead(site.lvalue, v.writer);
      if (site.isRepeated)
        text = fmt::format("{} reads {} as written by other instances than in source order",
                           writer(v.writer), lvalue);
      else if (v.found == 0)
        text = fmt::format("{} does not read {}", writer(v.writer), lvalue);
      else
        text = fmt::format("{} reads {} as written by {}; expected {}", writer(v.writer), lvalue,
                           writer(v.found), writer(v.expected));
    }
    return fmt::format("{} ({}{})", text, v.form,
                       v.many > 1 ? fmt::format("; {} findings in all", v.many) : "");
  }

private:
  const StatementRecord *recordOf(uint64_t writer) const {
    int number = statementIn(writer);
    return number >= 1 && number <= int(layout.statements.size())
               ? &layout.statements[size_t(number - 1)]
               : nullptr;
  }

  std::string counterName(int loop) const {
    const std::string &counter = p.loop(loop).counter;
    auto v = p.region.variables.find(counter);
    return v == p.region.variables.end() ? counter : v->second.spelling;
  }

  std::string writer(uint64_t w) const {
    if (w == 0)
      return "nobody";
    if (statementIn(w) == 255)
      return "nothing (it was not copied in)";
    const StatementRecord *r = recordOf(w);
    if (!r)
      return "what was there before";
    const Statement &s = *p.find(r->name);
    // What was reduced into has no single writer.
    bool isPlain = (w & 255) == uint64_t(r->number);
    std::string text = fmt::format("{}{}:{}", isPlain ? "" : "a reduction at ", file, s.at.line);
    if (isPlain) {
      std::vector<int64_t> iterators = iteratorsIn(w, *r, s.loops.size());
      for (size_t k = 0; k < iterators.size(); k++)
        text += fmt::format("{}{}={}", k ? " " : ", ", counterName(s.loops[k]), iterators[k]);
    }
    return text;
  }

  // The element as the source has it, with numbers for subscripts where they follow from counters
  // and sizes.
  std::string lvalueRead(const ExprP &lvalue, uint64_t w) const {
    const Statement &s = *p.find(recordOf(w)->name);
    std::map<std::string, int64_t> here = values;
    std::vector<int64_t> iterators = iteratorsIn(w, *recordOf(w), s.loops.size());
    for (size_t k = 0; k < iterators.size(); k++)
      here[p.loop(s.loops[k]).counter] = iterators[k];
    return print(rewrite(lvalue, [&](const ExprP &e) -> ExprP {
      if (e->kind != ExprKind::Index)
        return e;
      std::optional<int64_t> value = evaluate(e->args[1], here);
      return value ? index(e->args[0], intConst(*value, kI32), e->type) : e;
    }));
  }

  std::string element(const std::string &name, long long number) const {
    auto a = p.arrays.find(name);
    if (a == p.arrays.end() || a->second.isScalar())
      return name;
    std::string subscripts;
    for (size_t k = a->second.extents.size(); k-- > 1 && !a->second.slots;) {
      std::optional<int64_t> extent = evaluate(a->second.extents[k], values);
      if (!extent || *extent < 1)
        return fmt::format("{}[{}]", a->second.variable.spelling, number);
      subscripts = fmt::format("[{}]", number % *extent) + subscripts;
      number /= *extent;
    }
    return fmt::format("{}[{}]{}", a->second.variable.spelling, number, subscripts);
  }

  const Program &p;
  const RecordLayout &layout;
  std::string file;
  std::map<std::string, int64_t> values;
};

std::string grouped(long long number) {
  std::string text = std::to_string(number);
  for (int k = int(text.size()) - 3; k > 0; k -= 3)
    text.insert(size_t(k), ",");
  return text;
}

bool usesDouble(const CheckedFunction &f) {
  return f.signature.result.scalar == Scalar::F64 ||
         std::any_of(f.objects.begin(), f.objects.end(),
                     [](const CheckedObject &o) { return o.type.scalar == Scalar::F64; });
}

// Builds the driver and its libraries in the directory.
void buildPoly(const Compilation &c, const CheckedFunction &f, const CompileOptions &options,
               const std::vector<PolyRegion> &regions, const std::vector<CheckSettings> &runs,
               const std::string &directory) {
  std::string source = fs::absolute(options.file);
  bool quick = hasSmallSizes(f, runs);
  std::vector<std::string> flags = options.arguments;
  if (quick)
    flags.insert(flags.begin(), "-O0");
  flags.insert(flags.end(), {"-iquote", fs::path(source).parent_path()});
  if (c.isCuda)
    writeFile(source = directory + "/loops.c", c.text());
  writeFile(directory + "/rewritten.c", hostFile(c.text(), source, false, c.emitted()));
  bool wide = usesDouble(f);
  std::string original = directory + "/original.so", generated = directory + "/generated.so",
              driver = directory + "/driver.c";
  writeFile(directory + "/generated.c",
            wrapperText(f, directory + "/rewritten.c", Version::Generated, wide));
  writeFile(directory + "/original.c", wrapperText(f, source, Version::Original, wide));
  // What calls the runtime is long, with a copy of each region that keeps account, and runs once.
  std::string calls = regionsObject(polyFile(c, regions), flags, directory);
  if (buildLibrary("generated", flags, directory, {calls, runtimeLibrary()}) ||
      (f.hasPrepare && buildLibrary("original", flags, directory, {})))
    throw UserError{"the C compiler refused the harness for " + f.signature.name};
  writeFile(driver, polyDriverText(f, sizesOfRuns(runs), wide,
                                   {f.hasPrepare ? original : generated, generated}));
  if (runCompiler(false, {quick ? "-O0" : "-O1", "-w", "-rdynamic", driver, "-o",
                          directory + "/driver", "-ldl", "-lm"}))
    throw UserError{"the C compiler refused the driver for " + f.signature.name};
}

// Says how one run of the driver went, under the name of the function and its sizes.
Verdict judgePoly(const Compilation &c, const CheckedFunction &f,
                  const std::vector<PolyRegion> &regions, const std::string &file, int status,
                  const std::string &text, const std::string &name) {
  CheckReport ran = readReport(text);
  PolyReport report = readPolyReport(text);
  if (status > 1) {
    std::printf("%s: did not run; status %d\n", name.c_str(), status);
    return Verdict::Different;
  }
  if (!report.violations.empty()) {
    std::printf("%s: DEPENDENCE BROKEN\n", name.c_str());
    std::map<std::string, int64_t> scalars(ran.scalars.begin(), ran.scalars.end());
    for (size_t k = 0; k < report.violations.size() && k < 5; k++) {
      const PolyViolation &v = report.violations[k];
      const CompiledRegion &r = c.regions[size_t(v.region)];
      Findings findings(r, regions[size_t(v.region)].layout, file, scalars);
      std::printf("  %s\n", findings.inWords(v).c_str());
    }
    return Verdict::Different;
  }
  std::string stayed =
      ran.onHost ? fmt::format("{}: {}", ran.where, ran.reason) : "no region was reached";
  if (ran.onDevice == 0) {
    std::printf("%s: nothing ran on a device: %s\n", name.c_str(), stayed.c_str());
    return Verdict::NothingRan;
  }
  size_t statements = 0;
  for (const CompiledRegion &r : c.regions)
    if (r.program.region.function == f.signature.name)
      statements += r.program.statements.size();
  std::string with;
  for (const Variable &v : f.signature.parameters)
    if (auto s = ran.scalars.find(v.name); s != ran.scalars.end())
      with += fmt::format("{}{}={}", with.empty() ? ", " : " ", s->first, s->second);
  std::printf("%s: all dependences kept (%zu statements, %s reads checked%s)\n", name.c_str(),
              statements, grouped(report.reads).c_str(), with.c_str());
  return Verdict::Same;
}

} // namespace

Verdict checkPoly(const Compilation &c, const CheckedFunction &f, const CompileOptions &options,
                  const std::vector<CheckSettings> &runs) {
  ScratchDirectory scratch;
  std::vector<PolyRegion> regions;
  for (const CompiledRegion &r : c.regions)
    regions.push_back(polyRegion(r));
  buildPoly(c, f, options, regions, runs, scratch.path);
  std::string path = scratch.path + "/report";
  Verdict worst = Verdict::Same;
  for (size_t k = 0; k < runs.size(); k++) {
    writeFile(path, "");
    std::fflush(stdout);
    int status = run({scratch.path + "/driver", path, "ordinary", "0", std::to_string(k)});
    worst = std::max(worst, judgePoly(c, f, regions, fs::path(options.file).filename(), status,
                                      readFile(path), f.signature.name + runInWords(runs, k)));
  }
  return worst;
}

} // namespace nw
