// The part of the CUDA runtime that host code calls. Everything happens at once, on the CPU.
#pragma once
#include "scheduler.h"
#include <type_traits>
#include <utility>

enum cudaError_t {
  cudaSuccess = 0,
  cudaErrorInvalidValue = 1,
  cudaErrorMemoryAllocation = 2,
  cudaErrorInvalidConfiguration = 9,
  cudaErrorInvalidDeviceFunction = 98,
  cudaErrorCooperativeLaunchTooLarge = 720
};
enum cudaMemcpyKind {
  cudaMemcpyHostToHost,
  cudaMemcpyHostToDevice,
  cudaMemcpyDeviceToHost,
  cudaMemcpyDeviceToDevice,
  cudaMemcpyDefault
};
enum cudaDeviceAttr {
  cudaDevAttrMaxThreadsPerBlock = 1,
  cudaDevAttrMaxSharedMemoryPerBlock = 8,
  cudaDevAttrWarpSize = 10,
  cudaDevAttrMultiProcessorCount = 16,
  cudaDevAttrCooperativeLaunch = 95,
  cudaDevAttrMaxSharedMemoryPerBlockOptin = 97
};
enum cudaFuncAttribute {
  cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
  cudaFuncAttributePreferredSharedMemoryCarveout = 9
};
typedef struct nestwarp_stream *cudaStream_t;
typedef struct nestwarp_event *cudaEvent_t;
#define cudaStreamPerThread ((cudaStream_t)2)

cudaError_t cudaMalloc(void **memory, size_t bytes);
template <class T> cudaError_t cudaMalloc(T **memory, size_t bytes) {
  return cudaMalloc((void **)memory, bytes);
}
inline cudaError_t cudaMallocAsync(void **memory, size_t bytes, cudaStream_t) {
  return cudaMalloc(memory, bytes);
}
cudaError_t cudaFree(void *memory);
inline cudaError_t cudaFreeAsync(void *memory, cudaStream_t) { return cudaFree(memory); }
cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind);
cudaError_t cudaMemset(void *memory, int value, size_t bytes);
inline cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind,
                                   cudaStream_t = nullptr) {
  return cudaMemcpy(to, from, bytes, kind);
}
inline cudaError_t cudaMemsetAsync(void *memory, int value, size_t bytes, cudaStream_t = nullptr) {
  return cudaMemset(memory, value, bytes);
}

cudaError_t cudaLaunchKernel(const void *kernel, dim3 grid, dim3 block, void **arguments,
                             size_t dynamicBytes = 0, cudaStream_t = nullptr);
cudaError_t cudaLaunchCooperativeKernel(const void *kernel, dim3 grid, dim3 block, void **arguments,
                                        size_t dynamicBytes = 0, cudaStream_t = nullptr);
cudaError_t cudaFuncSetAttribute(const void *kernel, cudaFuncAttribute attribute, int value);
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *kernel,
                                                          int threads, size_t dynamicBytes);

cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int device);
inline cudaError_t cudaGetDevice(int *device) { return *device = 0, cudaSuccess; }
inline cudaError_t cudaSetDevice(int) { return cudaSuccess; }
typedef struct nw_memory_pool *cudaMemPool_t;
enum cudaMemPoolAttr { cudaMemPoolAttrReleaseThreshold = 4 };
inline cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int) {
  return *pool = nullptr, cudaSuccess;
}
inline cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, cudaMemPoolAttr, void *) {
  return cudaSuccess;
}
inline cudaError_t cudaGetDeviceCount(int *count) { return *count = 1, cudaSuccess; }
inline cudaError_t cudaDeviceSynchronize() { return cudaSuccess; }
inline cudaError_t cudaStreamSynchronize(cudaStream_t) { return cudaSuccess; }
inline cudaError_t cudaStreamCreate(cudaStream_t *stream) { return *stream = nullptr, cudaSuccess; }
inline cudaError_t cudaStreamDestroy(cudaStream_t) { return cudaSuccess; }
inline cudaError_t cudaEventCreate(cudaEvent_t *event) { return *event = nullptr, cudaSuccess; }
inline cudaError_t cudaEventDestroy(cudaEvent_t) { return cudaSuccess; }
inline cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t = nullptr) { return cudaSuccess; }
inline cudaError_t cudaEventSynchronize(cudaEvent_t) { return cudaSuccess; }
inline cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t, cudaEvent_t) {
  return *milliseconds = 0, cudaSuccess;
}
cudaError_t cudaGetLastError();
inline cudaError_t cudaPeekAtLastError() { return cudaSuccess; }
const char *cudaGetErrorString(cudaError_t error);

// ---- kernels are known to the emulation by lines that tests/emulation/run_on_cpu.py adds at the
// end of a text

namespace emulation {

template <class... Parameters, size_t... K>
void callWith(void (*function)(Parameters...), void **arguments, std::index_sequence<K...>) {
  function(*static_cast<std::remove_const_t<Parameters> *>(arguments[K])...);
}

template <class... Parameters> struct Registration {
  Registration(const char *name, void (*function)(Parameters...), const char *parameters,
               int largestBlock) {
    unsigned long long pointers = 0;
    int k = 0;
    ((pointers |= (unsigned long long)std::is_pointer_v<Parameters> << k++), ...);
    auto call = [](const void *f, void **arguments) {
      callWith((void (*)(Parameters...))f, arguments, std::index_sequence_for<Parameters...>());
    };
    add({name, (const void *)function, call, parameters, pointers, largestBlock});
  }
};

// What stands between <<< and >>>. Each thread calls a function that calls the kernel.
class Grid {
public:
  Grid(dim3 grid, dim3 block, size_t dynamicBytes = 0, cudaStream_t = nullptr)
      : grid(grid), block(block), dynamicBytes(dynamicBytes) {}
  template <class Call> void run(Call call) {
    launch(&call, [](const void *f, void **) { (*static_cast<const Call *>(f))(); });
  }

private:
  void launch(const void *function, void (*call)(const void *, void **)) const;
  dim3 grid, block;
  size_t dynamicBytes;
};

} // namespace emulation

#define NESTWARP_KERNEL(name, parameters, largestBlock)                                            \
  static emulation::Registration nestwarp_kernel_##name(#name, &name, parameters, largestBlock);
