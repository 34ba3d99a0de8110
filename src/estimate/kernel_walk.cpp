// The walk.
#include "estimate/kernel_walk.h"
#include "analysis/transactions.h"
#include "estimate/chains.h"
#include "estimate/instruction_costs.h"
#include "estimate/lane_value.h"
#include "estimate/layout.h"
#include "estimate/loop_facts.h"
#include "ir/evaluate.h"
#include <algorithm>
#include <climits>
#include <cmath>
#include <fmt/format.h>
#include <set>
#include <unordered_map>

namespace nw {

std::vector<std::pair<int64_t, double>> sampled(int64_t count, int samples) {
  std::vector<std::pair<int64_t, double>> out;
  if (samples <= 0 || count <= std::max(samples, 2)) {
    for (int64_t k = 0; k < count; k++)
      out.push_back({k, 1.0});
    return out;
  }
  out.push_back({0, 1.0});
  int64_t inner = count - 2, parts = std::max(samples - 2, 1);
  for (int64_t k = 0; k < parts; k++) {
    int64_t low = 1 + inner * k / parts, high = 1 + inner * (k + 1) / parts;
    out.push_back({low + (high - low) / 2, double(high - low)});
  }
  out.push_back({count - 1, 1.0});
  return out;
}

namespace {

constexpr int64_t kUnknownTrips = 16; // of a loop whose end depends on data
constexpr int kWarpsLookedAt = 8;     // of a block: guards cut through small ones

using Mask = std::vector<char>;

class Walker {
public:
  Walker(const Program &p, const Kernels &all, const Kernel &k, const std::map<std::string, int64_t> &values, const LaunchShape &shape, const DeviceSpec &device,
         const WalkOptions &options)
      : program(p), kernel(k), shape(shape), device(device), options(options), facts(factsOf(k)) {
    for (const KernelParameter &q : k.parameters) {
      if (q.buffer < 0) {
        std::optional<int64_t> v = evaluate(q.value, values);
        scalars[q.name] = v && q.type.isInteger() ? uniform(*v) : unknown(0);
        continue;
      }
      Area a{&q, {}, all.buffers[q.buffer].elementBytes, 0};
      if (q.type.isStruct() || q.type.isInteger() || q.type.isFloat())
        a.elementBytes = bytesIn(program.region, q.type);
      for (size_t n = 1; n < q.extents.size(); n++)
        a.extents.push_back(evaluate(q.extents[n], values).value_or(1));
      if (std::optional<int64_t> low = evaluate(all.buffers[q.buffer].low, values); low && *low < 0)
        a.base = -*low * a.elementBytes;
      areas[q.name] = a;
    }
    out.stages.resize(facts.loops.size() + 1);
    for (size_t n = 0; n < facts.loops.size(); n++) {
      out.stages[n + 1].loop = int(n) + 1;
      out.stages[n + 1].overlap = facts.loops[n].canOverlap ? kUnrolled : 1;
    }
  }

  KernelWalk run() {
    int inBlock = (shape.threads() + device.warp - 1) / device.warp;
    out.warps = shape.blocks() * inBlock;
    for (auto [y, ofY] : sampled(shape.grid[1], options.samples))
      for (auto [x, ofX] : sampled(shape.grid[0], options.samples))
        for (auto [w, ofW] : sampled(inBlock, options.samples > 0 ? std::max(options.samples, kWarpsLookedAt) : 0))
          warp(x, y, int(w), ofX * ofY * ofW);
    finish();
    return std::move(out);
  }

private:
  struct Area {
    const KernelParameter *parameter = nullptr; // null: shared memory
    std::vector<int64_t> extents;
    int64_t elementBytes = 4;
    int64_t base = 0;
  };

  // ---- warps and loops ----

  void warp(int64_t blockX, int64_t blockY, int number, double weight) {
    int first = number * device.warp, lanes = std::min(device.warp, shape.threads() - first);
    auto along = [&](auto f, double x, double y, double bx, double by) {
      LaneValue v;
      v.isKnown = true;
      for (int k = 0; k < device.warp; k++)
        v.lanes.push_back(f(std::min(first + k, shape.threads() - 1)));
      v.slopes = {x, y, bx, by};
      return v;
    };
    int64_t bx = shape.block[0], by = shape.block[1];
    coordinates.clear();
    coordinates["lane.x"] = along([&](int t) { return t % bx; }, 1, 0, 0, 0);
    coordinates["lane.y"] = along([&](int t) { return t / bx % by; }, 0, 1, 0, 0);
    coordinates["thread.x"] = along([&](int t) { return blockX * bx + t % bx; }, 1, 0, double(bx), 0);
    coordinates["thread.y"] = along([&](int t) { return blockY * by + t / bx % by; }, 0, 1, 0, double(by));
    coordinates["block.x"] = along([&](int) { return blockX; }, 0, 0, 1, 0);
    coordinates["block.y"] = along([&](int) { return blockY; }, 0, 0, 0, 1);
    coordinates["threads.x"] = uniform(shape.grid[0] * bx);
    coordinates["threads.y"] = uniform(shape.grid[1] * by);
    coordinates["blocks.x"] = uniform(shape.grid[0]);
    coordinates["blocks.y"] = uniform(shape.grid[1]);
    locals = {};
    levels = {{weight, 1, 1, {}, 0, ""}};
    visits.assign(out.stages.size(), 0.0);
    visits[0] = 1;
    isFirst = blockX == 0 && blockY == 0 && number == 0;
    Mask mask(device.warp, 0);
    std::fill(mask.begin(), mask.begin() + lanes, 1);
    if (device.warp > 1 && lanes < device.warp)
      std::fill(mask.begin() + lanes, mask.end(), 0);
    walk(kernel.body, mask);
    out.visitsOfWarps.push_back(visits);
    warpWeights.push_back(weight);
  }

  struct Level {
    double weight;       // of warps and iterations that this visit stands for
    double inWarp;       // of iterations alone
    double trips;        // of the loop at this level
    std::set<std::string> available; // what has been computed in this iteration
    int loop;            // its number
    std::string counter;
  };

  int depth() const { return int(levels.size()) - 1; }

  static bool any(const Mask &m) { return std::find(m.begin(), m.end(), 1) != m.end(); }

  // Lanes of the mask for which the value is not zero.
  static Mask narrowed(const Mask &mask, const LaneValue &v) {
    Mask m = mask;
    for (size_t k = 0; k < m.size(); k++)
      m[k] = m[k] && v.at(k) != 0;
    return m;
  }

  void walk(const StmtP &s, const Mask &mask) {
    switch (s->kind) {
    case StmtKind::Block: {
      for (const StmtP &b : s->body)
        walk(b, mask);
      return;
    }
    case StmtKind::Declare: declare(s, mask); return;
    case StmtKind::Shared: {
      Area a;
      a.elementBytes = bytesIn(program.region, s->type);
      a.extents.assign(s->extents.begin() + (s->extents.empty() ? 0 : 1), s->extents.end());
      int64_t bytes = a.elementBytes;
      for (int64_t x : s->extents)
        bytes *= x;
      if (sharedSeen.insert(s->name).second)
        out.sharedBytes += bytes;
      areas[s->name] = a;
      return;
    }
    case StmtKind::Assign: assign(s, mask); return;
    case StmtKind::If: {
      LaneValue c = evaluated(s->exprs[0], mask);
      charge(branches(1), c.level, "if " + textOf(s->exprs[0]));
      // A branch on data: some lane takes either side.
      Mask then = c.isKnown ? narrowed(mask, c) : mask, otherwise = mask;
      if (c.isKnown)
        for (size_t k = 0; k < otherwise.size(); k++)
          otherwise[k] = otherwise[k] && !then[k];
      if (any(then))
        walk(s->body[0], then);
      if (s->body.size() > 1 && any(otherwise))
        walk(s->body[1], otherwise);
      return;
    }
    case StmtKind::For: loop(s, mask); return;
    case StmtKind::While:
    case StmtKind::DoWhile: unknownLoop(s, mask); return;
    case StmtKind::Barrier: barrier(false); return;
    case StmtKind::GridBarrier: barrier(true); return;
    case StmtKind::Return:
      for (const ExprP &e : s->exprs)
        evaluated(e, mask);
      return;
    default: return;
    }
  }

  void barrier(bool isGrid) {
    InstructionMix m;
    m.barrier = 1;
    out.mix += m.scaled(levels.back().weight);
    if (isFirst)
      (isGrid && shape.blocks() > 1 ? out.gridBarriers : out.blockBarriers) += levels.back().inWarp;
  }

  // How often each lane runs through the loop: the condition holds for so many steps from the start.
  std::vector<int64_t> tripsOf(const StmtP &s, const LaneValue &start, const LaneValue &step, const Mask &mask, bool &isKnown) {
    size_t lanes = mask.size();
    std::vector<int64_t> trips(lanes, 0), low(lanes, 0), high(lanes, 0);
    auto holdsAt = [&](const std::vector<int64_t> &k) {
      LaneValue counter = unknown(0);
      counter.isKnown = true;
      for (size_t n = 0; n < lanes; n++)
        counter.lanes.push_back(start.at(n) + k[n] * step.at(n));
      locals[s->loop.counter] = counter;
      quiet++;
      LaneValue c = evaluated(s->loop.condition, mask);
      quiet--;
      isKnown &= c.isKnown;
      return c.isKnown ? c : uniform(0);
    };
    isKnown = start.isKnown && step.isKnown;
    if (!isKnown)
      return trips;
    LaneValue holds = holdsAt(high);
    for (size_t n = 0; n < lanes; n++)
      high[n] = mask[n] && holds.at(n) ? 1 : 0;
    // Doubling while it holds, then halving: low holds or is -1, high does not.
    std::vector<int64_t> probe = high;
    for (size_t n = 0; n < lanes; n++)
      low[n] = high[n] ? 0 : -1;
    for (int round = 0; round < 40; round++) {
      bool more = false;
      holds = holdsAt(high);
      for (size_t n = 0; n < lanes; n++)
        if (high[n] > low[n] + 0 && low[n] >= 0 && mask[n] && holds.at(n) && high[n] < (int64_t(1) << 40)) {
          low[n] = high[n];
          high[n] *= 2;
          more = true;
        }
      if (!more)
        break;
    }
    for (int round = 0; round < 44; round++) {
      bool more = false;
      for (size_t n = 0; n < lanes; n++)
        probe[n] = low[n] >= 0 ? low[n] + (high[n] - low[n]) / 2 : 0;
      holds = holdsAt(probe);
      for (size_t n = 0; n < lanes; n++)
        if (low[n] >= 0 && high[n] - low[n] > 1) {
          (holds.at(n) ? low[n] : high[n]) = probe[n];
          more = true;
        }
      if (!more)
        break;
    }
    for (size_t n = 0; n < lanes; n++)
      trips[n] = low[n] >= 0 && mask[n] ? low[n] + 1 : 0;
    return trips;
  }

  void loop(const StmtP &s, const Mask &mask) {
    LaneValue start = evaluated(s->loop.start, mask);
    LaneValue step = s->loop.stride ? evaluated(s->loop.stride, mask) : uniform(s->loop.step);
    std::map<std::string, LaneValue> before = locals;
    int number = facts.numberOf(s);
    forgetAssigned(number);
    bool isKnown = true;
    std::vector<int64_t> trips = tripsOf(s, start, step, mask, isKnown);
    if (!isKnown)
      assume(s, trips, mask);
    int64_t most = *std::max_element(trips.begin(), trips.end());
    // Short loops of constant length are unrolled: counters cost nothing.
    for (auto [k, weight] : sampled(most, samplesAt(depth() + 1))) {
      Mask active = mask;
      LaneValue counter = unknown(depth() + 1);
      if (isKnown) {
        counter.isKnown = true;
        counter.slopes = start.slopes;
        counter.slopes.resize(size_t(kFirstLoop + depth() + 1), 0.0);
        counter.slopes.back() = double(step.at(0));
      }
      for (size_t n = 0; n < active.size(); n++) {
        active[n] = active[n] && k < trips[n];
        if (isKnown)
          counter.lanes.push_back(start.at(n) + k * step.at(n));
      }
      enter(number, s->loop.counter, double(most), weight);
      locals[s->loop.counter] = counter;
      chargeIteration();
      walk(s->body[0], active);
      levels.pop_back();
    }
    for (auto &[name, v] : before)
      if (!assignedIn(number).count(name))
        locals[name] = v;
  }

  void unknownLoop(const StmtP &s, const Mask &mask) {
    int number = facts.numberOf(s);
    forgetAssigned(number);
    std::vector<int64_t> trips;
    assume(s, trips, mask);
    for (auto [k, weight] : sampled(kUnknownTrips, 2)) {
      enter(number, "", double(kUnknownTrips), weight);
      evaluated(s->exprs[0], mask);
      chargeIteration();
      walk(s->body[0], mask);
      levels.pop_back();
    }
  }

  void assume(const StmtP &s, std::vector<int64_t> &trips, const Mask &mask) {
    std::string where = s->loop.counter.empty() ? "a loop" : "the loop over " + s->loop.counter;
    std::string text = fmt::format("{} ends when data say so: {} iterations", where, kUnknownTrips);
    if (std::find(out.assumed.begin(), out.assumed.end(), text) == out.assumed.end())
      out.assumed.push_back(text);
    trips.clear();
    for (char c : mask)
      trips.push_back(c ? kUnknownTrips : 0);
  }

  int samplesAt(int level) const { return options.samples <= 0 ? 0 : std::max(3, options.samples - (level > 2)); }

  void enter(int number, const std::string &counter, double trips, double weight) {
    Level l{levels.back().weight * weight, levels.back().inWarp * weight, trips, {}, number, counter};
    levels.push_back(l);
    visits[size_t(number)] += l.inWarp;
  }

  static const std::set<std::string> &noNames() {
    static const std::set<std::string> none;
    return none;
  }
  const std::set<std::string> &assignedIn(int number) const { return number > 0 ? facts.loops[size_t(number) - 1].assigned : noNames(); }

  // What changes from iteration to iteration has no value that one iteration could be asked for.
  void forgetAssigned(int number) {
    for (const std::string &name : assignedIn(number))
      locals[name] = unknown(depth() + 1);
  }

  // ---- charging ----

  static InstructionMix branches(double count) {
    InstructionMix m;
    m.branch = count;
    m.integer = count;
    return m;
  }

  // A comparison, an increment and a branch for each iteration, or for each few of them.
  void chargeIteration() {
    InstructionMix m = branches(1);
    m.integer += 1;
    double unrolled = out.stages[size_t(levels.back().loop)].overlap;
    out.mix += m.scaled(levels.back().weight / unrolled);
  }

  // Whether this is computed for the first time at its level, and notes that it is.
  bool isNew(int level, const std::string &text) { return levels[size_t(std::min(level, depth()))].available.insert(text).second; }

  void charge(const InstructionMix &m, int level, const std::string &text) {
    if (!quiet && isNew(level, text))
      out.mix += m.scaled(levels[size_t(std::min(level, depth()))].weight);
  }

  const std::string &textOf(const ExprP &e) {
    auto [at, isNew] = texts.try_emplace(e.get());
    if (isNew) {
      kept.push_back(e);
      at->second = print(e);
    }
    return at->second;
  }

  // ---- expressions ----

  LaneValue evaluated(const ExprP &e, const Mask &mask) {
    switch (e->kind) {
    case ExprKind::Int: return uniform(e->integer);
    case ExprKind::Float: return unknown(0);
    case ExprKind::Builtin: {
      auto c = coordinates.find(e->name);
      return c == coordinates.end() ? unknown(0) : c->second;
    }
    case ExprKind::Var: {
      if (auto l = locals.find(e->name); l != locals.end())
        return l->second;
      if (areas.count(e->name))
        return touch(e, mask, false);
      auto v = scalars.find(e->name);
      return v == scalars.end() ? unknown(0) : v->second;
    }
    case ExprKind::Index:
    case ExprKind::Member: return isInMemory(e) ? touch(e, mask, false) : ofLocalArray(e, mask);
    case ExprKind::Call: return called(e, mask);
    default: return operated(e, mask);
    }
  }

  LaneValue operated(const ExprP &e, const Mask &mask) {
    if (e->type.isFloat() && e->kind == ExprKind::Binary && (e->name == "+" || e->name == "-") && options.contract)
      for (size_t side : {1, 0})
        if (const ExprP &product = e->args[side]; product->kind == ExprKind::Binary && product->name == "*" && product->type == e->type) {
          int level = std::max({evaluated(product->args[0], mask).level, evaluated(product->args[1], mask).level, evaluated(e->args[1 - side], mask).level});
          charge(costOfFloat("+", true, e->type.scalar == Scalar::F64), level, textOf(e));
          return unknown(level);
        }
    std::vector<LaneValue> args;
    int level = 0;
    for (const ExprP &a : e->args) {
      args.push_back(evaluated(a, mask));
      level = std::max(level, args.back().level);
    }
    InstructionMix cost = costOfNode(*e);
    if (cost.total() > 0)
      charge(cost, level, textOf(e));
    if (!e->type.isInteger())
      return unknown(level);
    LaneValue v = unknown(level);
    switch (e->kind) {
    case ExprKind::Unary: v = args[0].isKnown ? negated(e->name, args[0]) : v; break;
    case ExprKind::Binary: v = e->args[0]->type.isInteger() ? applied(e->name, args[0], args[1]) : v; break;
    case ExprKind::Select: v = chosen(args[0], args[1], args[2]); break;
    case ExprKind::Cast: v = e->args[0]->type.isInteger() && bitsOf(e->type.scalar) >= 32 ? args[0] : v; break;
    case ExprKind::Min: v = applied("min", args[0], args[1]); break;
    case ExprKind::Max: v = applied("max", args[0], args[1]); break;
    case ExprKind::FloorDiv: v = applied("floord", args[0], args[1]); break;
    default: break;
    }
    v.level = level;
    return v;
  }

  LaneValue called(const ExprP &e, const Mask &mask) {
    int level = 0;
    std::vector<LaneValue> args;
    for (const ExprP &a : e->args) {
      args.push_back(evaluated(a, mask));
      level = std::max(level, args.back().level);
    }
    for (const Function &f : program.region.functions)
      if (f.name == e->name && inlined < 8) {
        std::map<std::string, LaneValue> outer = locals;
        for (size_t k = 0; k < f.parameters.size() && k < args.size(); k++)
          locals[f.parameters[k].name] = args[k];
        inlined++;
        walk(f.body, mask);
        inlined--;
        locals = outer;
        return unknown(std::max(level, depth()));
      }
    charge(costOfFunction(e->name, e->type.isFloat() && e->type.scalar == Scalar::F64), level, textOf(e));
    return unknown(level);
  }

  void declare(const StmtP &s, const Mask &mask) {
    LaneValue v = unknown(depth());
    for (const ExprP &e : s->exprs)
      v = evaluated(e, mask);
    if (!s->exprs.empty())
      noteExpression(s->exprs[0], nullptr);
    if (!s->extents.empty() || s->type.isStruct())
      v = unknown(depth());
    locals[s->name] = v;
  }

  void assign(const StmtP &s, const Mask &mask) {
    const ExprP &target = s->exprs[0];
    LaneValue v = evaluated(s->exprs[1], mask);
    noteExpression(s->exprs[1], target);
    bool isLocal = target->kind == ExprKind::Var && locals.count(target->name);
    if (isLocal) {
      // Under a guard, or in a loop that goes on with it, the variable has several values.
      bool isCarried = levels.back().loop > 0 && assignedIn(levels.back().loop).count(target->name) > 0;
      v.level = std::max(v.level, depth());
      locals[target->name] = isCarried && !v.isKnown ? unknown(depth()) : v;
      return;
    }
    if (isInMemory(target))
      touch(target, mask, true);
  }

  // Chains of operations in this stage: the deepest expression, and what waits for the iteration before.
  void noteExpression(const ExprP &value, const ExprP &target) {
    Stage &stage = out.stages[size_t(levels.back().loop)];
    stage.longestExpression = std::max(stage.longestExpression, double(heightOf(value)));
    if (!target || levels.back().loop == 0)
      return;
    int path = pathTo(value, target);
    if (path >= 0)
      stage.recurrence = std::max(stage.recurrence, double(path));
  }

  // ---- memory ----

  bool isInMemory(const ExprP &e) const {
    const Expr *base = baseOf(e);
    return base && areas.count(base->name) && !locals.count(base->name);
  }

  LaneValue ofLocalArray(const ExprP &e, const Mask &mask) {
    int level = depth();
    for (const ExprP &a : e->args)
      if (a && a->kind != ExprKind::Var)
        level = std::max(level, evaluated(a, mask).level);
    return unknown(level);
  }

  // The address of an lvalue in bytes from the beginning of its array.
  LaneValue addressOf(const ExprP &e, const Mask &mask, std::vector<const Expr *> &subscripts) {
    if (e->kind == ExprKind::Var)
      return uniform(areas.at(e->name).base);
    if (e->kind == ExprKind::Member) {
      LaneValue inner = addressOf(e->args[0], mask, subscripts);
      return applied("+", inner, uniform(placeOfField(program.region, e->args[0]->type, e->name).first));
    }
    // Which subscript this is decides how much one step of it is.
    const Expr *below = e.get();
    size_t position = 0;
    while (below->kind == ExprKind::Index && below->args[0]->kind == ExprKind::Index) {
      below = below->args[0].get();
      position++;
    }
    const ExprP &base = below->args[0];
    int64_t bytes;
    std::vector<int64_t> rows; // extents of the subscripts that follow
    if (base->kind == ExprKind::Member) {
      auto [at, field] = placeOfField(program.region, base->args[0]->type, base->name);
      bytes = field ? bytesIn(program.region, field->type) : 4;
      if (field)
        rows.assign(field->extents.begin() + std::min<size_t>(field->extents.size(), 1), field->extents.end());
    } else {
      const Area &a = areas.at(base->name);
      bytes = a.elementBytes;
      rows = a.extents;
    }
    int64_t step = bytes;
    for (size_t k = position; k < rows.size(); k++)
      step *= rows[k];
    LaneValue inner = addressOf(e->args[0], mask, subscripts);
    subscripts.push_back(e->args[1].get());
    // Subscripts that run with the innermost loop are pointers that move along; others are computed where they change.
    quiet += depth() > 0;
    LaneValue index = evaluated(e->args[1], mask);
    quiet -= depth() > 0;
    if (depth() > 0 && (index.level < depth() || !index.isKnown))
      evaluated(e->args[1], mask);
    LaneValue moved = applied("*", index, uniform(step));
    moved.level = index.level;
    LaneValue sum = applied("+", inner, moved);
    sum.level = std::max(inner.level, moved.level);
    return sum;
  }

  // A load, or a store; the value of a load depends on data.
  LaneValue touch(const ExprP &e, const Mask &mask, bool isWrite) {
    const std::string &array = baseOf(e)->name;
    const Area &area = areas.at(array);
    std::vector<const Expr *> subscripts;
    LaneValue address = addressOf(e, mask, subscripts);
    bool isShared = !area.parameter;
    int bytes = int(bytesIn(program.region, e->type));
    int level = isWrite ? depth() : std::max(address.level, facts.mustReload(array, loopsAround(), isShared));
    level = std::min(level, depth());
    if (quiet)
      return unknown(level);
    Reference &r = referenceFor(e, isWrite, isShared, area, bytes);
    std::string key = fmt::format("{}[] {}", array, textOf(e));
    bool counts = true;
    if (isWrite) {
      forget(array);
      isNew(depth(), key); // what was stored need not be loaded
    } else {
      counts = isNew(level, key);
    }
    record(r, address, mask, bytes, isShared);
    if (counts) {
      double weight = levels[size_t(level)].weight;
      InstructionMix m;
      (isShared ? (isWrite ? m.storeShared : m.loadShared) : (isWrite ? m.storeGlobal : m.loadGlobal)) = std::max(1.0, bytes / 16.0);
      out.mix += m.scaled(weight);
      r.issued += weight;
      chargePointer(array, address);
      noteWait(e, isWrite, isShared, level);
    }
    return unknown(level);
  }

  // One addition of 64 bits moves a pointer on; references that move alike share it.
  void chargePointer(const std::string &array, const LaneValue &address) {
    std::string key = "pointer " + array;
    for (double s : address.slopes)
      key += fmt::format(" {}", s);
    InstructionMix m;
    m.integer = 2;
    if (address.level < depth() || depth() == 0) {
      charge(m, address.level, key);
      return;
    }
    // Steps of constant length become offsets of instructions that are unrolled.
    double unrolled = out.stages[size_t(levels.back().loop)].overlap;
    bool isShort = address.isKnown && std::fabs(address.slope(size_t(kFirstLoop + depth() - 1))) <= 64;
    charge(m.scaled(isShort ? 1 / unrolled : 0.5), address.level, key);
  }

  void noteWait(const ExprP &e, bool isWrite, bool isShared, int level) {
    Stage &stage = out.stages[size_t(levels[size_t(level)].loop)];
    if (isShared)
      stage.touchesShared = true;
    else if (!isWrite) {
      size_t n = numbers.at({e.get(), isWrite});
      if (std::find(stage.loads.begin(), stage.loads.end(), n) == stage.loads.end())
        stage.loads.push_back(n);
    }
  }

  std::vector<int> loopsAround() const {
    std::vector<int> all;
    for (const Level &l : levels)
      all.push_back(l.loop);
    return all;
  }

  // After a store, loads of the array are to be done again.
  void forget(const std::string &array) {
    std::string prefix = array + "[] ";
    for (Level &l : levels)
      for (auto at = l.available.lower_bound(prefix); at != l.available.end() && at->starts_with(prefix);)
        at = l.available.erase(at);
  }

  Reference &referenceFor(const ExprP &e, bool isWrite, bool isShared, const Area &area, int bytes) {
    auto [at, isNew] = numbers.try_emplace({e.get(), isWrite}, out.references.size());
    if (isNew) {
      kept.push_back(e);
      Reference r;
      r.array = baseOf(e)->name;
      r.text = print(e);
      r.at = e->at;
      r.buffer = isShared ? -1 : area.parameter->buffer;
      r.elementBytes = bytes;
      r.isWrite = isWrite;
      r.loop = levels.back().loop;
      r.strides.assign(size_t(kFirstLoop + depth()), 0.0);
      r.counts.assign(size_t(depth()), 0.0);
      for (int k = 1; k <= depth(); k++)
        r.loops.push_back(levels[size_t(k)].counter);
      std::fill(r.first, r.first + 4, INT64_MAX);
      std::fill(r.last, r.last + 4, 0);
      for (int k = depth(); k > 0 && !(shape.blocks() > 1 && facts.hasGridBarrier(levels[size_t(k)].loop)); k--)
        r.keptLoops++;
      out.references.push_back(r);
    }
    return out.references[at->second];
  }

  void record(Reference &r, const LaneValue &address, const Mask &mask, int bytes, bool isShared) {
    double weight = levels.back().weight;
    std::vector<std::optional<int64_t>> lanes(mask.size());
    int active = 0;
    for (size_t k = 0; k < mask.size(); k++)
      if (mask[k]) {
        active++;
        if (address.isKnown)
          lanes[k] = address.at(k);
      }
    if (r.accesses == 0 && address.isKnown)
      r.offset = double(address.at(size_t(std::find(mask.begin(), mask.end(), 1) - mask.begin())));
    r.accesses += weight;
    noteExtent(r, mask);
    for (size_t k = 0; k < r.counts.size(); k++)
      r.counts[k] += weight * levels[k + 1].trips;
    if (!address.isKnown) { // the worst: each lane goes elsewhere
      r.isRegular = false;
      r.transactions += weight * active;
      r.transactionBytes += weight * active * device.transactionBytes.front();
      r.lines += weight * active;
      r.ideal += weight * std::max(1.0, double(active) * bytes / device.transactionBytes.front());
      r.turns += weight * std::min(active, device.banks);
      r.idealTurns += weight;
      return;
    }
    for (size_t d = 0; d < r.strides.size(); d++)
      r.strides[d] += weight * address.slope(d);
    if (isShared) {
      BankTurns t = bankTurnsOf(lanes, bytes, device);
      r.turns += weight * t.turns;
      r.idealTurns += weight * t.ideal;
      return;
    }
    Transactions t = transactionsOf(lanes, bytes, device);
    r.transactions += weight * t.count;
    r.transactionBytes += weight * double(t.bytes);
    r.lines += weight * t.lines;
    r.ideal += weight * idealTransactions(lanes, bytes, device);
  }

  // Which threads and blocks get here.
  void noteExtent(Reference &r, const Mask &mask) {
    const char *const names[] = {"lane.x", "lane.y", "block.x", "block.y"};
    for (size_t d = 0; d < 4; d++) {
      const LaneValue &v = coordinates.at(names[d]);
      for (size_t k = 0; k < mask.size(); k++)
        if (mask[k]) {
          r.first[d] = std::min(r.first[d], v.at(k));
          r.last[d] = std::max(r.last[d], v.at(k));
        }
    }
  }

  void finish() {
    for (Reference &r : out.references)
      if (r.accesses > 0) {
        for (double &s : r.strides)
          s /= r.accesses;
        for (double &c : r.counts)
          c /= r.accesses;
      }
    double all = 0;
    for (size_t w = 0; w < out.visitsOfWarps.size(); w++) {
      all += warpWeights[w];
      for (size_t s = 0; s < out.stages.size(); s++)
        out.stages[s].visits += warpWeights[w] * out.visitsOfWarps[w][s];
    }
    for (Stage &s : out.stages)
      s.visits /= std::max(all, 1.0);
  }

  const Program &program;
  const Kernel &kernel;
  const LaunchShape &shape;
  const DeviceSpec &device;
  const WalkOptions &options;
  const KernelFacts facts;
  KernelWalk out;
  std::map<std::string, LaneValue> scalars, locals, coordinates;
  std::map<std::string, Area> areas;
  std::set<std::string> sharedSeen;
  std::vector<Level> levels; // the kernel, then the loops around what is walked
  std::vector<double> visits, warpWeights;
  std::unordered_map<const Expr *, std::string> texts;
  std::map<std::pair<const Expr *, bool>, size_t> numbers; // of references
  std::vector<ExprP> kept; // so that no other node gets the address of one that is remembered
  int quiet = 0;           // > 0: values are asked for, costs are not
  int inlined = 0;
  bool isFirst = false;
};

} // namespace

KernelWalk walkKernel(const Program &p, const Kernels &all, const Kernel &k, const std::map<std::string, int64_t> &values, const LaunchShape &shape, const DeviceSpec &device,
                      const WalkOptions &options) {
  return Walker(p, all, k, values, shape, device, options).run();
}

} // namespace nw
