/* Times of regions and kernels. With NESTWARP_TIMES=FILE, marks are set in the device's order of
 * work before the first launch of a region and after its last, so that copies in and out are not
 * counted but everything between launches is; the file is written when the process exits. With
 * NESTWARP_TIME_KERNELS=1, each launch is measured too, which disturbs the region as a whole: the
 * two belong into different runs. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

enum { MOST_TIMES = 256, MOST_LAUNCHES_TIMED = 512 };

typedef struct timed_kernel {
  struct timed_kernel *next;
  long long launches, timed;
  double milliseconds, least;
  nw_shape shape; /* of the first launch */
  char name[];
} timed_kernel;

typedef struct timed_region {
  struct timed_region *next;
  long long calls;
  double milliseconds[MOST_TIMES]; /* of the first calls */
  timed_kernel *kernels;
  const char *where; /* the site's, which stays */
} timed_region;

/* A launch whose time is not known before the region has finished. */
typedef struct pending {
  timed_kernel *kernel;
  nw_rt_handle before, after;
} pending;

struct nw_rt_timer {
  nw_rt_stream *stream;
  timed_region *region;
  nw_rt_handle begin;
  int count;
  pending launches[MOST_LAUNCHES_TIMED];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards all below */
static timed_region *regions;
static const char *file;
static int times_kernels;
static const nw_rt_device *used;
static void (*listener)(const char *where, double milliseconds);

static timed_region *region_of(const char *where) {
  timed_region **at = &regions;
  while (*at && (*at)->where != where) /* the text of one site: others may have the same words */
    at = &(*at)->next;
  if (!*at && (*at = calloc(1, sizeof **at)))
    (*at)->where = where;
  return *at;
}

static timed_kernel *kernel_of(timed_region *region, const char *name, const nw_shape *shape) {
  timed_kernel **at = &region->kernels;
  while (*at && strcmp((*at)->name, name) != 0)
    at = &(*at)->next;
  if (!*at && (*at = calloc(1, sizeof **at + strlen(name) + 1))) {
    strcpy((*at)->name, name);
    (*at)->shape = *shape;
  }
  return *at;
}

nw_rt_timer *nw_rt_timer_start(nw_rt_stream *stream, const char *where) {
  pthread_mutex_lock(&lock);
  int is_wanted = file || listener;
  pthread_mutex_unlock(&lock);
  nw_rt_timer *timer = is_wanted ? calloc(1, sizeof *timer) : NULL;
  if (!timer)
    return NULL;
  timer->stream = stream;
  pthread_mutex_lock(&lock);
  timer->region = region_of(where);
  used = stream->device;
  pthread_mutex_unlock(&lock);
  if (!timer->region || !stream->device->backend->mark(stream, &timer->begin)) {
    free(timer);
    return NULL;
  }
  return timer;
}

int nw_rt_timer_times_kernels(const nw_rt_timer *timer) { return timer && times_kernels; }

void nw_rt_timer_before(nw_rt_timer *timer, const char *kernel, const nw_shape *shape) {
  if (!timer)
    return;
  pthread_mutex_lock(&lock);
  timed_kernel *timed = kernel_of(timer->region, kernel, shape);
  if (timed)
    timed->launches += 1;
  pthread_mutex_unlock(&lock);
  if (!timed)
    return;
  pending *launch = &timer->launches[timer->count];
  if (!times_kernels || timer->count == MOST_LAUNCHES_TIMED ||
      !timer->stream->device->backend->mark(timer->stream, &launch->before))
    return;
  launch->kernel = timed;
}

void nw_rt_timer_after(nw_rt_timer *timer) {
  if (!timer || timer->count == MOST_LAUNCHES_TIMED || !timer->launches[timer->count].kernel)
    return;
  pending *launch = &timer->launches[timer->count];
  if (timer->stream->device->backend->mark(timer->stream, &launch->after))
    timer->count += 1;
  else
    launch->kernel = NULL;
}

nw_rt_handle nw_rt_timer_end(nw_rt_timer *timer) {
  nw_rt_handle end = 0;
  if (timer && !timer->stream->device->backend->mark(timer->stream, &end))
    end = 0;
  return end;
}

/* The device has finished: all marks are reached. */
void nw_rt_timer_stop(nw_rt_timer *timer, nw_rt_handle end, int done) {
  if (!timer)
    return;
  const nw_rt_backend *backend = timer->stream->device->backend;
  pthread_mutex_lock(&lock);
  double took = done && end ? backend->between(timer->stream, timer->begin, end) : 0;
  if (done && end && listener)
    listener(timer->region->where, took);
  if (done && end && timer->region->calls < MOST_TIMES)
    timer->region->milliseconds[timer->region->calls++] = took;
  for (int i = 0; i < timer->count; ++i) {
    pending *launch = &timer->launches[i];
    double own = done ? backend->between(timer->stream, launch->before, launch->after) : 0;
    if (done) {
      launch->kernel->least =
          launch->kernel->timed && launch->kernel->least < own ? launch->kernel->least : own;
      launch->kernel->timed += 1;
      launch->kernel->milliseconds += own;
    }
    backend->unmark(timer->stream, launch->before);
    backend->unmark(timer->stream, launch->after);
  }
  if (timer->count < MOST_LAUNCHES_TIMED &&
      timer->launches[timer->count].kernel) /* its launch failed */
    backend->unmark(timer->stream, timer->launches[timer->count].before);
  backend->unmark(timer->stream, timer->begin);
  if (end)
    backend->unmark(timer->stream, end);
  pthread_mutex_unlock(&lock);
  free(timer);
}

/* Nothing that a child does on the host has a time; a child that uses a device itself begins anew.
 */
void nw_rt_timing_in_child(void) {
  lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
  if (nw_rt_has_drivers())
    file = NULL;
}

void nw_listen_for_times(void (*to)(const char *where, double milliseconds)) {
  pthread_mutex_lock(&lock);
  listener = to;
  pthread_mutex_unlock(&lock);
}

static void write_kernel(FILE *out, const timed_kernel *k) {
  char name[300];
  nw_rt_quote(k->name, name, sizeof name);
  fprintf(out,
          "{\"name\": %s, \"launches\": %lld, \"timed\": %lld, \"milliseconds\": %.6f, \"least\": "
          "%.6f, ",
          name, k->launches, k->timed, k->milliseconds, k->least);
  fprintf(out, "\"grid\": [%lld, %lld, %lld], \"block\": [%d, %d, %d]}", k->shape.grid[0],
          k->shape.grid[1], k->shape.grid[2], k->shape.block[0], k->shape.block[1],
          k->shape.block[2]);
}

/* Takes no lock and touches no device, as the statistics do. */
static void write_times(void) {
  FILE *out = file ? fopen(file, "w") : NULL;
  char text[700];
  if (!file)
    return;
  if (!out) {
    nw_rt_say("the times cannot be written to %s", file);
    return;
  }
  nw_rt_quote(used ? used->description : "none", text, sizeof text);
  fprintf(out, "{\"device\": %s, ", text);
  nw_rt_quote(used ? used->version : "", text, sizeof text);
  fprintf(out, "\"version\": %s, \"regions\": [", text);
  for (const timed_region *r = regions; r; r = r->next) {
    nw_rt_quote(r->where, text, sizeof text);
    fprintf(out, "%s{\"where\": %s, \"milliseconds\": [", r == regions ? "" : ", ", text);
    for (long long i = 0; i < r->calls; ++i)
      fprintf(out, "%s%.6f", i ? ", " : "", r->milliseconds[i]);
    fprintf(out, "], \"kernels\": [");
    for (const timed_kernel *k = r->kernels; k; k = k->next) {
      fprintf(out, "%s", k == r->kernels ? "" : ", ");
      write_kernel(out, k);
    }
    fprintf(out, "]}");
  }
  fprintf(out, "]}\n");
  if (fclose(out))
    nw_rt_say("the times cannot be written to %s", file);
}

__attribute__((constructor)) static void prepare_times(void) {
  const char *kernels = getenv("NESTWARP_TIME_KERNELS");
  file = getenv("NESTWARP_TIMES");
  times_kernels = kernels && *kernels && strcmp(kernels, "0") != 0;
  if (file && *file)
    atexit(write_times);
  else
    file = NULL;
}
