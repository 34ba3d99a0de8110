// A thread for each row of a large matrix, without the indices as values.
#include "measure.h"

__global__ void scale(int rows, int columns, const float *a, const float *factor, float *b) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows)
    for (int j = 0; j < columns; j++)
      b[row * columns + j] = a[row * columns + j] * factor[row];
}

int main() {
  int rows = sized(16384), columns = sized(4096);
  Values a(size_t(rows) * columns, 1), factor(rows, 2), b(size_t(rows) * columns);
  Times times;
  for (int k = 0; k < runs(); k++) {
    times.start();
    scale<<<(rows + 127) / 128, 128>>>(rows, columns, a.device, factor.device, b.device);
    times.stop();
  }
  return report("rows", times, b.sum());
}
