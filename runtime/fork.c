/* What becomes of the runtime in a forked child. Neither the threads of an OpenCL platform nor a
 * CUDA context survive fork(), so that a child of a process that has looked for a device runs on
 * the host. A child of one that has not may look for a device itself.
 *
 * Values that only the device had are lost to the child. They are not brought back before the fork:
 * nearly every fork is followed by exec, which wants nothing of them, and a driver may call fork()
 * itself, in the middle of which it cannot be asked for a copy. The child remembers what is lost
 * (present.c), and ends with a message when it would need it.
 *
 * vfork(), posix_spawn(), system() and popen() do not come here. */
#define _GNU_SOURCE
#include <pthread.h>
#include <time.h>

#include "internal.h"

/* How long a fork waits for other threads that move data. Not for ever: the one that holds the lock
 * may wait for a driver's thread, which may be the one that forks. */
enum { MOST_SECONDS = 2 };

static int is_forked;
static int is_settled; /* during a fork: no other thread is changing the present table */

int nw_rt_is_forked(void) { return is_forked; }

static void before_fork(void) {
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += MOST_SECONDS;
  is_settled = nw_rt_table_lock_until(&until);
}

static void in_parent(void) {
  if (is_settled)
    nw_rt_table_unlock();
}

/* Other threads may have held any lock: all are new in the child, where there is one thread. */
static void in_child(void) {
  nw_rt_renew_lock();
  nw_rt_renew_device_lock();
  nw_rt_timing_in_child();
  nw_rt_statistics_in_child();
  is_forked = is_forked || nw_rt_has_drivers();
  nw_rt_table_in_child(is_settled);
}

__attribute__((constructor)) static void watch_forks(void) {
  pthread_atfork(before_fork, in_parent, in_child);
}
