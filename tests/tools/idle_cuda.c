/* A CUDA driver without a GPU, for tests of what calls one: it has one device, kernels do nothing, each launch takes a
 * tenth of a millisecond by its events, and copies from the device give zeros or, for 8 bytes, a count of cycles. With
 * IDLE_CUDA_FAILS=N the launch number N fails as after a wrong address, and so does everything after it. */
#include <stdlib.h>
#include <string.h>

enum { ILLEGAL_ADDRESS = 700, NOT_FOUND = 500 };
static long long launches, launches_at[2];
static int failed;
static int events;

static int attribute(int number) {
  switch (number) {
  case 1: return 1024;
  case 2: case 3: return 1024;
  case 4: return 64;
  case 5: return 2147483647;
  case 6: case 7: return 65535;
  case 8: return 49152;
  case 9: return 65536;
  case 10: return 32;
  case 13: return 1980000;
  case 16: return 132;
  case 36: return 3201000;
  case 37: return 6144;
  case 38: return 52428800;
  case 39: return 2048;
  case 75: return 9;
  case 81: return 233472;
  case 82: return 65536;
  case 95: return 1;
  case 97: return 232448;
  case 106: return 32;
  case 111: return 1024;
  default: return 0;
  }
}

int cuInit(unsigned flags) { return (int)flags; }
/* NVRTC asks for it. */
int cuGetExportTable(const void **table, const void *id) { return (void)id, *table = NULL, NOT_FOUND; }
int cuDriverGetVersion(int *version) { return *version = 13000, 0; }
int cuGetErrorString(int error, const char **text) { return *text = error == ILLEGAL_ADDRESS ? "an illegal memory access" : "an error", 0; }
int cuDeviceGetCount(int *count) { return *count = 1, 0; }
int cuDeviceGet(int *device, int ordinal) { return *device = ordinal, 0; }
int cuDeviceGetName(char *name, int length, int device) { return strncpy(name, "NVIDIA H200", (size_t)length), device; }
int cuDeviceGetAttribute(int *value, int number, int device) { return *value = attribute(number), device; }
int cuDeviceTotalMem_v2(size_t *bytes, int device) { return *bytes = (size_t)141 << 30, device; }
int cuDevicePrimaryCtxRetain(void **context, int device) { return *context = &failed, device; }
int cuCtxGetCurrent(void **context) { return *context = NULL, 0; }
int cuCtxSetCurrent(void *context) { return (void)context, 0; }
int cuStreamSynchronize(void *stream) { return (void)stream, failed; }
int cuModuleLoadData(void **module, const void *image) { return *module = (void *)image, 0; }
int cuModuleGetFunction(void **function, void *module, const char *name) {
  return *function = &failed, module && strncmp(name, "probe_", 6) == 0 ? 0 : NOT_FOUND;
}
int cuFuncGetAttribute(int *value, int number, void *function) { return (void)number, (void)function, *value = 1024, 0; }
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, void *function, int threads, size_t shared) {
  return (void)function, (void)shared, *blocks = 2048 / threads, 0;
}
int cuMemAlloc_v2(unsigned long long *address, size_t bytes) { return (void)bytes, *address = 4096, failed; }
int cuMemFree_v2(unsigned long long address) { return (void)address, failed; }
int cuMemAllocHost_v2(void **host, size_t bytes) { return *host = malloc(bytes), failed; }
int cuMemFreeHost(void *host) { return free(host), 0; }
int cuMemcpyHtoD_v2(unsigned long long to, const void *from, size_t bytes) {
  (void)to;
  for (size_t i = 0; i < bytes; i += 64) /* takes a while */
    (void)((const volatile char *)from)[i];
  return failed;
}
int cuMemcpyDtoH_v2(void *to, unsigned long long from, size_t bytes) {
  unsigned long long cycles = 198000;
  (void)from;
  memset(to, 0, bytes);
  if (bytes == sizeof cycles)
    memcpy(to, &cycles, sizeof cycles);
  return failed;
}
int cuEventCreate(void **event, unsigned flags) { return (void)flags, *event = &launches_at[events++ % 2], 0; }
int cuEventDestroy_v2(void *event) { return (void)event, 0; }
int cuEventRecord(void *event, void *stream) { return (void)stream, *(long long *)event = launches, failed; }
int cuEventSynchronize(void *event) { return (void)event, failed; }
int cuEventElapsedTime(float *milliseconds, void *begin, void *end) {
  return *milliseconds = 0.1f * (float)(*(long long *)end - *(long long *)begin), failed;
}
int cuLaunchKernel(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,
                   unsigned block_z, unsigned shared, void *stream, void **parameters, void **extra) {
  const char *fails = getenv("IDLE_CUDA_FAILS");
  (void)function, (void)shared, (void)stream, (void)extra;
  launches += 1;
  if (fails && launches == atoll(fails))
    failed = ILLEGAL_ADDRESS;
  if (!parameters || !grid_x || grid_y != 1 || grid_z != 1 || !block_x || block_x > 1024 || block_y != 1 || block_z != 1)
    return 1;
  return failed;
}
int cuLaunchCooperativeKernel(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                              unsigned block_y, unsigned block_z, unsigned shared, void *stream, void **parameters) {
  if (grid_x * block_x > 132 * 2048)
    return 720;
  launches += *(int *)parameters[1]; /* a barrier as long as a launch */
  return cuLaunchKernel(function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared, stream, parameters, NULL);
}
