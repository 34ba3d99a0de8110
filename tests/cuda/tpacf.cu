// TPACF, written anew as a naive kernel: each thread compares one point on the sphere with all others and counts angles in bins of its own, a
// row of the result for each thread.
// sizes: threads_x=70 points=65
#define BINS 20

__global__ void tpacf(int points, const float *x, const float *y, const float *z, const float *edges, int *counts) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= points)
    return;
  int own[BINS];
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

void run(int points, float *x, float *y, float *z, float *edges, int *counts) {
  tpacf<<<(points + 127) / 128, 128>>>(points, x, y, z, edges, counts);
}
