/* What the files of the OpenCL backend share: the loaded functions, what they keep for a device,
 * and how a result becomes a failure. */
#ifndef NESTWARP_OPENCL_BACKEND_H
#define NESTWARP_OPENCL_BACKEND_H

#include "device.h"
#include "opencl_api.h"

typedef struct nw_rt_opencl_data {
  cl_platform_id platform;
  cl_device_id device;
  cl_context context;
  int rounds_correctly; /* float division and square root can be correctly rounded */
} nw_rt_opencl_data;

extern nw_rt_opencl_api nw_rt_opencl;

/* Returns 1 if the result is success; records the failure of `call` otherwise. */
int nw_rt_opencl_check(cl_int result, const char *call);
/* Calls a function that returns its result, and checks it. */
#define NW_RT_OPENCL(call, ...) nw_rt_opencl_check(nw_rt_opencl.call(__VA_ARGS__), #call)

/* opencl_streams.c: the functions of nw_rt_backend that take a stream. */
int nw_rt_opencl_open_stream(nw_rt_stream *stream);
int nw_rt_opencl_accepts(nw_rt_stream *stream, nw_rt_handle buffer, const char *name);
int nw_rt_opencl_share_memory(nw_rt_device *device, nw_rt_handle left, size_t left_low,
                              size_t left_high, nw_rt_handle right, size_t right_low,
                              size_t right_high);
int nw_rt_opencl_allocate_in_order(nw_rt_stream *stream, size_t size, nw_rt_handle *buffer);
void nw_rt_opencl_release_in_order(nw_rt_stream *stream, nw_rt_handle buffer);
int nw_rt_opencl_copy_in(nw_rt_stream *stream, nw_rt_handle buffer, size_t offset, const void *host,
                         size_t size);
int nw_rt_opencl_copy_out(nw_rt_stream *stream, nw_rt_handle buffer, size_t offset, void *host,
                          size_t size);
int nw_rt_opencl_copy_within(nw_rt_stream *stream, nw_rt_handle from, size_t from_offset,
                             nw_rt_handle to, size_t to_offset, size_t size);
int nw_rt_opencl_clear(nw_rt_stream *stream, nw_rt_handle buffer, size_t size);
int nw_rt_opencl_launch(nw_rt_stream *stream, nw_rt_handle kernel, const nw_shape *shape,
                        const nw_rt_value *values, int count);
int nw_rt_opencl_finish(nw_rt_stream *stream);
int nw_rt_opencl_mark(nw_rt_stream *stream, nw_rt_handle *mark);
double nw_rt_opencl_between(nw_rt_stream *stream, nw_rt_handle first, nw_rt_handle second);
void nw_rt_opencl_unmark(nw_rt_stream *stream, nw_rt_handle mark);

#endif
