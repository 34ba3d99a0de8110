// TPACF: each thread compares one direction with all others and counts angles in bins of its own, a row of the result for each thread.
#include "measure.h"
#define BINS 20

__global__ void tpacf(int points, const float *x, const float *y, const float *z, const float *edges, float *counts) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= points)
    return;
  float own[BINS];
  for (int b = 0; b < BINS; b++)
    own[b] = 0;
  float px = x[t], py = y[t], pz = z[t];
  for (int j = 0; j < points; j++) {
    float dot = px * x[j] + py * y[j] + pz * z[j];
    int bin = 0;
    for (int b = 1; b < BINS; b++)
      bin += dot < edges[b];
    own[bin] += 1;
  }
  for (int b = 0; b < BINS; b++)
    counts[t * BINS + b] = own[b];
}

int main() {
  int points = sized(16384);
  Values x(points, 1), y(points, 2), z(points, 3), edges(BINS, 4), counts(size_t(points) * BINS);
  Times times;
  for (int k = 0; k < runs(); k++) {
    times.start();
    tpacf<<<(points + 127) / 128, 128>>>(points, x.device, y.device, z.device, edges.device, counts.device);
    times.stop();
  }
  return report("tpacf", times, counts.sum());
}
