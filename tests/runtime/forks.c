/* Scenarios for fork() in the runtime, on whatever device is in use: as scenarios.c. A child ends
 * with exit(), so that it also passes by what the drivers do at the end of a process; its status is
 * 0 if all was right. Words that begin with "lost" name programs of which a child needs what only
 * the device had: the child ends with a message and status 1. They are only run by name. */
#include <pthread.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "internal.h"

extern char **environ;

enum { N = 1000, BLOCK = 64 };

#define BODY "{ int i = ID; if (i < n) x[i] = x[i] * 2 + a; }\n"
static nw_module module = {
    "forks.c",
    "#define ID (blockIdx.x * blockDim.x + threadIdx.x)\nextern \"C\" __global__ void twice(int "
    "*x, int n, int a) " BODY,
    "#define ID get_global_id(0)\n__kernel void twice(__global int *x, int n, int a) " BODY,
    "strict",
    0,
    0};

/* x = 2 x + a on the device: what generated code does. 0: it did not go there. */
static int region(int *x, int n, int a, int flags) {
  static const nw_work always = {1, 1, NW_OFFLOAD_ALWAYS};
  nw_range ranges[] = {{"x", x, 0, n * 4ll, NW_IN | NW_OUT | flags}};
  nw_region *region = nw_enter(&module, "twice", ranges, 1, &always, NULL);
  if (!region)
    return 0;
  nw_arg args[] = {NW_BUFFER(0), NW_VALUE(n), NW_VALUE(a)};
  nw_shape shape = {{(n + BLOCK - 1) / BLOCK, 1, 1}, {BLOCK, 1, 1}, NW_PLAIN};
  nw_launch(region, "twice", &shape, args, 3);
  return nw_leave(region);
}

/* The same with the original loops behind it, as in a rewritten file. Whether it went to the
 * device. */
static int twice(int *x, int n, int a, int flags) {
  if (region(x, n, a, flags))
    return 1;
  if (flags)
    nw_host_begin("twice", 1);
  for (int i = 0; i < n; ++i)
    x[i] = x[i] * 2 + a;
  if (flags)
    nw_host_end(1);
  return 0;
}

static void directive(int kind, int clause, int *x, int n) {
  void *data = nw_data_begin("directive", kind, 1);
  if (data)
    nw_data_item(data, clause, "x", x, 4, 1, 0ll, (long long)n, -1ll);
  nw_data_end(data);
}

static void fill(int *x) {
  for (int i = 0; i < N; ++i)
    x[i] = i;
}

/* Whether x[i] = scale i + a. */
static int is(const int *x, int scale, int a) {
  for (int i = 0; i < N; ++i)
    if (x[i] != scale * i + a)
      return 0;
  return 1;
}

/* The status of a child that does `work`, whose answer says whether all was right. */
static int status_of(int (*work)(int *x), int *x) {
  fflush(NULL);
  pid_t child = fork();
  if (child == 0)
    exit(work(x) ? 0 : 3);
  int status = 0;
  return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status)
                                                                               : -1;
}

static int on_host(int *x) {
  fill(x);
  int went = twice(x, N, 1, 0) + twice(x, N, 1, 0);
  nw_account account = nw_account_so_far();
  return !went && is(x, 4, 3) && account.on_host == 2 && account.on_device == 0 &&
         strstr(account.reason, "forked") != NULL;
}

static int on_device(int *x) {
  fill(x);
  return twice(x, N, 1, 0) && is(x, 2, 1);
}

static int of_its_own(int *x) { return on_host(x) && status_of(on_host, x) == 0; }

/* Must be the first scenario: the parent has used nothing. */
static int before_use(void) {
  int x[N];
  return status_of(on_device, x) == 0;
}

static int after_use(void) {
  int x[N];
  return on_device(x) && status_of(on_host, x) == 0 && status_of(of_its_own, x) == 0 &&
         on_device(x);
}

/* Threads are in the runtime, the driver and its compiler while children are made. */
static atomic_int is_over;
static void *keep_calling(void *right) {
  int x[N];
  while (!is_over)
    if (!on_device(x))
      *(atomic_int *)right = 0;
  return NULL;
}

static void *keep_moving(void *right) {
  int x[N];
  while (!is_over) {
    fill(x);
    directive(NW_ENTER_DATA, NW_COPYIN, x, N);
    if (!twice(x, N, 5, NW_PRESENT))
      *(atomic_int *)right = 0;
    directive(NW_EXIT_DATA, NW_COPYOUT, x, N);
    if (!is(x, 2, 5))
      *(atomic_int *)right = 0;
  }
  return NULL;
}

static int present_on_host(int *x) {
  fill(x);
  directive(NW_ENTER_DATA, NW_COPYIN, x, N);
  int went = twice(x, N, 7, NW_PRESENT);
  directive(NW_EXIT_DATA, NW_COPYOUT, x, N);
  return !went && is(x, 2, 7);
}

static int beside_threads(void) {
  enum { THREADS = 3, CHILDREN = 40 };
  pthread_t threads[THREADS];
  atomic_int right = 1;
  int x[N], good = on_device(x);
  is_over = 0;
  for (int i = 0; i < THREADS; ++i)
    pthread_create(&threads[i], NULL, i ? keep_moving : keep_calling, &right);
  for (int i = 0; i < CHILDREN; ++i)
    good &= status_of(i % 2 ? on_host : present_on_host, x) == 0;
  is_over = 1;
  for (int i = 0; i < THREADS; ++i)
    pthread_join(threads[i], NULL);
  return good && right;
}

/* Other programs are started as ever, and the device works on. */
static int other_programs(void) {
  char *const words[] = {"sh", "-c", "exit 7", NULL};
  int x[N], status = 0, right = on_device(x);
  pid_t child = -1;
  right &= system("exit 7") == 7 << 8;
  right &= posix_spawn(&child, "/bin/sh", NULL, NULL, words, environ) == 0 &&
           waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 7;
  child = vfork();
  if (child == 0) {
    execv("/bin/sh", words);
    _exit(1);
  }
  right &= waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 7;
  child = fork();
  if (child == 0) {
    execv("/bin/sh", words);
    _exit(1);
  }
  right &= waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 7;
  return right && on_device(x);
}

static int go_on(int *x) {
  int went = twice(x, N, 1, NW_PRESENT);
  directive(NW_UPDATE, NW_UPDATE_HOST, x, N);
  return !went && is(x, 4, 3);
}

static int begin_anew(int *x) {
  fill(x);
  directive(NW_UPDATE, NW_UPDATE_DEVICE, x, N);
  int went = twice(x, N, 1, NW_PRESENT);
  directive(NW_EXIT_DATA, NW_COPYOUT, x, N);
  return !went && is(x, 2, 1);
}

static int let_go(int *x) {
  directive(NW_EXIT_DATA, NW_DELETE, x, N);
  return present_on_host(x);
}

/* Data that the host has as well, or that the child sets or gives up, are no obstacle. */
static int with_data(void) {
  int x[N], other[N], right;
  fill(x);
  directive(NW_ENTER_DATA, NW_COPYIN, x, N);
  right = twice(x, N, 1, NW_PRESENT) && is(x, 1, 0);
  right &= status_of(begin_anew, x) == 0 && status_of(let_go, x) == 0 &&
           status_of(on_host, other) == 0 && status_of(present_on_host, other) == 0;
  directive(NW_UPDATE, NW_UPDATE_HOST, x, N);
  right &= is(x, 2, 1) && status_of(go_on, x) == 0;
  right &= twice(x, N, 1, NW_PRESENT);
  directive(NW_EXIT_DATA, NW_COPYOUT, x, N);
  return right && is(x, 4, 3);
}

/* The child of loops that run on the host in place of the device goes on with what they have. */
static int inside_of_loops(void) {
  int x[N], right = 1, status = 0;
  fill(x);
  directive(NW_ENTER_DATA, NW_COPYIN, x, N);
  right &= twice(x, N, 1, NW_PRESENT);
  nw_host_begin("loops", 1);
  right &= is(x, 2, 1);
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) {
    nw_host_end(1);
    directive(NW_UPDATE, NW_UPDATE_HOST, x, N);
    exit(is(x, 2, 1) ? 0 : 3);
  }
  right &= waitpid(child, &status, 0) == child && status == 0;
  nw_host_end(1);
  right &= is(x, 1, 0);
  directive(NW_EXIT_DATA, NW_COPYOUT, x, N);
  return right && is(x, 2, 1);
}

static int read_it(int *x) { return twice(x, N, 1, NW_PRESENT) + 1; }

static int update_it(int *x) {
  directive(NW_UPDATE, NW_UPDATE_HOST, x, N);
  return 1;
}

static int leave_it(int *x) {
  directive(NW_EXIT_DATA, NW_COPYOUT, x, N);
  return 1;
}

static int loop_over_it(int *x) {
  nw_host_begin("loops", 1);
  x[0] = 1;
  nw_host_end(1);
  return 1;
}

static int ask_for_it(int *x) { return nw_device_address("address", "x", x, 0, 0) != NULL; }

static int use_an_address(int *x) { return twice(x, N, 1, NW_DEVICE) + 1; }

static const struct {
  const char *name;
  int (*run)(int *x);
} losses[] = {{"lost_in_region", read_it},     {"lost_in_update", update_it},
              {"lost_at_exit", leave_it},      {"lost_in_loops", loop_over_it},
              {"lost_by_address", ask_for_it}, {"lost_address", use_an_address}};

static int lose(int (*work)(int *x)) {
  int x[N];
  fill(x);
  directive(NW_ENTER_DATA, NW_COPYIN, x, N);
  int went = twice(x, N, 1, NW_PRESENT), status = status_of(work, x);
  directive(NW_EXIT_DATA, NW_COPYOUT, x, N);
  return went && status == 1 && is(x, 2, 1);
}

static const struct {
  const char *name;
  int (*run)(void);
} scenarios[] = {{"before_use", before_use},         {"after_use", after_use},
                 {"beside_threads", beside_threads}, {"other_programs", other_programs},
                 {"with_data", with_data},           {"inside_of_loops", inside_of_loops}};

int main(int count, char **words) {
  int wrong = 0;
  for (size_t i = 0; i < sizeof losses / sizeof *losses; ++i)
    if (count > 1 && strcmp(words[1], losses[i].name) == 0)
      return printf("%s: %s\n", words[1], lose(losses[i].run) ? "right" : "WRONG"), 0;
  for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; ++i) {
    if (count > 1 && strcmp(words[1], scenarios[i].name) != 0)
      continue;
    int right = scenarios[i].run();
    printf("%s: %s\n", scenarios[i].name, right ? "right" : "WRONG");
    wrong += !right;
  }
  return wrong;
}
