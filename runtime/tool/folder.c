/* A bundle's folder, held against its manifest. Everything in it is a plain file or a folder: a
 * link could lead out of it. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "../cubins.h"
#include "bundle.h"

static int bad(const char *path, const char *what) {
  fprintf(stderr, "nestwarp-run: %.400s: %s\n", path, what);
  return 0;
}

/* The folders above a path, and the path itself, are no links. */
static int check_parts(const char *path) {
  struct stat found;
  char part[1200];
  snprintf(part, sizeof part, "%s", path);
  for (char *slash = strchr(part, '/'); slash; slash = strchr(slash + 1, '/')) {
    *slash = 0;
    if (lstat(part, &found))
      return bad(path, "is not there; copy the bundle again");
    if (!S_ISDIR(found.st_mode))
      return bad(part, "is a link, or no folder: that may lead out of the bundle; copy the bundle "
                       "again, without links");
    *slash = '/';
  }
  return 1;
}

static int check_hash(const bundle_file *file) {
  char hash[NW_RT_CUBIN_HASH] = "";
  FILE *in = file->size <= (long long)NW_RT_LARGEST_CUBIN ? fopen(file->path, "rb") : NULL;
  char *bytes = in ? malloc((size_t)file->size + 1) : NULL;
  if (bytes && fread(bytes, 1, (size_t)file->size, in) == (size_t)file->size)
    nw_rt_cubin_hash(bytes, (size_t)file->size, hash);
  free(bytes);
  if (in)
    fclose(in);
  return strcmp(hash, file->hash) == 0
             ? 1
             : bad(file->path,
                   "has another content than when it was written; copy the bundle again");
}

static int check_file(const bundle_file *file) {
  struct stat found;
  if (!check_parts(file->path))
    return 0;
  if (lstat(file->path, &found))
    return bad(file->path, "is not there; copy the bundle again");
  if (!S_ISREG(found.st_mode))
    return bad(file->path, "is a link, or no plain file: that may lead out of the bundle; copy the "
                           "bundle again, without links");
  if ((long long)found.st_size != file->size)
    return bad(file->path, "has another size than when it was written; copy the bundle again");
  return !file->hash[0] || check_hash(file);
}

static int compare_names(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Programs look for cubins by their names: one that the manifest does not have has not been
 * checked. */
static int check_cubins(const bundle *b) {
  struct stat found;
  if (lstat("cubins", &found))
    return 1;
  DIR *folder = S_ISDIR(found.st_mode) ? opendir("cubins") : NULL;
  const char **known = calloc((size_t)b->file_count + 1, sizeof *known);
  size_t count = 0;
  int done = folder && known;
  for (int i = 0; known && i < b->file_count; ++i)
    if (b->files[i].hash[0])
      known[count++] = strrchr(b->files[i].path, '/') + 1;
  if (known)
    qsort(known, count, sizeof *known, compare_names);
  for (struct dirent *entry; done && (entry = readdir(folder));) {
    const char *name = entry->d_name;
    if (strcmp(name, ".") != 0 && strcmp(name, "..") != 0 &&
        !bsearch(&name, known, count, sizeof *known, compare_names))
      done = bad("cubins", "contains a file that the manifest does not name; copy the bundle again "
                           "into an empty folder");
  }
  if (!folder)
    bad("cubins", "is not a folder of the bundle");
  if (folder)
    closedir(folder);
  free(known);
  return done;
}

/* Folders that the compiler and the jobs are sent to. */
static int check_job(const job *j) {
  char path[1000];
  snprintf(path, sizeof path, "jobs/%s/", j->name);
  if (!check_parts(path))
    return 0;
  for (int i = 0; i < j->include_count; ++i) {
    struct stat found;
    snprintf(path, sizeof path, "jobs/%s/%s/", j->name, j->includes[i]);
    if (stat(path, &found) == 0 && !check_parts(path))
      return 0;
  }
  return 1;
}

static int find_link(const char *path, const struct stat *status, int type, struct FTW *place) {
  (void)status;
  (void)place;
  return type == FTW_SL || type == FTW_SLN
             ? !bad(path, "is a link, which may lead out of the bundle; remove the build folder")
             : 0;
}

int check_folder(const bundle *b, const char *build) {
  struct stat found;
  for (int i = 0; i < b->file_count; ++i)
    if (!check_file(&b->files[i]))
      return 0;
  for (int i = 0; i < b->job_count; ++i)
    if (!check_job(&b->jobs[i]))
      return 0;
  return check_cubins(b) &&
         (lstat(build, &found) != 0 || nftw(build, find_link, 16, FTW_PHYS) == 0);
}

FILE *open_inside(const char *path, const char *mode) {
  int flags = O_CLOEXEC | O_NOFOLLOW |
              (*mode == 'r' ? O_RDONLY : O_WRONLY | O_CREAT | (*mode == 'a' ? O_APPEND : O_TRUNC));
  int file = open(path, flags, 0644);
  FILE *opened = file >= 0 ? fdopen(file, mode) : NULL;
  if (file >= 0 && !opened)
    close(file);
  return opened;
}

int make_folder(const char *path) {
  struct stat found;
  return mkdir(path, 0755) == 0 ||
         (errno == EEXIST && lstat(path, &found) == 0 && S_ISDIR(found.st_mode));
}

/* The lock goes with the process, so that one that was killed leaves none behind. The file says who
 * has it. */
int lock_bundle(const char *folder, const char *part) {
  char path[64], owner[300] = "", host[100] = "", date[40] = "";
  snprintf(path, sizeof path, "run%s.lock", part);
  int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
  if (file < 0) {
    fprintf(stderr, "nestwarp-run: %s/%s: %s\n", folder, path, strerror(errno));
    return 0;
  }
  if (flock(file, LOCK_EX | LOCK_NB)) {
    int is_held = errno == EWOULDBLOCK;
    ssize_t length = is_held ? read(file, owner, sizeof owner - 1) : 0;
    owner[length > 0 ? strcspn(owner, "\n") : 0] = 0;
    fprintf(stderr, "nestwarp-run: %s: %s%s\n", folder,
            is_held ? "another nestwarp-run is using it; wait until it ends: "
                    : "cannot be locked: ",
            is_held ? owner : strerror(errno));
    close(file);
    return 0;
  }
  time_t now = time(NULL);
  gethostname(host, sizeof host - 1);
  strftime(date, sizeof date, "%Y-%m-%d %H:%M:%S UTC", gmtime(&now));
  int length =
      snprintf(owner, sizeof owner, "process %ld on %s since %s\n", (long)getpid(), host, date);
  if (ftruncate(file, 0) || write(file, owner, (size_t)length) != length)
    fprintf(stderr, "nestwarp-run: %s/%s: %s\n", folder, path,
            strerror(errno)); /* the lock holds all the same */
  return 1;                   /* stays open, and locked, to the end */
}
