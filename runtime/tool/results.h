/* What a job has given, as a line of JSON, and the file that all lines make. */
#ifndef NESTWARP_RESULTS_H
#define NESTWARP_RESULTS_H

#include <stddef.h>

typedef struct result {
  char *text; /* members of a JSON object, as they come */
  size_t size;
  int build_status, times_status;
  int different, failed, on_device, on_host; /* what is known of the runs */
} result;

void begin_result(result *r, const char *job);
/* A driver's report on one kind of data, with the driver's exit status. */
void add_report(result *r, const char *data, int status, const char *path);
/* A file that is JSON itself, and one that is text: its last 4000 characters. Nothing where it is not there or too large. */
void add_json(result *r, const char *key, const char *path);
void add_text(result *r, const char *key, const char *path);
/* Outputs of two programs, word by word; numbers may differ in their last digits. */
void compare_outputs(result *r, int original_status, int generated_status, const char *original, const char *generated, const char *errors);
const char *words_for(const result *r);
void free_result(result *r);

/* FILE.partial: a key (the bundle, the device, the sanitizer), then a line for each job. */
int has_result(const char *partial, const char *key, const char *job);
int keep_result(const result *r, const char *partial, const char *key);
/* Makes the file of results from the lines; counts the jobs that are not as expected. 0 where it cannot be written. */
int write_results(const char *path, const char *partial, const char *key, const char *id, const char *device, const char *sanitizer, int *failures);

#endif
