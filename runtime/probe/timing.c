/* How the probe takes a time: one run to warm up, then several, of which the median counts. Unless
 * a job is warm, the caches are filled with other data before each run. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "probe.h"

enum { MOST_SAMPLES = 7 };

double nw_probe_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int by_size(const void *left, const void *right) {
  double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

double nw_probe_median(double *samples, int count) {
  qsort(samples, (size_t)count, sizeof *samples, by_size);
  return count % 2 ? samples[count / 2] : (samples[count / 2 - 1] + samples[count / 2]) / 2;
}

nw_shape nw_probe_shape(long long blocks, int threads) {
  nw_shape shape = {{blocks, 1, 1}, {threads, 1, 1}, NW_PLAIN};
  return shape;
}

long long nw_probe_blocks(const nw_probe *probe, int threads) {
  int resident = probe->resident ? probe->resident : 1024;
  int each = resident / threads;
  return (long long)probe->device->compute_units * (each > 0 ? each : 1);
}

const nw_probe_kernel *nw_probe_find(nw_probe *probe, const char *name) {
  for (int i = 0; i < probe->kernel_count; ++i)
    if (strcmp(probe->kernels[i].name, name) == 0)
      return &probe->kernels[i];
  nw_probe_kernel *kernel = &probe->kernels[probe->kernel_count];
  if (probe->kernel_count == NW_PROBE_MOST_KERNELS) {
    nw_rt_fail(NW_RT_BAD_REQUEST, "too many kernels");
    return NULL;
  }
  if (!probe->device->backend->find_kernel(probe->device, probe->program, name, &kernel->handle,
                                           &kernel->most_threads))
    return NULL;
  kernel->name = name;
  probe->kernel_count += 1;
  return kernel;
}

/* Writes over a buffer as large as the caches. */
static int flush(nw_probe *probe) {
  double seconds;
  long long words = (long long)(probe->flush_bytes / 4);
  unsigned value = 0;
  nw_rt_value values[] = {NW_PROBE_VALUE(probe->flush_buffer), NW_PROBE_VALUE(words),
                          NW_PROBE_VALUE(value)};
  nw_shape shape = nw_probe_shape(nw_probe_blocks(probe, 256), 256);
  if (!probe->flush_bytes)
    return 1;
  const nw_probe_kernel *kernel = nw_probe_find(probe, "probe_fill");
  return kernel && probe->more->run(probe, kernel->handle, &shape, values, 3, 1, &seconds);
}

int nw_probe_time(nw_probe *probe, const nw_probe_job *job, double *seconds) {
  double samples[MOST_SAMPLES];
  int count = probe->quick ? 3 : MOST_SAMPLES, times = job->times ? job->times : 1;
  const nw_probe_kernel *kernel = nw_probe_find(probe, job->kernel);
  if (!kernel)
    return 0;
  if (job->shape.block[0] > kernel->most_threads)
    return nw_rt_fail(NW_RT_BAD_REQUEST, "%s cannot run with %d threads", job->kernel,
                      job->shape.block[0]);
  for (int i = -1; i < count; ++i) {
    double sample;
    if (!job->warm && !flush(probe))
      return 0;
    if (!probe->more->run(probe, kernel->handle, &job->shape, job->values, job->count, times,
                          &sample))
      return 0;
    if (i >= 0)
      samples[i] = sample / times;
  }
  *seconds = nw_probe_median(samples, count);
  if (!(*seconds > 0))
    return nw_rt_fail(NW_RT_BAD_REQUEST, "%s takes no time by the device's clock", job->kernel);
  return 1;
}
