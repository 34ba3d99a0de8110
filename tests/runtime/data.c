/* Scenarios for OpenACC data in the runtime, on whatever device is in use: as scenarios.c. Words
 * that begin with "wrong" name mistakes of a program, each of which ends it with a message; they
 * are only run by name. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

enum { N = 1000, BLOCK = 64, ROWS = 6, COLUMNS = 10 };

#define BODY "{ int i = ID; if (i < n) x[first + i] = x[first + i] * 2 + a; }\n"
static nw_module module = {
    "data.c",
    "#define ID (blockIdx.x * blockDim.x + threadIdx.x)\nextern \"C\" __global__ void "
    "twice_from(int *x, int n, int a, long long first) " BODY,
    "#define ID get_global_id(0)\n__kernel void twice_from(__global int *x, int n, int a, long "
    "first) " BODY,
    "strict",
    0,
    0};

/* x[first .. first + n) = 2 x + a; flags are added to the range's. */
static int run(int *x, int first, int n, int a, int flags, int offload) {
  nw_work work = {1, 1, offload};
  nw_range ranges[] = {{"x", x, first * 4ll, (first + n) * 4ll, NW_IN | NW_OUT | flags}};
  nw_region *region = nw_enter(&module, "run", ranges, 1, &work, NULL);
  if (!region)
    return 0;
  long long from = nw_shift(&ranges[0]) / 4 + first;
  nw_arg args[] = {NW_BUFFER(0), NW_VALUE(n), NW_VALUE(a), NW_VALUE(from)};
  nw_shape shape = {{(n + BLOCK - 1) / BLOCK, 1, 1}, {BLOCK, 1, 1}, NW_PLAIN};
  nw_launch(region, "twice_from", &shape, args, 4);
  return nw_leave(region);
}

/* A construct whose work is tiny: it goes to the device because its array is there. */
static int construct(int *x, int first, int n, int a) {
  return run(x, first, n, a, NW_PRESENT, NW_OFFLOAD_AUTO);
}

static void item(void *data, int kind, int *x, int first, int n) {
  if (data)
    nw_data_item(data, kind, "x", x, 4, 1, (long long)first, (long long)n, -1ll);
}

/* A directive with one item that is closed at once. */
static void directive(int directive_kind, int kind, int *x, int first, int n) {
  void *data = nw_data_begin("directive", directive_kind, 1);
  item(data, kind, x, first, n);
  nw_data_end(data);
}

static int *numbers(void) {
  int *x = malloc(N * sizeof *x);
  for (int i = 0; i < N; ++i)
    x[i] = i;
  return x;
}

/* Whether x[first .. first + n) is scale i + a, and everything else i. */
static int is_only(const int *x, int first, int n, int scale, int a) {
  for (int i = 0; i < N; ++i)
    if (x[i] != (i >= first && i < first + n ? scale * i + a : i))
      return 0;
  return 1;
}

static int is_empty(void) { return !nw_rt_entries(); }

static int region(void) {
  int *x = numbers(), right = 1;
  long long in = nw_rt_counted.copies_to_device, out = nw_rt_counted.copies_from_device,
            bytes = nw_rt_counted.bytes_to_device;
  void *data = nw_data_begin("region", NW_DATA, 1);
  item(data, NW_COPY, x, 0, N);
  for (int t = 0; t < 3; ++t)
    right &= construct(x, 0, N, 1) && is_only(x, 0, 0, 0, 0);
  void *inner = nw_data_begin("inner", NW_DATA, 1);
  item(inner, NW_COPY, x, 10, 5); /* present: nothing moves */
  item(inner, NW_MUST_BE_PRESENT, x, 0, N);
  nw_data_end(inner);
  right &= is_only(x, 0, 0, 0, 0) && !is_empty();
  nw_data_end(data);
  right &= is_only(x, 0, N, 8, 7) && is_empty();
  right &= nw_rt_counted.copies_to_device == in + 1 &&
           nw_rt_counted.copies_from_device == out + 1 &&
           nw_rt_counted.bytes_to_device == bytes + N * 4;
  free(x);
  return right;
}

/* What each clause moves. */
static int clauses(void) {
  static const struct {
    int kind, in, out;
  } cases[] = {{NW_COPY, 1, 1},   {NW_COPYIN, 1, 0},    {NW_COPYOUT, 0, 1},
               {NW_CREATE, 0, 0}, {NW_NO_CREATE, 0, 0}, {NW_COPYOUT | NW_ZEROED, 0, 1}};
  int right = 1;
  for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
    int *x = numbers();
    long long in = nw_rt_counted.data_copies_in, out = nw_rt_counted.data_copies_out;
    void *data = nw_data_begin("clauses", NW_DATA, 1);
    item(data, cases[k].kind, x, 100, 50);
    right &= is_empty() == (cases[k].kind == NW_NO_CREATE);
    nw_data_end(data);
    right &= is_empty() && nw_rt_counted.data_copies_in == in + cases[k].in &&
             nw_rt_counted.data_copies_out == out + cases[k].out;
    right &= cases[k].kind == NW_COPYOUT ||
             (cases[k].kind & NW_ZEROED ? is_only(x, 100, 50, 0, 0) : is_only(x, 0, 0, 0, 0));
    free(x);
  }
  return right;
}

static int conditions(void) {
  int *x = numbers();
  void *data = nw_data_begin("conditions", NW_DATA, 0);
  int right = !data && is_empty();
  nw_data_end(data);
  item(data, NW_MUST_BE_PRESENT, x, 0, N);
  data = nw_data_begin("conditions", NW_DATA, 1);
  if (data) {
    nw_data_item(data, NW_COPY, "nothing", NULL, 4, 1, 0ll, 10ll, -1ll);
    nw_data_item(data, NW_MUST_BE_PRESENT, "none of it", x, 4, 1, 0ll, 0ll, -1ll);
  }
  right &= is_empty();
  nw_data_end(data);
  free(x);
  return right;
}

/* A part of an array, and pointers into it. On OpenCL a pointer to the middle of a buffer means
 * copies on the device. */
static int parts(void) {
  int *x = numbers(), right = 1;
  directive(NW_ENTER_DATA, NW_COPYIN, x, 100, 800);
  long long in = nw_rt_counted.copies_to_device;
  right &= construct(x, 200, 50, 1);       /* the array's address lies before the entry */
  right &= construct(x + 100, 0, 10, 1);   /* the entry's beginning */
  right &= construct(x + 300, 0, 20, 1);   /* in the middle */
  right &= construct(x + 400, -30, 40, 1); /* before the pointer and behind it */
  right &= is_only(x, 0, 0, 0, 0) && nw_rt_counted.copies_to_device == in;
  directive(NW_EXIT_DATA, NW_COPYOUT, x, 100, 800);
  for (int i = 0; i < N; ++i) {
    int touched = (i >= 200 && i < 250) || (i >= 100 && i < 110) || (i >= 300 && i < 320) ||
                  (i >= 370 && i < 410);
    right &= x[i] == (touched ? 2 * i + 1 : i);
  }
  right &= is_empty();
  free(x);
  return right;
}

/* Regions and enter data count apart. */
static int counts(void) {
  int *x = numbers(), right = 1;
  directive(NW_ENTER_DATA, NW_CREATE, x, 0, N);
  directive(NW_ENTER_DATA, NW_COPYIN, x, 0, 10); /* present: counted, not copied */
  directive(NW_EXIT_DATA, NW_DELETE, x, 0, 10);
  right &= !is_empty();
  void *data = nw_data_begin("counts", NW_DATA, 1);
  item(data, NW_COPY | NW_ALWAYS, x, 0, N); /* copied though present */
  right &= construct(x, 0, N, 5);
  directive(NW_EXIT_DATA, NW_DELETE, x, 0, N);
  right &= !is_empty(); /* the region holds it */
  directive(NW_EXIT_DATA, NW_DELETE, x, 0, N);
  right &= !is_empty();
  nw_data_end(data);
  right &= is_empty() && is_only(x, 0, N, 2, 5);
  for (int i = 0; i < 3; ++i)
    directive(NW_ENTER_DATA, NW_COPYIN, x, 0, N);
  directive(NW_EXIT_DATA, NW_DELETE | NW_FINALIZE, x, 0, N);
  right &= is_empty();
  directive(NW_EXIT_DATA, NW_COPYOUT, x, 0, N); /* not there: nothing to do */
  directive(NW_ENTER_DATA, NW_CREATE, x, 0, N);
  void *end = nw_data_begin("address only", NW_EXIT_DATA, 1);
  if (end)
    nw_data_item(end, NW_DELETE, "x", x + 3, 0, 0);
  nw_data_end(end);
  right &= is_empty();
  free(x);
  return right;
}

static int updates(void) {
  int grid[ROWS][COLUMNS], right = 1;
  for (int i = 0; i < ROWS * COLUMNS; ++i)
    grid[i / COLUMNS][i % COLUMNS] = i;
  void *data = nw_data_begin("updates", NW_DATA, 1);
  if (data)
    nw_data_item(data, NW_COPYIN, "grid", grid, sizeof grid, 0);
  right &= construct(&grid[0][0], 0, ROWS * COLUMNS, 1000);
  void *update = nw_data_begin("update", NW_UPDATE, 1);
  if (update) /* grid[1:2][3:4] */
    nw_data_item(update, NW_UPDATE_HOST, "grid", grid, 4, 2, 1ll, 2ll, (long long)ROWS, 3ll, 4ll,
                 (long long)COLUMNS);
  nw_data_end(update);
  for (int r = 0; r < ROWS; ++r)
    for (int c = 0; c < COLUMNS; ++c) {
      int i = r * COLUMNS + c, inside = r >= 1 && r < 3 && c >= 3 && c < 7;
      right &= grid[r][c] == (inside ? 2 * i + 1000 : i);
      grid[r][c] = -1 - i;
    }
  update = nw_data_begin("update", NW_UPDATE, 1);
  if (update) { /* grid[2:][0:1], then all of it where it is not present */
    nw_data_item(update, NW_UPDATE_DEVICE, "grid", grid, 4, 2, 2ll, -1ll, (long long)ROWS, 0ll, 1ll,
                 (long long)COLUMNS);
    nw_data_item(update, NW_UPDATE_DEVICE | NW_IF_PRESENT, "elsewhere", &right, sizeof right, 0);
    nw_data_item(update, NW_UPDATE_HOST, "grid", grid, sizeof grid, 0);
  }
  nw_data_end(update);
  for (int r = 0; r < ROWS; ++r)
    for (int c = 0; c < COLUMNS; ++c) {
      int i = r * COLUMNS + c;
      right &= grid[r][c] == (r >= 2 && c == 0 ? -1 - i : 2 * i + 1000);
    }
  nw_data_end(data);
  return right && is_empty();
}

/* Loops that are no construct see the host's values, also when they run on the device. */
static int plain_loops(void) {
  int *x = numbers(), right = 1;
  void *data = nw_data_begin("plain loops", NW_DATA, 1);
  item(data, NW_COPYIN, x, 0, N);
  right &= construct(x, 0, N, 100);
  right &= run(x, 0, N, 3, 0, NW_OFFLOAD_ALWAYS) && is_only(x, 0, N, 2, 3);
  directive(NW_UPDATE, NW_UPDATE_HOST, x, 0, N);
  right &= is_only(x, 0, N, 2, 100);
  nw_data_end(data);
  free(x);
  return right;
}

/* A construct that runs on the host works on the device's values; the host's own stay what they
 * were. */
static int exchange(void) {
  static const int constant[] = {1, 2, 3};
  int *x = numbers(), right = 1;
  void *data = nw_data_begin("exchange", NW_DATA, 1);
  item(data, NW_COPYIN, x, 0, N);
  if (data)
    nw_data_item(data, NW_COPYIN, "constant", constant, sizeof constant, 0);
  right &= construct(x, 0, N, 7);
  nw_host_begin("exchange", 0);
  right &= is_only(x, 0, 0, 0, 0);
  nw_host_end(0);
  nw_host_begin("exchange", 1);
  right &= is_only(x, 0, N, 2, 7) && constant[1] == 2;
  nw_host_begin("within", 1);
  right &= run(x, 0, N, 1, NW_PRESENT, NW_OFFLOAD_ALWAYS) &&
           is_only(x, 0, N, 4, 15); /* in the memory of the host, too */
  nw_host_end(1);
  for (int i = 0; i < N; ++i)
    x[i] += 1;
  nw_host_end(1);
  right &= is_only(x, 0, 0, 0, 0);
  directive(NW_UPDATE, NW_UPDATE_HOST, x, 0, N);
  right &= is_only(x, 0, N, 4, 16);
  nw_data_end(data);
  free(x);
  return right;
}

/* A construct that touches more than is there stays on the host. */
static int in_part(void) {
  int *x = numbers(), right = 1;
  void *data = nw_data_begin("in part", NW_DATA, 1);
  item(data, NW_COPY, x, 0, 10);
  right &= construct(x, 0, 10, 1) && !construct(x, 0, 20, 1) && !construct(x, 5, 20, 1) &&
           run(x, 20, 20, 1, NW_PRESENT, NW_OFFLOAD_ALWAYS);
  nw_host_begin("in part", 1);
  for (int i = 0; i < 20; ++i)
    x[i] = 2 * x[i] + 1;
  nw_host_end(1);
  nw_data_end(data);
  for (int i = 0; i < N; ++i)
    right &= x[i] == (i < 10 ? 4 * i + 3 : i < 40 ? 2 * i + 1 : i);
  free(x);
  return right;
}

/* Addresses on the device. */
static int addresses(void) {
  int *x = numbers(), right = 1;
  right &= nw_device_address("addresses", "x", x, 1, 0) == (void *)x &&
           !nw_device_address("addresses", "x", NULL, 0, 0);
  void *data = nw_data_begin("addresses", NW_DATA, 1);
  item(data, NW_COPY, x, 0, N);
  int *on_device = nw_device_address("addresses", "x", x, 0, 0);
  right &= on_device != x && run(on_device, 0, N, 9, NW_DEVICE, NW_OFFLOAD_AUTO);
  nw_data_end(data);
  right &= is_only(x, 0, N, 2, 9);
  free(x);
  return right;
}

enum { THREADS = 4, ROUNDS = 10 };
static int *shared;
static void *work_in_thread(void *given) {
  int *x = numbers(), mine = *(int *)given, expected = 1;
  intptr_t right = 1;
  for (int round = 0; round < ROUNDS; ++round) {
    void *data = nw_data_begin("threads", NW_DATA, 1);
    item(data, NW_COPY, x, 0, N);
    item(data, NW_COPY, shared, 0, N);
    right &= construct(x, 0, N, 0) && construct(shared, mine * 100, 100, 0);
    nw_host_begin("threads", 1);
    for (int i = mine * 100; i < mine * 100 + 100; ++i)
      shared[i] += 1;
    nw_host_end(1);
    nw_data_end(data);
    expected = expected * 2 % 1000000;
  }
  right &= is_only(x, 0, N, 1 << ROUNDS, 0);
  free(x);
  return (void *)right;
}

static int threads(void) {
  pthread_t ids[THREADS];
  int given[THREADS], right = 1;
  shared = numbers();
  directive(NW_ENTER_DATA, NW_COPYIN, shared, 0, N);
  for (int i = 0; i < THREADS; ++i) {
    given[i] = i;
    pthread_create(&ids[i], NULL, work_in_thread, &given[i]);
  }
  for (int i = 0; i < THREADS; ++i) {
    void *result;
    pthread_join(ids[i], &result);
    right &= result != NULL;
  }
  directive(NW_EXIT_DATA, NW_COPYOUT, shared, 0, N);
  right &= is_only(shared, 0, THREADS * 100, 1 << ROUNDS, (1 << ROUNDS) - 1) && is_empty();
  free(shared);
  return right;
}

/* An array for which the device has no memory stays on the host, and all goes on. */
static int no_memory(void) {
  size_t size = 1ull << 46;
  int *x = numbers(), right = 1;
  void *data = nw_data_begin("no memory", NW_DATA, 1);
  if (data)
    nw_data_item(data, NW_CREATE, "x", x, (long long)size, 0);
  right &= run(x, 0, N, 1, NW_PRESENT, NW_OFFLOAD_ALWAYS) && is_only(x, 0, N, 2, 1);
  directive(NW_UPDATE, NW_UPDATE_HOST, x, 0, N);
  nw_host_begin("no memory", 1);
  right &= is_only(x, 0, N, 2, 1);
  nw_host_end(1);
  nw_data_end(data);
  free(x);
  return right && is_empty();
}

/* A kernel that fails when arrays that stay on the device have been written ends the program;
 * before that, all goes on. */
static int fails(int launches) {
  int *x = numbers(), n = N, a = 1;
  long long first = 0;
  nw_work work = {1, 1, NW_OFFLOAD_AUTO};
  void *data = nw_data_begin("fails", NW_DATA, 1);
  item(data, NW_COPY, x, 0, N);
  nw_range ranges[] = {{"x", x, 0, N * 4ll, NW_IN | NW_OUT | NW_PRESENT}};
  nw_region *region = nw_enter(&module, "fails", ranges, 1, &work, NULL);
  nw_arg args[] = {NW_BUFFER(0), NW_VALUE(n), NW_VALUE(a), NW_VALUE(first)};
  for (int t = 0; t < launches; ++t)
    nw_launch(region, "twice_from", &(nw_shape){{N / BLOCK + 1, 1, 1}, {BLOCK, 1, 1}, NW_PLAIN},
              args, 4);
  nw_launch(region, "twice_from", &(nw_shape){{1, 1, 1}, {1 << 20, 1, 1}, NW_PLAIN}, args, 4);
  int right = !nw_leave(region);
  nw_data_end(data);
  right &= is_only(x, 0, 0, 0, 0);
  free(x);
  return right;
}

static int failure(void) { return fails(0); }
static int wrong_after_failure(void) { return fails(1); }

static int wrong_present(void) {
  int x[N] = {0};
  directive(NW_DATA, NW_MUST_BE_PRESENT, x, 0, 10);
  return 0;
}

static int wrong_part(void) {
  int x[N] = {0};
  directive(NW_ENTER_DATA, NW_COPYIN, x, 10, 10);
  directive(NW_DATA, NW_COPY, x, 0, 15);
  return 0;
}

static int wrong_update(void) {
  int x[N] = {0};
  directive(NW_UPDATE, NW_UPDATE_DEVICE, x, 0, 10);
  return 0;
}

static int wrong_section(void) {
  int x[N] = {0};
  void *data = nw_data_begin("directive", NW_DATA, 1);
  if (data)
    nw_data_item(data, NW_COPY, "x[990:20]", x, 4, 1, 990ll, 20ll, (long long)N);
  return 0;
}

static int wrong_length(void) {
  int x[N] = {0};
  directive(NW_DATA, NW_COPY, x, 0, -7);
  return 0;
}

static int wrong_pieces(void) {
  int x[10][10] = {{0}};
  void *data = nw_data_begin("directive", NW_DATA, 1);
  if (data)
    nw_data_item(data, NW_CREATE, "x[0:5][1:3]", x, 4, 2, 0ll, 5ll, 10ll, 1ll, 3ll, 10ll);
  return 0;
}

static int wrong_address(void) {
  int x[N] = {0};
  return nw_device_address("directive", "x", x, 0, 0) == NULL;
}

static int wrong_place(void) {
  nw_needs_device("directive", "x", 1);
  return 0;
}

#define SCENARIO(name) {#name, name}
static const struct {
  const char *name;
  int (*run)(void);
} scenarios[] = {SCENARIO(region),        SCENARIO(clauses),
                 SCENARIO(conditions),    SCENARIO(parts),
                 SCENARIO(counts),        SCENARIO(updates),
                 SCENARIO(plain_loops),   SCENARIO(exchange),
                 SCENARIO(in_part),       SCENARIO(addresses),
                 SCENARIO(threads),       SCENARIO(no_memory),
                 SCENARIO(failure),       SCENARIO(wrong_after_failure),
                 SCENARIO(wrong_present), SCENARIO(wrong_part),
                 SCENARIO(wrong_update),  SCENARIO(wrong_section),
                 SCENARIO(wrong_length),  SCENARIO(wrong_pieces),
                 SCENARIO(wrong_address), SCENARIO(wrong_place)};

int main(int count, char **words) {
  int failed = 0;
  for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; ++i) {
    if (count > 1 ? strcmp(words[1], scenarios[i].name) != 0
                  : strncmp(scenarios[i].name, "wrong", 5) == 0)
      continue;
    int right = scenarios[i].run();
    printf("%s: %s\n", scenarios[i].name, right ? "right" : "wrong");
    failed += !right;
  }
  return failed;
}
