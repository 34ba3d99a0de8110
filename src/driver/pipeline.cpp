// The pipeline.
#include "driver/pipeline.h"
#include "driver/cuda_regions.h"
#include "driver/openacc_remarks.h"
#include "driver/program_passes.h"
#include "driver/region_plans.h"
#include "frontend/affine/forward_loads.h"
#include "frontend/openacc/data_mistakes.h"
#include "frontend/openacc/data_text.h"
#include "support/exit_status.h"
#include "support/text.h"
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>

namespace nw {

namespace {

// Items first..last of a sequence as a region; `wraps`: signed arithmetic does.
Region regionOf(const Sequence &sequence, size_t first, size_t last, bool wraps) {
  Region r;
  r.function = sequence.function;
  r.wraps = wraps;
  r.at = sequence.items[first].at;
  r.variables = sequence.variables;
  r.structs = sequence.structs;
  r.functions = sequence.functions;
  for (size_t k = first; k <= last; k++) {
    const Item &item = sequence.items[k];
    r.body.push_back(item.tree);
    r.marked |= item.marked;
    r.isConstruct |= item.construct.has_value();
    if (!item.countersAfter.empty())
      r.countersAfter += item.countersAfter + " ";
  }
  for (auto &[name, v] : r.variables)
    v.liveAfter =
        v.storage == Storage::Global || v.isPointer || sequence.items[last].liveAfter.count(name);
  if (const auto &construct = sequence.items[first].construct) {
    if (construct->condition)
      r.condition = "(" + *construct->condition + ")";
    if (construct->self)
      r.condition += (r.condition.empty() ? "!(" : " && !(") +
                     (construct->self->empty() ? "1" : *construct->self) + ")";
  }
  r.beginOffset = sequence.items[first].beginOffset;
  r.endOffset = sequence.items[last].endOffset;
  return r;
}

// Nests that are tried as one region: the cost of looking at them together grows faster than their
// number.
constexpr size_t kMostTogether = 40;

// As long as it lives, a time limit ends what isl does in the context.
class Interruptible {
public:
  Interruptible(const CompileOptions &options, isl_ctx *isl) {
    if (options.watch)
      running.emplace(*options.watch, isl);
  }
  Interruptible(const CompileOptions &options, const Program &p)
      : Interruptible(options, p.isl->get().get()) {}

private:
  std::optional<Watch::Interruptible> running;
};

class Compiler {
public:
  explicit Compiler(const CompileOptions &options) : options(options) {
    if (!options.planFile.empty())
      givenPlans = fromJson(readFile(options.planFile, kLargestPlan));
  }

  Compilation run() {
    if (!options.text)
      readFile(options.file); // a missing file is the user's mistake, said before Clang starts
    if (!options.hostFlags.empty())
      return onHost();
    ParseRequest request{options.file, options.arguments, options.function,
                         options.text, options.watch,     options.openacc};
    out.isCuda = isCudaFile(options.file, options.arguments);
    if (out.isCuda)
      noWraps = takeCuda(parseCuda(request), out);
    else
      out.parsed = parseC(request);
    if (out.parsed.failed || saysErrors())
      return std::move(out);
    if (!options.function.empty() &&
        std::count(out.parsed.functionsSeen.begin(), out.parsed.functionsSeen.end(),
                   options.function) == 0)
      throw UserError{fmt::format("{} has no function '{}'", options.file, options.function)};
    out.diagnostics = out.parsed.diagnostics;
    for (Diagnostic &d : openaccRemarks(out.parsed.directives, options.carriesData))
      out.diagnostics.push_back(std::move(d));
    for (const Sequence &s : out.parsed.sequences)
      compileSequence(s);
    refuseUnusedPlans();
    std::stable_sort(out.diagnostics.begin(), out.diagnostics.end(),
                     [](auto &a, auto &b) { return a.at.line < b.at.line; });
    auto same = [](auto &a, auto &b) {
      return a.code == b.code && a.at.line == b.at.line && a.at.column == b.at.column &&
             a.message == b.message;
    };
    out.diagnostics.erase(std::unique(out.diagnostics.begin(), out.diagnostics.end(), same),
                          out.diagnostics.end());
    out.emitOptions = {options.file, options.floatingPoint, options.contract,
                       options.always || !options.function.empty(), options.lines};
    out.emitOptions.charIsUnsigned = out.parsed.charIsUnsigned;
    for (const CompiledRegion &r : out.regions)
      if (isPresentByDefault(r.program.region.beginOffset, r.program.region.endOffset,
                             out.parsed.directives))
        out.emitOptions.requirePresent.insert(r.program.region.number);
    for (const CompiledRegion &r : out.regions)
      for (auto &[name, v] : r.program.region.variables)
        if (isDevicePointer(v.spelling, r.program.region.beginOffset, r.program.region.endOffset,
                            out.parsed.directives))
          out.emitOptions.devicePointers[r.program.region.number].insert(v.spelling);
    return std::move(out);
  }

private:
  // Flags keep the file on the host: nothing is looked at, and the reasons are said.
  Compilation onHost() {
    out.parsed.file = options.file;
    out.parsed.source = options.text ? *options.text : readFile(options.file);
    out.parsed.isCxx = std::filesystem::path(options.file).extension() != ".c";
    for (const CompilerMeaning::HostFlag &f : options.hostFlags) {
      if (isCudaFile(options.file, options.arguments) ||
          (options.openacc && out.parsed.source.find("pragma acc") != std::string::npos))
        throw UserError{fmt::format("{}: {} is not for files whose work the device has to do: {}",
                                    options.file, f.given, f.why),
                        kUsage};
      out.diagnostics.push_back(
          {"NW0114",
           Severity::Warning,
           {},
           fmt::format("the whole file stays on the host because of {}: {}", f.given, f.why),
           fmt::format("compile it without {} to use a device", f.given)});
    }
    return std::move(out);
  }

  // Mistakes in directives are the user's, like Clang's errors: all are said, and nothing is
  // compiled.
  bool saysErrors() {
    for (const Diagnostic &d : dataMistakes(out.parsed.directives))
      out.parsed.diagnostics.push_back(d);
    for (const Diagnostic &d : out.parsed.diagnostics)
      if (d.severity == Severity::Error) {
        std::fputs(render(d, options.file, out.parsed.source).c_str(), stderr);
        out.parsed.failed = true;
      }
    return out.parsed.failed;
  }

  // Takes the longest runs of items that are each worth a device. What is kept has passed the
  // verifier; a run that has not is tried in halves.
  void compileSequence(const Sequence &s) {
    std::map<size_t, std::optional<CompiledRegion>> known;
    auto alone = [&](size_t k) -> std::optional<CompiledRegion> & {
      auto [at, isNew] = known.try_emplace(k);
      if (isNew) {
        auto make = [&](const Region &region, const auto &isl) { return scheduled(region, isl); };
        at->second = inBudget(s, k, make, make);
      }
      return at->second;
    };
    // Kernels of a nest alone are asked for late: mostly, its neighbours are in them.
    auto isLowered = [&](size_t k) {
      std::optional<CompiledRegion> &r = alone(k);
      if (r && !r->isLowered)
        r = inBudget(
            s, k,
            [&](const Region &region, const auto &) {
              Interruptible ends(options, r->program);
              context.hasRows = isMadeBy(r->program, Rewriting::Delinearization);
              return withKernels(*r, region.number);
            },
            [&](const Region &region, const auto &isl) { return lowered(region, isl); });
      return r.has_value();
    };
    for (size_t k = 0; k < s.items.size();) {
      if (!s.items[k].hasLoop || !alone(k)) {
        k++;
        continue;
      }
      size_t last = k;
      for (size_t j = k + 1; j < s.items.size() && j < k + kMostTogether; j++) {
        if (s.items[k].share || s.items[j].share) // a hint is about one nest
          break;
        if (s.items[j].hasLoop && !alone(j))
          break;
        if (s.items[j].hasLoop)
          last = j;
      }
      std::optional<CompiledRegion> kept;
      while (!kept && last > k) {
        kept = attempt(s, k, last, [&](const Region &region, const auto &isl) {
          return options.isForSchedule ? scheduled(region, isl)
                                       : verified(asGiven(lowered(region, isl)), {}, context);
        });
        if (!kept)
          last = fewer(s, k, last, isLowered);
      }
      if (!kept && options.isForSchedule)
        kept = alone(k);
      else if (!kept && isLowered(k))
        kept = inBudget(
            s, k,
            [&](const Region &region, const auto &) {
              const CompiledRegion &r = *alone(k);
              Interruptible ends(options, r.program);
              context.hasRows = isMadeBy(r.program, Rewriting::Delinearization);
              return verified(numbered(r, region.number, context), s.items[k].share, context);
            },
            [&](const Region &region, const auto &isl) {
              return verified(lowered(region, isl), s.items[k].share, context);
            });
      if (kept)
        keep(std::move(*kept));
      else if (!options.isForSchedule && isLowered(k))
        refused++;
      k = last + 1;
    }
  }

  // Where a run from `first` on ends that is tried next: before the first item that has no kernels
  // by itself, or in the middle.
  template <class IsLowered>
  static size_t fewer(const Sequence &s, size_t first, size_t last, const IsLowered &isLowered) {
    size_t end = first;
    for (size_t j = first + 1; j <= last; j++)
      if (s.items[j].hasLoop) {
        if (!isLowered(j))
          return end;
        end = j;
      }
    last = first + (last - first) / 2;
    while (!s.items[last].hasLoop)
      last--;
    return last;
  }

  CompiledRegion scheduled(const Region &region, const std::shared_ptr<IslContext> &isl) {
    CompiledRegion r = analysed(region, isl, context);
    refuseUnfit(r, context);
    return r;
  }

  CompiledRegion withKernels(CompiledRegion r, int number) {
    resetOperations(r.program);
    r.program.region.number = number;
    toKernels(r, context);
    return r;
  }

  CompiledRegion lowered(const Region &region, const std::shared_ptr<IslContext> &isl) {
    CompiledRegion r = analysed(region, isl, context);
    toKernels(r, context);
    return r;
  }

  void keep(CompiledRegion r) {
    std::string stem;
    for (char c : std::filesystem::path(options.file).stem().string())
      stem += isalnum(c) ? c : '_';
    std::string name =
        fmt::format("{}_{}_{}", stem, r.program.region.function, r.program.region.number);
    r.entry = "nw_" + options.entryPrefix + name;
    r.alias = options.entryPrefix.empty() ? "" : "nw_" + name;
    // Messages, times and caches tell regions apart by their place; a macro can put two on one
    // line.
    auto same =
        std::count_if(out.regions.begin(), out.regions.end(), [&](const CompiledRegion &other) {
          return other.program.region.at.line == r.program.region.at.line;
        });
    if (same > 0)
      r.where += fmt::format(" ({})", same + 1);
    assumeNothingWraps(r, noWraps);
    applyMinBlocks(r, out.kernels, device);
    out.regions.push_back(std::move(r));
  }

  static bool isMadeBy(const Program &program, Rewriting step) {
    for (const Program *p = &program; p->before; p = p->before.get())
      if (p->rewriting == step)
        return true;
    return false;
  }

  // What `make` makes of item k. Rows of flattened arrays give tiles and windows, which cost isl
  // more: where that is too much, what `again` makes of it without them.
  template <class Make, class Again>
  std::optional<CompiledRegion> inBudget(const Sequence &s, size_t k, const Make &make,
                                         const Again &again) {
    gaveUp = context.hasRows = false;
    std::optional<CompiledRegion> made = attempt(s, k, k, make);
    if (made || !gaveUp || !context.hasRows)
      return made;
    out.diagnostics.pop_back(); // that isl gave up
    context.staysFlat = true;
    made = attempt(s, k, k, again);
    context.staysFlat = false;
    return made;
  }

  // What `make` makes of items first..last, or nothing and, for a single one, why.
  template <class Make>
  std::optional<CompiledRegion> attempt(const Sequence &s, size_t first, size_t last,
                                        const Make &make) {
    Region region = regionOf(s, first, last, options.wraps);
    region.number = int(out.regions.size()) + refused;
    region.isOnDevice =
        std::any_of(out.kernels.begin(), out.kernels.end(),
                    [&](const CudaKernel &c) { return c.function == region.function; });
    if (region.isOnDevice)
      region = withForwardedLoads(region);
    auto isl = std::make_shared<IslContext>();
    isl_ctx_set_max_operations(isl->get().get(), options.watch ? options.watch->limits.operations
                                                               : options.operations);
    Interruptible ends(options, isl->get().get());
    Diagnostic refused;
    try {
      return make(region, isl);
    } catch (const Diagnostic &d) {
      refused = d;
    } catch (const isl::exception &e) {
      std::optional<Diagnostic> reached =
          options.watch ? options.watch->reached(region.at) : std::nullopt;
      gaveUp = !reached;
      refused = reached ? *reached
                        : Diagnostic{"NW0299", Severity::Warning, region.at,
                                     fmt::format("isl gave up on this nest: {}", e.what()),
                                     "please report it; the nest stays on the host"};
    }
    if (region.marked || region.isConstruct)
      refused.severity = Severity::Warning;
    if (!refused.at.line)
      refused.at = region.at;
    if (first == last) // of several together each says it for itself
      out.diagnostics.push_back(refused);
    return std::nullopt;
  }

  // Nests together, unless there is a plan that was made when they were not: what the verifier
  // refused then need not be found out again.
  CompiledRegion asGiven(CompiledRegion r) const {
    const Plan *given = context.givenFor(r.plan);
    auto isSame = [](const KernelPlan &a, const KernelPlan &b) {
      return std::is_permutation(a.grid.begin(), a.grid.end(), b.grid.begin(), b.grid.end());
    };
    if (given && (given->loops.size() != r.plan.loops.size() ||
                  !std::equal(given->kernels.begin(), given->kernels.end(), r.plan.kernels.begin(),
                              r.plan.kernels.end(), isSame)))
      throw Diagnostic{"", Severity::Remark, r.program.region.at, "the plan is for fewer nests",
                       ""}; // they are tried alone, and nobody is told
    return r;
  }

  // A plan for a region that is not there was made for another source, or with other flags; or it
  // is the plan that a nest was refused with.
  void refuseUnusedPlans() const {
    for (const Plan &g : givenPlans)
      if (std::none_of(out.regions.begin(), out.regions.end(), [&](const CompiledRegion &r) {
            return r.plan.function == g.function && r.plan.region == g.region;
          })) {
        std::string refusals;
        for (const Diagnostic &d : out.diagnostics)
          if (!d.code.empty())
            refusals += fmt::format("\n  line {}: {} [{}]", d.at.line, d.message, d.code);
        throw UserError{fmt::format(
            "the plan has an entry for region {} of {}, but there is no such region; make and "
            "replay a plan with the same flags{}",
            g.region, g.function,
            refusals.empty()
                ? ""
                : "; nests that stayed on the host, perhaps because of the plan:" + refusals)};
      }
  }

  const CompileOptions &options;
  const DeviceSpec device = options.device.value_or(commonDevice());
  Compilation out;
  std::vector<Plan> givenPlans;
  int refused = 0; // nests whose kernels were not proved: each has a number, so that those behind
                   // it have theirs whatever the plan
  RegionContext context{options, device, givenPlans, out};
  NoWraps noWraps;
  bool gaveUp = false; // of the last attempt: isl did
};

} // namespace

std::vector<EmittedRegion> Compilation::emitted() const {
  std::vector<EmittedRegion> all;
  for (const CompiledRegion &r : regions)
    all.push_back({&r.program, &r.kernels, r.entry, r.where, r.alias, r.tuned});
  return all;
}

Compilation compile(const CompileOptions &options) { return Compiler(options).run(); }

void takeMeaning(const CompilerMeaning &meaning, CompileOptions &options) {
  if (options.floatingPoint == FloatingPoint::Strict)
    refuseMixedArithmetic(meaning);
  options.arguments.insert(options.arguments.end(), meaning.forClang.begin(),
                           meaning.forClang.end());
  options.wraps = meaning.wraps;
  options.contract = meaning.contract.value_or(true);
  options.hostFlags = meaning.host;
}

} // namespace nw
