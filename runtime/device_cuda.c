/* The CUDA backend: the driver (libcuda.so.1) and the run-time compiler (libnvrtc), both loaded with dlopen. It uses the
 * primary context of the device and the default stream, so that everything happens in order. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda_api.h"
#include "device.h"

enum { MOST_OPTIONS = 16 };

typedef struct cuda_data {
  CUdevice device;
  CUcontext context, previous; /* previous: of the host program's thread, while a region is open */
  int architecture;            /* compute capability, as in sm_90 */
} cuda_data;

static nw_rt_cuda_api cuda;
static nw_rt_nvrtc_api nvrtc;

#define SYMBOL(result, name, parameters) {#name, offsetof(TABLE, name)},
#define TABLE nw_rt_cuda_api
static const nw_rt_symbol cuda_symbols[] = {NW_RT_CUDA_FUNCTIONS(SYMBOL)};
#undef TABLE
#define TABLE nw_rt_nvrtc_api
static const nw_rt_symbol nvrtc_symbols[] = {NW_RT_NVRTC_FUNCTIONS(SYMBOL)};
#undef TABLE
#undef SYMBOL

/* The driver's words for a result. */
static const char *words(CUresult result) {
  const char *text = NULL;
  if (cuda.cuGetErrorString(result, &text) || !text)
    text = "unknown error";
  return text;
}

/* Whether the context can not be used any more after this result. */
static int is_fatal(CUresult result) {
  return result == CUDA_ERROR_DEINITIALIZED || result == CUDA_ERROR_DEVICE_UNAVAILABLE ||
         result == CUDA_ERROR_ECC_UNCORRECTABLE || result == CUDA_ERROR_NVLINK_UNCORRECTABLE ||
         result == CUDA_ERROR_ILLEGAL_ADDRESS || result == CUDA_ERROR_LAUNCH_TIMEOUT ||
         result == CUDA_ERROR_CONTEXT_IS_DESTROYED || result == CUDA_ERROR_ASSERT ||
         (result >= CUDA_ERROR_HARDWARE_STACK_ERROR && result <= CUDA_ERROR_LAUNCH_FAILED);
}

/* Returns 1 if the result is success; records a failure of `what` in the device otherwise. */
static int check(nw_rt_device *device, CUresult result, const char *what) {
  int failure = NW_RT_DEVICE_FAILED;
  if (result == 0)
    return 1;
  if (result == CUDA_ERROR_OUT_OF_MEMORY)
    failure = NW_RT_OUT_OF_MEMORY;
  else if (is_fatal(result))
    failure = NW_RT_DEVICE_LOST;
  return nw_rt_fail(device, failure, "CUDA: %s: %s (error %d)", what, words(result), result);
}

/* Loads NVRTC, once; whether it is there. */
static int load_nvrtc(void) {
  static const char *const names[] = {"libnvrtc.so.13",
                                      "libnvrtc.so.12",
                                      "libnvrtc.so",
                                      "/usr/local/cuda/lib64/libnvrtc.so.13",
                                      "/usr/local/cuda/lib64/libnvrtc.so.12",
                                      "/usr/local/cuda/lib64/libnvrtc.so",
                                      NULL};
  static int loaded = -1;
  if (loaded < 0) {
    void *library = nw_rt_open_library(names);
    loaded = library && !nw_rt_load_symbols(library, nvrtc_symbols, sizeof nvrtc_symbols / sizeof *nvrtc_symbols,
                                            &nvrtc);
  }
  return loaded;
}

/* The value of a device attribute; 0 when it can not be had. */
static int attribute(CUdevice device, int number) {
  int value = 0;
  return cuda.cuDeviceGetAttribute(&value, number, device) == 0 ? value : 0;
}

static int cuda_open(nw_rt_device *device) {
  cuda_data *data = device->backend_data;
  return check(device, cuda.cuDevicePrimaryCtxRetain(&data->context, data->device), "opening the device");
}

static int cuda_begin(nw_rt_device *device) {
  cuda_data *data = device->backend_data;
  data->previous = NULL;
  cuda.cuCtxGetCurrent(&data->previous);
  return check(device, cuda.cuCtxSetCurrent(data->context), "selecting the device");
}

static void cuda_end(nw_rt_device *device) {
  cuda_data *data = device->backend_data;
  if (data->previous != data->context)
    cuda.cuCtxSetCurrent(data->previous);
}

static void cuda_options(nw_rt_device *device, const char *floating_point, char *text, size_t size) {
  cuda_data *data = device->backend_data;
  const char *precision = "";
  if (strcmp(floating_point, "strict") == 0 || strcmp(floating_point, "nocontract") == 0)
    precision = " --fmad=false";
  if (strcmp(floating_point, "fast") == 0)
    precision = " --use_fast_math";
  snprintf(text, size, "-std=c++17 --gpu-architecture=sm_%d%s%s", data->architecture, precision, NW_RT_CHAR_OPTION);
}

/* Whether NVRTC makes code for the architecture itself; *below becomes the newest older one that it knows, or 0. */
static int is_supported(int architecture, int *below) {
  int count = 0, known[256], found = 0;
  *below = 0;
  if (nvrtc.nvrtcGetNumSupportedArchs(&count) || count < 1 || count > 256 || nvrtc.nvrtcGetSupportedArchs(known))
    return 1; /* unknown: let the compiler speak */
  for (int i = 0; i < count; ++i) {
    found |= known[i] == architecture;
    if (known[i] < architecture && known[i] > *below)
      *below = known[i];
  }
  return found;
}

/* Splits options at spaces, in place; returns their number. */
static int split(char *text, const char **options) {
  int count = 0;
  char *rest;
  for (char *word = strtok_r(text, " ", &rest); word && count < MOST_OPTIONS; word = strtok_r(NULL, " ", &rest))
    options[count++] = word;
  return count;
}

/* The compiler's log, from malloc; NULL if there is none. */
static char *program_log(nvrtcProgram program) {
  size_t size = 0;
  if (nvrtc.nvrtcGetProgramLogSize(program, &size) || size < 2)
    return NULL;
  char *log = calloc(1, size + 1);
  if (log)
    nvrtc.nvrtcGetProgramLog(program, log);
  return log;
}

/* The compiled program, from malloc with a zero byte at the end: machine code, or PTX for the driver to translate. */
static void *program_image(nvrtcProgram program, int as_ptx, size_t *size) {
  nvrtcResult result = as_ptx ? nvrtc.nvrtcGetPTXSize(program, size) : nvrtc.nvrtcGetCUBINSize(program, size);
  char *image = result == 0 && *size ? calloc(1, *size + 1) : NULL;
  if (image && (as_ptx ? nvrtc.nvrtcGetPTX(program, image) : nvrtc.nvrtcGetCUBIN(program, image))) {
    free(image);
    image = NULL;
  }
  return image;
}

/* Compiles to an image. For a device newer than the compiler, PTX of the newest known architecture. */
static int compile_image(nw_rt_device *device, const char *file, const char *source, const char *options,
                         void **image, size_t *size, char **log) {
  cuda_data *data = device->backend_data;
  char text[256], newest[64];
  const char *list[MOST_OPTIONS];
  nvrtcProgram program = NULL;
  int below, as_ptx = !is_supported(data->architecture, &below) && below;
  snprintf(text, sizeof text, "%s", options);
  int count = split(text, list);
  snprintf(newest, sizeof newest, "--gpu-architecture=compute_%d", below);
  for (int i = 0; as_ptx && i < count; ++i)
    if (strncmp(list[i], "--gpu-architecture=", 19) == 0)
      list[i] = newest;
  nvrtcResult result = nvrtc.nvrtcCreateProgram(&program, source, file, 0, NULL, NULL);
  if (result)
    return nw_rt_fail(device, NW_RT_BAD_REQUEST, "NVRTC: %s", nvrtc.nvrtcGetErrorString(result));
  result = nvrtc.nvrtcCompileProgram(program, count, list);
  if (result)
    *log = program_log(program);
  else
    *image = program_image(program, as_ptx, size);
  nvrtc.nvrtcDestroyProgram(&program);
  if (*image)
    return 1;
  return nw_rt_fail(device, NW_RT_BAD_REQUEST, "NVRTC: %s",
                    result ? nvrtc.nvrtcGetErrorString(result) : "no code was made");
}

/* Loads an image. That it does not load is no fault of the device, unless the context is broken. */
static int cuda_load(nw_rt_device *device, const char *options, const void *binary, size_t size,
                     nw_rt_handle *program) {
  CUmodule module = NULL;
  (void)options;
  (void)size;
  int done = check(device, cuda.cuModuleLoadData(&module, binary), "loading the kernels");
  if (!done && device->failure == NW_RT_DEVICE_FAILED)
    device->failure = NW_RT_BAD_REQUEST;
  *program = (nw_rt_handle)module;
  return done;
}

static int cuda_compile(nw_rt_device *device, const char *file, const char *source, const char *options,
                        nw_rt_handle *program, void **binary, size_t *size, char **log) {
  void *image = NULL;
  if (!load_nvrtc())
    return nw_rt_fail(device, NW_RT_BAD_REQUEST, "libnvrtc is not found");
  if (!compile_image(device, file, source, options, &image, size, log))
    return 0;
  int done = cuda_load(device, options, image, *size, program);
  if (done && binary)
    *binary = image;
  else
    free(image);
  return done;
}

static int cuda_find_kernel(nw_rt_device *device, nw_rt_handle program, const char *name, nw_rt_handle *kernel,
                            int *most_threads) {
  CUfunction function = NULL;
  CUresult result = cuda.cuModuleGetFunction(&function, (CUmodule)program, name);
  if (result == CUDA_ERROR_NOT_FOUND)
    return nw_rt_fail(device, NW_RT_BAD_REQUEST, "there is no kernel %s", name);
  if (!check(device, result, "finding a kernel"))
    return 0;
  *kernel = (nw_rt_handle)function;
  return check(device, cuda.cuFuncGetAttribute(most_threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, function),
               "asking about a kernel");
}

static int cuda_resident_blocks(nw_rt_device *device, nw_rt_handle kernel, int threads, long long *blocks) {
  int each = 0;
  if (!check(device, cuda.cuOccupancyMaxActiveBlocksPerMultiprocessor(&each, (CUfunction)kernel, threads, 0),
             "asking about a kernel"))
    return 0;
  if (each < 1)
    return nw_rt_fail(device, NW_RT_BAD_REQUEST, "blocks of %d threads do not fit a multiprocessor", threads);
  *blocks = (long long)each * device->compute_units;
  return 1;
}

static int cuda_allocate(nw_rt_device *device, size_t size, nw_rt_handle *buffer) {
  CUdeviceptr address = 0;
  int done = check(device, cuda.cuMemAlloc_v2(&address, size), "allocating");
  *buffer = (nw_rt_handle)address;
  return done;
}

static void cuda_release(nw_rt_device *device, nw_rt_handle buffer) {
  (void)device;
  cuda.cuMemFree_v2((CUdeviceptr)buffer);
}

static int cuda_copy_in(nw_rt_device *device, nw_rt_handle buffer, size_t offset, const void *host, size_t size) {
  return check(device, cuda.cuMemcpyHtoD_v2((CUdeviceptr)buffer + offset, host, size), "copying to the device");
}

static int cuda_copy_out(nw_rt_device *device, nw_rt_handle buffer, size_t offset, void *host, size_t size) {
  return check(device, cuda.cuMemcpyDtoH_v2(host, (CUdeviceptr)buffer + offset, size), "copying from the device");
}

static int cuda_launch(nw_rt_device *device, nw_rt_handle kernel, const nw_shape *shape, const nw_rt_value *values,
                       int count) {
  void *parameters[NW_RT_MOST_ARGUMENTS + 1];
  unsigned grid[3], block[3];
  for (int i = 0; i < count; ++i)
    memcpy(&parameters[i], &values[i].bytes, sizeof(void *)); /* the driver only reads them */
  for (int i = 0; i < 3; ++i) {
    grid[i] = (unsigned)shape->grid[i];
    block[i] = (unsigned)shape->block[i];
  }
  CUfunction function = (CUfunction)kernel;
  CUresult result;
  if (shape->form == NW_COOPERATIVE)
    result = cuda.cuLaunchCooperativeKernel(function, grid[0], grid[1], grid[2], block[0], block[1], block[2], 0, NULL,
                                            parameters);
  else
    result = cuda.cuLaunchKernel(function, grid[0], grid[1], grid[2], block[0], block[1], block[2], 0, NULL,
                                 parameters, NULL);
  int done = check(device, result, "launching");
  if (result == CUDA_ERROR_INVALID_VALUE || result == CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES ||
      result == CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE)
    device->failure = NW_RT_BAD_REQUEST;
  return done;
}

static int cuda_finish(nw_rt_device *device) {
  return check(device, cuda.cuStreamSynchronize(NULL), "running the kernels");
}

static int cuda_mark(nw_rt_device *device, nw_rt_handle *mark) {
  CUevent event = NULL;
  if (!check(device, cuda.cuEventCreate(&event, 0), "making an event"))
    return 0;
  *mark = (nw_rt_handle)event;
  return check(device, cuda.cuEventRecord(event, NULL), "recording an event");
}

static double cuda_between(nw_rt_device *device, nw_rt_handle first, nw_rt_handle second) {
  float milliseconds = 0;
  return check(device, cuda.cuEventElapsedTime(&milliseconds, (CUevent)first, (CUevent)second), "reading a time") ? (double)milliseconds : 0;
}

static void cuda_unmark(nw_rt_device *device, nw_rt_handle mark) {
  (void)device;
  cuda.cuEventDestroy_v2((CUevent)mark);
}

static const nw_rt_backend cuda_backend = {
    cuda_open,        cuda_begin,           cuda_end,      cuda_options, cuda_compile, cuda_load,
    cuda_find_kernel, cuda_resident_blocks, cuda_allocate, cuda_release, cuda_copy_in, cuda_copy_out,
    cuda_launch,      cuda_finish,          cuda_mark,     cuda_between, cuda_unmark};

/* Fills in what the driver says about device number `ordinal`; 0 if it can not be used. */
static int describe(nw_rt_device *device, int ordinal, int driver) {
  CUdevice number;
  size_t memory = 0;
  memset(device, 0, sizeof *device);
  if (cuda.cuDeviceGet(&number, ordinal) || cuda.cuDeviceGetName(device->name, sizeof device->name - 1, number) ||
      cuda.cuDeviceTotalMem_v2(&memory, number))
    return 0;
  cuda_data *data = calloc(1, sizeof *data);
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
  device->can_compile = load_nvrtc();
  int compiler_major = 0, compiler_minor = 0;
  if (device->can_compile)
    nvrtc.nvrtcVersion(&compiler_major, &compiler_minor);
  snprintf(device->label, sizeof device->label, "cuda:%d", ordinal);
  snprintf(device->version, sizeof device->version, "driver %d, compiler %d.%d", driver, compiler_major,
           compiler_minor);
  snprintf(device->description, sizeof device->description, "%s, %d SMs, %.0f GiB, compute %d.%d, driver %d.%d%s",
           device->name, device->compute_units, (double)memory / (1ull << 30), major, minor, driver / 1000,
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
  const char *missing = nw_rt_load_symbols(library, cuda_symbols, sizeof cuda_symbols / sizeof *cuda_symbols, &cuda);
  if (missing) {
    snprintf(reason, size, "the CUDA driver has no %s", missing);
    return 0;
  }
  CUresult result = cuda.cuInit(0);
  if (result == 0)
    result = cuda.cuDeviceGetCount(&count);
  if (result) {
    snprintf(reason, size, "CUDA: %s (error %d)", words(result), result);
    return 0;
  }
  cuda.cuDriverGetVersion(&driver);
  for (int i = 0; i < count && found < capacity; ++i)
    found += describe(devices + found, i, driver);
  if (!found)
    snprintf(reason, size, "the CUDA driver has no device");
  return found;
}
