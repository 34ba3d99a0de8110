// Reductions that threads share out.
#include "plan/facts.h"
#include "plan/lines.h"
#include "plan/phases.h"
#include <algorithm>
#include <fmt/format.h>

namespace nw {

namespace {

// How many values of the reduction's loop each thread should get at least.
constexpr int kValuesOfAThread = 4;
// Blocks are not proposed to share a reduction: on the H200, tmv 8192 took 0.068 ms with blocks of
// 32 x 32 alone and 0.160 ms with 16 blocks for each reduction and a second kernel that takes their
// results. A plan may say so where there are few reductions.

isl::map insideOf(const Step &step, const std::string &statement) {
  for (const isl::map &m : mapsOf(step.inside))
    if (inputTupleOf(m) == statement)
      return m;
  return {};
}

// One dimension of time as a function of the instance.
isl::map timeAt(const isl::map &inside, int position) {
  int all = int(isl_map_dim(inside.get(), isl_dim_out));
  isl_map *m = isl_map_project_out(inside.copy(), isl_dim_out, unsigned(position) + 1,
                                   unsigned(all - position - 1));
  return isl::manage(isl_map_project_out(m, isl_dim_out, 0, unsigned(position)));
}

// Pairs of times of two statements in one thread.
isl::map timesInThread(const Step &step, const std::string &a, const std::string &b) {
  isl::map first, second;
  for (const isl::map &m : mapsOf(threadsOf(step))) {
    if (inputTupleOf(m) == a)
      first = m;
    if (inputTupleOf(m) == b)
      second = m;
  }
  return insideOf(step, a)
      .reverse()
      .apply_range(first)
      .apply_range(second.reverse())
      .apply_range(insideOf(step, b));
}

// Whether each thread is through with the first statement before it begins with the second.
bool isBefore(const Step &step, const std::string &a, const std::string &b) {
  isl::map pairs = timesInThread(step, a, b);
  return pairs.is_subset(
      isl::manage(isl_map_lex_lt(isl_space_domain(isl_map_get_space(pairs.get())))));
}

// The dimension of time that changes first from one instance of the statement in a thread to the
// next; nothing where there is but one instance.
std::optional<int> loopPosition(const Step &step, const std::string &name) {
  isl::set apart = timesInThread(step, name, name).deltas();
  for (int k = 0; k < int(isl_set_dim(apart.get(), isl_dim_set)); k++)
    if (std::optional<long> d = longOf(isl::manage(isl_set_plain_get_val_if_fixed(
            isl::manage(isl_set_coalesce(apart.copy())).get(), isl_dim_set, unsigned(k))));
        !d || *d != 0)
      return k;
  return std::nullopt;
}

// The statements in the order of time, as far as there is one.
std::vector<std::string> sortedByTime(const Step &step) {
  std::vector<std::string> left = step.statements, sorted;
  while (!left.empty()) {
    auto isNext = [&](const std::string &a) {
      return std::none_of(left.begin(), left.end(), [&](const std::string &b) {
        return a != b && isBefore(step, b, a) && !isBefore(step, a, b);
      });
    };
    auto next = std::find_if(left.begin(), left.end(), isNext);
    next = next == left.end() ? left.begin() : next;
    sorted.push_back(*next);
    left.erase(next);
  }
  return sorted;
}

// The loop's name as the schedule has it.
std::string loopName(const Step &step, int position) {
  bool hasName =
      position < int(step.insideNames.size()) && !step.insideNames[size_t(position)].empty();
  return hasName ? step.insideNames[size_t(position)] : fmt::format("nw_t{}", position);
}

bool isPlainScalar(const Type &t) {
  return !t.isStruct() && (t.scalar == Scalar::F32 || t.scalar == Scalar::F64 ||
                           (t.isInteger() && bitsOf(t.scalar) >= 32));
}

// Whether the accesses touch one element in the same iteration of the loops around the step.
bool touchSame(const Step &step, const Access &a, const Access &b) {
  isl::union_map iterations;
  for (const Dimension &d : step.around)
    iterations = iterations.is_null() ? isl::union_map(d.value) : iterations.range_product(d.value);
  isl::union_map pairs =
      isl::union_map(a.relation).apply_range(isl::union_map(b.relation.reverse()));
  return !(iterations.is_null() ? pairs
                                : pairs.intersect(iterations.apply_range(iterations.reverse())))
              .is_empty();
}

// Why threads could not share out the statement's instances each by itself, without a look at what
// others do; or nothing.
std::string unfit(const Program &p, const Step &step, const Statement &s) {
  if (std::string why = unfitReduction(p, step, s); !why.empty())
    return why;
  for (const Access &a : s.accesses) {
    if (a.array == s.reduction->array)
      continue;
    if (p.arrays.at(a.array).kind == ArrayKind::Private)
      return fmt::format("{} uses {}, of which each thread has its own", s.name, a.array);
    for (const std::string &other : step.statements)
      for (const Access &b : p.find(other)->accesses)
        if (a.array == b.array && (a.isWrite || b.isWrite) && touchSame(step, a, b))
          return fmt::format("{} and {} touch {}", s.name, other, a.array);
  }
  return "";
}

// The same for all statements that stand in loops.
std::string notAlone(const Program &p, const Step &step, const std::vector<std::string> &all) {
  for (const std::string &name : all)
    if (std::string why = unfit(p, step, *p.find(name)); !why.empty())
      return why;
  for (const std::string &a : all) // one does not see the other's results
    for (const std::string &b : all)
      if (a != b && p.find(a)->reduction->array == p.find(b)->reduction->array)
        return fmt::format("{} and {} reduce into one array", a, b);
  return "";
}

// Accesses of the statements that touch neighbouring elements when `value` grows by one and `fixed`
// stays, less those that jump.
int benefitAlong(const Program &p, const std::vector<std::string> &statements,
                 const Dimension &value, std::vector<Dimension> fixed) {
  int score = 0;
  fixed.push_back(value);
  for (const std::string &name : statements) {
    const Statement &s = *p.find(name);
    isl::map shift;
    for (const Dimension &d : fixed)
      for (const isl::map &m : mapsOf(d.value))
        if (inputTupleOf(m) == name) {
          isl::map pair =
              m.apply_range(isl::map(m.ctx(), &d == &fixed.back() ? "{ [a] -> [b] : b = a + 1 }"
                                                                  : "{ [a] -> [b] : b = a }"))
                  .apply_range(m.reverse());
          shift = shift.is_null() ? pair : shift.intersect(pair);
        }
    for (const Access &a : s.accesses) {
      if ((s.reduction && a.array == s.reduction->array) || p.arrays.at(a.array).isScalar() ||
          shift.is_null())
        continue;
      isl::set deltas = shift.apply_domain(a.relation).apply_range(a.relation).deltas();
      int rank = int(isl_map_dim(a.relation.get(), isl_dim_out));
      long last = 0;
      bool jumps = false;
      for (int k = 0; k < rank; k++) {
        std::optional<long> d = longOf(
            isl::manage(isl_set_plain_get_val_if_fixed(deltas.get(), isl_dim_set, unsigned(k))));
        jumps |= !d || (k + 1 < rank && *d != 0) || (k + 1 == rank && std::abs(*d) > 1);
        last = d ? *d : 0;
      }
      score += jumps ? -1 : last != 0 ? 1 : 0;
    }
  }
  return score;
}

} // namespace

std::string unfitReduction(const Program &p, const Step &step, const Statement &s) {
  if (!s.reduction)
    return fmt::format("{} stands in the loop and is not a reduction", s.name);
  const Reduction &r = *s.reduction;
  if (!isPlainScalar(r.type))
    return fmt::format("the values that {} reduces are not of 32 or 64 bits", s.name);
  bool isSimple = true; // an element that the parallel loop alone determines, and loops around it
  for (const Expr *e = r.target.get(); e->kind == ExprKind::Index || e->kind == ExprKind::Member;
       e = e->args[0].get())
    if (e->kind == ExprKind::Index)
      walk(e->args[1], [&](const ExprP &x) {
        isSimple &= x->kind != ExprKind::Index && x->kind != ExprKind::Member &&
                    x->kind != ExprKind::Call &&
                    !(x->kind == ExprKind::Var && p.arrays.count(x->name));
        return isSimple;
      });
  isl::union_map instances = threadsOf(step).reverse();
  for (const Access &a : s.accesses)
    if (a.array == r.array)
      isSimple &= instances.apply_range(isl::union_map(a.relation)).is_single_valued();
  if (!isSimple)
    return fmt::format("what {} reduces into is not determined by {} alone", s.name,
                       step.parallel[0].name);
  return "";
}

int powerBelow(int x) {
  int power = 1;
  while (power * 2 <= x)
    power *= 2;
  return power;
}

std::vector<std::string> loopStatementsOf(const BlockReductionParts &parts) {
  std::vector<std::string> all;
  for (const BlockReductionPiece &piece : parts.pieces)
    if (piece.isLoop)
      all.insert(all.end(), piece.statements.begin(), piece.statements.end());
  return all;
}

ThreadAxis blockReductionAxis(const Program &p, const Step &step,
                              const BlockReductionParts &parts) {
  std::vector<std::string> reductions = loopStatementsOf(parts);
  std::vector<Dimension> values = step.around, loops = step.around;
  values.push_back(step.parallel[0]);
  loops.push_back(parts.loop);
  return benefitAlong(p, reductions, parts.loop, values) >=
                 benefitAlong(p, reductions, step.parallel[0], loops)
             ? ThreadAxis::X
             : ThreadAxis::Y;
}

std::optional<BlockReductionParts> blockReductionParts(const Program &p, const Step &step,
                                                       std::string &why) {
  auto no = [&](const std::string &reason) {
    why = reason;
    return std::nullopt;
  };
  if (step.kind != StepKind::Parallel || step.parallel.size() != 1)
    return no("it is not a step of one parallel loop");
  BlockReductionParts parts;
  std::map<std::string, int> positions; // of the loops that statements reduce over
  for (const std::string &name : step.statements)
    if (std::optional<int> position = loopPosition(step, name))
      positions[name] = *position;
  if (positions.empty())
    return no("its threads have no loops");
  int position = positions.begin()->second;
  isl::union_map values(p.isl->get(), "{ }");
  for (auto &[name, own] : positions) {
    if (own != position)
      return no(fmt::format("{} stands in several loops of a thread", name));
    values = values.unite(isl::union_map(timeAt(insideOf(step, name), position)));
  }
  parts.loop = {loopName(step, position), values};
  std::vector<std::string> ordered = sortedByTime(step);
  for (const std::string &name : ordered) {
    bool isLoop = positions.count(name);
    // Statements of one loop are one piece, and so are statements between loops.
    if (parts.pieces.empty() || parts.pieces.back().isLoop != isLoop ||
        (isLoop && isBefore(step, parts.pieces.back().statements[0], name)))
      parts.pieces.push_back({isLoop, {}});
    parts.pieces.back().statements.push_back(name);
  }
  for (size_t later = 1; later < parts.pieces.size(); later++)
    for (size_t earlier = 0; earlier < later; earlier++)
      for (const std::string &a : parts.pieces[earlier].statements)
        for (const std::string &b : parts.pieces[later].statements)
          if (!isBefore(step, a, b))
            return no(fmt::format("{} stands between reductions", b));
  std::vector<std::string> inLoops = loopStatementsOf(parts);
  for (const std::string &name : inLoops)
    if (unfitReduction(p, step, *p.find(name)).empty())
      parts.reductions.insert(name);
  std::string reason = notAlone(p, step, inLoops);
  if (reason.empty())
    return parts;
  if (!makePhases(p, step, parts))
    return no(reason);
  return parts;
}

// How many values the loop has at most; nothing where that depends on sizes.
static std::optional<int64_t> mostValues(const Program &p, const BlockReductionParts &parts) {
  int64_t low = INT64_MAX, high = INT64_MIN;
  for (const isl::map &m : mapsOf(parts.loop.value)) {
    isl::set values =
        m.intersect_domain(p.find(inputTupleOf(m))->domain).range().intersect_params(p.context);
    std::optional<long> first = longOf(isl::manage(isl_set_dim_min_val(values.copy(), 0))),
                        last = longOf(isl::manage(isl_set_dim_max_val(values.copy(), 0)));
    if (!first || !last)
      return std::nullopt;
    low = std::min<int64_t>(low, *first);
    high = std::max<int64_t>(high, *last);
  }
  return high - low + 1;
}

// How many values the loop has at least where it has any, over all values of the parallel loop; for
// loops that do not have more than a known number.
static int64_t fewestValues(const Program &p, const BlockReductionParts &parts) {
  isl::set all;
  for (const isl::map &m : mapsOf(parts.loop.value)) {
    isl::set values =
        m.intersect_domain(p.find(inputTupleOf(m))->domain).range().intersect_params(p.context);
    all = all.is_null() ? values : all.unite(values);
  }
  isl::pw_aff beyond =
      isl::manage(isl_set_dim_max(all.copy(), 0)).sub(isl::manage(isl_set_dim_min(all.copy(), 0)));
  return longOf(isl::manage(isl_pw_aff_min_val(beyond.release()))).value_or(0) + 1;
}

void proposeBlockReduction(const Program &p, const Step &step, const StepFacts &facts,
                           const DeviceSpec &device, KernelPlan &kernel) {
  if (!facts.reduction || device.warp < 2)
    return;
  BlockReductionPlan s;
  s.loop = facts.reduction->loop.name;
  s.axis = blockReductionAxis(p, step, *facts.reduction);
  bool isX = s.axis == ThreadAxis::X;
  std::optional<int64_t> most = mostValues(p, *facts.reduction);
  if (facts.reduction->inPhases) {
    if (isX)
      proposePhases(*facts.reduction, most ? fewestValues(p, *facts.reduction) : 1, most, device,
                    kernel);
    return;
  }
  int warp = powerBelow(device.warp),
      threads = powerBelow(
          std::min(device.blockThreads, isX ? device.preferredBlock : device.blockThreads));
  if (threads < 2 * warp)
    return;
  s.block = {warp, threads / warp};
  s.profitableFrom = kValuesOfAThread * warp;
  if (most && *most < s.profitableFrom)
    return;
  s.lineAligned = isX && warp == kThreadsOfALine && facts.whyNotLineAligned.empty();
  kernel.blockReductions = {s};
  std::string who = fmt::format("{} threads", s.block[size_t(s.axis)]);
  kernel.why +=
      fmt::format("; from {0} values of {1} on, {2} share the reduction over {1}, {3}",
                  s.profitableFrom, s.loop, who,
                  isX ? "neighbours of which touch neighbouring elements"
                      : fmt::format("while neighbouring threads have neighbouring values of {}",
                                    kernel.grid[0]));
  if (s.lineAligned)
    kernel.why += ", from the beginning of a line of memory on";
}

// What is wrong with one form in a given plan, or nothing.
static std::string wrongForm(const BlockReductionPlan &s, const StepFacts &facts,
                             const DeviceSpec &device) {
  if (s.loop != facts.reduction->loop.name)
    return fmt::format("has a blockReduction of the loop over {}; expected {}", s.loop,
                       facts.reduction->loop.name);
  char axis = "xy"[size_t(s.axis)];
  int shared = s.block[size_t(s.axis)];
  if (facts.reduction->inPhases && (s.axis != ThreadAxis::X || s.block.size() != 2))
    return "has a blockReduction over a block that is not fit for it: a row of threads has one "
           "value of the parallel loop, with axis x";
  bool isSplit = s.block.size() > 2 && s.axis == ThreadAxis::Y && s.block[2] <= kMostReducingBlocks;
  if ((s.block.size() > 2 && !isSplit) || (shared & (shared - 1)) != 0)
    return fmt::format(
        "has a blockReduction over a block that is not fit for it; expected two "
        "numbers, that along {} a power of two{}",
        axis,
        s.axis == ThreadAxis::Y
            ? fmt::format(", and perhaps a number of blocks up to {}", kMostReducingBlocks)
            : "");
  if (int64_t(s.block[0]) * s.block[1] > device.blockThreads)
    return fmt::format("has a blockReduction over a block that is too large: at most {} threads",
                       device.blockThreads);
  if (facts.reduction->inPhases && !fitsSharedMemory(*facts.reduction, s.block, device))
    return "has a blockReduction for which a block has too little shared memory";
  if (isSplit && s.block[2] > device.gridLimit[1])
    return fmt::format("has a blockReduction over too many blocks: at most {} along y",
                       device.gridLimit[1]);
  if (s.lineAligned && (s.axis != ThreadAxis::X || s.block[0] != kThreadsOfALine))
    return fmt::format("has a lineAligned reduction, for which {0} threads along x share it; it "
                       "has {1} along {2}",
                       kThreadsOfALine, shared, axis);
  if (s.lineAligned && !facts.whyNotLineAligned.empty())
    return "has a lineAligned reduction, but " + facts.whyNotLineAligned;
  return "";
}

std::string wrongBlockReductions(const KernelPlan &given, const StepFacts &facts,
                                 const DeviceSpec &device) {
  if (!given.blockReductions.empty() && !facts.reduction)
    return "has a blockReduction, but no reduction that threads could share";
  for (const BlockReductionPlan &s : given.blockReductions)
    if (std::string wrong = wrongForm(s, facts, device); !wrong.empty())
      return wrong;
  return "";
}

} // namespace nw
