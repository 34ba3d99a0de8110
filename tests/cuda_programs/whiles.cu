// Loops that go on by as many threads as there are, as while loops and as for loops whose counter has begun before; and those that only look so.
// as written: 4
#include "values.h"

__global__ void add(int n, const float *a, const float *b, float *c) {
  int tid = threadIdx.x + blockIdx.x * blockDim.x;
  while (tid < n) {
    c[tid] = a[tid] + b[tid];
    tid += blockDim.x * gridDim.x;
  }
}

__global__ void begun(int n, const float *a, float *c) {
  unsigned i = threadIdx.x + blockIdx.x * blockDim.x;
  for (; i < n; i += blockDim.x * gridDim.x)
    c[i] = a[i] * 2;
}

__global__ void of_block(int n, const float *a, float *c) {
  int row = blockIdx.x;
  while (row < n) {
    int i = threadIdx.x;
    while (i < n) {
      c[row * n + i] = a[row * n + i] + row;
      i = i + blockDim.x;
    }
    row = gridDim.x + row;
  }
}

// The second goes on where the first ended.
__global__ void twice(int n, const float *a, float *c) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  while (i < n / 2) {
    c[i] = a[i];
    i += blockDim.x * gridDim.x;
  }
  while (i < n) {
    c[i] = -a[i];
    i += blockDim.x * gridDim.x;
  }
}

// Goes on further now and then.
__global__ void jumps(int n, const float *a, float *c) {
  int i = threadIdx.x;
  while (i < n) {
    c[i] = a[i];
    if (a[i] > 15)
      i += blockDim.x;
    i += blockDim.x;
  }
}

__global__ void skips(int n, const float *a, float *c) {
  int i = threadIdx.x;
  for (; i < n; i += blockDim.x) {
    if (a[i] > 15)
      continue;
    c[i] = a[i];
  }
}

__global__ void leaves(int n, const float *a, float *c) {
  int i = threadIdx.x;
  while (i < n) {
    if (a[i] > 15)
      break;
    c[i] = a[i];
    i += blockDim.x;
  }
}

int main() {
  Array<float> a(40 * 40), b(40 * 40, 2), c(40 * 40, 3);
  add<<<3, 32>>>(900, a, b, c);
  show("add", 900, c);
  begun<<<3, 32>>>(700, b, c);
  show("begun", 700, c);
  of_block<<<3, 16>>>(40, a, c);
  show("of_block", 40, c);
  twice<<<2, 32>>>(500, b, c);
  show("twice", 500, c);
  jumps<<<1, 32>>>(300, a, c);
  show("jumps", 300, c);
  skips<<<1, 32>>>(300, b, c);
  show("skips", 300, c);
  leaves<<<1, 32>>>(300, a, c);
  show("leaves", 300, c);
}
