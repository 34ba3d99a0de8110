// What a thread loads before a loop stays before it where the loop's iterations hold together anyway: here they count in an array of the thread's own.
// RUN: %nestwarp compile -q --emit=program %s | FileCheck %s
// CHECK: v = x[row];
// CHECK: own[bin] = (own[bin] + {{.*}}1);
__global__ void bins(int n, const float *x, float *counts) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n)
    return;
  float own[4];
  for (int b = 0; b < 4; b++)
    own[b] = 0;
  float v = x[row];
  for (int j = 0; j < n; j++) {
    int bin = 0;
    for (int b = 1; b < 4; b++)
      bin += v * x[j] < b;
    own[bin] += 1;
  }
  for (int b = 0; b < 4; b++)
    counts[row * 4 + b] = own[b];
}
