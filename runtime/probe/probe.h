/* The probe of nestwarp-run: asks the device in use what it is, measures what a data sheet does not
 * say, and writes both into one JSON file, which `nestwarp devices --import` turns into a device
 * description and into drawings.
 *
 * It uses the runtime's device interface; what that does not offer (events, pinned memory, queries)
 * is behind nw_probe_backend. Functions that return int return 1 on success; on 0 the device's
 * error says what went wrong. */
#ifndef NESTWARP_PROBE_H
#define NESTWARP_PROBE_H

#include "../device.h"

/* A text that grows. After a failed allocation it stays as it is and `failed` is set. */
typedef struct nw_text {
  char *bytes;
  size_t length, capacity;
  int failed;
} nw_text;

typedef struct nw_probe nw_probe;

/* What the probe needs of CUDA and OpenCL beside nw_rt_backend. */
typedef struct nw_probe_backend {
  int (*open)(nw_probe *probe);
  void (*close)(nw_probe *probe);
  /* Reports what the driver says, with nw_probe_query, and fills in the numbers of nw_probe that
   * measurements need. */
  void (*query)(nw_probe *probe);
  /* Launches `times` times in a row; *seconds is the device's time from the first start to the last
   * end. */
  int (*run)(nw_probe *probe, nw_rt_handle kernel, const nw_shape *shape, const nw_rt_value *values,
             int count, int times, double *seconds);
  /* Host memory that the device reads without a detour; NULL if there is none. */
  void *(*pinned)(nw_probe *probe, size_t size);
  void (*unpin)(nw_probe *probe, void *host);
  /* Copies, and waits. */
  int (*copy_in)(nw_probe *probe, nw_rt_handle buffer, const void *host, size_t size);
  int (*copy_out)(nw_probe *probe, nw_rt_handle buffer, void *host, size_t size);
} nw_probe_backend;

extern const nw_probe_backend nw_probe_cuda, nw_probe_opencl;

enum { NW_PROBE_MOST_KERNELS = 32 };

typedef struct nw_probe_kernel {
  const char *name; /* a constant of the program */
  nw_rt_handle handle;
  int most_threads;
} nw_probe_kernel;

struct nw_probe {
  nw_rt_device *device;
  nw_rt_handle previous; /* what the thread used before, see nw_rt_backend */
  const nw_probe_backend *more;
  void *data; /* of `more` */
  int quick;

  /* What the measurements need to know. */
  int warp;           /* 1 when nobody says */
  int resident;       /* threads on a multiprocessor; 0 when nobody says */
  size_t cache_bytes; /* of the last cache before memory; 0 when nobody says */
  int has_fp64;

  /* What they share. */
  nw_rt_handle program;
  nw_probe_kernel kernels[NW_PROBE_MOST_KERNELS]; /* those found so far */
  int kernel_count;
  nw_rt_handle data_buffer, out_buffer, flush_buffer;
  size_t data_bytes, flush_bytes; /* data_bytes is a power of two */
  double clock;                   /* Hz, measured; 0 before */

  /* What they found, as JSON without the brackets around it. */
  nw_text queried, measured, curves, skipped;
  int lines, points; /* of the curve that is being written */
};

/* probe.c */
typedef struct nw_probe_options {
  const char *output; /* NULL: standard output */
  int quick;
} nw_probe_options;

/* Probes the device in use (NESTWARP_DEVICE chooses it); the exit status of the tool. */
int nw_probe_run(const nw_probe_options *options);

/* kernels.c: the text of the kernels in one of the two languages, from malloc. */
char *nw_probe_source(int is_cuda, int has_fp64);

/* timing.c */
typedef struct nw_probe_job {
  const char *kernel;
  nw_shape shape;
  const nw_rt_value *values;
  int count;
  int times; /* launches in a row; the time is of one; 0 means 1 */
  int warm;  /* whether the caches may hold what earlier launches left */
} nw_probe_job;

#define NW_PROBE_VALUE(variable) {sizeof(variable), &(variable)}

/* A kernel of the probe's program; NULL with the device's error set. */
const nw_probe_kernel *nw_probe_find(nw_probe *probe, const char *name);
nw_shape nw_probe_shape(long long blocks, int threads);
/* Blocks of so many threads that fill the device. */
long long nw_probe_blocks(const nw_probe *probe, int threads);
/* The median of several runs after one to warm up. */
int nw_probe_time(nw_probe *probe, const nw_probe_job *job, double *seconds);
/* Sorts the samples, which must be at least one. */
double nw_probe_median(double *samples, int count);
/* Seconds of a clock that only goes forward. */
double nw_probe_now(void);

/* json.c: the parts of the result. Numbers that are not finite are left out. */
void nw_probe_query(nw_probe *probe, const char *field, double value);
void nw_probe_query_text(nw_probe *probe, const char *field, const char *value);
void nw_probe_query_list(nw_probe *probe, const char *field, const long long values[3]);
void nw_probe_measure(nw_probe *probe, const char *field, double value);
void nw_probe_skip(nw_probe *probe, const char *what, const char *why);

typedef struct nw_probe_curve {
  const char *id, *title, *x, *y; /* the axes with their units */
  int log_x, log_y;
} nw_probe_curve;

void nw_probe_begin_curve(nw_probe *probe, const nw_probe_curve *curve);
void nw_probe_begin_line(nw_probe *probe, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void nw_probe_point(nw_probe *probe, double x, double y);
void nw_probe_end_curve(nw_probe *probe);
/* Writes all parts; 0 if that is not possible, with the cause on stderr. */
int nw_probe_write(const nw_probe *probe, const char *output);
void nw_probe_print(nw_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void nw_probe_print_string(nw_text *text, const char *string);

/* The measurements, in memory.c, shared.c, rates.c and host.c. */
int nw_probe_clock(nw_probe *probe);
int nw_probe_copy_bandwidth(nw_probe *probe);
int nw_probe_strides(nw_probe *probe);
int nw_probe_threads(nw_probe *probe);
int nw_probe_distribution(nw_probe *probe);
int nw_probe_channels(nw_probe *probe);
int nw_probe_cache(nw_probe *probe);
int nw_probe_read_only(nw_probe *probe);
int nw_probe_latency(nw_probe *probe);
int nw_probe_shared_strides(nw_probe *probe);
int nw_probe_shared_degrees(nw_probe *probe);
int nw_probe_shared_groups(nw_probe *probe);
int nw_probe_shared_widths(nw_probe *probe);
int nw_probe_rates(nw_probe *probe);
int nw_probe_launches(nw_probe *probe);
int nw_probe_grid_barrier(nw_probe *probe);
int nw_probe_transfers(nw_probe *probe);

#endif
