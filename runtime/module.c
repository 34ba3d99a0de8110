/* The kernels of one translation unit: built once per process for the device in use, from the cache
 * on disk where it has them and from source otherwise, and looked up by name. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cubins.h"
#include "internal.h"

enum { LOG_LINES = 12 };

nw_rt_module *nw_rt_module_state(nw_module *module) {
  if (!module->state)
    module->state = calloc(1, sizeof(nw_rt_module));
  return module->state;
}

nw_rt_site *nw_rt_site_of(nw_rt_module *state, const char *where) {
  for (nw_rt_site *site = state->sites; site; site = site->next)
    if (strcmp(site->where, where) == 0)
      return site;
  size_t length = strlen(where) + 1;
  nw_rt_site *site = calloc(1, sizeof *site + length);
  if (!site)
    return NULL;
  memcpy(site->where, where, length);
  site->next = state->sites;
  state->sites = site;
  return site;
}

/* The module's source in the language of the device; "" when it has none. */
static const char *source_for(const nw_module *module, const nw_rt_device *device) {
  const char *source = device->kind == NW_RT_CUDA ? module->cuda_source : module->opencl_source;
  return source ? source : "";
}

/* Works out options and key, once. */
static void find_key(nw_module *module, nw_rt_device *device) {
  nw_rt_module *state = module->state;
  if (state->keyed)
    return;
  const char *floating_point = module->floating_point ? module->floating_point : "strict";
  device->backend->options(device, floating_point, module->line_info, state->options,
                           sizeof state->options);
  const char *parts[] = {source_for(module, device), state->options,
                         device->kind == NW_RT_CUDA ? "cuda" : "opencl", device->name,
                         device->version};
  state->key = nw_rt_cache_key(parts, 5);
  state->is_cached = nw_rt_cache_has(&state->key);
  state->keyed = 1;
}

int nw_rt_module_is_cached(nw_module *module, nw_rt_device *device) {
  nw_rt_module *state = module->state;
  find_key(module, device);
  return state->is_cached;
}

/* Tries to make the program from the cache; an entry that does not work is removed. */
static int load_from_cache(nw_rt_module *state, nw_rt_device *device) {
  size_t size;
  void *binary = nw_rt_cache_has(&state->key) ? nw_rt_cache_read(&state->key, &size) : NULL;
  int loaded =
      binary && device->backend->load(device, state->options, binary, size, &state->program);
  if (!loaded && nw_rt_cache_has(&state->key))
    nw_rt_cache_remove(&state->key);
  free(binary);
  return loaded;
}

/* Prints the first lines of a compiler's log that are not empty. */
static void print_log(const char *log) {
  int lines = 0;
  while (log && *log && lines < LOG_LINES) {
    int length = (int)strcspn(log, "\n");
    if (length) {
      fprintf(stderr, "nestwarp:   %.*s\n", length, log);
      lines += 1;
    }
    log += length + (log[length] == '\n');
  }
  if (log && *log)
    fprintf(stderr, "nestwarp:   ...\n");
}

/* Compiles the source and puts the result into the cache. */
static int compile_source(nw_module *module, nw_rt_device *device, char **log) {
  nw_rt_module *state = module->state;
  const char *source = source_for(module, device);
  void *binary = NULL;
  size_t size = 0;
  if (!*source)
    return nw_rt_fail(NW_RT_BAD_REQUEST, "it has no kernels in the language of %s", device->label);
  int compiled =
      device->backend->compile(device, module->file, source, state->options, &state->program,
                               nw_rt_cache_exists() ? &binary : NULL, &size, log);
  if (compiled && binary)
    nw_rt_cache_write(&state->key, binary, size);
  free(binary);
  return compiled;
}

/* The same while no other process does: it would be wasted, and PoCL 3.1 gives out broken binaries
 * when two processes build one program at a time. The other one's result is taken if there is one
 * by now. */
static int compile_alone(nw_module *module, nw_rt_device *device, char **log) {
  nw_rt_module *state = module->state;
  int lock = nw_rt_cache_lock(&state->key);
  int done = (lock >= 0 && load_from_cache(state, device)) || compile_source(module, device, log);
  nw_rt_cache_unlock(lock);
  return done;
}

int nw_rt_module_build(nw_module *module, nw_rt_device *device) {
  nw_rt_module *state = module->state;
  char *log = NULL;
  if (state->status != NW_RT_NOT_BUILT)
    return state->status == NW_RT_BUILT;
  find_key(module, device);
  if (nw_rt_load_cubin(device, source_for(module, device), state->options, &state->program) ||
      load_from_cache(state, device) || compile_alone(module, device, &log)) {
    state->status = NW_RT_BUILT;
  } else {
    state->status = NW_RT_CANNOT_BUILD;
    nw_rt_say("%s: the kernels cannot be built for %s: %s; running the original loops",
              module->file, device->label, nw_rt_failure.text);
    print_log(log);
  }
  free(log);
  return state->status == NW_RT_BUILT;
}

nw_rt_kernel *nw_rt_module_kernel(nw_rt_module *state, nw_rt_device *device, const char *name) {
  for (nw_rt_kernel *kernel = state->kernels; kernel; kernel = kernel->next)
    if (strcmp(kernel->name, name) == 0)
      return kernel;
  size_t length = strlen(name) + 1;
  nw_rt_kernel *kernel = calloc(1, sizeof *kernel + length);
  if (!kernel) {
    nw_rt_fail(NW_RT_OUT_OF_MEMORY, "out of host memory");
    return NULL;
  }
  if (!device->backend->find_kernel(device, state->program, name, &kernel->handle,
                                    &kernel->most_threads)) {
    free(kernel);
    return NULL;
  }
  memcpy(kernel->name, name, length);
  kernel->next = state->kernels;
  state->kernels = kernel;
  return kernel;
}
