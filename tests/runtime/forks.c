/* Scenarios for fork() in the runtime, on whatever device is in use: as scenarios.c. A child ends
 * with exit(), so that it also passes by what the drivers do at the end of a process; its status is
 * 0 if all was right. Words that begin with "lost" name programs of which a child needs what only
 * the device had: the child ends with a message and status 1. They are only run by name. "random
 * SEED" is a program of random steps, in which children are made at random points. */
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

/* A child that hangs ends after a while, and does not outlive the test. */
static pid_t forked(void) {
  fflush(NULL);
  pid_t child = fork();
  if (child == 0)
    alarm(50);
  return child;
}

/* The status of a child that does `work`, whose answer says whether all was right. */
static int status_of(int (*work)(int *x), int *x) {
  pid_t child = forked();
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
  pid_t child = forked();
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

/* Random programs. All elements of an array have the same value, so that two numbers say what the
 * host has and what the device has. In a child there is one memory, but for what is lost. */
enum { ARRAYS = 3, STEPS = 40, DEEPEST = 2 };
typedef struct array {
  int x[N];
  int host, device;
  int is_present, is_newer; /* on the device; in a child: lost */
} array;
static array arrays[ARRAYS];
static unsigned long long state;
static int is_child;

static int draw(int count) {
  state = state * 6364136223846793005ull + 1442695040888963407ull;
  return (int)((state >> 33) % (unsigned)count);
}

static void set(array *a) {
  a->host = draw(100);
  for (int i = 0; i < N; ++i)
    a->x[i] = a->host;
}

static int has_its_values(const array *a) {
  for (int i = 0; i < N; ++i)
    if (a->x[i] != a->host)
      return 0;
  return 1;
}

/* A step that needs what is on the device. */
static void needing_step(array *a, int which) {
  int *held = is_child ? &a->host : &a->device, add = draw(10);
  if (which == 0) {
    twice(a->x, N, add, NW_PRESENT);
    *held = *held * 2 + add;
    a->is_newer = !is_child;
  } else if (which == 1) {
    directive(NW_UPDATE, NW_UPDATE_HOST, a->x, N);
    a->host = *held;
    a->is_newer = 0;
  } else {
    directive(NW_EXIT_DATA, NW_COPYOUT, a->x, N);
    a->host = *held;
    a->is_present = a->is_newer = 0;
  }
}

static void plain_step(array *a, int which) {
  int add = draw(10);
  if (which == 0) {
    set(a);
  } else if (which == 1 || (which == 2 && !a->is_present)) {
    twice(a->x, N, add, which == 2 ? NW_PRESENT : 0);
    a->host = a->host * 2 + add;
  } else if (which == 3 && !a->is_present) {
    directive(NW_ENTER_DATA, NW_COPYIN, a->x, N);
    a->device = a->host;
    a->is_present = !is_child;
    a->is_newer = 0;
  } else if (which == 4 && a->is_present) {
    directive(NW_UPDATE, NW_UPDATE_DEVICE, a->x, N);
    a->device = a->host;
    a->is_newer = 0;
  } else if (which == 5 && a->is_present) {
    directive(NW_EXIT_DATA, NW_DELETE, a->x, N);
    a->is_present = a->is_newer = 0;
  }
}

static int steps(int count, int depth);

/* A child does some steps of its own; one that needs what is lost ends with status 1. */
static int random_child(int depth) {
  int may_lose = 0, status = 0, seed = draw(1 << 30);
  for (int i = 0; i < ARRAYS; ++i)
    may_lose |= arrays[i].is_newer;
  pid_t child = forked();
  if (child == 0) {
    state = (unsigned long long)seed;
    is_child = 1;
    exit(steps(STEPS / 2, depth + 1) ? 0 : 3);
  }
  return child > 0 && waitpid(child, &status, 0) == child &&
         (status == 0 || (may_lose && WIFEXITED(status) && WEXITSTATUS(status) == 1));
}

static int steps(int count, int depth) {
  int right = 1;
  for (int i = 0; i < count && right; ++i) {
    array *a = &arrays[draw(ARRAYS)];
    int which = draw(12), is_lost = is_child && a->is_newer;
    if (a->host > 1000000 || a->device > 1000000)
      which = 10;
    if (which == 9 && depth < DEEPEST) {
      right &= random_child(depth);
    } else if (which >= 6 && which <= 8 && a->is_present) {
      if (is_lost && draw(2))
        continue;
      needing_step(a, which - 6);
      right &= !is_lost; /* it should have ended */
    } else if (which == 10) {
      set(a);
      if (a->is_present)
        plain_step(a, 4);
    } else {
      plain_step(a, which == 11 ? 3 : which % 6); /* data on the device are wanted */
    }
    right &= has_its_values(a);
  }
  return right;
}

static int random_program(const char *seed) {
  int x[N];
  state = strtoull(seed, NULL, 10);
  for (int i = 0; i < ARRAYS; ++i)
    set(&arrays[i]);
  return on_device(x) && steps(STEPS, 0) && on_device(x);
}

static const struct {
  const char *name;
  int (*run)(void);
} scenarios[] = {{"before_use", before_use},         {"after_use", after_use},
                 {"beside_threads", beside_threads}, {"other_programs", other_programs},
                 {"with_data", with_data},           {"inside_of_loops", inside_of_loops}};

int main(int count, char **words) {
  int wrong = 0;
  if (count > 2 && strcmp(words[1], "random") == 0)
    return printf("random: %s\n", random_program(words[2]) ? "right" : "WRONG"), 0;
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
