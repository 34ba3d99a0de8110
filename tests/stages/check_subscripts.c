// check makes up subscripts that are inside of arrays; where it cannot, it says that the original leaves them.
// Two sizes: shorter leaves its array for the first alone.
// RUN: not %nestwarp check -q %s --size n=33,32 --size count=90 --size m=11 > %t
// RUN: FileCheck --implicit-check-not=DIFFERENT %s < %t
// RUN: %nestwarp check -q --poly %s --function rows --size n=9 --size count=12 --size m=7 | FileCheck --check-prefix=POLY %s

// CHECK: pick (n=33): same
// CHECK-NEXT: pick (n=32): same
void pick(int n, int m, int A[n][m], float B[n][m], float C[n][m]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      C[i][j] = B[i][A[i][j]];
}

// CHECK: rows (n=33): same
// CHECK-NEXT: rows (n=32): same
// POLY: rows: all dependences kept
void rows(int n, int count, int m, int start[n + 1], int column[count],
          float value[count], float x[m], float y[n]) {
  for (int i = 0; i < n; i++) {
    float sum = 0;
    for (int k = start[i]; k < start[i + 1]; k++)
      sum += value[k] * x[column[k]];
    y[i] = sum;
  }
}

// CHECK: fortran (n=33): same
// CHECK-NEXT: fortran (n=32): same
void fortran(int n, int m, int index[n], float x[m], float y[n]) {
  for (int i = 0; i < n; i++) {
    int at = index[i] - 1;
    y[i] = 2 * x[at];
  }
}

// CHECK: lengths (n=33): same
// CHECK-NEXT: lengths (n=32): same
void lengths(int n, int m, int length[n], float A[n][m], float y[n]) {
  for (int i = 0; i < n; i++) {
    y[i] = 0;
    for (int j = 0; j < length[i]; j++)
      y[i] += A[i][j];
  }
}

// Two data in one subscript: each is inside, and their sum has to be, too.
// CHECK: sums (n=33): same
// CHECK-NEXT: sums (n=32): same
void sums(int n, int m, int a[n], int b[n], float x[m], float y[n]) {
  for (int i = 0; i < n; i++)
    y[i] = x[a[i] + b[i]];
}

// CHECK-NEXT: beyond (n=33): not checked: on made-up data the original itself leaves an array: few[(int)(100 * z[i])] in line [[#@LINE+5]] has the subscript {{-?[0-9]+}}, and there are 8 elements
// CHECK-NEXT: beyond (n=32): not checked
static float few[8];
void beyond(int n, float z[n], float y[n]) {
  for (int i = 0; i < n; i++)
    y[i] = few[(int)(100 * z[i])];
}

// CHECK-NEXT: shorter (n=33): not checked: on made-up data the original itself leaves an array: table[i] in line [[#@LINE+5]] has the subscript 32, and there are 32 elements
// CHECK-NEXT: shorter (n=32): same
static float table[32];
void shorter(int n, float y[n]) {
  for (int i = 0; i < n; i++)
    y[i] = 3 * table[i];
}

// The pointer is another one for each row, and all rows but the last have an element after them.
// CHECK-NEXT: moved (n=33): not checked: on made-up data the original itself leaves an array: row[j] in line [[#@LINE+7]] has the subscript 11, and there are 11 elements
void moved(int n, int m, float A[n][m], float y[n]) {
  for (int i = 0; i < n; i++)
    y[i] = A[i][0];
  for (int i = 0; i < n; i++) {
    const float *row = A[i];
    for (int j = 0; j <= m; j++)
      y[i] = y[i] + row[j];
  }
}
