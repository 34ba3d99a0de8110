/* What generated code calls (nestwarp_rt.h): opening a region, launching its kernels and closing
 * it.
 *
 * A lock guards what regions share: devices, modules, kept buffers, streams. It is not held while a
 * region copies, launches or waits, so that regions of several host threads run at the same time,
 * each on a stream of its own. Host data are only written in nw_leave, after all launches have
 * finished without an error.
 * Over 500 lines: the life of a region, from entry to exit; its steps share one struct. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

enum { MOST_FAILURES = 3 }; /* of a device, or of a location in the source, before it is given up */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

struct nw_region {
  nw_module *module;
  nw_rt_device *device;
  nw_rt_site *site;
  nw_rt_stream *stream;
  const nw_range *ranges;
  int count;
  int failed;
  const nw_on_device *on_device; /* NULL: the arrays are on the host */
  nw_rt_handle previous;         /* what the thread used before */
  const char *last_kernel;       /* that was launched; NULL: none */
  nw_rt_entry **entries;    /* of the ranges that are present, one for each range; NULL: none is */
  nw_rt_timer *timer;       /* or NULL */
  nw_rt_sequence *sequence; /* or NULL */
  nw_rt_buffer buffers[];   /* size 0: none, or the caller's */
};

long long nw_shift(const nw_range *range) { return range->low < 0 ? -range->low : 0; }

int nw_overlap(const nw_range *left, const nw_range *right, const nw_on_device *on_device) {
  nw_rt_device *device =
      on_device || (left->flags & right->flags & NW_DEVICE) ? nw_rt_device_in_use() : NULL;
  if (device && device->backend->share_memory && left->host && right->host)
    return left->high > left->low && right->high > right->low &&
           device->backend->share_memory(
               device, (nw_rt_handle)left->host, (size_t)nw_max(left->low, 0), (size_t)left->high,
               (nw_rt_handle)right->host, (size_t)nw_max(right->low, 0), (size_t)right->high);
  if (!left->host || !right->host || left->high <= left->low || right->high <= right->low)
    return 0;
  long long left_host = (long long)(intptr_t)left->host,
            right_host = (long long)(intptr_t)right->host;
  return left_host + left->low < right_host + right->high &&
         right_host + right->low < left_host + left->high;
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
static size_t buffer_offset(const nw_range *range) {
  return (size_t)(range->low + nw_shift(range));
}

/* Where they begin on the host. */
static char *host_bytes(const nw_range *range) { return (char *)range->host + range->low; }

/* What copying in and out would be. */
static nw_rt_traffic expected_traffic(const nw_range *ranges, int count,
                                      nw_rt_entry *const *entries) {
  nw_rt_traffic traffic = {0, 0};
  for (int i = 0; i < count; ++i) {
    if (entries && entries[i])
      continue;
    int copies = moves(&ranges[i], NW_IN) + moves(&ranges[i], NW_OUT);
    if (copies)
      traffic.bytes += copies * (double)moved_bytes(&ranges[i]);
    traffic.transfers += copies;
  }
  return traffic;
}

/* What a failure means for the caller. */
static const char *consequence(const nw_on_device *on_device) {
  return on_device ? "the work is not done" : "running the original loops";
}

/* Takes note of the failure described in nw_rt_failure: counts it for the location and, where it is
 * the device's, for the device. Says it, unless it has been said: once for each location that has
 * its loops to fall back on, else each time. A request of a caller with arrays on the device that
 * cannot be met is the caller's failure, not the location's. Called with the lock held. */
static void note_failure(nw_rt_device *device, nw_rt_site *site, const nw_on_device *on_device,
                         int said) {
  if (!said && (on_device || site->failures == 0))
    nw_rt_say("%s: %s; %s", site->where, nw_rt_failure.text, consequence(on_device));
  site->failures += !(on_device && nw_rt_failure.kind == NW_RT_BAD_REQUEST);
  if (nw_rt_failure.kind == NW_RT_DEVICE_FAILED)
    device->failures += 1;
  if (nw_rt_failure.kind == NW_RT_DEVICE_LOST || device->failures >= MOST_FAILURES)
    nw_rt_give_up_device(device);
}

/* Marks the region failed, with what nw_rt_failure says; always returns 0. */
static int fail_region(nw_region *region) {
  region->failed = 1;
  pthread_mutex_lock(&lock);
  note_failure(region->device, region->site, region->on_device, 0);
  pthread_mutex_unlock(&lock);
  return 0;
}

/* Puts the kernel's name in front of what failed; always returns 0. */
static int fail_kernel(nw_region *region, const char *kernel) {
  nw_rt_fail(nw_rt_failure.kind, "kernel %s: %s", kernel, nw_rt_failure.text);
  return fail_region(region);
}

/* Makes the device ready: opened and selected. */
static int begin_device(nw_rt_device *device, nw_rt_handle *previous) {
  if (!device->opened)
    device->opened = device->backend->open(device);
  return device->opened && device->backend->begin(device, previous);
}

int nw_rt_open_device(nw_rt_device *device) {
  nw_rt_handle previous;
  pthread_mutex_lock(&lock);
  int done = begin_device(device, &previous);
  if (done)
    device->backend->end(device, previous);
  pthread_mutex_unlock(&lock);
  return done;
}

void nw_rt_lock(void) { pthread_mutex_lock(&lock); }
void nw_rt_unlock(void) { pthread_mutex_unlock(&lock); }
void nw_rt_renew_lock(void) { lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER; }

nw_rt_stream *nw_rt_begin_work(nw_rt_device *device, nw_rt_handle *previous) {
  pthread_mutex_lock(&lock);
  nw_rt_stream *stream = NULL;
  if (begin_device(device, previous)) {
    stream = nw_rt_stream_take(device, NULL);
    if (!stream)
      device->backend->end(device, *previous);
  }
  pthread_mutex_unlock(&lock);
  return stream;
}

void nw_rt_end_work(nw_rt_stream *stream, nw_rt_handle previous) {
  nw_rt_device *device = stream->device;
  pthread_mutex_lock(&lock);
  nw_rt_stream_return(stream);
  pthread_mutex_unlock(&lock);
  device->backend->end(device, previous);
}

/* Whether the buffer of a range is the caller's own memory on the device. */
static int is_callers(const nw_region *region, const nw_range *range) {
  return (region->on_device || (range->flags & NW_DEVICE)) && !(range->flags & NW_TEMPORARY);
}

/* The entry of a range that data directives have put on the device; NULL if none. */
static nw_rt_entry *entry_of(const nw_region *region, int i) {
  return region->entries ? region->entries[i] : NULL;
}

/* Where host[0] of a range lies in the buffer of its entry. */
static long long offset_in_entry(const nw_range *range, const nw_rt_entry *entry) {
  return (char *)range->host - entry->begin;
}

/* Whether the entry's buffer can be given to kernels as it is: they find host[0] where they expect
 * it. */
static int is_usable_as_it_is(const nw_range *range, const nw_rt_entry *entry) {
  return entry->device->kind == NW_RT_CUDA || offset_in_entry(range, entry) == nw_shift(range);
}

/* Whether the bytes of a range are copied between the host and a buffer of the region's own. */
static int is_copied(const nw_region *region, int i, int direction) {
  return !is_callers(region, &region->ranges[i]) && !entry_of(region, i) &&
         moves(&region->ranges[i], direction);
}

/* Returns buffers, stream and memory of a region; the stream has finished, unless it is the
 * caller's. */
static void close_region(nw_region *region) {
  nw_rt_device *device = region->device;
  for (int i = 0; i < region->count && region->on_device; ++i)
    if (region->buffers[i].size)
      device->backend->release_in_order(region->stream, region->buffers[i].handle);
  pthread_mutex_lock(&lock);
  for (int i = 0; i < region->count && !region->on_device; ++i)
    nw_rt_buffer_return(device, &region->buffers[i]);
  if (region->failed)
    nw_rt_buffers_release(device);
  nw_rt_stream_return(region->stream);
  pthread_mutex_unlock(&lock);
  device->backend->end(device, region->previous);
  nw_rt_let_entries_go(region->entries, region->count);
  free(region);
}

/* The bytes of the region's own buffer for a range; 0: it has one. */
static size_t own_bytes(const nw_region *region, int i) {
  const nw_range *range = &region->ranges[i];
  nw_rt_entry *entry = entry_of(region, i);
  return is_callers(region, range) || (entry && is_usable_as_it_is(range, entry))
             ? 0
             : buffer_bytes(range);
}

/* Allocates all buffers of a region with its data on the host; the lock is held. */
static int take_buffers(nw_region *region) {
  nw_rt_device *device = region->device;
  unsigned long long bytes = 0;
  for (int i = 0; i < region->count; ++i)
    bytes += own_bytes(region, i);
  if (!nw_rt_memory_suffices(device, bytes))
    return 0;
  for (int i = 0; i < region->count; ++i)
    if (own_bytes(region, i) &&
        !nw_rt_buffer_take(device, own_bytes(region, i), &region->buffers[i]))
      return 0;
  return 1;
}

/* Takes a buffer that the caller has, once it is known to be one. */
static int use_callers_buffer(nw_region *region, int i) {
  const nw_range *range = &region->ranges[i];
  if (!range->host && range->high > range->low)
    return nw_rt_fail(NW_RT_BAD_REQUEST, "%s is NULL", range->name);
  if (range->host &&
      !region->device->backend->accepts(region->stream, (nw_rt_handle)range->host, range->name))
    return 0;
  if (region->device->kind != NW_RT_CUDA && nw_shift(range))
    return nw_rt_fail(NW_RT_BAD_REQUEST,
                      "%s is accessed before its first element, which an OpenCL buffer cannot hold",
                      range->name);
  region->buffers[i].handle = (nw_rt_handle)range->host - (nw_rt_handle)nw_shift(range);
  return 1;
}

/* Takes the buffers that are on the device already. */
static int use_present_buffers(nw_region *region) {
  for (int i = 0; i < region->count; ++i) {
    const nw_range *range = &region->ranges[i];
    nw_rt_entry *entry = entry_of(region, i);
    if (is_callers(region, range) && !use_callers_buffer(region, i))
      return 0;
    if (entry && is_usable_as_it_is(range, entry))
      region->buffers[i].handle = entry->buffer.handle +
                                  (nw_rt_handle)offset_in_entry(range, entry) -
                                  (nw_rt_handle)nw_shift(range);
  }
  return 1;
}

/* Copies between the buffers of entries and buffers of the region, where kernels cannot be given
 * the former. */
static int copy_within(nw_region *region, int direction) {
  for (int i = 0; i < region->count; ++i) {
    const nw_range *range = &region->ranges[i];
    nw_rt_entry *entry = entry_of(region, i);
    if (!entry || is_usable_as_it_is(range, entry) || !moves(range, direction))
      continue;
    nw_rt_handle from = entry->buffer.handle, to = region->buffers[i].handle;
    size_t from_offset = (size_t)(host_bytes(range) - entry->begin),
           to_offset = buffer_offset(range), size = moved_bytes(range);
    if (!(direction == NW_IN ? region->device->backend->copy_within(
                                   region->stream, from, from_offset, to, to_offset, size)
                             : region->device->backend->copy_within(region->stream, to, to_offset,
                                                                    from, from_offset, size)))
      return 0;
  }
  return 1;
}

/* Takes the caller's buffers as they are, and temporaries in the order of the caller's stream. */
static int use_callers_buffers(nw_region *region) {
  for (int i = 0; i < region->count; ++i) {
    const nw_range *range = &region->ranges[i];
    nw_rt_buffer *buffer = &region->buffers[i];
    if (is_callers(region, range)) {
      if (!use_callers_buffer(region, i))
        return 0;
      continue;
    }
    if (!region->device->backend->allocate_in_order(region->stream, buffer_bytes(range),
                                                    &buffer->handle))
      return 0;
    buffer->size = buffer_bytes(range);
  }
  return 1;
}

/* Copies in, and clears what is to be zero. */
static int fill_buffers(nw_region *region) {
  const nw_rt_backend *backend = region->device->backend;
  for (int i = 0; i < region->count; ++i) {
    const nw_range *range = &region->ranges[i];
    nw_rt_handle buffer = region->buffers[i].handle;
    if ((range->flags & NW_ZERO) && !backend->clear(region->stream, buffer, buffer_bytes(range)))
      return 0;
    if (!is_copied(region, i, NW_IN))
      continue;
    if (!backend->copy_in(region->stream, buffer, buffer_offset(range), host_bytes(range),
                          moved_bytes(range)))
      return 0;
    nw_rt_counted.bytes_to_device += (long long)moved_bytes(range);
    nw_rt_counted.copies_to_device += 1;
  }
  return copy_within(region, NW_IN);
}

/* Opens the region on a device that is ready and with a module that is built: all that needs the
 * lock. */
static nw_region *open_region(nw_module *module, nw_rt_device *device, nw_rt_site *site,
                              const nw_range *ranges, int count, const nw_on_device *on_device,
                              nw_rt_entry **entries) {
  nw_region *region = calloc(1, sizeof *region + (size_t)count * sizeof(nw_rt_buffer));
  nw_rt_stream *stream = region ? nw_rt_stream_take(device, on_device) : NULL;
  if (!stream) {
    if (!region)
      nw_rt_fail(NW_RT_OUT_OF_MEMORY, "out of host memory");
    free(region);
    note_failure(device, site, on_device, 0);
    return NULL;
  }
  *region = (nw_region){.module = module,
                        .device = device,
                        .site = site,
                        .stream = stream,
                        .ranges = ranges,
                        .count = count,
                        .on_device = on_device,
                        .entries = entries};
  if (!on_device && !take_buffers(region)) {
    note_failure(device, site, on_device, 0);
    region->failed = 1;
  }
  return region;
}

/* Whether a range can only be used on the device. */
static int has_device_pointer(const nw_range *ranges, int count) {
  int flags = 0;
  for (int i = 0; i < count; ++i)
    flags |= ranges[i].flags;
  return (flags & NW_DEVICE) != 0;
}

/* Decides, and opens the region if it is to run on the device; else *reason says why not. Called
 * with the lock held. */
static nw_region *enter(nw_module *module, const char *where, const nw_range *ranges, int count,
                        const nw_work *work, const nw_on_device *on_device, nw_rt_entry **entries,
                        const char **reason) {
  nw_rt_device *device = nw_rt_device_in_use();
  nw_rt_module *state = device ? nw_rt_module_state(module) : NULL;
  nw_rt_site *site = state ? nw_rt_site_of(state, where) : NULL;
  nw_rt_handle previous = 0;
  *reason = device ? "the device failed" : "no device is in use";
  if (!site || site->failures >= MOST_FAILURES)
    return NULL;
  if (state->status == NW_RT_CANNOT_BUILD) {
    *reason = "its kernels cannot be built";
    return NULL;
  }
  nw_rt_traffic traffic = expected_traffic(ranges, count, entries);
  /* Where arrays are present, they would have to be brought to the host and back: the device is the
   * better place. */
  if (!on_device && !entries && !has_device_pointer(ranges, count) &&
      work->offload != NW_OFFLOAD_ALWAYS && !nw_rt_is_worth_it(module, device, work, &traffic)) {
    *reason = "the device would not be faster";
    return NULL;
  }
  if (!begin_device(device, &previous)) {
    note_failure(device, site, on_device, 0);
    return NULL;
  }
  nw_region *region = NULL;
  if (nw_rt_module_build(module, device)) {
    region = open_region(module, device, site, ranges, count, on_device, entries);
  } else {
    *reason = "its kernels cannot be built";
    note_failure(device, site, on_device, 1);
  }
  if (region)
    region->previous = previous;
  else
    device->backend->end(device, previous);
  return region;
}

/* Makes the buffers of an open region ready for its first launch; else it is closed. */
static int prepare(nw_region *region) {
  int done = !region->failed;
  if (done && !((region->on_device ? use_callers_buffers(region) : use_present_buffers(region)) &&
                fill_buffers(region)))
    done = fail_region(region);
  if (done) {
    region->timer = nw_rt_timer_start(region->stream, region->site->where);
    region->sequence = nw_rt_timer_times_kernels(region->timer)
                           ? NULL
                           : nw_rt_sequence_begin(region->stream, region->site->where);
    return 1;
  }
  if (!region->on_device)
    region->device->backend->finish(region->stream);
  close_region(region);
  return 0;
}

/* The region is not entered: counted and, where nobody runs the original loops, said unless a
 * failure has been. */
static void stay(const char *where, const char *reason, const nw_on_device *on_device) {
  if (on_device && nw_rt_failure.kind == NW_RT_NO_FAILURE)
    nw_rt_say("%s: %s; the work is not done", where, reason);
  nw_rt_count_on_host(where, reason);
}

/* Says once for each location that a construct touches more of an array than is on the device. */
static void say_in_part(nw_module *module, const char *where, const char *name) {
  pthread_mutex_lock(&lock);
  nw_rt_module *state = nw_rt_module_state(module);
  nw_rt_site *site = state ? nw_rt_site_of(state, where) : NULL;
  if (site && !site->said_in_part)
    nw_rt_say("%s: only part of what the construct may touch of %s is on the device; running the "
              "original loops on the device's values",
              where, name);
  if (site)
    site->said_in_part = 1;
  pthread_mutex_unlock(&lock);
}

/* In a forked child: its regions stay on the host, which is said once where the parent had opened
 * the device. */
static void stay_in_child(const char *where, const nw_range *ranges, int count,
                          const nw_on_device *on_device) {
  static const char *const reason = "the process was forked, and has no device of its own";
  static atomic_int is_said;
  if (!on_device)
    nw_rt_need_ranges(where, ranges, count);
  if (!on_device && nw_rt_is_device_open() && !atomic_exchange(&is_said, 1))
    nw_rt_say("%s: %s; running the original loops", where, reason);
  stay(where, reason, on_device);
}

nw_region *nw_enter(nw_module *module, const char *where, nw_range *ranges, int count,
                    const nw_work *work, const nw_on_device *on_device) {
  const char *reason;
  nw_rt_entry **entries = NULL;
  const char *name = NULL;
  nw_rt_failure.kind = NW_RT_NO_FAILURE;
  if (nw_rt_is_forked()) {
    stay_in_child(where, ranges, count, on_device);
    return NULL;
  }
  if (!on_device && !nw_rt_hold_entries(where, ranges, count, &entries, &name)) {
    say_in_part(module, where, name);
    stay(where, "an array is on the device in part", NULL);
    return NULL;
  }
  pthread_mutex_lock(&lock);
  nw_region *region = enter(module, where, ranges, count, work, on_device, entries, &reason);
  pthread_mutex_unlock(&lock);
  if (!region)
    nw_rt_let_entries_go(entries, count);
  if (region && prepare(region))
    return region;
  stay(where, reason, on_device);
  return NULL;
}

int nw_stay(nw_module *module, const char *where, const char *reason,
            const nw_on_device *on_device) {
  (void)module;
  nw_rt_failure.kind = NW_RT_NO_FAILURE;
  stay(where, reason, on_device);
  return 0;
}

/* Finds a kernel; NULL when the region has failed, before or now. */
static nw_rt_kernel *find_kernel(nw_region *region, const char *name) {
  if (region->failed)
    return NULL;
  pthread_mutex_lock(&lock);
  nw_rt_kernel *kernel = nw_rt_module_kernel(region->module->state, region->device, name);
  pthread_mutex_unlock(&lock);
  if (!kernel)
    fail_kernel(region, name);
  return kernel;
}

/* Whether the shape, with no zero extent in its grid, is within the limits; else nw_rt_failure says
 * why not. */
static int check_shape(nw_rt_device *device, const nw_rt_kernel *kernel, const nw_shape *shape) {
  long long threads = 1;
  for (int i = 0; i < 3; ++i) {
    if (shape->grid[i] > device->grid_limit[i])
      return nw_rt_fail(NW_RT_BAD_REQUEST,
                        "a grid of %lld blocks in direction %c exceeds the limit %lld",
                        shape->grid[i], "xyz"[i], device->grid_limit[i]);
    if (shape->block[i] < 1 || shape->block[i] > device->block_limit[i])
      return nw_rt_fail(NW_RT_BAD_REQUEST,
                        "a block of %d threads in direction %c exceeds the limit %d",
                        shape->block[i], "xyz"[i], device->block_limit[i]);
    threads *= shape->block[i];
  }
  if (threads > kernel->most_threads)
    return nw_rt_fail(NW_RT_BAD_REQUEST, "a block of %lld threads exceeds the limit %d", threads,
                      kernel->most_threads);
  if (shape->mode == NW_COOPERATIVE && !device->has_grid_barrier &&
      (shape->grid[0] > 1 || shape->grid[1] > 1 || shape->grid[2] > 1))
    return nw_rt_fail(NW_RT_BAD_REQUEST, "%s has no barrier across blocks", device->label);
  return 1;
}

/* Turns the arguments into values; else nw_rt_failure says why not. */
static int make_values(nw_region *region, const nw_arg *args, int count, nw_rt_value *values) {
  if (count > NW_RT_MOST_ARGUMENTS)
    return nw_rt_fail(NW_RT_BAD_REQUEST, "more than %d kernel arguments", NW_RT_MOST_ARGUMENTS);
  for (int i = 0; i < count; ++i) {
    if (args[i].buffer >= region->count)
      return nw_rt_fail(NW_RT_BAD_REQUEST, "kernel argument %d is not a buffer of the region", i);
    if (args[i].buffer >= 0)
      values[i] = (nw_rt_value){sizeof(nw_rt_handle), &region->buffers[args[i].buffer].handle};
    else
      values[i] = (nw_rt_value){args[i].size, args[i].value};
  }
  return 1;
}

int nw_aligned(nw_region *region, int buffer, int bytes) {
  const nw_range *range = &region->ranges[buffer];
  unsigned long long address =
      region->device->kind == NW_RT_CUDA ? (unsigned long long)region->buffers[buffer].handle : 0;
  return (address + (unsigned long long)nw_shift(range)) % (unsigned long long)bytes == 0;
}

/* Counts a launch. */
static void count_launch(const nw_shape *shape) {
  long long items = 1, largest = nw_rt_counted.largest_launch;
  for (int i = 0; i < 3; ++i)
    items *= shape->grid[i] * shape->block[i];
  nw_rt_counted.kernel_launches += 1;
  while (items > largest &&
         !atomic_compare_exchange_weak(&nw_rt_counted.largest_launch, &largest, items)) {
  }
}

int nw_launch(nw_region *region, const char *kernel, const nw_shape *shape, const nw_arg *args,
              int count) {
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
    return fail_kernel(region, kernel);
  nw_rt_timer_before(region->timer, kernel, shape);
  if (!nw_rt_sequence_launch(region->stream, region->sequence, found->handle, shape, values, count))
    return fail_kernel(region, kernel);
  nw_rt_timer_after(region->timer);
  region->last_kernel = found->name;
  nw_rt_counted.device = device;
  count_launch(shape);
  return 1;
}

/* Copies out the ranges that are also copied in (`updated`) or those that are not. *written is set
 * before host data that the original loops would read may change. */
static int copy_out(nw_region *region, int updated, int *written) {
  for (int i = 0; i < region->count; ++i) {
    const nw_range *range = &region->ranges[i];
    if (!is_copied(region, i, NW_OUT) || moves(range, NW_IN) != updated)
      continue;
    *written |= updated;
    if (!region->device->backend->copy_out(region->stream, region->buffers[i].handle,
                                           buffer_offset(range), host_bytes(range),
                                           moved_bytes(range)))
      return 0;
    nw_rt_counted.bytes_from_device += (long long)moved_bytes(range);
    nw_rt_counted.copies_from_device += 1;
  }
  return 1;
}

/* Copies all results to the host. Ranges that are only written come first: a failure there leaves
 * all that the original loops read as it was. If the device is lost while a range is copied that
 * the loops also read, neither the old nor the new values can be had, and the program can not go
 * on. */
static int copy_results(nw_region *region) {
  int written = 0;
  if (copy_out(region, 0, &written) && copy_out(region, 1, &written))
    return 1;
  if (written) {
    nw_rt_say("%s: %s; the results are incomplete and the data can not be restored: giving up",
              region->site->where, nw_rt_failure.text);
    abort();
  }
  return 0;
}

/* Waits for copies between buffers of the device, if there are any. */
static int device_finish(nw_region *region) {
  return !region->entries || region->device->backend->finish(region->stream);
}

/* A region that failed on arrays that stay on the device has changed them, perhaps in part: neither
 * the old nor the new values can be had. */
static void give_up_written_entries(nw_region *region) {
  for (int i = 0; i < region->count && region->last_kernel; ++i)
    if ((entry_of(region, i) || (region->ranges[i].flags & NW_DEVICE)) && !region->on_device &&
        moves(&region->ranges[i], NW_OUT))
      nw_rt_data_error(region->site->where,
                       "%s is on the device and may be written in part: giving up",
                       region->ranges[i].name);
}

/* Waits for the launches and copies out. */
static int finish(nw_region *region) {
  nw_rt_handle end = nw_rt_timer_end(region->timer);
  int finished = region->device->backend->finish(region->stream);
  nw_rt_timer_stop(region->timer, end, finished && !region->failed);
  if (region->failed)
    return 0;
  if (!finished)
    return fail_kernel(region, region->last_kernel ? region->last_kernel : "(none)");
  return region->on_device ||
         (copy_within(region, NW_OUT) && device_finish(region) && copy_results(region)) ||
         fail_region(region);
}

int nw_leave(nw_region *region) {
  nw_rt_device *device = region->device;
  if (region->failed)
    nw_rt_sequence_give_up(region->stream, region->sequence);
  else if (!nw_rt_sequence_end(region->stream, region->sequence))
    fail_kernel(region, region->last_kernel ? region->last_kernel : "(none)");
  int done = region->on_device && !region->timer ? !region->failed : finish(region);
  if (done) {
    nw_rt_counted.device = device;
    nw_rt_counted.regions_offloaded += 1;
  } else {
    give_up_written_entries(region);
    nw_rt_count_on_host(region->site->where, "the device failed");
  }
  close_region(region);
  return done;
}

int nw_has_grid_barrier(nw_region *region) { return region->device->has_grid_barrier; }

long long nw_resident_blocks(nw_region *region, const char *kernel, int threads) {
  long long blocks = 1;
  nw_rt_kernel *found = find_kernel(region, kernel);
  if (!found)
    return 1;
  pthread_mutex_lock(&lock);
  int known =
      region->device->backend->resident_blocks(region->device, found->handle, threads, &blocks);
  pthread_mutex_unlock(&lock);
  if (!known)
    fail_kernel(region, kernel);
  return blocks > 0 ? blocks : 1;
}

int nw_block_limit(nw_region *region, const char *kernel) {
  nw_rt_kernel *found = find_kernel(region, kernel);
  return found ? found->most_threads : 1;
}
