/* What a job has given, as a line of JSON, and the file that all lines make. */
#ifndef NESTWARP_RESULTS_H
#define NESTWARP_RESULTS_H

#include <stddef.h>

#include "bundle.h"

struct result;
typedef struct result {
  char *text; /* members of a JSON object, as they come */
  size_t size;
  int build_status, times_status;
  int bad_times;                             /* they were written, and are not understood */
  int different, failed, on_device, on_host; /* what is known of the runs */
} result;

void begin_result(result *r, const char *job);
/* A driver's report on one kind of data, with the driver's exit status. */
void add_report(result *r, const char *data, int status, const char *path);
/* The runtime's file of times, which is JSON itself, and is read before it is taken; with `is_due`
 * it must be there. */
void add_times(result *r, const char *key, const char *path, int is_due);
/* How many modules came from cubins: the different lines of the file. */
void add_cubins(result *r, const char *path);
/* A file that is text: its last 4000 characters. Nothing where it is not there or too large. */
void add_text(result *r, const char *key, const char *path);
/* A file that is text, all of it; and whether that could be done. */
int add_log(result *r, const char *key, const char *path);
/* Outputs of two programs, word by word. */
void compare_outputs(result *r, outputs kind, int original_status, int generated_status,
                     const char *original, const char *generated, const char *errors);
const char *words_for(const result *r);
void free_result(result *r);

/* FILE.partial: a key (the bundle, the device, the sanitizer), then a line for each job. */
int has_result(const char *partial, const char *key, const char *job);
int keep_result(const result *r, const char *partial, const char *key);
/* Jobs that have a result; those that are not as expected; those whose kernels came from cubins. */
typedef struct totals {
  int jobs, failures, cubins;
} totals;
/* Makes the file of results from the lines, in one step. 0 where it cannot be written. */
int write_results(const char *path, const char *partial, const char *key, const char *id,
                  const char *device, const char *sanitizer, totals *all);

/* words.c: whether two words of outputs say the same. Integers and all that is not a number must be
 * equal; so must all else where the outputs are strict, but for the sign of a NaN. */
int is_same_word(const char *a, const char *b, outputs kind);

/* times.c: NULL, or what is wrong with the text of a file of times (ended by a zero byte). */
const char *mistake_in_times(const char *text, size_t size);

#endif
