/* The internal interface between the runtime's region code and its backends (CUDA, OpenCL): what a
 * device is, and the functions that every backend provides. Nothing here is meant for programs;
 * they use nestwarp_rt.h.
 *
 * Functions of a backend that return int return 1 on success; on 0 they have described the failure
 * in nw_rt_failure. */
#ifndef NESTWARP_DEVICE_H
#define NESTWARP_DEVICE_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>

#include "nestwarp_rt.h"

/* Kinds of devices, in the order of preference; also the index into the cost table of decision.c.
 */
enum { NW_RT_CUDA, NW_RT_OPENCL_GPU, NW_RT_OPENCL_CPU, NW_RT_KINDS };

/* What a failure means for the device. */
enum {
  NW_RT_NO_FAILURE,
  NW_RT_OUT_OF_MEMORY, /* this region does not fit; others may */
  NW_RT_BAD_REQUEST,   /* this launch or this module is not possible here; the device is fine */
  NW_RT_DEVICE_FAILED, /* the device did not do what it should; it may be tried again */
  NW_RT_DEVICE_LOST    /* the device cannot be used any more in this process */
};

/* A device buffer, program or kernel: CUdeviceptr, cl_mem, CUmodule, cl_kernel and so on. A handle
 * of a buffer is passed to kernels by its address, in both backends, as a value of
 * sizeof(nw_rt_handle) bytes. */
typedef uintptr_t nw_rt_handle;

/* One kernel argument as the backends take it. */
typedef struct nw_rt_value {
  size_t size;
  const void *bytes;
} nw_rt_value;

enum { NW_RT_MOST_ARGUMENTS = 1024, NW_RT_MOST_DEVICES = 32 };

typedef struct nw_rt_device nw_rt_device;

/* One caller's order of work on a device: a CUDA stream or an OpenCL queue. Only one thread uses it
 * at a time. */
typedef struct nw_rt_stream {
  nw_rt_device *device;
  struct nw_rt_stream *next; /* of all streams, see streams.c */
  int in_use;
  void *callers; /* the caller's own CUstream or cl_command_queue, if is_callers */
  int is_callers;
  struct nw_rt_sequence *sequences; /* launches that may come again, see sequences.c */
  void *backend_data;
} nw_rt_stream;

/* Functions that take a device are called with the runtime's lock held; those that take a stream
 * are not, and may run at the same time for several streams. */
typedef struct nw_rt_backend {
  /* Makes the device ready for work. Called once before any function below. */
  int (*open)(nw_rt_device *device);
  /* Bracket the work of one region in the calling thread; `previous` is what the thread used
   * before. No lock needed. */
  int (*begin)(nw_rt_device *device, nw_rt_handle *previous);
  void (*end)(nw_rt_device *device, nw_rt_handle previous);
  /* Writes the compiler options for a floating-point mode, separated by single spaces; with
   * line_info, kernels keep the lines of their source for profilers. */
  void (*options)(nw_rt_device *device, const char *floating_point, int line_info, char *text,
                  size_t size);
  /* Compiles source. If binary is not NULL, *binary becomes what `load` takes, from malloc, or NULL
   * when the device gives none out. On failure *log may hold the compiler's log, from malloc. */
  int (*compile)(nw_rt_device *device, const char *file, const char *source, const char *options,
                 nw_rt_handle *program, void **binary, size_t *size, char **log);
  /* Makes a program from a binary; a zero byte follows the binary in memory. */
  int (*load)(nw_rt_device *device, const char *options, const void *binary, size_t size,
              nw_rt_handle *program);
  /* Finds a kernel; *most_threads becomes the largest block it can be launched with. */
  int (*find_kernel)(nw_rt_device *device, nw_rt_handle program, const char *name,
                     nw_rt_handle *kernel, int *most_threads);
  /* How many blocks of this size are resident at the same time on the whole device; at least 1. */
  int (*resident_blocks)(nw_rt_device *device, nw_rt_handle kernel, int threads, long long *blocks);
  int (*allocate)(nw_rt_device *device, size_t size, nw_rt_handle *buffer);
  void (*release)(nw_rt_device *device, nw_rt_handle buffer);

  /* Makes a stream, the caller's own or a new one. */
  int (*open_stream)(nw_rt_stream *stream);
  /* Whether kernels in the stream can use a buffer that the caller brought along. */
  int (*accepts)(nw_rt_stream *stream, nw_rt_handle buffer, const char *name);
  /* Whether two buffers of a caller share memory, as far as this can be known from their handles
   * alone; for devices whose handles are no addresses. NULL: they are addresses. */
  int (*share_memory)(nw_rt_device *device, nw_rt_handle left, size_t left_low, size_t left_high,
                      nw_rt_handle right, size_t right_low, size_t right_high);
  /* Memory from here on in the stream's order, and until here. */
  int (*allocate_in_order)(nw_rt_stream *stream, size_t size, nw_rt_handle *buffer);
  void (*release_in_order)(nw_rt_stream *stream, nw_rt_handle buffer);
  /* The host memory may be used again when these return. */
  int (*copy_in)(nw_rt_stream *stream, nw_rt_handle buffer, size_t offset, const void *host,
                 size_t size);
  int (*copy_out)(nw_rt_stream *stream, nw_rt_handle buffer, size_t offset, void *host,
                  size_t size);
  /* From one buffer to another; NULL for a device whose handles are addresses. */
  int (*copy_within)(nw_rt_stream *stream, nw_rt_handle from, size_t from_offset, nw_rt_handle to,
                     size_t to_offset, size_t size);
  /* Fills a buffer with zeros. */
  int (*clear)(nw_rt_stream *stream, nw_rt_handle buffer, size_t size);
  /* Starts a kernel after all earlier work; the shape has been checked against the device's limits.
   */
  int (*launch)(nw_rt_stream *stream, nw_rt_handle kernel, const nw_shape *shape,
                const nw_rt_value *values, int count);
  /* Waits for all work; fails if any of it failed. */
  int (*finish)(nw_rt_stream *stream);
  /* A mark in the order of work, and the milliseconds between two of them, once the work has
   * finished. */
  int (*mark)(nw_rt_stream *stream, nw_rt_handle *mark);
  double (*between)(nw_rt_stream *stream, nw_rt_handle first, nw_rt_handle second);
  void (*unmark)(nw_rt_stream *stream, nw_rt_handle mark);

  /* Graphs: kernels one after the other, to be started at once; NULL for a device that has none
   * (all five). A graph under construction is ended in any case, and becomes nothing if adding
   * failed. */
  int (*graph_begin)(nw_rt_stream *stream, nw_rt_handle *making);
  int (*graph_add)(nw_rt_stream *stream, nw_rt_handle making, nw_rt_handle kernel,
                   const nw_shape *shape, const nw_rt_value *values, int count);
  int (*graph_end)(nw_rt_stream *stream, nw_rt_handle making, int is_whole, nw_rt_handle *graph);
  int (*replay)(nw_rt_stream *stream, nw_rt_handle graph);
  void (*forget)(nw_rt_stream *stream, nw_rt_handle graph);
} nw_rt_backend;

struct nw_rt_device {
  const nw_rt_backend *backend;
  int kind;              /* NW_RT_CUDA ... */
  int index;             /* of the label */
  char label[24];        /* "cuda:0", "opencl:1" */
  char name[256];        /* as the driver names it */
  char description[512]; /* name and properties, for the list of devices */
  char version[256];     /* driver and compiler versions; part of the key of the cache */
  int compute_units;
  unsigned long long memory;         /* bytes */
  unsigned long long largest_buffer; /* bytes */
  int can_compile;                   /* 0: only kernels found in the cache can be used */
  int has_grid_barrier;
  long long grid_limit[3];
  int block_limit[3];
  int block_threads;
  int opened;
  int failures; /* of the device itself */
  void *backend_data;
};

/* devices.c */

/* The device in use, chosen at the first call; NULL when there is none (said once, where it is
 * worth saying), when it has been given up, or when it is that of the process before a fork. */
nw_rt_device *nw_rt_device_in_use(void);
/* Whether drivers are loaded, or being loaded, that may have threads. */
int nw_rt_has_drivers(void);
/* Whether the device in use has been opened. */
int nw_rt_is_device_open(void);
/* In a forked child, whatever another thread of the parent's held. */
void nw_rt_renew_device_lock(void);
/* Lists the devices as nw_list_devices does, as a JSON list of objects; with `only`, that one
 * alone. */
int nw_rt_list_devices_as_json(const nw_rt_device *only);
/* Stops the use of the device for the rest of the process, and says so. */
void nw_rt_give_up_device(nw_rt_device *device);

/* The latest failure of the calling thread: NW_RT_... and its words. */
typedef struct nw_rt_failure_record {
  int kind;
  char text[768];
} nw_rt_failure_record;
extern _Thread_local nw_rt_failure_record nw_rt_failure;
/* Records a failure; always returns 0. */
int nw_rt_fail(int kind, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Prints one line on stderr, beginning with "nestwarp: ". */
void nw_rt_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* One function of a library loaded at run time: its name and where its address belongs. */
typedef struct nw_rt_symbol {
  const char *name;
  size_t offset;
} nw_rt_symbol;

/* Opens the first of the named libraries (the list ends with NULL) that there is; NULL if none. */
void *nw_rt_open_library(const char *const *names);
/* Fills the function pointers of `table`; NULL when all were found, else the name of a missing one.
 */
const char *nw_rt_load_symbols(void *library, const nw_rt_symbol *symbols, size_t count,
                               void *table);

/* Each looks for the devices of one backend, fills at most `capacity` of them in the order of
 * preference and returns how many; when there are none, `reason` says why. */
int nw_rt_discover_cuda(nw_rt_device *devices, int capacity, char *reason, size_t size);
int nw_rt_discover_opencl(nw_rt_device *devices, int capacity, char *reason, size_t size);

#endif
