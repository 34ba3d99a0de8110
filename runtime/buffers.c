/* Device memory: buffers are rounded up to size classes and kept for a while when a region returns
 * them, so that a region inside a host loop does not allocate anew each time. What is kept is
 * bounded, the oldest goes first, and all of it is released when the device runs out of memory. */
#include <stdio.h>
#include <string.h>

#include "internal.h"

enum { MOST_KEPT = 64 };
#define MEBIBYTE (1ull << 20)
#define GIBIBYTE (1ull << 30)

static struct {
  nw_rt_buffer buffers[MOST_KEPT]; /* oldest first */
  int count;
  unsigned long long bytes;
} kept;

/* The most bytes to keep: an eighth of the device's memory, at most 8 GiB. */
unsigned long long nw_rt_buffers_kept_limit(const nw_rt_device *device) {
  unsigned long long share = device->memory / 8;
  return share < 8 * GIBIBYTE ? share : 8 * GIBIBYTE;
}

/* The size class of a size: powers of two up to 1 MiB, then eight classes between powers of two,
 * and from 1 GiB on multiples of 64 MiB. Never more than the device's largest buffer, if the size
 * itself is not. */
static size_t size_class(const nw_rt_device *device, size_t size) {
  size_t power = 4096, rounded;
  while (power < size && power < GIBIBYTE)
    power *= 2;
  if (size > GIBIBYTE)
    rounded = (size + 64 * MEBIBYTE - 1) / (64 * MEBIBYTE) * (64 * MEBIBYTE);
  else if (power <= MEBIBYTE)
    rounded = power;
  else
    rounded = (size + power / 16 - 1) / (power / 16) * (power / 16);
  return rounded > device->largest_buffer ? size : rounded;
}

/* Takes entry `index` out of what is kept. */
static nw_rt_buffer take_kept(int index) {
  nw_rt_buffer buffer = kept.buffers[index];
  kept.count -= 1;
  kept.bytes -= buffer.size;
  memmove(&kept.buffers[index], &kept.buffers[index + 1],
          (size_t)(kept.count - index) * sizeof buffer);
  return buffer;
}

void nw_rt_buffers_release(nw_rt_device *device) {
  while (kept.count)
    device->backend->release(device, take_kept(kept.count - 1).handle);
}

int nw_rt_buffer_take(nw_rt_device *device, size_t size, nw_rt_buffer *buffer) {
  if (size > device->largest_buffer)
    return nw_rt_fail(NW_RT_OUT_OF_MEMORY, "%zu bytes exceed the largest buffer of %s (%llu bytes)",
                      size, device->label, device->largest_buffer);
  size_t rounded = size_class(device, size);
  for (int i = kept.count - 1; i >= 0; --i)
    if (kept.buffers[i].size == rounded) {
      *buffer = take_kept(i);
      return 1;
    }
  int done = device->backend->allocate(device, rounded, &buffer->handle);
  if (!done && nw_rt_failure.kind == NW_RT_OUT_OF_MEMORY) {
    nw_rt_buffers_release(device);
    rounded = size;
    done = device->backend->allocate(device, rounded, &buffer->handle);
  }
  buffer->size = done ? rounded : 0;
  return done;
}

void nw_rt_buffer_return(nw_rt_device *device, nw_rt_buffer *buffer) {
  unsigned long long limit = nw_rt_buffers_kept_limit(device);
  if (!buffer->size)
    return;
  if (buffer->size > limit) {
    device->backend->release(device, buffer->handle);
  } else {
    while (kept.count == MOST_KEPT || kept.bytes + buffer->size > limit)
      device->backend->release(device, take_kept(0).handle);
    kept.buffers[kept.count++] = *buffer;
    kept.bytes += buffer->size;
  }
  buffer->size = 0;
}

/* The memory of the host that is free or easily freed, in bytes; a huge number when that is
 * unknown. */
static unsigned long long available_host_memory(void) {
  char line[256];
  unsigned long long kibibytes = 0;
  int found = 0;
  FILE *file = fopen("/proc/meminfo", "r");
  while (file && !found && fgets(line, sizeof line, file))
    found = sscanf(line, "MemAvailable: %llu", &kibibytes) == 1;
  if (file)
    fclose(file);
  return found ? kibibytes * 1024 : ~0ull >> 1;
}

int nw_rt_memory_suffices(nw_rt_device *device, unsigned long long bytes) {
  if (device->kind != NW_RT_OPENCL_CPU || bytes < 64 * MEBIBYTE)
    return 1;
  unsigned long long available = available_host_memory() + kept.bytes;
  if (bytes <= available / 4 * 3)
    return 1;
  return nw_rt_fail(NW_RT_OUT_OF_MEMORY,
                    "out of memory: %s shares the host's, %llu bytes of %llu wanted", device->label,
                    bytes, available);
}
