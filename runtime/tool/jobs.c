/* The jobs of a bundle: built, run, and told of in a file of results. Each result is kept as soon
 * as it is known, in FILE.partial, so that a run that was stopped goes on where it was. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bundle.h"
#include "results.h"

/* Where this bundle is built: the folder of another one that lay here before is not taken. */
static char build[100];

/* What an earlier run has left must not be taken for this one's. */
static void forget(const job *j, const char *name) {
  char path[400];
  snprintf(path, sizeof path, "%s/%s/%s", build, j->name, name);
  remove(path);
}

int execute(const char *build, const job *j, const run_options *options, const char *program,
            const char *const *arguments, const char *output, const char *errors,
            const char *const *variables) {
  char folder[256], device[200], cubins[4200], *here = realpath("cubins", NULL);
  words w = {{0}, 0};
  process how = {0};
  int used = 0;
  snprintf(folder, sizeof folder, "%s/%s", build, j->name);
  if (options->sanitizer) {
    const char *line[] = {"compute-sanitizer", "--tool", options->sanitizer,
                          "--error-exitcode",  "99",     "--log-file",
                          "sanitizer.txt"};
    for (size_t i = 0; i < sizeof line / sizeof *line; ++i)
      add_word(&w, line[i]);
  }
  add_word(&w, program);
  for (; arguments && *arguments; ++arguments)
    add_word(&w, *arguments);
  if (options->device) {
    snprintf(device, sizeof device, "NESTWARP_DEVICE=%s", options->device);
    how.variables[used++] = device;
  }
  snprintf(cubins, sizeof cubins, "NESTWARP_CUBINS=%s", here ? here : "");
  free(here);
  how.variables[used++] = cubins;
  how.variables[used++] = "NESTWARP_CUBINS_USED=cubins.txt";
  for (; variables && *variables && used < 7; ++variables)
    how.variables[used++] = *variables;
  how.folder = folder;
  how.output = output;
  how.errors = errors;
  how.seconds = j->kind == JOB_TUNE
                    ? 0
                    : options->seconds; /* a driver that tunes has a limit for each candidate */
  return run_process(w.list, &how);
}

/* Compares original and generated function on one kind of data; the driver writes DATA.report. */
static int check_function(const job *j, const run_options *options, const char *data) {
  char report[64];
  const char *arguments[] = {report, data, NULL};
  snprintf(report, sizeof report, "%s.report", data);
  forget(j, report);
  return execute(build, j, options, "./driver", arguments, "output.txt", "errors.txt", NULL);
}

static int build_anew(const bundle *b, const job *j) {
  char folder[256];
  snprintf(folder, sizeof folder, "%s/%s", build, j->name);
  if (!make_folder(folder))
    return STATUS_NOT_STARTED;
  forget(j, "cubins.txt");
  return build_job(b, j, build);
}

/* What can be done of a job beside others: all but times. */
static void build_and_check(const bundle *b, const job *j, const run_options *options,
                            ahead *done) {
  int status = build_anew(b, j);
  if (status == STATUS_STOPPED)
    return;
  done->build_status = status;
  done->is_built = 1;
  for (int i = 0; !status && j->kind == JOB_FUNCTION && i < j->data_count; ++i) {
    int checked = check_function(j, options, j->data[i]);
    if (checked == STATUS_STOPPED)
      return;
    done->status[i] = checked;
    done->is_checked[i] = 1;
  }
}

static int run_function(const job *j, const run_options *options, const ahead *done, result *r) {
  char path[400], repeats[32];
  for (int i = 0; i < j->data_count; ++i) {
    int status = done->is_checked[i] ? done->status[i] : check_function(j, options, j->data[i]);
    if (status == STATUS_STOPPED)
      return status;
    snprintf(path, sizeof path, "%s/%s/%s.report", build, j->name, j->data[i]);
    add_report(r, j->data[i], status, path);
  }
  if (!j->repeats || options->sanitizer)
    return 0;
  /* Regions as a whole, then kernels one by one. */
  const char *whole[] = {"NESTWARP_TIMES=times.json", NULL},
             *kernels[] = {"NESTWARP_TIMES=kernels.json", "NESTWARP_TIME_KERNELS=1", NULL};
  snprintf(repeats, sizeof repeats, "%d", j->repeats);
  const char *arguments[] = {"times.report", "times", repeats, NULL};
  forget(j, "times.json");
  forget(j, "kernels.json");
  int status = execute(build, j, options, "./driver", arguments, "output.txt", "errors.txt", whole);
  status = status ? status
                  : execute(build, j, options, "./driver", arguments, "output.txt", "errors.txt",
                            kernels);
  r->times_status = status;
  snprintf(path, sizeof path, "%s/%s/times.json", build, j->name);
  add_times(r, "times", path, !status);
  snprintf(path, sizeof path, "%s/%s/kernels.json", build, j->name);
  add_times(r, "kernel_times", path, !status);
  return status == STATUS_STOPPED ? status : 0;
}

static int run_program(const job *j, const run_options *options, result *r) {
  char original[400], generated[400], errors[400];
  run_options plain = *options;
  const char *whole[] = {"NESTWARP_TIMES=times.json", "NESTWARP_STATS=1", NULL};
  forget(j, "times.json");
  plain.sanitizer = NULL;
  plain.device = NULL;
  int first =
      execute(build, j, &plain, "./original", NULL, "original.txt", "errors.original.txt", NULL);
  int second =
      execute(build, j, options, "./generated", NULL, "generated.txt", "errors.txt", whole);
  if (first == STATUS_STOPPED || second == STATUS_STOPPED)
    return STATUS_STOPPED;
  snprintf(original, sizeof original, "%s/%s/original.txt", build, j->name);
  snprintf(generated, sizeof generated, "%s/%s/generated.txt", build, j->name);
  snprintf(errors, sizeof errors, "%s/%s/errors.txt", build, j->name);
  compare_outputs(r, j->numbers, first, second, original, generated, errors);
  snprintf(original, sizeof original, "%s/%s/times.json", build, j->name);
  add_times(r, "times", original, 0); /* a program may end without writing any */
  return 0;
}

static int run_job(const bundle *b, const job *j, const run_options *options, const ahead *done,
                   result *r) {
  char path[300];
  r->build_status = done->is_built ? done->build_status : build_anew(b, j);
  if (r->build_status == STATUS_STOPPED)
    return STATUS_STOPPED;
  int status = 0;
  if (r->build_status) {
    snprintf(path, sizeof path, "%s/%s/compiler.txt", build, j->name);
    add_text(r, "compiler", path);
  } else {
    status = j->kind == JOB_TUNE       ? run_tune(b, j, build, options, r)
             : j->kind == JOB_FUNCTION ? run_function(j, options, done, r)
                                       : run_program(j, options, r);
    snprintf(path, sizeof path, "%s/%s/errors.txt", build, j->name);
    add_text(r, "errors", path);
    snprintf(path, sizeof path, "%s/%s/cubins.txt", build, j->name);
    add_cubins(r, path);
    if (options->sanitizer) {
      snprintf(path, sizeof path, "%s/%s/sanitizer.txt", build, j->name);
      add_text(r, "sanitizer", path);
    }
  }
  return status;
}

static int is_chosen(const job *j, const run_options *options) {
  return (j->kind == JOB_TUNE) == options->tunes &&
         (!options->only || strstr(j->name, options->only));
}

/* 0 after having said what jobs there are, where --only chooses none. */
static int chooses_any(const bundle *b, const run_options *options) {
  for (int i = 0; i < b->job_count; ++i)
    if (is_chosen(&b->jobs[i], options))
      return 1;
  if (!options->only) {
    fprintf(stderr,
            b->job_count == 0 ? "nestwarp-run: the bundle has no jobs\n"
            : options->tunes
                ? "nestwarp-run: the bundle has nothing to tune; run it with nestwarp-run DIR\n"
                : "nestwarp-run: the bundle is to be tuned; run it with nestwarp-run tune DIR\n");
    return 0;
  }
  fprintf(stderr,
          "nestwarp-run: --only=%s: no job name contains this; the first of the bundle's %d jobs "
          "are:\n",
          options->only, b->job_count);
  for (int i = 0; i < b->job_count && i < 5; ++i)
    fprintf(stderr, "  %s\n", b->jobs[i].name);
  return 0;
}

/* Runs the jobs that have no result yet and keeps what they give; 0 where that cannot be written,
 * which has been said. */
static int run_jobs(const bundle *b, const run_options *options, const char *partial,
                    const char *key) {
  static const ahead nothing;
  char *is_wanted = calloc((size_t)b->job_count + 1, 1);
  int kept = 1;
  for (int i = 0; is_wanted && i < b->job_count; ++i)
    is_wanted[i] = is_chosen(&b->jobs[i], options) && !has_result(partial, key, b->jobs[i].name);
  const ahead *before =
      is_wanted && options->at_once > 1 ? work_ahead(b, options, is_wanted, build_and_check) : NULL;
  for (int i = 0; is_wanted && i < b->job_count && kept && !is_stopped(); ++i) {
    const job *j = &b->jobs[i];
    if (!is_wanted[i])
      continue;
    result r;
    struct timespec begin, end;
    begin_result(&r, j->name);
    clock_gettime(CLOCK_MONOTONIC, &begin);
    int status = run_job(b, j, options, before ? &before[i] : &nothing, &r);
    clock_gettime(CLOCK_MONOTONIC, &end);
    kept = status == STATUS_STOPPED || keep_result(&r, partial, key);
    if (!kept)
      fprintf(stderr, "nestwarp-run: %s: %s\n", partial, strerror(errno));
    else if (status != STATUS_STOPPED) {
      printf("[%d/%d] %s: %s (%.1f s)\n", i + 1, b->job_count, j->name, words_for(&r),
             (double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec) * 1e-9);
      fflush(stdout);
    }
    free_result(&r);
  }
  kept = kept && is_wanted;
  free(is_wanted);
  return kept;
}

/* Where the kernels came from, once. */
static void say_cubins(const bundle *b, const totals *all) {
  int count = 0;
  for (int i = 0; i < b->file_count; ++i)
    count += b->files[i].hash[0] != 0;
  if (all->cubins)
    printf("nestwarp-run: kernels of %d of %d jobs came from the bundle's cubins\n", all->cubins,
           all->jobs);
  else
    printf("nestwarp-run: all kernels were compiled here: %s\n",
           count       ? "no cubin of the bundle is for this device"
           : b->cubins ? b->cubins
                       : "the bundle has no cubins");
}

static int run_checked(const bundle *b, const char *folder, const run_options *options) {
  char partial[600], key[500], left[40] = "";
  totals all = {0, 0, 0};
  snprintf(partial, sizeof partial, "%s.partial", options->output);
  snprintf(key, sizeof key, "%s %s %s", b->id, options->device ? options->device : "-",
           options->sanitizer ? options->sanitizer : "-");
  if (options->parts > 1)
    snprintf(key + strlen(key), sizeof key - strlen(key), " %d/%d", options->part + 1,
             options->parts);
  if (!chooses_any(b, options))
    return 2;
  if (options->library ? !make_folder(build) : !build_runtime(b, build))
    return is_stopped() ? 130 : 2;
  if (!run_jobs(b, options, partial, key))
    return 2;
  if (is_stopped()) {
    fprintf(stderr,
            "nestwarp-run: stopped; the results so far are in %s/%s, and the same command "
            "continues from there\n",
            folder, partial);
    return 130;
  }
  if (!write_results(options->output, partial, key, b->id, options->device, options->sanitizer,
                     &all)) {
    fprintf(stderr, "nestwarp-run: %s: %s\n", options->output, strerror(errno));
    return 2;
  }
  say_cubins(b, &all);
  if (all.jobs < b->job_count)
    snprintf(left, sizeof left, "; %d not run", b->job_count - all.jobs);
  printf("nestwarp-run: wrote %s/%s; %d of %d jobs not as expected%s\n", folder, options->output,
         all.failures, all.jobs, left);
  return all.failures != 0;
}

int run_bundle(const char *folder, const run_options *options) {
  bundle b;
  if (!choose_compiler())
    return 2;
  if (chdir(folder)) {
    fprintf(stderr, "nestwarp-run: %s: %s\n", folder, strerror(errno));
    return 2;
  }
  FILE *manifest = open_inside("manifest.txt", "r");
  if (!manifest) {
    fprintf(stderr, "nestwarp-run: %s has no plain file manifest.txt, so it is not a bundle\n",
            folder);
    return 2;
  }
  int status = 2;
  char part[40] = "";
  if (options->parts > 1) /* parts share nothing but the bundle itself */
    snprintf(part, sizeof part, "-%d-of-%d", options->part + 1, options->parts);
  if (read_manifest(&b, manifest) && lock_bundle(folder, part)) {
    snprintf(build, sizeof build, "build-%s%s", b.id, part);
    use_library(options->library);
    if (check_folder(&b, build))
      status = run_checked(&b, folder, options);
  }
  fclose(manifest);
  free_bundle(&b);
  return status;
}
