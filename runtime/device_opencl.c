/* The OpenCL backend: libOpenCL.so.1 loaded with dlopen; GPUs and CPUs (such as PoCL). One context and one in-order
 * queue for the device in use. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "device.h"
#include "opencl_api.h"

enum { MOST_EVENTS = 256, MOST_PLATFORMS = 16, MOST_FOUND = 64 };

typedef struct opencl_data {
  cl_platform_id platform;
  cl_device_id device;
  cl_context context;
  cl_command_queue queue;
  int rounds_correctly;          /* float division and square root can be correctly rounded */
  int pending;                   /* launches whose outcome has not been looked at */
  int failed;                    /* a launch of this region has failed, whoever asked first */
  cl_event events[MOST_EVENTS];
} opencl_data;

static nw_rt_opencl_api opencl;

#define SYMBOL(result, name, parameters) {#name, offsetof(nw_rt_opencl_api, name)},
static const nw_rt_symbol opencl_symbols[] = {NW_RT_OPENCL_FUNCTIONS(SYMBOL)};
#undef SYMBOL

/* The name of a result, for those that users meet. */
static const char *words(cl_int result) {
  switch (result) {
  case -2: return "device not available";
  case -3: return "compiler not available";
  case -4: return "memory object allocation failure";
  case -5: return "out of resources";
  case -6: return "out of host memory";
  case -11: return "build program failure";
  case -14: return "a command failed";
  case -30: return "invalid value";
  case -42: return "invalid binary";
  case -45: return "invalid program executable";
  case -46: return "invalid kernel name";
  case -48: return "invalid kernel";
  case -49: return "invalid argument index";
  case -50: return "invalid argument value";
  case -51: return "invalid argument size";
  case -52: return "invalid kernel arguments";
  case -54: return "invalid work-group size";
  case -55: return "invalid work-item size";
  case -61: return "invalid buffer size";
  case -63: return "invalid global work size";
  default: return "error";
  }
}

/* Returns 1 if the result is success; records a failure of `what` in the device otherwise. */
static int check(nw_rt_device *device, cl_int result, const char *what) {
  int failure = NW_RT_DEVICE_FAILED;
  if (result == 0)
    return 1;
  if (result == CL_MEM_OBJECT_ALLOCATION_FAILURE || result == CL_OUT_OF_HOST_MEMORY ||
      result == CL_INVALID_BUFFER_SIZE)
    failure = NW_RT_OUT_OF_MEMORY;
  else if ((result <= CL_INVALID_ARG_INDEX && result >= CL_INVALID_GLOBAL_OFFSET) ||
           result == CL_INVALID_GLOBAL_WORK_SIZE)
    failure = NW_RT_BAD_REQUEST;
  return nw_rt_fail(device, failure, "OpenCL: %s: %s (error %d)", what, words(result), result);
}

static int opencl_open(nw_rt_device *device) {
  opencl_data *data = device->backend_data;
  cl_int result = 0;
  intptr_t properties[] = {CL_CONTEXT_PLATFORM, (intptr_t)data->platform, 0};
  data->context = opencl.clCreateContext(properties, 1, &data->device, NULL, NULL, &result);
  if (!check(device, result, "opening the device"))
    return 0;
  data->queue = opencl.clCreateCommandQueue(data->context, data->device, 0, &result);
  if (check(device, result, "opening the device"))
    return 1;
  opencl.clReleaseContext(data->context);
  return 0;
}

static int opencl_begin(nw_rt_device *device) {
  opencl_data *data = device->backend_data;
  data->failed = 0;
  return 1;
}

static void opencl_end(nw_rt_device *device) { (void)device; }

static void opencl_options(nw_rt_device *device, const char *floating_point, char *text, size_t size) {
  opencl_data *data = device->backend_data;
  const char *precision = "";
  if (strcmp(floating_point, "fast") == 0)
    precision = " -cl-fast-relaxed-math";
  else if (data->rounds_correctly)
    precision = " -cl-fp32-correctly-rounded-divide-sqrt";
  const char *more = getenv("NESTWARP_OPENCL_OPTIONS");
  snprintf(text, size, "-cl-std=CL1.2%s%s%s%s", precision, NW_RT_CHAR_OPTION, more && *more ? " " : "", more ? more : "");
}

/* The compiler's log, from malloc; NULL if there is none. */
static char *program_log(opencl_data *data, cl_program program) {
  size_t size = 0;
  if (opencl.clGetProgramBuildInfo(program, data->device, CL_PROGRAM_BUILD_LOG, 0, NULL, &size) || size < 2)
    return NULL;
  char *log = calloc(1, size + 1);
  if (log)
    opencl.clGetProgramBuildInfo(program, data->device, CL_PROGRAM_BUILD_LOG, size, log, NULL);
  return log;
}

/* The program's binary for the only device of its context, from malloc; NULL if it gives none out. */
static void *program_binary(cl_program program, size_t *size) {
  *size = 0;
  if (opencl.clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof *size, size, NULL) || !*size)
    return NULL;
  unsigned char *binary = calloc(1, *size + 1);
  if (binary && opencl.clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL)) {
    free(binary);
    binary = NULL;
  }
  return binary;
}

/* Builds a program; that it does not build is no fault of the device. */
static int build(nw_rt_device *device, cl_program program, const char *options) {
  opencl_data *data = device->backend_data;
  if (check(device, opencl.clBuildProgram(program, 1, &data->device, options, NULL, NULL), "building the kernels"))
    return 1;
  device->failure = NW_RT_BAD_REQUEST;
  return 0;
}

static int opencl_compile(nw_rt_device *device, const char *file, const char *source, const char *options,
                          nw_rt_handle *program, void **binary, size_t *size, char **log) {
  opencl_data *data = device->backend_data;
  cl_int result = 0;
  (void)file;
  cl_program made = opencl.clCreateProgramWithSource(data->context, 1, &source, NULL, &result);
  if (!check(device, result, "building the kernels"))
    return 0;
  if (!build(device, made, options)) {
    *log = program_log(data, made);
    opencl.clReleaseProgram(made);
    return 0;
  }
  if (binary)
    *binary = program_binary(made, size);
  *program = (nw_rt_handle)made;
  return 1;
}

static int opencl_load(nw_rt_device *device, const char *options, const void *binary, size_t size,
                       nw_rt_handle *program) {
  opencl_data *data = device->backend_data;
  const unsigned char *bytes = binary;
  cl_int status = 0, result = 0;
  cl_program made =
      opencl.clCreateProgramWithBinary(data->context, 1, &data->device, &size, &bytes, &status, &result);
  if (!made || result || status) {
    if (made)
      opencl.clReleaseProgram(made);
    return nw_rt_fail(device, NW_RT_BAD_REQUEST, "OpenCL: the binary is not taken");
  }
  if (!build(device, made, options)) {
    opencl.clReleaseProgram(made);
    return 0;
  }
  *program = (nw_rt_handle)made;
  return 1;
}

static int opencl_find_kernel(nw_rt_device *device, nw_rt_handle program, const char *name, nw_rt_handle *kernel,
                              int *most_threads) {
  opencl_data *data = device->backend_data;
  cl_int result = 0;
  size_t threads = 0;
  cl_kernel made = opencl.clCreateKernel((cl_program)program, name, &result);
  if (result == CL_INVALID_KERNEL_NAME)
    return nw_rt_fail(device, NW_RT_BAD_REQUEST, "there is no kernel %s", name);
  if (!check(device, result, "finding a kernel"))
    return 0;
  if (!check(device,
             opencl.clGetKernelWorkGroupInfo(made, data->device, CL_KERNEL_WORK_GROUP_SIZE, sizeof threads, &threads,
                                             NULL),
             "asking about a kernel")) {
    opencl.clReleaseKernel(made);
    return 0;
  }
  *kernel = (nw_rt_handle)made;
  *most_threads = threads < (size_t)device->block_threads ? (int)threads : device->block_threads;
  return 1;
}

/* OpenCL promises nothing about work-groups running at the same time, so only one is certain. */
static int opencl_resident_blocks(nw_rt_device *device, nw_rt_handle kernel, int threads, long long *blocks) {
  (void)device;
  (void)kernel;
  (void)threads;
  *blocks = 1;
  return 1;
}

static int opencl_allocate(nw_rt_device *device, size_t size, nw_rt_handle *buffer) {
  opencl_data *data = device->backend_data;
  cl_int result = 0;
  *buffer = (nw_rt_handle)opencl.clCreateBuffer(data->context, CL_MEM_READ_WRITE, size, NULL, &result);
  return check(device, result, "allocating");
}

static void opencl_release(nw_rt_device *device, nw_rt_handle buffer) {
  (void)device;
  opencl.clReleaseMemObject((cl_mem)buffer);
}

static int opencl_copy_in(nw_rt_device *device, nw_rt_handle buffer, size_t offset, const void *host, size_t size) {
  opencl_data *data = device->backend_data;
  return check(device,
               opencl.clEnqueueWriteBuffer(data->queue, (cl_mem)buffer, 1, offset, size, host, 0, NULL, NULL),
               "copying to the device");
}

static int opencl_copy_out(nw_rt_device *device, nw_rt_handle buffer, size_t offset, void *host, size_t size) {
  opencl_data *data = device->backend_data;
  return check(device, opencl.clEnqueueReadBuffer(data->queue, (cl_mem)buffer, 1, offset, size, host, 0, NULL, NULL),
               "copying from the device");
}

/* Waits for the pending launches; fails if one of them failed. */
static int wait_for_launches(nw_rt_device *device) {
  opencl_data *data = device->backend_data;
  if (!data->pending)
    return !data->failed;
  cl_int result = opencl.clWaitForEvents((cl_uint)data->pending, data->events);
  for (int i = 0; i < data->pending; ++i)
    opencl.clReleaseEvent(data->events[i]);
  data->pending = 0;
  if (!check(device, result, "running the kernels"))
    data->failed = 1;
  return !data->failed;
}

static int opencl_launch(nw_rt_device *device, nw_rt_handle kernel, const nw_shape *shape, const nw_rt_value *values,
                         int count) {
  opencl_data *data = device->backend_data;
  size_t global[3], local[3];
  if (data->pending == MOST_EVENTS && !wait_for_launches(device))
    return 0;
  for (int i = 0; i < count; ++i)
    if (!check(device, opencl.clSetKernelArg((cl_kernel)kernel, (cl_uint)i, values[i].size, values[i].bytes),
               "setting an argument"))
      return 0;
  for (int i = 0; i < 3; ++i) {
    local[i] = (size_t)shape->block[i];
    global[i] = (size_t)shape->grid[i] * local[i];
  }
  cl_int result = opencl.clEnqueueNDRangeKernel(data->queue, (cl_kernel)kernel, 3, NULL, global, local, 0, NULL,
                                                &data->events[data->pending]);
  if (!check(device, result, "launching"))
    return 0;
  data->pending += 1;
  opencl.clFlush(data->queue);
  return 1;
}

static int opencl_finish(nw_rt_device *device) {
  opencl_data *data = device->backend_data;
  int launched = wait_for_launches(device);
  return launched && check(device, opencl.clFinish(data->queue), "running the kernels");
}

/* Marks are times of the host between which the queue was empty: events of a queue without profiling have none. */
static int opencl_mark(nw_rt_device *device, nw_rt_handle *mark) {
  struct timespec *now = malloc(sizeof *now);
  if (!now)
    return nw_rt_fail(device, NW_RT_OUT_OF_MEMORY, "out of host memory");
  if (!opencl_finish(device)) {
    free(now);
    return 0;
  }
  clock_gettime(CLOCK_MONOTONIC, now);
  *mark = (nw_rt_handle)now;
  return 1;
}

static double opencl_between(nw_rt_device *device, nw_rt_handle first, nw_rt_handle second) {
  const struct timespec *a = (const struct timespec *)first, *b = (const struct timespec *)second;
  (void)device;
  return (double)(b->tv_sec - a->tv_sec) * 1e3 + (double)(b->tv_nsec - a->tv_nsec) * 1e-6;
}

static void opencl_unmark(nw_rt_device *device, nw_rt_handle mark) {
  (void)device;
  free((void *)mark);
}

static const nw_rt_backend opencl_backend = {
    opencl_open,        opencl_begin,           opencl_end,      opencl_options, opencl_compile, opencl_load,
    opencl_find_kernel, opencl_resident_blocks, opencl_allocate, opencl_release, opencl_copy_in, opencl_copy_out,
    opencl_launch,      opencl_finish,          opencl_mark,     opencl_between, opencl_unmark};

/* A device property of a fixed size; `value` keeps its content when the property can not be had. */
static void property(cl_device_id device, cl_uint name, void *value, size_t size) {
  opencl.clGetDeviceInfo(device, name, size, value, NULL);
}

/* A device property that is a text; always terminated. */
static void text_property(cl_device_id device, cl_uint name, char *text, size_t size) {
  memset(text, 0, size);
  opencl.clGetDeviceInfo(device, name, size - 1, text, NULL);
}

/* The limits on launches. */
static void describe_limits(nw_rt_device *device, cl_device_id id) {
  size_t threads = 1, sizes[16] = {1, 1, 1};
  property(id, CL_DEVICE_MAX_WORK_GROUP_SIZE, &threads, sizeof threads);
  property(id, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizes, sizeof sizes);
  device->block_threads = threads < 65536 ? (int)threads : 65536;
  for (int i = 0; i < 3; ++i) {
    device->block_limit[i] = sizes[i] < 65536 ? (int)sizes[i] : 65536;
    device->grid_limit[i] = 0x7fffffff;
  }
}

/* Fills in what OpenCL says about a device; 0 if it can not be used. */
static int describe(nw_rt_device *device, cl_platform_id platform, cl_device_id id) {
  cl_ulong type = 0, memory = 0, largest = 0, single = 0;
  cl_uint units = 1, available = 0, compiler = 0;
  char platform_name[128] = "", platform_version[128] = "", driver[64];
  memset(device, 0, sizeof *device);
  property(id, CL_DEVICE_TYPE, &type, sizeof type);
  property(id, CL_DEVICE_AVAILABLE, &available, sizeof available);
  property(id, CL_DEVICE_COMPILER_AVAILABLE, &compiler, sizeof compiler);
  if (!available || !compiler || !(type & (CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_ACCELERATOR)))
    return 0;
  opencl_data *data = calloc(1, sizeof *data);
  if (!data)
    return 0;
  property(id, CL_DEVICE_GLOBAL_MEM_SIZE, &memory, sizeof memory);
  property(id, CL_DEVICE_MAX_MEM_ALLOC_SIZE, &largest, sizeof largest);
  property(id, CL_DEVICE_MAX_COMPUTE_UNITS, &units, sizeof units);
  property(id, CL_DEVICE_SINGLE_FP_CONFIG, &single, sizeof single);
  data->platform = platform;
  data->device = id;
  data->rounds_correctly = (single & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT) != 0;
  device->backend = &opencl_backend;
  device->backend_data = data;
  device->kind = type & CL_DEVICE_TYPE_CPU ? NW_RT_OPENCL_CPU : NW_RT_OPENCL_GPU;
  device->compute_units = units ? (int)units : 1;
  device->memory = memory;
  device->largest_buffer = largest;
  device->can_compile = 1;
  describe_limits(device, id);
  text_property(id, CL_DEVICE_NAME, device->name, sizeof device->name);
  text_property(id, CL_DRIVER_VERSION, driver, sizeof driver);
  opencl.clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof platform_name - 1, platform_name, NULL);
  opencl.clGetPlatformInfo(platform, CL_PLATFORM_VERSION, sizeof platform_version - 1, platform_version, NULL);
  snprintf(device->version, sizeof device->version, "%.60s, %.120s", driver, platform_version);
  int is_pocl = strcmp(platform_name, "Portable Computing Language") == 0;
  snprintf(device->description, sizeof device->description, "%s (%s, %s), %d compute units, %.0f GiB", device->name,
           is_pocl ? "PoCL" : platform_name, device->kind == NW_RT_OPENCL_CPU ? "CPU" : "GPU", device->compute_units,
           (double)memory / (1ull << 30));
  return 1;
}

/* Fills in the usable devices of one kind, of all platforms; returns the new number of devices. */
static int collect(nw_rt_device *devices, int count, int capacity, int kind, const cl_platform_id *platforms,
                   cl_uint platform_count) {
  for (cl_uint i = 0; i < platform_count; ++i) {
    cl_device_id ids[MOST_FOUND];
    cl_uint found = 0;
    if (opencl.clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, MOST_FOUND, ids, &found))
      continue;
    for (cl_uint j = 0; j < found && j < MOST_FOUND && count < capacity; ++j) {
      nw_rt_device *device = devices + count;
      if (!describe(device, platforms[i], ids[j]))
        continue;
      if (device->kind != kind) {
        free(device->backend_data);
        continue;
      }
      device->index = count;
      snprintf(device->label, sizeof device->label, "opencl:%d", count);
      count += 1;
    }
  }
  return count;
}

int nw_rt_discover_opencl(nw_rt_device *devices, int capacity, char *reason, size_t size) {
  static const char *const names[] = {"libOpenCL.so.1", "libOpenCL.so", NULL};
  cl_platform_id platforms[MOST_PLATFORMS];
  cl_uint found = 0;
  void *library = nw_rt_open_library(names);
  if (!library) {
    snprintf(reason, size, "libOpenCL.so.1 is not found");
    return 0;
  }
  const char *missing =
      nw_rt_load_symbols(library, opencl_symbols, sizeof opencl_symbols / sizeof *opencl_symbols, &opencl);
  if (missing) {
    snprintf(reason, size, "the OpenCL library has no %s", missing);
    return 0;
  }
  if (opencl.clGetPlatformIDs(MOST_PLATFORMS, platforms, &found))
    found = 0;
  if (found > MOST_PLATFORMS)
    found = MOST_PLATFORMS;
  int count = collect(devices, 0, capacity, NW_RT_OPENCL_GPU, platforms, found);
  count = collect(devices, count, capacity, NW_RT_OPENCL_CPU, platforms, found);
  if (!count)
    snprintf(reason, size, found ? "OpenCL has no usable device" : "OpenCL has no platform");
  return count;
}
