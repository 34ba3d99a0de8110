/* The order of the probe: open the device, ask it, build the kernels, make the measurements of the
 * list, write. A measurement that fails is recorded with its cause and the next one goes on, unless
 * the device is lost. */
#include <stdio.h>
#include <stdlib.h>

#include "probe.h"

typedef struct measurement {
  const char *name;
  int (*make)(nw_probe *probe);
  int on_cpu; /* whether it means something on a CPU */
} measurement;

/* Those that write into the data come last. */
static const measurement measurements[] = {
    {"clock", nw_probe_clock, 0},
    {"copy bandwidth", nw_probe_copy_bandwidth, 1},
    {"bandwidth by stride", nw_probe_strides, 1},
    {"bandwidth by threads", nw_probe_threads, 1},
    {"blocked and cyclic", nw_probe_distribution, 1},
    {"channels", nw_probe_channels, 1},
    {"caches", nw_probe_cache, 1},
    {"read-only path", nw_probe_read_only, 0},
    {"shared memory by stride", nw_probe_shared_strides, 1},
    {"shared memory by conflicts", nw_probe_shared_degrees, 1},
    {"shared memory by group", nw_probe_shared_groups, 0},
    {"shared memory by width", nw_probe_shared_widths, 0},
    {"arithmetic", nw_probe_rates, 1},
    {"launches", nw_probe_launches, 1},
    {"grid barrier", nw_probe_grid_barrier, 0},
    {"latency", nw_probe_latency, 1},
    {"transfers", nw_probe_transfers, 1},
};

/* Memory large against the caches, but small against the device. */
static size_t data_size(const nw_probe *probe) {
  size_t size = 1 << 20,
         wanted = probe->device->kind == NW_RT_OPENCL_CPU ? (size_t)1 << 25 : (size_t)1 << 31;
  if (probe->quick)
    wanted /= probe->device->kind == NW_RT_OPENCL_CPU ? 2 : 4;
  while (2 * size <= wanted && 8 * size <= probe->device->memory &&
         2 * size <= probe->device->largest_buffer)
    size *= 2;
  return size;
}

static int build(nw_probe *probe) {
  nw_rt_device *device = probe->device;
  char options[256], *log = NULL;
  size_t size = 0;
  char *source = nw_probe_source(device->kind == NW_RT_CUDA, probe->has_fp64);
  if (!source)
    return nw_rt_fail(NW_RT_OUT_OF_MEMORY, "no host memory");
  device->backend->options(device, "reduce", 0, options, sizeof options);
  int done = device->backend->compile(device, "probe", source, options, &probe->program, NULL,
                                      &size, &log);
  if (!done && log)
    fprintf(stderr, "%s\n", log);
  free(log);
  free(source);
  return done;
}

/* Opens the device and makes what the measurements share. */
static int prepare(nw_probe *probe) {
  enum { OUT_BYTES = 1 << 16, UNKNOWN_CACHE = 1 << 28 };
  nw_rt_device *device = probe->device;
  const nw_rt_backend *backend = device->backend;
  if (!backend->open(device) || !backend->begin(device, &probe->previous) ||
      !probe->more->open(probe))
    return 0;
  probe->more->query(probe);
  probe->data_bytes = data_size(probe);
  probe->flush_bytes = device->kind == NW_RT_OPENCL_CPU ? 0
                       : probe->cache_bytes             ? 2 * probe->cache_bytes
                                                        : UNKNOWN_CACHE;
  if (probe->flush_bytes > probe->data_bytes)
    probe->flush_bytes = probe->data_bytes;
  if (!build(probe) || !backend->allocate(device, probe->data_bytes, &probe->data_buffer) ||
      !backend->allocate(device, OUT_BYTES, &probe->out_buffer))
    return 0;
  if (probe->flush_bytes && !backend->allocate(device, probe->flush_bytes, &probe->flush_buffer))
    return 0;
  long long words = (long long)(probe->data_bytes / 4);
  unsigned zero = 0;
  double seconds;
  nw_rt_value values[] = {NW_PROBE_VALUE(probe->data_buffer), NW_PROBE_VALUE(words),
                          NW_PROBE_VALUE(zero)};
  nw_probe_job fill = {
      "probe_fill", nw_probe_shape(nw_probe_blocks(probe, 256), 256), values, 3, 0, 1};
  return nw_probe_time(probe, &fill, &seconds);
}

/* Makes one measurement; 0 only if the device cannot go on. */
static int make(nw_probe *probe, const measurement *m) {
  double begin = nw_probe_now();
  nw_rt_failure.kind = NW_RT_NO_FAILURE;
  if (probe->device->kind == NW_RT_OPENCL_CPU && !m->on_cpu) {
    nw_probe_skip(probe, m->name, "means nothing on a CPU");
    return 1;
  }
  int done = m->make(probe);
  fprintf(stderr, "  %-28s %6.2f s%s%s\n", m->name, nw_probe_now() - begin,
          done ? "" : "  skipped: ", done ? "" : nw_rt_failure.text);
  if (!done)
    nw_probe_skip(probe, m->name, nw_rt_failure.text);
  return done || nw_rt_failure.kind != NW_RT_DEVICE_LOST;
}

static void clean_up(nw_probe *probe) {
  const nw_rt_backend *backend = probe->device->backend;
  nw_rt_handle buffers[] = {probe->data_buffer, probe->out_buffer, probe->flush_buffer};
  for (int i = 0; i < 3; ++i)
    if (buffers[i])
      backend->release(probe->device, buffers[i]);
  if (probe->data)
    probe->more->close(probe);
  backend->end(probe->device, probe->previous);
  nw_text *texts[] = {&probe->queried, &probe->measured, &probe->curves, &probe->skipped};
  for (int i = 0; i < 4; ++i)
    free(texts[i]->bytes);
}

int nw_probe_run(const nw_probe_options *options) {
  static nw_probe probe; /* its kernels live as long as the process: the runtime's interface does
                            not release them */
  int status = 0;
  probe.quick = options->quick;
  probe.device = nw_rt_device_in_use();
  if (!probe.device) {
    nw_rt_say("there is no device to probe");
    return 1;
  }
  probe.more = probe.device->kind == NW_RT_CUDA ? &nw_probe_cuda : &nw_probe_opencl;
  fprintf(stderr, "nestwarp: probing %s, %s\n", probe.device->label, probe.device->description);
  if (!prepare(&probe)) {
    nw_rt_say("%s cannot be probed: %s", probe.device->label, nw_rt_failure.text);
    status = 1;
  }
  for (size_t i = 0; status == 0 && i < sizeof measurements / sizeof *measurements; ++i)
    if (!make(&probe, &measurements[i])) {
      nw_rt_say("%s was lost: %s; earlier measurements are written", probe.device->label,
                nw_rt_failure.text);
      status = 3;
    }
  if (status != 1 && !nw_probe_write(&probe, options->output))
    status = 1;
  clean_up(&probe);
  return status;
}
