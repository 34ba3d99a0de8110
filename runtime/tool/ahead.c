/* Jobs built and checked several at a time, ahead of those that are timed one after the other: the
 * originals of some programs take longer than everything else, and times are taken only when nobody
 * else is at work. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bundle.h"

/* Ends the processes that are at work; their own programs end with them. */
static void end_all(const pid_t *working, int count) {
  for (int i = 0; i < count; ++i)
    if (working[i] > 0) {
      kill(working[i], SIGTERM);
      waitpid(working[i], NULL, 0);
    }
}

static int free_slot(const pid_t *working, int count) {
  for (int i = 0; i < count; ++i)
    if (working[i] <= 0)
      return i;
  return -1;
}

/* Takes note of those that have ended; how many are at work. */
static int still_working(pid_t *working, int count) {
  int left = 0;
  for (int i = 0; i < count; ++i) {
    if (working[i] > 0 && waitpid(working[i], NULL, WNOHANG) != 0)
      working[i] = 0;
    left += working[i] > 0;
  }
  return left;
}

ahead *work_ahead(const bundle *b, const run_options *options, const char *is_wanted,
                  void (*work)(const bundle *, const job *, const run_options *, ahead *)) {
  size_t bytes = sizeof(ahead) * (size_t)(b->job_count + 1);
  ahead *all = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  pid_t working[MOST_AHEAD] = {0};
  const struct timespec wait = {0, 5000000};
  if (all == MAP_FAILED)
    return NULL; /* nothing is done ahead */
  for (int i = 0; i < b->job_count && !is_stopped(); ++i) {
    if (!is_wanted[i])
      continue;
    int slot;
    while ((slot = free_slot(working, options->at_once)) < 0 && !is_stopped()) {
      nanosleep(&wait, NULL);
      still_working(working, options->at_once);
    }
    if (slot < 0)
      break;
    pid_t child = fork();
    if (child == 0) {
      work(b, &b->jobs[i], options, &all[i]);
      _exit(0);
    }
    working[slot] = child; /* none: the job is run when its turn comes */
  }
  while (still_working(working, options->at_once) > 0 && !is_stopped())
    nanosleep(&wait, NULL);
  end_all(working, options->at_once);
  return all;
}
