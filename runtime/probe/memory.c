/* Global memory: what a copy reaches, what strides, few threads and blocked accesses cost, whether
 * channels and a read-only path can be seen, the cache before memory, and the latency of a load. */
#include <stdio.h>
#include <stdlib.h>

#include "probe.h"

enum { WORD = 4, THREADS = 256 };

static double giga_per_second(double bytes, double seconds) { return 1e-9 * bytes / seconds; }

/* The better of two ways: threads that copy many elements, as many as are resident; and a thread
 * for each element. */
int nw_probe_copy_bandwidth(nw_probe *probe) {
  size_t half = probe->data_bytes / 2;
  long long count = (long long)(half / 16),
            blocks[2] = {nw_probe_blocks(probe, THREADS), count / THREADS};
  double best = 0, seconds;
  nw_rt_handle to;
  int done = 1;
  if (!probe->device->backend->allocate(probe->device, half, &to))
    return 0;
  nw_rt_value values[] = {NW_PROBE_VALUE(to), NW_PROBE_VALUE(probe->data_buffer),
                          NW_PROBE_VALUE(count)};
  for (int i = 0; done && i < 2; ++i) {
    nw_probe_job job = {"probe_copy", nw_probe_shape(blocks[i], THREADS), values, 3, 0, 0};
    done = nw_probe_time(probe, &job, &seconds);
    if (done && giga_per_second(2.0 * (double)half, seconds) > best)
      best = giga_per_second(2.0 * (double)half, seconds);
  }
  probe->device->backend->release(probe->device, to);
  if (done)
    nw_probe_measure(probe, "copyBandwidth", best);
  return done;
}

/* GB/s of the bytes asked for, when neighbouring threads read elements `stride` apart. Each thread
 * reads at most `most` elements, so that a few threads do not take forever. */
static int strided(nw_probe *probe, long long blocks, int threads, long long stride, long long most,
                   double *rate) {
  long long reads = (long long)(probe->data_bytes / WORD) / stride;
  double seconds;
  if (reads > blocks * threads * most)
    reads = blocks * threads * most;
  nw_rt_value values[] = {NW_PROBE_VALUE(probe->data_buffer), NW_PROBE_VALUE(probe->out_buffer),
                          NW_PROBE_VALUE(stride), NW_PROBE_VALUE(reads)};
  nw_probe_job job = {"probe_strided", nw_probe_shape(blocks, threads), values, 4, 0, 0};
  if (!nw_probe_time(probe, &job, &seconds))
    return 0;
  *rate = giga_per_second((double)reads * WORD, seconds);
  return 1;
}

int nw_probe_strides(nw_probe *probe) {
  static const int strides[] = {1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 12,
                                14, 16, 20, 24, 28, 32, 33, 40, 48, 56, 64};
  nw_probe_curve curve = {"bandwidth-by-stride",
                          "Bandwidth of reads against the stride between threads, full device",
                          "stride (elements of 4 bytes)",
                          "useful GB/s",
                          1,
                          1};
  double rate = 0;
  int done = 1;
  nw_probe_begin_curve(probe, &curve);
  nw_probe_begin_line(probe, "%d threads", THREADS);
  for (size_t i = 0; done && i < sizeof strides / sizeof *strides; ++i)
    if (!probe->quick || (strides[i] & (strides[i] - 1)) == 0) {
      done = strided(probe, nw_probe_blocks(probe, THREADS), THREADS, strides[i], 1024, &rate);
      if (done)
        nw_probe_point(probe, strides[i], rate);
    }
  nw_probe_end_curve(probe);
  return done;
}

/* As in the paper: one block on each multiprocessor. */
int nw_probe_threads(nw_probe *probe) {
  static const int strides[] = {1, 2, 4, 8, 16, 32, 64};
  nw_probe_curve curve = {
      "bandwidth-by-threads",
      "Bandwidth against stride and threads per block, one block on each multiprocessor",
      "stride (elements of 4 bytes)",
      "useful GB/s",
      1,
      1};
  double rate = 0;
  int done = 1, least = probe->quick ? 64 : 32, step = probe->quick ? 4 : 2;
  nw_probe_begin_curve(probe, &curve);
  for (int threads = least; done && threads <= 1024 && threads <= probe->device->block_threads;
       threads *= step) {
    nw_probe_begin_line(probe, "%d threads", threads);
    for (size_t i = 0; done && i < sizeof strides / sizeof *strides; i += probe->quick ? 2 : 1) {
      done = strided(probe, probe->device->compute_units, threads, strides[i], 256, &rate);
      if (done)
        nw_probe_point(probe, strides[i], rate);
    }
  }
  nw_probe_end_curve(probe);
  return done;
}

int nw_probe_distribution(nw_probe *probe) {
  nw_probe_curve curve = {
      "blocked-and-cyclic",
      "Bandwidth of blocked and cyclic accesses, one block on each multiprocessor",
      "elements read",
      "GB/s",
      1,
      1};
  int done = 1;
  long long blocks = probe->device->compute_units;
  nw_probe_begin_curve(probe, &curve);
  for (int cyclic = 0; done && cyclic <= 1; ++cyclic) {
    nw_probe_begin_line(probe, cyclic ? "cyclic" : "blocked");
    for (int each = 8; done && each <= (probe->quick ? 128 : 1024); each *= probe->quick ? 4 : 2) {
      double seconds, elements = (double)blocks * THREADS * each;
      nw_rt_value values[] = {NW_PROBE_VALUE(probe->data_buffer), NW_PROBE_VALUE(probe->out_buffer),
                              NW_PROBE_VALUE(each), NW_PROBE_VALUE(cyclic)};
      nw_probe_job job = {"probe_distributed", nw_probe_shape(blocks, THREADS), values, 4, 0, 0};
      if (elements * WORD > (double)probe->data_bytes)
        break;
      done = nw_probe_time(probe, &job, &seconds);
      if (done)
        nw_probe_point(probe, elements, giga_per_second(elements * WORD, seconds));
    }
  }
  nw_probe_end_curve(probe);
  return done;
}

/* Rows of 32 elements at a distance: when addresses are dealt out to channels in turn, distances
 * that are large powers of two let all warps wait for one channel; one row more does not. */
int nw_probe_channels(nw_probe *probe) {
  nw_probe_curve curve = {"bandwidth-by-distance",
                          "Bandwidth of rows of 128 bytes against the distance of the rows",
                          "distance (bytes)",
                          "GB/s",
                          1,
                          1};
  long long words = (long long)(probe->data_bytes / WORD), mask = words - 1;
  long long rows = words / 32 / (probe->quick ? 16 : 4);
  int done = 1, shift = 0;
  while ((1LL << shift) < words)
    shift += 1;
  nw_probe_begin_curve(probe, &curve);
  for (int odd = 0; done && odd <= 1; ++odd) {
    nw_probe_begin_line(probe, odd ? "one row more" : "powers of two");
    for (long long power = 128; done && power <= 1 << 20; power *= probe->quick ? 8 : 2) {
      double seconds;
      long long distance = power / WORD + (odd ? 32 : 0);
      nw_rt_value values[] = {NW_PROBE_VALUE(probe->data_buffer),
                              NW_PROBE_VALUE(probe->out_buffer),
                              NW_PROBE_VALUE(distance),
                              NW_PROBE_VALUE(rows),
                              NW_PROBE_VALUE(mask),
                              NW_PROBE_VALUE(shift)};
      nw_probe_job job = {
          "probe_rows", nw_probe_shape(nw_probe_blocks(probe, THREADS), THREADS), values, 6, 0, 0};
      done = nw_probe_time(probe, &job, &seconds);
      if (done)
        nw_probe_point(probe, (double)(distance * WORD),
                       giga_per_second((double)rows * 128, seconds));
    }
  }
  nw_probe_end_curve(probe);
  return done;
}

/* The same data again and again: as long as they fit a cache, its bandwidth is seen. */
int nw_probe_cache(nw_probe *probe) {
  nw_probe_curve curve = {"bandwidth-by-footprint",
                          "Bandwidth of repeated reads against the bytes read",
                          "bytes",
                          "GB/s",
                          1,
                          1};
  size_t most = probe->quick ? probe->data_bytes / 4 : probe->data_bytes;
  double best = 0, seconds;
  int done = 1;
  nw_probe_begin_curve(probe, &curve);
  nw_probe_begin_line(probe, "%d threads", THREADS);
  for (size_t bytes = 1 << 20; done && bytes <= most; bytes *= probe->quick ? 4 : 2) {
    long long count = (long long)(bytes / 16);
    int rounds = (int)(most / bytes) < 16 ? (int)(most / bytes) : 16;
    nw_rt_value values[] = {NW_PROBE_VALUE(probe->data_buffer), NW_PROBE_VALUE(probe->out_buffer),
                            NW_PROBE_VALUE(count), NW_PROBE_VALUE(rounds)};
    nw_probe_job job = {
        "probe_read", nw_probe_shape(nw_probe_blocks(probe, THREADS), THREADS), values, 4, 0, 1};
    done = nw_probe_time(probe, &job, &seconds);
    if (!done)
      break;
    double rate = giga_per_second((double)bytes * rounds, seconds);
    nw_probe_point(probe, (double)bytes, rate);
    if (bytes >= probe->cache_bytes / 4 && bytes <= probe->cache_bytes / 2 && rate > best)
      best = rate;
  }
  nw_probe_end_curve(probe);
  if (done && best > 0)
    nw_probe_measure(probe, "l2Bandwidth", best);
  return done;
}

int nw_probe_read_only(nw_probe *probe) {
  nw_probe_curve curve = {"read-only-path",
                          "Scattered reads by plain loads and through the read-only path",
                          "bytes read from",
                          "useful GB/s",
                          1,
                          1};
  int done = 1, rounds = probe->quick ? 64 : 256;
  long long blocks = nw_probe_blocks(probe, THREADS);
  nw_probe_begin_curve(probe, &curve);
  for (int read_only = 0; done && read_only <= 1; ++read_only) {
    nw_probe_begin_line(probe, read_only ? "read-only" : "plain");
    for (unsigned words = 1 << 10; done && words <= 1 << 24 && words * WORD <= probe->data_bytes;
         words *= probe->quick ? 16 : 4) {
      double seconds;
      unsigned mask = words - 1;
      nw_rt_value values[] = {NW_PROBE_VALUE(probe->data_buffer), NW_PROBE_VALUE(probe->out_buffer),
                              NW_PROBE_VALUE(mask), NW_PROBE_VALUE(rounds)};
      nw_probe_job job = {read_only ? "probe_gather_read_only" : "probe_gather_plain",
                          nw_probe_shape(blocks, THREADS),
                          values,
                          4,
                          0,
                          1};
      done = nw_probe_time(probe, &job, &seconds);
      if (done)
        nw_probe_point(probe, (double)words * WORD,
                       giga_per_second((double)blocks * THREADS * rounds * WORD, seconds));
    }
  }
  nw_probe_end_curve(probe);
  return done;
}

/* Links `count` elements, `step` words apart, to one ring in random order. */
static void link_ring(unsigned *words, unsigned *order, unsigned count, unsigned step) {
  unsigned long long random = 88172645463325252ull;
  for (unsigned i = 0; i < count; ++i)
    order[i] = i;
  for (unsigned i = count - 1; i > 0; --i) {
    random ^= random << 13;
    random ^= random >> 7;
    random ^= random << 17;
    unsigned j = (unsigned)(random % (i + 1)), kept = order[i];
    order[i] = order[j];
    order[j] = kept;
  }
  for (unsigned i = 0; i < count; ++i)
    words[(size_t)order[i] * step] = order[(i + 1) % count] * step;
}

/* ns of a load that waits for the one before, in a ring of so many bytes. The ring goes into the
 * data buffer. A ring that fits the cache is walked as a whole, so that it is there the next time;
 * of a larger one only a part, after the caches were filled with other data. */
static int chase(nw_probe *probe, size_t bytes, unsigned *words, unsigned *order, double *latency) {
  enum { STEP = 64, UNKNOWN_CACHE = 8 << 20 }; /* words: a row of 256 bytes */
  double one, two;
  unsigned count = (unsigned)(bytes / WORD / STEP);
  int warm = bytes <= (probe->cache_bytes ? probe->cache_bytes : UNKNOWN_CACHE) / 2;
  int steps = probe->quick ? 2000 : 10000;
  if ((warm || !probe->flush_bytes) && steps < (int)count)
    steps = (int)count;
  int twice = 2 * steps;
  link_ring(words, order, count, STEP);
  if (!probe->more->copy_in(probe, probe->data_buffer, words, bytes))
    return 0;
  nw_rt_value values[] = {NW_PROBE_VALUE(probe->data_buffer), NW_PROBE_VALUE(probe->out_buffer),
                          NW_PROBE_VALUE(steps)};
  nw_probe_job job = {"probe_chase", nw_probe_shape(1, 1), values, 3, 0, warm};
  if (!nw_probe_time(probe, &job, &one))
    return 0;
  values[2].bytes = &twice;
  if (!nw_probe_time(probe, &job, &two))
    return 0;
  *latency = 1e9 * (two > one ? two - one : two / 2) / steps;
  return 1;
}

int nw_probe_latency(nw_probe *probe) {
  nw_probe_curve curve = {
      "latency-by-footprint", "Time of a load that waits for the one before", "bytes", "ns", 1, 0};
  size_t most = probe->data_bytes < 256u << 20 ? probe->data_bytes : 256u << 20;
  unsigned *words = calloc(1, most), *order = malloc(most / 64);
  double latency = 0;
  int done = words && order ? 1 : nw_rt_fail(NW_RT_OUT_OF_MEMORY, "no host memory");
  nw_probe_begin_curve(probe, &curve);
  nw_probe_begin_line(probe, "one thread");
  for (size_t bytes = 1 << 14; done && bytes <= most; bytes *= probe->quick ? 16 : 4) {
    done = chase(probe, bytes, words, order, &latency);
    if (done)
      nw_probe_point(probe, (double)bytes, latency);
  }
  nw_probe_end_curve(probe);
  if (done)
    nw_probe_measure(probe, "memoryLatency", latency);
  free(words);
  free(order);
  return done;
}
