// RUN: %nestwarp compile --emit=program %s 2>&1 | FileCheck %s
__device__ int which() {
#if __CUDA_ARCH__ >= 900
  return 1;
#else
  return 2;
#endif
}
// CHECK: nw0123_architecture.cu:2:16: remark: 'which' depends on the architecture that it is compiled for [NW0123]
__global__ void bad(int *a) { a[threadIdx.x] = which(); }

__global__ void good(int *a) { a[threadIdx.x] = 1; }
// CHECK: region {{[0-9]+}} of good
