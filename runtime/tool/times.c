/* The file of times that a job's runtime writes (runtime/timing.c): read before it becomes part of
 * the results, since a job may have been killed while it wrote, or be any program at all. One
 * broken file would make all results unreadable. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "results.h"

enum { MOST_DEPTH = 20, MOST_KEY = 32 };

typedef struct reader {
  const char *at, *end;
  int depth;
} reader;

static void skip_gap(reader *r) {
  while (r->at < r->end && strchr(" \t\r\n", *r->at) && *r->at)
    ++r->at;
}

static int take(reader *r, char c) {
  skip_gap(r);
  if (r->at == r->end || *r->at != c)
    return 0;
  ++r->at;
  return 1;
}

/* Bytes of the UTF-8 character that begins here; 0 where none does. */
static int character_size(const unsigned char *c, size_t left) {
  int size = c[0] < 0x80                   ? 1
             : c[0] >= 0xc2 && c[0] < 0xe0 ? 2
             : c[0] >= 0xe0 && c[0] < 0xf0 ? 3
             : c[0] >= 0xf0 && c[0] < 0xf5 ? 4
                                           : 0;
  if (!size || (size_t)size > left)
    return 0;
  for (int i = 1; i < size; ++i)
    if ((c[i] & 0xc0) != 0x80)
      return 0;
  if ((c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xed && c[1] >= 0xa0) ||
      (c[0] == 0xf0 && c[1] < 0x90) || (c[0] == 0xf4 && c[1] >= 0x90))
    return 0; /* longer than it must be, half of a pair, or beyond the last */
  return size;
}

/* After a backslash. The runtime writes no \u but of control characters, so that pairs need not be
 * understood. */
static int take_escape(reader *r) {
  if (r->at < r->end && *r->at && strchr("\"\\/bfnrt", *r->at)) {
    ++r->at;
    return 1;
  }
  if (r->end - r->at < 5 || strncmp(r->at, "u00", 3) != 0 ||
      strspn(r->at + 3, "0123456789abcdefABCDEF") < 2)
    return 0;
  r->at += 5;
  return 1;
}

/* A string; its beginning goes into `key`, as written, where that is not NULL. */
static int take_string(reader *r, char *key) {
  if (!take(r, '"'))
    return 0;
  const char *begin = r->at;
  while (r->at < r->end && *r->at != '"') {
    int size = character_size((const unsigned char *)r->at, (size_t)(r->end - r->at));
    if (!size || (unsigned char)*r->at < 0x20)
      return 0;
    r->at += size;
    if (r->at[-1] == '\\' && size == 1 && !take_escape(r))
      return 0;
  }
  if (key)
    snprintf(key, MOST_KEY, "%.*s", (int)(r->at - begin < MOST_KEY ? r->at - begin : MOST_KEY - 1),
             begin);
  return take(r, '"');
}

static size_t take_digits(reader *r) {
  size_t count = r->at < r->end ? strspn(r->at, "0123456789") : 0;
  r->at += count;
  return count;
}

static int take_number(reader *r) {
  skip_gap(r);
  const char *begin = r->at;
  if (r->at < r->end && *r->at == '-')
    ++r->at;
  const char *first = r->at;
  size_t count = take_digits(r);
  if (!count || (*first == '0' && count > 1))
    return 0;
  if (r->at < r->end && *r->at == '.' && (++r->at, !take_digits(r)))
    return 0;
  if (r->at < r->end && (*r->at == 'e' || *r->at == 'E')) {
    ++r->at;
    r->at += r->at < r->end && (*r->at == '+' || *r->at == '-');
    if (!take_digits(r))
      return 0;
  }
  return isfinite(strtod(begin, NULL));
}

/* A number of launches: a whole one that fits. */
static int take_count(reader *r) {
  skip_gap(r);
  const char *begin = r->at;
  size_t count = take_digits(r);
  return count && count < 16 && (*begin != '0' || count == 1) &&
         !(r->at < r->end && strchr(".eE", *r->at));
}

static int take_value(reader *r);

static int take_list(reader *r, int (*item)(reader *)) {
  if (r->depth == MOST_DEPTH || !take(r, '['))
    return 0;
  if (take(r, ']'))
    return 1;
  r->depth += 1;
  do
    if (!item(r))
      return 0;
  while (take(r, ','));
  r->depth -= 1;
  return take(r, ']');
}

/* Reads a known member, or any other; *seen gets a bit for each that is known. */
typedef int (*member)(reader *r, const char *key, int *seen);

/* An object that has all of the `wanted` members. */
static int take_object(reader *r, member take_member, int wanted) {
  int seen = 0;
  char key[MOST_KEY];
  if (r->depth == MOST_DEPTH || !take(r, '{'))
    return 0;
  if (take(r, '}'))
    return !wanted;
  r->depth += 1;
  do
    if (!take_string(r, key) || !take(r, ':') || !take_member(r, key, &seen))
      return 0;
  while (take(r, ','));
  r->depth -= 1;
  return take(r, '}') && (seen & wanted) == wanted;
}

static int any_member(reader *r, const char *key, int *seen) {
  (void)key;
  (void)seen;
  return take_value(r);
}

static int take_value(reader *r) {
  skip_gap(r);
  switch (r->at < r->end ? *r->at : 0) {
  case '{':
    return take_object(r, any_member, 0);
  case '[':
    return take_list(r, take_value);
  case '"':
    return take_string(r, NULL);
  default:
    return take_number(r);
  }
}

static int kernel_member(reader *r, const char *key, int *seen) {
  if (strcmp(key, "name") == 0)
    return *seen |= 1, take_string(r, NULL);
  if (strcmp(key, "launches") == 0)
    return *seen |= 2, take_count(r);
  if (strcmp(key, "least") == 0)
    return *seen |= 4, take_number(r);
  return take_value(r);
}

static int take_kernel(reader *r) { return take_object(r, kernel_member, 1 | 2 | 4); }

static int region_member(reader *r, const char *key, int *seen) {
  if (strcmp(key, "where") == 0)
    return *seen |= 1, take_string(r, NULL);
  if (strcmp(key, "milliseconds") == 0)
    return *seen |= 2, take_list(r, take_number);
  if (strcmp(key, "kernels") == 0)
    return *seen |= 4, take_list(r, take_kernel);
  return take_value(r);
}

static int take_region(reader *r) { return take_object(r, region_member, 1 | 2 | 4); }

static int top_member(reader *r, const char *key, int *seen) {
  if (strcmp(key, "regions") == 0)
    return *seen |= 1, take_list(r, take_region);
  return take_value(r);
}

const char *mistake_in_times(const char *text, size_t size) {
  reader r = {text, text + size, 0};
  if (memchr(text, 0, size))
    return "has a zero byte";
  if (!take_object(&r, top_member, 1))
    return "is cut off, or is not a file of times";
  skip_gap(&r);
  return r.at == r.end ? NULL : "goes on after its end";
}
