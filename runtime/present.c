/* The present table: which bytes of the host's memory have a counterpart on the device because a
 * data directive of OpenACC asked for it, and who holds them. Entries never overlap. The table has
 * a lock of its own, which is held while its values move; regions hold the entries that they use,
 * so that one that is removed meanwhile goes only when they are done. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t table_changed = PTHREAD_COND_INITIALIZER;
static nw_rt_entry *entries;
static int is_torn;                 /* in a forked child: another thread was changing the table */
static _Thread_local int has_table; /* this thread has the lock */

void nw_rt_table_lock(void) {
  pthread_mutex_lock(&table_lock);
  has_table = 1;
}

int nw_rt_table_lock_until(const struct timespec *until) {
  if (has_table || pthread_mutex_timedlock(&table_lock, until) != 0)
    return 0;
  has_table = 1;
  return 1;
}

void nw_rt_table_unlock(void) {
  has_table = 0;
  pthread_mutex_unlock(&table_lock);
}

void nw_rt_table_wait(void) { pthread_cond_wait(&table_changed, &table_lock); }
void nw_rt_table_changed(void) { pthread_cond_broadcast(&table_changed); }
nw_rt_entry *nw_rt_entries(void) { return entries; }

void nw_rt_table_in_child(int is_settled) {
  table_lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
  table_changed = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
  has_table = 0;
  if (!nw_rt_is_forked())
    return;
  is_torn |= !is_settled;
  if (is_torn)
    return;
  nw_rt_exchange_in_child();
  for (nw_rt_entry *e = entries; e; e = e->next) {
    e->buffer.size = 0;
    e->users = 0;
  }
}

void nw_rt_need_settled_table(const char *where) {
  if (is_torn)
    nw_rt_data_error(where, "the process was forked while another thread moved data to or from "
                            "the device: what was there is not known");
}

void nw_rt_note_newer(nw_rt_entry *entry, char *begin, char *end) {
  if (entry->newer == entry->newer_end) {
    entry->newer = begin;
    entry->newer_end = end;
  }
  entry->newer = begin < entry->newer ? begin : entry->newer;
  entry->newer_end = end > entry->newer_end ? end : entry->newer_end;
}

void nw_rt_note_same(nw_rt_entry *entry, const char *begin, const char *end) {
  if (begin <= entry->newer && end > entry->newer)
    entry->newer = end < entry->newer_end ? entry->begin + (end - entry->begin) : entry->newer_end;
  else if (begin > entry->newer && begin < entry->newer_end && end >= entry->newer_end)
    entry->newer_end = entry->begin + (begin - entry->begin);
}

int nw_rt_is_lost(const nw_rt_entry *entry, const char *begin, const char *end) {
  return nw_rt_is_forked() && entry->newer < entry->newer_end && begin < entry->newer_end &&
         end > entry->newer;
}

void nw_rt_need_ranges(const char *where, const nw_range *ranges, int count) {
  int any = 0;
  for (int i = 0; i < count; ++i) {
    const nw_range *range = &ranges[i];
    char *begin = (char *)range->host + range->low, *end = (char *)range->host + range->high;
    any |= range->flags & (NW_PRESENT | NW_DEVICE);
    if (range->flags & NW_DEVICE)
      nw_rt_data_error(where, "%s is an address on the device, which a forked process cannot use",
                       range->name);
    if (!(range->flags & NW_PRESENT) || !range->host || begin >= end)
      continue;
    nw_rt_need_settled_table(where);
    for (nw_rt_entry *e = entries; e; e = e->next) {
      if ((range->flags & NW_IN) && nw_rt_is_lost(e, begin, end))
        nw_rt_data_error(where,
                         "%s was changed on the device before this process was forked, and no "
                         "update brought it to the host: its values are lost",
                         range->name);
      if (range->flags & NW_OUT)
        nw_rt_note_same(e, begin, end);
    }
  }
  if (any)
    nw_rt_values_are_known(where);
}

int nw_rt_find_entry(const char *begin, const char *end, nw_rt_entry **entry) {
  const char *last = end > begin ? end : begin + 1;
  int found = NW_RT_ABSENT;
  for (nw_rt_entry *e = entries; e; e = e->next) {
    if (e->begin <= begin && last <= e->end) {
      *entry = e;
      return NW_RT_PRESENT;
    }
    if (e->begin < last && begin < e->end) {
      *entry = e;
      found = NW_RT_PRESENT_IN_PART;
    }
  }
  return found;
}

/* Takes memory of the device. */
static int take_buffer(nw_rt_device *device, size_t size, nw_rt_buffer *buffer) {
  nw_rt_handle previous;
  nw_rt_stream *stream = nw_rt_begin_work(device, &previous);
  if (!stream)
    return 0;
  nw_rt_lock();
  int done = nw_rt_memory_suffices(device, size) && nw_rt_buffer_take(device, size, buffer);
  nw_rt_unlock();
  nw_rt_end_work(stream, previous);
  return done;
}

nw_rt_entry *nw_rt_add_entry(nw_rt_device *device, const char *where, const char *name, char *begin,
                             char *end) {
  nw_rt_entry *entry = calloc(1, sizeof *entry);
  if (!entry)
    return NULL;
  *entry =
      (nw_rt_entry){.next = entries, .begin = begin, .end = end, .device = device, .is_listed = 1};
  if (!take_buffer(device, (size_t)(end - begin), &entry->buffer)) {
    nw_rt_say("%s: %s: %s; it stays on the host and is copied for each region", where, name,
              nw_rt_failure.text);
    entry->buffer.size = 0;
  }
  entries = entry;
  return entry;
}

/* Gives the memory of an entry back. */
static void release(nw_rt_entry *entry) {
  nw_rt_lock();
  nw_rt_handle previous;
  if (entry->buffer.size && entry->device->backend->begin(entry->device, &previous)) {
    nw_rt_buffer_return(entry->device, &entry->buffer);
    entry->device->backend->end(entry->device, previous);
  }
  nw_rt_unlock();
  free(entry);
}

void nw_rt_remove_entry(nw_rt_entry *entry) {
  nw_rt_entry **link = &entries;
  while (*link != entry)
    link = &(*link)->next;
  *link = entry->next;
  entry->is_listed = 0;
  if (!entry->users)
    release(entry);
}

int nw_rt_entry_in(const nw_rt_entry *entry, const char *from, const char *bytes, size_t size) {
  nw_rt_handle previous;
  nw_rt_stream *stream = nw_rt_begin_work(entry->device, &previous);
  if (!stream)
    return 0;
  int done = entry->device->backend->copy_in(stream, entry->buffer.handle,
                                             (size_t)(from - entry->begin), bytes, size);
  nw_rt_end_work(stream, previous);
  nw_rt_counted.bytes_to_device += (long long)size;
  nw_rt_counted.copies_to_device += 1;
  nw_rt_counted.device = entry->device;
  return done;
}

int nw_rt_entry_out(const nw_rt_entry *entry, const char *from, char *to, size_t size) {
  nw_rt_handle previous;
  nw_rt_stream *stream = nw_rt_begin_work(entry->device, &previous);
  if (!stream)
    return 0;
  int done = entry->device->backend->copy_out(stream, entry->buffer.handle,
                                              (size_t)(from - entry->begin), to, size);
  nw_rt_end_work(stream, previous);
  nw_rt_counted.bytes_from_device += (long long)size;
  nw_rt_counted.copies_from_device += 1;
  return done;
}

/* The entry of a range; NULL where it has none on the device. */
static nw_rt_entry *entry_of(const nw_range *range, int *in_part) {
  nw_rt_entry *entry = NULL;
  *in_part = 0;
  if (!(range->flags & NW_PRESENT) || !range->host || range->high <= range->low)
    return NULL;
  int found =
      nw_rt_find_entry((char *)range->host + range->low, (char *)range->host + range->high, &entry);
  *in_part = found == NW_RT_PRESENT_IN_PART && entry->buffer.size;
  return found == NW_RT_PRESENT && entry->buffer.size ? entry : NULL;
}

/* Whether there is an entry for a range, on the device or for want of memory on the host. */
static int is_there(const nw_range *range) {
  nw_rt_entry *entry;
  return nw_rt_find_entry((char *)range->host + range->low, (char *)range->host + range->high,
                          &entry) != NW_RT_ABSENT;
}

int nw_rt_hold_entries(const char *where, const nw_range *ranges, int count, nw_rt_entry ***held,
                       const char **name) {
  int any = 0, in_part = 0;
  *held = NULL;
  for (int i = 0; i < count; ++i)
    any |= ranges[i].flags & NW_PRESENT;
  if (!any || nw_rt_on_host_memory())
    return 1;
  nw_rt_table_lock();
  while (nw_rt_is_exchanged())
    nw_rt_table_wait();
  nw_rt_entry **list = entries ? calloc((size_t)count, sizeof *list) : NULL;
  any = 0;
  for (int i = 0; i < count && list && !in_part; ++i) {
    list[i] = entry_of(&ranges[i], &in_part);
    if (in_part)
      *name = ranges[i].name;
    any |= list[i] != NULL;
  }
  for (int i = 0; i < count && !in_part && nw_rt_device_in_use(); ++i)
    if ((ranges[i].flags & NW_REQUIRED) && ranges[i].host && ranges[i].high > ranges[i].low &&
        !is_there(&ranges[i]))
      nw_rt_data_error(where,
                       "default(present): %s is not on the device; put it there with a data or "
                       "enter data directive",
                       ranges[i].name);
  if (any && !in_part) {
    for (int i = 0; i < count; ++i)
      if (list[i]) {
        list[i]->users += 1;
        if (ranges[i].flags & NW_OUT)
          nw_rt_note_newer(list[i], (char *)ranges[i].host + ranges[i].low,
                           (char *)ranges[i].host + ranges[i].high);
      }
    *held = list;
  } else {
    free(list);
  }
  nw_rt_table_unlock();
  return !in_part;
}

void nw_rt_let_entries_go(nw_rt_entry **held, int count) {
  if (!held)
    return;
  nw_rt_table_lock();
  for (int i = 0; i < count; ++i)
    if (held[i] && --held[i]->users == 0 && !held[i]->is_listed)
      release(held[i]);
  nw_rt_table_changed();
  nw_rt_table_unlock();
  free(held);
}
