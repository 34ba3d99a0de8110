// Folds that threads share out.
#include "plan/lines.h"
#include <algorithm>
#include <fmt/format.h>

namespace nw {

namespace {

// How many values of the fold's loop each thread should get at least.
constexpr int kValuesOfAThread = 4;
constexpr int kMostBlocks = 256; // that share one fold
// Blocks are not proposed to share a fold: on the H200, tmv 8192 took 0.068 ms with blocks of 32 x 32 alone and 0.160 ms with 16 blocks for each fold
// and a second kernel that takes their results. A plan may say so where there are few folds.

isl::map insideOf(const Step &step, const std::string &statement) {
  for (const isl::map &m : mapsOf(step.inside))
    if (inputTupleOf(m) == statement)
      return m;
  return {};
}

// Values of the first `count` dimensions of time, where they are constants.
std::optional<std::vector<long>> fixedTimes(const isl::map &inside, int count) {
  std::vector<long> all;
  isl::set times = inside.range();
  for (int k = 0; k < count; k++) {
    std::optional<long> v = longOf(isl::manage(isl_set_plain_get_val_if_fixed(times.get(), isl_dim_set, unsigned(k))));
    if (!v)
      return std::nullopt;
    all.push_back(*v);
  }
  return all;
}

// One dimension of time as a function of the instance.
isl::map timeAt(const isl::map &inside, int position) {
  int all = int(isl_map_dim(inside.get(), isl_dim_out));
  isl_map *m = isl_map_project_out(inside.copy(), isl_dim_out, unsigned(position) + 1, unsigned(all - position - 1));
  return isl::manage(isl_map_project_out(m, isl_dim_out, 0, unsigned(position)));
}

bool isPlainScalar(const Type &t) { return !t.isStruct() && (t.scalar == Scalar::F32 || t.scalar == Scalar::F64 || (t.isInteger() && bitsOf(t.scalar) >= 32)); }

// Whether the step's only parallel dimension is this loop of the statement, up to the sign.
bool isParallelLoop(const Program &p, const Step &step, const Statement &s, size_t level) {
  const SourceLoop &l = p.loop(s.loops[level]);
  if (step.parallel[0].name != (l.step < 0 ? "nw_minus_" + l.counter : l.counter))
    return false;
  for (const isl::map &m : mapsOf(step.parallel[0].value))
    if (inputTupleOf(m) == s.name) {
      isl::pw_aff v = dimensionOn(s.domain.get_space(), int(level));
      isl::map own = isl::manage(isl_map_from_pw_aff((l.step < 0 ? v.neg() : v).release())).intersect_domain(s.domain);
      return m.is_equal(own);
    }
  return false;
}

// Why the statement is no fold whose instances threads could share out for each value of the parallel loop; or nothing.
std::string unfit(const Program &p, const Step &step, const Statement &s) {
  if (!s.reduction)
    return fmt::format("{} stands in the loop and is no fold", s.name);
  const Reduction &r = *s.reduction;
  if (!isPlainScalar(r.type))
    return fmt::format("the values that {} folds are not of 32 or 64 bits", s.name);
  bool isSimple = true; // an element that the parallel loop alone determines
  std::set<std::string> parallel;
  for (size_t level = 0; level < s.loops.size(); level++)
    if (isParallelLoop(p, step, s, level))
      parallel.insert(p.loop(s.loops[level]).counter);
  for (const Expr *e = r.target.get(); e->kind == ExprKind::Index || e->kind == ExprKind::Member; e = e->args[0].get())
    if (e->kind == ExprKind::Index)
      walk(e->args[1], [&](const ExprP &x) {
        isSimple &= x->kind != ExprKind::Index && x->kind != ExprKind::Member && x->kind != ExprKind::Call && !(x->kind == ExprKind::Var && p.arrays.count(x->name));
        return isSimple;
      });
  for (int id : s.loops)
    isSimple &= parallel.count(p.loop(id).counter) || !mentions(r.target, p.loop(id).counter);
  if (parallel.empty() || !isSimple)
    return fmt::format("what {} folds into is not determined by {} alone", s.name, step.parallel[0].name);
  for (const Access &a : s.accesses) {
    if (a.array == r.array)
      continue;
    if (p.arrays.at(a.array).kind == ArrayKind::Private)
      return fmt::format("{} uses {}, of which each thread has its own", s.name, a.array);
    for (const std::string &other : step.statements)
      for (const Access &b : p.find(other)->accesses)
        if (a.array == b.array && (a.isWrite || b.isWrite))
          return fmt::format("{} and {} touch {}", s.name, other, a.array);
  }
  const Array &target = p.arrays.at(r.array);
  if (target.kind == ArrayKind::Private && target.privateDepth != 1)
    return fmt::format("{} is not one variable for each {}", r.array, step.parallel[0].name);
  return "";
}

// Accesses of the folds that touch neighbouring elements when `value` grows by one and `fixed` stays, less those that jump.
int benefitAlong(const Program &p, const std::vector<std::string> &statements, const Dimension &value, const Dimension &fixed) {
  int score = 0;
  for (const std::string &name : statements) {
    const Statement &s = *p.find(name);
    isl::map shift;
    for (const Dimension *d : {&value, &fixed})
      for (const isl::map &m : mapsOf(d->value))
        if (inputTupleOf(m) == name) {
          isl::map pair = m.apply_range(isl::map(m.ctx(), d == &value ? "{ [a] -> [b] : b = a + 1 }" : "{ [a] -> [b] : b = a }")).apply_range(m.reverse());
          shift = shift.is_null() ? pair : shift.intersect(pair);
        }
    for (const Access &a : s.accesses) {
      if (a.array == s.reduction->array || p.arrays.at(a.array).isScalar() || shift.is_null())
        continue;
      isl::set deltas = shift.apply_domain(a.relation).apply_range(a.relation).deltas();
      int rank = int(isl_map_dim(a.relation.get(), isl_dim_out));
      long last = 0;
      bool jumps = false;
      for (int k = 0; k < rank; k++) {
        std::optional<long> d = longOf(isl::manage(isl_set_plain_get_val_if_fixed(deltas.get(), isl_dim_set, unsigned(k))));
        jumps |= !d || (k + 1 < rank && *d != 0) || (k + 1 == rank && std::abs(*d) > 1);
        last = d ? *d : 0;
      }
      score += jumps ? -1 : last != 0 ? 1 : 0;
    }
  }
  return score;
}

} // namespace

int powerBelow(int x) {
  int power = 1;
  while (power * 2 <= x)
    power *= 2;
  return power;
}

std::vector<std::string> foldsOf(const SpreadParts &parts) {
  std::vector<std::string> all;
  for (const SpreadPiece &piece : parts.pieces)
    if (piece.isFold)
      all.insert(all.end(), piece.statements.begin(), piece.statements.end());
  return all;
}

int spreadAxis(const Program &p, const Step &step, const SpreadParts &parts) {
  std::vector<std::string> folds = foldsOf(parts);
  return benefitAlong(p, folds, parts.loop, step.parallel[0]) >= benefitAlong(p, folds, step.parallel[0], parts.loop) ? 0 : 1;
}

std::optional<SpreadParts> spreadParts(const Program &p, const Step &step, std::string &why) {
  auto no = [&](const std::string &reason) {
    why = reason;
    return std::nullopt;
  };
  if (step.kind != StepKind::Parallel || step.parallel.size() != 1)
    return no("it is not a step of one parallel loop");
  // The outermost loop inside that any statement has.
  int position = 0;
  while (position < int(step.insideNames.size()) && step.insideNames[size_t(position)].empty())
    position++;
  if (position == int(step.insideNames.size()))
    return no("its threads have no loops");
  std::map<std::vector<long>, SpreadPiece> pieces;
  isl::union_map values(p.isl->get(), "{ }");
  for (const std::string &name : step.statements) {
    isl::map inside = insideOf(step, name);
    std::optional<std::vector<long>> before = inside.is_null() ? std::nullopt : fixedTimes(inside, position);
    if (!before)
      return no(fmt::format("{} stands in several loops of a thread", name));
    bool loops = p.find(name)->loops.size() > 1;
    auto [piece, isNew] = pieces.try_emplace(*before);
    if (!isNew && piece->second.isFold != loops)
      return no(fmt::format("{} stands between folds", name));
    piece->second.isFold = loops;
    piece->second.statements.push_back(name);
    if (!loops)
      continue;
    if (std::string reason = unfit(p, step, *p.find(name)); !reason.empty())
      return no(reason);
    values = values.unite(isl::union_map(timeAt(inside, position)));
  }
  SpreadParts parts;
  for (auto &[time, piece] : pieces)
    parts.pieces.push_back(piece);
  std::vector<std::string> folds = foldsOf(parts);
  if (folds.empty())
    return no("nothing is folded");
  for (const std::string &a : folds) // results of one are not seen by another: threads have them at different times
    for (const std::string &b : folds)
      if (a != b && p.find(a)->reduction->array == p.find(b)->reduction->array)
        return no(fmt::format("{} and {} fold into one array", a, b));
  parts.loop = {step.insideNames[size_t(position)], values};
  return parts;
}

void proposeSpread(const Program &p, const Step &step, const DeviceSpec &device, KernelPlan &kernel) {
  std::string why;
  std::optional<SpreadParts> parts = device.warp > 1 ? spreadParts(p, step, why) : std::nullopt;
  if (!parts)
    return;
  SpreadPlan s;
  s.loop = parts->loop.name;
  s.axis = spreadAxis(p, step, *parts);
  int warp = powerBelow(device.warp), threads = powerBelow(std::min(device.blockThreads, s.axis == 0 ? device.preferredBlock : device.blockThreads));
  if (threads < 2 * warp)
    return;
  s.block = {warp, threads / warp};
  s.from = kValuesOfAThread * warp;
  s.lines = s.axis == 0 && warp == kThreadsOfALine && kernel.lineless.empty();
  kernel.spread = s;
  std::string who = fmt::format("{} threads", s.block[size_t(s.axis)]);
  kernel.why += fmt::format("; from {0} values of {1} on, {2} share the fold over {1}, {3}", s.from, s.loop, who,
                            s.axis == 0 ? "neighbours of which touch neighbouring elements" : fmt::format("while neighbouring threads have neighbouring values of {}", kernel.grid[0]));
  if (s.lines)
    kernel.why += ", from the beginning of a line of memory on";
}

std::string wrongSpread(const KernelPlan &given, const KernelPlan &proposed) {
  if (!given.spread)
    return "";
  const SpreadPlan &s = *given.spread;
  if (!proposed.spreadable)
    return "spreads a fold, but has none that threads could share out";
  if (s.loop != *proposed.spreadable)
    return fmt::format("spreads the loop over {}; expected {}", s.loop, *proposed.spreadable);
  if (s.axis != 0 && s.axis != 1)
    return "spreads a fold along an axis that blocks do not have";
  bool isSplit = s.block.size() == 3 && s.axis == 1 && s.block[2] >= 1 && s.block[2] <= kMostBlocks;
  if ((s.block.size() != 2 && !isSplit) || s.block[0] < 1 || s.block[1] < 1 || (s.block[size_t(s.axis)] & (s.block[size_t(s.axis)] - 1)) != 0)
    return fmt::format("spreads a fold over a block that is not fit for it; expected two numbers, that along {} a power of two{}", "xy"[s.axis], s.axis == 1 ? fmt::format(", and perhaps a number of blocks up to {}", kMostBlocks) : "");
  if (s.from < 0)
    return "spreads a fold from a negative number of values on";
  if (s.lines && (s.axis != 0 || s.block[0] != kThreadsOfALine))
    return fmt::format("begins a fold at lines of memory, for which {0} threads along x share it; it has {1} along {2}", kThreadsOfALine, s.block[size_t(s.axis)], "xy"[s.axis]);
  if (s.lines && !proposed.lineless.empty())
    return "begins a fold at lines of memory, but " + proposed.lineless;
  return "";
}

} // namespace nw
