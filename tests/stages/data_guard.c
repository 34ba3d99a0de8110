// Conditions and subscripts that depend on data: the write may happen, the old values are copied in, and all of the
// table goes to the device.
// RUN: %nestwarp compile --emit=program %s | FileCheck --check-prefix=PROGRAM %s
// RUN: %nestwarp compile --emit=kernels %s | FileCheck --check-prefix=KERNELS %s
// PROGRAM: if ((key[i] > 0))
// PROGRAM: may write {{.*}}S0[i0] -> a[i0]
// PROGRAM: reads {{.*}}-> table[
// KERNELS: buffer a elements {{.*}} in out
// KERNELS: buffer table elements [0, 256) in{{$}}
static int table[256];
void f(int n, const int key[n], int a[n]) {
  for (int i = 0; i < n; i++)
    if (key[i] > 0)
      a[i] = table[key[i] & 255];
}
