/* Scenarios for the runtime on whatever device is in use: one word on the command line names one,
 * or all are run. Each is a hand-written module and what a program would do with it. Prints a line
 * for each; the exit status is the number of scenarios that went wrong. Used by run_runtime.py with
 * PoCL, and by hand on a GPU machine: cmake -S runtime -B rt && cmake --build rt && cc -Iruntime
 * tests/runtime/scenarios.c rt/libnestwarp_rt.a -ldl -lpthread -lm */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda_backend.h"
#include "internal.h"
#include "opencl_backend.h"

enum { N = 100000, BLOCK = 64 };

#define BODY "{ int i = ID; if (i < n) x[i] = x[i] * 2 + a; }\n"
static nw_module good = {
    "good.c",
    "#define ID (blockIdx.x * blockDim.x + threadIdx.x)\nextern \"C\" __global__ void twice(int "
    "*x, int n, int a) " BODY,
    "#define ID get_global_id(0)\n__kernel void twice(__global int *x, int n, int a) " BODY,
    "strict",
    0,
    0};
static nw_module bad = {"bad.c",
                        "extern \"C\" __global__ void twice(int *x) { x[0] = undeclared; }\n",
                        "__kernel void twice(__global int *x) { x[0] = undeclared; }\n",
                        "strict",
                        0,
                        0};
/* A compiler may warn of it. */
static nw_module doubtful = {
    "doubtful.c",
    "extern \"C\" __global__ void twice(int *x, int n, int a) { int i = blockIdx.x * blockDim.x + "
    "threadIdx.x; x[i] == n; if (i < n) x[i] = x[i] * 2 + a; }\n",
    "__kernel void twice(__global int *x, int n, int a) { int i = get_global_id(0); x[i] == n; if "
    "(i < n) x[i] = x[i] * 2 + a; }\n",
    "strict",
    0,
    0};
/* More shared memory than any device has for a block. */
static nw_module greedy = {
    "greedy.c",
    "extern \"C\" __global__ void twice(int *x, int n, int a) { __shared__ int t[1 << 26]; "
    "t[threadIdx.x * 4096 + n] = a; __syncthreads(); x[0] = t[x[1]]; }\n",
    "__kernel void twice(__global int *x, int n, int a) { __local int t[1 << 26]; "
    "t[get_local_id(0) * 4096 + n] = a; barrier(CLK_LOCAL_MEM_FENCE); x[0] = t[x[1]]; }\n",
    "strict",
    0,
    0};

static const nw_work always = {1, 1, NW_OFFLOAD_ALWAYS};

/* x = 2 x + a, `times` times, where the arrays are. */
static int run(nw_module *module, const char *where, int *x, int n, int a, int times, int block,
               const nw_on_device *on_device) {
  nw_range ranges[] = {{"x", x, 0, n * 4ll, NW_IN | NW_OUT},
                       {"nothing", 0, 0, 256, NW_TEMPORARY | NW_ZERO}};
  nw_region *region = nw_enter(module, where, ranges, 2, &always, on_device);
  if (!region)
    return 0;
  nw_arg args[] = {NW_BUFFER(0), NW_VALUE(n), NW_VALUE(a)};
  nw_shape shape = {{(n + block - 1) / block, 1, 1}, {block, 1, 1}, NW_PLAIN};
  for (int t = 0; t < times; ++t)
    nw_launch(region, "twice", &shape, args, 3);
  return nw_leave(region);
}

static int *numbers(int n, int first) {
  int *x = malloc((size_t)n * sizeof *x);
  for (int i = 0; i < n; ++i)
    x[i] = first + i % 1000;
  return x;
}

/* Whether x is what `times` steps make of numbers(n, first); `a` of each step is given by the
 * caller's list. */
static int are_right(const int *x, int n, int first, const int *a, int times) {
  for (int i = 0; i < n; ++i) {
    unsigned expected = (unsigned)(first + i % 1000);
    for (int t = 0; t < times; ++t)
      expected = expected * 2 + (unsigned)a[t];
    if ((unsigned)x[i] != expected)
      return 0;
  }
  return 1;
}

static int plain(void) {
  int a[] = {3}, *x = numbers(N, 5);
  int right = run(&good, "plain", x, N, 3, 1, BLOCK, NULL) && are_right(x, N, 5, a, 1);
  free(x);
  return right;
}

static int warnings(void) {
  int a[] = {3}, *x = numbers(N, 5);
  int right = run(&doubtful, "warnings", x, N, 3, 1, BLOCK, NULL) && are_right(x, N, 5, a, 1);
  free(x);
  return right;
}

/* Large enough for copies in pieces by several threads: sizes at which their shares end within a
 * few elements of all. */
static int large(void) {
  static const int sizes[] = {8 << 20, (8 << 20) + 1, (8 << 20) - 1, (8 << 20) + 7,
                              11 * 1000 * 1000 + 7};
  int right = 1;
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s) {
    int a[] = {1, 1}, *x = numbers(sizes[s], 3);
    right &= run(&good, "large", x, sizes[s], 1, 1, BLOCK, NULL) &&
             run(&good, "large", x, sizes[s], 1, 1, BLOCK, NULL) && are_right(x, sizes[s], 3, a, 2);
    free(x);
  }
  return right;
}

enum { THREADS = 8, CALLS = 20 };
static void *caller(void *given) {
  int number = *(int *)given, a[CALLS], n = N + number * 1000, *x = numbers(n, number);
  intptr_t right = 1;
  for (int t = 0; t < CALLS; ++t) {
    a[t] = number + 1;
    right &= run(&good, "threads", x, n, a[t], 1, BLOCK, NULL);
  }
  right &= are_right(x, n, number, a, CALLS);
  free(x);
  return (void *)right;
}

static int threads(void) {
  pthread_t ids[THREADS];
  int numbers[THREADS], right = 1;
  for (int i = 0; i < THREADS; ++i) {
    numbers[i] = i;
    pthread_create(&ids[i], NULL, caller, &numbers[i]);
  }
  for (int i = 0; i < THREADS; ++i) {
    void *result;
    pthread_join(ids[i], &result);
    right &= result != NULL;
  }
  return right;
}

/* The same launches again and again, then others: a graph must not hold on to what was. */
static int sequences(void) {
  enum { TIMES = 6, ROUNDS = 16 };
  long long before = nw_rt_counted.graph_launches;
  int a[TIMES], right = 1;
  for (int round = 0; round < ROUNDS; ++round) {
    int *x = numbers(N, round), add = round < 13 ? 7 : 8, times = round == 14 ? 4 : TIMES;
    for (int t = 0; t < TIMES; ++t)
      a[t] = add;
    right &=
        run(&good, "sequences", x, N, add, times, BLOCK, NULL) && are_right(x, N, round, a, times);
    free(x);
  }
  const nw_rt_device *device = nw_rt_device_in_use();
  return right && (!device || device->kind != NW_RT_CUDA || nw_rt_counted.graph_launches > before);
}

/* A caller with an array on the device and a stream of its own, or one that it shares with others.
 */
typedef struct on_device_caller {
  pthread_t thread;
  nw_on_device callers;
  nw_rt_handle buffer;
  int number, right;
} on_device_caller;

enum { ROUNDS_ON_DEVICE = 8, LAUNCHES_ON_DEVICE = 5 };
static void *call_on_device(void *given) {
  on_device_caller *c = given;
  for (int round = 0; round < ROUNDS_ON_DEVICE; ++round)
    c->right &= run(&good, "on device", (int *)c->buffer, N, c->number, LAUNCHES_ON_DEVICE, BLOCK,
                    &c->callers);
  return NULL;
}

static int on_device(void) {
  enum { CALLERS = 3 };
  nw_rt_device *device = nw_rt_device_in_use();
  on_device_caller callers[CALLERS];
  int a[ROUNDS_ON_DEVICE * LAUNCHES_ON_DEVICE], *x = numbers(N, 1), right = 1;
  size_t bytes = N * sizeof *x;
  nw_rt_handle previous = 0;
  nw_on_device shared = {NULL};
  void *context, *id;
  if (!device || !nw_rt_open_device(device) || !device->backend->begin(device, &previous))
    return 0;
  if (device->kind == NW_RT_CUDA)
    nw_rt_cuda.cuStreamCreate((CUstream *)&shared.stream, 1);
  else if (!nw_opencl(&context, &id, &shared.stream))
    return 0;
  nw_rt_stream *stream = nw_rt_stream_take(device, &shared);
  for (int i = 0; i < CALLERS; ++i) {
    callers[i] = (on_device_caller){.callers = shared, .number = i + 1, .right = 1};
    right &= stream && device->backend->allocate(device, bytes, &callers[i].buffer) &&
             device->backend->copy_in(stream, callers[i].buffer, 0, x, bytes);
  }
  nw_rt_stream_return(stream);
  for (int i = 0; i < CALLERS && right; ++i)
    pthread_create(&callers[i].thread, NULL, call_on_device, &callers[i]);
  for (int i = 0; i < CALLERS && right; ++i)
    pthread_join(callers[i].thread, NULL);
  for (int i = 0; i < CALLERS; ++i) {
    for (size_t t = 0; t < sizeof a / sizeof *a; ++t)
      a[t] = i + 1;
    right &= callers[i].right &&
             device->backend->copy_out(stream, callers[i].buffer, 0, x, bytes) &&
             are_right(x, N, 1, a, ROUNDS_ON_DEVICE * LAUNCHES_ON_DEVICE);
  }
  nw_rt_handle buffer = callers[0].buffer;
  nw_range both[] = {{"x", (void *)buffer, 0, 64, NW_IN},
                     {"y", (void *)buffer, 0, 64, NW_OUT},
                     {"z", (void *)buffer, 64, 128, NW_OUT}};
  right &=
      nw_overlap(&both[0], &both[1], &shared) == 1 && nw_overlap(&both[0], &both[2], &shared) == 0;
  both[1].host = (void *)callers[1].buffer;
  right &= nw_overlap(&both[0], &both[1], &shared) == 0;
  for (int i = 0; i < 5; ++i) /* mistakes of a caller do not make the place fail */
    right &= !run(&good, "no array", NULL, N, 1, 1, BLOCK, &shared);
  right &= run(&good, "no array", (int *)buffer, N, 1, 1, BLOCK, &shared);
  if (device->kind ==
      NW_RT_CUDA) /* an address of the host's; a wild handle is nothing that OpenCL has to notice */
    right &= !run(&good, "array on the host", x, N, 1, 1, BLOCK, &shared);
  else
    right &= !run(&good, "no queue", (int *)buffer, N, 1, 1, BLOCK, &(nw_on_device){NULL});
  for (int i = 0; i < CALLERS; ++i)
    device->backend->release(device, callers[i].buffer);
  device->backend->end(device, previous);
  free(x);
  return right;
}

/* What goes wrong leaves the data alone, and the next region works. */
static int refuses(nw_module *module, const char *where, int n, int block) {
  int *x = numbers(N, 9);
  int right =
      !run(module, where, x, n, 1, 1, block, NULL) && are_right(x, N, 9, NULL, 0) && plain();
  free(x);
  return right;
}

static int failed_launch(void) { return refuses(&good, "failed launch", N, 1 << 20); }
static int bad_kernel(void) { return refuses(&bad, "bad kernel", N, BLOCK); }
static int impossible_shared_memory(void) {
  return refuses(&greedy, "impossible shared memory", N, BLOCK);
}

/* With a driver that fails for good at some launch: the program goes on without the device, and
 * loses nothing. */
static int lost_device(void) {
  enum { ROUNDS = 8 };
  int a[ROUNDS], *x = numbers(N, 6), on_device = 0;
  for (int round = 0; round < ROUNDS; ++round) {
    a[round] = round;
    int done = run(&good, "lost device", x, N, round, 1, BLOCK, NULL);
    on_device += done;
    for (int i = 0; i < N && !done; ++i)
      x[i] = x[i] * 2 + round;
  }
  int right = are_right(x, N, 6, a, ROUNDS) && on_device > 0 && on_device < ROUNDS;
  free(x);
  return right;
}

static int out_of_memory(void) {
  int *x = numbers(N, 2);
  nw_range ranges[] = {{"x", x, 0, N * 4ll, NW_IN | NW_OUT},
                       {"huge", 0, 0, 1ll << 45, NW_TEMPORARY}};
  nw_region *region = nw_enter(&good, "out of memory", ranges, 2, &always, NULL);
  int right = !region && are_right(x, N, 2, NULL, 0) && plain();
  free(x);
  return right;
}

static const struct {
  const char *name;
  int (*run)(void);
} scenarios[] = {{"plain", plain},
                 {"warnings", warnings},
                 {"large", large},
                 {"threads", threads},
                 {"sequences", sequences},
                 {"on_device", on_device},
                 {"failed_launch", failed_launch},
                 {"bad_kernel", bad_kernel},
                 {"impossible_shared_memory", impossible_shared_memory},
                 {"out_of_memory", out_of_memory}};

int main(int count, char **words) {
  int wrong = 0;
  if (count > 1 && strcmp(words[1], "lost_device") == 0) /* only where the device gets lost */
    return printf("lost_device: %s\n", lost_device() ? "right" : "WRONG"), 0;
  for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; ++i) {
    if (count > 1 && strcmp(words[1], scenarios[i].name) != 0)
      continue;
    int right = scenarios[i].run();
    printf("%s: %s\n", scenarios[i].name, right ? "right" : "WRONG");
    wrong += !right;
  }
  return wrong;
}
