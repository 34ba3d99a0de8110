/* The OpenCL backend: libOpenCL.so.1 loaded with dlopen; GPUs and CPUs (such as PoCL): devices,
 * programs and memory, in one context for the device in use. Streams are in opencl_streams.c. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opencl_backend.h"

enum { MOST_PLATFORMS = 16, MOST_FOUND = 64 };

nw_rt_opencl_api nw_rt_opencl;

#define SYMBOL(result, name, parameters) {#name, offsetof(nw_rt_opencl_api, name)},
static const nw_rt_symbol opencl_symbols[] = {NW_RT_OPENCL_FUNCTIONS(SYMBOL)};
#undef SYMBOL

/* The name of a result, for those that users meet. */
static const char *words(cl_int result) {
  switch (result) {
  case -2:
    return "device not available";
  case -3:
    return "compiler not available";
  case -4:
    return "memory object allocation failure";
  case -5:
    return "out of resources";
  case -6:
    return "out of host memory";
  case -11:
    return "build program failure";
  case -14:
    return "a command failed";
  case -30:
    return "invalid value";
  case -42:
    return "invalid binary";
  case -45:
    return "invalid program executable";
  case -46:
    return "invalid kernel name";
  case -48:
    return "invalid kernel";
  case -49:
    return "invalid argument index";
  case -50:
    return "invalid argument value";
  case -51:
    return "invalid argument size";
  case -52:
    return "invalid kernel arguments";
  case -54:
    return "invalid work-group size";
  case -55:
    return "invalid work-item size";
  case -61:
    return "invalid buffer size";
  case -63:
    return "invalid global work size";
  default:
    return "error";
  }
}

int nw_rt_opencl_check(cl_int result, const char *call) {
  int kind = NW_RT_DEVICE_FAILED;
  if (result == 0)
    return 1;
  if (result == CL_MEM_OBJECT_ALLOCATION_FAILURE || result == CL_OUT_OF_HOST_MEMORY ||
      result == CL_INVALID_BUFFER_SIZE)
    kind = NW_RT_OUT_OF_MEMORY;
  else if ((result <= CL_INVALID_ARG_INDEX && result >= CL_INVALID_GLOBAL_OFFSET) ||
           result == CL_INVALID_GLOBAL_WORK_SIZE)
    kind = NW_RT_BAD_REQUEST;
  return nw_rt_fail(kind, "%s: %s (error %d)", call, words(result), result);
}

static int opencl_open(nw_rt_device *device) {
  nw_rt_opencl_data *data = device->backend_data;
  cl_int result = 0;
  intptr_t properties[] = {CL_CONTEXT_PLATFORM, (intptr_t)data->platform, 0};
  data->context = nw_rt_opencl.clCreateContext(properties, 1, &data->device, NULL, NULL, &result);
  return nw_rt_opencl_check(result, "clCreateContext");
}

static int opencl_begin(nw_rt_device *device, nw_rt_handle *previous) {
  (void)device;
  *previous = 0;
  return 1;
}

static void opencl_end(nw_rt_device *device, nw_rt_handle previous) {
  (void)device;
  (void)previous;
}

static void opencl_options(nw_rt_device *device, const char *floating_point, int line_info,
                           char *text, size_t size) {
  (void)line_info; /* OpenCL compilers have no such option in common */
  nw_rt_opencl_data *data = device->backend_data;
  const char *precision = "";
  if (strcmp(floating_point, "fast") == 0)
    precision = " -cl-fast-relaxed-math";
  else if (data->rounds_correctly)
    precision = " -cl-fp32-correctly-rounded-divide-sqrt";
  const char *more = getenv("NESTWARP_OPENCL_OPTIONS");
  /* -w, which every OpenCL compiler knows: PoCL's prints "1 warning generated." on the program's
   * stderr. To send stderr elsewhere meanwhile would take other threads' messages along. Errors are
   * in the log all the same. */
  snprintf(text, size, "-cl-std=CL1.2 -w%s%s%s", precision, more && *more ? " " : "",
           more ? more : "");
}

/* The compiler's log, from malloc; NULL if there is none. */
static char *program_log(nw_rt_opencl_data *data, cl_program program) {
  size_t size = 0;
  if (nw_rt_opencl.clGetProgramBuildInfo(program, data->device, CL_PROGRAM_BUILD_LOG, 0, NULL,
                                         &size) ||
      size < 2)
    return NULL;
  char *log = calloc(1, size + 1);
  if (log)
    nw_rt_opencl.clGetProgramBuildInfo(program, data->device, CL_PROGRAM_BUILD_LOG, size, log,
                                       NULL);
  return log;
}

/* The program's binary for the only device of its context, from malloc; NULL if it gives none out.
 */
static void *program_binary(cl_program program, size_t *size) {
  *size = 0;
  if (nw_rt_opencl.clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof *size, size, NULL) ||
      !*size)
    return NULL;
  unsigned char *binary = calloc(1, *size + 1);
  if (binary &&
      nw_rt_opencl.clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL)) {
    free(binary);
    binary = NULL;
  }
  return binary;
}

/* Builds a program; that it does not build is no fault of the device. */
static int build(nw_rt_device *device, cl_program program, const char *options) {
  nw_rt_opencl_data *data = device->backend_data;
  if (NW_RT_OPENCL(clBuildProgram, program, 1, &data->device, options, NULL, NULL))
    return 1;
  nw_rt_failure.kind = NW_RT_BAD_REQUEST;
  return 0;
}

static int opencl_compile(nw_rt_device *device, const char *file, const char *source,
                          const char *options, nw_rt_handle *program, void **binary, size_t *size,
                          char **log) {
  nw_rt_opencl_data *data = device->backend_data;
  cl_int result = 0;
  (void)file;
  cl_program made =
      nw_rt_opencl.clCreateProgramWithSource(data->context, 1, &source, NULL, &result);
  if (!nw_rt_opencl_check(result, "clCreateProgramWithSource"))
    return 0;
  if (!build(device, made, options)) {
    *log = program_log(data, made);
    nw_rt_opencl.clReleaseProgram(made);
    return 0;
  }
  /* PoCL would compile all kernels for that, also those that are never launched; it has a cache of
   * its own. */
  if (binary && device->kind != NW_RT_OPENCL_CPU)
    *binary = program_binary(made, size);
  *program = (nw_rt_handle)made;
  return 1;
}

static int opencl_load(nw_rt_device *device, const char *options, const void *binary, size_t size,
                       nw_rt_handle *program) {
  nw_rt_opencl_data *data = device->backend_data;
  const unsigned char *bytes = binary;
  cl_int status = 0, result = 0;
  cl_program made = nw_rt_opencl.clCreateProgramWithBinary(data->context, 1, &data->device, &size,
                                                           &bytes, &status, &result);
  if (!made || result || status) {
    if (made)
      nw_rt_opencl.clReleaseProgram(made);
    return nw_rt_fail(NW_RT_BAD_REQUEST, "clCreateProgramWithBinary: the binary was rejected");
  }
  if (!build(device, made, options)) {
    nw_rt_opencl.clReleaseProgram(made);
    return 0;
  }
  *program = (nw_rt_handle)made;
  return 1;
}

/* Asks about a kernel: the largest block, and whether its shared memory is there at all, which not
 * every platform checks before it uses it. NVIDIA's says 256 of kernels that were compiled for
 * larger blocks, and runs them. */
static int ask_about_kernel(nw_rt_device *device, cl_kernel kernel, int *most_threads) {
  nw_rt_opencl_data *data = device->backend_data;
  size_t threads = 0, compiled[3] = {0, 0, 0};
  cl_ulong shared = 0, available = 0;
  if (!NW_RT_OPENCL(clGetKernelWorkGroupInfo, kernel, data->device, CL_KERNEL_WORK_GROUP_SIZE,
                    sizeof threads, &threads, NULL) ||
      !NW_RT_OPENCL(clGetKernelWorkGroupInfo, kernel, data->device,
                    CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof compiled, compiled, NULL) ||
      !NW_RT_OPENCL(clGetKernelWorkGroupInfo, kernel, data->device, CL_KERNEL_LOCAL_MEM_SIZE,
                    sizeof shared, &shared, NULL) ||
      !NW_RT_OPENCL(clGetDeviceInfo, data->device, CL_DEVICE_LOCAL_MEM_SIZE, sizeof available,
                    &available, NULL))
    return 0;
  if (shared > available)
    return nw_rt_fail(NW_RT_BAD_REQUEST, "%llu bytes of shared memory exceed the %llu of %s",
                      (unsigned long long)shared, (unsigned long long)available, device->label);
  if (compiled[0] * compiled[1] * compiled[2] > threads)
    threads = compiled[0] * compiled[1] * compiled[2];
  *most_threads = threads < (size_t)device->block_threads ? (int)threads : device->block_threads;
  return 1;
}

static int opencl_find_kernel(nw_rt_device *device, nw_rt_handle program, const char *name,
                              nw_rt_handle *kernel, int *most_threads) {
  cl_int result = 0;
  cl_kernel made = nw_rt_opencl.clCreateKernel((cl_program)program, name, &result);
  if (result == CL_INVALID_KERNEL_NAME)
    return nw_rt_fail(NW_RT_BAD_REQUEST, "there is none in the module");
  if (!nw_rt_opencl_check(result, "clCreateKernel"))
    return 0;
  if (!ask_about_kernel(device, made, most_threads)) {
    nw_rt_opencl.clReleaseKernel(made);
    return 0;
  }
  *kernel = (nw_rt_handle)made;
  return 1;
}

/* OpenCL promises nothing about work-groups running at the same time, so only one is certain. */
static int opencl_resident_blocks(nw_rt_device *device, nw_rt_handle kernel, int threads,
                                  long long *blocks) {
  (void)device;
  (void)kernel;
  (void)threads;
  *blocks = 1;
  return 1;
}

static int opencl_allocate(nw_rt_device *device, size_t size, nw_rt_handle *buffer) {
  nw_rt_opencl_data *data = device->backend_data;
  cl_int result = 0;
  *buffer = (nw_rt_handle)nw_rt_opencl.clCreateBuffer(data->context, CL_MEM_READ_WRITE, size, NULL,
                                                      &result);
  return nw_rt_opencl_check(result, "clCreateBuffer");
}

static void opencl_release(nw_rt_device *device, nw_rt_handle buffer) {
  (void)device;
  nw_rt_opencl.clReleaseMemObject((cl_mem)buffer);
}

static const nw_rt_backend opencl_backend = {
    .open = opencl_open,
    .begin = opencl_begin,
    .end = opencl_end,
    .options = opencl_options,
    .compile = opencl_compile,
    .load = opencl_load,
    .find_kernel = opencl_find_kernel,
    .resident_blocks = opencl_resident_blocks,
    .allocate = opencl_allocate,
    .release = opencl_release,
    .open_stream = nw_rt_opencl_open_stream,
    .accepts = nw_rt_opencl_accepts,
    .share_memory = nw_rt_opencl_share_memory,
    .allocate_in_order = nw_rt_opencl_allocate_in_order,
    .release_in_order = nw_rt_opencl_release_in_order,
    .copy_in = nw_rt_opencl_copy_in,
    .copy_out = nw_rt_opencl_copy_out,
    .copy_within = nw_rt_opencl_copy_within,
    .clear = nw_rt_opencl_clear,
    .launch = nw_rt_opencl_launch,
    .finish = nw_rt_opencl_finish,
    .mark = nw_rt_opencl_mark,
    .between = nw_rt_opencl_between,
    .unmark = nw_rt_opencl_unmark,
};

/* A device property of a fixed size; `value` keeps its content when the property cannot be had. */
static void property(cl_device_id device, cl_uint name, void *value, size_t size) {
  nw_rt_opencl.clGetDeviceInfo(device, name, size, value, NULL);
}

/* A device property that is a text; always terminated. */
static void text_property(cl_device_id device, cl_uint name, char *text, size_t size) {
  memset(text, 0, size);
  nw_rt_opencl.clGetDeviceInfo(device, name, size - 1, text, NULL);
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

/* Fills in what OpenCL says about a device; 0 if it cannot be used. */
static int describe(nw_rt_device *device, cl_platform_id platform, cl_device_id id) {
  cl_ulong type = 0, memory = 0, largest = 0, single = 0;
  cl_uint units = 1, available = 0, compiler = 0;
  char platform_name[128] = "", platform_version[128] = "", driver[64];
  memset(device, 0, sizeof *device);
  property(id, CL_DEVICE_TYPE, &type, sizeof type);
  property(id, CL_DEVICE_AVAILABLE, &available, sizeof available);
  property(id, CL_DEVICE_COMPILER_AVAILABLE, &compiler, sizeof compiler);
  if (!available || !compiler ||
      !(type & (CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_ACCELERATOR)))
    return 0;
  nw_rt_opencl_data *data = calloc(1, sizeof *data);
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
  nw_rt_opencl.clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof platform_name - 1,
                                 platform_name, NULL);
  nw_rt_opencl.clGetPlatformInfo(platform, CL_PLATFORM_VERSION, sizeof platform_version - 1,
                                 platform_version, NULL);
  snprintf(device->version, sizeof device->version, "%.60s, %.120s", driver, platform_version);
  int is_pocl = strcmp(platform_name, "Portable Computing Language") == 0;
  snprintf(device->description, sizeof device->description,
           "%s (%s, %s), %d compute units, %.0f GiB", device->name,
           is_pocl ? "PoCL" : platform_name, device->kind == NW_RT_OPENCL_CPU ? "CPU" : "GPU",
           device->compute_units, (double)memory / (1ull << 30));
  return 1;
}

/* Fills in the usable devices of one kind, of all platforms; returns the new number of devices. */
static int collect(nw_rt_device *devices, int count, int capacity, int kind,
                   const cl_platform_id *platforms, cl_uint platform_count) {
  for (cl_uint i = 0; i < platform_count; ++i) {
    cl_device_id ids[MOST_FOUND];
    cl_uint found = 0;
    if (nw_rt_opencl.clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, MOST_FOUND, ids, &found))
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
  const char *missing = nw_rt_load_symbols(
      library, opencl_symbols, sizeof opencl_symbols / sizeof *opencl_symbols, &nw_rt_opencl);
  if (missing) {
    snprintf(reason, size, "the OpenCL library has no %s", missing);
    return 0;
  }
  if (nw_rt_opencl.clGetPlatformIDs(MOST_PLATFORMS, platforms, &found))
    found = 0;
  if (found > MOST_PLATFORMS)
    found = MOST_PLATFORMS;
  int count = collect(devices, 0, capacity, NW_RT_OPENCL_GPU, platforms, found);
  count = collect(devices, count, capacity, NW_RT_OPENCL_CPU, platforms, found);
  if (!count)
    snprintf(reason, size, found ? "OpenCL has no usable device" : "OpenCL has no platform");
  return count;
}
