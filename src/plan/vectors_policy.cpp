// The choice of wide accesses.
#include "plan/vectors_policy.h"
#include <algorithm>
#include <fmt/format.h>

namespace nw {

namespace {

constexpr int kBytes = 16; // the widest access there is
constexpr int kMostInVector = 4;
constexpr int kFewestRows = 4,
              kMostRows = 8; // values of the second dimension, where they share what they read
constexpr int64_t kMostRegisters = 80; // for elements and results of a thread tile, so that a
                                       // multiprocessor has room for three blocks of 256
constexpr int kPartOfDevice =
    4; // threads may be fewer than the device holds by that, since each does more at a time
constexpr int64_t kMostInner = 64; // instances of a statement in one point
// Instances in the points of a thread tile from which on the border has a kernel of its own. On the
// H200: gauss, with 800, 0.45 ms with the border in the same kernel and 0.39 without it (4 x 8
// points); hotspot, with 16, has a launch for each of its steps, to each of which another would be
// added.
constexpr int64_t kWithBoundary = 256;

// How many instances of a statement a point has at most, where loops inside a point are few
// iterations, the same number for all sizes; else nothing.
std::optional<int64_t> instancesInside(const Program &p, const Step &step) {
  int64_t most = 1;
  for (const isl::map &m : mapsOf(step.inside)) {
    const Statement *s = p.find(inputTupleOf(m));
    if (!s)
      continue;
    isl::set times = m.intersect_domain(s->domain).range();
    times = isl::manage(isl_set_project_out(times.copy(), isl_dim_param, 0,
                                            unsigned(isl_set_dim(times.get(), isl_dim_param))));
    int64_t count = 1;
    for (int d = 0; d < dimsOf(times); d++) {
      if (!isBoundedDim(times, d, true) || !isBoundedDim(times, d, false))
        return std::nullopt;
      std::optional<long> low = longOf(isl::manage(isl_set_dim_min_val(times.copy(), d))),
                          high = longOf(isl::manage(isl_set_dim_max_val(times.copy(), d)));
      if (!low || !high || *high - *low >= kMostInner || (count *= *high - *low + 1) > kMostInner)
        return std::nullopt;
    }
    most = std::max(most, count);
  }
  return most;
}

// How far apart the elements lie that one point reads of an array: across its rows, and along them.
struct Halo {
  int64_t across = 0, along = 0;
};

// Where points have one value of a third dimension, rows of other planes are no neighbours.
Halo haloOf(const Program &p, const Step &step) {
  std::map<std::string, isl::map> reads; // point -> elements
  for (const std::string &name : step.statements) {
    const Statement &s = *p.find(name);
    isl::map point = isl::manage(isl_map_from_domain_and_range(
        s.domain.copy(), isl_set_universe(anonymousSpace(s.domain.ctx(), 0).release())));
    for (const Dimension &d : step.parallel)
      for (const isl::map &m : mapsOf(d.value))
        if (inputTupleOf(m) == name)
          point = isl::manage(isl_map_flat_range_product(point.release(), m.copy()));
    for (const Access &a : s.accesses)
      if (!a.isWrite && p.arrays.at(a.array).kind == ArrayKind::Memory) {
        isl::map here = point.reverse().apply_range(a.relation);
        auto [at, isNew] = reads.emplace(a.array, here);
        if (!isNew)
          at->second = at->second.unite(here);
      }
  }
  Halo halo;
  for (auto &[array, read] : reads) {
    isl::set apart = read.reverse().apply_range(read).deltas();
    for (int d = 0; step.parallel.size() > 2 && d + 2 < dimsOf(apart); d++)
      apart = isl::manage(isl_set_fix_si(apart.release(), isl_dim_set, unsigned(d), 0));
    apart = isl::manage(isl_set_project_out(apart.copy(), isl_dim_param, 0,
                                            unsigned(isl_set_dim(apart.get(), isl_dim_param))));
    for (int d = 0; d < dimsOf(apart); d++)
      if (int64_t &most = d + 1 < dimsOf(apart) ? halo.across : halo.along;
          isBoundedDim(apart, d, true))
        most = std::max<int64_t>(
            most, longOf(isl::manage(isl_set_dim_max_val(apart.copy(), d))).value_or(0));
  }
  return halo;
}

// What a thread with a tile of so many points does beside computing: elements that it takes apart,
// accesses, and rows that it finds.
int64_t effortOf(int64_t width, int64_t height, int64_t unit, const Halo &halo) {
  int64_t rows = height + halo.across, accesses = width / unit + (halo.along > 0 ? 2 : 0);
  return (width + halo.along) * rows + rows * accesses + height * (width / unit) + rows + height;
}

// What it holds at once: the elements that it reads, and the results of the rows that are not done.
int64_t registersOf(int64_t width, int64_t height, int64_t bytes, const Halo &halo) {
  return ((width + halo.along) * (height + halo.across) * bytes + 3) / 4 +
         width * std::min(height, halo.across + 1);
}

} // namespace

void proposeVectors(const Program &p, const Step &step, const StrideAlong &strideAlong,
                    const DeviceSpec &device, KernelPlan &k) {
  if (device.kind == DeviceKind::Cpu || k.grid.empty() || !k.threadTile.empty())
    return;
  std::optional<int64_t> inside = instancesInside(p, step);
  if (!inside)
    return;
  int64_t largest = 1;
  bool isShared = false,
       writes = false; // some element is read by several values of the second dimension
  std::map<std::string, int> reads;
  bool isRepeated = std::any_of(step.insideNames.begin(), step.insideNames.end(),
                                [](const std::string &loop) { return !loop.empty(); });
  for (const std::string &name : step.statements) {
    const Statement &s = *p.find(name);
    for (const Access &a : s.accesses) {
      const Array &array = p.arrays.at(a.array);
      if (array.kind == ArrayKind::Private)
        continue;
      std::optional<int> stride = strideAlong(s, a, k.grid[0]);
      if (!stride || (*stride != 0 && *stride != 1) || array.variable.type.isStruct() ||
          array.slots || !array.flatSizes.empty())
        return;
      if (a.isWrite && (*stride != 1 || !a.isMust))
        return;
      writes |= a.isWrite;
      if (*stride == 0)
        continue;
      largest = std::max(largest, array.elementBytes);
      if (!a.isWrite && k.grid.size() > 1 && (++reads[a.array] > 1 || isRepeated))
        isShared = true;
    }
  }
  if (!writes || largest > kBytes / 2)
    return;
  Halo halo = haloOf(p, step);
  if (step.parallel.size() > 2)
    isShared &= halo.across > 0;
  int along = int(std::min<int64_t>(kMostInVector, kBytes / largest));
  // Rows that neighbours need, too, are loaded by both: so that these are half of the others at
  // most.
  int rows = !isShared                       ? 1
             : 2 * halo.across > kFewestRows ? kMostRows
                                             : kFewestRows,
      unit = along, needed = rows;
  if (isShared &&
      largest < 4) { // elements of which a register holds several leave room for more points
    auto effort = [&](int w, int h) { return double(effortOf(w, h, unit, halo)) / (w * h); };
    double least = effort(along, rows);
    for (int w = unit; w <= 2 * unit && w * largest <= kBytes;
         w *= 2) // still within what one access could move
      for (int h = 1; h <= kMostRows; h *= 2)
        if (w * h <= kLargestThreadTile && registersOf(w, h, largest, halo) <= kMostRegisters &&
            effort(w, h) < least) {
          least = effort(w, h);
          along = w;
          rows = h;
        }
  }
  k.threadTile = {along};
  if (k.grid.size() > 1)
    k.threadTile.push_back(rows);
  int64_t points = int64_t(along) * rows;
  k.vectorBytes = kBytes;
  int64_t threads = int64_t(device.multiprocessors) * device.residentThreads / kPartOfDevice;
  k.vectorsProfitableFrom = points * threads;
  if (isShared) {
    // A row of the window serves several points. On the H200, gauss of 8191: 0.114 ms with 4 x 8
    // points, 0.134 with 2 x 8, 0.176 with 1 x 8; hotspot of 4097: 5.56 with 2 x 4, 6.2 with 1 x 8
    // and 2 x 8, 8.7 with 4 x 4.
    k.windowTile = {largest < 4 ? unit : largest == 4 ? 2 : 1, largest == 8 ? kMostRows : needed};
    k.windowsProfitableFrom = int64_t(k.windowTile[0]) * k.windowTile[1] * threads;
  }
  k.why += fmt::format("; from {} points on, {}{} in a thread, which moves {} elements at a time",
                       k.vectorsProfitableFrom, fmt::format("{} values of {}", along, k.grid[0]),
                       isShared ? fmt::format(" and {} of {}", rows, k.grid[1]) : "", unit);
  if (points * *inside >= kWithBoundary && k.grid.size() == 2) {
    k.boundaryKernel = true;
    k.why += "; points at the border in a kernel of their own";
  }
  if (isShared)
    k.why +=
        fmt::format("; where memory does not lie so, {} of {} from {} points on",
                    k.windowTile[0] > 1 ? fmt::format("{} values of {} and {}", k.windowTile[0],
                                                      k.grid[0], k.windowTile[1])
                                        : fmt::format("{} values", k.windowTile[1]),
                    k.grid[1], k.windowsProfitableFrom);
}

} // namespace nw
