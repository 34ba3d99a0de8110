// Reads of what an array held before a loop, which overwrites it later: they are from a copy that is made there, and the loops are parallel.
// RUN: %nestwarp compile --function product --emit=program %s | FileCheck --check-prefix=PROGRAM %s
// RUN: %nestwarp compile --function product --emit=schedule %s | FileCheck --check-prefix=SCHEDULE %s
// RUN: %nestwarp compile --function product --emit=schedule --no-renaming %s | FileCheck --check-prefix=PLAIN %s
// RUN: %nestwarp compile --function product --emit=kernels %s | FileCheck --check-prefix=KERNELS %s
// RUN: %nestwarp compile --function in_time --emit=schedule %s | FileCheck --check-prefix=TIME %s
// RUN: %nestwarp compile --function flat --emit=program %s | FileCheck --check-prefix=FLAT %s
// RUN: %nestwarp compile --function written_before --emit=program %s 2>&1 | FileCheck --check-prefix=HOST %s
// RUN: %nestwarp compile --function no_need --emit=program %s | FileCheck --check-prefix=NONE %s
// RUN: %nestwarp compile --function largest --emit=program %s | FileCheck --check-prefix=REDUCE %s
// RUN: %nestwarp compile --function anew --emit=program %s | FileCheck --check-prefix=ANEW %s
// RUN: %nestwarp compile --function guarded --emit=program %s 2>&1 | FileCheck --check-prefix=HOST %s

// PROGRAM: array float B_before[(long long)m][(long long)n] (memory of its own, for B)
// PROGRAM: T0 for
// PROGRAM-NEXT: B_before[B_0][B_1] = B[B_0][B_1];
// PROGRAM: B[i][j] = (B[i][j] + (A[k][i] * B_before[k][j]));
// PROGRAM: reduction sum into B[i][j]
// SCHEDULE: parallel T0
// SCHEDULE: parallel S0
// SCHEDULE-NEXT: i =
// SCHEDULE-NEXT: j =
// PLAIN: parallel S0
// PLAIN-NEXT: j =
// PLAIN-NEXT: inside
// KERNELS: buffer B_before elements [(long long)n, {{.*}}){{$}}
// KERNELS: checks that A and B do not overlap
// KERNELS-NOT: B_before{{.*}}overlap
void product(int m, int n, float A[m][m], float B[m][n]) {
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++)
      for (int k = i + 1; k < m; k++)
        B[i][j] += A[k][i] * B[k][j];
}

// No wavefront: a copy in each iteration of t.
// TIME: loop t =
// TIME-NEXT: sequence
// TIME-NEXT: parallel T0
// TIME: parallel S0
// TIME-NEXT: i =
void in_time(int s, int n, float a[n]) {
  for (int t = 0; t < s; t++)
    for (int i = 0; i < n - 1; i++)
      a[i] = 0.5f * (a[i] + a[i + 1]);
}

// FLAT: array float A_before[*][(long long)m] (memory of its own, for A)
void flat(int n, int m, float *A) {
  for (int i = 0; i < n - 1; i++)
    for (int j = 0; j < m; j++)
      A[i * m + j] = A[(i + 1) * m + j];
}

// Beside the copy nothing else of a is read: a reduction, unless it begins anew after a NaN.
// REDUCE: a[i] = ((b[i][k] > a[i]) ? b[i][k] : a[i]);
// REDUCE: reduction max into a[i]
void largest(int n, int m, float a[n + 1], float b[n][m]) {
  for (int i = 0; i < n; i++)
    for (int k = 0; k < m; k++)
      if (a[i + 1] > b[i][k])
        a[i] = b[i][k] > a[i] ? b[i][k] : a[i];
}

// ANEW: a[i] = ((a[i] >= b[i][k]) ? a[i] : b[i][k]);
// ANEW-NOT: reduction
void anew(int n, int m, float a[n + 1], float b[n][m]) {
  for (int i = 0; i < n; i++)
    for (int k = 0; k < m; k++)
      if (a[i + 1] > b[i][k])
        a[i] = a[i] >= b[i][k] ? a[i] : b[i][k];
}

// HOST: NW0201
// HOST-NOT: of its own
void written_before(int n, float a[n]) {
  for (int i = 1; i < n - 1; i++)
    a[i] = a[i - 1] + a[i + 1];
}

// What is read under a condition on data need not be there.
void guarded(int n, int a[n], int c[n]) {
  for (int i = 0; i < n - 1; i++)
    if (c[i] > 0)
      a[i] = a[i + 1];
}

// The loops are parallel as they are.
// NONE-NOT: of its own
void no_need(int n, int a[n]) {
  for (int i = 0; i < n / 2; i++)
    a[i] = a[i + n / 2];
}
