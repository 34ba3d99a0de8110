/* Copies between host and device, of the CUDA backend.
 *
 * Memory that the driver cannot address (all that comes from malloc) goes through page-locked
 * pieces: while the device reads one, the host fills the next. One core fills them at less than 10
 * GB/s, and the driver's own way is no faster, so that several threads share a large copy, each
 * with pieces of its own: 41 to 50 GB/s with eight of them on an H200, where the driver alone
 * reached 6 in and 10 out. Memory that is page-locked already is copied as it is. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cuda_backend.h"

enum { PIECES = 2, PIECE_BYTES = 4 << 20, LARGE_COPY = 16 << 20, MOST_COPIERS = 8 };

/* One thread's share of a copy. */
typedef struct nw_rt_cuda_copier {
  char *pieces[PIECES]; /* page-locked */
  CUevent copied[PIECES];
  pthread_t thread;
  CUcontext context;
  CUstream stream;
  CUdeviceptr device;
  char *host;
  size_t size;
  int is_in;
  CUresult result;
  const char *call; /* that failed */
} nw_rt_cuda_copier;

#define CALL(copier, function, ...)                                                                \
  ((copier)->call = #function, ((copier)->result = nw_rt_cuda.function(__VA_ARGS__)) == 0)

/* How many threads share a large copy: one for two cores, since the program has work of its own. */
static int copier_count(void) {
  const char *wanted = getenv("NESTWARP_COPIERS");
  long count = wanted ? atol(wanted) : sysconf(_SC_NPROCESSORS_ONLN) / 2;
  return count < 0 ? 0 : count > MOST_COPIERS ? MOST_COPIERS : (int)count;
}

static int has_pieces(nw_rt_cuda_copier *copier) {
  for (int i = 0; i < PIECES; ++i) {
    void *piece = NULL;
    if (!copier->copied[i] &&
        nw_rt_cuda.cuEventCreate(&copier->copied[i], CU_EVENT_DISABLE_TIMING) != 0)
      return 0;
    if (!copier->pieces[i] && nw_rt_cuda.cuMemHostAlloc(&piece, PIECE_BYTES, 0) != 0)
      return 0;
    if (piece)
      copier->pieces[i] = piece;
  }
  return 1;
}

static size_t piece_bytes(size_t done, size_t size) {
  return size - done < PIECE_BYTES ? size - done : PIECE_BYTES;
}

/* Each piece is filled when the copy that used it before has ended. */
static int copy_in(nw_rt_cuda_copier *c) {
  for (size_t done = 0, i = 0; done < c->size; done += PIECE_BYTES, i = (i + 1) % PIECES) {
    size_t bytes = piece_bytes(done, c->size);
    if (!CALL(c, cuEventSynchronize, c->copied[i]))
      return 0;
    memcpy(c->pieces[i], c->host + done, bytes);
    if (!CALL(c, cuMemcpyHtoDAsync_v2, c->device + done, c->pieces[i], bytes, c->stream) ||
        !CALL(c, cuEventRecord, c->copied[i], c->stream))
      return 0;
  }
  return 1;
}

/* The next piece is on its way while one is emptied. */
static int copy_out(nw_rt_cuda_copier *c) {
  size_t asked = 0;
  for (size_t done = 0, i = 0; done < c->size; done += PIECE_BYTES, i = (i + 1) % PIECES) {
    for (; asked < c->size && asked < done + PIECES * (size_t)PIECE_BYTES; asked += PIECE_BYTES) {
      size_t next = asked / PIECE_BYTES % PIECES;
      if (!CALL(c, cuMemcpyDtoHAsync_v2, c->pieces[next], c->device + asked,
                piece_bytes(asked, c->size), c->stream) ||
          !CALL(c, cuEventRecord, c->copied[next], c->stream))
        return 0;
    }
    if (!CALL(c, cuEventSynchronize, c->copied[i]))
      return 0;
    memcpy(c->host + done, c->pieces[i], piece_bytes(done, c->size));
  }
  return 1;
}

static void *copy_share(void *given) {
  nw_rt_cuda_copier *copier = given;
  if (CALL(copier, cuCtxSetCurrent, copier->context) &&
      (copier->is_in ? copy_in(copier) : copy_out(copier)))
    copier->call = NULL;
  return NULL;
}

/* Copies through `count` threads, the caller's own among them. */
static int copy_shared(nw_rt_cuda_copier *copiers, int count) {
  int started[MOST_COPIERS] = {0}, done = 1;
  for (int i = 1; i < count; ++i)
    started[i] = pthread_create(&copiers[i].thread, NULL, copy_share, &copiers[i]) == 0;
  for (int i = 0; i < count; ++i)
    if (!started[i])
      copy_share(&copiers[i]);
  for (int i = 0; i < count; ++i) {
    if (started[i])
      pthread_join(copiers[i].thread, NULL);
    if (copiers[i].call)
      done = nw_rt_cuda_check(copiers[i].result, copiers[i].call);
  }
  return done;
}

/* Whether the memory is page-locked: the driver knows it. */
static int is_page_locked(const void *host) {
  unsigned type = 0;
  int attribute = CU_POINTER_ATTRIBUTE_MEMORY_TYPE;
  void *values[] = {&type};
  return nw_rt_cuda.cuPointerGetAttributes(1, &attribute, values, (CUdeviceptr)(uintptr_t)host) ==
             0 &&
         type == CU_MEMORYTYPE_HOST;
}

/* Copies in pieces where that is possible and pays; 0: it does not, -1: it failed. */
static int copy_in_pieces(nw_rt_stream *stream, CUdeviceptr device, char *host, size_t size,
                          int is_in) {
  nw_rt_cuda_stream *data = stream->backend_data;
  nw_rt_cuda_data *of_device = stream->device->backend_data;
  int count = size < LARGE_COPY || is_page_locked(host) ? 0 : copier_count();
  if (count && !data->copiers)
    data->copiers = calloc(MOST_COPIERS, sizeof *data->copiers);
  if (!count || !data->copiers)
    return 0;
  size_t each = (size + (size_t)count - 1) / (size_t)count, begin = 0;
  size_t share = (each + PIECE_BYTES - 1) / PIECE_BYTES *
                 PIECE_BYTES; /* the shares together are not less than all */
  for (int i = 0; i < count; ++i, begin += share) {
    nw_rt_cuda_copier *copier = &data->copiers[i];
    if (!has_pieces(copier))
      return 0;
    copier->context = of_device->context;
    copier->stream = data->stream;
    copier->device = device + begin;
    copier->host = host + begin;
    copier->size = begin >= size ? 0 : size - begin < share ? size - begin : share;
    copier->is_in = is_in;
  }
  return copy_shared(data->copiers, count) ? 1 : -1;
}

int nw_rt_cuda_copy_in(nw_rt_stream *stream, nw_rt_handle buffer, size_t offset, const void *host,
                       size_t size) {
  nw_rt_cuda_stream *data = stream->backend_data;
  CUdeviceptr to = (CUdeviceptr)buffer + offset;
  int copied = copy_in_pieces(stream, to, (char *)(uintptr_t)host, size, 1);
  if (copied)
    return copied > 0;
  return NW_RT_CUDA(cuMemcpyHtoDAsync_v2, to, host, size, data->stream) &&
         nw_rt_cuda_finish(stream);
}

int nw_rt_cuda_copy_out(nw_rt_stream *stream, nw_rt_handle buffer, size_t offset, void *host,
                        size_t size) {
  nw_rt_cuda_stream *data = stream->backend_data;
  CUdeviceptr from = (CUdeviceptr)buffer + offset;
  int copied = copy_in_pieces(stream, from, host, size, 0);
  if (copied)
    return copied > 0;
  return NW_RT_CUDA(cuMemcpyDtoHAsync_v2, host, from, size, data->stream) &&
         nw_rt_cuda_finish(stream);
}
