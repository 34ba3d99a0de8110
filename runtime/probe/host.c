/* Between host and device: what a launch, a barrier of the whole grid and a copy cost. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe.h"

/* Kernels in a row, by the device's clock; and one kernel that is waited for, by the host's. */
int nw_probe_launches(nw_probe *probe) {
  enum { SAMPLES = 20 };
  double seconds, samples[SAMPLES];
  nw_rt_value values[] = {NW_PROBE_VALUE(probe->out_buffer)};
  nw_probe_job job = {
      "probe_nothing", nw_probe_shape(1, 32), values, 1, probe->quick ? 100 : 1000, 1};
  const nw_probe_kernel *kernel = nw_probe_find(probe, job.kernel);
  if (!kernel || !nw_probe_time(probe, &job, &seconds))
    return 0;
  nw_probe_measure(probe, "launchMicroseconds", 1e6 * seconds);
  for (int i = 0; i < SAMPLES; ++i) {
    double begin = nw_probe_now();
    if (!probe->more->run(probe, kernel->handle, &job.shape, values, 1, 1, &seconds))
      return 0;
    samples[i] = nw_probe_now() - begin;
  }
  nw_probe_measure(probe, "launchAndWaitMicroseconds", 1e6 * nw_probe_median(samples, SAMPLES));
  return 1;
}

int nw_probe_grid_barrier(nw_probe *probe) {
  enum { THREADS = 256 };
  unsigned zero[2] = {0, 0};
  double one, two;
  int rounds = 200, twice = 400;
  nw_rt_value values[] = {NW_PROBE_VALUE(probe->out_buffer), NW_PROBE_VALUE(rounds)};
  nw_probe_job job = {
      "probe_barrier", nw_probe_shape(probe->device->compute_units, THREADS), values, 2, 0, 1};
  job.shape.mode = NW_COOPERATIVE;
  if (!probe->device->has_grid_barrier)
    return nw_rt_fail(NW_RT_BAD_REQUEST, "the device has no grid barrier");
  if (!probe->more->copy_in(probe, probe->out_buffer, zero, sizeof zero) ||
      !nw_probe_time(probe, &job, &one))
    return 0;
  values[1].bytes = &twice;
  if (!nw_probe_time(probe, &job, &two))
    return 0;
  if (!(two > one))
    return nw_rt_fail(NW_RT_BAD_REQUEST, "more barriers take no more time");
  nw_probe_measure(probe, "gridBarrierMicroseconds", 1e6 * (two - one) / rounds);
  return 1;
}

/* Seconds of one copy as a program sees it. */
static int copy_time(nw_probe *probe, int out, void *host, size_t size, double *seconds) {
  enum { SAMPLES = 5 };
  double samples[SAMPLES];
  for (int i = -1; i < SAMPLES; ++i) {
    double begin = nw_probe_now();
    if (!(out ? probe->more->copy_out(probe, probe->data_buffer, host, size)
              : probe->more->copy_in(probe, probe->data_buffer, host, size)))
      return 0;
    if (i >= 0)
      samples[i] = nw_probe_now() - begin;
  }
  *seconds = nw_probe_median(samples, SAMPLES);
  return 1;
}

/* The line of one direction and one kind of memory; *rate becomes that of the largest copy,
 * *shortest the time of the smallest. */
static int transfer_line(nw_probe *probe, int out, void *host, size_t most, double *rate,
                         double *shortest) {
  double seconds;
  *rate = *shortest = 0;
  for (size_t size = 16; size <= most; size *= probe->quick ? 16 : 4) {
    if (!copy_time(probe, out, host, size, &seconds))
      return 0;
    *rate = 1e-9 * (double)size / seconds;
    if (size == 16)
      *shortest = seconds;
    nw_probe_point(probe, (double)size, *rate);
  }
  return 1;
}

int nw_probe_transfers(nw_probe *probe) {
  static const char *const fields[2][2] = {{"toDevicePageable", "fromDevicePageable"},
                                           {"toDeviceBandwidth", "fromDeviceBandwidth"}};
  nw_probe_curve curve = {
      "transfers", "Copies between host and device against their size", "bytes", "GB/s", 1, 1};
  size_t most = probe->data_bytes < (size_t)(probe->quick ? 16 : 256) << 20
                    ? probe->data_bytes
                    : (size_t)(probe->quick ? 16 : 256) << 20;
  void *memory[2] = {malloc(most), probe->more->pinned(probe, most)};
  double rate, shortest, latency = 0;
  int lines = 0;
  int done = memory[0] ? 1 : nw_rt_fail(NW_RT_OUT_OF_MEMORY, "no host memory");
  nw_probe_begin_curve(probe, &curve);
  for (int i = 0; done && i < 4; ++i) {
    int pinned = i / 2, out = i % 2;
    if (!memory[pinned])
      continue;
    memset(memory[pinned], 0, most);
    nw_probe_begin_line(probe, "%s, %s", out ? "from the device" : "to the device",
                        pinned ? "pinned" : "pageable");
    done = transfer_line(probe, out, memory[pinned], most, &rate, &shortest);
    if (!done)
      break;
    nw_probe_measure(probe, fields[pinned][out], rate);
    latency += shortest;
    lines += 1;
  }
  nw_probe_end_curve(probe);
  if (done)
    nw_probe_measure(probe, "transferMicroseconds", 1e6 * latency / lines);
  free(memory[0]);
  if (memory[1])
    probe->more->unpin(probe, memory[1]);
  return done;
}
