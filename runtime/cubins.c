/* Cubins from a folder; src/tune/cubins.cpp gives them the same names. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cubins.h"
#include "device.h"

static const char architecture_option[] = "--gpu-architecture=";

typedef unsigned __int128 hash;

static hash number(unsigned long long high, unsigned long long low) {
  return (hash)high << 64 | low;
}

static hash hash_of(hash state, const void *bytes, size_t size) {
  const unsigned char *next = bytes;
  for (size_t i = 0; i < size; ++i)
    state = (state ^ next[i]) * number(1ull << 24, 0x13b);
  return state;
}

static hash hash_begin(void) { return number(0x6c62272e07bb0142ull, 0x62b821756295c58dull); }

static void print_hash(hash state, char *text) {
  snprintf(text, NW_RT_CUBIN_HASH, "%016llx%016llx", (unsigned long long)(state >> 64),
           (unsigned long long)state);
}

void nw_rt_cubin_hash(const void *bytes, size_t size, char text[NW_RT_CUBIN_HASH]) {
  print_hash(hash_of(hash_begin(), bytes, size), text);
}

int nw_rt_cubin_name(const char *source, const char *options, char name[NW_RT_CUBIN_NAME]) {
  const char *architecture = strstr(options, architecture_option);
  architecture = architecture ? architecture + strlen(architecture_option) : "";
  size_t length = strcspn(architecture, " ");
  if (strncmp(architecture, "sm_", 3) != 0 || length > 16 || strchr(architecture, '/'))
    return 0;
  char text[NW_RT_CUBIN_HASH];
  hash state = hash_of(hash_begin(), options, strlen(options) + 1);
  print_hash(hash_of(state, source, strlen(source) + 1), text);
  snprintf(name, NW_RT_CUBIN_NAME, "%s.%.*s.cubin", text, (int)length, architecture);
  return 1;
}

/* The file's bytes from malloc with a zero byte behind; NULL where it is not there, is not a plain
 * file or no cubin by its size and its first bytes. */
static void *read_cubin(const char *path, size_t *size) {
  struct stat status;
  int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (file < 0)
    return NULL;
  char *bytes = NULL;
  if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 64 &&
      status.st_size <= (off_t)NW_RT_LARGEST_CUBIN)
    bytes = calloc(1, (size_t)status.st_size + 1);
  *size = 0;
  for (ssize_t got = 1; bytes && got > 0 && *size < (size_t)status.st_size;
       *size += got > 0 ? (size_t)got : 0)
    got = read(file, bytes + *size, (size_t)status.st_size - *size);
  close(file);
  if (bytes && (*size != (size_t)status.st_size || memcmp(bytes, "\177ELF", 4) != 0)) {
    free(bytes);
    return NULL;
  }
  return bytes;
}

/* Processes of one job may write at the same time: a line is one write. */
static void write_down(const char *name) {
  const char *path = getenv("NESTWARP_CUBINS_USED");
  int file =
      path && *path ? open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644) : -1;
  char line[NW_RT_CUBIN_NAME + 1];
  if (file < 0)
    return;
  int length = snprintf(line, sizeof line, "%s\n", name);
  if (write(file, line, (size_t)length) != length)
    nw_rt_say("%s cannot be written", path);
  close(file);
}

int nw_rt_load_cubin(nw_rt_device *device, const char *source, const char *options,
                     nw_rt_handle *program) {
  const char *folder = getenv("NESTWARP_CUBINS");
  char name[NW_RT_CUBIN_NAME], path[4096];
  size_t size = 0;
  if (device->kind != NW_RT_CUDA || !folder || !*folder ||
      !nw_rt_cubin_name(source, options, name) ||
      snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path)
    return 0;
  void *bytes = read_cubin(path, &size);
  int loaded = bytes && device->backend->load(device, options, bytes, size, program);
  free(bytes);
  if (loaded)
    write_down(name);
  return loaded;
}
