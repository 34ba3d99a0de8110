/* The result of a probe as text: its parts are written as they are found and put together at the
 * end. */
#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe.h"

/* Room for so many more bytes and a zero; 0 if there is none. */
static int reserve(nw_text *text, size_t more) {
  if (text->failed)
    return 0;
  if (text->length + more + 1 <= text->capacity)
    return 1;
  size_t capacity = 2 * (text->length + more) + 256;
  char *bytes = realloc(text->bytes, capacity);
  if (!bytes) {
    text->failed = 1;
    return 0;
  }
  text->bytes = bytes;
  text->capacity = capacity;
  return 1;
}

static void print_list(nw_text *text, const char *format, va_list list) {
  va_list again;
  va_copy(again, list);
  int length = vsnprintf(NULL, 0, format, again);
  va_end(again);
  if (length < 0 || !reserve(text, (size_t)length))
    return;
  vsnprintf(text->bytes + text->length, (size_t)length + 1, format, list);
  text->length += (size_t)length;
}

void nw_probe_print(nw_text *text, const char *format, ...) {
  va_list list;
  va_start(list, format);
  print_list(text, format, list);
  va_end(list);
}

void nw_probe_print_string(nw_text *text, const char *string) {
  nw_probe_print(text, "\"");
  for (const unsigned char *c = (const unsigned char *)string; *c; ++c)
    if (*c == '"' || *c == '\\')
      nw_probe_print(text, "\\%c", *c);
    else
      nw_probe_print(text, *c < 32 || *c > 126 ? "?" : "%c", *c);
  nw_probe_print(text, "\"");
}

/* Begins a field of an object that is written without its braces. */
static void field(nw_text *text, const char *name) {
  nw_probe_print(text, "%s    \"%s\": ", text->length ? ",\n" : "", name);
}

void nw_probe_query(nw_probe *probe, const char *name, double value) {
  if (!isfinite(value))
    return;
  field(&probe->queried, name);
  nw_probe_print(&probe->queried, "%.15g", value);
}

void nw_probe_query_text(nw_probe *probe, const char *name, const char *value) {
  field(&probe->queried, name);
  nw_probe_print_string(&probe->queried, value);
}

void nw_probe_query_list(nw_probe *probe, const char *name, const long long values[3]) {
  field(&probe->queried, name);
  nw_probe_print(&probe->queried, "[%lld, %lld, %lld]", values[0], values[1], values[2]);
}

void nw_probe_measure(nw_probe *probe, const char *name, double value) {
  if (!isfinite(value))
    return;
  field(&probe->measured, name);
  nw_probe_print(&probe->measured, "%.5g", value);
}

void nw_probe_skip(nw_probe *probe, const char *what, const char *why) {
  nw_probe_print(&probe->skipped, "%s    {\"what\": ", probe->skipped.length ? ",\n" : "");
  nw_probe_print_string(&probe->skipped, what);
  nw_probe_print(&probe->skipped, ", \"why\": ");
  nw_probe_print_string(&probe->skipped, why);
  nw_probe_print(&probe->skipped, "}");
}

void nw_probe_begin_curve(nw_probe *probe, const nw_probe_curve *curve) {
  nw_text *text = &probe->curves;
  nw_probe_print(text,
                 "%s    {\"id\": \"%s\", \"title\": \"%s\", \"x\": \"%s\", \"y\": \"%s\", "
                 "\"logX\": %s, \"logY\": %s,\n     \"lines\": [",
                 text->length ? ",\n" : "", curve->id, curve->title, curve->x, curve->y,
                 curve->log_x ? "true" : "false", curve->log_y ? "true" : "false");
  probe->lines = probe->points = 0;
}

void nw_probe_begin_line(nw_probe *probe, const char *format, ...) {
  va_list list;
  nw_probe_print(&probe->curves, "%s\n      {\"label\": \"", probe->lines ? "]}," : "");
  va_start(list, format);
  print_list(&probe->curves, format, list);
  va_end(list);
  nw_probe_print(&probe->curves, "\", \"points\": [");
  probe->lines += 1;
  probe->points = 0;
}

void nw_probe_point(nw_probe *probe, double x, double y) {
  if (!isfinite(x) || !isfinite(y))
    return;
  nw_probe_print(&probe->curves, "%s[%.10g, %.5g]", probe->points ? ", " : "", x, y);
  probe->points += 1;
}

void nw_probe_end_curve(nw_probe *probe) {
  nw_probe_print(&probe->curves, "%s]}", probe->lines ? "]}" : "");
}

static void part(nw_text *text, const char *name, const nw_text *content, const char *brackets,
                 int is_last) {
  nw_probe_print(text, "  \"%s\": %c\n", name, brackets[0]);
  if (content->length)
    nw_probe_print(text, "%s\n", content->bytes);
  nw_probe_print(text, "  %c%s\n", brackets[1], is_last ? "" : ",");
  text->failed |= content->failed;
}

/* Puts the whole file together. */
static nw_text whole(const nw_probe *probe) {
  static const char *const kinds[] = {
      [NW_RT_CUDA] = "cuda", [NW_RT_OPENCL_GPU] = "opencl", [NW_RT_OPENCL_CPU] = "cpu"};
  nw_text text = {0};
  nw_probe_print(&text,
                 "{\n  \"format\": \"nestwarp-probe\",\n  \"version\": 1,\n  \"quick\": %s,\n  "
                 "\"device\": {\"label\": ",
                 probe->quick ? "true" : "false");
  nw_probe_print_string(&text, probe->device->label);
  nw_probe_print(&text, ", \"name\": ");
  nw_probe_print_string(&text, probe->device->name);
  nw_probe_print(&text, ", \"kind\": \"%s\", \"version\": ", kinds[probe->device->kind]);
  nw_probe_print_string(&text, probe->device->version);
  nw_probe_print(&text, "},\n");
  part(&text, "queried", &probe->queried, "{}", 0);
  part(&text, "measured", &probe->measured, "{}", 0);
  part(&text, "curves", &probe->curves, "[]", 0);
  part(&text, "skipped", &probe->skipped, "[]", 1);
  nw_probe_print(&text, "}\n");
  return text;
}

int nw_probe_write(const nw_probe *probe, const char *output) {
  nw_text text = whole(probe);
  FILE *file = output ? fopen(output, "w") : stdout;
  int done = !text.failed && file && fwrite(text.bytes, 1, text.length, file) == text.length;
  if (file && output)
    done &= fclose(file) == 0;
  else if (file)
    done &= fflush(file) == 0;
  if (!done)
    nw_rt_say("cannot write %s: %s", output ? output : "the result",
              text.failed ? "no memory" : strerror(errno));
  free(text.bytes);
  return done;
}
