// B[0] is touched only where the data say so, and nothing certain lies before it: i % 3 == 0 is left out.
// RUN: %nestwarp compile --emit=kernels %s 2>&1 | FileCheck %s
// CHECK: 'B' is touched only under conditions that depend on data{{.*}}NW0208
// CHECK: kernel between_0_step0
void before(short *B, const int index[4], int D[4]) {
  for (int i = 0; i < 3; i++) {
    if (i % 3 == 0)
      continue;
    D[i] = index[i] > 1 ? 7 : B[i / 2];
    B[i] = index[i + 1];
  }
}
// B[1] lies between B[0] and B[2].
void between(int n, const short *restrict B, const int index[n], int D[n]) {
  for (int i = 0; i < n; i++)
    D[i] = B[0] + B[2] + (index[i] > 1 ? B[1] : 0);
}
