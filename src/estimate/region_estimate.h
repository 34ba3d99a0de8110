// A region at given sizes: its host steps followed, each launch estimated, loops of launches by a
// few of their iterations.
#pragma once
#include "estimate/launch_memory.h"
#include <set>

namespace nw {

// All accesses to one array, of all launches; transactions are turns of the banks for shared
// memory.
struct AccessTotal {
  double accesses = 0, transactions = 0, ideal = 0;
};

// One kernel over all of its launches.
struct EstimatedKernel {
  int kernel = -1; // index into Kernels::kernels
  double launches = 0;
  double seconds = 0;      // of all launches in a row
  double launching = 0;    // of those, what the kernel itself does not take
  EstimatedLaunch largest; // the launch that takes longest
  KernelResources resources;
  std::map<std::pair<std::string, bool>, AccessTotal> totals; // by array; true: stores
  // What holds it: the launches, where they take longer than the kernel; else what holds the
  // largest launch.
  std::string bottleneck() const {
    return launching > 0.5 * seconds ? nameOf(Bound::Launches) : largest.estimate.bottleneck;
  }
};

struct EstimatedRegion {
  std::vector<EstimatedKernel>
      kernels;        // those that are launched, in the order of their first launch
  double seconds = 0; // inputs and outputs on the device
  double transferPinned = 0, transferPageable = 0;
  double touchedBytes = 0; // of all buffers
  double toDevice = 0, fromDevice = 0;
  bool isWarm = false; // they fit the second-level cache
  std::vector<std::string>
      forms; // of each choice: "resident, 1 block", "resident, 132 blocks", "plain"
  std::vector<std::string> notes; // what was assumed
};

enum class FormWanted { AsAtRunTime, Plain, Resident };

struct RegionOptions {
  WalkOptions walk;
  FormWanted form = FormWanted::AsAtRunTime;
  int hostSamples = 5;            // of the iterations of a loop of launches; 0: all
  LaunchMemory *memory = nullptr; // of one region on one device; null: everything is estimated anew
};

using ResourcesOf = std::function<KernelResources(const Kernel &)>;

EstimatedRegion estimateRegion(const Program &program, const Kernels &kernels,
                               const std::map<std::string, int64_t> &sizes,
                               const DeviceSpec &device, const ResourcesOf &resources,
                               const RegionOptions &options = {});

// Values for every integer that the region gets: those given, 1024 for others (which are named in
// `assumed`), and what follows from them.
std::map<std::string, int64_t> completeSizes(const Program &program, const Kernels &kernels,
                                             const std::map<std::string, int64_t> &given,
                                             std::vector<std::string> &assumed);

// The grid of a plain launch.
LaunchShape shapeOf(const HostStep &launch, const Kernel &kernel,
                    const std::map<std::string, int64_t> &values);
// The grid of a resident kernel, as runtime/resident.c chooses it; nothing where launches are
// taken instead.
std::optional<LaunchShape> residentShape(const HostStep &launch, const Kernel &kernel,
                                         const KernelResources &resources, const DeviceSpec &device,
                                         const std::map<std::string, int64_t> &values,
                                         bool anyway = false);

} // namespace nw
