// The pipeline.
#include "driver/pipeline.h"
#include "driver/share_regions.h"
#include "emit/loops_text.h"
#include "frontend/affine/build_program.h"
#include "frontend/affine/forward_loads.h"
#include "frontend/affine/reductions.h"
#include "frontend/cuda/covering.h"
#include "frontend/cuda/wrapping.h"
#include "frontend/openacc/data_mistakes.h"
#include "frontend/openacc/data_text.h"
#include "lower/lower.h"
#include "plan/planner.h"
#include "poly/carry.h"
#include "poly/privatize.h"
#include "poly/promises.h"
#include "poly/rename.h"
#include "poly/schedule.h"
#include "poly/split.h"
#include "poly/unflatten.h"
#include "support/text.h"
#include "verify/rewriting/rewriting.h"
#include "verify/verify.h"
#include <algorithm>
#include <cstdio>
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

// Functions whose results on devices are the host's, bit for bit.
bool isExactFunction(const std::string &name) {
  static const std::set<std::string> exact = {
      "sqrt", "fabs", "floor", "ceil", "trunc",    "round", "rint", "nearbyint",
      "fmin", "fmax", "fmod",  "fma",  "copysign", "abs",   "labs", "llabs"};
  return exact.count(name) || name.starts_with("nw_");
}

void refuseInexactCalls(const Program &p) {
  for (const Statement &s : p.statements)
    walkExprs(s.body, [&](const ExprP &e) {
      if (e->kind == ExprKind::Call && !isExactFunction(e->name))
        throw Diagnostic{"NW0205", Severity::Remark, e->at.line ? e->at : s.at,
                         fmt::format("'{}' differs in the last bits between host and devices, and "
                                     "--fp=strict wants equal bits",
                                     e->name),
                         "compile without --fp=strict to offload this nest"};
      return true;
    });
  for (const Function &f : p.region.functions)
    walkExprs(f.body, [&](const ExprP &e) {
      if (e->kind == ExprKind::Call && !isExactFunction(e->name))
        throw Diagnostic{"NW0205", Severity::Remark, p.region.at,
                         fmt::format("'{}' differs in the last bits between host and devices, and "
                                     "--fp=strict wants equal bits",
                                     e->name),
                         "compile without --fp=strict to offload this nest"};
      return true;
    });
}

// The model may be right under conditions that never hold when the nest has anything to do.
void refuseImpossible(const Program &p) {
  isl::set possible = p.context.intersect(p.assumptions);
  bool isEmpty = true, isEmptyAnyway = true;
  for (const Statement &s : p.statements) {
    isEmpty &= bool(s.domain.intersect_params(possible).is_empty());
    isEmptyAnyway &= bool(s.domain.is_empty());
  }
  if (isEmpty && !isEmptyAnyway)
    throw Diagnostic{"NW0209", Severity::Remark, p.region.at,
                     "what would have to be assumed of sizes is never true, for instance that a "
                     "flattened subscript stays in its row",
                     "declare the arrays with their dimensions"};
}

// Nests that are tried as one region: the cost of looking at them together grows faster than their
// number.
constexpr size_t kMostTogether = 40;

class Compiler {
public:
  explicit Compiler(const CompileOptions &options) : options(options) {
    if (!options.planFile.empty())
      givenPlans = fromJson(readFile(options.planFile, kLargestPlan));
  }

  Compilation run() {
    if (!options.text)
      readFile(options.file); // a missing file is the user's mistake, said before Clang starts
    ParseRequest request{options.file, options.arguments, options.function,
                         options.text, options.watch,     options.openacc};
    out.isCuda = isCudaFile(options.file, options.arguments);
    if (out.isCuda)
      takeCuda(parseCuda(request));
    else
      out.parsed = parseC(request);
    if (out.parsed.failed || saysErrors())
      return std::move(out);
    if (!options.function.empty() &&
        std::count(out.parsed.functionsSeen.begin(), out.parsed.functionsSeen.end(),
                   options.function) == 0)
      throw UserError{fmt::format("{} has no function '{}'", options.file, options.function)};
    out.diagnostics = out.parsed.diagnostics;
    sayUnheard();
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
  // Kernels of a CUDA file are regions of functions of loops, whose text is made here.
  void takeCuda(CudaFile file) {
    std::vector<LoopsFunction> functions;
    for (size_t k = 0; k < file.kernels.size(); k++) {
      Sequence &s = file.parsed.sequences[k];
      s.items[0].tree = withWideSubscripts(s.items[0].tree, s.variables, noWrap[s.function]);
      functions.push_back({s.function, file.parsed.signatures[k].parameters, s.items[0].tree,
                           s.structs, s.functions});
    }
    out.loops = loopsText(functions);
    for (size_t k = 0; k < functions.size(); k++) {
      for (auto &[name, v] : file.parsed.sequences[k].variables)
        v.spelling = nameInLoops(name);
      file.parsed.sequences[k].items[0].beginOffset = functions[k].begin;
      file.parsed.sequences[k].items[0].endOffset = functions[k].end;
    }
    out.parsed = std::move(file.parsed);
    out.kernels = std::move(file.kernels);
    out.launches = std::move(file.launches);
    out.annotations = std::move(file.annotations);
    out.macros = std::move(file.macros);
  }

  // What has to hold for the subscripts of a CUDA kernel to be what they seem. The verifier need
  // not know: it is one more thing that is asked.
  void assumeNothingWraps(CompiledRegion &r) const {
    auto found = noWrap.find(r.program.region.function);
    if (found == noWrap.end())
      return;
    std::vector<ExprP> conditions;
    for (const std::string &name : found->second.notNegative)
      conditions.push_back(
          binary(">=", cast(var(name, r.program.region.variables.at(name).type), kI64), intConst(0),
                 kI32));
    for (const Buffer &b : r.kernels.buffers)
      if (const auto &list = found->second.lessThan31Bits;
          std::count(list.begin(), list.end(), b.array)) {
        ExprP fits = binary("<=", cast(b.high, kI64), intConst(int64_t(1) << 31), kI32);
        conditions.push_back(b.touched ? binary("||", unary("!", b.touched, kI32), fits, kI32)
                                       : fits);
      }
    for (const ExprP &c : conditions)
      r.kernels.assumptions =
          r.kernels.assumptions ? binary("&&", r.kernels.assumptions, c, kI32) : c;
  }

  // As many threads on a multiprocessor as an annotation of the kernel wishes, in blocks of the
  // size that they have here.
  void wishTogether(CompiledRegion &r) const {
    for (const CudaKernel &c : out.kernels)
      if (c.function == r.program.region.function && c.blocksTogether > 0)
        for (Kernel &k : r.kernels.kernels) {
          int64_t threads = int64_t(k.block[0]) * k.block[1] * k.block[2];
          int64_t blocks =
              c.blockThreads ? c.blocksTogether * c.blockThreads / threads : c.blocksTogether;
          k.together = int(std::max<int64_t>(
              k.together, std::min({blocks, int64_t(device.residentThreads) / threads,
                                    int64_t(device.residentBlocks)})));
        }
  }

  // Clauses that change nothing are named, each once in a file.
  void sayUnheard() {
    std::set<std::string> said;
    for (const openacc::Directive &d : out.parsed.directives)
      for (const openacc::Unheard &u : d.unheard)
        if (said.insert(u.name).second)
          out.diagnostics.push_back({"NW0301", Severity::Remark, u.at,
                                     fmt::format("'{}' is not honoured: {}", u.name, u.why),
                                     "results are the same without it"});
    sayUncarried();
  }

  // What only nestwarp cc does, at the first directive that asks for it.
  void sayUncarried() {
    using enum openacc::DirectiveKind;
    if (!options.carriesData)
      for (const openacc::Directive &d : out.parsed.directives)
        if (d.kind == Data || d.kind == EnterData || d.kind == ExitData || d.kind == Update ||
            d.kind == HostData) {
          out.diagnostics.push_back(
              {"NW0305", Severity::Remark, d.at,
               fmt::format("'{}' is not carried out here, nor is any other directive about data: "
                           "each nest copies what it needs",
                           openacc::nameOf(d.kind)),
               "nestwarp cc carries them out; results differ only where host and device are meant "
               "to have different values"});
          return;
        }
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
      if (isNew)
        at->second = inBudget(
            s, k, [&](const Region &region, const auto &isl) { return stages(region, isl); },
            [&](const Region &region, const auto &isl) { return stages(region, isl); });
      return at->second;
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
          return verified(asGiven(stages(region, isl)));
        });
        if (kept)
          break;
        last = k + (last - k) / 2;
        while (!s.items[last].hasLoop)
          last--;
      }
      if (!kept)
        kept = inBudget(
            s, k,
            [&](const Region &region, const auto &) {
              hasRows = isMadeBy(alone(k)->program, Rewriting::Unflattening);
              return verified(numbered(*alone(k), region.number), s.items[k].share);
            },
            [&](const Region &region, const auto &isl) {
              return verified(stages(region, isl), s.items[k].share);
            });
      if (kept)
        keep(std::move(*kept));
      k = last + 1;
    }
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
    assumeNothingWraps(r);
    wishTogether(r);
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
    gaveUp = hasRows = false;
    std::optional<CompiledRegion> made = attempt(s, k, k, make);
    if (made || !gaveUp || !hasRows)
      return made;
    out.diagnostics.pop_back(); // that isl gave up
    staysFlat = true;
    made = attempt(s, k, k, again);
    staysFlat = false;
    return made;
  }

  // What `make` makes of items first..last, or nothing and, for a single one, why.
  template <class Make>
  std::optional<CompiledRegion> attempt(const Sequence &s, size_t first, size_t last,
                                        const Make &make) {
    Region region = regionOf(s, first, last);
    region.number = int(out.regions.size());
    region.isOnDevice =
        std::any_of(out.kernels.begin(), out.kernels.end(),
                    [&](const CudaKernel &c) { return c.function == region.function; });
    if (region.isOnDevice)
      region = withForwardedLoads(region);
    auto isl = std::make_shared<IslContext>();
    isl_ctx_set_max_operations(isl->get().get(), options.watch ? options.watch->limits.operations
                                                               : options.operations);
    std::optional<Watch::Interruptible> interruptible;
    if (options.watch)
      interruptible.emplace(*options.watch, isl->get().get());
    Diagnostic refused;
    try {
      return make(region, isl);
    } catch (const Diagnostic &d) {
      refused = d;
    } catch (const isl::exception &e) {
      std::optional<Diagnostic> reached =
          options.watch ? options.watch->reached(region.at) : std::nullopt;
      gaveUp = !reached;
      refused =
          reached
              ? *reached
              : Diagnostic{"NW0299", Severity::Warning, region.at,
                           fmt::format("the polyhedral library gave up on this nest: {}", e.what()),
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

  const Plan *givenFor(const Plan &p) const {
    auto found = std::find_if(givenPlans.begin(), givenPlans.end(), [&](const Plan &g) {
      return g.function == p.function && g.region == p.region;
    });
    return found == givenPlans.end() ? nullptr : &*found;
  }

  // Nests together, unless there is a plan that was made when they were not: what the verifier
  // refused then need not be found out again.
  CompiledRegion asGiven(CompiledRegion r) const {
    const Plan *given = givenFor(r.plan);
    auto isSame = [](const KernelPlan &a, const KernelPlan &b) {
      return a.statements == b.statements;
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

  void inLimits(const Region &region) {
    if (auto reached = options.watch ? options.watch->reached(region.at) : std::nullopt)
      throw *reached;
  }

  CompiledRegion stages(const Region &region, const std::shared_ptr<IslContext> &isl) {
    inLimits(region);
    CompiledRegion r;
    r.where = fmt::format("{}:{}", std::filesystem::path(options.file).filename().string(),
                          region.at.line);
    Program plain = buildProgram(region, isl);
    for (const CudaKernel &k : out.kernels)
      if (k.function == region.function)
        assumeCovered(plain, k);
    refuseImpossible(plain);
    refuseWrongFolds(plain);
    for (const FalsePromise &f : takeBackFalsePromises(plain))
      if (region.isOnDevice)
        throw Diagnostic{"NW0124", Severity::Remark, region.at,
                         fmt::format("different threads of the kernel touch the same elements of "
                                     "'{}', and nothing puts them in order",
                                     f.array),
                         "it is left as it was written"};
      else
        out.diagnostics.push_back(asDiagnostic(f));
    r.program = privatize(plain, computeDependences(plain));
    if (options.floatingPoint == FloatingPoint::Strict)
      refuseInexactCalls(r.program);
    keepOrder(r.program);
    inLimits(region);
    if (std::optional<Program> rows = staysFlat ? std::nullopt : unflattened(r.program);
        rows && isAccepted(*rows)) {
      r.program = *rows;
      hasRows = true;
    }
    r.dependences = computeDependences(r.program);
    inLimits(region);
    r.schedule = schedule(r.program, r.dependences, true);
    if (hasLongChains(r.program, r.schedule.root))
      trySplitting(r);
    if (std::optional<CompiledRegion> other =
            options.renaming && chainsIn(r.program, r.schedule.root) > 0 ? tryRenaming(r)
                                                                         : std::nullopt)
      return *other;
    tryCarrying(r);
    toKernels(r);
    return r;
  }

  void toKernels(CompiledRegion &r) {
    if (!hasParallelism(r.schedule.root))
      throw Diagnostic{"NW0201", Severity::Remark, r.program.region.at,
                       "every iteration needs the one before: no loop of this nest, nor a "
                       "wavefront over it, is parallel",
                       "it stays on the host"};
    if (isMostlySerial(r.program, r.schedule.root))
      throw Diagnostic{"NW0202", Severity::Remark, r.program.region.at,
                       "a large part of this nest has no parallel loop and would run in a single "
                       "thread of the device",
                       "move that part to a nest of its own"};
    inLimits(r.program.region);
    planAndLower(r, false);
  }

  // `isFinal`: it will be kept, so that the plan given for its number is meant for it.
  void planAndLower(CompiledRegion &r, bool isFinal) {
    r.plan = propose(r.program, r.schedule, device, options.planning);
    if (const Plan *given = isFinal ? givenFor(r.plan) : nullptr)
      r.plan = adopt(r.plan, *given, device);
    if (options.varyPlan) {
      Plan varied = r.plan;
      options.varyPlan(varied, device);
      r.plan = adopt(r.plan, varied, device);
    }
    lowerInBudget(r,
                  [&] { r.kernels = lower(r.program, r.dependences, r.schedule, r.plan, device); });
  }

  // Proposals of wide accesses cost isl work that a nest may have no budget for: it is taken to the
  // device without them then. Not so in a plan that somebody wrote.
  template <class Make> void lowerInBudget(CompiledRegion &r, const Make &make) {
    bool isProposed = !options.varyPlan && !givenFor(r.plan) &&
                      std::any_of(r.plan.kernels.begin(), r.plan.kernels.end(),
                                  [](const KernelPlan &k) { return k.vectors > 0; });
    try {
      make();
    } catch (const isl::exception &) {
      if (!isProposed || (options.watch && options.watch->reached(r.program.region.at)))
        throw;
      isl_ctx_reset_operations(r.program.isl->get().get());
      PlanOptions without = options.planning;
      without.vectors = false;
      r.plan = propose(r.program, r.schedule, device, without);
      r.kernels = lower(r.program, r.dependences, r.schedule, r.plan, device);
      make();
    }
  }

  // The same region as number so-and-so of the file: names of kernels follow.
  CompiledRegion numbered(CompiledRegion r, int number) {
    if (r.program.region.number != number) {
      r.program.region.number = number;
      planAndLower(r, false);
    }
    return r;
  }

  // Integer reductions may always be reordered, unless the source says seq; those of floating-point
  // numbers not when strict.
  void keepOrder(Program &p) const {
    keepAskedOrder(p);
    if (options.floatingPoint != FloatingPoint::Strict)
      return;
    for (Statement &s : p.statements)
      if (s.reduction && s.reduction->type.isFloat())
        s.reduction.reset();
  }

  // Takes the program split at collisions when that leaves shorter chains.
  void trySplitting(CompiledRegion &r) {
    std::optional<Program> split = splitAtCollisions(r.program);
    if (!split)
      return;
    Dependences dependences = computeDependences(*split);
    Schedule other = schedule(*split, dependences, true);
    if (!isBetter(*split, other.root, r.program, r.schedule.root) || !isAccepted(*split))
      return;
    r.program = *split;
    r.dependences = dependences;
    r.schedule = other;
  }

  // Takes the program with folds into variables of their own where there are such.
  void tryCarrying(CompiledRegion &r) {
    std::optional<Carried> carried = carryFolds(r.program, r.schedule, findReduction);
    if (!carried || !isAccepted(carried->program))
      return;
    r.program = carried->program;
    r.schedule = carried->schedule;
    keepOrder(r.program);
    r.dependences = computeDependences(r.program);
  }

  // Whether the program computes what the one that it was made of does. If not, that is a bug of
  // ours, which is told; the nest is compiled without.
  bool isAccepted(const Program &made) {
    std::vector<Finding> all = checkRewriting(made);
    if (!all.empty())
      out.diagnostics.push_back(bugIn(made.region, all, print(made) + "\n" + print(*made.before),
                                      "the nest is compiled without this step"));
    return all.empty();
  }

  // The region with memory of our own for values that keep loops in order only because they share
  // memory, where that makes loops parallel; as little of it as does. Nothing where it does not
  // help, or costs more than there is to spend: the region is taken as it is.
  std::optional<CompiledRegion> tryRenaming(const CompiledRegion &plain) {
    isl_ctx *isl = plain.program.isl->get().get();
    isl_ctx_reset_operations(isl); // a budget of its own
    std::optional<CompiledRegion> made;
    try {
      std::vector<Renaming> wanted = findRenamings(plain.program, plain.dependences);
      CompiledRegion best = wanted.empty() ? plain : withFewest(plain, wanted);
      if (best.program.before && best.program.rewriting == Rewriting::Renaming) {
        toKernels(best);
        made = best;
      }
    } catch (const Diagnostic &) {
      inLimits(plain.program.region);
    } catch (const isl::exception &) {
      inLimits(plain.program.region);
    }
    isl_ctx_reset_operations(isl);
    return made;
  }

  // The region with as few of these as do, or as it is where they do not help.
  CompiledRegion withFewest(const CompiledRegion &plain, std::vector<Renaming> wanted) const {
    CompiledRegion best = renamed(plain, wanted);
    if (!leavesShorterChains(best.program, best.schedule, plain.program, plain.schedule))
      return plain;
    for (size_t k = wanted.size(); k-- > 0 && wanted.size() > 1;) {
      std::vector<Renaming> fewer = wanted;
      fewer.erase(fewer.begin() + long(k));
      CompiledRegion other = renamed(plain, fewer);
      if (leavesShorterChains(other.program, other.schedule, plain.program, plain.schedule) &&
          chainsIn(other.program, other.schedule.root) <=
              chainsIn(best.program, best.schedule.root)) {
        wanted = fewer;
        best = other;
      }
    }
    return best;
  }

  CompiledRegion renamed(const CompiledRegion &plain, const std::vector<Renaming> &wanted) const {
    CompiledRegion r = plain;
    r.program = withRenamings(plain.program, wanted);
    for (Statement &s : r.program.statements) // what it read beside the element that it folds into
                                              // may be another array's now
      if (!s.reduction && !s.isCopy && (s.reduction = findReduction(s.body)) &&
          (!r.program.arrays.count(s.reduction->array) || startsAnew(s.body, *s.reduction)))
        s.reduction.reset();
    keepOrder(r.program);
    r.dependences = computeDependences(r.program);
    r.schedule = schedule(r.program, r.dependences, true);
    return r;
  }

  // The region with the plan that was found by measuring; nothing where there is none, or it does
  // not fit any more. It has passed the verifier.
  std::optional<CompiledRegion> tuned(CompiledRegion r) {
    std::optional<TunedPlan> found =
        options.tuned && !options.varyPlan ? options.tuned(r.program) : std::nullopt;
    if (!found)
      return std::nullopt;
    found->plan.function = r.plan.function;
    found->plan.region = r.plan.region;
    std::optional<CompiledRegion> taken;
    try {
      r.plan = adopt(r.plan, found->plan, device);
      r.kernels = lower(r.program, r.dependences, r.schedule, r.plan, device);
      if (verifyKernels(r.program, r.kernels, device).empty()) {
        r.tuned = found->about;
        taken = std::move(r);
      }
    } catch (const UserError &) {
    } catch (const Diagnostic &) {
    } catch (const isl::exception &) {
    }
    if (!taken)
      isl_ctx_reset_operations(
          r.program.isl->get().get()); // what was spent is not the proposed plan's
    return taken;
  }

  // The region with the tiles of a share hint; nothing where the proposed plan is to be taken. What
  // of the hint is not carried out is said.
  std::optional<CompiledRegion> shared(CompiledRegion &r, const openacc::ShareHint &hint) {
    isl_ctx_reset_operations(r.program.isl->get().get());
    HintedRegion made;
    try {
      made = withHint(r, hint, device, options.obeysShare);
    } catch (const UserError &e) {
      throw UserError{render({"NW0311", Severity::Error, hint.at, e.message,
                              "name parts that one division of the loops gives"},
                             options.file, out.parsed.source)};
    }
    isl_ctx_reset_operations(r.program.isl->get().get());
    CompiledRegion &taken = made.region ? *made.region : r;
    taken.share = made.lines;
    for (const std::string &text : made.undone) {
      taken.share.push_back("not carried out: " + text);
      out.diagnostics.push_back(
          {"NW0312", Severity::Remark, hint.at, "of this share hint: " + text,
           "explain says what was decided; the nest goes to the device all the same"});
    }
    return made.region;
  }

  // The region that is kept, with the plan that is meant for it. A finding is a bug of ours: the
  // nest stays on the host, its neighbours are not touched.
  CompiledRegion verified(CompiledRegion r, const std::optional<openacc::ShareHint> &hint = {}) {
    if (hint && !givenFor(r.plan))
      if (std::optional<CompiledRegion> other = shared(r, *hint))
        return *other;
    isl_ctx_reset_operations(r.program.isl->get().get()); // a budget of its own
    if (givenFor(r.plan)) {
      planAndLower(r, true);
      isl_ctx_reset_operations(r.program.isl->get().get()); // as where the plan is the proposed one
    } else if (std::optional<CompiledRegion> better = tuned(r))
      return *better;
    inLimits(r.program.region);
    std::vector<Finding> all;
    lowerInBudget(r, [&] { all = verifyKernels(r.program, r.kernels, device); });
    if (!all.empty() &&
        std::all_of(all.begin(), all.end(), [](const Finding &f) { return f.check == "widths"; })) {
      r.kernels = lower(r.program, r.dependences, r.schedule, r.plan, device, true);
      all = verifyKernels(r.program, r.kernels, device);
    }
    if (all.empty())
      return r;
    throw bugIn(r.program.region, all,
                fmt::format("{}\n{}\n{}\n{}", print(r.program), print(r.dependences),
                            print(r.schedule), print(r.kernels)),
                "it stays on the host");
  }

  // What the verifier found, with a file that shows it, and what becomes of the nest.
  Diagnostic bugIn(const Region &region, const std::vector<Finding> &all, const std::string &shown,
                   const char *outcome) const {
    std::string file = fmt::format("nestwarp-reproducer-{}-{}.txt", region.function, region.number);
    std::string text = options.file + "\n";
    for (const Finding &f : all)
      text += fmt::format("{}: {}\n", f.check, f.what);
    writeFile(file, text + "\n" + shown);
    return {
        "NW0297", Severity::Warning, region.at,
        fmt::format("the verifier does not accept what nestwarp made of this nest (check '{}': {})",
                    all[0].check, all[0].what),
        fmt::format("{}; this is a bug of nestwarp: please report it with {}", outcome, file)};
  }

  const CompileOptions &options;
  const DeviceSpec device = options.device.value_or(commonDevice());
  Compilation out;
  std::vector<Plan> givenPlans;
  std::map<std::string, NoWrap> noWrap; // by function
  bool gaveUp = false,
       hasRows = false;   // of the last attempt: isl did, and flattened arrays had rows
  bool staysFlat = false; // flattened arrays get none
};

} // namespace

std::vector<EmittedRegion> Compilation::emitted() const {
  std::vector<EmittedRegion> all;
  for (const CompiledRegion &r : regions)
    all.push_back({&r.program, &r.kernels, r.entry, r.where, r.alias, r.tuned});
  return all;
}

Compilation compile(const CompileOptions &options) { return Compiler(options).run(); }

} // namespace nw
