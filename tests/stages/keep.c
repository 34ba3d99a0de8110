// Elements that a loop updates are in registers meanwhile: kernels say which, a pass makes the registers, under names that nothing else has.
// RUN: %nestwarp compile --emit=kernels %s --device=h200 --function sums | FileCheck --check-prefix=NODE %s
// RUN: %nestwarp compile --emit=kernels@keep %s --device=h200 --function sums | FileCheck --check-prefix=MADE %s
// RUN: %nestwarp compile --emit=cuda %s --device=h200 --function sized | FileCheck --check-prefix=SIZED %s

// NODE: keep a[i] in registers where (0 < m)
// NODE-NEXT: for (int j = 0; (j < m); j += 1) {
// NODE-NEXT: a[i] = (a[i] + (b[j] * c[i]));
// MADE: if ((0 < m)) {
// MADE-NEXT: float a_kept = a[i];
// MADE-NEXT: for (int j = 0; (j < m); j += 1) {
// MADE-NEXT: a_kept = (a_kept + (b[j] * c[i]));
// MADE: a[i] = a_kept;
void sums(int n, int m, float a[n], float b[m], float c[n]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      a[i] += b[j] * c[i];
}

// The size of a row is called as the register would be.
// SIZED: int a_kept1 = a[i];
// SIZED: a_kept1 = a_kept1 + b[(long long)i * a_kept + j];
void sized(int n, int m, int a_kept, int a[n], int b[n][a_kept]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      a[i] += b[i][j];
}
