/* The jobs of a bundle: built with the C compiler of this machine, run, and told of in a file of results. Each result is kept as soon
 * as it is known, in FILE.partial, so that a run that was stopped goes on where it was. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "../nestwarp_rt.h"
#include "bundle.h"
#include "results.h"

enum { MOST_ARGUMENTS = 512, BUILD_SECONDS = 300 };

typedef struct words {
  const char *list[MOST_ARGUMENTS];
  int count;
} words;

static void add(words *w, const char *word) {
  if (w->count + 1 < MOST_ARGUMENTS)
    w->list[w->count++] = word;
  w->list[w->count] = NULL;
}

static const char *compiler(void) {
  const char *named = getenv("CC");
  return named && *named ? named : "cc";
}

/* Where this bundle is built: the folder of another one that lay here before is not taken. */
static char build[100];

static int make_folder(const char *path) { return mkdir(path, 0755) == 0 || errno == EEXIST; }

static int ends_with(const char *text, const char *end) {
  size_t a = strlen(text), b = strlen(end);
  return a >= b && strcmp(text + a - b, end) == 0;
}

/* Whether a file of the bundle is a source of the runtime's library. */
static int is_runtime_source(const char *path) {
  return strncmp(path, "runtime/", 8) == 0 && !strchr(path + 8, '/') && ends_with(path, ".c");
}

/* runtime/NAME.o in the build folder for each source of the runtime; made once. */
static int build_runtime(const bundle *b) {
  char folder[200];
  snprintf(folder, sizeof folder, "%s/runtime", build);
  if (!make_folder(build) || !make_folder(folder))
    return 0;
  for (int i = 0; i < b->file_count; ++i) {
    char object[600], half[620];
    const char *source = b->files[i];
    if (!is_runtime_source(source))
      continue;
    snprintf(object, sizeof object, "%s/runtime/%s.o", build, strrchr(source, '/') + 1);
    snprintf(half, sizeof half, "%s.half", object);
    if (access(object, R_OK) == 0)
      continue;
    const char *line[] = {compiler(), "-std=gnu11", "-O2", "-w", "-fPIC", "-c", source, "-o", half, NULL};
    process how = {0};
    how.seconds = BUILD_SECONDS;
    int status = run_process(line, &how);
    if (status || rename(half, object)) {
      remove(half);
      if (status != STATUS_STOPPED)
        fprintf(stderr, "nestwarp-run: %s does not compile %s (status %d)\n", compiler(), source, status);
      return 0;
    }
  }
  return 1;
}

/* The objects of the runtime as seen from a job's folder. */
static void add_runtime(const bundle *b, words *w, char (*paths)[600], int most) {
  int used = 0;
  for (int i = 0; i < b->file_count && used < most; ++i)
    if (is_runtime_source(b->files[i])) {
      snprintf(paths[used], sizeof *paths, "../../%s/runtime/%s.o", build, strrchr(b->files[i], '/') + 1);
      add(w, paths[used++]);
    }
}

/* One call of the compiler in the job's folder; what it says goes to build/NAME/compiler.txt. */
static int compile(const bundle *b, const job *j, int shared, const char *const *sources, int with_runtime, const char *target) {
  char folder[256], output[300], log[300], runtime[64][600], includes[MOST_WORDS][600];
  words w = {{0}, 0};
  snprintf(folder, sizeof folder, "jobs/%s", j->name);
  snprintf(output, sizeof output, "../../%s/%s/%s", build, j->name, target);
  snprintf(log, sizeof log, "../../%s/%s/compiler.txt", build, j->name);
  add(&w, compiler());
  add(&w, "-O2");
  add(&w, "-w");
  add(&w, "-ffp-contract=off");
  if (shared) {
    add(&w, "-fPIC");
    add(&w, "-shared");
  }
  for (int i = 0; i < j->flag_count; ++i)
    add(&w, j->flags[i]);
  for (int i = 0; i < j->include_count; ++i) {
    snprintf(includes[i], sizeof includes[i], "-I%s", j->includes[i]);
    add(&w, includes[i]);
  }
  add(&w, "-iquote");
  add(&w, "input");
  add(&w, "-I../../runtime");
  for (; *sources; ++sources)
    add(&w, *sources);
  if (with_runtime)
    add_runtime(b, &w, runtime, 64);
  const char *rest[] = {"-o", output, "-lm", "-ldl", "-lpthread"};
  for (size_t i = 0; i < sizeof rest / sizeof *rest; ++i)
    add(&w, rest[i]);
  process how = {0};
  how.folder = folder;
  how.errors = log;
  how.seconds = BUILD_SECONDS;
  return run_process(w.list, &how);
}

static int build_function(const bundle *b, const job *j) {
  const char *original[] = {"original.c", NULL}, *generated[] = {"generated.c", "regions.nw.c", NULL}, *wider[] = {"wider.c", NULL}, *driver[] = {"driver.c", NULL};
  int status = compile(b, j, 1, original, 0, "original.so");
  status = status ? status : compile(b, j, 1, generated, 1, "generated.so");
  status = status ? status : compile(b, j, 1, wider, 0, "wider.so");
  return status ? status : compile(b, j, 0, driver, 0, "driver");
}

static int build_program(const bundle *b, const job *j) {
  const char *original[] = {"input/nw_original.c", NULL}, *generated[] = {"input/nw_rewritten.c", "regions.nw.c", NULL};
  int status = compile(b, j, 0, original, 0, "original");
  return status ? status : compile(b, j, 0, generated, 1, "generated");
}

/* Runs one of the job's programs in build/NAME, under the sanitizer where it is wanted. */
static int execute(const job *j, const run_options *options, const char *program, const char *const *arguments, const char *output, const char *errors, const char *const *variables) {
  char folder[256], device[200];
  words w = {{0}, 0};
  process how = {0};
  int used = 0;
  snprintf(folder, sizeof folder, "%s/%s", build, j->name);
  if (options->sanitizer) {
    const char *line[] = {"compute-sanitizer", "--tool", options->sanitizer, "--error-exitcode", "99", "--log-file", "sanitizer.txt"};
    for (size_t i = 0; i < sizeof line / sizeof *line; ++i)
      add(&w, line[i]);
  }
  add(&w, program);
  for (; arguments && *arguments; ++arguments)
    add(&w, *arguments);
  if (options->device) {
    snprintf(device, sizeof device, "NESTWARP_DEVICE=%s", options->device);
    how.variables[used++] = device;
  }
  for (; variables && *variables && used < 7; ++variables)
    how.variables[used++] = *variables;
  how.folder = folder;
  how.output = output;
  how.errors = errors;
  how.seconds = options->seconds;
  return run_process(w.list, &how);
}

static int run_function(const job *j, const run_options *options, result *r) {
  char path[400], repeats[32];
  for (int i = 0; i < j->data_count; ++i) {
    char report[64];
    const char *arguments[] = {report, j->data[i], NULL}, *offload[] = {NULL};
    snprintf(report, sizeof report, "%s.report", j->data[i]);
    int status = execute(j, options, "./driver", arguments, "output.txt", "errors.txt", offload);
    if (status == STATUS_STOPPED)
      return status;
    snprintf(path, sizeof path, "%s/%s/%s", build, j->name, report);
    add_report(r, j->data[i], status, path);
  }
  if (!j->repeats || options->sanitizer)
    return 0;
  /* Regions as a whole, then kernels one by one. */
  const char *whole[] = {"NESTWARP_TIMES=times.json", NULL}, *kernels[] = {"NESTWARP_TIMES=kernels.json", "NESTWARP_TIME_KERNELS=1", NULL};
  snprintf(repeats, sizeof repeats, "%d", j->repeats);
  const char *arguments[] = {"times.report", "times", repeats, NULL};
  int status = execute(j, options, "./driver", arguments, "output.txt", "errors.txt", whole);
  status = status ? status : execute(j, options, "./driver", arguments, "output.txt", "errors.txt", kernels);
  snprintf(path, sizeof path, "%s/%s/times.json", build, j->name);
  add_json(r, "times", path);
  snprintf(path, sizeof path, "%s/%s/kernels.json", build, j->name);
  add_json(r, "kernel_times", path);
  r->times_status = status;
  return status == STATUS_STOPPED ? status : 0;
}

static int run_program(const job *j, const run_options *options, result *r) {
  char original[400], generated[400], errors[400];
  run_options plain = *options;
  const char *whole[] = {"NESTWARP_TIMES=times.json", "NESTWARP_STATS=1", NULL};
  plain.sanitizer = NULL;
  plain.device = NULL;
  int first = execute(j, &plain, "./original", NULL, "original.txt", "errors.original.txt", NULL);
  int second = execute(j, options, "./generated", NULL, "generated.txt", "errors.txt", whole);
  if (first == STATUS_STOPPED || second == STATUS_STOPPED)
    return STATUS_STOPPED;
  snprintf(original, sizeof original, "%s/%s/original.txt", build, j->name);
  snprintf(generated, sizeof generated, "%s/%s/generated.txt", build, j->name);
  snprintf(errors, sizeof errors, "%s/%s/errors.txt", build, j->name);
  compare_outputs(r, first, second, original, generated, errors);
  snprintf(original, sizeof original, "%s/%s/times.json", build, j->name);
  add_json(r, "times", original);
  return 0;
}

static int run_job(const bundle *b, const job *j, const run_options *options, result *r) {
  char folder[256], path[300];
  snprintf(folder, sizeof folder, "%s/%s", build, j->name);
  if (!make_folder(folder)) {
    r->build_status = STATUS_NOT_STARTED;
    return 0;
  }
  r->build_status = j->kind == JOB_FUNCTION ? build_function(b, j) : build_program(b, j);
  if (r->build_status == STATUS_STOPPED)
    return STATUS_STOPPED;
  int status = 0;
  if (r->build_status) {
    snprintf(path, sizeof path, "%s/%s/compiler.txt", build, j->name);
    add_text(r, "compiler", path);
  } else {
    status = j->kind == JOB_FUNCTION ? run_function(j, options, r) : run_program(j, options, r);
    snprintf(path, sizeof path, "%s/%s/errors.txt", build, j->name);
    add_text(r, "errors", path);
    if (options->sanitizer) {
      snprintf(path, sizeof path, "%s/%s/sanitizer.txt", build, j->name);
      add_text(r, "sanitizer", path);
    }
  }
  return status;
}

int run_bundle(const char *folder, const run_options *options) {
  bundle b;
  int failures = 0;
  if (chdir(folder)) {
    fprintf(stderr, "nestwarp-run: %s: %s\n", folder, strerror(errno));
    return 2;
  }
  if (!read_bundle(&b))
    return 2;
  char partial[600];
  snprintf(partial, sizeof partial, "%s.partial", options->output);
  snprintf(build, sizeof build, "build-%s", b.id);
  char key[500];
  snprintf(key, sizeof key, "%s %s %s", b.id, options->device ? options->device : "-", options->sanitizer ? options->sanitizer : "-");
  if (!build_runtime(&b)) {
    free_bundle(&b);
    return is_stopped() ? 130 : 2;
  }
  for (int i = 0; i < b.job_count && !is_stopped(); ++i) {
    const job *j = &b.jobs[i];
    if ((options->only && !strstr(j->name, options->only)) || has_result(partial, key, j->name))
      continue;
    result r;
    struct timespec begin, end;
    begin_result(&r, j->name);
    clock_gettime(CLOCK_MONOTONIC, &begin);
    int status = run_job(&b, j, options, &r);
    clock_gettime(CLOCK_MONOTONIC, &end);
    if (status != STATUS_STOPPED && !keep_result(&r, partial, key)) {
      fprintf(stderr, "nestwarp-run: %s: %s\n", partial, strerror(errno));
      free_result(&r);
      free_bundle(&b);
      return 2;
    }
    if (status != STATUS_STOPPED) {
      printf("[%d/%d] %s: %s (%.1f s)\n", i + 1, b.job_count, j->name, words_for(&r), (double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec) * 1e-9);
      fflush(stdout);
    }
    free_result(&r);
  }
  if (is_stopped()) {
    fprintf(stderr, "nestwarp-run: stopped; what is known is in %s/%s, and the same command goes on from there\n", folder, partial);
    free_bundle(&b);
    return 130;
  }
  int written = write_results(options->output, partial, key, b.id, options->device, options->sanitizer, &failures);
  if (!written)
    fprintf(stderr, "nestwarp-run: %s: %s\n", options->output, strerror(errno));
  else
    printf("nestwarp-run: wrote %s/%s; %d of %d jobs not as expected\n", folder, options->output, failures, b.job_count);
  free_bundle(&b);
  return written ? failures != 0 : 2;
}
