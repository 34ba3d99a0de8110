// A thread for each row, which it adds up.
#include "measure.h"

__global__ void sums(int rows, int columns, const float *a, float *sum) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows)
    return;
  float s = 0;
  for (int j = 0; j < columns; j++)
    s += a[row * columns + j];
  sum[row] = s;
}

int main() {
  int rows = sized(16384), columns = sized(4096);
  Values a(size_t(rows) * columns, 1), sum(rows);
  Times times;
  for (int k = 0; k < runs(); k++) {
    times.start();
    sums<<<(rows + 127) / 128, 128>>>(rows, columns, a.device, sum.device);
    times.stop();
  }
  return report("row_sums", times, sum.sum());
}
