// Work groups by the rules of *patterns* (section V, Algorithm 2): shapes of the given sizes, what
// they cost and gain, and their ranks. The sizes to try and the registers of the kernel are inputs,
// the limits are the device's.
#pragma once
#include "plan/patterns_policy.h"

namespace nw {

// Threads along tx, ty, tz; the paper's W, H and D.
struct WorkGroup {
  std::array<int, 3> extents = {1, 1, 1};
  int threads() const { return extents[0] * extents[1] * extents[2]; }
  bool operator==(const WorkGroup &) const = default;
};

// An array of a kernel under one mapping, and whether strips of it are prefetched.
struct GroupArray {
  ArrayPatterns patterns;
  bool isStaged = false;
};

// A kernel with its loops mapped to threads, and the spaces that Algorithm 1 has picked.
struct MappedKernel {
  ThreadMapping mapping;
  std::vector<GroupArray> arrays;
};

MappedKernel mappedKernel(const Program &program, const ThreadMapping &mapping,
                          const DeviceSpec &device,
                          const std::vector<std::string> &statements = {});

// Accesses of one work group that are not coalesced. A reference that tx has no part in costs
// nothing, nor does a coalesced one; any other costs as many as there are threads along the
// dimensions that have an entry (mm under alpha: W for A[tx][i3], W * H for C[tx][ty]). References
// of an array that touch the same elements, as in C[..] += .., count once. What Z does inside a
// thread costs nothing, as in Tables 4 and 5.
int64_t costOf(const GroupArray &array, const WorkGroup &group);

// Iterations of a staged loop whose data are in local memory at a time: the smallest extent of the
// work group, of those dimensions that are mapped.
int stripLength(const WorkGroup &group, int dimensions);

// What a staged array takes in local memory: threads along the dimensions that have an entry (1 if
// none has), times the strip. The paper's count; what windows reach beyond that, halos, is not in
// it.
int64_t stagedElements(const GroupArray &array, const WorkGroup &group, int dimensions);
// The same with no more threads than the strip is long: what staging saves. 0 for arrays that are
// not staged.
int64_t gainOf(const GroupArray &array, const WorkGroup &group, int dimensions);

struct GroupSearch {
  std::vector<MappedKernel>
      kernels;            // one for each mapping to compare, all with as many thread dimensions
  std::vector<int> sizes; // threads of a group, recommended ones first, descending
  int registers = 0;      // of a thread
  int activeGroups = 2;   // that registers have to allow of the largest size
};

struct GroupCandidate {
  size_t kernel = 0; // which of the mappings
  WorkGroup group;
  int activeGroups =
      0; // resident on a multiprocessor, by registers, threads, groups and local memory
  double occupancy = 0; // whole warps, of those that the device can hold
  int64_t cost = 0, gain = 0, localBytes = 0;
  int rank = 0; // 1 is the best; equals share a rank, and the next rank follows without a gap
};

// Shapes of a work group of `threads`: tx in multiples of the half-warp (the threads whose accesses
// are served together), other dimensions of at least two, all within the device's limits; ty grows
// before tz.
std::vector<WorkGroup> shapesOf(int threads, int dimensions, const DeviceSpec &device);

// All candidates in the order of the search: sizes from the first that registers allow to be active
// often enough, shapes of each that fit local memory, mappings. Ranks: where anything is gained by
// gain, then low cost, then size; else by low cost, then occupancy, then active groups.
std::vector<GroupCandidate> searchWorkGroups(const GroupSearch &search, const DeviceSpec &device);

// The first `count` by rank; among equals in the order of the search.
std::vector<GroupCandidate> bestGroups(std::vector<GroupCandidate> candidates, size_t count);

std::string
print(const GroupCandidate &candidate,
      int dimensions); // "rank 1: 16x32 (512), 2 active, 100%, cost 0, gain 512, 3072 bytes"

} // namespace nw
