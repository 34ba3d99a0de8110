/* The data directives of OpenACC 3.3 (data, enter data, exit data, update, host_data), as calls of
 * the rewritten source: the bytes of a section, what each clause does to the present table, and
 * what is said when the program is wrong.
 *
 * Each entry is counted twice, as the standard has it: by the data regions and constructs that are
 * open, and by enter data without exit data. Values move when an entry is made or goes, or where
 * `always` or `update` ask for it. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

enum { MOST_DIMENSIONS = 8, CLAUSE = 15 };

/* One dimension of a section. */
typedef struct dimension {
  long long start, length, extent;
} dimension;

/* The bytes of a variable: `rows` pieces of `size` bytes, whose locations count up like the digits
 * of a number. */
typedef struct section {
  char *begin;
  size_t size;                       /* of a piece */
  int outer;                         /* dimensions that pieces are taken over */
  long long count[MOST_DIMENSIONS];  /* of pieces, for each of them */
  long long stride[MOST_DIMENSIONS]; /* in bytes */
} section;

/* What a structured region holds until its end. */
typedef struct held {
  struct held *next;
  nw_rt_entry *entry;
  char *begin, *end;
  int kind;
  char name[];
} held;

typedef struct directive {
  const char *where;
  int kind; /* NW_DATA ... */
  held *items;
} directive;

void nw_rt_data_error(const char *where, const char *format, ...) {
  char text[1024];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  nw_rt_say("%s: error: %s", where, text);
  exit(EXIT_FAILURE);
}

static const char *word(int kind) {
  static const char *const words[] = {[NW_COPYIN] = "copyin",
                                      [NW_COPYOUT] = "copyout",
                                      [NW_COPY] = "copy",
                                      [NW_CREATE] = "create",
                                      [NW_MUST_BE_PRESENT] = "present",
                                      [NW_NO_CREATE] = "no_create",
                                      [NW_DELETE] = "delete",
                                      [NW_UPDATE_HOST] = "update host",
                                      [NW_UPDATE_DEVICE] = "update device"};
  return words[kind & CLAUSE];
}

static int is_empty(void) {
  nw_rt_table_lock();
  int empty = !nw_rt_entries();
  nw_rt_table_unlock();
  return empty;
}

void *nw_data_begin(const char *where, int kind, int condition) {
  if (condition)
    nw_rt_need_settled_table(where);
  if (!condition || nw_rt_on_host_memory() || (!nw_rt_device_in_use() && is_empty()))
    return NULL;
  directive *d = calloc(1, sizeof *d);
  if (!d)
    nw_rt_data_error(where, "out of memory");
  d->where = where;
  d->kind = kind;
  return d;
}

/* Checks a section and finds its bytes: inner dimensions that are whole belong to one piece. 0: it
 * is empty. */
static int find_bytes(const directive *d, const char *name, const void *base, long long element,
                      dimension *dimensions, int count, section *s) {
  long long bytes = element; /* of what lies below a dimension */
  int pieces_end = 0;        /* a dimension below was not whole */
  *s = (section){.begin = (char *)(uintptr_t)base, .size = (size_t)element};
  for (int k = count - 1; k >= 0; --k) {
    dimension *m = &dimensions[k];
    if (m->length < 0 && m->extent >= 0)
      m->length = m->extent - m->start;
    if (m->start < 0 || m->length < 0)
      nw_rt_data_error(d->where, "%s: the section begins at %lld and has the length %lld", name,
                       m->start, m->length);
    if (m->extent >= 0 && m->length > m->extent - m->start)
      nw_rt_data_error(
          d->where,
          "%s: the section of %lld elements from %lld on exceeds the dimension, which has %lld",
          name, m->length, m->start, m->extent);
    if (!m->length)
      return 0;
    s->begin += m->start * bytes;
    if (!pieces_end) {
      s->size = (size_t)(m->length * bytes);
      pieces_end = m->length != m->extent;
    } else if (m->length > 1) {
      s->count[s->outer] = m->length;
      s->stride[s->outer++] = bytes;
    }
    bytes *= m->extent;
  }
  return 1;
}

/* The first byte behind a section. */
static char *end_of(const section *s) {
  char *end = s->begin + s->size;
  for (int k = 0; k < s->outer; ++k)
    end += (s->count[k] - 1) * s->stride[k];
  return end;
}

static void copy_in(const directive *d, nw_rt_entry *entry, const char *name, char *begin,
                    size_t size) {
  if (entry->buffer.size && !nw_rt_entry_in(entry, begin, begin, size))
    nw_rt_data_error(d->where, "%s cannot be copied to the device: %s", name, nw_rt_failure.text);
  nw_rt_note_same(entry, begin, begin + size);
  nw_rt_counted.data_copies_in += entry->buffer.size != 0;
}

static void copy_out(const directive *d, nw_rt_entry *entry, const char *name, char *begin,
                     size_t size) {
  if (nw_rt_is_lost(entry, begin, begin + size))
    nw_rt_data_error(d->where,
                     "%s was changed on the device before this process was forked: its values are "
                     "lost to this process",
                     name);
  if (entry->buffer.size && !nw_rt_entry_out(entry, begin, begin, size))
    nw_rt_data_error(d->where, "%s cannot be copied from the device: %s", name, nw_rt_failure.text);
  nw_rt_note_same(entry, begin, begin + size);
  nw_rt_counted.data_copies_out += entry->buffer.size != 0;
}

/* Copies a section piece by piece. */
static void update(const directive *d, nw_rt_entry *entry, const char *name, const section *s,
                   int kind, int dimension, char *begin) {
  if (dimension == s->outer) {
    (kind == NW_UPDATE_HOST ? copy_out : copy_in)(d, entry, name, begin, s->size);
    return;
  }
  for (long long i = 0; i < s->count[dimension]; ++i)
    update(d, entry, name, s, kind, dimension + 1, begin + i * s->stride[dimension]);
}

static void clear(const directive *d, nw_rt_entry *entry, const char *name) {
  nw_rt_handle previous;
  if (!entry->buffer.size)
    return;
  nw_rt_stream *stream = nw_rt_begin_work(entry->device, &previous);
  int done = stream &&
             entry->device->backend->clear(stream, entry->buffer.handle,
                                           (size_t)(entry->end - entry->begin)) &&
             entry->device->backend->finish(stream);
  if (stream)
    nw_rt_end_work(stream, previous);
  if (!done)
    nw_rt_data_error(d->where, "%s cannot be cleared on the device: %s", name, nw_rt_failure.text);
}

/* The entry of a section; NULL: there is none. */
static nw_rt_entry *find(const directive *d, int kind, const char *name, const char *begin,
                         const char *end) {
  nw_rt_entry *entry = NULL;
  int found = nw_rt_find_entry(begin, end, &entry);
  if (found == NW_RT_PRESENT_IN_PART)
    nw_rt_data_error(
        d->where, "%s(%s): only part of it is on the device: %lld bytes from byte %lld on, of %lld",
        word(kind), name, (long long)(entry->end - entry->begin), (long long)(entry->begin - begin),
        (long long)(end - begin));
  return found == NW_RT_PRESENT ? entry : NULL;
}

/* The entry, made where there is none. NULL: without a device. */
static nw_rt_entry *find_or_make(const directive *d, int kind, const char *name, char *begin,
                                 char *end) {
  int clause = kind & CLAUSE;
  nw_rt_entry *entry = find(d, kind, name, begin, end);
  nw_rt_device *device = nw_rt_device_in_use();
  int is_new = !entry;
  if (is_new && device) {
    entry = nw_rt_add_entry(device, d->where, name, begin, end);
    if (!entry)
      nw_rt_data_error(d->where, "out of memory");
    if (kind & NW_ZEROED)
      clear(d, entry, name);
  }
  if (entry && (clause == NW_COPYIN || clause == NW_COPY) && (is_new || (kind & NW_ALWAYS)))
    copy_in(d, entry, name, begin, (size_t)(end - begin));
  return entry;
}

static void hold(directive *d, nw_rt_entry *entry, int kind, const char *name, char *begin,
                 char *end) {
  held *item = malloc(sizeof *item + strlen(name) + 1);
  if (!item)
    nw_rt_data_error(d->where, "out of memory");
  *item = (held){d->items, entry, begin, end, kind};
  strcpy(item->name, name);
  d->items = item;
  entry->structured += 1;
}

/* The last one who held an entry is gone, or `always` asks for the values. */
static void leave(const directive *d, nw_rt_entry *entry, int kind, const char *name, char *begin,
                  char *end) {
  int clause = kind & CLAUSE, ends = !entry->structured && !entry->dynamic;
  if ((clause == NW_COPYOUT || clause == NW_COPY) && (ends || (kind & NW_ALWAYS)))
    copy_out(d, entry, name, begin, (size_t)(end - begin));
  if (ends)
    nw_rt_remove_entry(entry);
}

static void exit_data(const directive *d, int kind, const char *name, char *begin, char *end) {
  nw_rt_entry *entry = find(d, kind, name, begin, end);
  if (!entry)
    return; /* the standard wants it so */
  int was_held = entry->dynamic > 0;
  if (kind & NW_FINALIZE)
    entry->dynamic = 0;
  else if (was_held)
    entry->dynamic -= 1;
  if (was_held || (kind & NW_ALWAYS))
    leave(d, entry, kind, name, begin, end);
}

static void begin_item(directive *d, int kind, const char *name, char *begin, char *end) {
  nw_rt_entry *entry;
  switch (kind & CLAUSE) {
  case NW_MUST_BE_PRESENT:
  case NW_NO_CREATE:
    entry = find(d, kind, name, begin, end);
    if (!entry && (kind & CLAUSE) == NW_MUST_BE_PRESENT && nw_rt_device_in_use())
      nw_rt_data_error(
          d->where,
          "present(%s): it is not on the device; put it there with a data or enter data directive",
          name);
    break;
  default:
    entry = find_or_make(d, kind, name, begin, end);
  }
  if (entry && d->kind == NW_ENTER_DATA)
    entry->dynamic += 1;
  else if (entry)
    hold(d, entry, kind, name, begin, end);
}

static void update_item(const directive *d, int kind, const char *name, const section *s) {
  nw_rt_entry *entry = find(d, kind, name, s->begin, end_of(s));
  if (!entry && !(kind & NW_IF_PRESENT) && nw_rt_device_in_use())
    nw_rt_data_error(d->where,
                     "%s(%s): it is not on the device; put it there with a data or enter data "
                     "directive, or use if_present if it may be absent",
                     word(kind), name);
  if (entry)
    update(d, entry, name, s, kind & CLAUSE, 0, s->begin);
}

void nw_data_item(void *data, int kind, const char *name, const void *base, long long element,
                  int count, ...) {
  directive *d = data;
  dimension dimensions[MOST_DIMENSIONS];
  section s;
  va_list list;
  if (!d || !base)
    return;
  if (count > MOST_DIMENSIONS)
    nw_rt_data_error(d->where, "%s has more than %d dimensions", name, MOST_DIMENSIONS);
  va_start(list, count);
  for (int k = 0; k < count; ++k) {
    dimensions[k].start = va_arg(list, long long);
    dimensions[k].length = va_arg(list, long long);
    dimensions[k].extent = va_arg(list, long long);
  }
  va_end(list);
  if (!find_bytes(d, name, base, element, dimensions, count, &s))
    return;
  if (s.outer && d->kind != NW_UPDATE)
    nw_rt_data_error(d->where, "%s(%s): it is not contiguous; only update takes such a section",
                     word(kind), name);
  nw_rt_table_lock();
  while (nw_rt_is_exchanged())
    nw_rt_table_wait();
  if (d->kind == NW_UPDATE)
    update_item(d, kind, name, &s);
  else if (d->kind == NW_EXIT_DATA)
    exit_data(d, kind, name, s.begin, end_of(&s));
  else
    begin_item(d, kind, name, s.begin, end_of(&s));
  nw_rt_table_unlock();
}

void nw_data_end(void *data) {
  directive *d = data;
  if (!d)
    return;
  if (d->items)
    nw_rt_need_settled_table(d->where);
  nw_rt_table_lock();
  while (nw_rt_is_exchanged())
    nw_rt_table_wait();
  while (d->items) {
    held *item = d->items;
    d->items = item->next;
    item->entry->structured -= 1;
    leave(d, item->entry, item->kind, item->name, item->begin, item->end);
    free(item);
  }
  nw_rt_table_unlock();
  free(d);
}

void *nw_device_address(const char *where, const char *name, const void *host, int if_present,
                        int computed_in) {
  nw_rt_entry *entry = NULL;
  nw_rt_device *device = nw_rt_device_in_use();
  void *address = (void *)(uintptr_t)host;
  if (!host)
    return NULL;
  nw_rt_need_settled_table(where);
  nw_rt_table_lock();
  int found = nw_rt_find_entry(host, host, &entry);
  if (found == NW_RT_PRESENT && entry->buffer.size) {
    size_t offset = (size_t)((const char *)host - entry->begin);
    if (entry->device->kind != NW_RT_CUDA && offset)
      nw_rt_data_error(
          where,
          "use_device(%s): it begins inside an OpenCL buffer, so it has no address of its own",
          name);
    if (entry->device->kind != NW_RT_CUDA && computed_in)
      nw_rt_data_error(
          where,
          "use_device(%s): line %d computes with the address, but on %s it is a buffer "
          "of OpenCL (cl_mem), with which nothing can be computed; pass %s itself on",
          name, computed_in, entry->device->label, name);
    address = (void *)(entry->buffer.handle + offset);
    nw_rt_note_newer(entry, entry->begin, entry->end); /* whoever gets it may write there */
  } else if (found == NW_RT_PRESENT && nw_rt_is_lost(entry, entry->begin, entry->end)) {
    nw_rt_data_error(where,
                     "use_device(%s): it was changed on the device before this process was forked: "
                     "its values are lost to this process",
                     name);
  } else if (found != NW_RT_PRESENT && device && !if_present) {
    nw_rt_data_error(where,
                     "use_device(%s): it is not on the device; put it there with a data or enter "
                     "data directive, or use if_present if it may be absent",
                     name);
  }
  nw_rt_table_unlock();
  return address;
}

void nw_needs_device(const char *where, const char *name, int condition) {
  if (condition && nw_rt_is_forked())
    nw_rt_data_error(where, "%s is an address on the device, which a forked process cannot use",
                     name);
  if (condition && nw_rt_device_in_use())
    nw_rt_data_error(
        where, "%s is an address on the device (deviceptr), but the construct cannot run there",
        name);
}
