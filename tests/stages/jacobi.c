// A time loop: it stays sequential around two parallel steps, either on the host or in a kernel with barriers.
// RUN: %nestwarp compile --emit=schedule %s | FileCheck --check-prefix=SCHEDULE %s
// RUN: %nestwarp compile --emit=kernels %s | FileCheck --check-prefix=KERNELS %s
// SCHEDULE: loop s = {{.*}} -> [i0]
// SCHEDULE-NEXT: sequence
// SCHEDULE-NEXT: parallel S0
// SCHEDULE: parallel S1
// KERNELS: checks that A and B do not overlap
// KERNELS: resident, profitable if the runtime says so
// KERNELS-NEXT: launch jacobi_0_resident0
// KERNELS-NEXT: else
// KERNELS-NEXT: host loop
// KERNELS: for (int s = 0; (s < t)
// KERNELS: launch jacobi_0_step0
// KERNELS: launch jacobi_0_step1
// KERNELS: kernel jacobi_0_resident0
// KERNELS: for (int s = 0; (s < t)
// KERNELS: B[i
// KERNELS: grid barrier
// KERNELS: A[i
// KERNELS: grid barrier
void jacobi(int t, int n, float A[n], float B[n]) {
  for (int s = 0; s < t; s++) {
    for (int i = 1; i < n - 1; i++)
      B[i] = A[i - 1] + A[i] + A[i + 1];
    for (int i = 1; i < n - 1; i++)
      A[i] = B[i];
  }
}
