/* The streams of the CUDA backend: launches, graphs and marks in the order of one caller. Copies
 * are in cuda_copies.c. */
#include <stdlib.h>
#include <string.h>

#include "cuda_backend.h"

static CUstream stream_of(nw_rt_stream *stream) {
  return ((nw_rt_cuda_stream *)stream->backend_data)->stream;
}

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

/* Memory of another device, and of the host where the device does not reach all of it, would end
 * the context. */
int nw_rt_cuda_accepts(nw_rt_stream *stream, nw_rt_handle buffer, const char *name) {
  nw_rt_cuda_data *data = stream->device->backend_data;
  unsigned type = 0;
  int ordinal = -1, reaches_all = 0,
      attributes[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL};
  void *values[] = {&type, &ordinal};
  if (nw_rt_cuda.cuPointerGetAttributes(2, attributes, values, (CUdeviceptr)buffer) != 0)
    return 1; /* unknown: let the kernel speak */
  if (type == CU_MEMORYTYPE_DEVICE && ordinal >= 0 && ordinal != stream->device->index)
    return nw_rt_fail(NW_RT_BAD_REQUEST, "%s is on device %d, not on %s", name, ordinal,
                      stream->device->label);
  nw_rt_cuda.cuDeviceGetAttribute(&reaches_all, CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS,
                                  data->device);
  if (!type && !reaches_all)
    return nw_rt_fail(NW_RT_BAD_REQUEST, "%s is not an address on the device", name);
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

int nw_rt_cuda_launch(nw_rt_stream *stream, nw_rt_handle kernel, const nw_shape *shape,
                      const nw_rt_value *values, int count) {
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
  int is_cooperative = shape->mode == NW_COOPERATIVE;
  if (is_cooperative)
    result =
        nw_rt_cuda.cuLaunchCooperativeKernel(function, grid[0], grid[1], grid[2], block[0],
                                             block[1], block[2], 0, stream_of(stream), parameters);
  else
    result = nw_rt_cuda.cuLaunchKernel(function, grid[0], grid[1], grid[2], block[0], block[1],
                                       block[2], 0, stream_of(stream), parameters, NULL);
  int done =
      nw_rt_cuda_check(result, is_cooperative ? "cuLaunchCooperativeKernel" : "cuLaunchKernel");
  if (result == CUDA_ERROR_INVALID_VALUE || result == CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES ||
      result == CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE)
    nw_rt_failure.kind = NW_RT_BAD_REQUEST;
  return done;
}

int nw_rt_cuda_finish(nw_rt_stream *stream) {
  return NW_RT_CUDA(cuStreamSynchronize, stream_of(stream));
}

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
  return NW_RT_CUDA(cuEventElapsedTime, &milliseconds, (CUevent)first, (CUevent)second)
             ? (double)milliseconds
             : 0;
}

void nw_rt_cuda_unmark(nw_rt_stream *stream, nw_rt_handle mark) {
  (void)stream;
  nw_rt_cuda.cuEventDestroy_v2((CUevent)mark);
}

/* A graph is made node by node, not by recording a stream: other threads may use the stream, and
 * while one is recorded the driver refuses calls of theirs. */
typedef struct graph_in_making {
  CUgraph graph;
  CUgraphNode last; /* NULL: none */
} graph_in_making;

int nw_rt_cuda_graph_begin(nw_rt_stream *stream, nw_rt_handle *making) {
  graph_in_making *made = calloc(1, sizeof *made);
  (void)stream;
  if (!made)
    return nw_rt_fail(NW_RT_OUT_OF_MEMORY, "out of host memory");
  if (!NW_RT_CUDA(cuGraphCreate, &made->graph, 0)) {
    free(made);
    return 0;
  }
  *making = (nw_rt_handle)made;
  return 1;
}

int nw_rt_cuda_graph_add(nw_rt_stream *stream, nw_rt_handle making, nw_rt_handle kernel,
                         const nw_shape *shape, const nw_rt_value *values, int count) {
  graph_in_making *made = (graph_in_making *)making;
  nw_rt_kernel_node what = {.function = (CUfunction)kernel};
  void *parameters[NW_RT_MOST_ARGUMENTS + 1];
  CUgraphNode node = NULL;
  (void)stream;
  for (int i = 0; i < count; ++i)
    memcpy(&parameters[i], &values[i].bytes, sizeof(void *));
  for (int i = 0; i < 3; ++i) {
    what.grid[i] = (unsigned)shape->grid[i];
    what.block[i] = (unsigned)shape->block[i];
  }
  what.parameters = parameters;
  if (!NW_RT_CUDA(cuGraphAddKernelNode, &node, made->graph, &made->last, made->last ? 1 : 0, &what))
    return 0;
  made->last = node;
  int cooperative[16] = {
      1}; /* CUlaunchAttributeValue: 64 bytes, of which this is the first number */
  return shape->mode != NW_COOPERATIVE || NW_RT_CUDA(cuGraphKernelNodeSetAttribute, node,
                                                     CU_LAUNCH_ATTRIBUTE_COOPERATIVE, cooperative);
}

int nw_rt_cuda_graph_end(nw_rt_stream *stream, nw_rt_handle making, int is_whole,
                         nw_rt_handle *graph) {
  graph_in_making *made = (graph_in_making *)making;
  CUgraphExec ready = NULL;
  (void)stream;
  int done = is_whole && NW_RT_CUDA(cuGraphInstantiateWithFlags, &ready, made->graph, 0);
  nw_rt_cuda.cuGraphDestroy(made->graph);
  free(made);
  *graph = (nw_rt_handle)ready;
  return done;
}

int nw_rt_cuda_replay(nw_rt_stream *stream, nw_rt_handle graph) {
  return NW_RT_CUDA(cuGraphLaunch, (CUgraphExec)graph, stream_of(stream));
}

void nw_rt_cuda_forget(nw_rt_stream *stream, nw_rt_handle graph) {
  (void)stream;
  nw_rt_cuda.cuGraphExecDestroy((CUgraphExec)graph);
}
