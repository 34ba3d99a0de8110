#define nw_min(a, b) ((a) < (b) ? (a) : (b))
#define nw_max(a, b) ((a) > (b) ? (a) : (b))

enum { ORIGINAL, GENERATED, WIDER, UPWARD, DOWNWARD, INPUTS, VERSIONS };
enum { OUTSIDE = 5 }; /* exit status: the original itself leaves its arrays */
#ifndef IS_USED
#define IS_USED(version) ((version) != INPUTS) /* the versions that have data */
#endif

typedef struct object {
  const char *name;
  int code; /* f float, d double, i signed, u unsigned, b truth value */
  size_t size;
  long long count;
  int slot; /* among the arguments, or the number of a global */
  int is_global;
  int is_ranged, is_ascending; /* integers that subscripts depend on: from low to high */
  long long low, high;
  void *data[VERSIONS];
  void *home[3]; /* of a global: its address in each library */
} object;

typedef void call_type(void **);
typedef void *global_type(int);
typedef struct nw_account { /* the runtime's */
  long long on_device, on_host;
  const char *where, *reason, *device;
} account;

static object objects[MOST_OBJECTS];
static int object_count;
static void *nw_arguments[VERSIONS][MOST_OBJECTS];
static void *libraries[3];
static FILE *nw_report;
static int is_special;
static int nw_argument_count;
static char **nw_argument_words;
static int nw_run;     /* which of the sets of sizes */
static int nw_repeats; /* calls of the generated code that are timed; nothing is compared then */
static unsigned long long state = 88172645463325252ULL;

static double uniform(void) { /* in [-1, 1] */
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  return (double)(state >> 11) / 4503599627370496.0 - 1.0;
}

static int is_float(const object *o) { return o->code == 'f' || o->code == 'd'; }
static size_t size_in(const object *o, int version) {
  return version == WIDER && is_float(o) ? sizeof(wide) : o->size;
}

static long double value(const object *o, int version, long long i) {
  const char *at = (const char *)o->data[version] + (size_t)i * size_in(o, version);
  if (version == WIDER && is_float(o))
    return *(const wide *)at;
  switch (o->code) {
  case 'f':
    return *(const float *)at;
  case 'd':
    return *(const double *)at;
  case 'i':
    return o->size == 1   ? *(const signed char *)at
           : o->size == 2 ? *(const short *)at
           : o->size == 4 ? *(const int *)at
                          : *(const long long *)at;
  default:
    return o->size == 1   ? *(const unsigned char *)at
           : o->size == 2 ? *(const unsigned short *)at
           : o->size == 4 ? *(const unsigned *)at
                          : *(const unsigned long long *)at;
  }
}

static void set(object *o, int version, long long i, long double x) {
  char *at = (char *)o->data[version] + (size_t)i * size_in(o, version);
  if (version == WIDER && is_float(o)) {
    *(wide *)at = (wide)x;
    return;
  }
  long long whole = is_float(o) ? 0 : (long long)x;
  switch (o->code) {
  case 'f':
    *(float *)at = (float)x;
    break;
  case 'd':
    *(double *)at = (double)x;
    break;
  default:
    memcpy(at, &whole, o->size); /* little-endian, as all hosts of ours */
  }
}

static object *nw_add(const char *name, int code, size_t size, long long count, int is_global,
                      int slot) {
  object *o = &objects[object_count++];
  o->name = name, o->code = code, o->size = size, o->count = count < 1 ? 1 : count;
  o->is_global = is_global, o->slot = slot;
  for (int v = 0; v < VERSIONS; v++) {
    o->data[v] = IS_USED(v) ? calloc((size_t)o->count, size_in(o, v)) : NULL;
    if (IS_USED(v) && !o->data[v]) {
      fprintf(stderr, "check: no memory for %lld elements of %s\n", o->count, name);
      exit(3);
    }
    if (!is_global)
      nw_arguments[v][slot] = o->data[v];
  }
  return o;
}

/* Narrows what the integers of an array may be. */
static void nw_range(object *o, long long low, long long high, int is_ascending) {
  if (!o->is_ranged)
    o->low = 0, o->high = o->size == 1 ? 127 : o->size == 2 ? 32767 : 2147483647;
  o->is_ranged = 1, o->is_ascending |= is_ascending;
  o->low = low > o->low ? low : o->low;
  o->high = high < o->high ? high : o->high;
}

/* How integers are made up. The next way is taken where the original leaves its arrays: then all
 * of them are small, then 0 or 1, then 0. Floating-point scalars, from which subscripts may be
 * computed, are halved each time. */
enum { AS_USED, SMALL, TINY, ZERO, WAYS };
static int nw_way;
static struct {
  void *own;
  wide *other;
  size_t size;
} nw_scalars[MOST_OBJECTS];
static int nw_scalar_count;

static void nw_scalar(void *own, wide *other, size_t size) {
  nw_scalars[nw_scalar_count].own = own, nw_scalars[nw_scalar_count].other = other;
  nw_scalars[nw_scalar_count++].size = size;
}

/* Whether there is another way; it is taken. */
static int nw_next_way(void) {
  for (int k = 0; k < nw_scalar_count; k++) {
    wide half = *nw_scalars[k].other / 2;
    *nw_scalars[k].other = half;
    if (nw_scalars[k].size == sizeof(float))
      *(float *)nw_scalars[k].own = (float)half;
    else
      *(double *)nw_scalars[k].own = (double)half;
  }
  return ++nw_way < WAYS;
}

static long long made_up_integer(const object *o, long long i) {
  long long low = o->is_ranged ? o->low : 0, high = o->is_ranged ? o->high : 7;
  double part = (uniform() + 1) / 2;
  if (nw_way == ZERO)
    return 0;
  if (o->code == 'b')
    return part > 0.5;
  if (nw_way == AS_USED && !o->is_ranged)
    return o->code == 'u' ? (long long)(part * 16) : (long long)(part * 16 - 8);
  if (nw_way == TINY && high > low + 1)
    high = low + 1;
  if (high < low)
    return low;
  if (o->is_ascending)
    part = ((double)i + part) / (double)o->count;
  low += (long long)(part * (double)(high - low + 1));
  return low < high ? low : high;
}

/* Values that no sum of a few of them overflows with. */
static void fill(object *o) {
  for (long long i = 0; i < o->count; i++)
    set(o, ORIGINAL, i, is_float(o) ? uniform() : made_up_integer(o, i));
}

/* One of the values that arithmetic treats in a way of its own. Large numbers differ in their last
 * bits, so that they never cancel each other exactly. */
static long double special_value(const object *o) {
  int is_double = o->code == 'd', kind = (int)((uniform() + 1) * 8);
  long double sign = uniform() < 0 ? -1 : 1, mixed = 1 + uniform() / 4;
  long double denormal = is_double ? ldexpl(1 + floorl((uniform() + 1) * 1000), -1074)
                                   : ldexpl(1 + floorl((uniform() + 1) * 1000), -149);
  switch (kind) {
  case 0:
    return HAS_NAN ? (long double)NAN : 0;
  case 1:
    return HAS_NAN ? (long double)INFINITY : 0;
  case 2:
    return HAS_NAN ? -(long double)INFINITY : 0;
  case 3:
  case 4:
    return sign * 0.0L;
  case 5:
  case 6:
    return sign * 1;
  case 7:
  case 8:
  case 9:
    return sign * denormal;
  case 10:
  case 11:
    return sign * ldexpl(mixed, is_double ? -1000 : -120);
  case 12:
    return sign * ldexpl(mixed, is_double ? -200 : -30);
  case 13:
    return sign * ldexpl(mixed, is_double ? 200 : 25);
  default:
    return sign * ldexpl(mixed, is_double ? 300 : 40);
  }
}

/* About one element in thirty, and at least one of each array. */
static void sprinkle(object *o) {
  long long certain = (long long)((uniform() + 1) / 2 * (double)o->count);
  for (long long i = 0; i < o->count; i++) {
    int chosen = uniform() < -0.93;
    if (chosen || i == certain)
      set(o, ORIGINAL, i, special_value(o));
  }
}

static void *load(const char *path) {
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    fprintf(stderr, "check: %s\n", dlerror());
    exit(3);
  }
  return library;
}

/* Calls a function of the library with the data of a version; globals are lent to it meanwhile. */
static void call(int library, const char *name, int version) {
  call_type *function = (call_type *)dlsym(libraries[library], name);
  for (int k = 0; k < object_count; k++)
    if (objects[k].is_global)
      memcpy(objects[k].home[library], objects[k].data[version],
             (size_t)objects[k].count * size_in(&objects[k], version));
  function(nw_arguments[version]);
  for (int k = 0; k < object_count; k++)
    if (objects[k].is_global)
      memcpy(objects[k].data[version], objects[k].home[library],
             (size_t)objects[k].count * size_in(&objects[k], version));
}

/* The original is guarded where it could be: it says which subscript would lead outside of an
 * array, and is left before memory there is touched. */
static jmp_buf nw_before_call;
static char nw_outside[400];

static void leave_original(int line, const char *text, long long subscript, long long elements) {
  snprintf(nw_outside, sizeof nw_outside, "%d\t%.300s\t%lld\t%lld", line, text, subscript,
           elements);
  longjmp(nw_before_call, 1);
}

static void row_told(long long extent, int line, const char *text, long long subscript) {
  leave_original(line, text, subscript, extent);
}

/* Leaves the least and the largest subscript in `known`; without a text, that is all. */
static void pointer_told(const void *base, long long size, int line, const char *text,
                         long long subscript, long long *known) {
  const char *begin, *end, *at = (const char *)base;
  known[0] = LLONG_MIN; /* an array that the driver does not know */
  known[1] = LLONG_MAX;
  for (int k = 0; k < object_count; k++)
    for (int v = 0; v < VERSIONS; v++) {
      const object *o = &objects[k];
      if (v != ORIGINAL && v != UPWARD && v != DOWNWARD)
        continue;
      begin = (const char *)(o->is_global ? o->home[ORIGINAL] : o->data[v]);
      end = begin ? begin + (size_t)o->count * o->size : begin;
      if (!begin || at < begin || at >= end)
        continue;
      known[0] = -((at - begin) / size);
      known[1] = (end - at) / size - 1;
      if (text && (subscript < known[0] || subscript > known[1]))
        leave_original(line, text, subscript, known[1] + 1);
      return;
    }
}

static void set_guard(const char *name, void *function) {
  void **element = (void **)dlsym(libraries[ORIGINAL], name);
  if (element)
    *element = function;
}

/* Whether the original stays inside of its arrays. */
static int call_original(int version) {
  nw_outside[0] = 0;
  unsigned *calls = (unsigned *)dlsym(libraries[ORIGINAL], "nw_guard_calls");
  if (calls)
    ++*calls;
  set_guard("nw_guard_row_told", (void *)row_told);
  set_guard("nw_guard_pointer_told", (void *)pointer_told);
  if (!setjmp(nw_before_call))
    call(ORIGINAL, "nw_call", version);
  set_guard("nw_guard_row_told", NULL);
  set_guard("nw_guard_pointer_told", NULL);
  return !nw_outside[0];
}

static void call_rounded(int version, int mode) {
  fesetround(mode);
  call_original(version);
  fesetround(FE_TONEAREST);
}

static void stage(const char *name) {
  fprintf(nw_report, "stage\t%s\n", name);
  fflush(nw_report);
}

/* Finds the globals, makes up data for ORIGINAL and lets the user's function prepare them. */
static void make_up(void) {
  for (int k = 0; k < object_count; k++)
    if (objects[k].is_global)
      for (int v = 0; v < 3; v++)
        if (libraries[v])
          objects[k].home[v] = ((global_type *)dlsym(libraries[v], "nw_global"))(objects[k].slot);
  for (int k = 0; k < object_count; k++)
    if (!IS_RESULT(k))
      fill(&objects[k]);
  if (dlsym(libraries[ORIGINAL], "nw_prepare"))
    call(ORIGINAL, "nw_prepare", ORIGINAL);
}

static void copy_to(int version) {
  for (int k = 0; k < object_count; k++)
    for (long long i = 0; i < objects[k].count; i++)
      set(&objects[k], version, i, value(&objects[k], ORIGINAL, i));
}

static void report_devices(void) {
  account (*so_far)(void) = (account (*)(void))dlsym(libraries[GENERATED], "nw_account_so_far");
  if (so_far) {
    account a = so_far();
    fprintf(nw_report, "device\t%lld\t%lld\t%s\t%s\t%s\n", a.on_device, a.on_host,
            a.where ? a.where : "-", a.reason ? a.reason : "-", a.device ? a.device : "-");
  }
}
