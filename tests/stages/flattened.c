// Flattened subscripts with a symbolic stride: two dimensions are recovered, provided that rows do not overlap.
// RUN: %nestwarp compile --emit=program %s | FileCheck --check-prefix=PROGRAM %s
// RUN: %nestwarp compile --emit=kernels %s | FileCheck --check-prefix=KERNELS %s
// PROGRAM: array float a[*][(long long)ld], one subscript in the source (restrict pointer)
// PROGRAM: assuming {{.*}}m <= ld
// PROGRAM: writes {{.*}}S0[i0, i1] -> a[i0, i1]
// PROGRAM: reads {{.*}}S0[i0, i1] -> b[i0, i1]
// KERNELS: assumes {{.*}}(long long)ld >= (long long)m
// KERNELS: kernel scale_0_step0 (j along threads{{.*}}over i
void scale(int n, int m, int ld, float *restrict a, const float *restrict b) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      a[i * ld + j] = 2 * b[i * ld + j];
}
