/* What a bundle is to nestwarp-run: jobs and files, read from DIR/manifest.txt and held against the
 * folder. A bundle is data: paths stay inside the folder, sizes are checked, and nothing in it is
 * taken for a command. */
#ifndef NESTWARP_BUNDLE_H
#define NESTWARP_BUNDLE_H

#include <stddef.h>
#include <stdio.h>

enum { MOST_WORDS = 64, MOST_LINE = 4096 };

typedef enum job_kind {
  JOB_FUNCTION, /* a driver calls original and generated function and compares what they leave */
  JOB_PROGRAM,  /* two programs, whose outputs are compared */
  JOB_TUNE      /* a driver checks and times candidates for the regions of a function */
} job_kind;

/* How exact the numbers are that a program prints: every digit counts, or sums may have been taken
 * in another order, in double or in float, or with fast math. */
typedef enum outputs { OUTPUTS_STRICT, OUTPUTS_DOUBLE, OUTPUTS_FLOAT, OUTPUTS_FAST } outputs;

/* Candidate NUMBER for a region: candidate-REGION-NUMBER.nw.c. Number 0 is the proposed plan, which
 * every region has. */
typedef struct candidate {
  int region, number;
} candidate;

typedef struct job {
  char name[128];
  job_kind kind;
  outputs numbers;
  int repeats;             /* calls that are timed, after the one that is checked */
  char *flags[MOST_WORDS]; /* for the C compiler: -D, -std= */
  int flag_count;
  char *includes[MOST_WORDS]; /* folders of headers, in the job's folder */
  int include_count;
  char *data[4]; /* ordinary, special */
  int data_count;
  candidate *candidates; /* of JOB_TUNE */
  int candidate_count;
} job;

typedef struct bundle_file {
  char *path; /* inside the folder */
  long long size;
  char hash[40]; /* of a cubin; else empty */
} bundle_file;

typedef struct bundle {
  int version;
  char id[64];
  char *cubins; /* what the writer says of cubins: for which architectures, or why there are none;
                   or NULL */
  job *jobs;
  int job_count;
  bundle_file *files;
  int file_count;
} bundle;

/* manifest.c */

/* Reads a manifest; 0 after having said what is wrong. The bundle is to be freed in both cases. */
int read_manifest(bundle *b, FILE *in);
void free_bundle(bundle *b);
/* Whether a file of the bundle is a source of the runtime's library. */
int is_runtime_source(const bundle_file *file);

/* folder.c: all of it in the current directory */

/* Holds the folder against the manifest: every file is there with its size, cubins with their hash,
 * and no link leads out of it. 0 after having said what is wrong. */
int check_folder(const bundle *b, const char *build);
/* Opens a file for writing that is not a link; NULL where it cannot be. */
FILE *open_inside(const char *path, const char *mode);
int make_folder(const char *path);
/* Makes the bundle, or a part of it, this process's own until it ends, however it ends; 0 after
 * having said who has it. */
int lock_bundle(const char *folder, const char *part);

/* process.c */

/* How a program is run: in `folder`, its outputs into files (NULL: as they are), with more
 * variables, for so many seconds. */
typedef struct process {
  const char *folder, *output, *errors;
  const char *variables[8]; /* NAME=VALUE, up to NULL */
  int seconds;
} process;

enum { STATUS_NOT_STARTED = 127, STATUS_TOO_LONG = 254, STATUS_STOPPED = 255 };

/* Calls `work` with 0 to count - 1, in as many processes as this machine has processors, `most` at
 * most. What work returns counts for nothing; it leaves files. */
void in_parallel(int count, int most, void (*work)(int index, const void *context),
                 const void *context);

/* Runs the words (ended by NULL); the exit status, or 128 and the signal's number. Where this
 * process is killed, so are they. */
int run_process(const char *const *words, const process *how);
/* Whether the user has asked to stop. */
int is_stopped(void);
void watch_for_stop(void);

/* build.c: objects and programs, in the folder `build` */

enum { MOST_ARGUMENTS = 512 };
typedef struct words {
  const char *list[MOST_ARGUMENTS];
  int count;
} words;
void add_word(words *w, const char *word);

/* Takes the C compiler from CC, or cc; 0 after having said why that is none. */
int choose_compiler(void);
/* The runtime's objects, made once; 0 after having said what is wrong. */
int build_runtime(const bundle *b, const char *build);
/* Links this library instead of the runtime's objects, where it is not NULL. */
void use_library(const char *path);
/* The programs of a job; the compiler's status. What it says goes to BUILD/NAME/compiler.txt. */
int build_job(const bundle *b, const job *j, const char *build);
/* One candidate of a job that tunes, as BUILD/NAME/candidate-REGION-NUMBER.so, unless it is there;
 * and its forms for the check, if any, form-REGION-NUMBER-1.nw.c and so on. What the compiler says
 * goes beside it. */
int build_candidate(const bundle *b, const job *j, const char *build, const candidate *c);

/* jobs.c */

typedef struct run_options {
  const char *device;    /* for NESTWARP_DEVICE, or NULL */
  const char *sanitizer; /* a tool of compute-sanitizer, or NULL */
  const char *output;    /* results */
  const char *only;      /* run jobs whose names contain this, or NULL */
  int seconds;           /* for one run of a job; for one candidate where it tunes */
  int tunes;             /* run the jobs that tune, and no others */
  int part,
      parts;  /* of the candidates, those that are this process's, where several share a bundle */
  int budget; /* seconds after which no other candidate is begun; 0: none */
  int finalists;       /* candidates that are measured once more */
  const char *library; /* the runtime as a library that is there already, or NULL */
  int at_once; /* jobs that are built and checked side by side, ahead of those that are timed; 1:
                  none */
} run_options;

/* ahead.c */

enum { MOST_AHEAD = 64 };
/* What was done of a job ahead of its turn. */
typedef struct ahead {
  int is_built, build_status;
  int is_checked[4], status[4]; /* for each kind of data */
} ahead;
/* Does the `work` of the jobs that are wanted (a flag for each), `at_once` at a time, each in a
 * process of its own; an entry for each job of the bundle, or NULL. */
ahead *work_ahead(const bundle *b, const run_options *options, const char *is_wanted,
                  void (*work)(const bundle *, const job *, const run_options *, ahead *));

/* tune.c: a job that tunes, built before. What is known of it stays in the job's build folder until
 * it has ended. */
struct result;
int run_tune(const bundle *b, const job *j, const char *build, const run_options *options,
             struct result *r);

/* parts.c: which part of how many this process is, as mpirun and Slurm say in the environment; 0 of
 * 1 where they do not. */
void part_from_environment(int *part, int *parts);
/* From "K/N", K from 1 on; 0 where it is none. */
int read_part(const char *text, int *part, int *parts);

/* Runs one of the job's programs in BUILD/NAME, under the sanitizer where it is wanted. */
int execute(const char *build, const job *j, const run_options *options, const char *program,
            const char *const *arguments, const char *output, const char *errors,
            const char *const *variables);

/* Runs all jobs that have no result yet; the exit status of the tool. */
int run_bundle(const char *folder, const run_options *options);

#endif
