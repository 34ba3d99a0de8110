// A triangle: the inner bound is part of the domain, and threads outside it do nothing.
// RUN: %nestwarp compile --emit=program %s | FileCheck --check-prefix=PROGRAM %s
// RUN: %nestwarp compile --emit=cuda %s | FileCheck --check-prefix=CUDA %s
// PROGRAM: S0 for [n] -> { S0[i0, i1] : i0 < n and 0 <= i1 <= i0 }
// CUDA: if ({{.*(i >= j|j <= i).*}})
// CUDA-NEXT: a[{{.*}} + j] = 1;
void f(int n, int a[n][n]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++)
      a[i][j] = 1;
}
