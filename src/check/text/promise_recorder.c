#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* An element and a promised loop around the access: which iterations touched it last. */
typedef struct {
  const char *element;
  int depth;
  long long run, writer, reader, other;
  char written, read, several;
} nw_promise_last;
static struct {
  int line;
  const char *counter;
  long long run, value;
} nw_promise_open[64];
static int nw_promise_depth;
static long long nw_promise_runs;
static nw_promise_last *nw_promise_table;
static size_t nw_promise_size, nw_promise_used;
static int nw_promise_told[256], nw_promise_tellings;
static nw_promise_last *nw_promise_find(const char *element, int depth) {
  size_t k;
  if (2 * nw_promise_used >= nw_promise_size) {
    nw_promise_last *old = nw_promise_table;
    size_t size = nw_promise_size;
    nw_promise_size = size ? 2 * size : 4096;
    nw_promise_table = (nw_promise_last *)calloc(nw_promise_size, sizeof *nw_promise_table);
    if (!nw_promise_table)
      abort();
    for (k = 0; k < size; k++)
      if (old[k].element) {
        size_t at =
            ((size_t)old[k].element * 31 + (size_t)old[k].depth) * 0x9e3779b97f4a7c15u >> 16 &
            (nw_promise_size - 1);
        while (nw_promise_table[at].element)
          at = (at + 1) & (nw_promise_size - 1);
        nw_promise_table[at] = old[k];
      }
    free(old);
  }
  k = ((size_t)element * 31 + (size_t)depth) * 0x9e3779b97f4a7c15u >> 16 & (nw_promise_size - 1);
  while (nw_promise_table[k].element &&
         (nw_promise_table[k].element != element || nw_promise_table[k].depth != depth))
    k = (k + 1) & (nw_promise_size - 1);
  if (!nw_promise_table[k].element) {
    nw_promise_table[k].element = element;
    nw_promise_table[k].depth = depth;
    nw_promise_used++;
  }
  return &nw_promise_table[k];
}
static void nw_promise_enter(int line, const char *counter) {
  if (nw_promise_depth < 64) {
    nw_promise_open[nw_promise_depth].line = line;
    nw_promise_open[nw_promise_depth].counter = counter;
    nw_promise_open[nw_promise_depth].run = ++nw_promise_runs;
  }
  nw_promise_depth++;
}
static void nw_promise_iterate(long long value) {
  if (nw_promise_depth <= 64)
    nw_promise_open[nw_promise_depth - 1].value = value;
}
static void nw_promise_leave(void) { nw_promise_depth--; }
static void nw_promise_tell(int depth, long long first, int firstWrites, int secondWrites,
                            const char *format, va_list subscripts) {
  const char *file = getenv("NESTWARP_PROMISES");
  FILE *out;
  int k;
  for (k = 0; k < nw_promise_tellings; k++)
    if (nw_promise_told[k] == nw_promise_open[depth].line)
      return;
  if (nw_promise_tellings == 256 || !file || !(out = fopen(file, "a")))
    return;
  nw_promise_told[nw_promise_tellings++] = nw_promise_open[depth].line;
  fprintf(out, "iterations %s = %lld and %s = %lld of the loop in line %d %s ",
          nw_promise_open[depth].counter, first, nw_promise_open[depth].counter,
          nw_promise_open[depth].value, nw_promise_open[depth].line,
          firstWrites && secondWrites ? "both write"
          : firstWrites               ? "write and read"
                                      : "read and write");
  vfprintf(out, format, subscripts);
  fprintf(out, "\n");
  fclose(out);
}
/* how: 1 it is read, 2 written, 3 both */
static void *nw_promise_touch(void *element, int how, const char *format, ...) {
  int k;
  for (k = 0; k < nw_promise_depth && k < 64; k++) {
    nw_promise_last *last = nw_promise_find((const char *)element, k);
    long long now = nw_promise_open[k].value;
    int before = 0;
    if (last->run != nw_promise_open[k].run) {
      last->run = nw_promise_open[k].run;
      last->written = last->read = last->several = 0;
    }
    before = last->written && last->writer != now                                ? 2
             : (how & 2) && last->read && (last->several || last->reader != now) ? 1
                                                                                 : 0;
    if (before) {
      va_list subscripts;
      va_start(subscripts, format);
      nw_promise_tell(k,
                      before == 2           ? last->writer
                      : last->reader != now ? last->reader
                                            : last->other,
                      before == 2, (how & 2) != 0, format, subscripts);
      va_end(subscripts);
    }
    if (how & 2) {
      last->written = 1;
      last->writer = now;
    }
    if ((how & 1) && !last->read) {
      last->read = 1;
      last->reader = now;
    } else if ((how & 1) && last->reader != now) {
      last->several = 1;
      last->other = now;
    }
  }
  return element;
}
