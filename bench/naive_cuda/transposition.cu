// A transposition whose stores are a row apart.
#include "measure.h"

__global__ void transpose(int n, const float *in, float *out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < n && y < n)
    out[x * n + y] = in[y * n + x];
}

int main() {
  int n = sized(8192);
  Values in(size_t(n) * n, 1), out(size_t(n) * n);
  Times times;
  for (int k = 0; k < runs(); k++) {
    times.start();
    transpose<<<dim3((n + 31) / 32, (n + 7) / 8), dim3(32, 8)>>>(n, in.device, out.device);
    times.stop();
  }
  return report("transposition", times, out.sum());
}
