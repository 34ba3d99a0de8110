// Reuse, transactions and profit of one block shape.
#include "plan/share_profit.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numeric>

namespace nw::share {

int64_t scalarBytes(const Array &array) {
  return array.slots > 0 ? std::max<int64_t>(1, array.elementBytes / array.slots)
                         : array.elementBytes;
}

Problem problemOf(const Program &program, const Nest &nest, const Split &split,
                  const std::vector<std::string> &arrays, const std::vector<std::string> &asked,
                  const Sizes &sizes, const DeviceSpec &device, const Options &options) {
  Problem p{program,
            nest,
            completed(nest, split),
            {},
            asked,
            sizes,
            options,
            options.transactionBytes ? options.transactionBytes : device.transactionBytes.back(),
            {}};
  p.tiles = tilesOf(nest, p.split, arrays);
  for (const Axis &axis : nest.axes)
    p.extents.push_back(
        axis.kind == AxisKind::Outer
            ? 1
            : std::max<int64_t>(
                  1, extentOf(axis, sizes, options.assumedSize).value_or(options.assumedSize)));
  return p;
}

AxisLengths heldAt(const Problem &p, const Shape &shape, int64_t free) {
  AxisLengths lengths;
  for (size_t k = 0; k < p.extents.size(); k++)
    lengths.push_back(std::min(valueAt(p.split.lengths.at(k), shape).value_or(free), p.extents[k]));
  return lengths;
}

AxisLengths wholeAt(const Problem &p, const Shape &shape) {
  AxisLengths lengths = heldAt(p, shape, 1);
  for (size_t k = 0; k < lengths.size(); k++)
    if (p.nest.axes[k].kind == AxisKind::Inside)
      lengths[k] = p.extents[k];
  return lengths;
}

// Whether a step of the axes that `isAllowed` permits leads to the next element of a row. `fixed`:
// a step of that axis must be 1.
static bool reachesNext(const Nest &nest, const Reference &r, const std::vector<bool> &isAllowed,
                        std::optional<size_t> fixed) {
  isl::ctx ctx = nest.axes.at(0).range.ctx();
  std::string names, constraints = "0 = 0";
  for (size_t k = 0; k < nest.axes.size(); k++) {
    names += fmt::format("{}d{}", k ? ", " : "", k);
    if (k == fixed)
      constraints += fmt::format(" and d{} = 1", k);
    else if (!isAllowed[k] || !r.axes[k])
      constraints += fmt::format(" and d{} = 0", k);
  }
  for (size_t row = 0; row < r.rows.size(); row++) {
    constraints += " and 0";
    for (size_t k = 0; k < nest.axes.size(); k++)
      constraints += fmt::format(" + {}d{}", r.rows[row].coefficients[k], k);
    constraints += row + 1 == r.rows.size() ? " = 1" : " = 0";
  }
  return !isl::set(ctx, fmt::format("{{ [{}] : {} }}", names, constraints)).is_empty();
}

Adjacency adjacencyOf(const Nest &nest, const Reference &r) {
  if (!r.isRegular || nest.threads.empty())
    return {false, false};
  std::vector<bool> atOnce, inThread;
  for (const Axis &axis : nest.axes) {
    atOnce.push_back(axis.kind == AxisKind::Parallel);
    inThread.push_back(axis.kind == AxisKind::Inside);
  }
  return {reachesNext(nest, r, atOnce, std::nullopt),
          reachesNext(nest, r, inThread, nest.threads[0])};
}

namespace {

// Whether every element is touched by one thread only, which finds it in the same position all the
// time.
bool isThreadsOwn(const Nest &nest, const std::vector<const Reference *> &references) {
  const Reference &first = *references[0];
  for (const Reference *r : references)
    for (size_t k = 0; k < r->rows.size(); k++)
      if (r->rows.size() != first.rows.size() || r->rows[k] != first.rows[k])
        return false;
  for (size_t axis = 0; axis < nest.axes.size(); axis++) {
    bool moves = std::ranges::any_of(first.rows,
                                     [&](const Row &row) { return row.coefficients[axis] != 0; });
    if ((nest.axes[axis].kind == AxisKind::Inside && moves) ||
        (nest.axes[axis].kind == AxisKind::Parallel && !moves))
      return false;
  }
  return true;
}

double timesOf(const Reference &r, const AxisLengths &lengths) {
  double count = 1;
  for (size_t k = 0; k < lengths.size(); k++)
    if (r.axes[k])
      count *= double(lengths[k]);
  return count;
}

// The same as a product of names; `skip` is left out.
Term timesTerm(const Problem &p, const Reference &r, double coefficient,
               std::optional<size_t> skip) {
  Term term{coefficient, {}};
  std::vector<std::string> sides;
  for (size_t k = 0; k < p.nest.axes.size(); k++) {
    const Axis &axis = p.nest.axes[k];
    if (!r.axes[k] || k == skip || axis.kind == AxisKind::Outer)
      continue;
    const Length &length = p.split.lengths.at(k);
    std::string name = axis.kind == AxisKind::Inside
                           ? (axis.extent == "?" ? "|" + axis.name + "|" : axis.extent)
                           : text(length);
    if (!name.empty() && std::ranges::all_of(name, [](char c) { return c >= '0' && c <= '9'; }))
      term.coefficient *= std::stod(name);
    else
      (axis.kind == AxisKind::Inside ? term.factors : sides)
          .push_back(name.find(' ') == std::string::npos ? name : "(" + name + ")");
  }
  std::ranges::sort(term.factors);
  std::ranges::sort(sides);
  term.factors.insert(term.factors.end(), sides.begin(), sides.end());
  return term;
}

void add(std::vector<Term> &terms, const Term &term) {
  auto same = std::ranges::find_if(terms, [&](const Term &t) { return t.factors == term.factors; });
  if (same == terms.end())
    terms.push_back(term);
  else
    same->coefficient += term.coefficient;
}

// Transactions of one row of threads, at one time, and what belongs to it in the profit.
double transactionsOfRow(const Problem &p, const Reference &r, int64_t lanes,
                         std::vector<Term> &terms) {
  size_t x = p.nest.threads[0];
  Term all = timesTerm(p, r, double(p.transactionBytes), std::nullopt),
       one = timesTerm(p, r, double(p.transactionBytes), x);
  std::optional<int64_t> stride = strideBytes(p.program, r, x, p.sizes, p.options.assumedSize);
  int64_t apart = stride ? std::abs(*stride) : p.transactionBytes;
  if (apart == 0) {
    add(terms, one);
    return 1;
  }
  if (apart >= p.transactionBytes) {
    add(terms, all);
    return double(lanes);
  }
  all.coefficient *= double(apart) / double(p.transactionBytes);
  add(terms, all);
  return std::ceil(double(lanes * apart) / double(p.transactionBytes));
}

void weighReuse(const Problem &p, const std::vector<const Reference *> &references, Feature &f,
                Profit &profit) {
  double ratio = f.accesses / f.elements;
  f.isReused = f.accesses > p.options.reuseThreshold * f.elements;
  if (f.isReused && isThreadsOwn(p.nest, references)) {
    f.isReused = false;
    f.why = fmt::format("{}: each element belongs to one thread, a register keeps it", f.array);
    return;
  }
  f.why = fmt::format("{}: {:.4g} accesses for each element of a block's part, {} {:.4g}", f.array,
                      ratio, f.isReused ? "more than" : "not more than", p.options.reuseThreshold);
  if (!f.isReused)
    return;
  double bytes = double(scalarBytes(p.program.arrays.at(f.array)));
  profit.bytes += bytes * f.accesses;
  for (const Reference *r : references)
    add(profit.terms, timesTerm(p, *r, bytes, std::nullopt));
}

void weighTransactions(const Problem &p, const std::vector<const Reference *> &references,
                       const AxisLengths &whole, Feature &f, Profit &profit) {
  if (p.nest.threads.empty())
    return;
  int64_t lanes = whole[p.nest.threads[0]];
  bool isAsked = std::ranges::count(p.asked, f.array) > 0;
  for (const Reference *r : references) {
    Adjacency a = adjacencyOf(p.nest, *r);
    if (a.inTime && a.inSpace && !isAsked)
      continue;
    double row = transactionsOfRow(p, *r, lanes, profit.terms);
    double count = timesOf(*r, whole) / (r->axes[p.nest.threads[0]] ? double(lanes) : 1) * row;
    f.isUncoalesced = true;
    f.transactions += count;
    profit.bytes += double(p.transactionBytes) * count;
    f.why += fmt::format("; {} in {} {}: {:.6g} transactions",
                         r->isWrite ? "the write" : "the read", r->statement,
                         isAsked ? "is to be coalesced, as asked"
                         : !a.inTime && !a.inSpace
                             ? "touches neighbours at other times and not by neighbouring threads"
                         : !a.inTime ? "touches neighbours at other times"
                                     : "does not touch neighbours by neighbouring threads",
                         count);
  }
}

} // namespace

Profit profitOf(const Problem &p, const Shape &shape) {
  Profit profit;
  AxisLengths whole = wholeAt(p, shape);
  for (size_t t = 0; t < p.tiles.size();) {
    Feature f;
    f.array = p.tiles[t].array;
    std::vector<const Reference *> references;
    for (; t < p.tiles.size() && p.tiles[t].array == f.array; t++) {
      f.elements += elementsOf(p.tiles[t], whole);
      for (size_t r : p.tiles[t].references) {
        references.push_back(&p.nest.references[r]);
        f.accesses += timesOf(p.nest.references[r], whole);
      }
    }
    weighReuse(p, references, f, profit);
    weighTransactions(p, references, whole, f, profit);
    profit.features.push_back(f);
  }
  return profit;
}

int64_t sharedBytesOf(const Problem &p, const Profit &profit, const Shape &shape, int64_t free) {
  AxisLengths held = heldAt(p, shape, free);
  double bytes = 0;
  for (const Feature &f : profit.features)
    for (const Tile &tile : p.tiles)
      if (f.isStaged() && tile.array == f.array)
        bytes += elementsOf(tile, held) * double(scalarBytes(p.program.arrays.at(f.array)));
  return int64_t(std::min(bytes, 9e18));
}

std::string text(const std::vector<Term> &terms) {
  if (terms.empty())
    return "0";
  std::vector<std::string> common = terms[0].factors;
  bool areWhole = true;
  int64_t divisor = 0;
  for (const Term &t : terms) {
    std::vector<std::string> kept, rest = t.factors;
    for (const std::string &factor : common)
      if (auto at = std::ranges::find(rest, factor); at != rest.end()) {
        kept.push_back(factor);
        rest.erase(at);
      }
    common = kept;
    areWhole = areWhole && t.coefficient == std::floor(t.coefficient) && t.coefficient < 9e15;
    divisor = areWhole ? std::gcd(divisor, int64_t(t.coefficient)) : 1;
  }
  auto product = [](double coefficient, const std::vector<std::string> &factors) {
    std::string out =
        coefficient == 1 && !factors.empty() ? "" : fmt::format("{:.15g}", coefficient);
    for (const std::string &factor : factors)
      out += (out.empty() ? "" : "*") + factor;
    return out;
  };
  if (terms.size() == 1)
    return product(terms[0].coefficient, terms[0].factors);
  std::string sum;
  for (const Term &t : terms) {
    std::vector<std::string> rest = t.factors;
    for (const std::string &factor : common)
      rest.erase(std::ranges::find(rest, factor));
    sum += (sum.empty() ? "" : " + ") + product(t.coefficient / double(divisor), rest);
  }
  std::string outside = product(double(divisor), common);
  return outside == "1" ? sum : fmt::format("{}*({})", outside, sum);
}

} // namespace nw::share
