/* What the probe needs of the CUDA driver: events, pinned memory and the attributes of a device.
 * The context is the one that the runtime's backend has made current. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../cuda_api.h"
#include "probe.h"

typedef struct CUevent_st *CUevent;

#define PROBE_FUNCTIONS(FUNCTION)                                                                  \
  FUNCTION(CUresult, cuGetErrorString, (CUresult error, const char **text))                        \
  FUNCTION(CUresult, cuDeviceGet, (CUdevice * device, int ordinal))                                \
  FUNCTION(CUresult, cuDeviceGetAttribute, (int *value, int attribute, CUdevice device))           \
  FUNCTION(CUresult, cuEventCreate, (CUevent * event, unsigned flags))                             \
  FUNCTION(CUresult, cuEventDestroy_v2, (CUevent event))                                           \
  FUNCTION(CUresult, cuEventRecord, (CUevent event, CUstream stream))                              \
  FUNCTION(CUresult, cuEventSynchronize, (CUevent event))                                          \
  FUNCTION(CUresult, cuEventElapsedTime, (float *milliseconds, CUevent begin, CUevent end))        \
  FUNCTION(CUresult, cuMemAllocHost_v2, (void **host, size_t bytes))                               \
  FUNCTION(CUresult, cuMemFreeHost, (void *host))                                                  \
  FUNCTION(CUresult, cuMemcpyHtoD_v2, (CUdeviceptr to, const void *from, size_t bytes))            \
  FUNCTION(CUresult, cuMemcpyDtoH_v2, (void *to, CUdeviceptr from, size_t bytes))                  \
  FUNCTION(CUresult, cuStreamSynchronize, (CUstream stream))                                       \
  FUNCTION(CUresult, cuLaunchKernel,                                                               \
           (CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,                \
            unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,                 \
            CUstream stream, void **parameters, void **extra))                                     \
  FUNCTION(CUresult, cuLaunchCooperativeKernel,                                                    \
           (CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,                \
            unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,                 \
            CUstream stream, void **parameters))

#define MEMBER(result, name, parameters) result(*name) parameters;
typedef struct probe_api {
  PROBE_FUNCTIONS(MEMBER)
} probe_api;
#undef MEMBER

#define SYMBOL(result, name, parameters) {#name, offsetof(probe_api, name)},
static const nw_rt_symbol symbols[] = {PROBE_FUNCTIONS(SYMBOL)};
#undef SYMBOL

static probe_api cuda;

typedef struct cuda_data {
  CUdevice device;
  CUevent begin, end;
} cuda_data;

static int check(CUresult result, const char *what) {
  const char *text = NULL;
  if (result == 0)
    return 1;
  if (cuda.cuGetErrorString(result, &text) || !text)
    text = "unknown error";
  int is_fatal = result == CUDA_ERROR_ILLEGAL_ADDRESS || result == CUDA_ERROR_LAUNCH_TIMEOUT ||
                 result == CUDA_ERROR_LAUNCH_FAILED || result == CUDA_ERROR_DEVICE_UNAVAILABLE;
  return nw_rt_fail(is_fatal ? NW_RT_DEVICE_LOST : NW_RT_BAD_REQUEST, "CUDA: %s: %s (error %d)",
                    what, text, result);
}

static int cuda_open(nw_probe *probe) {
  static const char *const names[] = {"libcuda.so.1", "libcuda.so", NULL};
  void *library = nw_rt_open_library(names);
  const char *missing =
      library ? nw_rt_load_symbols(library, symbols, sizeof symbols / sizeof *symbols, &cuda)
              : "libcuda.so.1";
  if (missing)
    return nw_rt_fail(NW_RT_BAD_REQUEST, "the CUDA driver has no %s", missing);
  cuda_data *data = probe->data = calloc(1, sizeof *data);
  if (!data)
    return nw_rt_fail(NW_RT_OUT_OF_MEMORY, "no host memory");
  return check(cuda.cuDeviceGet(&data->device, probe->device->index), "finding the device") &&
         check(cuda.cuEventCreate(&data->begin, 0), "making an event") &&
         check(cuda.cuEventCreate(&data->end, 0), "making an event");
}

static void cuda_close(nw_probe *probe) {
  cuda_data *data = probe->data;
  if (data && data->begin)
    cuda.cuEventDestroy_v2(data->begin);
  if (data && data->end)
    cuda.cuEventDestroy_v2(data->end);
  free(data);
}

/* An attribute of the device; -1 when the driver does not tell. */
static int attribute(nw_probe *probe, int number) {
  cuda_data *data = probe->data;
  int value = 0;
  return cuda.cuDeviceGetAttribute(&value, number, data->device) == 0 ? value : -1;
}

/* Fields of a device description, and the driver's attribute for each. */
static const struct {
  const char *field;
  int attribute;
} attributes[] = {
    {"warp", 10},
    {"blockThreads", 1},
    {"multiprocessors", 16},
    {"residentThreads", 39},
    {"residentBlocks", 106},
    {"registers", 82},
    {"sharedBytes", 8},
    {"sharedOptInBytes", 97},
    {"sharedPerMultiprocessor", 81},
    {"sharedReservedPerBlock", 111},
    {"constantBytes", 9},
    {"l2Bytes", 38},
};

static void cuda_query(nw_probe *probe) {
  enum { CLOCK = 13, MEMORY_CLOCK = 36, BUS_WIDTH = 37, L2 = 38, RESIDENT = 39 };
  nw_rt_device *device = probe->device;
  char architecture[32];
  long long block[3];
  for (size_t i = 0; i < sizeof attributes / sizeof *attributes; ++i)
    if (attribute(probe, attributes[i].attribute) >= 0)
      nw_probe_query(probe, attributes[i].field, attribute(probe, attributes[i].attribute));
  snprintf(architecture, sizeof architecture, "sm_%d%d",
           attribute(probe, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR),
           attribute(probe, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR));
  nw_probe_query_text(probe, "architecture", architecture);
  for (int i = 0; i < 3; ++i)
    block[i] = device->block_limit[i];
  nw_probe_query_list(probe, "blockLimit", block);
  nw_probe_query_list(probe, "gridLimit", device->grid_limit);
  nw_probe_query(probe, "memoryBytes", (double)device->memory);
  if (attribute(probe, CLOCK) > 0) /* kHz */
    nw_probe_query(probe, "clockGigahertz", 1e-6 * attribute(probe, CLOCK));
  if (attribute(probe, MEMORY_CLOCK) > 0 &&
      attribute(probe, BUS_WIDTH) > 0) /* kHz, twice a cycle; bits */
    nw_probe_query(probe, "dramBandwidth",
                   1e-6 * 2 * attribute(probe, MEMORY_CLOCK) * attribute(probe, BUS_WIDTH) / 8);
  probe->warp = attribute(probe, 10) > 0 ? attribute(probe, 10) : 1;
  probe->resident = attribute(probe, RESIDENT) > 0 ? attribute(probe, RESIDENT) : 0;
  probe->cache_bytes = attribute(probe, L2) > 0 ? (size_t)attribute(probe, L2) : 0;
  probe->has_fp64 = attribute(probe, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) >= 2;
}

static int launch(CUfunction function, const nw_shape *shape, void **parameters) {
  unsigned grid = (unsigned)shape->grid[0], block = (unsigned)shape->block[0];
  CUresult result =
      shape->mode == NW_COOPERATIVE
          ? cuda.cuLaunchCooperativeKernel(function, grid, 1, 1, block, 1, 1, 0, NULL, parameters)
          : cuda.cuLaunchKernel(function, grid, 1, 1, block, 1, 1, 0, NULL, parameters, NULL);
  return check(result, "launching");
}

static int cuda_run(nw_probe *probe, nw_rt_handle kernel, const nw_shape *shape,
                    const nw_rt_value *values, int count, int times, double *seconds) {
  cuda_data *data = probe->data;
  void *parameters[16];
  float milliseconds = 0;
  for (int i = 0; i < count && i < 16; ++i)
    memcpy(&parameters[i], &values[i].bytes, sizeof(void *)); /* the driver only reads them */
  if (!check(cuda.cuEventRecord(data->begin, NULL), "recording an event"))
    return 0;
  for (int i = 0; i < times; ++i)
    if (!launch((CUfunction)kernel, shape, parameters))
      return 0;
  if (!check(cuda.cuEventRecord(data->end, NULL), "recording an event") ||
      !check(cuda.cuEventSynchronize(data->end), "running a kernel") ||
      !check(cuda.cuEventElapsedTime(&milliseconds, data->begin, data->end), "reading a time"))
    return 0;
  *seconds = 1e-3 * milliseconds;
  return 1;
}

static void *cuda_pinned(nw_probe *probe, size_t size) {
  void *host = NULL;
  (void)probe;
  return cuda.cuMemAllocHost_v2(&host, size) == 0 ? host : NULL;
}

static void cuda_unpin(nw_probe *probe, void *host) {
  (void)probe;
  cuda.cuMemFreeHost(host);
}

static int cuda_copy_in(nw_probe *probe, nw_rt_handle buffer, const void *host, size_t size) {
  (void)probe;
  return check(cuda.cuMemcpyHtoD_v2((CUdeviceptr)buffer, host, size), "copying to the device") &&
         check(cuda.cuStreamSynchronize(NULL), "copying to the device");
}

static int cuda_copy_out(nw_probe *probe, nw_rt_handle buffer, void *host, size_t size) {
  (void)probe;
  return check(cuda.cuMemcpyDtoH_v2(host, (CUdeviceptr)buffer, size), "copying from the device");
}

const nw_probe_backend nw_probe_cuda = {cuda_open,   cuda_close, cuda_query,   cuda_run,
                                        cuda_pinned, cuda_unpin, cuda_copy_in, cuda_copy_out};
