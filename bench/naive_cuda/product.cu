// A product of matrices, a thread for each element of the result.
#include "measure.h"

__global__ void multiply(int n, const float *a, const float *b, float *c) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < n && column < n) {
    float sum = 0;
    for (int k = 0; k < n; k++)
      sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
  }
}

int main() {
  int n = sized(2048);
  Values a(size_t(n) * n, 1), b(size_t(n) * n, 2), c(size_t(n) * n);
  Times times;
  for (int k = 0; k < runs(); k++) {
    times.start();
    multiply<<<dim3((n + 15) / 16, (n + 15) / 16), dim3(16, 16)>>>(n, a.device, b.device, c.device);
    times.stop();
  }
  return report("product", times, c.sum());
}
