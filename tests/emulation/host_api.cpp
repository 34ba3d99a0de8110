// The CUDA runtime on the CPU. The device has a few small multiprocessors, so that cooperative
// grids have several blocks but stay small; NESTWARP_EMULATION_PROCESSORS=N changes how many (with
// 0, no grid is cooperative).
#include "host_api.h"
#include "threads.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace emulation {

namespace {

constexpr int kLargestBlock = 1024, kSharedBytes = 48 * 1024, kThreadsPerProcessor = 512,
              kMostBlocks = 2;
cudaError_t last = cudaSuccess;

cudaError_t remember(cudaError_t error) {
  if (error != cudaSuccess)
    last = error;
  return error;
}

int processors() {
  const char *text = std::getenv("NESTWARP_EMULATION_PROCESSORS");
  return text ? std::atoi(text) : 3;
}

int blocksPerProcessor(long long threads) {
  return threads > 0 ? std::min<long long>(kMostBlocks, kThreadsPerProcessor / threads) : 0;
}

cudaError_t start(const Kernel *kernel, dim3 grid, dim3 block, void **arguments,
                  size_t dynamicBytes, bool cooperative) {
  long long threads = 1ll * block.x * block.y * block.z, blocks = 1ll * grid.x * grid.y * grid.z;
  if (!kernel)
    return remember(cudaErrorInvalidDeviceFunction);
  if (threads < 1 || threads > kLargestBlock || block.z > 64 || blocks < 1 || grid.y > 65535 ||
      grid.z > 65535 || (kernel->largestBlock && threads > kernel->largestBlock))
    return remember(cudaErrorInvalidConfiguration);
  if (cooperative && blocks > std::max(1, processors() * blocksPerProcessor(threads)))
    return remember(cudaErrorCooperativeLaunchTooLarge);
  launch(*kernel, grid, block, arguments, dynamicBytes, cooperative);
  return cudaSuccess;
}

struct AtExit {
  ~AtExit() {
    if (const char *wanted = std::getenv("NESTWARP_EMULATION_STATS"); wanted && *wanted == '1')
      std::fprintf(stderr,
                   "emulation-stats: {\"launches\": %lld, \"written\": %lld, \"cooperative\": "
                   "%lld, \"threads\": %lld, \"largest_launch\": %lld, \"not_freed\": %zu}\n",
                   statistics.launches, statistics.written, statistics.cooperative,
                   statistics.threads, statistics.largest, areas().size());
  }
};

} // namespace

std::vector<Area> &areas() {
  static std::vector<Area> &all = *new std::vector<Area>; // outlives all other objects
  static AtExit report;
  return all;
}

void Grid::launch(const void *function, void (*call)(const void *, void **)) const {
  Kernel kernel = {"a kernel as it is written", function, call, "", 0, 0};
  statistics.written += start(&kernel, grid, block, nullptr, dynamicBytes, false) == cudaSuccess;
}

} // namespace emulation

using namespace emulation;

cudaError_t cudaMalloc(void **memory, size_t bytes) {
  if (bytes == 0)
    return *memory = nullptr, cudaSuccess;
  if (posix_memalign(memory, 256, bytes))
    return remember(cudaErrorMemoryAllocation);
  std::memset(*memory, 0xff, std::min<size_t>(bytes, 1 << 24)); // what nobody wrote is not zero
  areas().push_back({static_cast<char *>(*memory), bytes, ""});
  return cudaSuccess;
}

cudaError_t cudaFree(void *memory) {
  auto known = std::find_if(areas().begin(), areas().end(),
                            [&](const Area &a) { return a.memory == memory; });
  if (known == areas().end())
    return memory ? remember(cudaErrorInvalidValue) : cudaSuccess;
  areas().erase(known);
  std::free(memory);
  return cudaSuccess;
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind) {
  return std::memcpy(to, from, bytes), cudaSuccess;
}

cudaError_t cudaMemset(void *memory, int value, size_t bytes) {
  return std::memset(memory, value, bytes), cudaSuccess;
}

cudaError_t cudaLaunchKernel(const void *kernel, dim3 grid, dim3 block, void **arguments,
                             size_t dynamicBytes, cudaStream_t) {
  return start(find(kernel), grid, block, arguments, dynamicBytes, false);
}

cudaError_t cudaLaunchCooperativeKernel(const void *kernel, dim3 grid, dim3 block, void **arguments,
                                        size_t dynamicBytes, cudaStream_t) {
  return start(find(kernel), grid, block, arguments, dynamicBytes, true);
}

cudaError_t cudaFuncSetAttribute(const void *kernel, cudaFuncAttribute, int) {
  return find(kernel) ? cudaSuccess : remember(cudaErrorInvalidDeviceFunction);
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *, int threads,
                                                          size_t) {
  return *blocks = blocksPerProcessor(threads), cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int) {
  switch (attribute) {
  case cudaDevAttrMaxThreadsPerBlock:
    *value = kLargestBlock;
    break;
  case cudaDevAttrMaxSharedMemoryPerBlock:
    *value = kSharedBytes;
    break;
  case cudaDevAttrMaxSharedMemoryPerBlockOptin:
    *value = 227 * 1024;
    break;
  case cudaDevAttrWarpSize:
    *value = warpSize;
    break;
  case cudaDevAttrMultiProcessorCount:
    *value = processors();
    break;
  case cudaDevAttrCooperativeLaunch:
    *value = 1;
    break;
  default:
    return remember(cudaErrorInvalidValue);
  }
  return cudaSuccess;
}

cudaError_t cudaGetLastError() { return std::exchange(last, cudaSuccess); }

const char *cudaGetErrorString(cudaError_t error) {
  switch (error) {
  case cudaSuccess:
    return "no error";
  case cudaErrorInvalidValue:
    return "invalid argument";
  case cudaErrorMemoryAllocation:
    return "out of memory";
  case cudaErrorInvalidConfiguration:
    return "invalid configuration argument";
  case cudaErrorInvalidDeviceFunction:
    return "invalid device function";
  case cudaErrorCooperativeLaunchTooLarge:
    return "too many blocks in cooperative launch";
  }
  return "unknown error";
}
