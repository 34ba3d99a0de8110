/* ---- host side: ranges of the user's arrays, copies and launches through OpenCL */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum {
  NW_IN = 1,
  NW_OUT = 2,
  NW_ZERO = 4,
  NW_TEMPORARY = 8,
  NW_PLAIN = 0,
  NW_COOPERATIVE = 1,
  NW_OFFLOAD_AUTO = 0,
  NW_OFFLOAD_ALWAYS = 1
};
typedef struct {
  const char *name;
  void *host;
  long long low, high;
  int flags;
} nw_range;
typedef struct {
  long long grid[3];
  int block[3];
  int mode;
} nw_shape;
typedef struct {
  int buffer;
  unsigned size;
  const void *value;
} nw_arg;
typedef struct {
  double operations;
  long long launches;
  int offload;
} nw_work;
typedef struct {
  void *stream;
} nw_on_device;
typedef struct {
  const char *where;
  nw_range *ranges;
  const nw_on_device *on_device; /* NULL: the arrays are on the host */
  cl_context context;
  cl_command_queue queue;
  cl_program program;
  int count;
  cl_mem *buffers;
  cl_int error;
} nw_region;
#define NW_BUFFER(index) {(index), 0, 0}
#define NW_VALUE(variable) {-1, sizeof(variable), &(variable)}
#define NW_KERNEL(name) #name
#define NW_MODULE() 0

static inline long long nw_min(long long a, long long b) { return a < b ? a : b; }
static inline long long nw_max(long long a, long long b) { return a > b ? a : b; }
static inline long long nw_floor_div(long long a, long long b) {
  return a >= 0 ? a / b : -((-a + b - 1) / b);
}
static inline long long nw_shift(const nw_range *r) { return r->low < 0 ? -r->low : 0; }
/* The buffer that a buffer is part of, itself if of none, and where it begins there. */
static inline cl_mem nw_whole(void *buffer, long long *offset) {
  cl_mem whole = 0;
  size_t begin = 0;
  if (clGetMemObjectInfo((cl_mem)buffer, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof whole, &whole, 0) !=
          CL_SUCCESS ||
      !whole)
    whole = (cl_mem)buffer;
  else
    clGetMemObjectInfo((cl_mem)buffer, CL_MEM_OFFSET, sizeof begin, &begin, 0);
  *offset = (long long)begin;
  return whole;
}
static inline int nw_overlap(const nw_range *a, const nw_range *b, const nw_on_device *on_device) {
  long long i, j;
  if (!a->host || !b->host || a->low >= a->high || b->low >= b->high)
    return 0;
  if (on_device) /* handles are no addresses */
    return nw_whole(a->host, &i) == nw_whole(b->host, &j) && i + a->low < j + b->high &&
           j + b->low < i + a->high;
  const char *x = (const char *)a->host, *y = (const char *)b->host;
  return x + a->low < y + b->high && y + b->low < x + a->high;
}
static inline int nw_stay(int module, const char *where, const char *reason,
                          const nw_on_device *on_device) {
  if (on_device)
    fprintf(stderr, "nestwarp: %s: %s; the work is not done\n", where, reason);
  return (void)module, 0;
}

static const char *const nw_source;
static const char *const nw_options;
/* From nw_enter to nw_leave: regions of this file take turns. */
static pthread_mutex_t nw_lock = PTHREAD_MUTEX_INITIALIZER;

/* The first GPU of any platform, else the first device. */
static cl_device_id nw_find_device(void) {
  cl_platform_id platforms[8];
  cl_device_id device = 0;
  cl_uint count = 0;
  if (clGetPlatformIDs(8, platforms, &count) != CL_SUCCESS)
    return 0;
  for (cl_uint k = 0; k < count && k < 8 && !device; k++)
    if (clGetDeviceIDs(platforms[k], CL_DEVICE_TYPE_GPU, 1, &device, 0) != CL_SUCCESS)
      device = 0;
  for (cl_uint k = 0; k < count && k < 8 && !device; k++)
    if (clGetDeviceIDs(platforms[k], CL_DEVICE_TYPE_ALL, 1, &device, 0) != CL_SUCCESS)
      device = 0;
  return device;
}

/* The kernels, built for a device of a context. Programs are kept (and keep their contexts); the
 * oldest of too many goes. */
static cl_int nw_build(cl_context context, cl_device_id device, cl_program *program) {
  enum { MOST = 8 };
  static struct {
    cl_context context;
    cl_device_id device;
    cl_program program;
  } kept[MOST];
  static int oldest;
  cl_int error = CL_SUCCESS;
  for (int k = 0; k < MOST; k++)
    if (kept[k].program && kept[k].context == context && kept[k].device == device)
      return *program = kept[k].program, CL_SUCCESS;
  *program = clCreateProgramWithSource(context, 1, (const char **)&nw_source, 0, &error);
  if (error != CL_SUCCESS)
    return error;
  error = clBuildProgram(*program, 1, &device, nw_options, 0, 0);
  if (error != CL_SUCCESS)
    return clReleaseProgram(*program), error;
  if (kept[oldest].program)
    clReleaseProgram(kept[oldest].program);
  kept[oldest].context = context;
  kept[oldest].device = device;
  kept[oldest].program = *program;
  oldest = (oldest + 1) % MOST;
  return CL_SUCCESS;
}

/* The queue to work in, with its context and the kernels built for it. */
static int nw_start(nw_region *region) {
  static cl_context own;
  static cl_device_id own_device;
  static cl_command_queue own_queue;
  static int failed;
  cl_device_id device = 0;
  cl_int error = CL_SUCCESS;
  if (region->on_device) {
    cl_command_queue_properties properties = 0;
    region->queue = (cl_command_queue)region->on_device->stream;
    if (!region->queue)
      return nw_stay(0, region->where, "arrays in buffers of OpenCL need a queue: it is NULL",
                     region->on_device);
    error = clGetCommandQueueInfo(region->queue, CL_QUEUE_PROPERTIES, sizeof properties,
                                  &properties, 0);
    if (error == CL_SUCCESS && (properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE))
      return nw_stay(0, region->where, "the queue does not keep the order of its commands",
                     region->on_device); /* kernels wait for the ones before */
    if (error == CL_SUCCESS)
      error = clGetCommandQueueInfo(region->queue, CL_QUEUE_CONTEXT, sizeof region->context,
                                    &region->context, 0);
    if (error == CL_SUCCESS)
      error = clGetCommandQueueInfo(region->queue, CL_QUEUE_DEVICE, sizeof device, &device, 0);
  } else {
    if (!own && !failed) {
      own_device = nw_find_device();
      failed = !own_device;
      if (own_device)
        own = clCreateContext(0, 1, &own_device, 0, 0, &error);
      if (own && error == CL_SUCCESS)
        own_queue = clCreateCommandQueue(own, own_device, 0, &error);
    }
    if (failed)
      return 0;
    region->context = own;
    region->queue = own_queue;
    device = own_device;
  }
  if (error == CL_SUCCESS)
    error = nw_build(region->context, device, &region->program);
  if (error == CL_SUCCESS)
    return 1;
  failed |= !region->on_device;
  fprintf(stderr, "nestwarp: OpenCL error %d; %s\n", (int)error,
          region->on_device ? "the work is not done" : "running the original loops");
  return 0;
}

/* The buffer of a range: the caller's own, or a new one. */
static cl_int nw_buffer(nw_region *region, const nw_range *range, cl_mem *buffer) {
  static const unsigned char zero = 0;
  long long bytes = nw_max(range->high - nw_min(range->low, 0), 1),
            moved = range->high - range->low;
  cl_int error = CL_SUCCESS;
  if (region->on_device && !(range->flags & NW_TEMPORARY)) {
    *buffer = (cl_mem)range->host;
    if (!range->host && range->high > range->low) /* nothing to work on */
      return CL_INVALID_MEM_OBJECT;
    return range->low < 0 ? CL_INVALID_VALUE
                          : CL_SUCCESS; /* a buffer has nothing before its first byte */
  }
  *buffer = clCreateBuffer(region->context, CL_MEM_READ_WRITE, (size_t)bytes, 0, &error);
  if (error == CL_SUCCESS && (range->flags & NW_ZERO))
    error = clEnqueueFillBuffer(region->queue, *buffer, &zero, 1, 0, (size_t)bytes, 0, 0, 0);
  if (error == CL_SUCCESS && (range->flags & NW_IN) && range->host && moved > 0)
    error = clEnqueueWriteBuffer(region->queue, *buffer, CL_TRUE,
                                 (size_t)(nw_shift(range) + range->low), (size_t)moved,
                                 (char *)range->host + range->low, 0, 0, 0);
  return error;
}

/* Whether this is a child of the process that used OpenCL first. The threads of a platform do not
 * survive fork(). */
static inline int nw_is_forked(void) {
  static volatile pid_t first;
  if (!first)
    first = getpid();
  return first != getpid();
}

static inline nw_region *nw_enter(int module, const char *where, nw_range *ranges, int count,
                                  const nw_work *work, const nw_on_device *on_device) {
  if (nw_is_forked())
    return nw_stay(0, where, "the process was forked, and has no device of its own", on_device),
           (nw_region *)0;
  nw_region *region = (nw_region *)calloc(1, sizeof *region);
  cl_mem *buffers = (cl_mem *)calloc((size_t)count, sizeof(cl_mem));
  (void)module, (void)work;
  if (!region || !buffers)
    return free(region), free(buffers), (nw_region *)0;
  region->where = where;
  region->ranges = ranges;
  region->on_device = on_device;
  region->count = count;
  region->buffers = buffers;
  pthread_mutex_lock(&nw_lock);
  if (!nw_start(region)) {
    pthread_mutex_unlock(&nw_lock);
    return free(region), free(buffers), (nw_region *)0;
  }
  for (int k = 0; k < count && region->error == CL_SUCCESS; k++)
    region->error = nw_buffer(region, &ranges[k], &buffers[k]);
  return region;
}

static inline int nw_launch(nw_region *region, const char *name, const nw_shape *shape,
                            const nw_arg *args, int count) {
  size_t global[3], local[3];
  cl_kernel kernel;
  for (int k = 0; k < 3; k++) {
    if (shape->grid[k] <= 0)
      return 1;
    local[k] = (size_t)shape->block[k];
    global[k] = (size_t)shape->grid[k] * local[k];
  }
  if (region->error != CL_SUCCESS)
    return 0;
  kernel = clCreateKernel(region->program, name, &region->error);
  for (int k = 0; k < count && region->error == CL_SUCCESS; k++)
    region->error =
        args[k].buffer >= 0
            ? clSetKernelArg(kernel, (cl_uint)k, sizeof(cl_mem), &region->buffers[args[k].buffer])
            : clSetKernelArg(kernel, (cl_uint)k, args[k].size, args[k].value);
  if (region->error == CL_SUCCESS)
    region->error = clEnqueueNDRangeKernel(region->queue, kernel, 3, 0, global, local, 0, 0, 0);
  if (kernel)
    clReleaseKernel(kernel);
  return region->error == CL_SUCCESS;
}

/* Whether element 0 lies at a multiple of so many bytes; buffers themselves begin at multiples of
 * more. */
static inline int nw_aligned(nw_region *region, int buffer, int bytes) {
  return nw_shift(&region->ranges[buffer]) % bytes == 0;
}

/* Without a barrier across the grid a resident kernel runs in one block, where that is wide enough.
 */
static inline int nw_resident_shape(nw_region *region, const char *kernel, const long long *threads,
                                    const int *block, nw_shape *shape) {
  nw_shape one = {{1, 1, 1}, {block[0], block[1], 1}, NW_PLAIN};
  (void)region, (void)kernel;
  *shape = one;
  return nw_max(threads[0], 1) * nw_max(threads[1], 1) <=
         (block[0] * block[1] < 256 ? 2LL : 6LL) * block[0] * block[1];
}

/* Copies out the ranges that are also copied in (`updated`) or those that are not. *written is set
   before host data that the original loops would read may change. */
static void nw_copy_out(nw_region *region, int updated, int *written) {
  for (int k = 0; k < region->count && region->error == CL_SUCCESS; k++) {
    const nw_range *r = &region->ranges[k];
    if (!(r->flags & NW_OUT) || ((r->flags & NW_IN) != 0) != updated || !r->host ||
        r->high <= r->low)
      continue;
    *written |= updated;
    region->error = clEnqueueReadBuffer(region->queue, region->buffers[k], CL_TRUE,
                                        (size_t)(nw_shift(r) + r->low), (size_t)(r->high - r->low),
                                        (char *)r->host + r->low, 0, 0, 0);
  }
}

/* Ranges that are only written are copied first: a failure there leaves all that the original loops
   read as it was. After a failure in a range that the loops also read, neither its old nor its new
   values can be had. */
static inline int nw_leave(nw_region *region) {
  int written = 0, done;
  cl_int error = region->on_device ? clFlush(region->queue)
                                   : clFinish(region->queue); /* also after an error */
  if (region->error == CL_SUCCESS)
    region->error = error;
  if (!region->on_device) {
    nw_copy_out(region, 0, &written);
    nw_copy_out(region, 1, &written);
  }
  done = region->error == CL_SUCCESS;
  if (!done && written) {
    fprintf(stderr,
            "nestwarp: %s: OpenCL error %d; the results are incomplete and the data can not be "
            "restored: giving up\n",
            region->where, (int)region->error);
    abort();
  }
  if (!done) {
    if (!region->on_device)
      clFinish(region->queue);
    fprintf(stderr, "nestwarp: %s: OpenCL error %d; %s\n", region->where, (int)region->error,
            region->on_device ? "the work is not done" : "running the original loops");
  }
  for (int k = 0; k < region->count; k++)
    if (region->buffers[k] && !(region->on_device && !(region->ranges[k].flags & NW_TEMPORARY)))
      clReleaseMemObject(region->buffers[k]);
  pthread_mutex_unlock(&nw_lock);
  free(region->buffers);
  free(region);
  return done;
}
