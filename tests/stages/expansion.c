// A row that each iteration sets anew has elements for each iteration: loops around it are parallel. What the last one leaves is copied to the row.
// RUN: %nestwarp compile --function rows --emit=program %s | FileCheck --check-prefix=PROGRAM %s
// RUN: %nestwarp compile --function rows --emit=schedule %s | FileCheck --check-prefix=SCHEDULE %s
// RUN: %nestwarp compile --function rows --emit=kernels %s | FileCheck --check-prefix=KERNELS %s
// RUN: %nestwarp compile --function unseen --emit=program %s | FileCheck --check-prefix=UNSEEN %s
// RUN: %nestwarp compile --function shorter --emit=program %s | FileCheck --check-prefix=SHORTER %s
// RUN: %nestwarp compile --function carried --emit=program %s | FileCheck --check-prefix=NONE %s
// RUN: %nestwarp compile --function perhaps --emit=program %s | FileCheck --check-prefix=NONE %s
// RUN: %nestwarp compile --function large --emit=program %s | FileCheck --check-prefix=NONE %s

// PROGRAM: array float row_each[(long long)n][(long long)m] (memory of its own, for row)
// PROGRAM: row_each[i][j] = (A[i][j] * (float)2);
// PROGRAM: A[i][j_2] = (row_each[i][j_2] + row_each[i][{{.*}}]);
// PROGRAM: T0[-1 + n, i1]
// PROGRAM-NEXT: row[row_1] = row_each[row_0][row_1];
// SCHEDULE: parallel S0
// SCHEDULE-NEXT: i =
// SCHEDULE-NEXT: j =
// SCHEDULE: parallel S1
// SCHEDULE-NEXT: i =
// SCHEDULE: parallel T0
// KERNELS: buffer row elements [0, {{.*}} out
// KERNELS: buffer row_each elements [0, {{.*}}){{$}}
void rows(int n, int m, float A[n][m], float row[m]) {
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < m; j++)
      row[j] = A[i][j] * 2;
    for (int j = 0; j < m; j++)
      A[i][j] = row[j] + row[m - 1 - j];
  }
}

// UNSEEN-NOT: array float row[
// UNSEEN: array float row_each[(long long)n][64] (memory of its own, for row)
// UNSEEN-NOT: T0
void unseen(int n, float A[n][64]) {
  float row[64];
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < 64; j++)
      row[j] = A[i][j] * 2;
    for (int j = 0; j < 64; j++)
      A[i][j] = row[j] + row[63 - j];
  }
}

// SHORTER: array float row_each[(long long)n][(long long)m] (memory of its own, for row)
// SHORTER: T0 for {{.*}}
// SHORTER-NEXT: row[row_1] = row_each[row_0][row_1];
void shorter(int n, int m, float A[n][m], float row[m]) {
  for (int i = 0; i < n; i++) {
    for (int j = i; j < m; j++)
      row[j] = A[i][j] * 2;
    for (int j = i; j < m; j++)
      A[i][j] = row[j] + 1;
  }
}

// NONE-NOT: of its own
void carried(int n, int m, float A[n][m], float row[m]) {
  for (int i = 0; i < n; i++) {
    for (int j = 1; j < m; j++)
      row[j] = A[i][j] * 2;
    for (int j = 0; j < m; j++)
      A[i][j] = row[j] + 1;
  }
}

void perhaps(int n, int m, float A[n][m], float row[m]) {
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < m; j++)
      if (A[i][j] > 0)
        row[j] = A[i][j] * 2;
    for (int j = 0; j < m; j++)
      A[i][j] = row[j] + 1;
  }
}

// n * m elements, where there are n and m.
void large(int n, int m, float a[n], float b[m], float row[m]) {
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < m; j++)
      row[j] = a[i] * b[j];
    for (int j = 0; j < m; j++)
      a[i] += row[j] * row[m - 1 - j];
  }
}
