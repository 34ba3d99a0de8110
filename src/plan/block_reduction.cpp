// Reductions that threads share out.
#include "plan/facts.h"
#include "plan/lines.h"
#include "plan/phases.h"
#include <algorithm>
#include <fmt/format.h>

namespace nw {

namespace {

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

// The dimensions of time that change from one instance of the statement in a thread to another: its
// loops, from the outermost on.
std::vector<int> loopPositions(const Step &step, const std::string &name) {
  isl::set apart =
      isl::manage(isl_set_coalesce(timesInThread(step, name, name).deltas().release()));
  std::vector<int> positions;
  for (int k = 0; k < int(isl_set_dim(apart.get(), isl_dim_set)); k++)
    if (std::optional<long> d = longOf(
            isl::manage(isl_set_plain_get_val_if_fixed(apart.get(), isl_dim_set, unsigned(k))));
        !d || *d != 0)
      positions.push_back(k);
  return positions;
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

// For each parallel loop: accesses of the statements in loops that are coalesced along it, less
// those that jump.
std::vector<int> gridBenefits(const Program &p, const Step &step,
                              const BlockReductionParts &parts) {
  std::vector<int> all;
  for (size_t d = 0; d < step.parallel.size(); d++) {
    std::vector<Dimension> fixed = step.around;
    for (size_t other = 0; other < step.parallel.size(); other++)
      if (other != d)
        fixed.push_back(step.parallel[other]);
    fixed.push_back(parts.loop);
    fixed.insert(fixed.end(), parts.others.begin(), parts.others.end());
    all.push_back(benefitAlong(p, loopStatementsOf(parts), step.parallel[d], fixed));
  }
  return all;
}

std::string namesOf(const std::vector<Dimension> &dimensions) {
  std::vector<std::string> names;
  for (const Dimension &d : dimensions)
    names.push_back(d.name);
  return fmt::format("{}", fmt::join(names, " and "));
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
                       namesOf(step.parallel));
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

ThreadAxis blockReductionAxis(const BlockReductionParts &parts) {
  return parts.benefit >= parts.gridBenefit ? ThreadAxis::X : ThreadAxis::Y;
}

size_t rowsOfBlock(const Program &p, const Step &step, const BlockReductionParts &parts,
                   ThreadAxis axis) {
  if (axis == ThreadAxis::X)
    return step.parallel.size() - 1;
  std::vector<int> benefits = gridBenefits(p, step, parts);
  return size_t(std::max_element(benefits.begin(), benefits.end()) - benefits.begin());
}

// The loop whose neighbouring values are neighbours in memory, of those that all of these
// statements stand in; the others are what each thread runs for a value of it.
static std::string chooseLoop(const Program &p, const Step &step,
                              const std::map<std::string, std::vector<int>> &positions,
                              BlockReductionParts &parts) {
  std::vector<std::string> statements;
  std::map<int, size_t> uses;
  for (const auto &[name, own] : positions) {
    statements.push_back(name);
    for (int position : own)
      uses[position]++;
  }
  std::vector<Dimension> loops;
  std::vector<bool> areCommon;
  for (const auto &[position, many] : uses) {
    isl::union_map values(p.isl->get(), "{ }");
    for (const auto &[name, own] : positions)
      values = values.unite(isl::union_map(timeAt(insideOf(step, name), position)));
    loops.push_back({loopName(step, position), values});
    areCommon.push_back(many == positions.size());
  }
  std::optional<size_t> best;
  for (size_t n = 0; n < loops.size(); n++) {
    if (!areCommon[n])
      continue;
    std::vector<Dimension> fixed = step.around;
    fixed.insert(fixed.end(), step.parallel.begin(), step.parallel.end());
    for (size_t other = 0; other < loops.size(); other++)
      if (other != n)
        fixed.push_back(loops[other]);
    int benefit = benefitAlong(p, statements, loops[n], fixed);
    if (best && benefit <= parts.benefit)
      continue;
    best = n;
    parts.benefit = benefit;
  }
  if (!best)
    return "its statements have no loop of a thread in common";
  parts.loop = loops[*best];
  loops.erase(loops.begin() + long(*best));
  parts.others = loops;
  return "";
}

std::optional<BlockReductionParts> blockReductionParts(const Program &p, const Step &step,
                                                       std::string &why) {
  auto no = [&](const std::string &reason) {
    why = reason;
    return std::nullopt;
  };
  if (step.kind != StepKind::Parallel)
    return no("it is not a step of parallel loops");
  BlockReductionParts parts;
  std::map<std::string, std::vector<int>> positions; // of the loops that statements reduce over
  for (const std::string &name : step.statements)
    if (std::vector<int> own = loopPositions(step, name); !own.empty())
      positions[name] = own;
  if (positions.empty())
    return no("its threads have no loops");
  if (std::string reason = chooseLoop(p, step, positions, parts); !reason.empty())
    return no(reason);
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
  std::vector<int> benefits = gridBenefits(p, step, parts);
  parts.gridBenefit = *std::max_element(benefits.begin(), benefits.end());
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

} // namespace nw
