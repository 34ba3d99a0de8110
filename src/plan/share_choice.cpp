// The search over block shapes.
#include "plan/share_choice.h"
#include "support/text.h"
#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <set>
#include <tuple>

namespace nw::share {

int64_t residentBlocks(const Shape &shape, int64_t sharedBytes, const DeviceSpec &d) {
  int64_t byMemory = sharedBytes > 0 ? d.sharedPerMultiprocessor / sharedBytes : d.residentBlocks;
  return std::min(
      {byMemory, int64_t(d.residentThreads) / shape.threads(), int64_t(d.residentBlocks)});
}

std::optional<std::string> refusal(const Shape &shape, int64_t bytes, const DeviceSpec &d,
                                   const Options &options) {
  if (shape.x > d.blockLimit[0] || shape.y > d.blockLimit[1] || shape.z > d.blockLimit[2])
    return fmt::format("one side exceeds the device's {}x{}x{}", d.blockLimit[0], d.blockLimit[1],
                       d.blockLimit[2]);
  if (shape.threads() > d.blockThreads)
    return fmt::format("{} threads, and a block has at most {}", shape.threads(), d.blockThreads);
  if (shape.threads() > d.residentThreads)
    return fmt::format("{} threads, and a multiprocessor holds at most {}", shape.threads(),
                       d.residentThreads);
  if (double(bytes) > options.sharedFraction * double(d.sharedPerMultiprocessor))
    return fmt::format("{} bytes of shared memory, over {:.4g} of {}", bytes,
                       options.sharedFraction, d.sharedPerMultiprocessor);
  if (bytes > d.sharedBytes)
    return fmt::format("{} bytes of shared memory, and a block has at most {}", bytes,
                       d.sharedBytes);
  return std::nullopt;
}

namespace {

std::vector<Shape> shapesOf(const Nest &nest, const DeviceSpec &d, const Options &options) {
  std::vector<Shape> shapes;
  int64_t most[3] = {1, 1, 1};
  for (size_t k = 0; k < nest.threads.size(); k++)
    most[k] = d.blockThreads;
  for (int64_t z = 1; z <= most[2]; z *= 2)
    for (int64_t y = 1; y <= most[1]; y *= 2)
      for (int64_t x = options.leastX; x <= most[0]; x *= 2)
        if (x * y * z <= d.blockThreads)
          shapes.push_back({x, y, z});
  return shapes;
}

bool hasFree(const Problem &p) {
  return std::ranges::any_of(p.tiles, [](const Tile &t) {
    return std::ranges::any_of(t.rows, [](const TileRow &r) { return !r.freeName.empty(); });
  });
}

bool isPositive(const AxisLengths &lengths) {
  return std::ranges::all_of(lengths, [](int64_t l) { return l > 0; });
}

// The limit of shared memory as a condition on the free lengths.
std::string freeLimit(const Problem &p, const Profit &profit, const Shape &shape,
                      const DeviceSpec &d) {
  AxisLengths held =
      heldAt(p, shape, 0); // free axes: 0, so that a row's length is what is left without them
  double budget =
      std::min(p.options.sharedFraction * double(d.sharedPerMultiprocessor), double(d.sharedBytes));
  std::vector<std::pair<int64_t, std::string>> terms;
  for (const Tile &tile : p.tiles) {
    auto f = std::ranges::find_if(profit.features,
                                  [&](const Feature &x) { return x.array == tile.array; });
    if (!f->isStaged())
      continue;
    int64_t weight = scalarBytes(p.program.arrays.at(tile.array));
    std::vector<std::pair<const TileRow *, int64_t>> free; // with the factor of the free length
    for (const TileRow &row : tile.rows) {
      if (row.freeName.empty()) {
        weight *= lengthOf(row, held);
        continue;
      }
      int64_t factor = 0;
      for (const auto &[axis, c] : row.terms)
        factor += p.split.lengths.at(axis).isAny() ? c : 0;
      free.push_back({&row, factor});
    }
    if (free.empty()) {
      budget -= double(weight);
    } else if (free.size() == 1) {
      budget -= double(weight * lengthOf(*free[0].first, held));
      terms.push_back({weight * free[0].second, free[0].first->freeName});
    } else {
      std::string product;
      for (const auto &[row, factor] : free) {
        std::string one = factor > 1 ? fmt::format("{}*{}", factor, row->freeName) : row->freeName;
        int64_t rest = lengthOf(*row, held);
        product +=
            (product.empty() ? "" : "*") +
            (rest ? fmt::format("({} {} {})", one, rest < 0 ? '-' : '+', std::abs(rest)) : one);
      }
      terms.push_back({weight, product});
    }
  }
  int64_t divisor = 0;
  for (const auto &[factor, name] : terms)
    divisor = std::gcd(divisor, factor);
  std::string sum;
  for (const auto &[factor, name] : terms)
    sum += (sum.empty() ? "" : " + ") +
           (factor == divisor ? name : fmt::format("{}*{}", factor / divisor, name));
  return terms.empty() ? "" : fmt::format("{} <= {}", sum, int64_t(budget) / divisor);
}

std::vector<Staged> stagedOf(const Problem &p, const Profit &profit, const AxisLengths &held) {
  std::vector<Staged> staged;
  for (const Tile &tile : p.tiles) {
    auto f = std::ranges::find_if(profit.features,
                                  [&](const Feature &x) { return x.array == tile.array; });
    if (!f->isStaged())
      continue;
    Staged s{tile.array,  text(p.split, tile), {}, scalarBytes(p.program.arrays.at(tile.array)),
             f->isReused, f->isUncoalesced};
    for (const TileRow &row : tile.rows) {
      s.lengths.push_back(lengthOf(row, held));
      s.bytes *= s.lengths.back();
    }
    staged.push_back(s);
  }
  return staged;
}

// What the search tried, in the words of a report.
struct Search {
  const Problem &problem;
  const DeviceSpec &device;
  int64_t divisor = 1; // free lengths are TB_X / divisor

  int64_t freeAt(const Shape &s) const { return std::max<int64_t>(1, s.x / divisor); }

  std::optional<std::string> refused(const Shape &s, const Profit &profit) const {
    if (!isPositive(heldAt(problem, s, 1)))
      return "a length of a sub-array is not positive";
    return refusal(s, sharedBytesOf(problem, profit, s, freeAt(s)), device, problem.options);
  }

  // Why the block is not twice as large along one side.
  std::string largerBlock(const Shape &s, double best) const {
    Profit profit = profitOf(problem, s);
    std::optional<std::string> no = refused(s, profit);
    return no ? fmt::format("{} is refused: {}", text(s), *no)
              : fmt::format("{} gains no more: {:.6g} against {:.6g}", text(s), profit.bytes, best);
  }

  Choice choiceOf(const Shape &s, const Profit &profit) const {
    Choice c;
    c.split = problem.split;
    c.shape = s;
    c.freeLength = hasFree(problem) ? freeAt(s) : 0;
    c.staged = stagedOf(problem, profit, heldAt(problem, s, freeAt(s)));
    c.profit = profit.bytes;
    c.profitText = text(profit.terms);
    c.freeLimit = freeLimit(problem, profit, s, device);
    c.sharedBytes = sharedBytesOf(problem, profit, s, freeAt(s));
    c.residentBlocks = residentBlocks(s, c.sharedBytes, device);
    return c;
  }

  void explain(Choice &c, const Profit &profit) const {
    c.why.push_back("a block's part of the loops: " + text(problem.nest, c.split));
    for (const Feature &f : profit.features)
      c.why.push_back(f.why);
    std::vector<std::string> names;
    for (const Staged &s : c.staged)
      names.push_back(s.tile);
    c.why.push_back(fmt::format("in shared memory: {}; {} bytes of a block", joined(names, ", "),
                                c.sharedBytes));
    c.why.push_back(fmt::format("profit {} = {:.6g} bytes of a block of {}", c.profitText, c.profit,
                                text(c.shape)));
    const size_t sides = problem.nest.threads.size();
    for (size_t k = 0; k < sides; k++) {
      Shape larger = c.shape;
      (k == 0 ? larger.x : k == 1 ? larger.y : larger.z) *= 2;
      c.why.push_back(largerBlock(larger, c.profit));
    }
    if (c.freeLength) {
      c.why.push_back(fmt::format("free lengths do not count as profit; shared memory requires {}",
                                  c.freeLimit));
      c.why.push_back(
          divisor == 1 ? fmt::format("they are set to TB_X = {}", c.freeLength)
                       : fmt::format("they are set to TB_X/{} = {}: with more, no block shape that "
                                     "stages all of them fits {:.4g} of {} bytes of shared memory",
                                     divisor, c.freeLength, problem.options.sharedFraction,
                                     device.sharedPerMultiprocessor));
    }
    int64_t byMemory = c.sharedBytes ? device.sharedPerMultiprocessor / c.sharedBytes : 0;
    c.why.push_back(fmt::format("{} blocks of {} threads are resident on a multiprocessor",
                                c.residentBlocks, c.shape.threads()));
    if (c.shape.threads() * byMemory > device.residentThreads)
      c.why.push_back(fmt::format(
          "the paper's third limit as printed ({} threads * {} blocks that shared memory holds <= "
          "{}) would exclude this; it is read as resident blocks capped by the "
          "threads of a multiprocessor",
          c.shape.threads(), byMemory, device.residentThreads));
  }
};

bool isBetter(const Choice &a, const Choice &b) {
  return std::make_tuple(-a.profit, a.sharedBytes, a.shape.x, a.shape.y) <
         std::make_tuple(-b.profit, b.sharedBytes, b.shape.x, b.shape.y);
}

// A shape, and what it would gain.
struct Trial {
  Shape shape;
  Profit profit;
  size_t staged() const {
    return size_t(std::ranges::count_if(profit.features, &Feature::isStaged));
  }
};

// The shapes that fit with the search's free lengths; the reason of the last one that does not.
std::vector<Choice> fitting(const Search &search, const std::vector<Trial> &trials,
                            std::string &last) {
  std::vector<Choice> found;
  for (const Trial &t : trials) {
    if (t.staged() == 0)
      continue;
    if (std::optional<std::string> no = search.refused(t.shape, t.profit)) {
      last = fmt::format("{}: {}", text(t.shape), *no);
      continue;
    }
    found.push_back(search.choiceOf(t.shape, t.profit));
    search.explain(found.back(), t.profit);
  }
  return found;
}

std::set<std::string> arraysOf(const Choice &c) {
  std::set<std::string> arrays;
  for (const Staged &s : c.staged)
    arrays.insert(s.array);
  return arrays;
}

// The shapes that fit, for one split; reasons where there are none. Free lengths are TB_X; they are
// halved where no shape that stages everything worth it would fit: narrow blocks that fit because
// they reuse less are no way out.
std::vector<Choice> choicesOf(const Problem &p, const DeviceSpec &device,
                              std::vector<std::string> &why) {
  std::vector<Trial> trials;
  for (const Shape &s : shapesOf(p.nest, device, p.options))
    trials.push_back({s, profitOf(p, s)});
  if (trials.empty()) {
    why.push_back(fmt::format("no block of the device is {} threads wide", p.options.leastX));
    return {};
  }
  size_t most = 0;
  for (const Trial &t : trials)
    most = std::max(most, t.staged());
  if (most == 0) {
    std::vector<std::string> reasons;
    for (const Feature &f : trials[0].profit.features)
      reasons.push_back(f.why);
    why.push_back("nothing is worth staging: " + (reasons.empty()
                                                      ? "no array with affine references only"
                                                      : joined(reasons, "; ")));
    return {};
  }
  std::vector<Choice> partial;
  std::string last;
  for (Search search{p, device};
       search.divisor == 1 || (hasFree(p) && search.divisor <= p.options.leastX);
       search.divisor *= 2) {
    std::vector<Choice> found = fitting(search, trials, last);
    if (std::ranges::any_of(found, [&](const Choice &c) { return arraysOf(c).size() == most; }))
      return found;
    if (partial.empty())
      partial = found;
  }
  if (partial.empty())
    why.push_back("no block shape fits; the last one tried, " + last);
  return partial;
}

} // namespace

Decision decide(const Program &program, const Dependences &dependences,
                const std::vector<std::string> &statements, const Nest &nest,
                const std::vector<Seed> &seeds, const Sizes &sizes, const DeviceSpec &device,
                const Options &options) {
  std::vector<std::string> named, asked, arrays;
  for (const Seed &s : seeds) {
    named.push_back(s.array);
    if (s.coalesce)
      asked.push_back(s.array);
  }
  Decision d;
  d.candidates = candidatesOf(program, dependences, statements, named);
  for (const Candidate &c : d.candidates)
    arrays.push_back(c.array);
  for (const Split &split : splitsOf(nest, seeds))
    for (Choice &c : choicesOf(
             problemOf(program, nest, split, arrays, asked, sizes, device, options), device, d.why))
      d.choices.push_back(std::move(c));
  std::ranges::stable_sort(d.choices, isBetter);
  if (d.choices.size() > size_t(std::max(1, options.candidates)))
    d.choices.resize(size_t(std::max(1, options.candidates)));
  if (!d.choices.empty())
    for (size_t k = d.candidates.size(); k-- > 0;)
      d.choices[0].why.insert(
          d.choices[0].why.begin(),
          fmt::format("{} is a candidate: {}", d.candidates[k].array, d.candidates[k].why));
  return d;
}

} // namespace nw::share
