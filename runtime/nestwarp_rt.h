/* The runtime that programs compiled by nestwarp link against: it finds a device, moves the arrays
 * of a region, launches kernels and keeps the statistics. Plain C11; needs nothing but a C
 * compiler, libc and dlopen. CUDA (driver and NVRTC) and OpenCL are looked for at run time.
 *
 * A region function made by nestwarp reads like this:
 *
 *   int nw_mm_0(void *A, void *B, long long n) {
 *     nw_range ranges[] = {{"A", A, 0, n * n * 4, NW_IN}, {"B", B, 0, n * n * 4, NW_OUT}};
 *     nw_work work = {2.0 * n * n * n, 1, NW_OFFLOAD_AUTO};
 *     nw_region *region = nw_enter(&nw_module_mm, "mm.c:12", ranges, 2, &work, NULL);
 *     if (!region)
 *       return 0;                          // the caller runs the original loops
 *     nw_arg args[] = {NW_BUFFER(0), NW_BUFFER(1), NW_VALUE(n)};
 *     nw_launch(region, "mm_0_kernel0", &(nw_shape){{gx, gy, gz}, {bx, by, bz}, NW_PLAIN}, args,
 * 3); return nw_leave(region);             // copies out; 0 if anything failed: host data are
 * untouched then
 *   }
 */
#ifndef NESTWARP_RT_H
#define NESTWARP_RT_H

#ifdef __cplusplus
extern "C" {
#endif

/* How bytes of a range move. NW_TEMPORARY: it is the region's own; NW_ZERO: and zero at first.
 * NW_PRESENT: the range is of an OpenACC compute construct; where data directives have put its
 * bytes on the device, it is used there and nothing moves. NW_REQUIRED: it must be
 * (default(present)). NW_DEVICE: `host` is an address on the device (a buffer of OpenCL) already,
 * as OpenACC's deviceptr says. */
enum {
  NW_IN = 1,
  NW_OUT = 2,
  NW_ZERO = 4,
  NW_TEMPORARY = 8,
  NW_PRESENT = 16,
  NW_DEVICE = 32,
  NW_REQUIRED = 64
};

/* The bytes [low, high) around the host address `host` that a region touches; low may be negative.
 * The device buffer begins at offset min(low, 0), so kernels index it as the host indexes the array
 * once they have added -min(low, 0) bytes (nw_shift). high <= low means that nothing is touched. */
typedef struct nw_range {
  const char *name;
  void *host;
  long long low, high;
  int flags;
} nw_range;

enum { NW_OFFLOAD_AUTO = 0, NW_OFFLOAD_ALWAYS = 1 };

/* What the region is about to do, for the decision whether the device pays off. */
typedef struct nw_work {
  double operations;  /* arithmetic operations and memory accesses, all instances together */
  long long launches; /* kernel launches */
  int offload;        /* NW_OFFLOAD_... */
} nw_work;

/* One translation unit's kernels, in both languages. `state` belongs to the runtime. */
typedef struct nw_module {
  const char *file;
  const char *cuda_source;
  const char *opencl_source;
  const char *floating_point; /* "strict", "reduce", "nocontract" or "fast" */
  int line_info;              /* kernels keep the lines of their source, for profilers */
  void *state;
} nw_module;

enum { NW_PLAIN = 0, NW_COOPERATIVE = 1 };

typedef struct nw_shape {
  long long grid[3]; /* blocks */
  int block[3];      /* threads of a block */
  int mode;
} nw_shape;

/* A kernel argument: a buffer of the region (index into the ranges), or a value of any size. */
typedef struct nw_arg {
  int buffer;
  unsigned size;
  const void *value;
} nw_arg;
#define NW_BUFFER(index) {(index), 0, 0}
#define NW_VALUE(variable) {-1, sizeof(variable), &(variable)}

typedef struct nw_region nw_region;

/* Says that the arrays of a region are on the device already: the ranges' `host` are device
 * addresses (CUDA) or buffers (cl_mem), and work is put into the caller's stream (CUstream,
 * cudaStream_t; cl_command_queue). Nothing is copied, nobody waits. NULL in place of it: the arrays
 * are on the host. */
typedef struct nw_on_device {
  void *stream;
} nw_on_device;

/* Opens a region: decides about offloading, compiles the kernels when needed, allocates and copies
 * in. NULL: stay on the host (counted, and said once when the reason is a missing or failing
 * device). */
nw_region *nw_enter(nw_module *module, const char *where, nw_range *ranges, int count,
                    const nw_work *work, const nw_on_device *on_device);

/* Launches are asynchronous and in order. Returns 0 after a failure; every later call on the region
 * is then a no-op and nw_leave returns 0. A grid with a zero extent launches nothing and succeeds.
 */
int nw_launch(nw_region *region, const char *kernel, const nw_shape *shape, const nw_arg *args,
              int count);

/* Copies out, closes the region. 1: done; with the arrays on the device: begun. 0: failed; host
 * data are untouched: run the original loops; arrays on the device may have been written in part.
 */
int nw_leave(nw_region *region);

/* Always 0; counts an execution of a region that stays on the host because a run-time check failed.
 */
int nw_stay(nw_module *module, const char *where, const char *reason,
            const nw_on_device *on_device);

/* Whether two ranges share a byte. */
int nw_overlap(const nw_range *left, const nw_range *right, const nw_on_device *on_device);

/* -min(low, 0): what a kernel adds, in bytes, to the buffer's address to get the address of
 * host[0]. */
long long nw_shift(const nw_range *range);

/* Whether host[0] of a range lies at a multiple of so many bytes on the device, as wide accesses
 * need it. Buffers of OpenCL begin at multiples of more than any access has. */
int nw_aligned(nw_region *region, int buffer, int bytes);

/* 1 when the region's device can run a grid-wide barrier (cooperative launch). */
int nw_has_grid_barrier(nw_region *region);
/* Largest number of blocks of this many threads that are resident together (for cooperative
 * launches). */
long long nw_resident_blocks(nw_region *region, const char *kernel, int threads);
/* Most threads of one block for this kernel on the region's device. */
int nw_block_limit(nw_region *region, const char *kernel);

/* The shape in which a resident kernel (one that loops over barriers itself) best runs: one block
 * where `threads` fit it, a cooperative grid where the device has one and it is not too small for
 * them. 0: neither; the caller launches one kernel per step. `threads` are the work-items wanted by
 * the widest step. */
int nw_resident_shape(nw_region *region, const char *kernel, const long long threads[3],
                      const int block[3], nw_shape *shape);

/* Integer helpers of generated host code: floor division and remainder (divisor > 0). */
static inline long long nw_floor_div(long long a, long long b) {
  return a >= 0 ? a / b : -((-a + b - 1) / b);
}
static inline long long nw_floor_mod(long long a, long long b) {
  return a - b * nw_floor_div(a, b);
}
static inline long long nw_min(long long a, long long b) { return a < b ? a : b; }
static inline long long nw_max(long long a, long long b) { return a > b ? a : b; }

/* OpenACC data: directives of the source as calls. A directive is opened, told its variables one by
 * one, and closed; what `data` began ends when it is closed. Without a device, host and device
 * memory are one, and nothing is done (NULL).
 *
 *   void *data = nw_data_begin("heat.c:12", NW_DATA, 1);
 *   if (data)
 *     nw_data_item(data, NW_COPY, "a[0:n]", a, sizeof a[0], 1, 0ll, (long long)n, -1ll);
 *   ...
 *   nw_data_end(data);
 *
 * A variable that is not on the device though it must be, or only in part, ends the program with a
 * message. */
enum { NW_DATA = 0, NW_ENTER_DATA = 1, NW_EXIT_DATA = 2, NW_UPDATE = 3 };
enum {
  NW_COPYIN = 1,
  NW_COPYOUT = 2,
  NW_COPY = 3,
  NW_CREATE = 4,
  NW_MUST_BE_PRESENT = 5,
  NW_NO_CREATE = 6,
  NW_DELETE = 7,
  NW_UPDATE_HOST = 8,
  NW_UPDATE_DEVICE = 9,
  NW_ALWAYS = 16,
  NW_ZEROED = 32,
  NW_FINALIZE = 64,
  NW_IF_PRESENT = 128 /* added to one of the others */
};
/* NULL where there is nothing to do: `condition` is 0, or there is no device. */
void *nw_data_begin(const char *where, int directive, int condition);
/* The array at `base` of elements of `element` bytes. Then, for each of its dimensions, three
 * numbers (long long) follow: where the section begins, how long it is (-1: to the end) and how
 * long the dimension is (-1: unknown). With 0 dimensions, `element` is the size of all of it; 0:
 * its address is all that is known. */
void nw_data_item(void *data, int kind, const char *name, const void *base, long long element,
                  int dimensions, ...);
void nw_data_end(void *data);
/* Where an address of the host is on the device, for host_data; the address itself where there is
 * no device or, if it need not be present, no entry. A buffer of OpenCL has only its beginning, and
 * nothing can be computed with it: where line `computed_in` of the source would do so, the program
 * ends with a message. 0: no line does. */
void *nw_device_address(const char *where, const char *name, const void *host, int if_present,
                        int computed_in);

/* Around loops of a compute construct that run on the host: meanwhile the host's memory holds what
 * the device's does, for all that is present. Other threads' constructs wait. Nothing for condition
 * 0. */
void nw_host_begin(const char *where, int condition);
void nw_host_end(int condition);
/* In front of them for each device pointer that they use: ends the program with a message where
 * there is a device. */
void nw_needs_device(const char *where, const char *name, int condition);

/* Where the regions of this process ran so far. `where` and `reason` tell of the last one that
 * stayed on the host; NULL if none did. For tools that call compiled code, as `nestwarp check`
 * does. */
typedef struct nw_account {
  long long on_device, on_host;
  const char *where, *reason;
  const char *device; /* the one in use, in words; NULL if none was */
} nw_account;
nw_account nw_account_so_far(void);

/* From now on `listener` is told the time of every region that ends: its place and milliseconds,
 * between the copies in and the copies out. It is called with a lock held and must not call the
 * runtime. For tools, as `nestwarp tune`. */
void nw_listen_for_times(void (*listener)(const char *where, double milliseconds));
/* The device that was used: cuda:0, its name, its driver and compiler; all "" if none was. */
typedef struct nw_device_words {
  const char *label, *name, *version;
} nw_device_words;
nw_device_words nw_device_in_words(void);

/* The context, device and queue (cl_context, cl_device_id, cl_command_queue) in which the runtime
 * works, for programs that keep their arrays in buffers of OpenCL: those must belong to this
 * context. 0: no OpenCL device is in use. */
int nw_opencl(void **context, void **device, void **queue);

/* Lists the devices, one line each, on stdout, in the order of preference; returns their number. */
int nw_list_devices(void);

#ifdef __cplusplus
}
#endif
#endif
