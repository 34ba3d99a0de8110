/* Launches that come again. A region that launches many kernels, with the same arguments each time
 * it is entered, has them started as one graph: the first time they are noted down, then compared,
 * and when all were the same a few times, a graph is made of them. From then on launches are only
 * compared, and the graph is started when the region is left. As soon as one differs, those that
 * were held back are started one by one, and the sequence is begun anew.
 *
 * On an H200 a launch of its own takes 3.5 us of the host's time, one in a graph 1.0 us, and its
 * share in making the graph 7.3 us (measured while graphs were still recorded from a stream): the
 * graph pays for itself in three rounds, so that it is made after as many, when as many more are
 * likely. */
#include <stdlib.h>
#include <string.h>

#include "internal.h"

enum {
  FEWEST_LAUNCHES = 4,
  MOST_LAUNCHES = 1 << 14,
  MOST_BYTES = 4 << 20,
  MOST_MISSES = 3,
  ENOUGH_ROUNDS = 3
};

/* What a launch looks like in a sequence; the arguments follow, each a size and its bytes, rounded
 * up to words. */
typedef struct launch_record {
  nw_rt_handle kernel;
  nw_shape shape;
  size_t count;
} launch_record;

struct nw_rt_sequence {
  struct nw_rt_sequence *next;
  const char *where; /* the site's, which stays */
  char *bytes;       /* of all launches of the last time */
  size_t size, capacity;
  int launches;
  int rounds;         /* times in a row that all launches were the same */
  int misses;         /* times that a graph was of no use */
  nw_rt_handle graph; /* 0: none */
  /* of the region that is open */
  size_t matched; /* bytes of launches that were the same as the last time */
  int matched_launches;
  int differs; /* the launches are written anew from here on */
};

static size_t rounded(size_t bytes) { return (bytes + 7) / 8 * 8; }

nw_rt_sequence *nw_rt_sequence_begin(nw_rt_stream *stream, const char *where) {
  const char *wanted = getenv("NESTWARP_GRAPHS");
  if ((wanted && strcmp(wanted, "0") == 0) || !stream->device->backend->graph_begin)
    return NULL;
  nw_rt_sequence *sequence = stream->sequences;
  while (sequence &&
         sequence->where != where) /* the text of one site: others may have the same words */
    sequence = sequence->next;
  if (!sequence && (sequence = calloc(1, sizeof *sequence))) {
    sequence->where = where;
    sequence->next = stream->sequences;
    stream->sequences = sequence;
  }
  if (!sequence || sequence->misses >= MOST_MISSES)
    return NULL;
  sequence->matched = 0;
  sequence->matched_launches = 0;
  sequence->differs = sequence->size == 0;
  return sequence;
}

/* The bytes of a launch, from malloc. */
static char *written(nw_rt_handle kernel, const nw_shape *shape, const nw_rt_value *values,
                     int count, size_t *size) {
  *size = sizeof(launch_record);
  for (int i = 0; i < count; ++i)
    *size += sizeof(size_t) + rounded(values[i].size);
  char *bytes = calloc(1, *size), *at = bytes + sizeof(launch_record);
  if (!bytes)
    return NULL;
  launch_record *record = (launch_record *)bytes;
  record->kernel = kernel;
  for (int i = 0; i < 3; ++i) {
    record->shape.grid[i] = shape->grid[i];
    record->shape.block[i] = shape->block[i];
  }
  record->shape.mode = shape->mode;
  record->count = (size_t)count;
  for (int i = 0; i < count; ++i) {
    memcpy(at, &values[i].size, sizeof(size_t));
    memcpy(at + sizeof(size_t), values[i].bytes, values[i].size);
    at += sizeof(size_t) + rounded(values[i].size);
  }
  return bytes;
}

/* Starts the launches of the first `size` bytes, or adds them to the graph that is being made. */
static int each(nw_rt_stream *stream, const nw_rt_sequence *sequence, size_t size,
                const nw_rt_handle *making) {
  const nw_rt_backend *backend = stream->device->backend;
  nw_rt_value values[NW_RT_MOST_ARGUMENTS];
  for (const char *at = sequence->bytes, *end = at + size; at < end;) {
    const launch_record *record = (const launch_record *)at;
    at += sizeof *record;
    for (size_t i = 0; i < record->count; ++i) {
      memcpy(&values[i].size, at, sizeof(size_t));
      values[i].bytes = at + sizeof(size_t);
      at += sizeof(size_t) + rounded(values[i].size);
    }
    int done = making ? backend->graph_add(stream, *making, record->kernel, &record->shape, values,
                                           (int)record->count)
                      : backend->launch(stream, record->kernel, &record->shape, values,
                                        (int)record->count);
    if (!done)
      return 0;
  }
  return 1;
}

static void forget_graph(nw_rt_stream *stream, nw_rt_sequence *sequence) {
  if (sequence->graph) {
    stream->device->backend->forget(stream, sequence->graph);
    sequence->graph = 0;
    sequence->misses += 1;
  }
}

/* From here on the sequence is another one: what was held back is started. */
static int diverge(nw_rt_stream *stream, nw_rt_sequence *sequence) {
  int held_back = sequence->graph != 0;
  sequence->differs = 1;
  sequence->rounds = 0;
  sequence->size = sequence->matched;
  sequence->launches = sequence->matched_launches;
  forget_graph(stream, sequence);
  return !held_back || each(stream, sequence, sequence->matched, NULL);
}

/* Writes a launch at the end; a sequence that becomes too long is given up. */
static void append(nw_rt_sequence *sequence, const char *bytes, size_t size) {
  size_t capacity = sequence->capacity ? sequence->capacity : 4096;
  while (capacity < sequence->size + size)
    capacity *= 2;
  char *grown = capacity > MOST_BYTES || sequence->launches >= MOST_LAUNCHES ? NULL
                : capacity == sequence->capacity ? sequence->bytes
                                                 : realloc(sequence->bytes, capacity);
  if (!grown) {
    sequence->misses = MOST_MISSES;
    return;
  }
  sequence->bytes = grown;
  sequence->capacity = capacity;
  memcpy(grown + sequence->size, bytes, size);
  sequence->size += size;
  sequence->launches += 1;
}

int nw_rt_sequence_launch(nw_rt_stream *stream, nw_rt_sequence *sequence, nw_rt_handle kernel,
                          const nw_shape *shape, const nw_rt_value *values, int count) {
  const nw_rt_backend *backend = stream->device->backend;
  size_t size = 0;
  char *bytes = sequence && sequence->misses < MOST_MISSES
                    ? written(kernel, shape, values, count, &size)
                    : NULL;
  if (!bytes) /* also in the middle of a sequence: what was held back comes first */
    return (!sequence || sequence->differs || diverge(stream, sequence)) &&
           backend->launch(stream, kernel, shape, values, count);
  int done = 1;
  if (!sequence->differs && (sequence->matched + size > sequence->size ||
                             memcmp(sequence->bytes + sequence->matched, bytes, size) != 0))
    done = diverge(stream, sequence);
  if (sequence->differs)
    append(sequence, bytes, size);
  else
    sequence->matched += size, sequence->matched_launches += 1;
  free(bytes);
  int is_held_back = !sequence->differs && sequence->graph;
  return done && (is_held_back || backend->launch(stream, kernel, shape, values, count));
}

/* Makes a graph of the whole sequence. That it cannot be made is not a failure: launches will do.
 */
static void make_graph(nw_rt_stream *stream, nw_rt_sequence *sequence) {
  nw_rt_handle making;
  int made = stream->device->backend->graph_begin(stream, &making);
  if (made) {
    int is_whole = each(stream, sequence, sequence->size, &making);
    made = stream->device->backend->graph_end(stream, making, is_whole, &sequence->graph);
  }
  if (!made) {
    sequence->graph = 0;
    sequence->misses = MOST_MISSES;
  }
}

int nw_rt_sequence_end(nw_rt_stream *stream, nw_rt_sequence *sequence) {
  if (!sequence || sequence->differs)
    return 1;
  if (sequence->matched != sequence->size)
    return diverge(stream, sequence);
  if (sequence->graph) {
    nw_rt_counted.graph_launches += 1;
    return stream->device->backend->replay(stream, sequence->graph);
  }
  sequence->rounds += 1;
  if (sequence->launches >= FEWEST_LAUNCHES && sequence->rounds >= ENOUGH_ROUNDS)
    make_graph(stream, sequence);
  return 1;
}

void nw_rt_sequence_give_up(nw_rt_stream *stream, nw_rt_sequence *sequence) {
  if (!sequence)
    return;
  forget_graph(stream, sequence);
  sequence->size = 0;
  sequence->launches = 0;
  sequence->rounds = 0;
}
