/* The manifest of a bundle: lines of words separated by tabs, see docs/bundles.md. */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bundle.h"

enum {
  VERSION = 3,
  /* 1 had no cubins, 2 did not say how exact numbers are */ MOST_JOBS = 10000,
  MOST_FILES = 200000,
  MOST_REGIONS = 1000,
  MOST_CANDIDATES = 50000
};

static int bad(int line, const char *what, const char *text) {
  fprintf(stderr, "nestwarp-run: manifest.txt:%d: %s: %.200s\n", line, what, text);
  return 0;
}

/* Letters, digits, '.', '_', '-' and, in paths, '/'; no part that leaves the folder. */
static int is_path(const char *text) {
  if (!*text || *text == '/' || strlen(text) > 512)
    return 0;
  for (const char *c = text; *c; ++c)
    if (!isalnum((unsigned char)*c) && !strchr("._-/+", *c))
      return 0;
  for (const char *part = text; part; part = strchr(part, '/') ? strchr(part, '/') + 1 : NULL)
    if (*part == 0 || *part == '/' || strncmp(part, "../", 3) == 0 || strcmp(part, "..") == 0)
      return 0;
  return 1;
}

static int is_name(const char *text) {
  return is_path(text) && !strchr(text, '/') && strlen(text) < 120;
}

/* -DNAME or -DNAME=VALUE, -std=WORD, and flags about types and arithmetic: what may change the
 * meaning of a source, and nothing that writes or runs. */
static int is_flag(const char *text) {
  static const char *const known[] = {
      "-fsigned-char",        "-funsigned-char",   "-fwrapv",       "-fno-wrapv",
      "-fno-strict-overflow", "-fstrict-overflow", "-fshort-enums", "-fno-short-enums",
      "-fshort-wchar",        "-fno-short-wchar"};
  for (size_t k = 0; k < sizeof known / sizeof *known; ++k)
    if (strcmp(text, known[k]) == 0)
      return 1;
  if (strncmp(text, "-std=", 5) == 0)
    return is_name(text + 5);
  if (strncmp(text, "-D", 2) != 0 || !(isalpha((unsigned char)text[2]) || text[2] == '_'))
    return 0;
  for (const char *c = text + 2; *c && *c != '='; ++c)
    if (!isalnum((unsigned char)*c) && *c != '_')
      return 0;
  return 1;
}

/* Digits only; -1 where it is not a number. */
static long long number_of(const char *text) {
  return *text && strlen(text) < 16 && strspn(text, "0123456789") == strlen(text) ? atoll(text)
                                                                                  : -1;
}

static int ends_with(const char *text, const char *end) {
  size_t a = strlen(text), b = strlen(end);
  return a >= b && strcmp(text + a - b, end) == 0;
}

int is_runtime_source(const bundle_file *file) {
  return strncmp(file->path, "runtime/", 8) == 0 && !strchr(file->path + 8, '/') &&
         ends_with(file->path, ".c");
}

/* A file, or with `hash` a cubin. */
static int take_file(bundle *b, int line, const char *folder, const char *name, const char *size,
                     const char *hash) {
  if (b->file_count == MOST_FILES || number_of(size) < 0 || strlen(hash) >= sizeof b->files->hash)
    return bad(line, "is not a file of a bundle", name);
  bundle_file *more = realloc(b->files, (size_t)(b->file_count + 1) * sizeof *more);
  if (!more)
    return bad(line, "out of memory", name);
  b->files = more;
  bundle_file *added = &b->files[b->file_count];
  added->size = number_of(size);
  strcpy(added->hash, hash);
  if (asprintf(&added->path, "%s%s", folder, name) < 0)
    return bad(line, "out of memory", name);
  b->file_count += 1;
  return 1;
}

static int read_outputs(const char *word, outputs *kind) {
  static const char *const words[] = {[OUTPUTS_STRICT] = "strict",
                                      [OUTPUTS_DOUBLE] = "double",
                                      [OUTPUTS_FLOAT] = "float",
                                      [OUTPUTS_FAST] = "fast"};
  for (int i = 0; i < 4; ++i)
    if (strcmp(word, words[i]) == 0) {
      *kind = (outputs)i;
      return 1;
    }
  return 0;
}

/* Jobs have folders of their own in the build folder, beside that of the runtime. */
static int take_job(bundle *b, int line, const char *name, const char *kind, const char *repeats,
                    const char *numbers) {
  if (strcmp(name, "runtime") == 0 || name[0] == '.' || b->job_count == MOST_JOBS)
    return bad(line, "is not a job", name);
  for (int i = 0; i < b->job_count; ++i)
    if (strcmp(b->jobs[i].name, name) == 0)
      return bad(line, "there are two jobs of this name", name);
  if (strcmp(kind, "program") != 0 && strcmp(kind, "function") != 0 && strcmp(kind, "tune") != 0)
    return bad(line, "unknown kind of job; this nestwarp-run is older than the bundle", kind);
  if (number_of(repeats) < 0 || number_of(repeats) > 100000)
    return bad(line, "is not a number of calls", repeats);
  outputs exactness;
  if (!read_outputs(numbers, &exactness))
    return bad(line, "is not valid", numbers);
  job *more = realloc(b->jobs, (size_t)(b->job_count + 1) * sizeof *more);
  if (!more)
    return bad(line, "out of memory", name);
  b->jobs = more;
  job *added = &b->jobs[b->job_count++];
  memset(added, 0, sizeof *added);
  strcpy(added->name, name);
  added->kind = strcmp(kind, "program") == 0 ? JOB_PROGRAM
                : strcmp(kind, "tune") == 0  ? JOB_TUNE
                                             : JOB_FUNCTION;
  added->numbers = exactness;
  added->repeats = (int)number_of(repeats);
  return 1;
}

/* Candidates come in order, those of a region together, and region 0 first: so none is there twice.
 */
static int take_candidate(job *j, int line, const char *region, const char *number) {
  long long r = number_of(region), n = number_of(number);
  const candidate *last = j->candidate_count ? &j->candidates[j->candidate_count - 1] : NULL;
  int follows = !last               ? r == 0 && n == 0
                : r == last->region ? n > last->number
                                    : r == last->region + 1 && n == 0;
  if (j->kind != JOB_TUNE || !follows || r >= MOST_REGIONS || n > MOST_CANDIDATES ||
      j->candidate_count >= MOST_CANDIDATES)
    return bad(line, "is not a candidate", number);
  candidate *more = realloc(j->candidates, (size_t)(j->candidate_count + 1) * sizeof *more);
  if (!more)
    return bad(line, "out of memory", number);
  j->candidates = more;
  j->candidates[j->candidate_count++] = (candidate){(int)r, (int)n};
  return 1;
}

static int keep_word(char **list, int *count, int most, int line, const char *word) {
  if (*count == most)
    return bad(line, "too many", word);
  list[*count] = strdup(word);
  return list[(*count)++] != NULL;
}

static int take_line(bundle *b, int number, char **words, int count, int *ended) {
  job *last = b->job_count ? &b->jobs[b->job_count - 1] : NULL;
  const char *what = words[0];
  if (*ended)
    return bad(number, "there is text after the end", what);
  if (strcmp(what, "end") == 0 && count == 1) {
    *ended = 1;
    return 1;
  }
  if (strcmp(what, "id") == 0 && count == 2 && is_name(words[1]) &&
      strlen(words[1]) < sizeof b->id) {
    strcpy(b->id, words[1]);
    return 1;
  }
  if (strcmp(what, "cubins") == 0 && count == 2 && !b->cubins)
    return (b->cubins = strdup(words[1])) != NULL;
  if (last && strcmp(what, "about") == 0 && count == 3) { /* for the machine that made the bundle */
    if (b->version < 3 && strcmp(words[1], "fp") == 0)
      last->numbers = strcmp(words[2], "strict") == 0 ? OUTPUTS_STRICT : OUTPUTS_FLOAT;
    return 1;
  }
  if (strcmp(what, "file") == 0 && count == 3 && is_path(words[1]) &&
      strncmp(words[1], "cubins/", 7) != 0)
    return take_file(b, number, "", words[1], words[2], "");
  if (strcmp(what, "cubin") == 0 && count == 4 && is_name(words[1]) && words[1][0] != '.' &&
      is_name(words[3]))
    return take_file(b, number, "cubins/", words[1], words[2], words[3]);
  if (strcmp(what, "job") == 0 && count == (b->version < 3 ? 4 : 5) && is_name(words[1]))
    return take_job(b, number, words[1], words[2], words[3], b->version < 3 ? "float" : words[4]);
  if (last && count == 3 && strcmp(what, "candidate") == 0)
    return take_candidate(last, number, words[1], words[2]);
  if (last && count == 2 && strcmp(what, "flag") == 0 && is_flag(words[1]))
    return keep_word(last->flags, &last->flag_count, MOST_WORDS, number, words[1]);
  if (last && count == 2 && strcmp(what, "include") == 0 && is_path(words[1]))
    return keep_word(last->includes, &last->include_count, MOST_WORDS, number, words[1]);
  if (last && count == 2 && strcmp(what, "data") == 0 &&
      (strcmp(words[1], "ordinary") == 0 || strcmp(words[1], "special") == 0))
    return keep_word(last->data, &last->data_count, 4, number, words[1]);
  return bad(number, "is not valid", what);
}

int read_manifest(bundle *b, FILE *in) {
  char line[MOST_LINE];
  int number = 0, ended = 0;
  memset(b, 0, sizeof *b);
  while (fgets(line, sizeof line, in)) {
    char *words[8], *rest = line;
    int count = 0;
    size_t length = strlen(line);
    number += 1;
    if (length == 0 || line[length - 1] != '\n')
      return bad(number, "the line is too long or cut off", line);
    line[length - 1] = 0;
    for (char *word = strsep(&rest, "\t"); word && count < 8; word = strsep(&rest, "\t"))
      words[count++] = word;
    if (number == 1) {
      if (count != 2 || strcmp(words[0], "nestwarp-bundle") != 0)
        return bad(number, "this is not a nestwarp bundle", line);
      if (number_of(words[1]) < 1 || number_of(words[1]) > VERSION)
        return bad(number,
                   "the bundle has another version; build nestwarp-run from the runtime folder of "
                   "the bundle",
                   words[1]);
      b->version = (int)number_of(words[1]);
    } else if (!take_line(b, number, words, count, &ended)) {
      return 0;
    }
  }
  return ended && b->id[0] ? 1 : bad(number, "the manifest is cut off; copy the bundle again", "");
}

void free_bundle(bundle *b) {
  for (int i = 0; i < b->job_count; ++i) {
    job *j = &b->jobs[i];
    for (int k = 0; k < j->flag_count; ++k)
      free(j->flags[k]);
    for (int k = 0; k < j->include_count; ++k)
      free(j->includes[k]);
    for (int k = 0; k < j->data_count; ++k)
      free(j->data[k]);
    free(j->candidates);
  }
  for (int i = 0; i < b->file_count; ++i)
    free(b->files[i].path);
  free(b->jobs);
  free(b->files);
  free(b->cubins);
}
