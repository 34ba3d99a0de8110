// Steps to kernels and host steps.
// Over 500 lines: one class; every step adds to the same kernels. Moves take its place
// (docs/roadmap.md).
#include "lower/lower.h"
#include "kernel/partial_results.h"
#include "kernel/unroll.h"
#include "lower/block_reduction.h"
#include "lower/block_values.h"
#include "lower/boxes.h"
#include "lower/buffers.h"
#include "lower/expansion.h"
#include "lower/fusion.h"
#include "lower/index_type.h"
#include "lower/instances.h"
#include "lower/parameters.h"
#include "lower/reduction.h"
#include "lower/resident.h"
#include "lower/spaces.h"
#include "lower/step_code.h"
#include "lower/thread_tile.h"
#include "lower/tiles.h"
#include "lower/windowed_tile.h"
#include <algorithm>
#include <bit>
#include <fmt/format.h>

namespace nw {

namespace {

isl::set smallParameters(const Program &p, long long limit) {
  isl::ctx ctx = p.isl->get();
  isl::set all(ctx, "{ : }");
  for (const Parameter &q : p.parameters)
    all = all.intersect(
        isl::set(ctx, fmt::format("[{0}] -> {{ : -{1} <= {0} <= {1} }}", q.name, limit)));
  return all;
}

class Lowering {
public:
  Lowering(const Program &given, const Dependences &d, const Schedule &s, const Plan &plan,
           const DeviceSpec &device, bool isWide)
      : p(given), dependences(d), schedule(s), plan(plan), device(device),
        range(indexRangeOf(given, s, isWide)), indexType(range.type), reader(p, indexType),
        context{p, reader, indexType, {}} {
    p.assumptions = p.assumptions.intersect(smallParameters(given, range.limit)).coalesce();
  }

  Kernels run() {
    known = p.context.intersect(p.assumptions);
    noteDimensions(schedule.root);
    out.assumptions = AstReader(p, kI64).condition(p.assumptions, p.context);
    for (const Parameter &q :
         p.parameters) // what does not fit a signed number would be taken for a negative one
      if (q.type.scalar == Scalar::U64) {
        ExprP fits = binary("<=", var(q.name, q.type), intConst(1LL << 60, q.type), kI32);
        out.assumptions = out.assumptions ? binary("&&", fits, out.assumptions, kI32) : fits;
      }
    refuseUnknownExtents();
    for (const std::string &name : schedule.expanded)
      expand(name);
    std::vector<std::string> all;
    for (const Statement &s : p.statements)
      all.push_back(s.name);
    out.host = hostStep(schedule.root, viewOf(p, all));
    addScalars(p, out);
    addEstimates(p, known, out);
    for (Kernel &k : out.kernels)
      if (int many = unrollOf(k))
        k.body = withUnrolledLoops(k.body, many);
    return std::move(out);
  }

  void refuseUnknownExtents() { lowerBuffers(p, dependences, AstReader(p, kI64), out); }

private:
  // What the plans of all of the kernel's steps ask for.
  int unrollOf(const Kernel &k) const {
    std::set<int> asked;
    for (const KernelPlan &kp : plan.kernels)
      if (std::find(k.steps.begin(), k.steps.end(), kp.name) != k.steps.end())
        asked.insert(kp.unroll);
    return asked.size() == 1 ? *asked.begin() : 0;
  }

  void noteDimensions(const Step &s) {
    for (const Dimension &d : s.parallel)
      context.dimensions.insert(d.name);
    if (s.kind == StepKind::Loop)
      context.dimensions.insert(s.dimension.name);
    context.dimensions.insert(s.insideNames.begin(), s.insideNames.end());
    for (const Step &c : s.children)
      noteDimensions(c);
  }

  // ---- expanded private variables ----

  void expand(const std::string &name) {
    ExpandedVariable made = expandedVariable(p, name, known);
    Expansion &x = made.expansion;
    for (size_t k = 0; k < x.first.size(); k++) {
      x.first[k] = launchValue(fmt::format("nw_{}_first{}", name, k), x.first[k]);
      x.count[k] = launchValue(fmt::format("nw_{}_count{}", name, k), x.count[k]);
    }
    out.buffers.push_back(made.buffer);
    context.expansions.emplace(name, x);
  }

  // A value that the host computes and kernels get as an argument; constants stay constants.
  ExprP launchValue(const std::string &name, const ExprP &value) {
    if (value->kind == ExprKind::Int)
      return value;
    hostValues[name] = value;
    return var(name, value->type);
  }

  // ---- host steps ----

  HostStep hostStep(const Step &s, const View &outer) {
    View view = s.kind == StepKind::Sequence ? outer : restrictTo(outer, p, s.statements);
    switch (s.kind) {
    case StepKind::Sequence: {
      HostStep h;
      for (size_t n = 0; n < s.children.size(); n++) {
        bool isFused = n + 1 < s.children.size() && s.children[n].kind == StepKind::Parallel &&
                       s.children[n + 1].kind == StepKind::Parallel &&
                       plan.kernels[nextKernel].fuse;
        h.children.push_back(isFused ? fusedOrSeparate(s.children[n], s.children[n + 1], view)
                                     : hostStep(s.children[n], view));
        n += isFused;
      }
      return h;
    }
    case StepKind::Loop: {
      const LoopPlan &l = plan.loops[nextLoop++];
      int firstKernel = nextKernel;
      HostStep plain = hostLoop(s, view);
      if (l.form == LaunchMode::Plain)
        return plain;
      std::optional<HostStep> resident = residentLaunch(s, view, firstKernel, nextKernel);
      if (!resident)
        return plain;
      HostAlternative alternative;
      alternative.form = KernelForm::Resident;
      alternative.runtimeDecides = true;
      alternative.body = *resident;
      return orElse(alternative, plain);
    }
    case StepKind::Reduction:
      return reductionLaunches(s, view);
    default:
      break;
    }
    return stepLaunch(s, view);
  }

  // The alternative where it is legal and profitable, else what was done without it.
  static HostStep orElse(const HostAlternative &alternative, const HostStep &fallback) {
    HostStep choice;
    if (fallback.kind == HostKind::Choice)
      choice = fallback;
    else
      choice.children = {fallback};
    choice.kind = HostKind::Choice;
    choice.alternatives.insert(choice.alternatives.begin(), alternative);
    return choice;
  }

  // A kernel of the region: `suffix` makes its name.
  Kernel newKernel(const std::string &suffix, KernelForm form,
                   const std::vector<std::string> &steps) {
    Kernel k;
    k.name = kernelName(suffix);
    k.form = form;
    k.steps = steps;
    return k;
  }

  HostStep blockReductionLaunch(Kernel k, const BlockReductionKernel &made) {
    k.block = made.block;
    k.body = made.body;
    k.summary = made.summary;
    // Unless it is told how many blocks do, ptxas would rather spill (rpes: 32 bytes at 40
    // registers).
    constexpr int kOfThread = 64;
    if (made.hasInnerLoops)
      k.minBlocksPerSm =
          std::max(1, int(device.registers / (int64_t(k.block[0]) * k.block[1] * kOfThread)));
    HostStep h;
    h.kind = HostKind::Launch;
    h.threads = made.threads;
    h.limit = made.limit;
    h.condition = made.condition;
    finishKernel(k, p, hostValues, out);
    h.kernel = int(out.kernels.size()) - 1;
    return h;
  }

  // The next buffer for partial results of that launch's blocks along the axis, which is there
  // where the condition holds, and the values that its kernels get. Without columns, it is as large
  // as the launch may be.
  void addPartials(const Type &type, const BlockReductionKernel &from, size_t axis,
                   const ExprP &columns, const ExprP &touched) {
    ExprP rows = blocksOf(from.threads[axis], from.limit[axis], from.block[axis]);
    hostValues["nw_blocks"] = rows;
    if (columns)
      hostValues["nw_columns"] = columns;
    Buffer b;
    b.name = partialName(out.buffers.size());
    b.element = type;
    b.elementBytes = bytesOf(type.scalar);
    b.low = intConst(0);
    b.high = columns ? binary("*", rows, columns, kI64) : intConst(from.limit[axis]);
    b.touched = touched;
    out.buffers.push_back(b);
  }

  // Whether each reduction of the step has instances for some sizes that are let through.
  bool allReduce(const Step &s, const View &view) const {
    std::set<std::string> executed;
    for (const isl::set &domain : setsOf(view.domain))
      if (!domain.intersect_params(view.context).is_empty())
        executed.insert(tupleOf(domain));
    return std::all_of(s.statements.begin(), s.statements.end(), [&](const std::string &name) {
      return !p.find(name)->reduction || executed.count(name);
    });
  }

  struct PlainLaunch {
    HostStep launch;
    View view;       // of the step's statements
    ExprP condition; // whether there is anything to do
    Box box;         // of its parallel loops
  };

  // The choice between reductions that threads share out, and one thread for each value of the
  // parallel loop.
  HostStep blockReductionsOrPlain(const Step &s, const KernelPlan &kp, const View &view,
                                  const PlainLaunch &plain) {
    std::vector<HostAlternative> all;
    for (size_t n = 0; n < kp.blockReductions.size(); n++)
      all.push_back(blockReduction(s, kp, int(n), plain.box, view));
    HostStep launch = plain.launch;
    for (; !all.empty(); all.pop_back())
      launch = orElse(all.back(), launch);
    return launch;
  }

  // One of the plan's forms in which threads share reductions out.
  // Of a buffer for results that blocks leave; its number is that of the buffer.
  std::string partialName(size_t buffer) const {
    return freshName(context.program, fmt::format("partial{}", buffer));
  }

  HostAlternative blockReduction(const Step &s, const KernelPlan &kp, int number, const Box &box,
                                 const View &view) {
    size_t firstPartial = out.buffers.size();
    BlockReductionCode made = blockReductionCode(
        context, s, kp.blockReductions[size_t(number)], std::min(device.gridLimit[2], 65535LL), box,
        view, privateDeclarations(context, s),
        [&](size_t k) { return partialName(firstPartial + k); });
    hostValues = sharedValues(hostValues);
    hostValues.insert(made.hostValues.begin(), made.hostValues.end());
    for (const Type &type : made.partials)
      addPartials(type, made.reduce, 1, made.columns, made.reduce.condition);
    HostAlternative alternative;
    alternative.form = KernelForm::BlockReduction;
    alternative.profitableIf = made.profitableIf;
    alternative.legalIf = made.legalIf;
    auto kernelOf = [&](const char *what) {
      Kernel k =
          newKernel(fmt::format("{}_{}{}", kp.name, what, number ? std::to_string(number + 1) : ""),
                    alternative.form, {kp.name});
      k.reduction = number;
      return k;
    };
    alternative.body = blockReductionLaunch(kernelOf("block_reduction"), made.reduce);
    if (made.gather) {
      Kernel gather = kernelOf("gather");
      gather.combines = true;
      HostStep both;
      both.children = {alternative.body, blockReductionLaunch(gather, *made.gather)};
      alternative.body = both;
    }
    return alternative;
  }

  // The choice between one kernel that does two steps, with another that takes the sums of columns,
  // and a kernel for each.
  HostStep fusedOrSeparate(const Step &first, const Step &second, const View &view) {
    const KernelPlan &kp = plan.kernels[nextKernel];
    HostStep separate;
    separate.children.push_back(hostStep(first, view));
    separate.children.push_back(hostStep(second, view));
    std::optional<FusedCode> made =
        fusedCode(context, first, second, *kp.fuse, view, device,
                  {privateDeclarations(context, first), privateDeclarations(context, second)},
                  partialName(out.buffers.size()));
    if (!made)
      return separate;
    hostValues = sharedValues(hostValues);
    addPartials(made->partial, made->rows, 0, made->columns, made->legalIf);
    HostAlternative fused;
    fused.form = KernelForm::Fused;
    fused.legalIf = made->legalIf;
    fused.profitableIf = made->profitableIf;
    std::vector<std::string> steps = {kp.name, kp.fuse->with};
    Kernel columns = newKernel(kp.name + "_columns", fused.form, steps);
    columns.combines = true;
    HostStep rows =
        blockReductionLaunch(newKernel(kp.name + "_fused", fused.form, steps), made->rows);
    fused.body.children = {rows, blockReductionLaunch(columns, made->gather)};
    return orElse(fused, separate);
  }

  HostStep hostLoop(const Step &s, const View &view) {
    HostStep h;
    h.kind = HostKind::Loop;
    h.loop = valueLoop(context, s.dimension, view, block({}));
    HostStep body = hostStep(s.children[0], inLoop(s, view));
    h.children.push_back(body);
    return h;
  }

  // ---- kernels ----

  std::string kernelName(const std::string &suffix) {
    return fmt::format("{}_{}_{}", p.region.function, p.region.number, suffix);
  }

  // Bounds that are long expressions are computed once, by the host.
  ExprP short_(const std::string &name, const ExprP &e) {
    int nodes = 0;
    walk(e, [&](const ExprP &) { return ++nodes < 5; });
    return nodes < 5 ? e : launchValue("nw_" + name, e);
  }

  static ExprP both(const ExprP &a, const ExprP &b) {
    return a && b ? binary("&&", a, b, kI32) : a ? a : b;
  }

  // Of the forms that the plan has: tiles, else block reductions, else windows, else the
  // plain one.
  HostStep stepLaunch(const Step &s, const View &outer) {
    const KernelPlan &kp = plan.kernels[nextKernel];
    if (!kp.tiles.empty())
      return tileLaunches(s, outer);
    PlainLaunch plain = plainLaunch(s, outer);
    if (const ExprP &when = plain.condition;
        when && when->kind == ExprKind::Int && when->integer == 0)
      return plain.launch; // it has no instances for any sizes that are let through: there is
                           // nothing to share out
    if (!kp.blockReductions.empty() && allReduce(s, plain.view))
      return blockReductionsOrPlain(s, kp, outer, plain);
    if (s.kind != StepKind::Parallel)
      return plain.launch;
    HostStep launch = plain.launch;
    if (!kp.windowTile.empty())
      launch = orWindowLaunch(
          s, plain.view, kp,
          {KernelForm::Windows, "windows", kp.windowTile, 0, kp.windowsProfitableFrom},
          plain.condition, launch);
    if (kp.vectorBytes)
      launch = orWindowLaunch(s, plain.view, kp,
                              {KernelForm::WideWindows, "wide", kp.threadTile, kp.vectorBytes,
                               kp.vectorsProfitableFrom},
                              plain.condition, launch);
    return launch;
  }

  // The step by tiles, as the sizes allow, else plain. Tiles without edges come first.
  HostStep tileLaunches(const Step &step, const View &outer) {
    const KernelPlan &kp = plan.kernels[nextKernel];
    View view = restrictTo(outer, p, step.statements);
    std::vector<HostAlternative> all;
    for (size_t n = 0; n < kp.tiles.size(); n++) {
      const TilePlan &tile = kp.tiles[n];
      Step s = tile.grid.size() < step.parallel.size() ? withDimensionInside(step, tile.strip)
                                                       : step; // a strip of a parallel loop
      Box box = boxOf(s, view, reader, indexType);
      auto numberOf = [&](size_t n) { return parallelNumber(s, tile.grid[n]); };
      size_t x = numberOf(0), y = tile.grid.size() == 1 ? SIZE_MAX : numberOf(1);
      std::vector<size_t> others;
      for (size_t n = 2; n < tile.grid.size(); n++)
        others.push_back(numberOf(n));
      hostValues = sharedValues(hostValues);
      TileSite site{context,
                    s,
                    view,
                    x,
                    y,
                    others,
                    box,
                    privateDeclarations(context, s),
                    [&](const std::string &name, const ExprP &e) { return launchValue(name, e); }};
      std::string why;
      std::optional<TileKernel> made = tileKernel(site, kp.tiles[n], device, why);
      if (!made)
        continue;
      KernelForm form = tile.vectorBytes                  ? KernelForm::ExactTiles
                        : tile.tail == Tail::ShiftInwards ? KernelForm::ShiftedTiles
                                                          : KernelForm::Tiles;
      Kernel k = newKernel(fmt::format("{}_tiles{}", kp.name, n ? std::to_string(n + 1) : ""), form,
                           {kp.name});
      k.tile = int(n);
      k.body = made->body;
      k.summary = made->summary;
      k.block = {kp.tiles[n].block[0], kp.tiles[n].block[1], 1};
      k.minBlocksPerSm = kp.tiles[n].minBlocksPerSm;
      HostStep h;
      h.kind = HostKind::Launch;
      h.condition = box.nonempty;
      h.threads = made->threads;
      finishKernel(k, p, hostValues, out);
      h.kernel = int(out.kernels.size()) - 1;
      all.push_back(
          {form, made->legalIf, made->profitableIf, false, buffersOf(made->alignment), h});
    }
    std::stable_partition(all.begin(), all.end(),
                          [](const HostAlternative &a) { return a.form != KernelForm::Tiles; });
    HostStep launch = plainLaunch(step, outer).launch;
    for (; !all.empty(); all.pop_back())
      launch = orElse(all.back(), launch);
    return launch;
  }

  // Buffers of arrays that must lie at multiples of so many bytes.
  std::vector<std::pair<int, int>> buffersOf(const std::map<std::string, int> &alignment) const {
    std::vector<std::pair<int, int>> aligned;
    for (auto &[array, bytes] : alignment)
      for (size_t b = 0; b < out.buffers.size(); b++)
        if (out.buffers[b].name == array)
          aligned.push_back({int(b), bytes});
    return aligned;
  }

  ThreadTile threadTileOf(const Step &s, const View &view, const Box &box,
                          const std::vector<size_t> &order, const std::vector<int> &points) {
    auto value = [this](const std::string &name, const ExprP &e) { return launchValue(name, e); };
    return {context,    s,    view, box, order, points, privateDeclarations(context, s),
            shortBound, value};
  }

  PlainLaunch plainLaunch(const Step &s, const View &outer) {
    const KernelPlan &kp = plan.kernels[nextKernel++];
    View view = restrictTo(outer, p, s.statements);
    Kernel k = newKernel(kp.name, KernelForm::Plain, {kp.name});
    Box box;
    HostStep h;
    h.kind = HostKind::Launch;
    h.threads = {intConst(1), intConst(1), intConst(1)};
    hostValues = sharedValues(hostValues);
    if (s.kind == StepKind::Serial) {
      k.body = threadCode(context, s, view);
      k.summary = "one thread, in order";
      h.condition = AstReader(p, indexType).condition(onlyParams(unionOf(view)), view.context);
    } else {
      box = boxOf(s, view, reader, indexType);
      h.condition = box.nonempty;
      std::vector<size_t> order = gridOrder(s, kp);
      k.block = {kp.block[0], kp.block.size() > 1 ? kp.block[1] : 1, 1};
      const std::string &x = s.parallel[order[0]].name;
      // Threads begin where a line of memory may, at a multiple of the warp, so that points which
      // begin at 1 are no reason for each warp to touch two lines.
      ExprP firstX = box.first[order[0]];
      bool takesTile = hasThreadTile(kp) && !kp.vectorBytes;
      int64_t before = !takesTile && firstX->kind == ExprKind::Int && firstX->integer > 0 &&
                               firstX->integer < device.warp
                           ? firstX->integer
                           : 0;
      h.threads[0] = before ? binary("+", cast(box.count[order[0]], kI64), intConst(before), kI64)
                            : cast(box.count[order[0]], kI64);
      // Neighbouring threads along x: a guard. The other dimensions along y: a loop, since grids
      // are short there.
      if (takesTile) {
        k.body = threadTileCode(threadTileOf(s, view, box, order, kp.threadTile), h.threads);
      } else {
        StmtP code = order.size() <= 3 ? gridLoops(s, order, box, inGridLoops(s, order, view), h)
                                       : reducedDimensions(s, order, box, view, h);
        ExprP first = before ? intConst(0, indexType) : short_(x + "_first", firstX);
        k.body = block(
            {declare(x, indexType, {}, {sumOf(first, coordinate("thread.x", indexType))}), code});
      }
      h.limit = {0, int(std::min(device.gridLimit[1], 65535LL)),
                 int(std::min(device.gridLimit[2], 65535LL))};
      k.summary = fmt::format("{} along threads, blocks of {}x{}", x, k.block[0], k.block[1]);
      for (size_t n = 0; takesTile && n < kp.threadTile.size(); n++)
        if (kp.threadTile[n] > 1)
          k.summary += fmt::format(", {} values of {} in a thread", kp.threadTile[n],
                                   s.parallel[order[n]].name);
      for (size_t n = 1; n < order.size(); n++)
        k.summary += fmt::format("{}{}", n == 1 ? ", over " : ", ", s.parallel[order[n]].name);
    }
    finishKernel(k, p, hostValues, out);
    h.kernel = int(out.kernels.size()) - 1;
    std::vector<size_t> order =
        s.kind == StepKind::Serial ? std::vector<size_t>{} : gridOrder(s, kp);
    if (order.size() <= 3 || hasThreadTile(kp))
      return {h, view, h.condition, box};
    return {orElse(onThreeAxes(s, order, kp, box, view, h), h), view, h.condition, box};
  }

  // What is certain inside of the grid's loops over all dimensions but the first.
  View inGridLoops(const Step &s, const std::vector<size_t> &order, const View &view) const {
    return withRanges(s, {order.begin() + 1, order.end()}, view);
  }

  // One dimension along y, one along z: loops, since grids are short there.
  StmtP gridLoops(const Step &s, const std::vector<size_t> &order, const Box &box,
                  const View &inner, HostStep &h) {
    StmtP code = threadCode(context, s, inner);
    for (size_t n = 1; n < std::min<size_t>(order.size(), 3); n++) {
      const std::string &name = s.parallel[order[n]].name, axis = n == 1 ? "y" : "z";
      ExprP first = short_(name + "_first", box.first[order[n]]),
            last = short_(name + "_last", box.last[order[n]]);
      code =
          forLoop(name, indexType, sumOf(first, coordinate(("thread." + axis).c_str(), indexType)),
                  binary("<=", var(name, indexType), last, kI32),
                  coordinate(("threads." + axis).c_str(), indexType), code);
      h.threads[n] = cast(box.count[order[n]], kI64);
    }
    return code;
  }

  // Blocks with one value of each dimension from the third on, by their number along z, which is
  // taken apart in 32 bits; where the grid is large enough. Along y, a thread has one value and
  // asks: a loop of at most one turn costs sad of the board an eighth.
  HostAlternative onThreeAxes(const Step &s, const std::vector<size_t> &order, const KernelPlan &kp,
                              const Box &box, const View &view, const HostStep &plain) {
    hostValues = sharedValues(hostValues);
    Kernel k = newKernel(kp.name + "_axes", KernelForm::ThreeAxes, {kp.name});
    k.block = {kp.block[0], kp.block.size() > 1 ? kp.block[1] : 1, 1};
    BlockValues own = blockValues(s, {order.begin() + 2, order.end()}, box, indexType, shortBound);
    auto coordinateAlong = [&](size_t n, const char *axis) {
      const std::string &name = s.parallel[order[n]].name;
      ExprP first = short_(name + "_first", box.first[order[n]]);
      return declare(name, indexType, {}, {sumOf(first, coordinate(axis, indexType))});
    };
    const std::string &x = s.parallel[order[0]].name, &y = s.parallel[order[1]].name;
    ExprP last = short_(y + "_last", box.last[order[1]]);
    std::vector<StmtP> all = own.declarations;
    all.push_back(coordinateAlong(0, "thread.x"));
    all.push_back(coordinateAlong(1, "thread.y"));
    all.push_back(ifElse(binary("<=", var(y, indexType), last, kI32),
                         threadCode(context, s, inGridLoops(s, order, view))));
    k.body = block(all);
    k.summary = fmt::format("{} along threads, over {}, blocks of {}x{}, a value each of", x, y,
                            k.block[0], k.block[1]);
    for (size_t n = 2; n < order.size(); n++)
      k.summary += " " + s.parallel[order[n]].name;
    HostStep h = plain;
    h.threads = {cast(box.count[order[0]], kI64), cast(box.count[order[1]], kI64), own.many};
    h.limit = {0, 0, 0};
    finishKernel(k, p, hostValues, out);
    h.kernel = int(out.kernels.size()) - 1;
    int64_t rows = std::min(device.gridLimit[1], 65535LL) * k.block[1];
    HostAlternative alternative;
    alternative.form = KernelForm::ThreeAxes;
    alternative.legalIf =
        both(fitsAlongZ(own.many), binary("<=", h.threads[1], intConst(rows), kI32));
    alternative.body = h;
    return alternative;
  }

  ExprP fitsAlongZ(const ExprP &blocks) const {
    return binary("<=", blocks, intConst(std::min(device.gridLimit[2], 65535LL)), kI32);
  }

  static constexpr int64_t kHeldUnasked = 52, kOtherRegisters = 24, kTileUnasked = 32,
                           kMostMinBlocks = 4;

  struct WindowForm {
    KernelForm form;
    const char *name;
    std::vector<int> points;
    int bytes; // of one access; 0: single elements
    int64_t from;
  };

  // The same with windows, for large launches, on memory that lies as it must where accesses are
  // wide; else the other launch.
  HostStep orWindowLaunch(const Step &s, const View &view, const KernelPlan &kp,
                          const WindowForm &form, const ExprP &condition, const HostStep &other) {
    Box box = boxOf(s, view, reader, indexType);
    std::vector<size_t> order = gridOrder(s, kp);
    HostStep h;
    h.kind = HostKind::Launch;
    h.condition = condition;
    h.threads = {intConst(1), intConst(1), intConst(1)};
    hostValues = sharedValues(hostValues);
    std::vector<size_t> planes(order.begin() + long(std::min<size_t>(order.size(), 2)),
                               order.end());
    View inPlane = withBlockValues(s, planes, view, view);
    ThreadTile tile = threadTileOf(s, inPlane, box,
                                   {order.begin(), order.end() - long(planes.size())}, form.points);
    tile.everything = &view;
    std::optional<WindowedTile> made =
        windowedTile(tile, form.bytes, kp.boundaryKernel && planes.empty(), h.threads);
    if (!made)
      return other;
    if (planes.size() == 1) { // a thread each, which asks: jacobi3d is 4 % slower by block.z alone
      const std::string &name = s.parallel[planes[0]].name;
      ExprP last = short_(name + "_last", box.last[planes[0]]),
            own = sumOf(short_(name + "_first", box.first[planes[0]]),
                        coordinate("thread.z", indexType));
      made->body = block({declare(name, indexType, {}, {own}),
                          ifElse(binary("<=", var(name, indexType), last, kI32), made->body)});
      h.threads[2] = cast(box.count[planes[0]], kI64);
    } else if (!planes.empty()) {
      BlockValues own = blockValues(s, planes, box, indexType, shortBound);
      own.declarations.push_back(made->body);
      made->body = block(own.declarations);
      h.threads[2] = own.many;
    }
    Kernel k = newKernel(fmt::format("{}_{}", kp.name, form.name), form.form, {kp.name});
    k.block = windowBlock(kp, form);
    int64_t threads = int64_t(k.block[0]) * k.block[1], points = 1;
    for (int many : form.points)
      points *= many;
    if (made->held > kHeldUnasked) // a compiler would rather spill than have fewer blocks than it
                                   // thinks best, unless it is told how many do
      k.minBlocksPerSm =
          int(std::max<int64_t>(1, device.registers / (threads * (made->held + kOtherRegisters))));
    else if (form.bytes == 0 && form.points[0] > 1 &&
             !made->isPacked) // jacobi_2d spilled 16 bytes at 40 registers
      k.minBlocksPerSm = int(std::clamp<int64_t>(
          device.registers / (threads * (made->held + made->underWay + kOtherRegisters)), 1,
          kMostMinBlocks));
    else if (points > kTileUnasked) // or hold more at once than it needs
      k.minBlocksPerSm =
          int(std::max<int64_t>(1, device.registers / (threads * (made->held + made->underWay))));
    k.body = made->body;
    k.summary =
        fmt::format("{} along threads, blocks of {}x{}, {}", s.parallel[order[0]].name, k.block[0],
                    k.block[1], form.bytes ? "wide accesses" : "each element loaded once");
    for (size_t n = 0; n < form.points.size(); n++)
      if (form.points[n] > 1)
        k.summary +=
            fmt::format(", {} values of {} in a thread", form.points[n], s.parallel[order[n]].name);
    finishKernel(k, p, hostValues, out);
    h.kernel = int(out.kernels.size()) - 1;
    HostAlternative alternative;
    alternative.form = form.form;
    alternative.body = h;
    if (made->frame) {
      alternative.body = HostStep();
      alternative.body.children = {h, boundaryLaunch(*made->frame, kp, form, condition)};
    }
    alternative.legalIf = both(made->frame ? made->frame->condition : nullptr, made->condition);
    alternative.aligned = buffersOf(made->alignment);
    if (order.size() > 1)
      alternative.legalIf =
          both(binary("<=", h.threads[1],
                      intConst(std::min(device.gridLimit[1], 65535LL) * k.block[1]), kI32),
               alternative.legalIf);
    if (!planes.empty())
      alternative.legalIf = both(fitsAlongZ(h.threads[2]), alternative.legalIf);
    if (form.from > 1) {
      ExprP count = intConst(1);
      for (size_t d : order)
        count = product(count, cast(box.count[d], kI64));
      alternative.profitableIf = binary(">=", count, intConst(form.from), kI32);
    }
    return orElse(alternative, other);
  }

  // The plan's block; where that is narrow, since the dimension has few values, several values in a
  // thread need fewer threads still.
  std::array<int, 3> windowBlock(const KernelPlan &kp, const WindowForm &form) const {
    int x = kp.block[0], y = kp.block.size() > 1 ? kp.block[1] : 1;
    int by = kp.block.size() > 1 && x < device.warp ? std::min(x, form.points[0]) : 1;
    return {x / by, y * by, 1};
  }

  // The points that the kernel with windows leaves out.
  HostStep boundaryLaunch(const BoundaryKernel &frame, const KernelPlan &kp, const WindowForm &form,
                          const ExprP &condition) {
    Kernel k = newKernel(fmt::format("{}_{}_boundary", kp.name, form.name), form.form, {kp.name});
    k.block = windowBlock(kp, form);
    k.body = frame.body;
    k.summary = "points at the border, which have no whole window: first rows, then columns";
    HostStep h;
    h.kind = HostKind::Launch;
    h.condition = condition;
    h.threads = frame.threads;
    h.limit = {0, int(std::min(device.gridLimit[1], 65535LL)), 1};
    finishKernel(k, p, hostValues, out);
    h.kernel = int(out.kernels.size()) - 1;
    return h;
  }

  // The product of counts fits 64 bits, or the original loops run: a box may be far larger than
  // what lies in it.
  void assumeFits(const Step &s, const std::vector<size_t> &dimensions) {
    // Counts change with loops of the host: those over all of their iterations are as large.
    View view = viewOf(p, s.statements);
    if (bitsOfProduct(s, dimensions, view) <= 62)
      return;
    Box box = boxOf(s, view, reader, indexType);
    int64_t constant = 1;
    std::vector<ExprP> counts;
    for (size_t d : dimensions)
      if (box.count[d]->kind == ExprKind::Int) {
        if (__builtin_mul_overflow(constant, std::max<int64_t>(box.count[d]->integer, 1),
                                   &constant))
          constant = INT64_MAX; // which leaves no room
      } else
        counts.push_back(cast(box.count[d], kI64));
    ExprP room = intConst((int64_t(1) << 62) / constant);
    for (const ExprP &count : counts)
      room = binary(
          "/", room,
          node(ExprKind::Select, {binary(">", count, intConst(1), kI32), count, intConst(1)}, kI64),
          kI64);
    out.assumptions = both(out.assumptions, binary(">=", room, intConst(1), kI32));
  }

  // How many bits the product of the counts may need, over all sizes.
  static int bitsOfProduct(const Step &s, const std::vector<size_t> &dimensions, const View &view) {
    int bits = 0;
    isl::set values = valuesOf(view, s.parallel);
    values = isl::manage(
        isl_set_project_out(values.copy(), isl_dim_param, 0, unsigned(paramsOf(values))));
    for (size_t d : dimensions) {
      auto low = longOf(isl::manage(isl_set_dim_min_val(values.copy(), int(d)))),
           high = longOf(isl::manage(isl_set_dim_max_val(values.copy(), int(d))));
      bits += low && high ? std::bit_width(uint64_t(*high) - uint64_t(*low)) : 64;
    }
    return bits;
  }

  // All dimensions but x as one number, taken apart again in the kernel.
  StmtP reducedDimensions(const Step &s, const std::vector<size_t> &order, const Box &box,
                          const View &view, HostStep &h) {
    View inner = inGridLoops(s, order, view);
    assumeFits(s, {order.begin() + 1, order.end()});
    LinearInstances linear = linearInstancesOf(context, s, order, 1, box, shortBound);
    h.threads[1] = linear.total;
    return instancesLoop(linear, launchValue("nw_instances", linear.total),
                         threadCode(context, s, inner));
  }

  isl::set unionOf(const View &view) {
    isl::set all = isl::set::empty(isl::manage(isl_space_params_alloc(p.isl->get().get(), 0)));
    for (const isl::set &s : setsOf(view.domain))
      all = all.unite(onlyParams(s));
    return all;
  }

  // Nothing where there is no such kernel.
  std::optional<HostStep> residentLaunch(const Step &s, const View &view, int firstKernel,
                                         int afterKernel) {
    std::span<const KernelPlan> plans =
        std::span(plan.kernels).subspan(size_t(firstKernel), size_t(afterKernel - firstKernel));
    Kernel k = newKernel(fmt::format("resident{}", residents++), KernelForm::Resident, {});
    for (const KernelPlan &kp : plans)
      k.steps.push_back(kp.name);
    std::optional<ResidentKernel> made = residentKernel(context, s, view, plans, device);
    if (!made)
      return std::nullopt;
    k.summary = "loops itself, with barriers between steps";
    k.block = made->block;
    k.body = made->body;
    HostStep h;
    h.kind = HostKind::Launch;
    h.threads = made->threads;
    hostValues = sharedValues(hostValues);
    finishKernel(k, p, hostValues, out);
    h.kernel = int(out.kernels.size()) - 1;
    return h;
  }

  // ---- reductions ----

  HostStep reductionLaunches(const Step &s, const View &outer) {
    const KernelPlan &kp = plan.kernels[nextKernel++];
    View view = restrictTo(outer, p, s.statements);
    hostValues = sharedValues(hostValues);
    Box box = boxOf(s, view, reader, indexType);
    assumeFits(s, gridOrder(s, kp));
    ExprP total;
    StmtP instance = numberedInstance(context, s, view, kp, box, shortBound, total);
    Reduction reduction = reductionOf(context, s);
    ReductionCode r = reductionCode(reduction, instance, launchValue("nw_instances", total),
                                    partialName(out.buffers.size()));
    BlockReductionKernel reduce{r.reduce,
                                {kp.block[0], 1, 1},
                                {cast(total, kI64), intConst(1), intConst(1)},
                                {plan.reductionBlocks, 1, 1},
                                box.nonempty,
                                "reduces into one partial result per block"};
    BlockReductionKernel combine{
        r.combine, reduce.block, {intConst(kp.block[0]), intConst(1), intConst(1)},
        {0, 0, 0}, box.nonempty, "one block reduces the partial results"};
    addPartials(reduction.type, reduce, 0, nullptr, nullptr);
    Kernel second = newKernel(kp.name + "_combine", KernelForm::Plain, {kp.name});
    second.combines = true;
    HostStep both;
    both.children = {blockReductionLaunch(newKernel(kp.name, KernelForm::Plain, {kp.name}), reduce),
                     blockReductionLaunch(second, combine)};
    return both;
  }

  // ---- kernel parameters ----

  // Values that belong to expanded variables stay; those of the last kernel go.
  std::map<std::string, ExprP> sharedValues(const std::map<std::string, ExprP> &values) {
    std::map<std::string, ExprP> kept;
    for (auto &[name, x] : context.expansions)
      for (size_t k = 0; k < x.loops.size(); k++)
        for (const ExprP &e : {x.first[k], x.count[k]})
          if (e->kind == ExprKind::Var)
            kept[e->name] = values.at(e->name);
    return kept;
  }

  Program p;
  const Dependences &dependences;
  const Schedule &schedule;
  const Plan &plan;
  const DeviceSpec &device;
  IndexRange range;
  Type indexType;
  AstReader reader;
  InstanceContext context;
  isl::set known;
  Kernels out;
  const KernelBound shortBound = [this](const std::string &name, const ExprP &e) {
    return short_(name, e);
  };
  std::map<std::string, ExprP> hostValues; // by name: what kernels get as arguments
  int nextKernel = 0, nextLoop = 0, residents = 0;
};

} // namespace

Kernels lower(const Program &p, const Dependences &d, const Schedule &s, const Plan &plan,
              const DeviceSpec &device, bool isWide) {
  Kernels kernels = Lowering(p, d, s, plan, device, isWide).run();
  setSpaces(p, plan, kernels);
  return kernels;
}

void refuseUnknownExtents(const Program &p, const Dependences &d, const Schedule &s,
                          const DeviceSpec &device) {
  const Plan none;
  Lowering(p, d, s, none, device, false).refuseUnknownExtents();
}

} // namespace nw
