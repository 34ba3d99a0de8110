// Stands for the CUDA runtime where there is no GPU: buffers are on the host, the kernel of update.c is a loop, and copies
// to the host are done when somebody waits. The copy to the host number FAIL_COPY fails.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime_api.h>
#include <vector>

namespace {

struct Copy {
  void *to;
  const void *from;
  size_t bytes;
};
std::vector<Copy> underWay;

struct AtEnd {
  ~AtEnd() { std::fprintf(stderr, "%zu copies under way\n", underWay.size()); }
} atEnd;

} // namespace

extern "C" {

cudaError_t cudaMallocAsync(void **buffer, size_t bytes, cudaStream_t) { return *buffer = std::malloc(bytes), cudaSuccess; }
cudaError_t cudaFreeAsync(void *, cudaStream_t) { return cudaSuccess; }
cudaError_t cudaMemsetAsync(void *buffer, int value, size_t bytes, cudaStream_t) { return std::memset(buffer, value, bytes), cudaSuccess; }

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind, cudaStream_t) {
  static int copies;
  const char *failing = std::getenv("FAIL_COPY");
  if (kind == cudaMemcpyHostToDevice)
    return std::memcpy(to, from, bytes), cudaSuccess;
  if (failing && ++copies == std::atoi(failing))
    return cudaErrorIllegalAddress;
  underWay.push_back({to, from, bytes});
  return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t) {
  for (const Copy &c : underWay)
    std::memcpy(c.to, c.from, c.bytes);
  underWay.clear();
  return cudaSuccess;
}

cudaError_t cudaLaunchKernel(const void *, dim3, dim3, void **args, size_t, cudaStream_t) {
  int *a = *(int **)args[0], *b = *(int **)args[1], *c = *(int **)args[2];
  for (int i = 0; i < *(int *)args[3]; i++) {
    a[i] = a[i] * 2 + 1;
    c[i] = a[i] + i;
    b[i] = b[i] * 3 + 1;
  }
  return cudaSuccess;
}

cudaError_t cudaLaunchCooperativeKernel(const void *, dim3, dim3, void **, size_t, cudaStream_t) { return cudaErrorNotSupported; }
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *, const void *, int, size_t) { return cudaErrorNotSupported; }
cudaError_t cudaGetDevice(int *device) { return *device = 0, cudaSuccess; }
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int) { return *pool = nullptr, cudaSuccess; }
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, cudaMemPoolAttr, void *) { return cudaSuccess; }
cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr, int) { return *value = 1, cudaSuccess; }
const char *cudaGetErrorString(cudaError_t) { return "made to fail"; }

// What nvcc's own stubs refer to, of this and that version.
void **__cudaRegisterFatBinary(void *) { return nullptr; }
void __cudaRegisterFatBinaryEnd(void **) {}
void __cudaUnregisterFatBinary(void **) {}
void __cudaRegisterFunction(void **, const char *, char *, const char *, int, void *, void *, void *, void *, int *) {}
unsigned __cudaPushCallConfiguration(dim3, dim3, size_t, void *) { return 0; }
cudaError_t __cudaPopCallConfiguration(dim3 *, dim3 *, size_t *, void *) { return cudaSuccess; }
char __cudaInitModule(void **) { return 0; }
cudaError_t __cudaGetKernel(void *, const void *) { return cudaErrorNotSupported; }
cudaError_t __cudaLaunchKernel(void *, dim3, dim3, void **, size_t, cudaStream_t) { return cudaErrorNotSupported; }

} // extern "C"
