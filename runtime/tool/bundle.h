/* What a bundle is to nestwarp-run: jobs and files, read from DIR/manifest.txt and held against the folder. A bundle is data:
 * paths stay inside the folder, sizes are checked, and nothing in it is taken for a command. */
#ifndef NESTWARP_BUNDLE_H
#define NESTWARP_BUNDLE_H

#include <stddef.h>

enum { MOST_WORDS = 64, MOST_LINE = 4096 };

typedef enum job_kind {
  JOB_FUNCTION, /* a driver calls original and generated function and compares what they leave */
  JOB_PROGRAM   /* two programs, whose outputs are compared */
} job_kind;

typedef struct job {
  char name[128];
  job_kind kind;
  int repeats;                /* calls that are timed, after the one that is checked */
  char *flags[MOST_WORDS];    /* for the C compiler: -D, -std= */
  int flag_count;
  char *includes[MOST_WORDS]; /* folders of headers, in the job's folder */
  int include_count;
  char *data[4];              /* ordinary, special */
  int data_count;
} job;

typedef struct bundle {
  char id[64];
  job *jobs;
  int job_count;
  char **files; /* paths inside the folder */
  int file_count;
} bundle;

/* Reads and checks the manifest in the current directory; 0 after having said what is wrong. */
int read_bundle(bundle *b);
void free_bundle(bundle *b);

/* process.c */

/* How a program is run: in `folder`, its outputs into files (NULL: as they are), with more variables, for so many seconds. */
typedef struct process {
  const char *folder, *output, *errors;
  const char *variables[8]; /* NAME=VALUE, up to NULL */
  int seconds;
} process;

enum { STATUS_NOT_STARTED = 127, STATUS_TOO_LONG = 254, STATUS_STOPPED = 255 };

/* Runs the words (ended by NULL); the exit status, or 128 and the signal's number. */
int run_process(const char *const *words, const process *how);
/* Whether the user has asked to stop. */
int is_stopped(void);
void watch_for_stop(void);

/* jobs.c */

typedef struct run_options {
  const char *device;    /* for NESTWARP_DEVICE, or NULL */
  const char *sanitizer; /* a tool of compute-sanitizer, or NULL */
  const char *output;    /* results */
  const char *only;      /* run jobs whose names contain this, or NULL */
  int seconds;           /* for one run of a job */
} run_options;

/* Runs all jobs that have no result yet; the exit status of the tool. */
int run_bundle(const char *folder, const run_options *options);

#endif
