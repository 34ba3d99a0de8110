/* What the files of the runtime share besides the device interface: modules, buffers, the decision,
 * the cache on disk and the statistics. Not for programs; they use nestwarp_rt.h. */
#ifndef NESTWARP_INTERNAL_H
#define NESTWARP_INTERNAL_H

#include <stdatomic.h>
#include <time.h>

#include "device.h"

/* nestwarp_rt.c: opens a device that may not be open yet. */
int nw_rt_open_device(nw_rt_device *device);
/* A stream of a device, with the device selected in this thread; NULL with nw_rt_failure set. */
nw_rt_stream *nw_rt_begin_work(nw_rt_device *device, nw_rt_handle *previous);
void nw_rt_end_work(nw_rt_stream *stream, nw_rt_handle previous);
/* The lock that guards devices, modules, kept buffers and streams. */
void nw_rt_lock(void);
void nw_rt_unlock(void);
/* In a forked child, whatever another thread of the parent's held. */
void nw_rt_renew_lock(void);

/* fork.c: whether this process is a forked child that has to do without its parent's device. */
int nw_rt_is_forked(void);

/* cache.c: compiled kernels on disk. */

typedef struct nw_rt_key {
  char text[33]; /* 128 bits in hexadecimal */
} nw_rt_key;

/* The key of the concatenation of the strings, each with its length. */
nw_rt_key nw_rt_cache_key(const char *const *parts, int count);
/* Whether there is room for entries. */
int nw_rt_cache_exists(void);
/* Whether there is an entry (which may turn out to be corrupt). */
int nw_rt_cache_has(const nw_rt_key *key);
/* The entry's bytes from malloc, followed by a zero byte; NULL if there is none that is intact. */
void *nw_rt_cache_read(const nw_rt_key *key, size_t *size);
/* Writes an entry in one step; a failure is silent, the cache only saves time. */
void nw_rt_cache_write(const nw_rt_key *key, const void *bytes, size_t size);
void nw_rt_cache_remove(const nw_rt_key *key);
/* Keeps other processes from making the same entry meanwhile; -1: there is no cache, and nobody
 * waits. */
int nw_rt_cache_lock(const nw_rt_key *key);
void nw_rt_cache_unlock(int lock);

/* module.c: the kernels of one translation unit. */

enum { NW_RT_NOT_BUILT, NW_RT_BUILT, NW_RT_CANNOT_BUILD };

typedef struct nw_rt_kernel {
  struct nw_rt_kernel *next;
  nw_rt_handle handle;
  int most_threads;
  char name[];
} nw_rt_kernel;

/* A region of the source, by its place. */
typedef struct nw_rt_site {
  struct nw_rt_site *next;
  int failures;
  int said_in_part; /* that an array is on the device in part */
  char where[];
} nw_rt_site;

typedef struct nw_rt_module {
  int status; /* NW_RT_NOT_BUILT ... */
  int keyed;  /* whether key, options and is_cached hold */
  nw_rt_key key;
  char options[256];
  int is_cached; /* when it was looked up first */
  nw_rt_handle program;
  nw_rt_kernel *kernels;
  nw_rt_site *sites;
  double missed; /* seconds lost so far by staying on the host, see decision.c */
} nw_rt_module;

/* The state of a module, made at the first call; NULL without memory. */
nw_rt_module *nw_rt_module_state(nw_module *module);
/* The record of a location in the source; NULL without memory. */
nw_rt_site *nw_rt_site_of(nw_rt_module *state, const char *where);
/* Whether building the module only means loading it from the cache. */
int nw_rt_module_is_cached(nw_module *module, nw_rt_device *device);
/* Builds the module unless it is built. 0: it cannot be built here, which has been said. */
int nw_rt_module_build(nw_module *module, nw_rt_device *device);
/* Finds a kernel of a built module; NULL with device->error set. */
nw_rt_kernel *nw_rt_module_kernel(nw_rt_module *state, nw_rt_device *device, const char *name);

/* buffers.c: device memory, kept for reuse. */

typedef struct nw_rt_buffer {
  nw_rt_handle handle;
  size_t size; /* as allocated; 0: no buffer */
} nw_rt_buffer;

/* A buffer of at least `size` bytes with any content. */
int nw_rt_buffer_take(nw_rt_device *device, size_t size, nw_rt_buffer *buffer);
/* Gives a buffer back, for reuse or to the device. */
void nw_rt_buffer_return(nw_rt_device *device, nw_rt_buffer *buffer);
/* Releases all buffers that are kept for reuse. */
void nw_rt_buffers_release(nw_rt_device *device);
/* The most bytes to keep for reuse. */
unsigned long long nw_rt_buffers_kept_limit(const nw_rt_device *device);
/* Whether so many bytes can be asked for at all without driving the host out of memory. */
int nw_rt_memory_suffices(nw_rt_device *device, unsigned long long bytes);

/* present.c: which arrays data directives have put on the device. All that take an entry, or give
 * one, are called between nw_rt_table_lock and nw_rt_table_unlock, which are taken before the other
 * lock. */

typedef struct nw_rt_entry {
  struct nw_rt_entry *next;
  char *begin, *end; /* on the host */
  nw_rt_device *device;
  nw_rt_buffer buffer; /* size 0: there was no memory for it, and the host's is used */
  long long structured,
      dynamic;   /* how many regions, and how many enter data without exit data, hold it */
  int users;     /* regions that run with it */
  int is_listed; /* else it goes with its last user */
  char *newer, *newer_end; /* bytes that the device may have changed since the host had them; in a
                              forked child they are lost. None where both are the same */
  char *own; /* while the host's memory holds the device's: what it was, see exchange.c */
  int was_different;
} nw_rt_entry;

enum { NW_RT_ABSENT, NW_RT_PRESENT, NW_RT_PRESENT_IN_PART };

void nw_rt_table_lock(void);
void nw_rt_table_unlock(void);
/* Whether the lock could be had until then; at once no, where this thread has it already. */
int nw_rt_table_lock_until(const struct timespec *until);
/* In a forked child: entries stay, as ones of which the host has the only copy. Unless the table
 * was settled, nothing is known of it any more. */
void nw_rt_table_in_child(int is_settled);
/* Ends a forked child with a message where it is not known what was on the device. */
void nw_rt_need_settled_table(const char *where);
/* Waits for another thread to unlock the table; the caller looks again. */
void nw_rt_table_wait(void);
/* Wakes the ones that wait. */
void nw_rt_table_changed(void);
/* The first entry. */
nw_rt_entry *nw_rt_entries(void);
/* Finds the entry that holds all of [begin, end), or the address `begin` if they are the same;
 * NW_RT_... */
int nw_rt_find_entry(const char *begin, const char *end, nw_rt_entry **entry);
/* A new entry, without values; NULL without memory of the host. */
nw_rt_entry *nw_rt_add_entry(nw_rt_device *device, const char *where, const char *name, char *begin,
                             char *end);
/* Removes an entry that nobody holds. */
void nw_rt_remove_entry(nw_rt_entry *entry);
/* The device may have changed these bytes of an entry; host and device have the same again. */
void nw_rt_note_newer(nw_rt_entry *entry, char *begin, char *end);
void nw_rt_note_same(nw_rt_entry *entry, const char *begin, const char *end);
/* Whether any of these bytes was lost in a fork. */
int nw_rt_is_lost(const nw_rt_entry *entry, const char *begin, const char *end);
/* In a forked child, before a region's loops run on the host: ends the program where they would
 * read what was lost. */
void nw_rt_need_ranges(const char *where, const nw_range *ranges, int count);
/* Copies bytes of an entry, as they are on the host, to the device or from there into `to`. */
int nw_rt_entry_in(const nw_rt_entry *entry, const char *from, const char *bytes, size_t size);
int nw_rt_entry_out(const nw_rt_entry *entry, const char *from, char *to, size_t size);

/* Finds the ranges with NW_PRESENT that are present and holds them for a region: *entries becomes a
 * list from malloc, one for each range, or NULL where none is. Fails, with *name set, where one is
 * present in part. */
int nw_rt_hold_entries(const char *where, const nw_range *ranges, int count, nw_rt_entry ***entries,
                       const char **name);
void nw_rt_let_entries_go(nw_rt_entry **entries, int count);

/* exchange.c: whether this thread works in the host's memory in place of the device's, and whether
 * any does. */
int nw_rt_on_host_memory(void);
int nw_rt_is_exchanged(void);
/* In a forked child: the loops of other threads are gone, and what they had brought to the host. */
void nw_rt_exchange_in_child(void);
/* In a forked child: what the loops at this location need of the device's values has been asked. */
void nw_rt_values_are_known(const char *where);

/* data.c: says what is wrong with the data of a program, and ends it. */
_Noreturn void nw_rt_data_error(const char *where, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* streams.c: each open region has a stream to itself. Both are called with the lock held. */

/* A stream of the device that nobody uses, or the caller's own; NULL with nw_rt_failure set. */
nw_rt_stream *nw_rt_stream_take(nw_rt_device *device, const nw_on_device *on_device);
void nw_rt_stream_return(nw_rt_stream *stream);

/* sequences.c: launches that come again are started as a graph. All take NULL for a region without.
 */

typedef struct nw_rt_sequence nw_rt_sequence;

/* The sequence of a location in the source; NULL where the device has no graphs. `where` must stay.
 */
nw_rt_sequence *nw_rt_sequence_begin(nw_rt_stream *stream, const char *where);
/* Starts a kernel now, or holds it back because the graph will. */
int nw_rt_sequence_launch(nw_rt_stream *stream, nw_rt_sequence *sequence, nw_rt_handle kernel,
                          const nw_shape *shape, const nw_rt_value *values, int count);
/* Starts what was held back. */
int nw_rt_sequence_end(nw_rt_stream *stream, nw_rt_sequence *sequence);
/* After a failure: nothing of it is used again. */
void nw_rt_sequence_give_up(nw_rt_stream *stream, nw_rt_sequence *sequence);

/* decision.c: whether the device pays off. */

typedef struct nw_rt_traffic {
  double bytes;  /* both ways */
  int transfers; /* number of copies */
} nw_rt_traffic;

/* 1: offload. Keeps count in state->missed of what staying on the host has cost. */
int nw_rt_is_worth_it(nw_module *module, nw_rt_device *device, const nw_work *work,
                      const nw_rt_traffic *traffic);

/* statistics.c: the counters printed at exit with NESTWARP_STATS=1. */

typedef struct nw_rt_statistics {
  atomic_llong kernel_launches, graph_launches, largest_launch, regions_offloaded, regions_on_host,
      bytes_to_device, bytes_from_device, copies_to_device, copies_from_device;
  atomic_llong data_copies_in, data_copies_out,
      exchanges; /* of data directives; entries brought to the host and back */
  _Atomic(const nw_rt_device *) device; /* the one that was used; NULL: none */
  _Atomic(const char *) where,
      reason; /* of the last region that stayed on the host; strings that stay */
} nw_rt_statistics;

extern nw_rt_statistics nw_rt_counted;

/* timing.c: times of regions and kernels, written at exit where NESTWARP_TIMES names a file. All
 * calls but the first do nothing for NULL. */

typedef struct nw_rt_timer nw_rt_timer;

/* Begins with the first launch of a region; NULL when no times are wanted. */
nw_rt_timer *nw_rt_timer_start(nw_rt_stream *stream, const char *where);
/* Whether each launch is measured. */
int nw_rt_timer_times_kernels(const nw_rt_timer *timer);
/* Around each launch. */
void nw_rt_timer_before(nw_rt_timer *timer, const char *kernel, const nw_shape *shape);
void nw_rt_timer_after(nw_rt_timer *timer);
/* Marks the end of the region's work; and takes the times once the device has finished, if it is
 * `done`. */
nw_rt_handle nw_rt_timer_end(nw_rt_timer *timer);
void nw_rt_timer_stop(nw_rt_timer *timer, nw_rt_handle end, int done);

/* Writes `text` as a JSON string into `quoted` (always terminated; cut off if it does not fit). */
void nw_rt_quote(const char *text, char *quoted, size_t size);

/* In a forked child: it counts for itself, and the parent's times are the parent's. */
void nw_rt_statistics_in_child(void);
void nw_rt_timing_in_child(void);

/* Counts a region that stays on the host. Both strings must live as long as the process. */
void nw_rt_count_on_host(const char *where, const char *reason);

#endif
