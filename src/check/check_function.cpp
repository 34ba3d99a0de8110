// What nestwarp check does with one function, apart from running it: its data, the texts of the
// harness, and the words for what came out.
#include "check/check_function.h"
#include "check/data_ranges.h"
#include "frontend/c/guard_subscripts.h"
#include "ir/evaluate.h"
#include "support/exit_status.h"
#include "support/text.h"
#include "verify/rewriting/last_writer.h"
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>

namespace nw {

CheckedFunction describeFunction(const Compilation &c, const Signature &signature,
                                 const std::map<std::string, std::string> &extents) {
  CheckedFunction f;
  f.signature = signature;
  f.source = c.text();
  Dialect host;
  TreePrinter print(host);
  f.hasPrepare = std::count(c.parsed.functionsSeen.begin(), c.parsed.functionsSeen.end(),
                            "prepare_" + signature.name) > 0;
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
      throw UserError{fmt::format("cannot invent values for the parameter '{}' of {}: it is a "
                                  "struct; write a main that calls the function",
                                  v.name, signature.name)};
    if (v.isPointer) {
      o.count = product(v);
      if (auto given = extents.find(v.name); given != extents.end())
        o.count = given->second;
      if (o.count.empty())
        o.count = touched[v.name];
      if (o.count.empty())
        throw UserError{fmt::format("the extent of '{}' in {} is unknown; give --extent {}=NUMBER, "
                                    "or an expression of the sizes",
                                    v.name, signature.name, v.name)};
    }
    f.objects.push_back(o);
  }
  std::set<std::string> seen;
  for (const CompiledRegion &r : c.regions)
    if (r.program.region.function == signature.name)
      for (const Buffer &b : r.kernels.buffers)
        if (auto a = r.program.arrays.find(b.array);
            a != r.program.arrays.end() && a->second.variable.storage == Storage::Global &&
            !a->second.variable.isPointer && !a->second.variable.type.isStruct() &&
            !a->second.variable.isConst && isIdentifier(a->second.variable.spelling) &&
            seen.insert(b.name).second)
          f.objects.push_back({a->second.variable.spelling, a->second.variable.type, true,
                               a->second.variable.isArray(),
                               a->second.variable.isArray() ? product(a->second.variable) : "1",
                               a->second.variable.extents});
  addDataRanges(f, c);
  return f;
}

namespace {

bool isDouble(const CheckedFunction &f) {
  return f.signature.result.scalar == Scalar::F64 ||
         std::any_of(f.objects.begin(), f.objects.end(),
                     [](const CheckedObject &o) { return o.type.scalar == Scalar::F64; });
}

bool hasFloats(const CheckedFunction &f) {
  return f.signature.result.isFloat() ||
         std::any_of(f.objects.begin(), f.objects.end(),
                     [](const CheckedObject &o) { return o.type.isFloat(); });
}

// Whether any expression of the function's regions, or with no name of all regions, is of this
// kind.
bool anyExpression(const Compilation &c, const std::string &function,
                   const std::function<bool(const Expr &)> &is) {
  bool found = false;
  auto look = [&](const ExprP &e) {
    found |= is(*e);
    return !found;
  };
  for (const CompiledRegion &r : c.regions)
    if (function.empty() || r.program.region.function == function) {
      for (const StmtP &s : r.program.region.body)
        walkExprs(s, look);
      for (const Function &f : r.program.region.functions)
        walkExprs(f.body, look);
    }
  return found;
}

// A[3][17] where the extents are known, else A[117].
std::string elementName(const CheckedObject &o, long long element,
                        const std::map<std::string, int64_t> &scalars) {
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

void explain(const Compilation &c, const CheckedFunction &f, const CheckReport &report,
             const CheckDifference &d, const std::string &data, const std::string &file) {
  std::vector<const CheckedObject *> compared;
  for (const CheckedObject &o : f.objects)
    if (o.isArray || o.isGlobal)
      compared.push_back(&o);
  std::map<std::string, int64_t> scalars(report.scalars.begin(), report.scalars.end());
  const CheckedObject *o =
      d.object >= 0 && d.object < int(compared.size()) ? compared[size_t(d.object)] : nullptr;
  std::string wider = d.wider == "-" ? "" : ", wider " + d.wider;
  std::string many = d.count > 1 ? fmt::format("; {} of {} elements {}", d.differing, d.count,
                                               d.differing == 1 ? "differs" : "differ")
                                 : "";
  std::printf("  %s: original %s, generated %s%s%s, on %s data\n",
              o ? elementName(*o, d.element, scalars).c_str() : "result", d.original.c_str(),
              d.generated.c_str(), wider.c_str(), many.c_str(), data.c_str());
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

} // namespace

bool computesInFloat(const Compilation &c) {
  return anyExpression(c, "", [](const Expr &e) { return e.type.scalar == Scalar::F32; });
}

// C does not say what becomes of a NaN that is converted to an integer.
std::vector<std::string> dataFor(const Compilation &c, const CheckedFunction &f,
                                 const CheckSettings &s) {
  if (s.data == "both")
    return {"ordinary", "special"};
  if (!s.data.empty())
    return {s.data};
  bool converts = anyExpression(c, f.signature.name, [](const Expr &e) {
    return e.kind == ExprKind::Cast && e.type.isInteger() && e.type.scalar != Scalar::Bool &&
           e.args[0]->type.isFloat();
  });
  if (!hasFloats(f) || converts || s.floatingPoint == FloatingPoint::Fast)
    return {"ordinary"};
  return {"ordinary", "special"};
}

DriverOptions driverOptions(const Compilation &c, const CheckedFunction &f,
                            FloatingPoint floatingPoint) {
  DriverOptions options;
  options.isExact = floatingPoint == FloatingPoint::Strict;
  options.isFast = floatingPoint == FloatingPoint::Fast;
  options.isDouble = isDouble(f);
  options.callsFunctions = anyExpression(c, f.signature.name, [](const Expr &e) {
    return e.kind == ExprKind::Call && e.type.isFloat();
  });
  return options;
}

std::optional<std::string> guardedSource(const Compilation &c, const CompileOptions &options,
                                         const std::string &name) {
  // Clang finds a text under an absolute name, whether there is such a file or not.
  ParseRequest request{
      std::filesystem::absolute(name), options.arguments, "", c.text(), nullptr, options.openacc};
  return guardSubscripts(request);
}

std::map<std::string, std::string> checkTexts(const Compilation &c, const CheckedFunction &f,
                                              const CheckSettings &s, const std::string &source,
                                              const std::string &rewritten,
                                              const std::string &libraries) {
  DriverOptions options = driverOptions(c, f, s.floatingPoint);
  bool wide = options.isDouble;
  return {{"original.c", wrapperText(f, source, Version::Original, wide)},
          {"generated.c", wrapperText(f, rewritten, Version::Generated, wide)},
          {"wider.c", wrapperText(f, source, Version::Wider, wide)},
          {"regions.nw.c", runtimeFile(c.emitted(), c.emitOptions)},
          {"driver.c", driverText(f, s.sizes, options, libraries)}};
}

Verdict judge(const Compilation &c, const CheckedFunction &f,
              const std::vector<CheckOutcome> &outcomes, const std::string &file,
              const std::string &title) {
  const std::string &name = title.empty() ? f.signature.name : title;
  CheckReport first;
  std::string skipped;
  bool failed = false;
  for (const CheckOutcome &o : outcomes) {
    if (first.stages.empty())
      first = o.report;
    if (!o.report.outside.empty() && o.data == "special") {
      skipped = "; on special data the original itself leaves its arrays";
      continue;
    }
    if (!o.report.outside.empty()) {
      std::printf("%s: not checked: on made-up data the original itself leaves an array: %s; other "
                  "sizes may fit, or data of your own (prepare_NAME)\n",
                  name.c_str(), o.report.outside.c_str());
      return Verdict::NothingRan;
    }
    bool differs = o.status == 1 || !o.report.differences.empty();
    if (!differs && o.status && o.data == "special" && !o.report.stages.count("original")) {
      skipped = "; the original itself does not terminate on special data";
      continue;
    }
    if ((differs || o.status) && !failed)
      std::printf("%s: %s\n", name.c_str(), differs ? "DIFFERENT" : "did not run");
    failed |= differs || o.status;
    if (o.status && o.status != 1)
      std::printf("  the %s ended with status %d, on %s data\n",
                  !o.report.stages.count("original") ? "original" : "generated code", o.status,
                  o.data.c_str());
    for (const CheckDifference &d : o.report.differences)
      explain(c, f, o.report, d, o.data, file);
  }
  if (failed)
    return Verdict::Different;
  std::string stayed =
      first.onHost ? fmt::format("{}: {}", first.where, first.reason) : "no region was reached";
  if (first.onDevice == 0) {
    std::printf("%s: same, but nothing ran on a device: %s%s\n", name.c_str(), stayed.c_str(),
                skipped.c_str());
    return Verdict::NothingRan;
  }
  if (first.onHost)
    stayed = fmt::format(" ({} of {} regions stayed on the host; {})", first.onHost,
                         first.onHost + first.onDevice, stayed);
  else
    stayed.clear();
  std::printf("%s: same%s%s\n", name.c_str(), stayed.c_str(), skipped.c_str());
  return Verdict::Same;
}

bool isCheckable(const Compilation &c, const Signature &s) {
  bool hasRegion = std::any_of(c.regions.begin(), c.regions.end(), [&](const CompiledRegion &x) {
    return x.program.region.function == s.name;
  });
  return hasRegion && s.name != "main" && !s.name.starts_with("prepare_");
}

} // namespace nw
