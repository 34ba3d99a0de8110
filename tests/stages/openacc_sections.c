// A section of a pointer is its extent, for subscripts from data; what is known from subscripts is not taken from clauses.
// RUN: %nestwarp compile -fopenacc --emit=program %s 2>/dev/null | FileCheck %s
// RUN: %nestwarp compile -fopenacc --emit=program %s 2>&1 >/dev/null | FileCheck --check-prefix=REFUSED %s

// CHECK-LABEL: region 0 of scatter
// CHECK: array int key[*] (pointer)
// CHECK: array float x[*] (pointer)
// CHECK: array float y[(long long)m] (pointer)
void scatter(int n, int m, int *key, float *x, float *y) {
#pragma acc data copy(y[0:m])
  {
#pragma acc parallel loop copyin(key[0:n], x[0:n])
    for (int i = 0; i < n; i++)
      y[key[i]] = x[i];
  }
}

// CHECK-LABEL: region 1 of rows
// CHECK: array float y[(long long)n][16] (pointer)
void rows(int n, int key[n], float (*y)[16]) {
#pragma acc parallel loop copy(y[:n][0:16])
  for (int i = 0; i < n; i++)
    y[key[i]][i % 16] = 1;
}

// Nothing is known before the section's beginning, or of a loop behind the block; p[i] need not be inside.
// REFUSED: openacc_sections.c:[[#@LINE+3]]:3: warning: nestwarp cannot tell how much of 'y' the nest touches{{.*}} [NW0204]
void beginning(int n, int key[n], float *y) {
#pragma acc parallel loop copy(y[1:n])
  for (int i = 0; i < n; i++)
    y[key[i]] = 1;
}

// REFUSED: openacc_sections.c:[[#@LINE+4]]:3: remark: nestwarp cannot tell how much of 'y' the nest touches{{.*}} [NW0204]
void behind(int n, int key[n], float x[n], float *y) {
#pragma acc data copy(y[0:n])
  y[0] = 1;
  for (int i = 0; i < n; i++)
    x[i] = y[key[i]];
}

// REFUSED: openacc_sections.c:[[#@LINE+3]]:3: warning: nestwarp cannot tell how much of 'y' the nest touches{{.*}} [NW0204]
void both(int n, int key[n], float *y) {
#pragma acc parallel loop copy(y[0:n])
  for (int i = 0; i < n; i++)
    y[key[i]] = y[i + 1];
}

// A length that may have changed since is not taken.
// REFUSED: openacc_sections.c:[[#@LINE+6]]:5: warning: nestwarp cannot tell how much of 'y' the nest touches{{.*}} [NW0204]
void changed(int n, int m, int key[n], float *y) {
#pragma acc data copy(y[0:m])
  {
    m = m + 1;
#pragma acc parallel loop
    for (int i = 0; i < n; i++)
      y[key[i]] = 1;
  }
}
