// Algorithm 2 of patterns.
#include "plan/work_group_search.h"
#include "analysis/occupancy.h"
#include <algorithm>
#include <fmt/format.h>
#include <tuple>

namespace nw {

MappedKernel mappedKernel(const Program &program, const ThreadMapping &mapping,
                          const DeviceSpec &device, const std::vector<std::string> &statements) {
  MappedKernel kernel;
  kernel.mapping = mapping;
  std::vector<ArrayPatterns> arrays = arrayPatterns(program, mapping, statements);
  std::vector<SpaceChoice> choices = chooseSpaces(arrays, device);
  for (size_t k = 0; k < arrays.size(); k++)
    kernel.arrays.push_back({std::move(arrays[k]), choices[k].isStaged});
  return kernel;
}

// Threads along the dimensions that have an entry.
static int64_t threadsOf(const std::array<bool, 3> &uses, const WorkGroup &group) {
  int64_t threads = 1;
  for (int k = 0; k < 3; k++)
    threads *= uses[k] ? group.extents[k] : 1;
  return threads;
}

int64_t costOf(const GroupArray &array, const WorkGroup &group) {
  int64_t cost = 0;
  std::vector<const AccessMatrix *> seen;
  for (const AccessPattern &p : array.patterns.references) {
    const AccessMatrix &access = p.reference.access;
    if (std::any_of(seen.begin(), seen.end(), [&](const AccessMatrix *m) { return *m == access; }))
      continue;
    seen.push_back(&access);
    if (p.uses[0] && !p.isCoalesced)
      cost += threadsOf(p.uses, group);
  }
  return cost;
}

int stripLength(const WorkGroup &group, int dimensions) {
  return *std::min_element(group.extents.begin(), group.extents.begin() + dimensions);
}

static int64_t threadsOf(const GroupArray &array, const WorkGroup &group) {
  int64_t most = 1;
  for (const AccessPattern &p : array.patterns.references)
    most = std::max(most, threadsOf(p.uses, group));
  return most;
}

int64_t stagedElements(const GroupArray &array, const WorkGroup &group, int dimensions) {
  return array.isStaged ? threadsOf(array, group) * stripLength(group, dimensions) : 0;
}

int64_t gainOf(const GroupArray &array, const WorkGroup &group, int dimensions) {
  int64_t strip = stripLength(group, dimensions);
  return array.isStaged ? std::min(threadsOf(array, group), strip) * strip : 0;
}

std::vector<WorkGroup> shapesOf(int threads, int dimensions, const DeviceSpec &device) {
  std::vector<WorkGroup> shapes;
  if (threads < 1 || threads > device.blockThreads)
    return shapes;
  int halfWarp = std::max(device.coalescingGroup, 1);
  auto consider = [&](int height, int depth) {
    int width = threads / (height * depth);
    WorkGroup group = {{width, height, depth}};
    bool isWithin = group.extents[0] <= device.blockLimit[0] && height <= device.blockLimit[1] &&
                    depth <= device.blockLimit[2];
    if (width > 0 && width * height * depth == threads && width % halfWarp == 0 && isWithin)
      shapes.push_back(group);
  };
  int highest = dimensions > 1 ? threads / halfWarp : 1,
      deepest = dimensions > 2 ? threads / halfWarp / 2 : 1;
  for (int depth = dimensions > 2 ? 2 : 1; depth <= deepest; depth++)
    for (int height = dimensions > 1 ? 2 : 1; height <= highest; height++)
      consider(height, depth);
  return shapes;
}

// Better candidates have smaller keys.
static std::tuple<int64_t, double, int64_t> keyOf(const GroupCandidate &c, bool isGained) {
  if (isGained)
    return {-c.gain, double(c.cost), -c.group.threads()};
  return {c.cost, -c.occupancy, -c.activeGroups};
}

static void giveRanks(std::vector<GroupCandidate> &candidates) {
  bool isGained = std::any_of(candidates.begin(), candidates.end(),
                              [](const GroupCandidate &c) { return c.gain > 0; });
  std::vector<std::tuple<int64_t, double, int64_t>> keys;
  for (const GroupCandidate &c : candidates)
    keys.push_back(keyOf(c, isGained));
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  for (GroupCandidate &c : candidates)
    c.rank = int(std::lower_bound(keys.begin(), keys.end(), keyOf(c, isGained)) - keys.begin()) + 1;
}

static GroupCandidate candidateOf(const GroupSearch &search, size_t kernel, const WorkGroup &group,
                                  const DeviceSpec &device) {
  GroupCandidate c;
  c.kernel = kernel;
  c.group = group;
  int dimensions = search.kernels[kernel].mapping.dimensions();
  for (const GroupArray &a : search.kernels[kernel].arrays) {
    c.cost += costOf(a, group);
    c.gain += gainOf(a, group, dimensions);
    c.localBytes += stagedElements(a, group, dimensions) * a.patterns.elementBytes;
  }
  Occupancy o = occupancyOf({group.threads(), search.registers, c.localBytes}, device);
  c.activeGroups = o.blocks;
  c.occupancy = o.share;
  return c;
}

std::vector<GroupCandidate> searchWorkGroups(const GroupSearch &search, const DeviceSpec &device) {
  std::vector<GroupCandidate> candidates;
  auto isActive = [&](int size) {
    return size > 0 &&
           occupancyOf({size, search.registers, 0}, device).blocks >= search.activeGroups;
  };
  for (auto size = std::find_if(search.sizes.begin(), search.sizes.end(), isActive);
       size != search.sizes.end(); ++size)
    for (size_t k = 0; k < search.kernels.size(); k++)
      for (const WorkGroup &group :
           shapesOf(*size, search.kernels[k].mapping.dimensions(), device)) {
        GroupCandidate c = candidateOf(search, k, group, device);
        if (c.localBytes <= device.sharedBytes)
          candidates.push_back(c);
      }
  giveRanks(candidates);
  return candidates;
}

std::vector<GroupCandidate> bestGroups(std::vector<GroupCandidate> candidates, size_t count) {
  std::stable_sort(
      candidates.begin(), candidates.end(),
      [](const GroupCandidate &a, const GroupCandidate &b) { return a.rank < b.rank; });
  if (candidates.size() > count)
    candidates.resize(count);
  return candidates;
}

std::string print(const GroupCandidate &c, int dimensions) {
  std::string shape;
  for (int k = dimensions; k-- > 0;)
    shape += fmt::format("{}{}", shape.empty() ? "" : "x", c.group.extents[k]);
  return fmt::format("rank {}: {} ({}), {} active, {:.4g}%, cost {}, gain {}, {} bytes", c.rank,
                     shape, c.group.threads(), c.activeGroups, 100 * c.occupancy, c.cost, c.gain,
                     c.localBytes);
}

} // namespace nw
