// ---- host side: ranges of the user's arrays, copies and launches through the CUDA runtime
#include <cstdio>
#include <cstdlib>
#include <vector>

enum { NW_IN = 1, NW_OUT = 2, NW_ZERO = 4, NW_TEMPORARY = 8, NW_PLAIN = 0, NW_COOPERATIVE = 1, NW_OFFLOAD_AUTO = 0, NW_OFFLOAD_ALWAYS = 1 };
struct nw_range { const char *name; void *host; long long low, high; int flags; };
struct nw_shape { long long grid[3]; int block[3]; int mode; };
struct nw_arg { int buffer; unsigned size; const void *value; };
struct nw_work { double operations; long long launches; int offload; };
struct nw_on_device { void *stream; };
struct nw_region {
  const char *where;
  nw_range *ranges;
  const nw_on_device *on_device; // null: the arrays are on the host
  cudaStream_t stream;
  std::vector<char *> buffers;
  cudaError_t error;
};
#define NW_BUFFER(index) {(index), 0, 0}
#define NW_VALUE(variable) {-1, sizeof(variable), &(variable)}
#define NW_KERNEL(name) ((const void *)name)
#define NW_MODULE() 0

#ifndef nw_min
[[maybe_unused]] static inline long long nw_min(long long a, long long b) { return a < b ? a : b; }
#endif
#ifndef nw_max
[[maybe_unused]] static inline long long nw_max(long long a, long long b) { return a > b ? a : b; }
#endif
#ifndef nw_floor_div
[[maybe_unused]] static inline long long nw_floor_div(long long a, long long b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }
#endif
[[maybe_unused]] static inline long long nw_shift(const nw_range *r) { return r->low < 0 ? -r->low : 0; }
[[maybe_unused]] static inline int nw_overlap(const nw_range *a, const nw_range *b, const nw_on_device *) {
  const char *x = (const char *)a->host, *y = (const char *)b->host;
  return x && y && a->low < a->high && b->low < b->high && x + a->low < y + b->high && y + b->low < x + a->high;
}
[[maybe_unused]] static int nw_stay(int, const char *where, const char *reason, const nw_on_device *on_device) {
  if (on_device)
    std::fprintf(stderr, "nestwarp: %s: %s; the work is not done\n", where, reason);
  return 0;
}

// Memory that was given back stays with the program, up to a limit: to fetch it anew takes longer than many a kernel.
[[maybe_unused]] static void nw_keep_memory() {
  static thread_local int done = -1;
  int device = 0;
  cudaMemPool_t pool;
  if (cudaGetDevice(&device) != cudaSuccess || device == done || cudaDeviceGetDefaultMemPool(&pool, device) != cudaSuccess)
    return;
  unsigned long long bytes = 1ULL << 30;
  cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &bytes);
  done = device;
}

// The buffer of a range: the caller's own memory on the device, or memory in the order of the stream.
[[maybe_unused]] static cudaError_t nw_buffer(nw_region *region, const nw_range &range, char **buffer) {
  if (region->on_device && !(range.flags & NW_TEMPORARY)) {
    *buffer = (char *)range.host - nw_shift(&range);
    return range.host || range.high <= range.low ? cudaSuccess : cudaErrorInvalidValue; // nothing to work on
  }
  long long bytes = nw_max(range.high - nw_min(range.low, 0), 1);
  nw_keep_memory();
  cudaError_t error = cudaMallocAsync((void **)buffer, bytes, region->stream);
  if (error == cudaSuccess && (range.flags & NW_ZERO))
    error = cudaMemsetAsync(*buffer, 0, bytes, region->stream);
  if (error == cudaSuccess && (range.flags & NW_IN) && range.host && range.high > range.low)
    error = cudaMemcpyAsync(*buffer + nw_shift(&range) + range.low, (char *)range.host + range.low, range.high - range.low, cudaMemcpyHostToDevice,
                            region->stream);
  return error;
}

[[maybe_unused]] static nw_region *nw_enter(int, const char *where, nw_range *ranges, int count, const nw_work *, const nw_on_device *on_device) {
  cudaStream_t stream = on_device ? (cudaStream_t)on_device->stream : cudaStreamPerThread;
  nw_region *region = new nw_region{where, ranges, on_device, stream, {}, cudaSuccess};
  for (int k = 0; k < count; k++) {
    char *buffer = nullptr;
    if (region->error == cudaSuccess)
      region->error = nw_buffer(region, ranges[k], &buffer);
    region->buffers.push_back(buffer);
  }
  return region;
}

[[maybe_unused]] static int nw_launch(nw_region *region, const void *kernel, const nw_shape *shape, const nw_arg *args, int count) {
  if (region->error != cudaSuccess)
    return 0;
  for (int k = 0; k < 3; k++)
    if (shape->grid[k] <= 0)
      return 1;
  std::vector<void *> values;
  for (int k = 0; k < count; k++)
    values.push_back(args[k].buffer >= 0 ? (void *)&region->buffers[args[k].buffer] : const_cast<void *>(args[k].value));
  dim3 grid((unsigned)shape->grid[0], (unsigned)shape->grid[1], (unsigned)shape->grid[2]);
  dim3 block(shape->block[0], shape->block[1], shape->block[2]);
  region->error = shape->mode == NW_COOPERATIVE ? cudaLaunchCooperativeKernel(kernel, grid, block, values.data(), 0, region->stream)
                                                : cudaLaunchKernel(kernel, grid, block, values.data(), 0, region->stream);
  return region->error == cudaSuccess;
}

// Whether element 0 lies at a multiple of so many bytes.
[[maybe_unused]] static int nw_aligned(nw_region *region, int buffer, int bytes) {
  return (unsigned long long)(region->buffers[buffer] + nw_shift(&region->ranges[buffer])) % bytes == 0;
}

[[maybe_unused]] static int nw_resident_shape(nw_region *region, const void *kernel, const long long *threads, const int *block, nw_shape *shape) {
  long long inBlock = (long long)block[0] * block[1], wanted = nw_max(threads[0], 1) * nw_max(threads[1], 1);
  int perProcessor = 0, processors = 0, device = 0;
  *shape = nw_shape{{1, 1, 1}, {block[0], block[1], 1}, NW_PLAIN};
  if (wanted <= (inBlock < 256 ? 2 : 6) * inBlock)
    return 1;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
  if (cudaOccupancyMaxActiveBlocksPerMultiprocessor(&perProcessor, kernel, (int)inBlock, 0) != cudaSuccess)
    return 0;
  long long resident = (long long)perProcessor * processors;
  if (resident < 2 || wanted > 8 * resident * inBlock)
    return 0;
  shape->grid[0] = nw_min(nw_max((threads[0] + block[0] - 1) / block[0], 1), resident);
  shape->grid[1] = nw_min(nw_max((threads[1] + block[1] - 1) / block[1], 1), nw_max(resident / shape->grid[0], 1));
  shape->mode = NW_COOPERATIVE;
  (void)region;
  return 1;
}

// Waits for all that was put into the stream, also after an error: copies may be under way.
[[maybe_unused]] static void nw_wait(nw_region *region) {
  cudaError_t error = cudaStreamSynchronize(region->stream);
  if (region->error == cudaSuccess)
    region->error = error;
}

// Copies out the ranges that are also copied in (`updated`) or those that are not. *written is set before host data that
// the original loops would read may change.
[[maybe_unused]] static void nw_copy_out(nw_region *region, bool updated, bool *written) {
  for (size_t k = 0; k < region->buffers.size() && region->error == cudaSuccess; k++) {
    const nw_range &r = region->ranges[k];
    if (!(r.flags & NW_OUT) || ((r.flags & NW_IN) != 0) != updated || !r.host || r.high <= r.low)
      continue;
    *written |= updated;
    region->error = cudaMemcpyAsync((char *)r.host + r.low, region->buffers[k] + nw_shift(&r) + r.low, r.high - r.low, cudaMemcpyDeviceToHost, region->stream);
  }
}

// Ranges that are only written are copied first: a failure there leaves all that the original loops read as it was. After
// a failure in a range that the loops also read, neither its old nor its new values can be had.
[[maybe_unused]] static int nw_leave(nw_region *region) {
  bool written = false;
  if (!region->on_device) {
    nw_wait(region);
    nw_copy_out(region, false, &written);
    nw_wait(region);
    nw_copy_out(region, true, &written);
  }
  for (size_t k = 0; k < region->buffers.size(); k++)
    if (region->buffers[k] && !(region->on_device && !(region->ranges[k].flags & NW_TEMPORARY)))
      cudaFreeAsync(region->buffers[k], region->stream);
  if (!region->on_device)
    nw_wait(region);
  cudaError_t error = region->error;
  if (error != cudaSuccess && written) {
    std::fprintf(stderr, "nestwarp: %s: %s; the results are incomplete and the data can not be restored: giving up\n", region->where, cudaGetErrorString(error));
    std::abort();
  }
  if (error != cudaSuccess)
    std::fprintf(stderr, "nestwarp: %s: %s; %s\n", region->where, cudaGetErrorString(error), region->on_device ? "the work is not done" : "running the original loops");
  delete region;
  return error == cudaSuccess;
}

