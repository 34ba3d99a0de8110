// n - 1 of an unsigned n wraps for 0: the model holds under an assumption that is checked when the region runs.
// RUN: %nestwarp compile --emit=program %s | FileCheck --check-prefix=PROGRAM %s
// RUN: %nestwarp compile --emit=kernels %s | FileCheck --check-prefix=KERNELS %s
// PROGRAM: parameter unsigned n = n
// PROGRAM: assuming [n] -> { : n > 0 }
// KERNELS: assumes {{.*}}n >= 1
void f(unsigned n, int a[n]) {
  for (unsigned i = 0; i < n - 1; i++)
    a[i] = 1;
}
