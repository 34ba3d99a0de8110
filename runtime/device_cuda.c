/* The CUDA backend: the driver (libcuda.so.1), loaded with dlopen: devices, kernels and memory.
 * Streams are in cuda_streams.c, the run-time compiler in cuda_compile.c. It uses the primary
 * context of the device, as the CUDA runtime does, so that a program's own device pointers can be
 * used. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda_backend.h"
#include "internal.h"

nw_rt_cuda_api nw_rt_cuda;

#define SYMBOL(result, name, parameters) {#name, offsetof(nw_rt_cuda_api, name)},
static const nw_rt_symbol cuda_symbols[] = {NW_RT_CUDA_FUNCTIONS(SYMBOL)};
#undef SYMBOL

const char *nw_rt_cuda_words(CUresult result) {
  const char *text = NULL;
  if (nw_rt_cuda.cuGetErrorString(result, &text) || !text)
    text = "unknown error";
  return text;
}

/* Whether the context cannot be used any more after this result. */
static int is_fatal(CUresult result) {
  return result == CUDA_ERROR_DEINITIALIZED || result == CUDA_ERROR_DEVICE_UNAVAILABLE ||
         result == CUDA_ERROR_ECC_UNCORRECTABLE || result == CUDA_ERROR_NVLINK_UNCORRECTABLE ||
         result == CUDA_ERROR_ILLEGAL_ADDRESS || result == CUDA_ERROR_LAUNCH_TIMEOUT ||
         result == CUDA_ERROR_CONTEXT_IS_DESTROYED || result == CUDA_ERROR_ASSERT ||
         (result >= CUDA_ERROR_HARDWARE_STACK_ERROR && result <= CUDA_ERROR_LAUNCH_FAILED);
}

int nw_rt_cuda_check(CUresult result, const char *call) {
  int kind = NW_RT_DEVICE_FAILED;
  if (result == 0)
    return 1;
  if (result == CUDA_ERROR_OUT_OF_MEMORY)
    kind = NW_RT_OUT_OF_MEMORY;
  else if (is_fatal(result))
    kind = NW_RT_DEVICE_LOST;
  return nw_rt_fail(kind, "%s: %s (error %d)", call, nw_rt_cuda_words(result), result);
}

/* The value of a device attribute; 0 when it cannot be had. */
static int attribute(CUdevice device, int number) {
  int value = 0;
  return nw_rt_cuda.cuDeviceGetAttribute(&value, number, device) == 0 ? value : 0;
}

/* Memory that is given back in a stream's order is kept for the next region, within the bounds of
 * buffers.c. */
static void keep_released_memory(nw_rt_device *device, CUdevice number) {
  unsigned long long bytes = nw_rt_buffers_kept_limit(device);
  CUmemoryPool pool = NULL;
  if (nw_rt_cuda.cuDeviceGetDefaultMemPool(&pool, number) == 0)
    nw_rt_cuda.cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &bytes);
}

static int cuda_open(nw_rt_device *device) {
  nw_rt_cuda_data *data = device->backend_data;
  if (!NW_RT_CUDA(cuDevicePrimaryCtxRetain, &data->context, data->device))
    return 0;
  keep_released_memory(device, data->device);
  return 1;
}

static int cuda_begin(nw_rt_device *device, nw_rt_handle *previous) {
  nw_rt_cuda_data *data = device->backend_data;
  CUcontext context = NULL;
  nw_rt_cuda.cuCtxGetCurrent(&context);
  *previous = (nw_rt_handle)context;
  return NW_RT_CUDA(cuCtxSetCurrent, data->context);
}

static void cuda_end(nw_rt_device *device, nw_rt_handle previous) {
  nw_rt_cuda_data *data = device->backend_data;
  if ((CUcontext)previous != data->context)
    nw_rt_cuda.cuCtxSetCurrent((CUcontext)previous);
}

static int cuda_find_kernel(nw_rt_device *device, nw_rt_handle program, const char *name,
                            nw_rt_handle *kernel, int *most_threads) {
  CUfunction function = NULL;
  (void)device;
  CUresult result = nw_rt_cuda.cuModuleGetFunction(&function, (CUmodule)program, name);
  if (result == CUDA_ERROR_NOT_FOUND)
    return nw_rt_fail(NW_RT_BAD_REQUEST, "there is none in the module");
  if (!nw_rt_cuda_check(result, "cuModuleGetFunction"))
    return 0;
  *kernel = (nw_rt_handle)function;
  return NW_RT_CUDA(cuFuncGetAttribute, most_threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
                    function);
}

static int cuda_resident_blocks(nw_rt_device *device, nw_rt_handle kernel, int threads,
                                long long *blocks) {
  int each = 0;
  if (!NW_RT_CUDA(cuOccupancyMaxActiveBlocksPerMultiprocessor, &each, (CUfunction)kernel, threads,
                  0))
    return 0;
  if (each < 1)
    return nw_rt_fail(NW_RT_BAD_REQUEST, "blocks of %d threads do not fit a multiprocessor",
                      threads);
  *blocks = (long long)each * device->compute_units;
  return 1;
}

static int cuda_allocate(nw_rt_device *device, size_t size, nw_rt_handle *buffer) {
  CUdeviceptr address = 0;
  (void)device;
  int done = NW_RT_CUDA(cuMemAlloc_v2, &address, size);
  *buffer = (nw_rt_handle)address;
  return done;
}

static void cuda_release(nw_rt_device *device, nw_rt_handle buffer) {
  (void)device;
  nw_rt_cuda.cuMemFree_v2((CUdeviceptr)buffer);
}

static const nw_rt_backend cuda_backend = {
    .open = cuda_open,
    .begin = cuda_begin,
    .end = cuda_end,
    .options = nw_rt_cuda_options,
    .compile = nw_rt_cuda_compile,
    .load = nw_rt_cuda_load,
    .find_kernel = cuda_find_kernel,
    .resident_blocks = cuda_resident_blocks,
    .allocate = cuda_allocate,
    .release = cuda_release,
    .open_stream = nw_rt_cuda_open_stream,
    .allocate_in_order = nw_rt_cuda_allocate_in_order,
    .release_in_order = nw_rt_cuda_release_in_order,
    .copy_in = nw_rt_cuda_copy_in,
    .copy_out = nw_rt_cuda_copy_out,
    .clear = nw_rt_cuda_clear,
    .launch = nw_rt_cuda_launch,
    .finish = nw_rt_cuda_finish,
    .mark = nw_rt_cuda_mark,
    .between = nw_rt_cuda_between,
    .unmark = nw_rt_cuda_unmark,
    .accepts = nw_rt_cuda_accepts,
    .graph_begin = nw_rt_cuda_graph_begin,
    .graph_add = nw_rt_cuda_graph_add,
    .graph_end = nw_rt_cuda_graph_end,
    .replay = nw_rt_cuda_replay,
    .forget = nw_rt_cuda_forget,
};

/* Fills in what the driver says about device number `ordinal`; 0 if it cannot be used. */
static int describe(nw_rt_device *device, int ordinal, int driver) {
  CUdevice number;
  size_t memory = 0;
  memset(device, 0, sizeof *device);
  if (nw_rt_cuda.cuDeviceGet(&number, ordinal) ||
      nw_rt_cuda.cuDeviceGetName(device->name, sizeof device->name - 1, number) ||
      nw_rt_cuda.cuDeviceTotalMem_v2(&memory, number))
    return 0;
  nw_rt_cuda_data *data = calloc(1, sizeof *data);
  if (!data)
    return 0;
  int major = attribute(number, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  int minor = attribute(number, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  data->device = number;
  data->architecture = major * 10 + minor;
  device->backend = &cuda_backend;
  device->backend_data = data;
  device->kind = NW_RT_CUDA;
  device->index = ordinal;
  device->memory = device->largest_buffer = memory;
  device->compute_units = attribute(number, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  if (device->compute_units < 1)
    device->compute_units = 1;
  device->has_grid_barrier = attribute(number, CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH) != 0;
  device->block_threads = attribute(number, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  for (int i = 0; i < 3; ++i) {
    device->block_limit[i] = attribute(number, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X + i);
    device->grid_limit[i] = attribute(number, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X + i);
  }
  int compiler_major, compiler_minor;
  device->can_compile = nw_rt_cuda_has_compiler(&compiler_major, &compiler_minor);
  snprintf(device->label, sizeof device->label, "cuda:%d", ordinal);
  snprintf(device->version, sizeof device->version, "driver %d, compiler %d.%d", driver,
           compiler_major, compiler_minor);
  snprintf(device->description, sizeof device->description,
           "%s, %d SMs, %.0f GiB, compute %d.%d, driver %d.%d%s", device->name,
           device->compute_units, (double)memory / (1ull << 30), major, minor, driver / 1000,
           driver % 1000 / 10, device->can_compile ? "" : ", no NVRTC");
  return 1;
}

int nw_rt_discover_cuda(nw_rt_device *devices, int capacity, char *reason, size_t size) {
  static const char *const names[] = {"libcuda.so.1", "libcuda.so", NULL};
  int count = 0, driver = 0, found = 0;
  void *library = nw_rt_open_library(names);
  if (!library) {
    snprintf(reason, size, "libcuda.so.1 is not found");
    return 0;
  }
  const char *missing = nw_rt_load_symbols(library, cuda_symbols,
                                           sizeof cuda_symbols / sizeof *cuda_symbols, &nw_rt_cuda);
  if (missing) {
    snprintf(reason, size, "the CUDA driver has no %s", missing);
    return 0;
  }
  CUresult result = nw_rt_cuda.cuInit(0);
  if (result == 0)
    result = nw_rt_cuda.cuDeviceGetCount(&count);
  if (result) {
    snprintf(reason, size, "CUDA: %s (error %d)", nw_rt_cuda_words(result), result);
    return 0;
  }
  nw_rt_cuda.cuDriverGetVersion(&driver);
  for (int i = 0; i < count && found < capacity; ++i)
    found += describe(devices + found, i, driver);
  if (!found)
    snprintf(reason, size, "the CUDA driver has no device");
  return found;
}
