/* The devices of this machine: looking for them, choosing one (by preference or by
 * NESTWARP_DEVICE), listing them; and the small helpers that the backends share. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

static nw_rt_device devices[NW_RT_MOST_DEVICES]; /* CUDA devices first, then OpenCL devices */
static int cuda_count = -1, opencl_count = -1;   /* -1: not looked for yet */
static char cuda_reason[256], opencl_reason[256];
static _Atomic(nw_rt_device *) in_use;
static pthread_once_t chosen_once = PTHREAD_ONCE_INIT;
static pthread_mutex_t discovery_lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int has_drivers; /* some are loaded, or being loaded, and may have threads */

void nw_rt_say(const char *format, ...) {
  char text[2048];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  fprintf(stderr, "nestwarp: %s\n", text);
}

_Thread_local nw_rt_failure_record nw_rt_failure;

int nw_rt_fail(int kind, const char *format, ...) {
  char text[sizeof nw_rt_failure.text]; /* the arguments may be parts of the old text */
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  memcpy(nw_rt_failure.text, text, sizeof text);
  nw_rt_failure.kind = kind;
  return 0;
}

/* Whether the first object, which is the program, names a dynamic loader; then it ends. */
static int has_loader(struct dl_phdr_info *object, size_t size, void *answer) {
  (void)size;
  for (int i = 0; i < object->dlpi_phnum; ++i)
    *(int *)answer |= object->dlpi_phdr[i].p_type == PT_INTERP;
  return 1;
}

/* Whether the program was linked with -static or -static-pie. A driver that is loaded into it
 * brings a C library of its own along, and crashes. */
static int is_linked_statically(void) {
  int is_dynamic = 0;
  dl_iterate_phdr(has_loader, &is_dynamic);
  return !is_dynamic;
}

static const char linked_statically[] =
    "the program is linked statically, and cannot load a driver";

void *nw_rt_open_library(const char *const *names) {
  void *library = NULL;
  for (; *names && !library; ++names)
    library = dlopen(*names, RTLD_NOW | RTLD_LOCAL);
  return library;
}

const char *nw_rt_load_symbols(void *library, const nw_rt_symbol *symbols, size_t count,
                               void *table) {
  for (size_t i = 0; i < count; ++i) {
    void *address = dlsym(library, symbols[i].name);
    if (!address)
      return symbols[i].name;
    memcpy((char *)table + symbols[i].offset, &address, sizeof address);
  }
  return NULL;
}

/* No devices, and why. */
static int none_because(const char *why, char *reason, size_t size) {
  snprintf(reason, size, "%s", why);
  return 0;
}

/* Looks for the CUDA devices, once; returns their number. They are devices[0..]. */
static int find_cuda(void) {
  has_drivers = 1;
  if (cuda_count < 0 && is_linked_statically())
    cuda_count = none_because(linked_statically, cuda_reason, sizeof cuda_reason);
  if (cuda_count < 0)
    cuda_count =
        nw_rt_discover_cuda(devices, NW_RT_MOST_DEVICES / 2, cuda_reason, sizeof cuda_reason);
  return cuda_count;
}

/* The first of the OpenCL devices. */
static nw_rt_device *opencl_devices(void) { return devices + NW_RT_MOST_DEVICES / 2; }

/* Looks for the OpenCL devices, once; returns their number. */
static int find_opencl(void) {
  has_drivers = 1;
  if (opencl_count < 0 && is_linked_statically())
    opencl_count = none_because(linked_statically, opencl_reason, sizeof opencl_reason);
  if (opencl_count < 0)
    opencl_count = nw_rt_discover_opencl(opencl_devices(), NW_RT_MOST_DEVICES / 2, opencl_reason,
                                         sizeof opencl_reason);
  return opencl_count;
}

/* The first OpenCL device of a kind; NULL if there is none. */
static nw_rt_device *first_opencl(int kind) {
  for (int i = 0, count = find_opencl(); i < count; ++i)
    if (opencl_devices()[i].kind == kind)
      return opencl_devices() + i;
  return NULL;
}

/* The device that is used when the user names none: CUDA, then an OpenCL GPU, then an OpenCL CPU;
 * NULL if there is none. A CUDA device without a compiler (NVRTC) comes after all others. */
static nw_rt_device *preferred_device(void) {
  for (int i = 0, count = find_cuda(); i < count; ++i)
    if (devices[i].can_compile)
      return devices + i;
  nw_rt_device *device = first_opencl(NW_RT_OPENCL_GPU);
  if (!device)
    device = first_opencl(NW_RT_OPENCL_CPU);
  if (!device && find_cuda() > 0)
    device = devices;
  return device;
}

/* Reads "name" or "name:index"; index is -1 without one. 0 if `text` is neither with this name. */
static int matches(const char *text, const char *name, int *index) {
  size_t length = strlen(name);
  char *end;
  *index = -1;
  if (strncmp(text, name, length) != 0)
    return 0;
  if (!text[length])
    return 1;
  if (text[length] != ':' || text[length + 1] < '0' || text[length + 1] > '9')
    return 0;
  long number = strtol(text + length + 1, &end, 10);
  *index = number < NW_RT_MOST_DEVICES ? (int)number : NW_RT_MOST_DEVICES;
  return !*end;
}

/* The device that the user names; NULL if it is not there, with *reason set, or if the name is
 * unknown, with *reason NULL. */
static nw_rt_device *named_device(const char *name, const char **reason) {
  int index;
  *reason = NULL;
  if (matches(name, "cuda", &index)) {
    int count = find_cuda();
    *reason = count ? "no CUDA device has this number" : cuda_reason;
    return (index < 0 ? 0 : index) < count ? devices + (index < 0 ? 0 : index) : NULL;
  }
  if (matches(name, "opencl", &index)) {
    int count = find_opencl();
    *reason = count ? "no OpenCL device has this number" : opencl_reason;
    return (index < 0 ? 0 : index) < count ? opencl_devices() + (index < 0 ? 0 : index) : NULL;
  }
  int kind = -1;
  if (strcmp(name, "opencl-gpu") == 0)
    kind = NW_RT_OPENCL_GPU;
  if (strcmp(name, "pocl") == 0 || strcmp(name, "cpu") == 0)
    kind = NW_RT_OPENCL_CPU;
  if (kind < 0)
    return NULL;
  *reason = find_opencl() ? "no OpenCL device of this kind" : opencl_reason;
  return first_opencl(kind);
}

/* Chooses the device of this process. */
static void choose(void) {
  const char *name = getenv("NESTWARP_DEVICE"), *reason;
  if (name && (strcmp(name, "none") == 0 || strcmp(name, "host") == 0))
    return;
  if (!name || !*name) {
    in_use = preferred_device();
    if (!in_use)
      nw_rt_say("%s; running the original loops",
                is_linked_statically() ? linked_statically : "no GPU or OpenCL device found");
    return;
  }
  in_use = named_device(name, &reason);
  if (in_use)
    return;
  if (reason)
    nw_rt_say("NESTWARP_DEVICE=%s is not available: %s; running the original loops", name, reason);
  else
    nw_rt_say("NESTWARP_DEVICE=%s is unknown (cuda, opencl, opencl-gpu, pocl, cpu, none, cuda:N or "
              "opencl:N); "
              "running the original loops",
              name);
}

/* Chooses under the lock that listing takes as well. */
static void choose_locked(void) {
  pthread_mutex_lock(&discovery_lock);
  choose();
  if (!in_use)
    has_drivers = 0; /* none that will be asked again */
  pthread_mutex_unlock(&discovery_lock);
}

nw_rt_device *nw_rt_device_in_use(void) {
  if (nw_rt_is_forked())
    return NULL;
  pthread_once(&chosen_once, choose_locked);
  return in_use;
}

int nw_rt_has_drivers(void) { return has_drivers; }

int nw_rt_is_device_open(void) {
  nw_rt_device *device = in_use;
  return device && device->opened;
}

void nw_rt_renew_device_lock(void) { discovery_lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER; }

void nw_rt_give_up_device(nw_rt_device *device) {
  if (in_use != device)
    return;
  nw_rt_say("%s is no longer used after %s; running the original loops", device->label,
            nw_rt_failure.kind == NW_RT_DEVICE_LOST ? "an error that it cannot recover from"
                                                    : "repeated failures");
  in_use = NULL;
}

/* Prints the line of one device. */
static void print_device(const nw_rt_device *device, const nw_rt_device *preferred) {
  printf("%s  %s%s\n", device->label, device->description, device == preferred ? "  *" : "");
}

int nw_list_devices(void) {
  pthread_mutex_lock(&discovery_lock);
  const nw_rt_device *preferred = preferred_device();
  int cuda = find_cuda(), opencl = find_opencl();
  for (int i = 0; i < cuda; ++i)
    print_device(devices + i, preferred);
  for (int i = 0; i < opencl; ++i)
    print_device(opencl_devices() + i, preferred);
  pthread_mutex_unlock(&discovery_lock);
  fflush(stdout);
  return cuda + opencl;
}

/* Prints a text as a JSON string; what is not a plain character becomes a question mark. */
static void print_string(const char *text) {
  putchar('"');
  for (; *text; ++text)
    if (*text == '"' || *text == '\\')
      printf("\\%c", *text);
    else
      putchar(*text < 32 || *text > 126 ? '?' : *text);
  putchar('"');
}

static void print_device_as_json(const nw_rt_device *device, const nw_rt_device *preferred,
                                 int is_first) {
  static const char *const kinds[] = {
      [NW_RT_CUDA] = "cuda", [NW_RT_OPENCL_GPU] = "opencl", [NW_RT_OPENCL_CPU] = "cpu"};
  printf("%s\n  {\"label\": \"%s\", \"kind\": \"%s\", \"name\": ", is_first ? "" : ",",
         device->label, kinds[device->kind]);
  print_string(device->name);
  printf(", \"description\": ");
  print_string(device->description);
  printf(", \"version\": ");
  print_string(device->version);
  printf(", \"multiprocessors\": %d, \"memoryBytes\": %llu, \"isDefault\": %s}",
         device->compute_units, device->memory, device == preferred ? "true" : "false");
}

int nw_rt_list_devices_as_json(const nw_rt_device *only) {
  pthread_mutex_lock(&discovery_lock);
  const nw_rt_device *preferred = preferred_device();
  int cuda = find_cuda(), opencl = find_opencl(), listed = 0;
  printf("[");
  for (int i = 0; i < cuda + opencl; ++i) {
    const nw_rt_device *device = i < cuda ? devices + i : opencl_devices() + i - cuda;
    if (!only || device == only)
      print_device_as_json(device, preferred, listed++ == 0);
  }
  printf("\n]\n");
  pthread_mutex_unlock(&discovery_lock);
  fflush(stdout);
  return listed;
}
