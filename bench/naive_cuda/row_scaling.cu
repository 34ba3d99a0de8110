// Row-scaling, the example of the paper lite: each thread has a row, so that neighbouring threads touch elements that lie a row apart.
#include "measure.h"
#define SIZE 3000
#define THREADS 256

__global__ void scale(float *a, float *b) {
  int thi = threadIdx.x;
  int bki = blockIdx.x;
  float t = (float)thi + bki;
  if (bki * THREADS + thi >= SIZE)
    return;
  for (int i = 0; i < SIZE; i++)
    b[(bki * THREADS + thi) * SIZE + i] = a[(bki * THREADS + thi) * SIZE + i] * t;
}

int main() {
  Values a(size_t(SIZE) * SIZE, 1), b(size_t(SIZE) * SIZE);
  Times times;
  for (int k = 0; k < runs(); k++) {
    times.start();
    scale<<<(SIZE + THREADS - 1) / THREADS, THREADS>>>(a.device, b.device);
    times.stop();
  }
  return report("row_scaling", times, b.sum());
}
