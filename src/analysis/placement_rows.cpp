// Rows of time, then rows of space.
#include "analysis/placement_rows.h"
#include <algorithm>

namespace nw {

namespace {

// The variables of one statement's row: each factor is the difference of two non-negative ones.
struct RowVariables {
  std::vector<size_t> positive, negative;
  std::optional<size_t> constant;
};

// Variables in order of importance, and what is known about them.
class Unknowns {
public:
  // Sums first, so that they are made small first: of whatever the caller wants, of sizes, of
  // negative parts, of constants.
  enum Sum : size_t { Open, Sizes, Negatives, Constants, Sums };

  explicit Unknowns(int64_t bound) : bound(bound), count(Sums), sums(Sums) {}

  // `innermostFirst`: the factors of inner loops are made small before those of outer ones.
  RowVariables addRow(size_t loops, bool innermostFirst, bool withConstant) {
    RowVariables row;
    row.positive.resize(loops);
    row.negative.resize(loops);
    for (size_t n = 0; n < loops; n++) {
      size_t k = innermostFirst ? loops - 1 - n : n;
      row.positive[k] = add({Sizes}, bound);
      row.negative[k] = add({Sizes, Negatives}, bound);
    }
    if (withConstant)
      row.constant = add({Constants}, bound);
    return row;
  }
  // 1 where something is left open.
  size_t addOpen() { return add({Open}, 1); }

  LinearExpr variable(size_t number, int64_t factor = 1) const {
    LinearExpr f;
    f.factors.resize(number + 1, 0);
    f.factors[number] = factor;
    return f;
  }
  LinearExpr factorOf(const RowVariables &row, size_t loop, int64_t sign) const {
    LinearExpr f;
    f.factors.resize(std::max(row.positive[loop], row.negative[loop]) + 1, 0);
    f.factors[row.positive[loop]] = sign;
    f.factors[row.negative[loop]] = -sign;
    return f;
  }
  // target(y) - source(x) + number
  PairFunction difference(const RowVariables &source, const RowVariables &target,
                          int64_t number) const {
    PairFunction f;
    f.constant.number = number;
    f.constant.factors.resize(count, 0);
    if (target.constant)
      f.constant.factors[*target.constant] += 1;
    if (source.constant)
      f.constant.factors[*source.constant] -= 1;
    for (size_t k = 0; k < source.positive.size(); k++)
      f.source.push_back(factorOf(source, k, -1));
    for (size_t k = 0; k < target.positive.size(); k++)
      f.target.push_back(factorOf(target, k, 1));
    return f;
  }

  std::optional<IntegerRow> smallest(IntegerProgram &solver) const {
    std::vector<LinearConstraint> all = constraints;
    for (size_t s = 0; s < Sums; s++) { // the variable is the sum
      LinearConstraint c{IntegerRow(count, 0), 0, true};
      c.factors[s] = -1;
      for (size_t part : sums[s])
        c.factors[part] += 1;
      all.push_back(c);
    }
    for (LinearConstraint &c : all)
      c.factors.resize(count, 0);
    return solver.smallest(int(count), all);
  }

  static ScheduleRow read(const RowVariables &row, const IntegerRow &values) {
    ScheduleRow out;
    for (size_t k = 0; k < row.positive.size(); k++)
      out.factors.push_back(values[row.positive[k]] - values[row.negative[k]]);
    out.constant = row.constant ? values[*row.constant] : 0;
    return out;
  }

  std::vector<LinearConstraint> constraints;

private:
  size_t add(std::initializer_list<Sum> in, int64_t most) {
    for (Sum s : in)
      sums[s].push_back(count);
    constraints.push_back({variable(count).factors, 0, false});
    constraints.push_back({variable(count, -1).factors, most, false});
    return count++;
  }

  int64_t bound;
  size_t count;
  std::vector<std::vector<size_t>> sums;
};

// Dependences that the order of the text cannot keep.
bool needsTime(const StatementPair &d) { return d.source >= d.target; }

// Pairs that have the same value of the rows.
isl::map atOneTime(const RowProblem &p, const StatementPair &d,
                   const std::vector<ScheduleRow> &rows) {
  isl::map source = asMap(p.statements[d.source]->domain, {rows[d.source]}),
           target = asMap(p.statements[d.target]->domain, {rows[d.target]});
  return d.condition.relation.intersect(source.apply_range(target.reverse()));
}

// One row for all statements, and whether it settles any dependence that needs time.
struct TimeRow {
  std::vector<ScheduleRow> rows;
  bool settles = false;
};

std::optional<TimeRow> nextTimeRow(const RowProblem &p, const std::vector<StatementPair> &left,
                                   IntegerProgram &solver) {
  Unknowns unknowns(p.bound);
  std::vector<RowVariables> rows;
  for (const Statement *s : p.statements)
    rows.push_back(unknowns.addRow(s->loops.size(), true, p.statements.size() > 1));
  int64_t needing = 0;
  std::vector<std::optional<size_t>> open;
  for (const StatementPair &d : left) {
    needing += needsTime(d);
    open.push_back(needsTime(d) ? std::optional(unknowns.addOpen()) : std::nullopt);
  }
  for (size_t n = 0; n < left.size(); n++) {
    // θ(y) - θ(x) >= 1, or >= 0 where it is left open.
    PairFunction f =
        unknowns.difference(rows[left[n].source], rows[left[n].target], open[n] ? -1 : 0);
    if (open[n])
      f.constant.factors[*open[n]] = 1;
    left[n].condition.cone.requireNonNegative(f, unknowns.constraints);
  }
  for (size_t s = 0; s < rows.size(); s++)
    for (const RowCondition &pairs : p.neighbours[s])
      pairs.cone.requireZero(unknowns.difference(rows[s], rows[s], 0), unknowns.constraints);
  std::optional<IntegerRow> values = unknowns.smallest(solver);
  if (!values)
    return std::nullopt;
  TimeRow out;
  for (const RowVariables &row : rows)
    out.rows.push_back(Unknowns::read(row, *values));
  out.settles = (*values)[Unknowns::Open] < needing;
  return out;
}

} // namespace

std::optional<std::vector<std::vector<ScheduleRow>>> timeRows(const RowProblem &p,
                                                              IntegerProgram &solver) {
  std::vector<std::vector<ScheduleRow>> time(p.statements.size());
  std::vector<StatementPair> left = p.dependences;
  while (std::any_of(left.begin(), left.end(), needsTime)) {
    std::optional<TimeRow> next = nextTimeRow(p, left, solver);
    if (!next || !next->settles)
      return std::nullopt;
    for (size_t s = 0; s < time.size(); s++)
      time[s].push_back(next->rows[s]);
    std::vector<StatementPair> still;
    for (const StatementPair &d : left)
      if (isl::map pairs = atOneTime(p, d, next->rows); pairs.is_equal(d.condition.relation))
        still.push_back(d);
      else if (!pairs.is_empty())
        still.push_back({d.source, d.target, RowCondition(pairs, solver)});
    left = still;
  }
  return time;
}

namespace {

IntegerMatrix factorsOf(const std::vector<ScheduleRow> &rows) {
  IntegerMatrix out;
  for (const ScheduleRow &r : rows)
    out.push_back(r.factors);
  return out;
}

// The smallest row that is independent of `before` and takes neighbours `distance` apart.
std::optional<ScheduleRow> independentRow(const Statement &s,
                                          const std::vector<RowCondition> &neighbours,
                                          const IntegerMatrix &before, int64_t distance,
                                          int64_t bound, IntegerProgram &solver) {
  std::optional<IntegerRow> best;
  std::optional<ScheduleRow> row;
  // Independent: with a part along some direction that is orthogonal to all rows before.
  for (const IntegerRow &direction : orthogonalComplement(before, int(s.loops.size())))
    for (int64_t sign : {1, -1}) {
      Unknowns unknowns(bound);
      RowVariables variables = unknowns.addRow(s.loops.size(), false, false);
      LinearConstraint along;
      along.constant = -1;
      along.factors.resize(Unknowns::Sums + 2 * s.loops.size(), 0);
      for (size_t k = 0; k < direction.size(); k++) {
        along.factors[variables.positive[k]] = sign * direction[k];
        along.factors[variables.negative[k]] = -sign * direction[k];
      }
      unknowns.constraints.push_back(along);
      for (const RowCondition &pairs : neighbours)
        pairs.cone.requireZero(unknowns.difference(variables, variables, -distance),
                               unknowns.constraints);
      std::optional<IntegerRow> values = unknowns.smallest(solver);
      if (values && (!best || *values < *best)) {
        best = values;
        row = Unknowns::read(variables, *values);
      }
    }
  return row;
}

} // namespace

std::optional<std::vector<ScheduleRow>> spaceRows(const Statement &s,
                                                  const std::vector<RowCondition> &neighbours,
                                                  const std::vector<ScheduleRow> &time,
                                                  int64_t bound, IntegerProgram &solver) {
  std::vector<ScheduleRow> space;
  IntegerMatrix before = factorsOf(time);
  while (rankOf(before) < int(s.loops.size())) {
    std::optional<ScheduleRow> row =
        independentRow(s, neighbours, before, space.empty() ? 1 : 0, bound, solver);
    if (!row)
      return std::nullopt;
    space.push_back(*row);
    before.push_back(row->factors);
  }
  if (space.empty() && !neighbours.empty())
    return std::nullopt; // nothing is left to deal out to threads
  return space;
}

} // namespace nw
