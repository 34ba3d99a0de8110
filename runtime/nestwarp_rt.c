/* The runtime's interface to compiled programs (nestwarp_rt.h): opening a region, launching its kernels and closing it.
 *
 * One lock is held from a successful nw_enter to its nw_leave: regions of several host threads take turns. Host data are
 * only written in nw_leave, after all launches have finished without an error. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

enum { MOST_FAILURES = 3 }; /* of a device, or of a place in the source, before it is given up */

struct nw_region {
  nw_module *module;
  nw_rt_device *device;
  nw_rt_site *site;
  const nw_range *ranges;
  int count;
  int failed;
  nw_rt_timer *timer; /* or NULL */
  nw_rt_buffer buffers[];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

long long nw_shift(const nw_range *range) { return range->low < 0 ? -range->low : 0; }

int nw_overlap(const nw_range *left, const nw_range *right) {
  if (!left->host || !right->host || left->high <= left->low || right->high <= right->low)
    return 0;
  long long left_host = (long long)(intptr_t)left->host, right_host = (long long)(intptr_t)right->host;
  return left_host + left->low < right_host + right->high && right_host + right->low < left_host + left->high;
}

/* Whether any byte of the range moves in this direction (NW_IN or NW_OUT). */
static int moves(const nw_range *range, int direction) {
  return (range->flags & direction) && range->host && range->high > range->low;
}

/* The bytes of a range that move, when it moves at all. */
static size_t moved_bytes(const nw_range *range) { return (size_t)(range->high - range->low); }

/* The size of the buffer of a range; never 0. */
static size_t buffer_bytes(const nw_range *range) {
  return range->high > range->low ? (size_t)(range->high + nw_shift(range)) : 1;
}

/* Where the bytes [low, high) of a range begin in its buffer. */
static size_t buffer_offset(const nw_range *range) { return (size_t)(range->low + nw_shift(range)); }

/* Where they begin on the host. */
static char *host_bytes(const nw_range *range) { return (char *)range->host + range->low; }

/* What copying in and out would be. */
static nw_rt_traffic expected_traffic(const nw_range *ranges, int count) {
  nw_rt_traffic traffic = {0, 0};
  for (int i = 0; i < count; ++i) {
    int copies = moves(&ranges[i], NW_IN) + moves(&ranges[i], NW_OUT);
    if (copies)
      traffic.bytes += copies * (double)moved_bytes(&ranges[i]);
    traffic.transfers += copies;
  }
  return traffic;
}

/* Takes note of the failure described in the device: counts it for the place and, where it is the device's, for the
 * device. Says it once for each place, unless `said`. */
static void note_failure(nw_rt_device *device, nw_rt_site *site, int said) {
  if (!said && site->failures == 0)
    nw_rt_say("%s: %s; running the original loops", site->where, device->error);
  site->failures += 1;
  if (device->failure == NW_RT_DEVICE_FAILED)
    device->failures += 1;
  if (device->failure == NW_RT_DEVICE_LOST || device->failures >= MOST_FAILURES)
    nw_rt_give_up_device(device);
}

/* Marks the region failed, with what device->error says; always returns 0. */
static int fail_region(nw_region *region) {
  region->failed = 1;
  note_failure(region->device, region->site, 0);
  return 0;
}

/* Makes the device ready: opened and selected. */
static int begin_device(nw_rt_device *device) {
  if (!device->opened)
    device->opened = device->backend->open(device);
  return device->opened && device->backend->begin(device);
}

/* Returns the buffers of a region and the region's memory; the lock is kept. */
static void close_region(nw_region *region) {
  nw_rt_device *device = region->device;
  for (int i = 0; i < region->count; ++i)
    nw_rt_buffer_return(device, &region->buffers[i]);
  if (region->failed)
    nw_rt_buffers_release(device);
  device->backend->end(device);
  free(region);
}

/* Allocates all buffers and copies in; 0 with device->error set. */
static int fill_buffers(nw_region *region) {
  nw_rt_device *device = region->device;
  unsigned long long bytes = 0;
  for (int i = 0; i < region->count; ++i)
    bytes += buffer_bytes(&region->ranges[i]);
  if (!nw_rt_memory_suffices(device, bytes))
    return 0;
  for (int i = 0; i < region->count; ++i)
    if (!nw_rt_buffer_take(device, buffer_bytes(&region->ranges[i]), &region->buffers[i]))
      return 0;
  for (int i = 0; i < region->count; ++i) {
    const nw_range *range = &region->ranges[i];
    if (!moves(range, NW_IN))
      continue;
    if (!device->backend->copy_in(device, region->buffers[i].handle, buffer_offset(range), host_bytes(range),
                                  moved_bytes(range)))
      return 0;
    nw_rt_counted.bytes_to_device += (long long)moved_bytes(range);
  }
  return 1;
}

/* Opens the region on a device that is ready and with a module that is built; NULL with device->error set. */
static nw_region *open_region(nw_module *module, nw_rt_device *device, nw_rt_site *site, const nw_range *ranges,
                              int count) {
  nw_region *region = calloc(1, sizeof *region + (size_t)count * sizeof(nw_rt_buffer));
  if (!region) {
    nw_rt_fail(device, NW_RT_OUT_OF_MEMORY, "out of host memory");
    note_failure(device, site, 0);
    device->backend->end(device);
    return NULL;
  }
  region->module = module;
  region->device = device;
  region->site = site;
  region->ranges = ranges;
  region->count = count;
  if (fill_buffers(region)) {
    region->timer = nw_rt_timer_start(device, site->where);
    return region;
  }
  fail_region(region);
  device->backend->finish(device);
  close_region(region);
  return NULL;
}

/* Decides, and opens the region if it is to run on the device; else *reason says why not. Called with the lock held. */
static nw_region *enter(nw_module *module, const char *where, const nw_range *ranges, int count, const nw_work *work,
                        const char **reason) {
  nw_rt_device *device = nw_rt_device_in_use();
  nw_rt_module *state = device ? nw_rt_module_state(module) : NULL;
  nw_rt_site *site = state ? nw_rt_site_of(state, where) : NULL;
  *reason = device ? "the device failed" : "no device is in use";
  if (!site || site->failures >= MOST_FAILURES)
    return NULL;
  if (state->status == NW_RT_CANNOT_BUILD) {
    *reason = "its kernels cannot be built";
    return NULL;
  }
  nw_rt_traffic traffic = expected_traffic(ranges, count);
  if (work->offload != NW_OFFLOAD_ALWAYS && !nw_rt_is_worth_it(module, device, work, &traffic)) {
    *reason = "the device does not pay off";
    return NULL;
  }
  device->failure = NW_RT_NO_FAILURE;
  if (!begin_device(device)) {
    note_failure(device, site, 0);
    return NULL;
  }
  if (!nw_rt_module_build(module, device)) {
    *reason = "its kernels cannot be built";
    note_failure(device, site, 1);
    device->backend->end(device);
    return NULL;
  }
  return open_region(module, device, site, ranges, count);
}

nw_region *nw_enter(nw_module *module, const char *where, nw_range *ranges, int count, const nw_work *work) {
  pthread_mutex_lock(&lock);
  const char *reason;
  nw_region *region = enter(module, where, ranges, count, work, &reason);
  if (region)
    return region; /* the lock is released by nw_leave */
  nw_rt_count_on_host(where, reason);
  pthread_mutex_unlock(&lock);
  return NULL;
}

int nw_stay(nw_module *module, const char *where, const char *reason) {
  (void)module;
  nw_rt_count_on_host(where, reason);
  return 0;
}

/* Finds a kernel; NULL when the region has failed, before or now. */
static nw_rt_kernel *find_kernel(nw_region *region, const char *name) {
  if (region->failed)
    return NULL;
  nw_rt_kernel *kernel = nw_rt_module_kernel(region->module->state, region->device, name);
  if (!kernel)
    fail_region(region);
  return kernel;
}

/* Whether the shape, with no zero extent in its grid, is within the limits; else device->error says why not. */
static int check_shape(nw_rt_device *device, const nw_rt_kernel *kernel, const nw_shape *shape) {
  long long threads = 1;
  for (int i = 0; i < 3; ++i) {
    if (shape->grid[i] > device->grid_limit[i])
      return nw_rt_fail(device, NW_RT_BAD_REQUEST, "%s: a grid of %lld blocks in direction %c exceeds the limit %lld",
                        kernel->name, shape->grid[i], "xyz"[i], device->grid_limit[i]);
    if (shape->block[i] < 1 || shape->block[i] > device->block_limit[i])
      return nw_rt_fail(device, NW_RT_BAD_REQUEST, "%s: a block of %d threads in direction %c exceeds the limit %d",
                        kernel->name, shape->block[i], "xyz"[i], device->block_limit[i]);
    threads *= shape->block[i];
  }
  if (threads > kernel->most_threads)
    return nw_rt_fail(device, NW_RT_BAD_REQUEST, "%s: a block of %lld threads exceeds the limit %d", kernel->name,
                      threads, kernel->most_threads);
  if (shape->form == NW_COOPERATIVE && !device->has_grid_barrier &&
      (shape->grid[0] > 1 || shape->grid[1] > 1 || shape->grid[2] > 1))
    return nw_rt_fail(device, NW_RT_BAD_REQUEST, "%s: %s has no barrier across blocks", kernel->name, device->label);
  return 1;
}

/* Turns the arguments into values; else device->error says why not. */
static int make_values(nw_region *region, const nw_arg *args, int count, nw_rt_value *values) {
  if (count > NW_RT_MOST_ARGUMENTS)
    return nw_rt_fail(region->device, NW_RT_BAD_REQUEST, "more than %d kernel arguments", NW_RT_MOST_ARGUMENTS);
  for (int i = 0; i < count; ++i) {
    if (args[i].buffer >= region->count)
      return nw_rt_fail(region->device, NW_RT_BAD_REQUEST, "kernel argument %d is no buffer of the region", i);
    if (args[i].buffer >= 0)
      values[i] = (nw_rt_value){sizeof(nw_rt_handle), &region->buffers[args[i].buffer].handle};
    else
      values[i] = (nw_rt_value){args[i].size, args[i].value};
  }
  return 1;
}

/* Counts a launch. */
static void count_launch(const nw_shape *shape) {
  long long items = 1, largest = nw_rt_counted.largest_launch;
  for (int i = 0; i < 3; ++i)
    items *= shape->grid[i] * shape->block[i];
  nw_rt_counted.kernel_launches += 1;
  if (items > largest)
    nw_rt_counted.largest_launch = items; /* the lock is held: no other thread writes it */
}

int nw_launch(nw_region *region, const char *kernel, const nw_shape *shape, const nw_arg *args, int count) {
  nw_rt_value values[NW_RT_MOST_ARGUMENTS];
  if (region->failed)
    return 0;
  if (shape->grid[0] <= 0 || shape->grid[1] <= 0 || shape->grid[2] <= 0)
    return 1;
  nw_rt_device *device = region->device;
  nw_rt_kernel *found = find_kernel(region, kernel);
  if (!found)
    return 0;
  if (!check_shape(device, found, shape) || !make_values(region, args, count, values))
    return fail_region(region);
  nw_rt_timer_before(region->timer, kernel, shape);
  if (!device->backend->launch(device, found->handle, shape, values, count))
    return fail_region(region);
  nw_rt_timer_after(region->timer);
  nw_rt_counted.device = device;
  count_launch(shape);
  return 1;
}

/* Copies out the ranges that are also copied in (`updated`) or those that are not. *written is set before host data
 * that the original loops would read may change. */
static int copy_out(nw_region *region, int updated, int *written) {
  nw_rt_device *device = region->device;
  for (int i = 0; i < region->count; ++i) {
    const nw_range *range = &region->ranges[i];
    if (!moves(range, NW_OUT) || moves(range, NW_IN) != updated)
      continue;
    *written |= updated;
    if (!device->backend->copy_out(device, region->buffers[i].handle, buffer_offset(range), host_bytes(range),
                                   moved_bytes(range)))
      return 0;
    nw_rt_counted.bytes_from_device += (long long)moved_bytes(range);
  }
  return 1;
}

/* Copies all results to the host. Ranges that are only written come first: a failure there leaves all that the original
 * loops read as it was. If the device is lost while a range is copied that the loops also read, neither the old nor the
 * new values can be had, and the program can not go on. */
static int copy_results(nw_region *region) {
  int written = 0;
  if (copy_out(region, 0, &written) && copy_out(region, 1, &written))
    return 1;
  if (written) {
    nw_rt_say("%s: %s; the results are incomplete and the data can not be restored: giving up", region->site->where,
              region->device->error);
    abort();
  }
  return 0;
}

int nw_leave(nw_region *region) {
  nw_rt_device *device = region->device;
  nw_rt_handle end = nw_rt_timer_end(region->timer);
  int finished = device->backend->finish(device);
  nw_rt_timer_stop(region->timer, end, finished && !region->failed);
  if (!region->failed && !(finished && copy_results(region)))
    fail_region(region);
  int done = !region->failed;
  if (done) {
    nw_rt_counted.device = device;
    nw_rt_counted.regions_offloaded += 1;
  } else {
    nw_rt_count_on_host(region->site->where, "the device failed");
  }
  close_region(region);
  pthread_mutex_unlock(&lock);
  return done;
}

int nw_has_grid_barrier(nw_region *region) { return region->device->has_grid_barrier; }

long long nw_resident_blocks(nw_region *region, const char *kernel, int threads) {
  long long blocks = 1;
  nw_rt_kernel *found = find_kernel(region, kernel);
  if (found && !region->device->backend->resident_blocks(region->device, found->handle, threads, &blocks))
    fail_region(region);
  return blocks > 0 ? blocks : 1;
}

int nw_block_limit(nw_region *region, const char *kernel) {
  nw_rt_kernel *found = find_kernel(region, kernel);
  return found ? found->most_threads : 1;
}

/* One block when the widest step needs at most two rounds of it. Otherwise a cooperative grid, unless the widest step
 * would keep every resident thread busy for many rounds: then launches cost less than the barriers gain. */
int nw_resident_shape(nw_region *region, const char *kernel, const long long threads[3], const int block[3], nw_shape *shape) {
  const long long rounds_in_a_block = 2, rounds_in_a_grid = 8;
  long long in_block = (long long)block[0] * block[1] * block[2];
  long long wanted = nw_max(threads[0], 1) * nw_max(threads[1], 1) * nw_max(threads[2], 1);
  for (int k = 0; k < 3; k++) {
    shape->grid[k] = 1;
    shape->block[k] = block[k];
  }
  shape->form = NW_PLAIN;
  if (nw_block_limit(region, kernel) < in_block)
    return 0; /* the plain launches have smaller blocks */
  if (wanted <= in_block * rounds_in_a_block)
    return 1;
  if (!nw_has_grid_barrier(region))
    return 0;
  long long resident = nw_resident_blocks(region, kernel, (int)in_block);
  if (resident < 2 || wanted > resident * in_block * rounds_in_a_grid)
    return 0;
  long long columns = nw_min(nw_max((threads[0] + block[0] - 1) / block[0], 1), resident);
  long long rows = nw_min(nw_max((threads[1] + block[1] - 1) / block[1], 1), nw_max(resident / columns, 1));
  shape->grid[0] = columns;
  shape->grid[1] = rows;
  shape->form = NW_COOPERATIVE;
  return 1;
}
