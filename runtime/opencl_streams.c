/* The streams of the OpenCL backend: in-order queues, with copies, launches and marks. */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "internal.h"
#include "opencl_backend.h"

enum { MOST_EVENTS = 256 };

typedef struct opencl_stream {
  cl_command_queue queue;
  int pending; /* launches whose outcome has not been looked at */
  int failed;  /* a launch has failed since the last finish, whoever asked first */
  cl_event events[MOST_EVENTS];
} opencl_stream;

/* A kernel's arguments are set and used in two steps, and several streams may use one kernel. */
static pthread_mutex_t launching = PTHREAD_MUTEX_INITIALIZER;

/* Whether work in a caller's queue is done in order, in our context. */
static int is_usable(const nw_rt_opencl_data *device, cl_command_queue queue) {
  cl_ulong properties = 0;
  cl_context context = NULL;
  if (!queue)
    return nw_rt_fail(NW_RT_BAD_REQUEST, "arrays in buffers of OpenCL need a queue: it is NULL");
  if (!NW_RT_OPENCL(clGetCommandQueueInfo, queue, CL_QUEUE_PROPERTIES, sizeof properties,
                    &properties, NULL) ||
      !NW_RT_OPENCL(clGetCommandQueueInfo, queue, CL_QUEUE_CONTEXT, sizeof context, &context, NULL))
    return 0;
  if (properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)
    return nw_rt_fail(NW_RT_BAD_REQUEST, "the queue does not keep the order of its commands");
  if (context != device->context)
    return nw_rt_fail(NW_RT_BAD_REQUEST,
                      "the queue belongs to another context than the runtime's (see nw_opencl)");
  return 1;
}

int nw_rt_opencl_open_stream(nw_rt_stream *stream) {
  nw_rt_opencl_data *device = stream->device->backend_data;
  cl_int result = 0;
  if (stream->is_callers && !is_usable(device, stream->callers))
    return 0;
  opencl_stream *data = calloc(1, sizeof *data);
  if (!data)
    return nw_rt_fail(NW_RT_OUT_OF_MEMORY, "out of host memory");
  data->queue = stream->callers;
  if (!data->queue)
    data->queue = nw_rt_opencl.clCreateCommandQueue(device->context, device->device, 0, &result);
  if (!nw_rt_opencl_check(result, "clCreateCommandQueue")) {
    free(data);
    return 0;
  }
  stream->backend_data = data;
  return 1;
}

int nw_rt_opencl_accepts(nw_rt_stream *stream, nw_rt_handle buffer, const char *name) {
  nw_rt_opencl_data *device = stream->device->backend_data;
  cl_context context = NULL;
  if (!NW_RT_OPENCL(clGetMemObjectInfo, (cl_mem)buffer, CL_MEM_CONTEXT, sizeof context, &context,
                    NULL))
    return 0;
  return context == device->context ||
         nw_rt_fail(NW_RT_BAD_REQUEST,
                    "%s belongs to another context than the runtime's (see nw_opencl)", name);
}

/* The buffer that a buffer is part of, itself if of none, and where it begins there. */
static cl_mem whole(cl_mem buffer, size_t *offset) {
  cl_mem parent = NULL;
  *offset = 0;
  if (nw_rt_opencl.clGetMemObjectInfo(buffer, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof parent, &parent,
                                      NULL) ||
      !parent)
    return buffer;
  nw_rt_opencl.clGetMemObjectInfo(buffer, CL_MEM_OFFSET, sizeof *offset, offset, NULL);
  return parent;
}

int nw_rt_opencl_share_memory(nw_rt_device *device, nw_rt_handle left, size_t left_low,
                              size_t left_high, nw_rt_handle right, size_t right_low,
                              size_t right_high) {
  size_t left_offset, right_offset;
  (void)device;
  return whole((cl_mem)left, &left_offset) == whole((cl_mem)right, &right_offset) &&
         left_offset + left_low < right_offset + right_high &&
         right_offset + right_low < left_offset + left_high;
}

int nw_rt_opencl_allocate_in_order(nw_rt_stream *stream, size_t size, nw_rt_handle *buffer) {
  nw_rt_opencl_data *device = stream->device->backend_data;
  cl_int result = 0;
  *buffer = (nw_rt_handle)nw_rt_opencl.clCreateBuffer(device->context, CL_MEM_READ_WRITE, size,
                                                      NULL, &result);
  return nw_rt_opencl_check(result, "clCreateBuffer");
}

/* OpenCL itself keeps the buffer until the launches that use it have finished. */
void nw_rt_opencl_release_in_order(nw_rt_stream *stream, nw_rt_handle buffer) {
  (void)stream;
  nw_rt_opencl.clReleaseMemObject((cl_mem)buffer);
}

int nw_rt_opencl_copy_in(nw_rt_stream *stream, nw_rt_handle buffer, size_t offset, const void *host,
                         size_t size) {
  opencl_stream *data = stream->backend_data;
  return NW_RT_OPENCL(clEnqueueWriteBuffer, data->queue, (cl_mem)buffer, 1, offset, size, host, 0,
                      NULL, NULL);
}

int nw_rt_opencl_copy_out(nw_rt_stream *stream, nw_rt_handle buffer, size_t offset, void *host,
                          size_t size) {
  opencl_stream *data = stream->backend_data;
  return NW_RT_OPENCL(clEnqueueReadBuffer, data->queue, (cl_mem)buffer, 1, offset, size, host, 0,
                      NULL, NULL);
}

int nw_rt_opencl_copy_within(nw_rt_stream *stream, nw_rt_handle from, size_t from_offset,
                             nw_rt_handle to, size_t to_offset, size_t size) {
  opencl_stream *data = stream->backend_data;
  return NW_RT_OPENCL(clEnqueueCopyBuffer, data->queue, (cl_mem)from, (cl_mem)to, from_offset,
                      to_offset, size, 0, NULL, NULL);
}

int nw_rt_opencl_clear(nw_rt_stream *stream, nw_rt_handle buffer, size_t size) {
  opencl_stream *data = stream->backend_data;
  static const unsigned char zero = 0;
  return NW_RT_OPENCL(clEnqueueFillBuffer, data->queue, (cl_mem)buffer, &zero, 1, 0, size, 0, NULL,
                      NULL);
}

/* Waits for the pending launches; fails if one of them failed. */
static int wait_for_launches(opencl_stream *data) {
  if (!data->pending)
    return !data->failed;
  cl_int result = nw_rt_opencl.clWaitForEvents((cl_uint)data->pending, data->events);
  for (int i = 0; i < data->pending; ++i)
    nw_rt_opencl.clReleaseEvent(data->events[i]);
  data->pending = 0;
  if (!nw_rt_opencl_check(result, "clWaitForEvents"))
    data->failed = 1;
  return !data->failed;
}

/* Sets the arguments of a kernel and starts it. */
static int set_and_start(opencl_stream *data, cl_kernel kernel, const nw_shape *shape,
                         const nw_rt_value *values, int count, cl_event *event) {
  size_t global[3], local[3];
  for (int i = 0; i < count; ++i)
    if (!NW_RT_OPENCL(clSetKernelArg, kernel, (cl_uint)i, values[i].size, values[i].bytes))
      return 0;
  for (int i = 0; i < 3; ++i) {
    local[i] = (size_t)shape->block[i];
    global[i] = (size_t)shape->grid[i] * local[i];
  }
  return NW_RT_OPENCL(clEnqueueNDRangeKernel, data->queue, kernel, 3, NULL, global, local, 0, NULL,
                      event);
}

int nw_rt_opencl_launch(nw_rt_stream *stream, nw_rt_handle kernel, const nw_shape *shape,
                        const nw_rt_value *values, int count) {
  opencl_stream *data = stream->backend_data;
  if (data->pending == MOST_EVENTS && !wait_for_launches(data))
    return 0;
  cl_event *event =
      stream->is_callers
          ? NULL
          : &data->events[data->pending]; /* who waits for a queue of its own, looks itself */
  pthread_mutex_lock(&launching);
  int done = set_and_start(data, (cl_kernel)kernel, shape, values, count, event);
  pthread_mutex_unlock(&launching);
  if (!done)
    return 0;
  data->pending += event != NULL;
  nw_rt_opencl.clFlush(data->queue);
  return 1;
}

int nw_rt_opencl_finish(nw_rt_stream *stream) {
  opencl_stream *data = stream->backend_data;
  int launched = wait_for_launches(data);
  data->failed = 0;
  return launched && NW_RT_OPENCL(clFinish, data->queue);
}

/* Marks are times of the host between which the queue was empty: events of a queue without
 * profiling have none. */
int nw_rt_opencl_mark(nw_rt_stream *stream, nw_rt_handle *mark) {
  opencl_stream *data = stream->backend_data;
  struct timespec *now = malloc(sizeof *now);
  if (!now)
    return nw_rt_fail(NW_RT_OUT_OF_MEMORY, "out of host memory");
  if (!wait_for_launches(data) || !NW_RT_OPENCL(clFinish, data->queue)) {
    free(now);
    return 0;
  }
  clock_gettime(CLOCK_MONOTONIC, now);
  *mark = (nw_rt_handle)now;
  return 1;
}

double nw_rt_opencl_between(nw_rt_stream *stream, nw_rt_handle first, nw_rt_handle second) {
  const struct timespec *a = (const struct timespec *)first, *b = (const struct timespec *)second;
  (void)stream;
  return (double)(b->tv_sec - a->tv_sec) * 1e3 + (double)(b->tv_nsec - a->tv_nsec) * 1e-6;
}

void nw_rt_opencl_unmark(nw_rt_stream *stream, nw_rt_handle mark) {
  (void)stream;
  free((void *)mark);
}

int nw_opencl(void **context, void **device, void **queue) {
  nw_rt_device *in_use = nw_rt_device_in_use();
  if (!in_use || in_use->kind == NW_RT_CUDA || !nw_rt_open_device(in_use))
    return 0;
  nw_rt_opencl_data *data = in_use->backend_data;
  static cl_command_queue made;
  static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;
  cl_int result = 0;
  pthread_mutex_lock(&making);
  if (!made)
    made = nw_rt_opencl.clCreateCommandQueue(data->context, data->device, 0, &result);
  pthread_mutex_unlock(&making);
  *context = data->context;
  *device = data->device;
  *queue = made;
  return nw_rt_opencl_check(result, "clCreateCommandQueue");
}
