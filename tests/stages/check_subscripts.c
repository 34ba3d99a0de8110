// check makes up subscripts that are inside of arrays; where it cannot, it says that the original leaves them.
// RUN: %nestwarp check -q %s --function pick --size n=40 --size m=11 | FileCheck --check-prefix=PICK %s
// RUN: %nestwarp check -q %s --function rows --size n=40 --size count=90 --size m=7 | FileCheck --check-prefix=ROWS %s
// RUN: %nestwarp check -q %s --function fortran --size n=40 --size m=11 | FileCheck --check-prefix=FORTRAN %s
// RUN: %nestwarp check -q %s --function lengths --size n=40 --size m=11 | FileCheck --check-prefix=LENGTHS %s
// RUN: %nestwarp check -q %s --function sums --size n=40 --size m=5 | FileCheck --check-prefix=SUMS %s
// RUN: not %nestwarp check -q %s --function beyond --size n=40 > %t; FileCheck --check-prefix=BEYOND %s < %t
// RUN: not %nestwarp check -q %s --function shorter --size n=33 > %t; FileCheck --check-prefix=SHORTER %s < %t
// RUN: %nestwarp check -q %s --function shorter --size n=32 | FileCheck --check-prefix=FITS %s
// RUN: not %nestwarp check -q %s --function moved --size n=9 --size m=7 > %t; FileCheck --check-prefix=MOVED %s < %t
// RUN: %nestwarp check -q --poly %s --function rows --size n=9 --size count=12 --size m=7 | FileCheck --check-prefix=POLY %s

// PICK: pick: same
void pick(int n, int m, int A[n][m], float B[n][m], float C[n][m]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      C[i][j] = B[i][A[i][j]];
}

// ROWS: rows: same
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

// FORTRAN: fortran: same
void fortran(int n, int m, int index[n], float x[m], float y[n]) {
  for (int i = 0; i < n; i++) {
    int at = index[i] - 1;
    y[i] = 2 * x[at];
  }
}

// LENGTHS: lengths: same
void lengths(int n, int m, int length[n], float A[n][m], float y[n]) {
  for (int i = 0; i < n; i++) {
    y[i] = 0;
    for (int j = 0; j < length[i]; j++)
      y[i] += A[i][j];
  }
}

// Two data in one subscript: each is inside, and their sum has to be, too.
// SUMS: sums: same
void sums(int n, int m, int a[n], int b[n], float x[m], float y[n]) {
  for (int i = 0; i < n; i++)
    y[i] = x[a[i] + b[i]];
}

// BEYOND: beyond: not checked: on made-up data the original itself leaves an array: few[(int)(100 * z[i])] in line [[#@LINE+5]] has the subscript {{-?[0-9]+}}, and there are 8 elements
// BEYOND-NOT: DIFFERENT
static float few[8];
void beyond(int n, float z[n], float y[n]) {
  for (int i = 0; i < n; i++)
    y[i] = few[(int)(100 * z[i])];
}

// SHORTER: shorter: not checked: on made-up data the original itself leaves an array: table[i] in line [[#@LINE+5]] has the subscript 32, and there are 32 elements
// FITS: shorter: same
static float table[32];
void shorter(int n, float y[n]) {
  for (int i = 0; i < n; i++)
    y[i] = 3 * table[i];
}

// The pointer is another one for each row, and all rows but the last have an element after them.
// MOVED: moved: not checked: on made-up data the original itself leaves an array: row[j] in line [[#@LINE+7]] has the subscript 7, and there are 7 elements
void moved(int n, int m, float A[n][m], float y[n]) {
  for (int i = 0; i < n; i++)
    y[i] = A[i][0];
  for (int i = 0; i < n; i++) {
    const float *row = A[i];
    for (int j = 0; j <= m; j++)
      y[i] = y[i] + row[j];
  }
}
