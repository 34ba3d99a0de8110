/* Shared memory: the time of an access against the stride between threads and against the conflict
 * degree, what the banks look at together, and elements narrower and wider than a bank. Each access
 * waits for the one before. */
#include <stdio.h>

#include "probe.h"

enum { MOST_LANES = 64, BANKS = 32 };

/* Which element lane l goes to: across * (l % width) + down * (l / width). */
typedef struct pattern {
  int across, down, width;
} pattern;

/* The threads whose accesses form a pattern. */
static int lanes_of(const nw_probe *probe) {
  return probe->warp < 2 ? BANKS : probe->warp > MOST_LANES ? MOST_LANES : probe->warp;
}

/* ns of one access by each of `threads` threads of one block. */
static int access_time(nw_probe *probe, const char *kernel, int threads, pattern p,
                       double *nanoseconds) {
  double one, two;
  int rounds = probe->quick ? 4096 : 16384, twice = 2 * rounds, lanes = lanes_of(probe);
  nw_rt_value values[] = {
      NW_PROBE_VALUE(probe->out_buffer), NW_PROBE_VALUE(rounds), NW_PROBE_VALUE(lanes),
      NW_PROBE_VALUE(p.across),          NW_PROBE_VALUE(p.down), NW_PROBE_VALUE(p.width)};
  nw_probe_job job = {kernel, nw_probe_shape(1, threads), values, 6, 0, 1};
  if (!nw_probe_time(probe, &job, &one))
    return 0;
  values[1].bytes = &twice;
  if (!nw_probe_time(probe, &job, &two))
    return 0;
  *nanoseconds = 1e9 * (two > one ? two - one : two / 2) / rounds;
  return 1;
}

/* The clock, where the device counts its cycles: those of a long run against its time. */
int nw_probe_clock(nw_probe *probe) {
  double seconds;
  unsigned long long cycles = 0;
  int rounds = probe->quick ? 100000 : 1000000, lanes = lanes_of(probe), one = 1, none = 0;
  nw_rt_value values[] = {NW_PROBE_VALUE(probe->out_buffer),
                          NW_PROBE_VALUE(rounds),
                          NW_PROBE_VALUE(lanes),
                          NW_PROBE_VALUE(one),
                          NW_PROBE_VALUE(none),
                          NW_PROBE_VALUE(lanes)};
  nw_probe_job job = {"probe_shared_words", nw_probe_shape(1, lanes), values, 6, 0, 1};
  if (probe->device->kind != NW_RT_CUDA)
    return nw_rt_fail(NW_RT_BAD_REQUEST, "kernels cannot count cycles here");
  if (!nw_probe_time(probe, &job, &seconds) ||
      !probe->more->copy_out(probe, probe->out_buffer, &cycles, sizeof cycles))
    return 0;
  probe->clock = (double)cycles / seconds;
  nw_probe_measure(probe, "clockGigahertz", 1e-9 * probe->clock);
  return 1;
}

int nw_probe_shared_strides(nw_probe *probe) {
  nw_probe_curve curve = {"shared-by-stride",
                          "Time of a shared-memory access against the stride between threads",
                          "stride (elements of 4 bytes)",
                          "ns",
                          0,
                          0};
  int done = 1, lanes = lanes_of(probe);
  nw_probe_begin_curve(probe, &curve);
  nw_probe_begin_line(probe, "%d threads", lanes);
  for (int stride = 0; done && stride <= 33; stride += probe->quick && stride >= 4 ? 4 : 1) {
    double time;
    pattern p = {stride, 0, lanes};
    done = access_time(probe, "probe_shared_words", lanes, p, &time);
    if (done)
      nw_probe_point(probe, stride, time);
  }
  nw_probe_end_curve(probe);
  return done;
}

/* Lanes in groups of n go to one bank each: a conflict of exactly n ways, if the banks are dealt
 * out word by word. */
int nw_probe_shared_degrees(nw_probe *probe) {
  nw_probe_curve curve = {"shared-by-degree",
                          "Time of a shared-memory access against the degree of bank conflicts",
                          "threads that ask one bank",
                          "ns",
                          0,
                          0};
  int done = 1, lanes = lanes_of(probe);
  nw_probe_begin_curve(probe, &curve);
  for (int many = 0; done && many <= 1; ++many) {
    int threads =
        many ? (probe->device->block_threads < 1024 ? probe->device->block_threads : 1024) : lanes;
    nw_probe_begin_line(probe, "%d threads", threads);
    for (int degree = 1; done && degree <= lanes; degree *= 2) {
      double time;
      pattern p = {BANKS, 1, degree};
      done = access_time(probe, "probe_shared_words", threads, p, &time);
      if (done)
        nw_probe_point(probe, degree, time);
    }
  }
  nw_probe_end_curve(probe);
  return done;
}

/* Lane l and lane l + group go to different words of one bank: that is a conflict only if more than
 * `group` lanes are looked at together. The smallest group with a conflict tells how many. */
int nw_probe_shared_groups(nw_probe *probe) {
  nw_probe_curve curve = {"shared-by-group",
                          "Time of a shared-memory access when threads that far apart share a bank",
                          "threads apart",
                          "ns",
                          1,
                          0};
  int done = 1, lanes = lanes_of(probe),
      threads = probe->device->block_threads < 1024 ? probe->device->block_threads : 1024;
  nw_probe_begin_curve(probe, &curve);
  nw_probe_begin_line(probe, "%d threads", threads);
  for (int group = 4; done && group <= lanes; group *= 2) {
    double time;
    pattern p = {1, BANKS, group};
    done = access_time(probe, "probe_shared_words", threads, p, &time);
    if (done)
      nw_probe_point(probe, group, time);
  }
  nw_probe_end_curve(probe);
  return done;
}

int nw_probe_shared_widths(nw_probe *probe) {
  static const char *const kernels[] = {"probe_shared_bytes", "probe_shared_words",
                                        "probe_shared_wide"};
  static const int widths[] = {1, 4, 8};
  nw_probe_curve curve = {"shared-by-width",
                          "Time of an access to adjacent elements against their size",
                          "bytes",
                          "ns",
                          1,
                          0};
  int done = 1, lanes = lanes_of(probe),
      threads = probe->device->block_threads < 1024 ? probe->device->block_threads : 1024;
  nw_probe_begin_curve(probe, &curve);
  nw_probe_begin_line(probe, "%d threads", threads);
  for (int i = 0; done && i < 3; ++i) {
    double time;
    pattern p = {1, 0, lanes};
    done = access_time(probe, kernels[i], threads, p, &time);
    if (done)
      nw_probe_point(probe, widths[i], time);
  }
  nw_probe_end_curve(probe);
  return done;
}
