/* The manifest of a bundle: lines of words separated by tabs, see docs/bundles.md. */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "bundle.h"

enum { VERSION = 1, MOST_JOBS = 10000, MOST_FILES = 200000 };

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

static int is_name(const char *text) { return is_path(text) && !strchr(text, '/') && strlen(text) < 120; }

/* -DNAME or -DNAME=VALUE, and -std=WORD: what may change the meaning of a source, and nothing that writes or runs. */
static int is_flag(const char *text) {
  if (strncmp(text, "-std=", 5) == 0)
    return is_name(text + 5);
  if (strncmp(text, "-D", 2) != 0 || !(isalpha((unsigned char)text[2]) || text[2] == '_'))
    return 0;
  for (const char *c = text + 2; *c && *c != '='; ++c)
    if (!isalnum((unsigned char)*c) && *c != '_')
      return 0;
  return 1;
}

/* The file is there, is a plain one inside the folder, and has its size. */
static int check_file(int line, const char *path, long long size) {
  struct stat found;
  char part[520];
  snprintf(part, sizeof part, "%s", path);
  for (char *slash = strchr(part, '/'); slash; slash = strchr(slash + 1, '/')) {
    *slash = 0;
    if (lstat(part, &found) || !S_ISDIR(found.st_mode))
      return bad(line, "is no folder of the bundle", part);
    *slash = '/';
  }
  if (lstat(path, &found) || !S_ISREG(found.st_mode))
    return bad(line, "the file is not there; copy the bundle again", path);
  if ((long long)found.st_size != size)
    return bad(line, "the file has another size than when it was written; copy the bundle again", path);
  return 1;
}

static int add_word(char **list, int *count, int most, int line, const char *word) {
  if (*count == most)
    return bad(line, "too many", word);
  list[*count] = strdup(word);
  return list[(*count)++] != NULL;
}

static int take_line(bundle *b, int number, char **words, int count, int *ended) {
  job *last = b->job_count ? &b->jobs[b->job_count - 1] : NULL;
  const char *what = words[0];
  if (*ended)
    return bad(number, "there is more after the end", what);
  if (strcmp(what, "end") == 0 && count == 1) {
    *ended = 1;
    return 1;
  }
  if (strcmp(what, "id") == 0 && count == 2 && is_name(words[1]) && strlen(words[1]) < sizeof b->id) {
    strcpy(b->id, words[1]);
    return 1;
  }
  if (strcmp(what, "about") == 0)
    return 1; /* for the machine that made the bundle */
  if (strcmp(what, "file") == 0 && count == 3 && is_path(words[1]) && b->file_count < MOST_FILES) {
    char **more = realloc(b->files, (size_t)(b->file_count + 1) * sizeof *more);
    if (!more)
      return bad(number, "out of memory", words[1]);
    b->files = more;
    b->files[b->file_count] = strdup(words[1]);
    return b->files[b->file_count++] && check_file(number, words[1], atoll(words[2]));
  }
  if (strcmp(what, "job") == 0 && count == 4 && is_name(words[1]) && b->job_count < MOST_JOBS) {
    job *more = realloc(b->jobs, (size_t)(b->job_count + 1) * sizeof *more);
    if (!more)
      return bad(number, "out of memory", words[1]);
    b->jobs = more;
    job *added = &b->jobs[b->job_count++];
    memset(added, 0, sizeof *added);
    strcpy(added->name, words[1]);
    added->kind = strcmp(words[2], "program") == 0 ? JOB_PROGRAM : JOB_FUNCTION;
    added->repeats = atoi(words[3]);
    if (strcmp(words[2], "program") != 0 && strcmp(words[2], "function") != 0)
      return bad(number, "unknown kind of job; this nestwarp-run is older than the bundle", words[2]);
    return added->repeats >= 0 && added->repeats <= 100000 ? 1 : bad(number, "is no number of calls", words[3]);
  }
  if (last && count == 2 && strcmp(what, "flag") == 0 && is_flag(words[1]))
    return add_word(last->flags, &last->flag_count, MOST_WORDS, number, words[1]);
  if (last && count == 2 && strcmp(what, "include") == 0 && is_path(words[1]))
    return add_word(last->includes, &last->include_count, MOST_WORDS, number, words[1]);
  if (last && count == 2 && strcmp(what, "data") == 0 && (strcmp(words[1], "ordinary") == 0 || strcmp(words[1], "special") == 0))
    return add_word(last->data, &last->data_count, 4, number, words[1]);
  return bad(number, "is not understood", what);
}

static int take_all(bundle *b, FILE *in) {
  char line[MOST_LINE];
  int number = 0, ended = 0;
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
        return bad(number, "this is no bundle of nestwarp's", line);
      if (atoi(words[1]) != VERSION)
        return bad(number, "the bundle has another version; build nestwarp-run from its folder runtime", words[1]);
    } else if (!take_line(b, number, words, count, &ended)) {
      return 0;
    }
  }
  return ended && b->id[0] ? 1 : bad(number, "the manifest is cut off; copy the bundle again", "");
}

int read_bundle(bundle *b) {
  memset(b, 0, sizeof *b);
  FILE *in = fopen("manifest.txt", "r");
  if (!in) {
    fprintf(stderr, "nestwarp-run: there is no manifest.txt: this is no bundle\n");
    return 0;
  }
  int done = take_all(b, in);
  fclose(in);
  return done;
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
  }
  for (int i = 0; i < b->file_count; ++i)
    free(b->files[i]);
  free(b->jobs);
  free(b->files);
}
