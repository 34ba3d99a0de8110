/* Loops of a compute construct that run on the host although arrays of theirs are on the device:
 * for as long, the host's memory holds the device's values of all that is present, and what it held
 * before is kept apart. Only what differs is written, so that constants in memory that cannot be
 * written stay where they are. One thread does so at a time. */
#include <stdlib.h>
#include <string.h>

#include "internal.h"

static int is_exchanged;        /* guarded by the table's lock */
static _Thread_local int depth; /* how often this thread has begun */
static _Thread_local int did;   /* whether there was anything to exchange */

int nw_rt_on_host_memory(void) { return depth > 0 && did; }
int nw_rt_is_exchanged(void) { return is_exchanged; }

static size_t size_of(const nw_rt_entry *entry) { return (size_t)(entry->end - entry->begin); }

/* Exchanges the bytes of two places. */
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
    nw_rt_data_error(where,
                     "the loops run on the host, but values cannot be had from the device: %s",
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
      nw_rt_data_error("loops on the host", "their results cannot be brought to the device: %s",
                       nw_rt_failure.text);
    memcpy(entry->begin, entry->own, size);
  }
  free(entry->own);
  entry->own = NULL;
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
