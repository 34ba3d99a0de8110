/* The streams of the CUDA backend: launches, graphs and marks in the order of one caller. Copies are in cuda_copies.c. */
#include <stdlib.h>
#include <string.h>

#include "cuda_backend.h"

static CUstream stream_of(nw_rt_stream *stream) { return ((nw_rt_cuda_stream *)stream->backend_data)->stream; }

int nw_rt_cuda_open_stream(nw_rt_stream *stream) {
  nw_rt_cuda_stream *data = calloc(1, sizeof *data);
  if (!data)
    return nw_rt_fail(NW_RT_OUT_OF_MEMORY, "out of host memory");
  data->stream = stream->callers;
  if (!stream->is_callers && !NW_RT_CUDA(cuStreamCreate, &data->stream, CU_STREAM_NON_BLOCKING)) {
    free(data);
    return 0;
  }
  stream->backend_data = data;
  return 1;
}

int nw_rt_cuda_allocate_in_order(nw_rt_stream *stream, size_t size, nw_rt_handle *buffer) {
  CUdeviceptr address = 0;
  int done = NW_RT_CUDA(cuMemAllocAsync, &address, size, stream_of(stream));
  *buffer = (nw_rt_handle)address;
  return done;
}

void nw_rt_cuda_release_in_order(nw_rt_stream *stream, nw_rt_handle buffer) {
  nw_rt_cuda.cuMemFreeAsync((CUdeviceptr)buffer, stream_of(stream));
}

int nw_rt_cuda_clear(nw_rt_stream *stream, nw_rt_handle buffer, size_t size) {
  return NW_RT_CUDA(cuMemsetD8Async, (CUdeviceptr)buffer, 0, size, stream_of(stream));
}

int nw_rt_cuda_launch(nw_rt_stream *stream, nw_rt_handle kernel, const nw_shape *shape, const nw_rt_value *values, int count) {
  void *parameters[NW_RT_MOST_ARGUMENTS + 1];
  unsigned grid[3], block[3];
  for (int i = 0; i < count; ++i)
    memcpy(&parameters[i], &values[i].bytes, sizeof(void *)); /* the driver only reads them */
  for (int i = 0; i < 3; ++i) {
    grid[i] = (unsigned)shape->grid[i];
    block[i] = (unsigned)shape->block[i];
  }
  CUfunction function = (CUfunction)kernel;
  CUresult result;
  int is_cooperative = shape->form == NW_COOPERATIVE;
  if (is_cooperative)
    result = nw_rt_cuda.cuLaunchCooperativeKernel(function, grid[0], grid[1], grid[2], block[0], block[1], block[2], 0,
                                                  stream_of(stream), parameters);
  else
    result = nw_rt_cuda.cuLaunchKernel(function, grid[0], grid[1], grid[2], block[0], block[1], block[2], 0,
                                       stream_of(stream), parameters, NULL);
  int done = nw_rt_cuda_check(result, is_cooperative ? "cuLaunchCooperativeKernel" : "cuLaunchKernel");
  if (result == CUDA_ERROR_INVALID_VALUE || result == CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES ||
      result == CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE)
    nw_rt_failure.kind = NW_RT_BAD_REQUEST;
  return done;
}

int nw_rt_cuda_finish(nw_rt_stream *stream) { return NW_RT_CUDA(cuStreamSynchronize, stream_of(stream)); }

int nw_rt_cuda_mark(nw_rt_stream *stream, nw_rt_handle *mark) {
  CUevent event = NULL;
  if (!NW_RT_CUDA(cuEventCreate, &event, 0))
    return 0;
  if (!NW_RT_CUDA(cuEventRecord, event, stream_of(stream))) {
    nw_rt_cuda.cuEventDestroy_v2(event);
    return 0;
  }
  *mark = (nw_rt_handle)event;
  return 1;
}

double nw_rt_cuda_between(nw_rt_stream *stream, nw_rt_handle first, nw_rt_handle second) {
  float milliseconds = 0;
  (void)stream;
  return NW_RT_CUDA(cuEventElapsedTime, &milliseconds, (CUevent)first, (CUevent)second) ? (double)milliseconds : 0;
}

void nw_rt_cuda_unmark(nw_rt_stream *stream, nw_rt_handle mark) {
  (void)stream;
  nw_rt_cuda.cuEventDestroy_v2((CUevent)mark);
}

int nw_rt_cuda_record(nw_rt_stream *stream) {
  return NW_RT_CUDA(cuStreamBeginCapture_v2, stream_of(stream), CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
}

int nw_rt_cuda_recorded(nw_rt_stream *stream, nw_rt_handle *graph) {
  CUgraph recorded = NULL;
  CUgraphExec made = NULL;
  int done = NW_RT_CUDA(cuStreamEndCapture, stream_of(stream), &recorded) && recorded &&
             NW_RT_CUDA(cuGraphInstantiateWithFlags, &made, recorded, 0);
  if (recorded)
    nw_rt_cuda.cuGraphDestroy(recorded);
  *graph = (nw_rt_handle)made;
  return done;
}

int nw_rt_cuda_replay(nw_rt_stream *stream, nw_rt_handle graph) {
  return NW_RT_CUDA(cuGraphLaunch, (CUgraphExec)graph, stream_of(stream));
}

void nw_rt_cuda_forget(nw_rt_stream *stream, nw_rt_handle graph) {
  (void)stream;
  nw_rt_cuda.cuGraphExecDestroy((CUgraphExec)graph);
}
