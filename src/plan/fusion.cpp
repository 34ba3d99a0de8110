// Steps that share what they read.
#include "plan/fusion.h"
#include "plan/facts.h"
#include <algorithm>
#include <fmt/format.h>

namespace nw {

namespace {

// Of a block, measured on the H200 with 8192 x 8192 floats (atax, mvt): 512 threads, two rows at a
// time and a block for each multiprocessor took 0.081 ms; one row at a time 0.132 ms; two blocks of
// one row at a time 0.091 ms.
constexpr int kThreads = 512, kRows = 2;
// Registers of 32 bits that a thread has for what is loaded and for sums of columns.
constexpr int kHeld = 48;

// The row and the column of every instance of the statement.
isl::map cellsOf(const std::string &statement, const Dimension &row, const Dimension &column) {
  isl::map cells;
  for (const Dimension *d : {&row, &column})
    for (const isl::map &m : mapsOf(d->value))
      if (inputTupleOf(m) == statement)
        cells =
            cells.is_null() ? m : isl::manage(isl_map_flat_range_product(cells.copy(), m.copy()));
  return cells;
}

isl::map valueOf(const std::string &statement, const Dimension &d) {
  for (const isl::map &m : mapsOf(d.value))
    if (inputTupleOf(m) == statement)
      return m;
  return {};
}

// All integers between the smallest and the largest.
bool isDense(const isl::set &values) {
  return values.is_equal(
      isl::manage(isl_set_from_basic_set(isl_set_simple_hull(isl_set_remove_divs(values.copy())))));
}

class FusionSearch {
public:
  FusionSearch(const Program &p, const Step &first, const Step &second)
      : p(p), first(first), second(second), known(p.context.intersect(p.assumptions)) {}

  std::optional<FusionParts> run(std::string &why) {
    why = look();
    return why.empty() ? std::optional(made) : std::nullopt;
  }

private:
  std::string look() {
    if (first.parallel.size() != 1 || second.parallel.size() != 1)
      return "a step has several parallel loops";
    std::string why;
    std::optional<BlockReductionParts> a = blockReductionParts(p, first, why),
                                       b = a ? blockReductionParts(p, second, why) : std::nullopt;
    if (!a || !b)
      return why;
    if (a->inPhases || b->inPhases)
      return "a step has several phases";
    if (!a->others.empty() || !b->others.empty())
      return "a step reduces over several loops";
    ThreadAxis one = blockReductionAxis(*a), other = blockReductionAxis(*b);
    if (one == other)
      return "both reduce along the same dimension of memory";
    made.rowsFirst = one == ThreadAxis::X;
    rows = made.rowsFirst ? &first : &second;
    columns = made.rowsFirst ? &second : &first;
    made.rows = made.rowsFirst ? *a : *b;
    made.columns = made.rowsFirst ? *b : *a;
    if (loopStatementsOf(made.rows).size() != 1 || loopStatementsOf(made.columns).size() != 1)
      return "a step has several reductions";
    made.rowReductionStatement = loopStatementsOf(made.rows)[0];
    made.columnReductionStatement = loopStatementsOf(made.columns)[0];
    std::map<std::string, const Step *> variables; // of one row or column each
    for (const Step *s : {rows, columns})
      for (const std::string &name : s->statements)
        for (const Access &x : p.find(name)->accesses)
          if (const Array &a = p.arrays.at(x.array);
              a.kind == ArrayKind::Private && (!a.isScalar() || a.privateDepth != 1 ||
                                               variables.emplace(x.array, s).first->second != s))
            return fmt::format("{} uses {}, which is not a variable of one row or of one column",
                               name, x.array);
    for (auto question : {&FusionSearch::domains, &FusionSearch::elements, &FusionSearch::order})
      if (std::string reason = (this->*question)(); !reason.empty())
        return reason;
    return "";
  }

  // All reductions are over the same rows and columns, and the other statements over all of the
  // rows, or of the columns.
  std::string domains() {
    isl::map a = cellsOf(made.rowReductionStatement, rows->parallel[0], made.rows.loop),
             b = cellsOf(made.columnReductionStatement, made.columns.loop, columns->parallel[0]);
    if (a.is_null() || b.is_null() || isl_map_dim(a.get(), isl_dim_out) != 2 ||
        isl_map_dim(b.get(), isl_dim_out) != 2)
      return "rows and columns cannot be told";
    isl::set cells = a.range().intersect_params(known), others = b.range().intersect_params(known);
    if (cells.is_empty() || !cells.is_equal(others))
      return "they do not reduce over the same rows and columns";
    isl::set row = projectOut(cells, 1, 1), column = projectOut(cells, 0, 1);
    if (!isDense(row) || !isDense(column) ||
        !cells.is_equal(isl::manage(isl_set_flat_product(row.copy(), column.copy()))))
      return "not all rows have the same columns";
    isl::set some = onlyParams(cells);
    for (const auto &[step, wanted] : {std::pair(rows, row), std::pair(columns, column)})
      for (const std::string &name : step->statements) {
        isl::map value = valueOf(name, step->parallel[0]);
        if (value.is_null() ||
            !value.range().intersect_params(known).intersect_params(some).is_equal(wanted))
          return fmt::format("{} is not executed for all of them", name);
      }
    return "";
  }

  // Elements that both read for the same row and column.
  std::string elements() {
    isl::map a = cellsOf(made.rowReductionStatement, rows->parallel[0], made.rows.loop),
             b = cellsOf(made.columnReductionStatement, made.columns.loop, columns->parallel[0]);
    std::set<std::string> shared;
    for (const Access &x : p.find(made.rowReductionStatement)->accesses)
      for (const Access &y : p.find(made.columnReductionStatement)->accesses)
        if (x.array == y.array && !x.isWrite && !y.isWrite &&
            isl_map_dim(x.relation.get(), isl_dim_out) == 2 && !isWritten(x.array) &&
            x.relation.apply_domain(a).intersect_params(known).is_equal(
                y.relation.apply_domain(b).intersect_params(known)))
          shared.insert(x.array);
    made.shared.assign(shared.begin(), shared.end());
    return shared.empty() ? "they read no element for the same row and column" : "";
  }

  bool isWritten(const std::string &array) const {
    for (const Step *s : {rows, columns})
      for (const std::string &name : s->statements)
        for (const Access &x : p.find(name)->accesses)
          if (x.array == array && x.isWrite)
            return true;
    return false;
  }

  // The reduction along columns runs row by row, beside the step along rows; all else of the step
  // along columns comes afterwards.
  std::string order() {
    for (const std::string &here : rows->statements)
      for (const std::string &there : columns->statements)
        for (const Access &x : p.find(here)->accesses)
          for (const Access &y : p.find(there)->accesses) {
            if (x.array != y.array || (!x.isWrite && !y.isWrite))
              continue;
            bool isLater = there != made.columnReductionStatement ||
                           y.array == p.find(there)->reduction->array;
            if (made.rowsFirst && isLater)
              continue;
            isl::map pairs = x.relation.apply_range(y.relation.reverse()).intersect_params(known);
            if (pairs.is_empty())
              continue;
            if (!made.rowsFirst ||
                !pairs.is_subset(valueOf(here, rows->parallel[0])
                                     .apply_range(valueOf(there, made.columns.loop).reverse())))
              return fmt::format("{} and {} touch {}", here, there, x.array);
            made.flows = true;
          }
    return "";
  }

  const Program &p;
  const Step &first, &second;
  isl::set known;
  const Step *rows = nullptr, *columns = nullptr;
  FusionParts made;
};

} // namespace

std::optional<FusionParts> fusionParts(const Program &p, const Step &first, const Step &second,
                                       std::string &why) {
  return FusionSearch(p, first, second).run(why);
}

void proposeFusion(const Program &p, const FusionParts &parts, const DeviceSpec &device,
                   KernelPlan &one, const KernelPlan &other) {
  if (one.blockReductions.empty() || other.blockReductions.empty() || device.warp < 2)
    return;
  auto words = [](const Type &t) { return std::max(1, bytesOf(t.scalar) / 4); };
  int held = words(p.find(parts.columnReductionStatement)->reduction->type);
  for (const std::string &array : parts.shared)
    held += kRows * words(p.arrays.at(array).variable.type);
  FusePlan j;
  j.with = other.name;
  j.block = powerBelow(std::min(device.blockThreads, kThreads));
  j.columns = powerBelow(std::min(kHeld / held, kMostFusedColumns));
  j.rows = kRows;
  j.blocks = std::min(device.multiprocessors, kMostFusedBlocks);
  if (j.block < 2 * device.warp || kHeld / held < 2 || j.blocks < 2)
    return;
  // Enough rows for every block to have a few, and enough columns for every thread.
  j.profitableFrom = {4 * j.blocks * j.rows, j.block * std::max(1, j.columns / 4)};
  one.fuse = j;
  one.why +=
      fmt::format("; from {} rows of {} columns on, {} and {} are one kernel, whose blocks "
                  "have whole rows of {}",
                  j.profitableFrom[0], j.profitableFrom[1], one.name, other.name, parts.shared[0]);
}

std::string wrongFusion(const KernelPlan &given, const StepFacts &facts, const DeviceSpec &device) {
  if (!given.fuse)
    return "";
  const FusePlan &j = *given.fuse;
  if (!facts.fusion)
    return "is fused with the next, but cannot be";
  if (j.block > device.blockThreads || (j.block & (j.block - 1)) != 0)
    return fmt::format("is fused in blocks of {} threads; expected a power of two from 32 to {}",
                       j.block, device.blockThreads);
  return "";
}

} // namespace nw
