/* Results of jobs. */
#define _GNU_SOURCE
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "bundle.h"
#include "results.h"

enum { MOST_REPORT = 1 << 20, MOST_TEXT = 4000 };

static void put(result *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(result *r, const char *format, ...) {
  char *more = NULL;
  va_list list;
  va_start(list, format);
  int length = vasprintf(&more, format, list);
  va_end(list);
  char *text = length >= 0 ? realloc(r->text, r->size + (size_t)length + 1) : NULL;
  if (text) {
    memcpy(text + r->size, more, (size_t)length + 1);
    r->text = text;
    r->size += (size_t)length;
  }
  free(length >= 0 ? more : NULL);
}

static void put_string(result *r, const char *text, size_t size) {
  char *quoted = malloc(6 * size + 3), *at = quoted;
  if (!quoted)
    return;
  *at++ = '"';
  for (size_t i = 0; i < size; ++i) {
    unsigned char c = (unsigned char)text[i];
    if (c == '"' || c == '\\') {
      *at++ = '\\';
      *at++ = (char)c;
    } else if (c < 0x20 || c >= 0x7f) {
      at += sprintf(at, "\\u%04x", c);
    } else {
      *at++ = (char)c;
    }
  }
  *at++ = '"';
  *at = 0;
  put(r, "%s", quoted);
  free(quoted);
}

/* The file's bytes from malloc with a zero byte behind; NULL where it is not there or larger than
 * `most`. */
static char *whole(const char *path, size_t most, size_t *size) {
  FILE *in = fopen(path, "rb");
  char *bytes = in ? malloc(most + 2) : NULL;
  *size = bytes ? fread(bytes, 1, most + 1, in) : 0;
  if (in)
    fclose(in);
  if (bytes && *size > most) {
    free(bytes);
    bytes = NULL;
  }
  if (bytes)
    bytes[*size] = 0;
  return bytes;
}

void begin_result(result *r, const char *job) {
  memset(r, 0, sizeof *r);
  put(r, "{\"job\": \"%s\"", job);
}

void add_report(result *r, const char *data, int status, const char *path) {
  size_t size;
  char *report = whole(path, MOST_REPORT, &size);
  put(r, ", \"%s\": {\"status\": %d, \"report\": ", data, status);
  put_string(r, report ? report : "", report ? size : 0);
  put(r, "}");
  /* The original may not end on special data; that is no fault of the generated code. */
  int no_original = !report || !strstr(report, "stage\toriginal");
  if (status == 1)
    r->different = 1;
  else if (status && !(strcmp(data, "special") == 0 && no_original))
    r->failed = 1;
  const char *device = report ? strstr(report, "\ndevice\t") : NULL;
  if (device && strcmp(data, "ordinary") == 0)
    sscanf(device, "\ndevice\t%d\t%d", &r->on_device, &r->on_host);
  free(report);
}

void add_times(result *r, const char *key, const char *path, int is_due) {
  size_t size;
  char *text = whole(path, MOST_REPORT, &size);
  const char *mistake = text                      ? mistake_in_times(text, size)
                        : access(path, F_OK) == 0 ? "is too large"
                        : is_due                  ? "was not written"
                                                  : NULL;
  if (mistake) {
    const char *name = strrchr(path, '/');
    put(r, ", \"%s_mistake\": \"%s %s\"", key, name ? name + 1 : path, mistake);
    r->bad_times = 1;
  } else if (text) {
    for (char *c = text; *c; ++c) /* a result is one line; a string has no line break */
      *c = *c == '\n' || *c == '\r' ? ' ' : *c;
    put(r, ", \"%s\": %s", key, text);
  }
  free(text);
}

void add_cubins(result *r, const char *path) {
  size_t size;
  char *text = whole(path, MOST_REPORT, &size), *rest;
  const char *seen[64];
  int count = 0;
  for (char *line = text ? strtok_r(text, "\n", &rest) : NULL; line && count < 64;
       line = strtok_r(NULL, "\n", &rest)) {
    int is_known = 0;
    for (int i = 0; i < count; ++i)
      is_known |= strcmp(seen[i], line) == 0;
    if (!is_known)
      seen[count++] = line;
  }
  put(r, ", \"cubins\": %d", count);
  free(text);
}

void add_text(result *r, const char *key, const char *path) {
  size_t size;
  char *text = whole(path, 16 * MOST_REPORT, &size);
  if (text && size) {
    size_t skipped = size > MOST_TEXT ? size - MOST_TEXT : 0;
    put(r, ", \"%s\": ", key);
    put_string(r, text + skipped, size - skipped);
  }
  free(text);
}

int add_log(result *r, const char *key, const char *path) {
  size_t size;
  char *text = whole(path, 16 * MOST_REPORT, &size);
  if (text) {
    put(r, ", \"%s\": ", key);
    put_string(r, text, size);
  }
  free(text);
  return text != NULL;
}

/* From the line of statistics that the runtime prints at exit. */
static int offloaded_regions(const char *errors) {
  size_t size;
  int count = 0;
  char *text = whole(errors, 16 * MOST_REPORT, &size);
  const char *at = text ? strstr(text, "\"regions_offloaded\": ") : NULL;
  if (at)
    sscanf(at, "\"regions_offloaded\": %d", &count);
  free(text);
  return count;
}

void compare_outputs(result *r, outputs kind, int original_status, int generated_status,
                     const char *original, const char *generated, const char *errors) {
  size_t size_a, size_b;
  char *a = whole(original, 64 * MOST_REPORT, &size_a),
       *b = whole(generated, 64 * MOST_REPORT, &size_b), *rest_a, *rest_b;
  const char *gap = " \t\r\n,;:()[]=";
  int word = 0;
  put(r, ", \"original_status\": %d, \"generated_status\": %d", original_status, generated_status);
  r->on_device = offloaded_regions(errors);
  /* An original that crashes or says nothing proves nothing. */
  if (!a || !b || original_status >= 126 || !a[strspn(a, gap)]) {
    r->failed = 1;
  } else if (memchr(a, 0, size_a) || memchr(b, 0, size_b)) {
    r->different =
        original_status != generated_status || size_a != size_b || memcmp(a, b, size_a) != 0;
  } else if (original_status != generated_status) {
    r->different = 1;
  } else {
    char *x = strtok_r(a, gap, &rest_a), *y = strtok_r(b, gap, &rest_b);
    for (; x && y && is_same_word(x, y, kind); ++word) {
      x = strtok_r(NULL, gap, &rest_a);
      y = strtok_r(NULL, gap, &rest_b);
    }
    r->different = x || y;
    if (r->different) {
      put(r, ", \"word\": %d, \"expected\": ", word);
      put_string(r, x ? x : "", x ? strnlen(x, 200) : 0);
      put(r, ", \"found\": ");
      put_string(r, y ? y : "", y ? strnlen(y, 200) : 0);
    }
  }
  free(a);
  free(b);
}

const char *words_for(const result *r) {
  if (r->build_status)
    return "did not build";
  if (r->different)
    return "DIFFERENT";
  if (r->failed || r->times_status)
    return "did not run";
  if (r->bad_times)
    return "its times are not understood";
  return r->on_device ? "same" : "same, but nothing ran on a device";
}

void free_result(result *r) { free(r->text); }

/* Opens FILE.partial of this bundle for reading, behind its first line; NULL where there is none.
 */
static FILE *open_partial(const char *partial, const char *id) {
  char line[600], expected[600];
  FILE *in = open_inside(partial, "r");
  snprintf(expected, sizeof expected, "%s\n", id);
  if (in && (!fgets(line, sizeof line, in) || strcmp(line, expected) != 0)) {
    fclose(in);
    in = NULL;
  }
  return in;
}

int has_result(const char *partial, const char *id, const char *job) {
  char *line = NULL, wanted[200];
  size_t room = 0;
  int found = 0;
  FILE *in = open_partial(partial, id);
  snprintf(wanted, sizeof wanted, "{\"job\": \"%s\"", job);
  for (ssize_t length; in && !found && (length = getline(&line, &room, in)) > 0;)
    found = strncmp(line, wanted, strlen(wanted)) == 0 && line[length - 1] == '\n';
  if (in)
    fclose(in);
  free(line);
  return found;
}

/* Cuts off a last line that has no end: a run was killed while it wrote it. */
static int drop_cut_line(const char *partial) {
  char *line = NULL;
  size_t room = 0;
  off_t whole_lines = 0;
  FILE *in = fopen(partial, "r");
  for (ssize_t length; in && (length = getline(&line, &room, in)) > 0;)
    if (line[length - 1] == '\n')
      whole_lines += length;
  free(line);
  return in && fclose(in) == 0 && truncate(partial, whole_lines) == 0;
}

int keep_result(const result *r, const char *partial, const char *id) {
  FILE *known = open_partial(partial, id);
  if (known) {
    fclose(known);
    if (!drop_cut_line(partial))
      return 0;
  }
  FILE *out = open_inside(partial, known ? "a" : "w");
  if (!out)
    return 0;
  if (!known)
    fprintf(out, "%s\n", id);
  fprintf(out, "%s, \"build_status\": %d, \"times_status\": %d, \"verdict\": \"%s\"}\n", r->text,
          r->build_status, r->times_status, words_for(r));
  int done = fflush(out) == 0 && fsync(fileno(out)) == 0;
  return fclose(out) == 0 && done;
}

int write_results(const char *path, const char *partial, const char *key, const char *id,
                  const char *device, const char *sanitizer, totals *all) {
  char *line = NULL, date[64] = "", half[600];
  size_t room = 0;
  struct utsname machine;
  time_t now = time(NULL);
  snprintf(half, sizeof half, "%s.half", path);
  FILE *in = open_partial(partial, key), *out = in ? open_inside(half, "w") : NULL;
  if (!out) {
    if (in)
      fclose(in);
    return 0;
  }
  uname(&machine);
  strftime(date, sizeof date, "%Y-%m-%d %H:%M:%S UTC", gmtime(&now));
  result head = {0};
  put(&head,
      "{\"nestwarp_results\": 1, \"bundle\": \"%s\", \"date\": \"%s\", \"machine\": \"%s %s\", "
      "\"device\": ",
      id, date, machine.sysname, machine.machine);
  put_string(&head, device ? device : "", device ? strlen(device) : 0);
  fprintf(out, "%s, \"sanitizer\": \"%s\", \"jobs\": [\n", head.text ? head.text : "",
          sanitizer ? sanitizer : "");
  free_result(&head);
  for (ssize_t length; (length = getline(&line, &room, in)) > 0;) {
    if (line[length - 1] != '\n')
      break; /* cut off */
    line[length - 1] = 0;
    all->failures += strstr(line, "\"verdict\": \"same\"}") == NULL;
    all->cubins += strstr(line, ", \"cubins\": ") && !strstr(line, ", \"cubins\": 0");
    fprintf(out, "%s%s", all->jobs++ ? ",\n" : "", line);
  }
  fprintf(out, "\n], \"jobs_from_cubins\": %d}\n", all->cubins);
  free(line);
  fclose(in);
  int done = fflush(out) == 0 && fsync(fileno(out)) == 0;
  done = fclose(out) == 0 && done;
  return done && rename(half, path) == 0 && remove(partial) == 0; /* another run begins anew */
}
