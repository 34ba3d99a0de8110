// Which loops walk along rows.
#include "plan/row_strips.h"
#include "poly/movement.h"
#include <algorithm>
#include <set>

namespace nw {

namespace {

class Search {
public:
  Search(const Program &p, const Step &step, const std::vector<std::string> &grid,
         const DeviceSpec &device)
      : p(p), step(step), grid(grid), device(device) {}

  // The first pair of a dimension for the threads and a loop along rows that has something to
  // coalesce.
  std::vector<StripForm> run() const {
    if (step.kind != StepKind::Parallel || device.warp < 2)
      return {};
    for (const std::string &x : grid)
      for (size_t d = 0; d < step.parallel.size() + step.insideNames.size(); d++)
        if (std::string strip = nameOfDimension(d); !strip.empty() && strip != x)
          if (std::vector<StripForm> made = along(x, d, strip); !made.empty())
            return made;
    return {};
  }

private:
  std::string nameOfDimension(size_t d) const {
    return d < step.parallel.size() ? step.parallel[d].name
                                    : step.insideNames[d - step.parallel.size()];
  }

  std::vector<StripForm> along(const std::string &x, size_t strip, const std::string &loop) const {
    std::vector<std::string> dimensions = {x};
    for (const std::string &g : grid)
      if (g != x && g != loop)
        dimensions.push_back(g);
    if (dimensions.size() > 2)
      return {};
    size_t threads = 0;
    while (step.parallel[threads].name != x)
      threads++;
    std::set<std::string> loads, stores, other;
    for (const std::string &name : step.statements)
      for (const Access &a : p.find(name)->accesses) {
        const Array &array = p.arrays.at(a.array);
        if (array.kind != ArrayKind::Memory || array.isScalar() || array.slots ||
            array.variable.type.isStruct() || !array.flatSizes.empty())
          continue;
        (isAlongRow(*p.find(name), a, threads, strip) ? a.isWrite ? stores : loads : other)
            .insert(a.array);
      }
    std::vector<StripForm> out;
    for (const char *word : {"loads", "stores", "both"}) {
      std::string what = word;
      std::vector<std::string> arrays;
      for (const std::string &a : loads)
        if (what != "stores" && !stores.count(a) && !other.count(a))
          arrays.push_back(a);
      for (const std::string &a : stores)
        if (what != "loads" && !loads.count(a) && !other.count(a))
          arrays.push_back(a);
      bool isBoth = std::any_of(arrays.begin(), arrays.end(),
                                [&](const std::string &a) { return loads.count(a); }) &&
                    std::any_of(arrays.begin(), arrays.end(),
                                [&](const std::string &a) { return stores.count(a); });
      if (arrays.empty() || (what == "both" && !isBoth))
        continue;
      TilePlan t;
      t.grid = dimensions;
      t.block = {device.warp, 1};
      t.threadTile = t.contiguous = {1, 1};
      t.strip = loop;
      t.stripLength = device.warp;
      t.profitableFrom = 1;
      int64_t bytes = 0;
      for (const std::string &a : arrays) {
        t.staged.push_back({a, 1});
        bytes += int64_t(device.warp) * (device.warp + 1) * int64_t(p.arrays.at(a).elementBytes);
      }
      if (bytes <= device.sharedBytes)
        out.push_back({what, t});
    }
    return out;
  }

  // Neighbouring threads are at different rows, and the loop goes from one element of a row to the
  // next.
  bool isAlongRow(const Statement &s, const Access &a, size_t threads, size_t strip) const {
    std::optional<std::vector<int64_t>> byThread = movement(s, a, step, threads),
                                        byLoop = movement(s, a, step, strip);
    if (!a.isCertain || !byThread || !byLoop || byThread->size() < 2)
      return false;
    size_t last = byThread->size() - 1;
    bool isRow = (*byThread)[last] == 0 && (*byLoop)[last] == 1;
    int64_t rows = 0;
    for (size_t k = 0; k < last; k++) {
      isRow &= (*byLoop)[k] == 0 && ((*byThread)[k] == 0 || (*byThread)[k] == 1);
      rows += (*byThread)[k];
    }
    return isRow && rows == 1;
  }

  const Program &p;
  const Step &step;
  const std::vector<std::string> &grid;
  const DeviceSpec &device;
};

} // namespace

std::vector<StripForm> rowStrips(const Program &program, const Step &step,
                                 const std::vector<std::string> &grid, const DeviceSpec &device) {
  return Search(program, step, grid, device).run();
}

} // namespace nw
