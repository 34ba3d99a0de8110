#ifndef NW_IN_PLACE
#define NW_IN_PLACE
enum { NW_IN = 1, NW_OUT = 2, NW_ZERO = 4, NW_TEMPORARY = 8, NW_PLAIN = 0, NW_COOPERATIVE = 1, NW_OFFLOAD_AUTO = 0, NW_OFFLOAD_ALWAYS = 1 };
struct nw_range { const char *nw_name; void *nw_host; long long nw_low, nw_high; int nw_flags; };
struct nw_shape { long long nw_grid[3]; int nw_block[3]; int nw_mode; };
struct nw_arg { int nw_buffer; unsigned nw_size; const void *nw_value; };
struct nw_work { double nw_operations; long long nw_launches; int nw_offload; };
struct nw_on_device { void *nw_stream; };
struct nw_region {
  nw_range *nw_ranges;
  cudaStream_t nw_stream;
  char **nw_buffers;
  int nw_count, nw_launched;
  cudaError_t nw_error;
};
#define NW_BUFFER(nw_index) {(nw_index), 0, 0}
#define NW_VALUE(nw_variable) {-1, sizeof(nw_variable), &(nw_variable)}
#define NW_KERNEL(nw_name) ((const void *)nw_name)
#define NW_MODULE() 0
#ifndef nw_min
[[maybe_unused]] static inline long long nw_min(long long nw_a, long long nw_b) { return nw_a < nw_b ? nw_a : nw_b; }
#endif
#ifndef nw_max
[[maybe_unused]] static inline long long nw_max(long long nw_a, long long nw_b) { return nw_a > nw_b ? nw_a : nw_b; }
#endif
#ifndef nw_floor_div
[[maybe_unused]] static inline long long nw_floor_div(long long nw_a, long long nw_b) { return nw_a >= 0 ? nw_a / nw_b : -((-nw_a + nw_b - 1) / nw_b); }
#endif
[[maybe_unused]] static inline long long nw_shift(const nw_range *nw_r) { return nw_r->nw_low < 0 ? -nw_r->nw_low : 0; }
[[maybe_unused]] static inline int nw_overlap(const nw_range *nw_a, const nw_range *nw_b, const nw_on_device *) {
  const char *nw_x = (const char *)nw_a->nw_host, *nw_y = (const char *)nw_b->nw_host;
  return nw_x && nw_y && nw_a->nw_low < nw_a->nw_high && nw_b->nw_low < nw_b->nw_high && nw_x + nw_a->nw_low < nw_y + nw_b->nw_high && nw_y + nw_b->nw_low < nw_x + nw_a->nw_high;
}
// Whether a launch of this shape succeeds on any device; else its error is left to the original kernel.
[[maybe_unused]] static inline bool nw_can_start(const dim3 &nw_g, const dim3 &nw_b) {
  return nw_g.x && nw_g.y && nw_g.z && nw_g.x <= 2147483647u && nw_g.y <= 65535 && nw_g.z <= 65535 && nw_b.x && nw_b.y && nw_b.z && nw_b.z <= 64 && (unsigned long long)nw_b.x * nw_b.y <= 1024 &&
         nw_b.x * nw_b.y * nw_b.z <= 1024;
}
// The launch does not fit: the original kernel does the work.
[[maybe_unused]] static int nw_stay(int, const char *, const char *, const nw_on_device *) { return 0; }
// The arrays of a launch, and memory for what kernels hand to each other.
[[maybe_unused]] static nw_region *nw_enter(int, const char *, nw_range *nw_ranges, int nw_count, const nw_work *, const nw_on_device *nw_on) {
  nw_region *nw_here = new nw_region{nw_ranges, (cudaStream_t)nw_on->nw_stream, new char *[nw_count + 1](), nw_count, 0, cudaSuccess};
  for (int nw_k = 0; nw_k < nw_count && nw_here->nw_error == cudaSuccess; nw_k++) {
    long long nw_bytes = nw_max(nw_ranges[nw_k].nw_high - nw_min(nw_ranges[nw_k].nw_low, 0), 1);
    if (!(nw_ranges[nw_k].nw_flags & NW_TEMPORARY)) {
      nw_here->nw_buffers[nw_k] = (char *)nw_ranges[nw_k].nw_host - nw_shift(&nw_ranges[nw_k]);
      continue;
    }
    nw_here->nw_error = cudaMallocAsync((void **)&nw_here->nw_buffers[nw_k], nw_bytes, nw_here->nw_stream);
    if (nw_here->nw_error == cudaSuccess && (nw_ranges[nw_k].nw_flags & NW_ZERO))
      nw_here->nw_error = cudaMemsetAsync(nw_here->nw_buffers[nw_k], 0, nw_bytes, nw_here->nw_stream);
  }
  return nw_here;
}
[[maybe_unused]] static int nw_launch(nw_region *nw_here, const void *nw_kernel, const nw_shape *nw_sizes, const nw_arg *nw_args, int nw_count) {
  void *nw_values[256];
  if (nw_count > 256)
    nw_here->nw_error = cudaErrorInvalidValue;
  if (nw_here->nw_error != cudaSuccess)
    return 0;
  for (int nw_k = 0; nw_k < 3; nw_k++)
    if (nw_sizes->nw_grid[nw_k] <= 0)
      return 1;
  for (int nw_k = 0; nw_k < nw_count; nw_k++)
    nw_values[nw_k] = nw_args[nw_k].nw_buffer >= 0 ? (void *)&nw_here->nw_buffers[nw_args[nw_k].nw_buffer] : const_cast<void *>(nw_args[nw_k].nw_value);
  dim3 nw_grid((unsigned)nw_sizes->nw_grid[0], (unsigned)nw_sizes->nw_grid[1], (unsigned)nw_sizes->nw_grid[2]), nw_block(nw_sizes->nw_block[0], nw_sizes->nw_block[1], nw_sizes->nw_block[2]);
  nw_here->nw_error = nw_sizes->nw_mode == NW_COOPERATIVE ? cudaLaunchCooperativeKernel(nw_kernel, nw_grid, nw_block, nw_values, 0, nw_here->nw_stream) : cudaLaunchKernel(nw_kernel, nw_grid, nw_block, nw_values, 0, nw_here->nw_stream);
  nw_here->nw_launched += nw_here->nw_error == cudaSuccess;
  return nw_here->nw_error == cudaSuccess;
}
// Whether element 0 lies at a multiple of so many bytes.
[[maybe_unused]] static int nw_aligned(nw_region *nw_here, int nw_buffer, int nw_bytes) {
  return (unsigned long long)(nw_here->nw_buffers[nw_buffer] + nw_shift(&nw_here->nw_ranges[nw_buffer])) % nw_bytes == 0;
}
[[maybe_unused]] static int nw_resident_shape(nw_region *, const void *nw_kernel, const long long *nw_threads, const int *nw_block, nw_shape *nw_sizes) {
  long long nw_in_block = (long long)nw_block[0] * nw_block[1], nw_wanted = nw_max(nw_threads[0], 1) * nw_max(nw_threads[1], 1);
  int nw_blocks = 0, nw_processors = 0, nw_device = 0;
  *nw_sizes = nw_shape{{1, 1, 1}, {nw_block[0], nw_block[1], 1}, NW_PLAIN};
  if (nw_wanted <= (nw_in_block < 256 ? 2 : 6) * nw_in_block)
    return 1;
  cudaGetDevice(&nw_device);
  cudaDeviceGetAttribute(&nw_processors, cudaDevAttrMultiProcessorCount, nw_device);
  if (cudaOccupancyMaxActiveBlocksPerMultiprocessor(&nw_blocks, nw_kernel, (int)nw_in_block, 0) != cudaSuccess)
    return 0;
  long long nw_resident = (long long)nw_blocks * nw_processors;
  if (nw_resident < 2 || nw_wanted > 8 * nw_resident * nw_in_block)
    return 0;
  nw_sizes->nw_grid[0] = nw_min(nw_max((nw_threads[0] + nw_block[0] - 1) / nw_block[0], 1), nw_resident);
  nw_sizes->nw_grid[1] = nw_min(nw_max((nw_threads[1] + nw_block[1] - 1) / nw_block[1], 1), nw_max(nw_resident / nw_sizes->nw_grid[0], 1));
  nw_sizes->nw_mode = NW_COOPERATIVE;
  return 1;
}
// 0: nothing was begun, and the original kernel can do the work. An error after that is found as that of any launch is, by cudaGetLastError.
[[maybe_unused]] static int nw_leave(nw_region *nw_here) {
  for (int nw_k = 0; nw_k < nw_here->nw_count; nw_k++)
    if (nw_here->nw_buffers[nw_k] && (nw_here->nw_ranges[nw_k].nw_flags & NW_TEMPORARY))
      cudaFreeAsync(nw_here->nw_buffers[nw_k], nw_here->nw_stream);
  int nw_done = nw_here->nw_error == cudaSuccess || nw_here->nw_launched > 0;
  if (!nw_done)
    cudaGetLastError();
  delete[] nw_here->nw_buffers;
  delete nw_here;
  return nw_done;
}
#endif
