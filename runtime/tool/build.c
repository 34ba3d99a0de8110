/* Building a bundle with the C compiler of this machine: the runtime once, then the programs of
 * each job. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bundle.h"

enum { BUILD_SECONDS = 300, MOST_RUNTIME = 64 };

/* The words that begin every call of the compiler. */
static words compiler = {{"cc"}, 1};

void add_word(words *w, const char *word) {
  if (w->count + 1 < MOST_ARGUMENTS)
    w->list[w->count++] = word;
  w->list[w->count] = NULL;
}

/* CC is split at spaces, as make would have it; no shell reads it. */
int choose_compiler(void) {
  static char text[MOST_LINE];
  const char *named = getenv("CC");
  char *rest;
  if (!named || !named[strspn(named, " \t")])
    return 1;
  const char *odd = strpbrk(named, "\"'\\`$;&|<>()*?\n");
  if (strlen(named) >= sizeof text || odd) {
    fprintf(stderr,
            "nestwarp-run: CC=%.200s is not valid: expected a compiler and its options separated "
            "by spaces, as in CC=\"ccache gcc\"; no shell expands it%s\n",
            named, odd ? ", so quotes and other special characters have no effect" : "");
    return 0;
  }
  strcpy(text, named);
  compiler.count = 0;
  if (strchr(text, '/') && access(text, X_OK) == 0) { /* a path that may have spaces */
    add_word(&compiler, text);
    return 1;
  }
  for (char *word = strtok_r(text, " \t", &rest); word; word = strtok_r(NULL, " \t", &rest))
    add_word(&compiler, word);
  return 1;
}

static void say_what_failed(const char *source, int status) {
  if (status == STATUS_NOT_STARTED)
    fprintf(stderr, "nestwarp-run: the C compiler '%s' cannot be started; name one in CC\n",
            compiler.list[0]);
  else if (status != STATUS_STOPPED)
    fprintf(stderr, "nestwarp-run: %s does not compile %s (status %d)\n", compiler.list[0], source,
            status);
}

int build_runtime(const bundle *b, const char *build) {
  char folder[200];
  snprintf(folder, sizeof folder, "%s/runtime", build);
  if (!make_folder(build) || !make_folder(folder)) {
    fprintf(stderr, "nestwarp-run: cannot create the folder %s\n", folder);
    return 0;
  }
  for (int i = 0; i < b->file_count; ++i) {
    char object[800], half[820];
    const char *source = b->files[i].path;
    if (!is_runtime_source(&b->files[i]))
      continue;
    snprintf(object, sizeof object, "%s/%s.o", folder, strrchr(source, '/') + 1);
    snprintf(half, sizeof half, "%s.half", object);
    if (access(object, R_OK) == 0)
      continue;
    words w = compiler;
    const char *line[] = {"-std=gnu11", "-O2", "-w", "-fPIC", "-c", source, "-o", half};
    for (size_t k = 0; k < sizeof line / sizeof *line; ++k)
      add_word(&w, line[k]);
    process how = {0};
    how.seconds = BUILD_SECONDS;
    int status = run_process(w.list, &how);
    if (status || rename(half, object)) {
      remove(half);
      say_what_failed(source, status);
      return 0;
    }
  }
  return 1;
}

static const char *library;

void use_library(const char *path) { library = path; }

/* The objects of the runtime as seen from a job's folder; or all of the library. */
static void add_runtime(const bundle *b, const char *build, words *w, char (*paths)[800]) {
  int used = 0;
  if (library) {
    add_word(w, "-Wl,--whole-archive");
    add_word(w, library);
    add_word(w, "-Wl,--no-whole-archive");
    return;
  }
  for (int i = 0; i < b->file_count && used < MOST_RUNTIME; ++i)
    if (is_runtime_source(&b->files[i])) {
      snprintf(paths[used], sizeof *paths, "../../%s/runtime/%s.o", build,
               strrchr(b->files[i].path, '/') + 1);
      add_word(w, paths[used++]);
    }
}

/* One program or library of a job. */
typedef struct target {
  const char *sources[3];
  int is_library, with_runtime;
  const char *name;
  int exports;     /* libraries that it loads find its functions */
  const char *log; /* what the compiler says; compiler.txt if NULL */
} target;

/* One call of the compiler in the job's folder. */
static int compile(const bundle *b, const job *j, const char *build, const target *t) {
  char folder[256], output[400], log[400], runtime[MOST_RUNTIME][800], includes[MOST_WORDS][600];
  words w = compiler;
  snprintf(folder, sizeof folder, "jobs/%s", j->name);
  snprintf(output, sizeof output, "../../%s/%s/%s", build, j->name, t->name);
  snprintf(log, sizeof log, "../../%s/%s/%s", build, j->name, t->log ? t->log : "compiler.txt");
  add_word(&w, "-O2");
  add_word(&w, "-w");
  add_word(&w, "-ffp-contract=off");
  if (t->is_library) {
    add_word(&w, "-fPIC");
    add_word(&w, "-shared");
  }
  if (t->exports)
    add_word(&w, "-rdynamic");
  for (int i = 0; i < j->flag_count; ++i)
    add_word(&w, j->flags[i]);
  for (int i = 0; i < j->include_count; ++i) {
    snprintf(includes[i], sizeof includes[i], "-I%s", j->includes[i]);
    add_word(&w, includes[i]);
  }
  add_word(&w, "-iquote");
  add_word(&w, "input");
  add_word(&w, "-I../../runtime");
  for (int i = 0; i < 3 && t->sources[i]; ++i)
    add_word(&w, t->sources[i]);
  if (t->with_runtime)
    add_runtime(b, build, &w, runtime);
  const char *rest[] = {"-o", output, "-lm", "-ldl", "-lpthread"};
  for (size_t i = 0; i < sizeof rest / sizeof *rest; ++i)
    add_word(&w, rest[i]);
  process how = {0};
  how.folder = folder;
  how.errors = log;
  how.seconds = BUILD_SECONDS;
  return run_process(w.list, &how);
}

int build_job(const bundle *b, const job *j, const char *build) {
  static const target function[] = {
      {.sources = {"original.c"}, .is_library = 1, .name = "original.so"},
      {.sources = {"generated.c", "regions.nw.c"},
       .is_library = 1,
       .with_runtime = 1,
       .name = "generated.so"},
      {.sources = {"wider.c"}, .is_library = 1, .name = "wider.so"},
      {.sources = {"driver.c"}, .name = "driver"}};
  static const target program[] = {{.sources = {"input/nw_original.c"}, .name = "original"},
                                   {.sources = {"input/nw_rewritten.c", "regions.nw.c"},
                                    .with_runtime = 1,
                                    .name = "generated"}};
  static const target tune[] = {
      {.sources = {"original.c"}, .is_library = 1, .name = "original.so"},
      {.sources = {"generated.c", "rest.nw.c"}, .is_library = 1, .name = "generated.so"},
      {.sources = {"wider.c"}, .is_library = 1, .name = "wider.so"},
      {.sources = {"driver.c"}, .with_runtime = 1, .name = "driver", .exports = 1}};
  const target *targets = j->kind == JOB_FUNCTION ? function : j->kind == JOB_TUNE ? tune : program;
  int status = 0, count = j->kind == JOB_PROGRAM ? 2 : 4;
  for (int i = 0; i < count && !status; ++i)
    status = compile(b, j, build, &targets[i]);
  return status;
}

/* STEM.nw.c of the job as STEM.so, unless it is there. */
static int build_one_file(const bundle *b, const job *j, const char *build, const char *stem) {
  char source[80], half[80], log[80], from[400], to[400];
  snprintf(source, sizeof source, "%s.nw.c", stem);
  snprintf(half, sizeof half, "%s.half", stem);
  snprintf(log, sizeof log, "%s.txt", stem);
  snprintf(from, sizeof from, "%s/%s/%s", build, j->name, half);
  snprintf(to, sizeof to, "%s/%s/%s.so", build, j->name, stem);
  if (access(to, R_OK) == 0)
    return 0;
  target t = {.sources = {source}, .is_library = 1, .name = half, .log = log};
  int status = compile(b, j, build, &t);
  return status ? status : rename(from, to);
}

static int is_in_bundle(const bundle *b, const job *j, const char *stem) {
  char path[300];
  snprintf(path, sizeof path, "jobs/%s/%s.nw.c", j->name, stem);
  for (int i = 0; i < b->file_count; ++i)
    if (strcmp(b->files[i].path, path) == 0)
      return 1;
  return 0;
}

int build_candidate(const bundle *b, const job *j, const char *build, const candidate *c) {
  char stem[60];
  snprintf(stem, sizeof stem, "candidate-%d-%d", c->region, c->number);
  int status = build_one_file(b, j, build, stem);
  for (int form = 1; !status; ++form) {
    snprintf(stem, sizeof stem, "form-%d-%d-%d", c->region, c->number, form);
    if (!is_in_bundle(b, j, stem))
      break;
    status = build_one_file(b, j, build, stem);
  }
  return status;
}
