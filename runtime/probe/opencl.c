/* What the probe needs of OpenCL: a queue with times, pinned memory and the properties of a device.
 * The context is the one of the runtime's backend; it is found through a buffer. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../opencl_api.h"
#include "probe.h"

enum {
  CL_DEVICE_MAX_CLOCK_FREQUENCY = 0x100C,
  CL_DEVICE_GLOBAL_MEM_CACHE_SIZE = 0x101E,
  CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE = 0x1020,
  CL_DEVICE_DOUBLE_FP_CONFIG = 0x1032,
  CL_CONTEXT_DEVICES = 0x1081,
  CL_PROFILING_COMMAND_START = 0x1282,
  CL_PROFILING_COMMAND_END = 0x1283,
  CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV = 0x4000,
  CL_DEVICE_COMPUTE_CAPABILITY_MINOR_NV = 0x4001,
  CL_DEVICE_WARP_SIZE_NV = 0x4003
};
#define CL_QUEUE_PROFILING_ENABLE ((cl_ulong)1 << 1)
#define CL_MEM_ALLOC_HOST_PTR ((cl_ulong)1 << 4)
#define CL_MAP_READ_AND_WRITE ((cl_ulong)3)

#define PROBE_FUNCTIONS(FUNCTION)                                                                  \
  FUNCTION(cl_int, clGetMemObjectInfo,                                                             \
           (cl_mem buffer, cl_uint name, size_t size, void *value, size_t *actual))                \
  FUNCTION(cl_int, clGetContextInfo,                                                               \
           (cl_context context, cl_uint name, size_t size, void *value, size_t *actual))           \
  FUNCTION(cl_int, clGetDeviceInfo,                                                                \
           (cl_device_id device, cl_uint name, size_t size, void *value, size_t *actual))          \
  FUNCTION(cl_command_queue, clCreateCommandQueue,                                                 \
           (cl_context context, cl_device_id device, cl_ulong properties, cl_int * result))        \
  FUNCTION(cl_int, clReleaseCommandQueue, (cl_command_queue queue))                                \
  FUNCTION(cl_mem, clCreateBuffer,                                                                 \
           (cl_context context, cl_ulong flags, size_t size, void *host, cl_int *result))          \
  FUNCTION(cl_int, clReleaseMemObject, (cl_mem buffer))                                            \
  FUNCTION(void *, clEnqueueMapBuffer,                                                             \
           (cl_command_queue queue, cl_mem buffer, cl_uint blocking, cl_ulong flags,               \
            size_t offset, size_t size, cl_uint count, const cl_event *wait, cl_event *event,      \
            cl_int *result))                                                                       \
  FUNCTION(cl_int, clEnqueueUnmapMemObject,                                                        \
           (cl_command_queue queue, cl_mem buffer, void *host, cl_uint count,                      \
            const cl_event *wait, cl_event *event))                                                \
  FUNCTION(cl_int, clEnqueueWriteBuffer,                                                           \
           (cl_command_queue queue, cl_mem buffer, cl_uint blocking, size_t offset, size_t size,   \
            const void *host, cl_uint count, const cl_event *wait, cl_event *event))               \
  FUNCTION(cl_int, clEnqueueReadBuffer,                                                            \
           (cl_command_queue queue, cl_mem buffer, cl_uint blocking, size_t offset, size_t size,   \
            void *host, cl_uint count, const cl_event *wait, cl_event *event))                     \
  FUNCTION(cl_int, clSetKernelArg,                                                                 \
           (cl_kernel kernel, cl_uint index, size_t size, const void *value))                      \
  FUNCTION(cl_int, clEnqueueNDRangeKernel,                                                         \
           (cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t *offset,    \
            const size_t *global, const size_t *local, cl_uint count, const cl_event *wait,        \
            cl_event *event))                                                                      \
  FUNCTION(cl_int, clGetEventProfilingInfo,                                                        \
           (cl_event event, cl_uint name, size_t size, void *value, size_t *actual))               \
  FUNCTION(cl_int, clReleaseEvent, (cl_event event))                                               \
  FUNCTION(cl_int, clFinish, (cl_command_queue queue))

#define MEMBER(result, name, parameters) result(*name) parameters;
typedef struct probe_api {
  PROBE_FUNCTIONS(MEMBER)
} probe_api;
#undef MEMBER

#define SYMBOL(result, name, parameters) {#name, offsetof(probe_api, name)},
static const nw_rt_symbol symbols[] = {PROBE_FUNCTIONS(SYMBOL)};
#undef SYMBOL

static probe_api opencl;

typedef struct opencl_data {
  cl_context context;
  cl_device_id device;
  cl_command_queue queue;
  cl_mem pinned; /* behind the host memory that was given out */
} opencl_data;

static int check(cl_int result, const char *what) {
  enum { COMMAND_FAILED = -14 };
  if (result == 0)
    return 1;
  int is_fatal = result == COMMAND_FAILED || result == CL_OUT_OF_RESOURCES;
  return nw_rt_fail(is_fatal ? NW_RT_DEVICE_LOST : NW_RT_BAD_REQUEST, "OpenCL: %s (error %d)", what,
                    result);
}

/* The context and the device that a buffer of the runtime belongs to. */
static int find_context(nw_probe *probe, opencl_data *data) {
  nw_rt_handle buffer;
  if (!probe->device->backend->allocate(probe->device, 64, &buffer))
    return 0;
  int done = check(opencl.clGetMemObjectInfo((cl_mem)buffer, CL_MEM_CONTEXT, sizeof data->context,
                                             &data->context, NULL),
                   "finding the context") &&
             check(opencl.clGetContextInfo(data->context, CL_CONTEXT_DEVICES, sizeof data->device,
                                           &data->device, NULL),
                   "finding the device");
  probe->device->backend->release(probe->device, buffer);
  return done;
}

static int opencl_open(nw_probe *probe) {
  static const char *const names[] = {"libOpenCL.so.1", "libOpenCL.so", NULL};
  void *library = nw_rt_open_library(names);
  cl_int result = 0;
  const char *missing =
      library ? nw_rt_load_symbols(library, symbols, sizeof symbols / sizeof *symbols, &opencl)
              : "libOpenCL.so.1";
  if (missing)
    return nw_rt_fail(NW_RT_BAD_REQUEST, "the OpenCL library has no %s", missing);
  opencl_data *data = probe->data = calloc(1, sizeof *data);
  if (!data)
    return nw_rt_fail(NW_RT_OUT_OF_MEMORY, "no host memory");
  if (!find_context(probe, data))
    return 0;
  data->queue =
      opencl.clCreateCommandQueue(data->context, data->device, CL_QUEUE_PROFILING_ENABLE, &result);
  return check(result, "making a queue with times");
}

static void opencl_close(nw_probe *probe) {
  opencl_data *data = probe->data;
  if (data && data->queue)
    opencl.clReleaseCommandQueue(data->queue);
  free(data);
}

/* A property that is a number of `size` bytes, 4 or 8; 0 when it is not told. */
static double property(nw_probe *probe, cl_uint name, size_t size) {
  opencl_data *data = probe->data;
  cl_uint word = 0;
  cl_ulong wide = 0;
  void *value = size == 4 ? (void *)&word : (void *)&wide;
  if (opencl.clGetDeviceInfo(data->device, name, size, value, NULL))
    return 0;
  return size == 4 ? (double)word : (double)wide;
}

static void report(nw_probe *probe, const char *field, double value) {
  if (value > 0)
    nw_probe_query(probe, field, value);
}

static void opencl_query(nw_probe *probe) {
  nw_rt_device *device = probe->device;
  long long block[3] = {device->block_limit[0], device->block_limit[1], device->block_limit[2]};
  double major = property(probe, CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV, 4),
         warp = property(probe, CL_DEVICE_WARP_SIZE_NV, 4);
  double shared = property(probe, CL_DEVICE_LOCAL_MEM_SIZE, 8);
  if (major > 0) {
    char architecture[32];
    snprintf(architecture, sizeof architecture, "sm_%.0f%.0f", major,
             property(probe, CL_DEVICE_COMPUTE_CAPABILITY_MINOR_NV, 4));
    nw_probe_query_text(probe, "architecture", architecture);
  }
  report(probe, "warp", warp);
  report(probe, "blockThreads", device->block_threads);
  report(probe, "multiprocessors", device->compute_units);
  report(probe, "sharedBytes", shared);
  report(probe, "sharedOptInBytes", shared);
  report(probe, "constantBytes", property(probe, CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE, 8));
  if (device->kind == NW_RT_OPENCL_CPU) /* GPUs tell of other caches here */
    report(probe, "l2Bytes", property(probe, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, 8));
  report(probe, "memoryBytes", (double)device->memory);
  report(probe, "clockGigahertz", 1e-3 * property(probe, CL_DEVICE_MAX_CLOCK_FREQUENCY, 4));
  nw_probe_query_list(probe, "blockLimit", block);
  nw_probe_query_list(probe, "gridLimit", device->grid_limit);
  probe->warp = warp > 0 ? (int)warp : 1;
  probe->resident = device->kind == NW_RT_OPENCL_CPU ? 1024 : 2048;
  if (device->kind == NW_RT_OPENCL_CPU)
    probe->cache_bytes = (size_t)property(probe, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, 8);
  probe->has_fp64 = property(probe, CL_DEVICE_DOUBLE_FP_CONFIG, 8) > 0;
}

/* The time at which a command began or ended, in seconds. */
static int event_time(cl_event event, cl_uint name, double *seconds) {
  cl_ulong nanoseconds = 0;
  int done =
      check(opencl.clGetEventProfilingInfo(event, name, sizeof nanoseconds, &nanoseconds, NULL),
            "reading a time");
  *seconds = 1e-9 * (double)nanoseconds;
  return done;
}

static int opencl_run(nw_probe *probe, nw_rt_handle kernel, const nw_shape *shape,
                      const nw_rt_value *values, int count, int times, double *seconds) {
  opencl_data *data = probe->data;
  size_t local = (size_t)shape->block[0], global = (size_t)shape->grid[0] * local;
  cl_event first = NULL, last = NULL;
  double begin = 0, end = 0;
  int done = 1;
  for (int i = 0; done && i < count; ++i)
    done =
        check(opencl.clSetKernelArg((cl_kernel)kernel, (cl_uint)i, values[i].size, values[i].bytes),
              "setting an argument");
  for (int i = 0; done && i < times; ++i) {
    cl_event *event = i == 0 ? &first : i == times - 1 ? &last : NULL;
    done = check(opencl.clEnqueueNDRangeKernel(data->queue, (cl_kernel)kernel, 1, NULL, &global,
                                               &local, 0, NULL, event),
                 "launching");
  }
  done = done && check(opencl.clFinish(data->queue), "running a kernel") &&
         event_time(first, CL_PROFILING_COMMAND_START, &begin) &&
         event_time(last ? last : first, CL_PROFILING_COMMAND_END, &end);
  *seconds = end - begin;
  if (first)
    opencl.clReleaseEvent(first);
  if (last)
    opencl.clReleaseEvent(last);
  return done;
}

static void *opencl_pinned(nw_probe *probe, size_t size) {
  opencl_data *data = probe->data;
  cl_int result = 0;
  data->pinned = opencl.clCreateBuffer(data->context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR,
                                       size, NULL, &result);
  if (result)
    return NULL;
  void *host = opencl.clEnqueueMapBuffer(data->queue, data->pinned, 1, CL_MAP_READ_AND_WRITE, 0,
                                         size, 0, NULL, NULL, &result);
  if (!result)
    return host;
  opencl.clReleaseMemObject(data->pinned);
  return NULL;
}

static void opencl_unpin(nw_probe *probe, void *host) {
  opencl_data *data = probe->data;
  opencl.clEnqueueUnmapMemObject(data->queue, data->pinned, host, 0, NULL, NULL);
  opencl.clFinish(data->queue);
  opencl.clReleaseMemObject(data->pinned);
}

static int opencl_copy_in(nw_probe *probe, nw_rt_handle buffer, const void *host, size_t size) {
  opencl_data *data = probe->data;
  return check(
      opencl.clEnqueueWriteBuffer(data->queue, (cl_mem)buffer, 1, 0, size, host, 0, NULL, NULL),
      "copying to the device");
}

static int opencl_copy_out(nw_probe *probe, nw_rt_handle buffer, void *host, size_t size) {
  opencl_data *data = probe->data;
  return check(
      opencl.clEnqueueReadBuffer(data->queue, (cl_mem)buffer, 1, 0, size, host, 0, NULL, NULL),
      "copying from the device");
}

const nw_probe_backend nw_probe_opencl = {opencl_open,    opencl_close,   opencl_query,
                                          opencl_run,     opencl_pinned,  opencl_unpin,
                                          opencl_copy_in, opencl_copy_out};
