// A star reads neither the first nor the last element of the flattened grid: nothing says that they exist, so that they
// must not be copied.
// RUN: %nestwarp compile --emit=kernels %s | FileCheck %s
// CHECK: buffer in elements [1, ((1 + ((long long)m - 2)) + (((long long)n - 1) * (long long)m))) in
void star(int n, int m, const float *in, float *out) {
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < m - 1; j++)
      out[i * m + j] = in[i * m + j - 1] + in[i * m + j + 1] + in[(i - 1) * m + j] + in[(i + 1) * m + j];
}
