// Promises of OpenACC: what the analysis cannot know is believed, and printed.
// RUN: %nestwarp compile -fopenacc --emit=program %s 2>&1 | FileCheck %s
// RUN: %nestwarp compile -fopenacc --emit=schedule %s 2>&1 | FileCheck --check-prefix=SCHEDULE %s
// Without -fopenacc there are no promises.
// RUN: %nestwarp compile --emit=schedule %s 2>&1 | FileCheck --check-prefix=PLAIN %s

// CHECK-LABEL: region 0 of scatter
// CHECK: loop i of line [[#@LINE+6]]: promised to be independent
// SCHEDULE: openacc_promises.c:[[#@LINE+5]] schedule
// SCHEDULE-NEXT: parallel S0
// PLAIN: openacc_promises.c:[[#@LINE+3]]:3: remark: no loop of this nest is parallel{{.*}} [NW0201]
void scatter(int n, int key[n], float x[n], float y[n]) {
#pragma acc parallel loop copyin(key[0:n], x[0:n]) copy(y[0:n])
  for (int i = 0; i < n; i++)
    y[key[i]] = x[i];
}

// The promise of a parameter: off is n or more.
// CHECK-LABEL: region 1 of shifted
// CHECK: loop i of line [[#@LINE+5]]: promised to be independent
// SCHEDULE: openacc_promises.c:[[#@LINE+4]] schedule
// SCHEDULE-NEXT: parallel S0
void shifted(int n, int off, float a[2 * n]) {
#pragma acc kernels loop independent
  for (int i = 0; i < n; i++)
    a[i] = a[i + off] * 2;
}

// collapse: the promise is about both.
// CHECK-LABEL: region 2 of both
// CHECK: loop i of line [[#@LINE+5]]: promised to be independent
// CHECK: loop j of line [[#@LINE+5]]: promised to be independent
void both(int n, int row[n], float A[n][n]) {
#pragma acc parallel
#pragma acc loop collapse(2) gang vector
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      A[row[i]][j] = 1;
}

// seq: it stays in order, though nothing depends.
// CHECK-LABEL: region 3 of ordered
// CHECK: loop i of line [[#@LINE+8]]: promised to be independent
// CHECK: loop k of line [[#@LINE+9]]: in order
// SCHEDULE: openacc_promises.c:[[#@LINE+6]] schedule
// SCHEDULE-NEXT: parallel S0
// SCHEDULE-NEXT: i = {{.*}} -> [i0]
// SCHEDULE-NEXT: inside
void ordered(int n, float A[n][n]) {
#pragma acc parallel loop
  for (int i = 0; i < n; i++)
#pragma acc loop seq
    for (int k = 0; k < n; k++)
      A[i][k] = i + k;
}

// kernels alone promises nothing, and neither does auto.
// CHECK-LABEL: region 4 of decided
// CHECK-NOT: promised
void decided(int n, float a[n], float b[n]) {
#pragma acc kernels
  {
#pragma acc loop auto
    for (int i = 0; i < n; i++)
      a[i] = b[i];
  }
}

// private: one copy for each iteration, and a reduction in a promised loop.
// CHECK-LABEL: region 5 of reduced
// CHECK: loop i of line [[#@LINE+7]]: promised to be independent, reduction(max: most)
// CHECK: float t_2[2];
// CHECK: reduction max into most
float reduced(int n, float a[n], float b[n]) {
  float most = 0, t[2];
#pragma acc parallel loop private(t) \
    reduction(max : most)
  for (int i = 0; i < n; i++) {
    t[0] = a[i] * a[i];
    t[1] = t[0] + b[i];
    most = t[1] > most ? t[1] : most;
  }
  return most;
}
