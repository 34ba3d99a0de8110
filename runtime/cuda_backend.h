/* What the files of the CUDA backend share: the loaded functions, what they keep for a device and a
 * stream, and how a result of the driver becomes a failure. */
#ifndef NESTWARP_CUDA_BACKEND_H
#define NESTWARP_CUDA_BACKEND_H

#include "cuda_api.h"
#include "device.h"

typedef struct nw_rt_cuda_data {
  CUdevice device;
  CUcontext context;
  int architecture; /* compute capability, as in sm_90 */
} nw_rt_cuda_data;

typedef struct nw_rt_cuda_stream {
  CUstream stream;
  struct nw_rt_cuda_copier *copiers; /* see cuda_copies.c; NULL: none yet */
} nw_rt_cuda_stream;

extern nw_rt_cuda_api nw_rt_cuda;

/* The driver's words for a result. */
const char *nw_rt_cuda_words(CUresult result);
/* Returns 1 if the result is success; records the failure of `call` otherwise. */
int nw_rt_cuda_check(CUresult result, const char *call);
/* Calls a function of the driver and checks it. */
#define NW_RT_CUDA(call, ...) nw_rt_cuda_check(nw_rt_cuda.call(__VA_ARGS__), #call)

/* cuda_compile.c */

/* Whether NVRTC is there; its version, or zeros. */
int nw_rt_cuda_has_compiler(int *major, int *minor);
/* The functions of nw_rt_backend. */
void nw_rt_cuda_options(nw_rt_device *device, const char *floating_point, int line_info, char *text,
                        size_t size);
int nw_rt_cuda_compile(nw_rt_device *device, const char *file, const char *source,
                       const char *options, nw_rt_handle *program, void **binary, size_t *size,
                       char **log);
int nw_rt_cuda_load(nw_rt_device *device, const char *options, const void *binary, size_t size,
                    nw_rt_handle *program);

/* cuda_streams.c: the functions of nw_rt_backend that take a stream. */
int nw_rt_cuda_open_stream(nw_rt_stream *stream);
int nw_rt_cuda_allocate_in_order(nw_rt_stream *stream, size_t size, nw_rt_handle *buffer);
void nw_rt_cuda_release_in_order(nw_rt_stream *stream, nw_rt_handle buffer);
int nw_rt_cuda_clear(nw_rt_stream *stream, nw_rt_handle buffer, size_t size);
int nw_rt_cuda_launch(nw_rt_stream *stream, nw_rt_handle kernel, const nw_shape *shape,
                      const nw_rt_value *values, int count);
int nw_rt_cuda_finish(nw_rt_stream *stream);
int nw_rt_cuda_mark(nw_rt_stream *stream, nw_rt_handle *mark);
double nw_rt_cuda_between(nw_rt_stream *stream, nw_rt_handle first, nw_rt_handle second);
void nw_rt_cuda_unmark(nw_rt_stream *stream, nw_rt_handle mark);
int nw_rt_cuda_accepts(nw_rt_stream *stream, nw_rt_handle buffer, const char *name);
int nw_rt_cuda_graph_begin(nw_rt_stream *stream, nw_rt_handle *making);
int nw_rt_cuda_graph_add(nw_rt_stream *stream, nw_rt_handle making, nw_rt_handle kernel,
                         const nw_shape *shape, const nw_rt_value *values, int count);
int nw_rt_cuda_graph_end(nw_rt_stream *stream, nw_rt_handle making, int is_whole,
                         nw_rt_handle *graph);
int nw_rt_cuda_replay(nw_rt_stream *stream, nw_rt_handle graph);
void nw_rt_cuda_forget(nw_rt_stream *stream, nw_rt_handle graph);

/* cuda_copies.c: two more of them. */
int nw_rt_cuda_copy_in(nw_rt_stream *stream, nw_rt_handle buffer, size_t offset, const void *host,
                       size_t size);
int nw_rt_cuda_copy_out(nw_rt_stream *stream, nw_rt_handle buffer, size_t offset, void *host,
                        size_t size);

#endif
