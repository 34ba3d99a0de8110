/* Loops of a compute construct that run on the host although arrays of theirs are on the device:
 * for as long, the host's memory holds the device's values of all that is present, and what it held
 * before is kept apart. Only what differs is written, so that constants in memory that cannot be
 * written stay where they are. One thread does so at a time. */
#include <stdlib.h>
#include <string.h>

#include "internal.h"

static int is_exchanged;                   /* guarded by the table's lock */
static _Thread_local int depth;            /* how often this thread has begun */
static _Thread_local int did;              /* whether there was anything to exchange */
static _Thread_local const char *known_at; /* see nw_rt_values_are_known */

int nw_rt_on_host_memory(void) { return depth > 0 && did; }
int nw_rt_is_exchanged(void) { return is_exchanged; }

static size_t size_of(const nw_rt_entry *entry) { return (size_t)(entry->end - entry->begin); }

/* Exchanges the bytes of two locations. */
static void swap_bytes(char *left, char *right, size_t size) {
  char piece[4096];
  for (size_t at = 0; at < size; at += sizeof piece) {
    size_t length = size - at < sizeof piece ? size - at : sizeof piece;
    memcpy(piece, left + at, length);
    memcpy(left + at, right + at, length);
    memcpy(right + at, piece, length);
  }
}

static void bring(nw_rt_entry *entry, const char *where) {
  size_t size = size_of(entry);
  entry->own = malloc(size);
  if (!entry->own || !nw_rt_entry_out(entry, entry->begin, entry->own, size))
    nw_rt_data_error(
        where, "the loops run on the host, but their values cannot be copied from the device: %s",
        entry->own ? nw_rt_failure.text : "out of memory");
  entry->was_different = memcmp(entry->own, entry->begin, size) != 0;
  if (entry->was_different)
    swap_bytes(entry->own, entry->begin, size);
  nw_rt_counted.exchanges += 1;
}

static void put_back(nw_rt_entry *entry) {
  size_t size = size_of(entry);
  if (entry->was_different || memcmp(entry->own, entry->begin, size) != 0) {
    if (!nw_rt_entry_in(entry, entry->begin, entry->begin, size))
      nw_rt_data_error("loops on the host", "their results cannot be copied to the device: %s",
                       nw_rt_failure.text);
    memcpy(entry->begin, entry->own, size);
    nw_rt_note_newer(entry, entry->begin, entry->end);
  } else {
    nw_rt_note_same(entry, entry->begin, entry->end);
  }
  free(entry->own);
  entry->own = NULL;
}

void nw_rt_values_are_known(const char *where) { known_at = where; }

/* The loops of this thread go on in the host's memory, which is the only one from now on. Those of
 * another thread have changed the device's values by some part of what they do: the host gets its
 * own back, and the device's are lost. */
void nw_rt_exchange_in_child(void) {
  for (nw_rt_entry *e = nw_rt_entries(); e; e = e->next) {
    if (!e->own)
      continue;
    if (depth && did) {
      e->newer = e->newer_end;
    } else {
      if (memcmp(e->begin, e->own, size_of(e)) != 0)
        memcpy(e->begin, e->own, size_of(e));
      nw_rt_note_newer(e, e->begin, e->end);
    }
    free(e->own);
    e->own = NULL;
  }
  is_exchanged = 0;
}

/* In a forked child, for loops of which it is not known what they touch. */
static void need_all_values(const char *where) {
  int is_known = known_at && strcmp(known_at, where) == 0;
  known_at = NULL;
  if (is_known)
    return;
  nw_rt_need_settled_table(where);
  for (nw_rt_entry *e = nw_rt_entries(); e; e = e->next)
    if (nw_rt_is_lost(e, e->begin, e->end))
      nw_rt_data_error(where, "the loops may read data that were changed on the device before this "
                              "process was forked, and that no update brought to the host");
}

/* Whether regions of other threads run with entries. */
static int is_anything_used(void) {
  for (nw_rt_entry *e = nw_rt_entries(); e; e = e->next)
    if (e->users)
      return 1;
  return 0;
}

void nw_host_begin(const char *where, int condition) {
  if (!condition || depth++)
    return;
  if (nw_rt_is_forked()) {
    did = 0;
    need_all_values(where);
    return;
  }
  nw_rt_table_lock();
  while (is_exchanged || is_anything_used())
    nw_rt_table_wait();
  did = 0;
  for (nw_rt_entry *e = nw_rt_entries(); e; e = e->next)
    if (e->buffer.size) {
      bring(e, where);
      did = is_exchanged = 1;
    }
  nw_rt_table_unlock();
}

void nw_host_end(int condition) {
  if (!condition || --depth || !did)
    return;
  nw_rt_table_lock();
  for (nw_rt_entry *e = nw_rt_entries(); e; e = e->next)
    if (e->own)
      put_back(e);
  did = is_exchanged = 0;
  nw_rt_table_changed();
  nw_rt_table_unlock();
}
