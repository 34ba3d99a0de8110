/* A job that tunes: candidates are built, checked at small sizes against the original, several at a
 * time, then measured one after the other at the sizes that were asked for. The driver
 * (src/tuner/tune_driver.cpp) writes what it finds to logs in the build folder. It is started again
 * after a candidate that was its end, and goes on behind that one; the same happens when
 * nestwarp-run was stopped and is called again. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bundle.h"
#include "results.h"

enum { MOST_CHECKERS = 8, MOST_STARTS = 200, STATUS_WRONG = 1 };

typedef struct tuning {
  const bundle *b;
  const job *j;
  const char *build;
  const run_options *options;
  candidate *mine; /* the candidates of this process, proposed plans first */
  int count, proposed;
} tuning;

static void path_of(const tuning *t, const char *name, char *path, size_t size) {
  snprintf(path, size, "%s/%s/%s", t->build, t->j->name, name);
}

static FILE *open_log(const tuning *t, const char *name, const char *mode) {
  char path[500];
  path_of(t, name, path, sizeof path);
  return open_inside(path, mode);
}

static void forget(const tuning *t, const char *name) {
  char path[500];
  path_of(t, name, path, sizeof path);
  remove(path);
}

/* The proposed plans, and every n-th of the others. */
static int take_mine(tuning *t) {
  int other = 0;
  t->mine = calloc((size_t)t->j->candidate_count + 1, sizeof *t->mine);
  if (!t->mine)
    return 0;
  for (int i = 0; i < t->j->candidate_count; ++i)
    if (t->j->candidates[i].number == 0)
      t->mine[t->count++] = t->j->candidates[i];
  t->proposed = t->count;
  for (int i = 0; i < t->j->candidate_count; ++i)
    if (t->j->candidates[i].number != 0 && other++ % t->options->parts == t->options->part)
      t->mine[t->count++] = t->j->candidates[i];
  return t->proposed > 0;
}

static void build_one(int index, const void *context) {
  const tuning *t = context;
  build_candidate(t->b, t->j, t->build, &t->mine[index]);
}

/* One line of a log. */
typedef struct entry {
  char what[16];
  int region, number;
} entry;

/* 0 at the end, or where the last line was cut off. */
static int next_entry(FILE *in, entry *e) {
  char line[4096];
  while (fgets(line, sizeof line, in)) {
    memset(e, 0, sizeof *e);
    if (sscanf(line, "%15[a-z]\t%d\t%d", e->what, &e->region, &e->number) >= 1)
      return strchr(line, '\n') != NULL;
  }
  return 0;
}

static int has_entry(const tuning *t, const char *log, const char *what) {
  FILE *in = open_log(t, log, "r");
  int found = 0;
  for (entry e; in && !found && next_entry(in, &e);)
    found = strcmp(e.what, what) == 0;
  if (in)
    fclose(in);
  return found;
}

static int is_right(const tuning *t, const char *log, const candidate *c) {
  FILE *in = open_log(t, log, "r");
  int found = 0;
  for (entry e; in && next_entry(in, &e);)
    if (e.region == c->region && e.number == c->number && strcmp(e.what, "try") != 0)
      found = strcmp(e.what, "right") == 0;
  if (in)
    fclose(in);
  return found;
}

/* A driver that ended badly: the candidate that it was at is noted as crashed; several, of
 * different regions, are to be tried one by one. Their number; 0: it was no candidate's fault. */
static int note_crash(const tuning *t, const char *log, int status) {
  enum { MOST_OPEN = 1000 };
  static entry open[MOST_OPEN];
  int count = 0;
  FILE *in = open_log(t, log, "r");
  for (entry e; in && next_entry(in, &e);) {
    int k = 0;
    while (k < count && (open[k].region != e.region || open[k].number != e.number))
      ++k;
    if (strcmp(e.what, "try") == 0 && k == count && count < MOST_OPEN)
      open[count++] = e;
    else if (strcmp(e.what, "try") != 0 && k < count)
      open[k] = open[--count];
  }
  if (in)
    fclose(in);
  FILE *out = open_log(t, log, "a");
  for (int k = 0; out && count > 1 && k < count; ++k)
    fprintf(out, "again\t%d\t%d\n", open[k].region, open[k].number);
  if (out && count == 1)
    fprintf(out, "crashed\t%d\t%d\t%s %d\n", open[0].region, open[0].number,
            status == 128 + 14 ? "it took too long: status" : "status", status);
  if (out)
    fclose(out);
  return out ? count : 0;
}

static double seconds_since(const struct timespec *begin) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)(now.tv_sec - begin->tv_sec) + (double)(now.tv_nsec - begin->tv_nsec) * 1e-9;
}

/* Runs the driver until it comes to its end; its last status. */
static int drive(const tuning *t, const char *phase, const char *list, const char *log) {
  char repeats[20], seconds[20], budget[40], finalists[20], report[100], errors[100], output[100];
  struct timespec begin;
  int status = 0;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  snprintf(report, sizeof report, "%s.report", log);
  snprintf(errors, sizeof errors, "%s.errors", log);
  snprintf(output, sizeof output, "%s.output", log);
  snprintf(repeats, sizeof repeats, "%d", t->j->repeats);
  snprintf(seconds, sizeof seconds, "%d", t->options->seconds);
  snprintf(finalists, sizeof finalists, "%d", t->options->finalists);
  for (int starts = 0; starts < MOST_STARTS; ++starts) {
    double left = t->options->budget ? t->options->budget - seconds_since(&begin) : 0;
    snprintf(budget, sizeof budget, "%.3f", t->options->budget && left < 0.001 ? 0.001 : left);
    const char *arguments[] = {report, phase, repeats, list, log, seconds, budget, finalists, NULL};
    status = execute(t->build, t->j, t->options, "./driver", arguments, output, errors, NULL);
    if (status == 0 || status == STATUS_WRONG || status == STATUS_STOPPED ||
        !note_crash(t, log, status))
      break;
  }
  return status;
}

static int write_list(const tuning *t, const char *name, int first, int step,
                      const char *only_right) {
  FILE *out = open_log(t, name, "w");
  for (int i = first; out && i < t->count; i += step)
    if (!only_right || is_right(t, only_right, &t->mine[i]))
      fprintf(out, "%d\t%d\n", t->mine[i].region, t->mine[i].number);
  return out && fclose(out) == 0;
}

static void check_log_name(int index, char *name, size_t size) {
  snprintf(name, size, "check-%d.log", index);
}

static void forget_logs(const tuning *t) {
  forget(t, "measure.log");
  for (int i = 0; i < MOST_CHECKERS; ++i) {
    char name[40];
    check_log_name(i, name, sizeof name);
    forget(t, name);
  }
}

enum { DEVICE_LINE = 4096 };

/* The device of a log's last driver with its version, as its line has it; empty where the log has
 * none. */
static void device_in(const tuning *t, const char *log, char line[DEVICE_LINE]) {
  char next[DEVICE_LINE];
  line[0] = 0;
  FILE *in = open_log(t, log, "r");
  while (in && fgets(next, sizeof next, in))
    if (strncmp(next, "device\t", 7) == 0)
      snprintf(line, DEVICE_LINE, "%s", next + 7);
  if (in)
    fclose(in);
  line[strcspn(line, "\n")] = 0;
}

/* The device that is here is known when the first driver has run. Another one, or another version
 * of its driver, would be held against what is left of an earlier run. */
static void forget_other_devices(const tuning *t) {
  char here[DEVICE_LINE], there[DEVICE_LINE], name[40];
  device_in(t, "first.log", here);
  for (int i = -1; here[0] && i < MOST_CHECKERS; ++i) {
    if (i < 0)
      snprintf(name, sizeof name, "measure.log");
    else
      check_log_name(i, name, sizeof name);
    device_in(t, name, there);
    if (!there[0] || strcmp(here, there) == 0)
      continue;
    fprintf(stderr,
            "nestwarp-run: %s: an earlier run used another device or driver, so its results are "
            "discarded: there '%s', here '%s'\n",
            t->j->name, there, here);
    forget_logs(t);
    return;
  }
}

typedef struct checkers {
  const tuning *t;
  int count;
} checkers;

static void check_part(int index, const void *context) {
  const checkers *c = context;
  char list[40], log[40];
  snprintf(list, sizeof list, "check-%d.list", index);
  check_log_name(index, log, sizeof log);
  if (write_list(c->t, list, c->t->proposed + index, c->count, NULL))
    drive(c->t, "small", list, log);
}

/* Puts the logs of all checkers one behind the other. */
static void join_logs(const tuning *t, int count) {
  FILE *out = open_log(t, "check.log", "w");
  for (int i = 0; out && i <= count; ++i) {
    char name[40], line[4096];
    if (i == count)
      snprintf(name, sizeof name, "first.log");
    else
      check_log_name(i, name, sizeof name);
    FILE *in = open_log(t, name, "r");
    while (in && fgets(line, sizeof line, in))
      fputs(line, out);
    if (in)
      fclose(in);
  }
  if (out)
    fclose(out);
}

/* All candidates at small sizes. The first driver is alone: it compiles the proposed plans, which
 * the others find in the cache. */
static int check(const tuning *t) {
  long processors = sysconf(_SC_NPROCESSORS_ONLN);
  checkers c = {t, processors < 2               ? 1
                   : processors > MOST_CHECKERS ? MOST_CHECKERS
                                                : (int)processors};
  if (!write_list(t, "first.list", t->count, 1, NULL))
    return STATUS_NOT_STARTED;
  forget(t, "first.log");
  int status = drive(t, "small", "first.list", "first.log");
  forget_other_devices(t);
  if (status == 0)
    in_parallel(c.count, c.count, check_part, &c);
  join_logs(t, c.count);
  return is_stopped() ? STATUS_STOPPED : status;
}

/* What an earlier run of another bundle, or one that asked for another device, has left is not this
 * one's. */
static void forget_others(const tuning *t) {
  char expected[300], found[300] = "";
  snprintf(expected, sizeof expected, "%s %s\n", t->options->device ? t->options->device : "-",
           t->b->id);
  FILE *in = open_log(t, "tune.key", "r");
  if (in && !fgets(found, sizeof found, in))
    found[0] = 0;
  if (in)
    fclose(in);
  if (strcmp(found, expected) == 0)
    return;
  forget_logs(t);
  FILE *out = open_log(t, "tune.key", "w");
  if (out) {
    fputs(expected, out);
    fclose(out);
  }
}

static int tune(const tuning *t, result *r) {
  char path[500];
  forget_others(t);
  in_parallel(t->count, 64, build_one, t);
  int status = is_stopped() ? STATUS_STOPPED : check(t);
  if (status == 0 && !has_entry(t, "measure.log", "end"))
    status = write_list(t, "measure.list", t->proposed, 1, "check.log")
                 ? drive(t, "full", "measure.list", "measure.log")
                 : STATUS_NOT_STARTED;
  if (status == STATUS_STOPPED)
    return status;
  path_of(t, "check.log", path, sizeof path);
  add_log(r, "check", path);
  path_of(t, "measure.log", path, sizeof path);
  add_log(r, "measure", path);
  path_of(t,
          status && has_entry(t, "check.log", "device") ? "measure.log.errors" : "first.log.errors",
          path, sizeof path);
  add_text(r, "errors", path);
  r->different = has_entry(t, "check.log", "wrong") || has_entry(t, "measure.log", "wrong");
  r->failed = !has_entry(t, "measure.log", "end");
  r->on_device = !r->failed;
  forget(t, "tune.key"); /* another run begins anew */
  return 0;
}

int run_tune(const bundle *b, const job *j, const char *build, const run_options *options,
             result *r) {
  tuning t = {b, j, build, options, NULL, 0, 0};
  int status = 0;
  if (take_mine(&t))
    status = tune(&t, r);
  else
    r->failed = 1;
  free(t.mine);
  return status;
}
