// Promises that the data keep or break: the two iterations and the element are told.
// RUN: not %nestwarp check -fopenacc --check-promises -q %s --size n=16 > %t; FileCheck %s < %t
// RUN: not %nestwarp check --check-promises -q %s 2>&1 | FileCheck --check-prefix=NONE %s
// RUN: not %nestwarp check -fopenacc --check-promises --poly %s 2>&1 | FileCheck --check-prefix=BOTH %s
// NONE: no loop is promised to be independent; did you mean -fopenacc?
// BOTH: it cannot be combined with --poly or --bundle

void prepare_broken(int n, int key[n], float x[n], float y[n]) {
  for (int i = 0; i < n; i++)
    key[i] = i < 6 ? i : i / 2;
}
// CHECK: broken:
// CHECK: promise broken: iterations i = 3 and i = 6 of the loop in line [[#@LINE+3]] both write y[3]
void broken(int n, int key[n], float x[n], float y[n]) {
#pragma acc parallel loop
  for (int i = 0; i < n; i++)
    y[key[i]] = x[i];
}

void prepare_kept(int n, int key[n], float x[n], float y[n]) {
  for (int i = 0; i < n; i++)
    key[i] = n - 1 - i;
}
// CHECK: kept:
// CHECK: kept: promises hold on these data
void kept(int n, int key[n], float x[n], float y[n]) {
#pragma acc parallel loop
  for (int i = 0; i < n; i++)
    y[key[i]] = x[i] + y[key[i]];
}

void prepare_reading(int n, int key[n], float x[n], float A[n][n]) {
  for (int i = 0; i < n; i++)
    key[i] = i == 5 ? 2 : i;
}
// Of two loops the outer one, and a read.
// CHECK: reading:
// CHECK: promise broken: iterations i = 2 and i = 5 of the loop in line [[#@LINE+3]] write and read A[2][0]
void reading(int n, int key[n], float x[n], float A[n][n]) {
#pragma acc parallel loop collapse(2)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      float two[2] = {x[i], x[j]};
      A[i][j] = A[key[i]][j] + two[0] * two[1];
    }
}
