/* The cache of compiled kernels on disk: one file per key in $NESTWARP_CACHE_DIR, else
 * $XDG_CACHE_HOME/nestwarp, else $HOME/.cache/nestwarp, else nowhere. A file holds a line that
 * names the format, the length and the hash of what follows, so that a damaged entry is noticed
 * before any driver sees it. Files are written under a temporary name and renamed, so that readers
 * see all of an entry or nothing. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "internal.h"

enum { PATH_SIZE = 4096, HEADER_SIZE = 64 };
#define LARGEST_ENTRY (512ull << 20)

/* The FNV-1a hash of 128 bits, as two halves. */
typedef struct hash {
  uint64_t high, low;
} hash;

static const hash hash_begin = {0x6c62272e07bb0142ull, 0x62b821756295c58dull};

/* Adds bytes to a hash: for each, exclusive or, then times the prime 2^88 + 0x13b (modulo 2^128).
 */
static void hash_add(hash *state, const void *bytes, size_t size) {
  const unsigned char *next = bytes;
  uint64_t high = state->high, low = state->low;
  for (size_t i = 0; i < size; ++i) {
    low ^= next[i];
    uint64_t lower = (low & 0xffffffffu) * 0x13bu;
    uint64_t upper = (low >> 32) * 0x13bu + (lower >> 32);
    high = high * 0x13bu + (upper >> 32) + (low << 24);
    low = (upper << 32) | (lower & 0xffffffffu);
  }
  state->high = high;
  state->low = low;
}

static nw_rt_key hash_text(const hash *state) {
  nw_rt_key key;
  snprintf(key.text, sizeof key.text, "%016llx%016llx", (unsigned long long)state->high,
           (unsigned long long)state->low);
  return key;
}

nw_rt_key nw_rt_cache_key(const char *const *parts, int count) {
  hash state = hash_begin;
  for (int i = 0; i < count; ++i) {
    uint64_t length = strlen(parts[i]);
    hash_add(&state, &length, sizeof length);
    hash_add(&state, parts[i], length);
  }
  return hash_text(&state);
}

/* Writes the folder of the cache into `path`; 0 when there is none. */
static int cache_folder(char *path) {
  const char *folder = getenv("NESTWARP_CACHE_DIR"), *end = "";
  if (!folder || !*folder) {
    folder = getenv("XDG_CACHE_HOME");
    end = "/nestwarp";
  }
  if (!folder || !*folder) {
    folder = getenv("HOME");
    end = "/.cache/nestwarp";
  }
  if (!folder || !*folder)
    return 0;
  int length = snprintf(path, PATH_SIZE, "%s%s", folder, end);
  return length > 0 && length < PATH_SIZE - 100; /* room for the names of files */
}

/* Makes the folder and those above it; whether it is there now. */
static int make_folder(const char *path) {
  char part[PATH_SIZE];
  struct stat status;
  snprintf(part, sizeof part, "%s", path);
  for (char *slash = strchr(part + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
    *slash = 0;
    mkdir(part, 0777);
    *slash = '/';
  }
  mkdir(part, 0700);
  return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* Writes the path of an entry; 0 when there is no cache. */
static int entry_path(const nw_rt_key *key, char *path) {
  if (!cache_folder(path))
    return 0;
  size_t length = strlen(path);
  snprintf(path + length, PATH_SIZE - length, "/%s.bin", key->text);
  return 1;
}

/* Writes the header that belongs to these bytes: HEADER_SIZE bytes, filled up with spaces. */
static void make_header(char *header, const void *bytes, size_t size) {
  hash state = hash_begin;
  hash_add(&state, bytes, size);
  char line[HEADER_SIZE + 1];
  int length = snprintf(line, sizeof line, "nestwarp1 %s %llu", hash_text(&state).text,
                        (unsigned long long)size);
  memset(header, ' ', HEADER_SIZE);
  memcpy(header, line, (size_t)length);
  header[HEADER_SIZE - 1] = '\n';
}

int nw_rt_cache_exists(void) {
  char folder[PATH_SIZE];
  return cache_folder(folder) && make_folder(folder) && access(folder, W_OK) == 0;
}

int nw_rt_cache_has(const nw_rt_key *key) {
  char path[PATH_SIZE];
  return entry_path(key, path) && access(path, R_OK) == 0;
}

/* Reads the payload of an open file, followed by a zero byte; NULL if the file is not intact. */
static void *read_entry(FILE *file, size_t *size) {
  struct stat status;
  char header[HEADER_SIZE], expected[HEADER_SIZE];
  if (fstat(fileno(file), &status) || !S_ISREG(status.st_mode) || status.st_size <= HEADER_SIZE ||
      (unsigned long long)status.st_size > LARGEST_ENTRY)
    return NULL;
  size_t length = (size_t)status.st_size - HEADER_SIZE;
  char *bytes = malloc(length + 1);
  if (!bytes)
    return NULL;
  bytes[length] = 0;
  if (fread(header, 1, HEADER_SIZE, file) == HEADER_SIZE &&
      fread(bytes, 1, length, file) == length) {
    make_header(expected, bytes, length);
    if (memcmp(header, expected, HEADER_SIZE) == 0) {
      *size = length;
      return bytes;
    }
  }
  free(bytes);
  return NULL;
}

void *nw_rt_cache_read(const nw_rt_key *key, size_t *size) {
  char path[PATH_SIZE];
  if (!entry_path(key, path))
    return NULL;
  FILE *file = fopen(path, "rb");
  if (!file)
    return NULL;
  void *bytes = read_entry(file, size);
  fclose(file);
  return bytes;
}

void nw_rt_cache_write(const nw_rt_key *key, const void *bytes, size_t size) {
  char folder[PATH_SIZE], path[PATH_SIZE], temporary[PATH_SIZE + 32], header[HEADER_SIZE];
  if (!size || size > LARGEST_ENTRY - HEADER_SIZE || !cache_folder(folder) ||
      !make_folder(folder) || !entry_path(key, path))
    return;
  snprintf(temporary, sizeof temporary, "%s.%ld.tmp", path, (long)getpid());
  int descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  FILE *file = descriptor >= 0 ? fdopen(descriptor, "wb") : NULL;
  if (!file) {
    if (descriptor >= 0)
      close(descriptor);
    return;
  }
  make_header(header, bytes, size);
  int written =
      fwrite(header, 1, HEADER_SIZE, file) == HEADER_SIZE && fwrite(bytes, 1, size, file) == size;
  int closed = fclose(file) == 0;
  if (!written || !closed || rename(temporary, path))
    unlink(temporary);
}

int nw_rt_cache_lock(const nw_rt_key *key) {
  char path[PATH_SIZE];
  if (!cache_folder(path) || !make_folder(path))
    return -1;
  size_t length = strlen(path);
  snprintf(path + length, PATH_SIZE - length, "/lock-%.2s", key->text);
  int lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  while (lock >= 0 && flock(lock, LOCK_EX) && errno == EINTR) {
  }
  return lock;
}

void nw_rt_cache_unlock(int lock) {
  if (lock >= 0) {
    flock(lock, LOCK_UN); /* closing is not enough: a forked child has it open as well */
    close(lock);
  }
}

void nw_rt_cache_remove(const nw_rt_key *key) {
  char path[PATH_SIZE];
  if (entry_path(key, path))
    unlink(path);
}
