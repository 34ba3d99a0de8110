// The pipeline.
#include "cli/pipeline.h"
#include "frontend/affine/build_program.h"
#include "lower/lower.h"
#include "plan/planner.h"
#include "poly/privatize.h"
#include "poly/schedule.h"
#include "poly/split.h"
#include "support/text.h"
#include "verify/verify.h"
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

namespace nw {

namespace {

// Items first..last of a sequence as a region.
Region regionOf(const Sequence &sequence, size_t first, size_t last) {
  Region r;
  r.function = sequence.function;
  r.at = sequence.items[first].at;
  r.variables = sequence.variables;
  r.structs = sequence.structs;
  r.functions = sequence.functions;
  for (size_t k = first; k <= last; k++) {
    const Item &item = sequence.items[k];
    r.body.push_back(item.tree);
    r.marked |= item.marked;
    if (!item.countersAfter.empty())
      r.countersAfter += item.countersAfter + " ";
  }
  for (auto &[name, v] : r.variables)
    v.liveAfter = v.storage == Storage::Global || v.isPointer || sequence.items[last].liveAfter.count(name);
  r.beginOffset = sequence.items[first].beginOffset;
  r.endOffset = sequence.items[last].endOffset;
  return r;
}

// Functions whose results on devices are the host's, bit for bit.
bool isExactFunction(const std::string &name) {
  static const std::set<std::string> exact = {"sqrt", "fabs", "floor", "ceil", "trunc", "round", "rint", "nearbyint", "fmin", "fmax", "fmod", "fma", "copysign", "abs", "labs", "llabs"};
  return exact.count(name) || name.starts_with("nw_");
}

void refuseInexactCalls(const Program &p) {
  for (const Statement &s : p.statements)
    walkExprs(s.body, [&](const ExprP &e) {
      if (e->kind == ExprKind::Call && !isExactFunction(e->name))
        throw Diagnostic{"NW0205", Severity::Remark, e->at.line ? e->at : s.at, fmt::format("'{}' differs in the last bits between host and devices, and --fp=strict wants equal bits", e->name), "compile without --fp=strict to offload this nest"};
      return true;
    });
  for (const Function &f : p.region.functions)
    walkExprs(f.body, [&](const ExprP &e) {
      if (e->kind == ExprKind::Call && !isExactFunction(e->name))
        throw Diagnostic{"NW0205", Severity::Remark, p.region.at, fmt::format("'{}' differs in the last bits between host and devices, and --fp=strict wants equal bits", e->name), "compile without --fp=strict to offload this nest"};
      return true;
    });
}

// Of isl, for one region. A region that needs more is left on the host.
constexpr unsigned long kOperationBudget = 10000000;

class Compiler {
public:
  explicit Compiler(const CompileOptions &options) : options(options) {
    if (!options.planFile.empty())
      givenPlans = fromJson(readFile(options.planFile));
  }

  Compilation run() {
    readFile(options.file); // a missing file is the user's mistake, said before Clang starts
    out.parsed = parseC({options.file, options.arguments, options.function});
    if (out.parsed.failed)
      return std::move(out);
    if (!options.function.empty() && std::count(out.parsed.functionsSeen.begin(), out.parsed.functionsSeen.end(), options.function) == 0)
      throw UserError{fmt::format("{} has no function '{}'", options.file, options.function)};
    out.diagnostics = out.parsed.diagnostics;
    for (const Sequence &s : out.parsed.sequences)
      compileSequence(s);
    std::stable_sort(out.diagnostics.begin(), out.diagnostics.end(), [](auto &a, auto &b) { return a.at.line < b.at.line; });
    auto same = [](auto &a, auto &b) { return a.code == b.code && a.at.line == b.at.line && a.at.column == b.at.column && a.message == b.message; };
    out.diagnostics.erase(std::unique(out.diagnostics.begin(), out.diagnostics.end(), same), out.diagnostics.end());
    out.emitOptions = {options.file, options.floatingPoint, options.contract, options.always || !options.function.empty()};
    return std::move(out);
  }

private:
  // Takes the longest runs of items that are each worth a device. What is kept has passed the verifier; a run that has
  // not is taken item by item.
  void compileSequence(const Sequence &s) {
    std::vector<std::optional<CompiledRegion>> alone(s.items.size());
    for (size_t k = 0; k < s.items.size(); k++)
      if (s.items[k].hasLoop)
        alone[k] = attempt(s, k, k, true, [&](const Region &region) { return stages(region); });
    for (size_t k = 0; k < s.items.size();) {
      if (!alone[k]) {
        k++;
        continue;
      }
      size_t last = k;
      for (size_t j = k + 1; j < s.items.size(); j++) {
        if (s.items[j].hasLoop && !alone[j])
          break;
        if (s.items[j].hasLoop)
          last = j;
      }
      std::optional<CompiledRegion> made;
      if (last > k)
        made = attempt(s, k, last, false, [&](const Region &region) { return verified(stages(region)); });
      if (!made) {
        last = k;
        made = attempt(s, k, k, true, [&](const Region &region) { return verified(numbered(std::move(*alone[k]), region.number)); });
      }
      if (made)
        keep(*made);
      k = last + 1;
    }
  }

  void keep(CompiledRegion r) {
    std::string stem;
    for (char c : std::filesystem::path(options.file).stem().string())
      stem += isalnum(c) ? c : '_';
    r.entry = fmt::format("nw_{}{}_{}_{}", options.entryPrefix, stem, r.program.region.function, r.program.region.number);
    out.regions.push_back(std::move(r));
  }

  // What `make` makes of items first..last, or nothing and, with `report`, why.
  template <class Make> std::optional<CompiledRegion> attempt(const Sequence &s, size_t first, size_t last, bool report, const Make &make) {
    Region region = regionOf(s, first, last);
    region.number = int(out.regions.size());
    try {
      return make(region);
    } catch (Diagnostic d) {
      if (region.marked)
        d.severity = Severity::Warning;
      if (!d.at.line)
        d.at = region.at;
      if (report)
        out.diagnostics.push_back(d);
    } catch (const isl::exception &e) {
      if (report)
        out.diagnostics.push_back({"NW0299", Severity::Warning, region.at, fmt::format("the polyhedral library gave up on this nest: {}", e.what()), "please report it; the nest stays on the host"});
    }
    return std::nullopt;
  }

  CompiledRegion stages(const Region &region) {
    CompiledRegion r;
    r.where = fmt::format("{}:{}", std::filesystem::path(options.file).filename().string(), region.at.line);
    Program plain = buildProgram(region);
    isl_ctx_set_max_operations(plain.isl->get().get(), kOperationBudget);
    r.program = privatize(plain, computeDependences(plain));
    if (options.floatingPoint == FloatingPoint::Strict) {
      refuseInexactCalls(r.program);
      keepOrderOfSums(r.program);
    }
    r.dependences = computeDependences(r.program);
    r.schedule = schedule(r.program, r.dependences, true);
    if (hasLongChains(r.program, r.schedule.root))
      trySplitting(r);
    if (!hasParallelism(r.schedule.root))
      throw Diagnostic{"NW0201", Severity::Remark, region.at, "every iteration needs the one before: no loop of this nest, nor a wavefront over it, is parallel", "it stays on the host"};
    if (isMostlySerial(r.program, r.schedule.root))
      throw Diagnostic{"NW0202", Severity::Remark, region.at, "a large part of this nest has no parallel loop and would run in a single thread of the device", "move that part to a nest of its own"};
    planAndLower(r);
    return r;
  }

  void planAndLower(CompiledRegion &r) {
    r.plan = propose(r.program, r.schedule, device);
    for (const Plan &given : givenPlans)
      if (given.function == r.plan.function && given.region == r.plan.region)
        r.plan = adopt(r.plan, given, device);
    r.kernels = lower(r.program, r.dependences, r.schedule, r.plan, device);
  }

  // The same region as number so-and-so of the file: plans and names of kernels follow.
  CompiledRegion numbered(CompiledRegion r, int number) {
    if (r.program.region.number != number) {
      r.program.region.number = number;
      planAndLower(r);
    }
    return r;
  }

  // Integer reductions may always be reordered; those of floating-point numbers not when strict.
  static void keepOrderOfSums(Program &p) {
    for (Statement &s : p.statements)
      if (s.reduction && s.reduction->type.isFloat())
        s.reduction.reset();
  }

  // Takes the program split at collisions when that leaves shorter chains.
  static void trySplitting(CompiledRegion &r) {
    std::optional<Program> split = splitAtCollisions(r.program);
    if (!split)
      return;
    Dependences dependences = computeDependences(*split);
    Schedule other = schedule(*split, dependences, true);
    if (!isBetter(*split, other.root, r.program, r.schedule.root))
      return;
    r.program = *split;
    r.dependences = dependences;
    r.schedule = other;
  }

  // A finding is a bug of ours: the nest stays on the host, its neighbours are not touched.
  CompiledRegion verified(CompiledRegion r) {
    isl_ctx_reset_operations(r.program.isl->get().get()); // a budget of its own
    std::vector<Finding> all = verifyKernels(r.program, r.kernels, device);
    if (all.empty())
      return r;
    std::string file = fmt::format("nestwarp-reproducer-{}-{}.txt", r.program.region.function, r.program.region.number);
    std::string text = options.file + "\n";
    for (const Finding &f : all)
      text += fmt::format("{}: {}\n", f.check, f.what);
    writeFile(file, fmt::format("{}\n{}\n{}\n{}\n{}", text, print(r.program), print(r.dependences), print(r.schedule), print(r.kernels)));
    throw Diagnostic{"NW0297", Severity::Warning, r.program.region.at, fmt::format("the verifier does not accept what nestwarp made of this nest (check '{}': {})", all[0].check, all[0].what),
                     fmt::format("it stays on the host; this is a bug of nestwarp: please report it with {}", file)};
  }

  const CompileOptions &options;
  const DeviceSpec device = commonDevice();
  Compilation out;
  std::vector<Plan> givenPlans;
};

} // namespace

std::vector<EmittedRegion> Compilation::emitted() const {
  std::vector<EmittedRegion> all;
  for (const CompiledRegion &r : regions)
    all.push_back({&r.program, &r.kernels, r.entry, r.where});
  return all;
}

Compilation compile(const CompileOptions &options) { return Compiler(options).run(); }

} // namespace nw
