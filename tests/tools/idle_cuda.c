/* A CUDA driver without a GPU, for tests of what calls one. It has one device; small buffers are
 * real, streams do everything at once, graphs are lists of launches, and the kernels that do
 * anything are twice(int *x, int n, int a): x = 2 x + a, and twice_from(int *x, int n, int a, long
 * long first), which begins at x[first]. For the probe, each launch takes a tenth of a millisecond
 * by its events, large buffers are nowhere, and copies from them give zeros or, for 8 bytes, a
 * count of cycles. With IDLE_CUDA_FAILS=N the launch number N fails as after a wrong address, and
 * so does everything after it; with IDLE_CUDA_BYTES=N allocations of more bytes find no memory.
 * IDLE_CUDA_MAJOR is the first part of its compute capability, 9 by default. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { LARGE = 64 << 20, NOWHERE = 4096 };
typedef struct kept_launch {
  int *x, n, a;
} kept_launch;
enum { MOST_KEPT = 64 };
typedef struct kept_launches {
  int count;
  kept_launch kept[MOST_KEPT];
} kept_launches;
static char twice_mark, from_mark;
static pthread_mutex_t pinned_lock = PTHREAD_MUTEX_INITIALIZER;
static void *pinned[64];
static char *allocated[256];
static size_t sizes[256];

enum { OUT_OF_MEMORY = 2, ILLEGAL_ADDRESS = 700, NOT_FOUND = 500 };
static long long launches, launches_at[2];
static int failed;
static int events;

static int attribute(int number) {
  switch (number) {
  case 1:
    return 1024;
  case 2:
  case 3:
    return 1024;
  case 4:
    return 64;
  case 5:
    return 2147483647;
  case 6:
  case 7:
    return 65535;
  case 8:
    return 49152;
  case 9:
    return 65536;
  case 10:
    return 32;
  case 13:
    return 1980000;
  case 16:
    return 132;
  case 36:
    return 3201000;
  case 37:
    return 6144;
  case 38:
    return 52428800;
  case 39:
    return 2048;
  case 75:
    return getenv("IDLE_CUDA_MAJOR") ? atoi(getenv("IDLE_CUDA_MAJOR")) : 9;
  case 81:
    return 233472;
  case 82:
    return 65536;
  case 95:
    return 1;
  case 97:
    return 232448;
  case 106:
    return 32;
  case 111:
    return 1024;
  default:
    return 0;
  }
}

int cuInit(unsigned flags) { return (int)flags; }
/* NVRTC asks for it. */
int cuGetExportTable(const void **table, const void *id) {
  return (void)id, *table = NULL, NOT_FOUND;
}
int cuDriverGetVersion(int *version) { return *version = 13000, 0; }
int cuGetErrorString(int error, const char **text) {
  return *text = error == ILLEGAL_ADDRESS ? "an illegal memory access"
                 : error == OUT_OF_MEMORY ? "out of memory"
                                          : "an error",
         0;
}
int cuDeviceGetCount(int *count) { return *count = 1, 0; }
int cuDeviceGet(int *device, int ordinal) { return *device = ordinal, 0; }
int cuDeviceGetName(char *name, int length, int device) {
  return strncpy(name, "NVIDIA H200", (size_t)length), device;
}
int cuDeviceGetAttribute(int *value, int number, int device) {
  return *value = attribute(number), device;
}
int cuDeviceTotalMem_v2(size_t *bytes, int device) { return *bytes = (size_t)141 << 30, device; }
int cuDevicePrimaryCtxRetain(void **context, int device) { return *context = &failed, device; }
int cuCtxGetCurrent(void **context) { return *context = NULL, 0; }
int cuCtxSetCurrent(void *context) { return (void)context, 0; }
int cuStreamSynchronize(void *stream) { return (void)stream, failed; }
int cuModuleLoadData(void **module, const void *image) { return *module = (void *)image, 0; }
int cuModuleGetFunction(void **function, void *module, const char *name) {
  *function = strcmp(name, "twice") == 0        ? (void *)&twice_mark
              : strcmp(name, "twice_from") == 0 ? (void *)&from_mark
                                                : (void *)&failed;
  return module &&
                 (strncmp(name, "probe_", 6) == 0 || *function != &failed || strstr(name, "_step"))
             ? 0
             : NOT_FOUND;
}
int cuFuncGetAttribute(int *value, int number, void *function) {
  return (void)number, (void)function, *value = 1024, 0;
}
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, void *function, int threads,
                                                size_t shared) {
  return (void)function, (void)shared, *blocks = 2048 / threads, 0;
}
int cuMemAlloc_v2(unsigned long long *address, size_t bytes) {
  const char *most = getenv("IDLE_CUDA_BYTES");
  if (most && bytes > (size_t)atoll(most))
    return OUT_OF_MEMORY;
  *address = bytes >= LARGE ? NOWHERE : (unsigned long long)malloc(bytes);
  pthread_mutex_lock(&pinned_lock);
  for (int i = 0; i < 256 && bytes < LARGE; i++)
    if (!allocated[i]) {
      allocated[i] = (char *)*address;
      sizes[i] = bytes;
      break;
    }
  pthread_mutex_unlock(&pinned_lock);
  return failed;
}
int cuMemFree_v2(unsigned long long address) {
  pthread_mutex_lock(&pinned_lock);
  for (int i = 0; i < 256; i++)
    if (allocated[i] == (char *)address)
      allocated[i] = NULL;
  pthread_mutex_unlock(&pinned_lock);
  if (address != NOWHERE)
    free((void *)address);
  return failed;
}
int cuMemAllocAsync(unsigned long long *address, size_t bytes, void *stream) {
  return (void)stream, cuMemAlloc_v2(address, bytes);
}
int cuMemFreeAsync(unsigned long long address, void *stream) {
  return (void)stream, cuMemFree_v2(address);
}
int cuDeviceGetDefaultMemPool(void **pool, int device) { return *pool = &failed, device; }
int cuMemPoolSetAttribute(void *pool, int attribute, void *value) {
  return (void)pool, (void)attribute, (void)value, 0;
}
int cuMemsetD8Async(unsigned long long to, unsigned char value, size_t bytes, void *stream) {
  return (void)stream, memset((void *)to, value, bytes), failed;
}
int cuMemHostAlloc(void **host, size_t bytes, unsigned flags) {
  int i = 0;
  pthread_mutex_lock(&pinned_lock);
  while (i < 63 && pinned[i])
    i++;
  pinned[i] = *host = malloc(bytes);
  pthread_mutex_unlock(&pinned_lock);
  return (int)flags;
}
int cuPointerGetAttributes(unsigned count, int *attributes, void **values,
                           unsigned long long address) {
  unsigned type = 0;
  pthread_mutex_lock(&pinned_lock);
  for (int i = 0; i < 64; i++)
    type = pinned[i] == (void *)address && address ? 1 : type;
  for (int i = 0; i < 256; i++)
    type = allocated[i] && address >= (unsigned long long)allocated[i] &&
                   address < (unsigned long long)allocated[i] + sizes[i]
               ? 2
               : type;
  pthread_mutex_unlock(&pinned_lock);
  for (unsigned i = 0; i < count; i++)
    if (attributes[i] == 2)
      *(unsigned *)values[i] = type;
    else if (attributes[i] == 9)
      *(int *)values[i] = type == 2 ? 0 : -2;
    else
      return 1;
  return 0;
}
int cuStreamCreate(void **stream, unsigned flags) { return *stream = calloc(1, 1), flags != 1; }
int cuGraphCreate(void **graph, unsigned flags) {
  return *graph = calloc(1, sizeof(kept_launches)), (int)flags;
}
static kept_launch launch_of(const void *function, void **parameters) {
  return (kept_launch){*(int **)parameters[0] +
                           (function == &from_mark ? *(long long *)parameters[3] : 0),
                       *(int *)parameters[1], *(int *)parameters[2]};
}
int cuGraphAddKernelNode(void **node, void *graph, void *const *after, size_t count,
                         const void *what) {
  const struct {
    void *function;
    unsigned grid[3], block[3], shared;
    void **parameters, **extra;
  } *launch = what;
  kept_launches *g = graph;
  if ((launch->function != &twice_mark && launch->function != &from_mark) ||
      g->count == MOST_KEPT || count != (g->count > 0) ||
      (count && *after != &g->kept[g->count - 1]))
    return 1;
  *node = &g->kept[g->count];
  g->kept[g->count++] = launch_of(launch->function, launch->parameters);
  return 0;
}
int cuGraphKernelNodeSetAttribute(void *node, int attribute, const void *value) {
  return (void)node, (void)value, attribute != 2;
}
int cuGraphInstantiateWithFlags(void **made, void *graph, unsigned long long flags) {
  return *made = memcpy(malloc(sizeof(kept_launches)), graph, sizeof(kept_launches)), (int)flags;
}
int cuGraphDestroy(void *graph) { return free(graph), 0; }
int cuGraphExecDestroy(void *graph) { return free(graph), 0; }
static void twice(const kept_launch *k) {
  for (int i = 0; i < k->n; i++)
    k->x[i] = k->x[i] * 2 + k->a;
}
int cuGraphLaunch(void *graph, void *stream) {
  kept_launches *g = graph;
  (void)stream;
  for (int i = 0; i < g->count && !failed; i++)
    twice(&g->kept[i]);
  return failed;
}
int cuMemAllocHost_v2(void **host, size_t bytes) { return *host = malloc(bytes), failed; }
int cuMemFreeHost(void *host) { return free(host), 0; }
int cuMemcpyHtoD_v2(unsigned long long to, const void *from, size_t bytes) {
  if (to != NOWHERE)
    memcpy((void *)to, from, bytes);
  else
    for (size_t i = 0; i < bytes; i += 64) /* takes a while */
      (void)((const volatile char *)from)[i];
  return failed;
}
int cuMemcpyDtoH_v2(void *to, unsigned long long from, size_t bytes) {
  unsigned long long cycles = 198000;
  if (failed)
    return failed;
  if (from != NOWHERE)
    memcpy(to, (void *)from, bytes);
  else
    memset(to, 0, bytes);
  if (bytes == sizeof cycles)
    memcpy(to, &cycles, sizeof cycles);
  return 0;
}
int cuMemcpyHtoDAsync_v2(unsigned long long to, const void *from, size_t bytes, void *stream) {
  return (void)stream, cuMemcpyHtoD_v2(to, from, bytes);
}
int cuMemcpyDtoHAsync_v2(void *to, unsigned long long from, size_t bytes, void *stream) {
  return (void)stream, cuMemcpyDtoH_v2(to, from, bytes);
}
int cuEventCreate(void **event, unsigned flags) {
  return (void)flags, *event = &launches_at[events++ % 2], 0;
}
int cuEventDestroy_v2(void *event) { return (void)event, 0; }
int cuEventRecord(void *event, void *stream) {
  return (void)stream, *(long long *)event = launches, failed;
}
int cuEventSynchronize(void *event) { return (void)event, failed; }
int cuEventElapsedTime(float *milliseconds, void *begin, void *end) {
  return *milliseconds = 0.1f * (float)(*(long long *)end - *(long long *)begin), failed;
}
int cuLaunchKernel(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                   unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                   void *stream, void **parameters, void **extra) {
  const char *fails = getenv("IDLE_CUDA_FAILS");
  (void)shared, (void)stream, (void)extra;
  launches += 1;
  if (fails && launches == atoll(fails))
    failed = ILLEGAL_ADDRESS;
  if (!parameters || !grid_x || grid_y != 1 || grid_z != 1 || !block_x || block_x > 1024 ||
      block_y != 1 || block_z != 1)
    return 1;
  if ((function == &twice_mark || function == &from_mark) && !failed) {
    kept_launch launch = launch_of(function, parameters);
    twice(&launch);
  }
  return failed;
}
int cuLaunchCooperativeKernel(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                              unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                              void *stream, void **parameters) {
  if (grid_x * block_x > 132 * 2048)
    return 720;
  launches += *(int *)parameters[1]; /* a barrier as long as a launch */
  return cuLaunchKernel(function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared, stream,
                        parameters, NULL);
}
