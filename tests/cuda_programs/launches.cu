// Launches of all shapes: with fewer threads than there is data, with blocks of three axes, with arrays that overlap, and launches that fail.
// as written: 7
#include "values.h"

__global__ void add_one(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] += 1;
}

__global__ void add_two(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  a[i] += 2;
}

__global__ void shifted(float *to, const float *from, int n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    to[i] = from[i] * 2;
}

__global__ void strides(float *a, int n, int m) {
  for (int y = blockIdx.y * blockDim.y + threadIdx.y; y < n; y += blockDim.y * gridDim.y)
    for (int x = blockIdx.x * blockDim.x + threadIdx.x; x < m; x += blockDim.x * gridDim.x)
      a[y * m + x] = a[y * m + x] * 3 + x - y;
}

__global__ void cube(int *out, const int *in, int n) {
  unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x >= n || y >= n || z >= n)
    return;
  out[(x * n + y) * n + z] = in[(z * n + y) * n + x] + 1;
}

__global__ void row_of_block(int *a, int n) {
  if (threadIdx.x < n)
    a[blockIdx.x * n + threadIdx.x] = a[blockIdx.x * n + threadIdx.x] * 2 + blockIdx.x;
}

__global__ void no_check(int *a) { a[blockIdx.x * blockDim.x + threadIdx.x] += gridDim.x + 100 * blockDim.x; }

template <class T, int N> __global__ void powers(T *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    T p = 1;
    for (int k = 0; k < N; k++) {
      p *= a[i];
      a[n * (k + 1) + i] = p;
    }
  }
}

int main() {
  for (int n : kSizes) {
    Array<float> a(2 * n + 1), square(n * (n + 3)), power(4 * n);
    Array<int> in(n * n * n), out(n * n * n, 2), blocks(n * n);
    add_one<<<(n + 31) / 32, 32>>>(a, n);
    add_two<<<(n + 31) / 32, 32>>>(a, n);
    add_one<<<(n + 31) / 32, 32>>>(a + n, n);
    show("both", n, a);
    add_one<<<1, 16>>>(a, n); // too few
    show("too few", n, a);
    shifted<<<(n + 31) / 32, 32>>>(a + n, a, n);
    shifted<<<n / 32 + 1, 32>>>(a, a, n); // in place
    show("shifted", n, a);
    strides<<<dim3(2, 1), dim3(8, 4)>>>(square, n, n + 3);
    strides<<<dim3(1, 3), dim3(32, 2)>>>(square, n, n + 3);
    show("strides", n, square);
    cube<<<dim3((n + 7) / 8, (n + 3) / 4, (n + 1) / 2), dim3(8, 4, 2)>>>(out, in, n);
    show("cube", n, out);
    row_of_block<<<n, 64>>>(blocks, n);
    show("row_of_block", n, blocks);
    powers<float, 3><<<(n + 63) / 64, 64>>>(power, n);
    powers<float, 2><<<n + 1, 8>>>(power, n);
    show("powers", n, power);
  }
  Array<int> whole(96);
  no_check<<<3, 32>>>(whole);
  no_check<<<1, 96>>>(whole);
  show("no_check", 96, whole);
  Array<float> large(2048);
  add_one<<<1, 2048>>>(large, 2048);
  show("block that is too large", 2048, large);
  add_two<<<2, dim3(32, 2, 65)>>>(large, 2048);
  show("block that is too deep", 2048, large);
}
