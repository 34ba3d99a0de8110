// A scalar that every iteration sets before it reads it gets a copy per iteration: the loop is parallel.
// RUN: %nestwarp compile --emit=program %s | FileCheck --check-prefix=PROGRAM %s
// RUN: %nestwarp compile --emit=schedule %s | FileCheck --check-prefix=SCHEDULE %s
// RUN: %nestwarp compile --emit=cuda %s | FileCheck --check-prefix=CUDA %s
// PROGRAM: array int [[T:t[_a-z]*]] (private to 1 loops)
// PROGRAM: writes {{.*}}S0[i0] -> [[T]][i0]
// SCHEDULE: parallel S0 S1
// CUDA: __global__
// CUDA-NOT: *{{.*}}t_p
// CUDA: int t_p
void f(int n, int a[n], int b[n]) {
  int t;
  for (int i = 0; i < n; i++) {
    t = a[i] * a[i];
    b[i] = t + i;
  }
}
