/* The CUDA backend's compiler: NVRTC (libnvrtc), loaded with dlopen, from source to an image that
 * the driver takes. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda_backend.h"

enum { MOST_OPTIONS = 16 };

static nw_rt_nvrtc_api nvrtc;

#define SYMBOL(result, name, parameters) {#name, offsetof(nw_rt_nvrtc_api, name)},
static const nw_rt_symbol nvrtc_symbols[] = {NW_RT_NVRTC_FUNCTIONS(SYMBOL)};
#undef SYMBOL

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
    loaded = library && !nw_rt_load_symbols(library, nvrtc_symbols,
                                            sizeof nvrtc_symbols / sizeof *nvrtc_symbols, &nvrtc);
  }
  return loaded;
}

int nw_rt_cuda_has_compiler(int *major, int *minor) {
  *major = *minor = 0;
  if (!load_nvrtc())
    return 0;
  nvrtc.nvrtcVersion(major, minor);
  return 1;
}

void nw_rt_cuda_options(nw_rt_device *device, const char *floating_point, int line_info, char *text,
                        size_t size) {
  nw_rt_cuda_data *data = device->backend_data;
  const char *precision = "";
  if (strcmp(floating_point, "strict") == 0 || strcmp(floating_point, "nocontract") == 0)
    precision = " --fmad=false";
  if (strcmp(floating_point, "fast") == 0)
    precision = " --use_fast_math";
  snprintf(text, size, "-std=c++17 --gpu-architecture=sm_%d%s%s", data->architecture, precision,
           line_info ? " -lineinfo" : "");
}

/* Whether NVRTC makes code for the architecture itself; *below becomes the newest older one that it
 * knows, or 0. */
static int is_supported(int architecture, int *below) {
  int count = 0, known[256], found = 0;
  *below = 0;
  if (nvrtc.nvrtcGetNumSupportedArchs(&count) || count < 1 || count > 256 ||
      nvrtc.nvrtcGetSupportedArchs(known))
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
  for (char *word = strtok_r(text, " ", &rest); word && count < MOST_OPTIONS;
       word = strtok_r(NULL, " ", &rest))
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

/* The compiled program, from malloc with a zero byte at the end: machine code, or PTX for the
 * driver to translate. */
static void *program_image(nvrtcProgram program, int as_ptx, size_t *size) {
  nvrtcResult result =
      as_ptx ? nvrtc.nvrtcGetPTXSize(program, size) : nvrtc.nvrtcGetCUBINSize(program, size);
  char *image = result == 0 && *size ? calloc(1, *size + 1) : NULL;
  if (image && (as_ptx ? nvrtc.nvrtcGetPTX(program, image) : nvrtc.nvrtcGetCUBIN(program, image))) {
    free(image);
    image = NULL;
  }
  return image;
}

/* Compiles to an image. For a device newer than the compiler, PTX of the newest known architecture.
 */
static int compile_image(nw_rt_device *device, const char *file, const char *source,
                         const char *options, void **image, size_t *size, char **log) {
  nw_rt_cuda_data *data = device->backend_data;
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
    return nw_rt_fail(NW_RT_BAD_REQUEST, "NVRTC: %s", nvrtc.nvrtcGetErrorString(result));
  result = nvrtc.nvrtcCompileProgram(program, count, list);
  if (result)
    *log = program_log(program);
  else
    *image = program_image(program, as_ptx, size);
  nvrtc.nvrtcDestroyProgram(&program);
  if (*image)
    return 1;
  return nw_rt_fail(NW_RT_BAD_REQUEST, "NVRTC: %s",
                    result ? nvrtc.nvrtcGetErrorString(result) : "no code was generated");
}

/* Loads an image. That it does not load is no fault of the device, unless the context is broken. */
int nw_rt_cuda_load(nw_rt_device *device, const char *options, const void *binary, size_t size,
                    nw_rt_handle *program) {
  CUmodule module = NULL;
  (void)device;
  (void)options;
  (void)size;
  int done = NW_RT_CUDA(cuModuleLoadData, &module, binary);
  if (!done && nw_rt_failure.kind == NW_RT_DEVICE_FAILED)
    nw_rt_failure.kind = NW_RT_BAD_REQUEST;
  *program = (nw_rt_handle)module;
  return done;
}

int nw_rt_cuda_compile(nw_rt_device *device, const char *file, const char *source,
                       const char *options, nw_rt_handle *program, void **binary, size_t *size,
                       char **log) {
  void *image = NULL;
  if (!load_nvrtc())
    return nw_rt_fail(NW_RT_BAD_REQUEST, "libnvrtc is not found");
  if (!compile_image(device, file, source, options, &image, size, log))
    return 0;
  int done = nw_rt_cuda_load(device, options, image, *size, program);
  if (done && binary)
    *binary = image;
  else
    free(image);
  return done;
}
