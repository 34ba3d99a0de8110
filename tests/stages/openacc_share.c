// share hints: what explain says of them, and plans that carry them out.
// RUN: %nestwarp explain --time-limit=600 --verbose -fopenacc --registers=model --no-alternatives --function gemm %s 2>&1 | FileCheck --check-prefix=GEMM %s
// RUN: %nestwarp explain --time-limit=600 --verbose -fopenacc --registers=model --function mt %s 2>&1 | FileCheck --check-prefix=MT %s
// RUN: %nestwarp explain --time-limit=600 --verbose -fopenacc --registers=model --format json --function mt %s 2>&1 | FileCheck --check-prefix=JSON %s
// RUN: %nestwarp explain --time-limit=600 --verbose -fopenacc --registers=model --no-alternatives --function gauss %s 2>&1 | FileCheck --check-prefix=GAUSS %s
// RUN: %nestwarp compile -q -fopenacc --share=obey --device=h200 --emit=cuda --function gauss %s 2>&1 | FileCheck --check-prefix=OBEY %s

// GEMM: share: A is a candidate
// GEMM: share: C is a candidate
// GEMM: share: a block's part of the loops: {{.*}}TB_Y{{.*}}TB_X
// GEMM: share: in shared memory: A[TB_Y][k1]
// GEMM: share: profit
// GEMM: share: the planner's tiles of step0 hold
void gemm(int n, float A[n][n], float B[n][n], float C[n][n]) {
#pragma acc share(A[TB_Y][*], B[*][TB_X])
#pragma acc parallel loop collapse(2)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      float sum = 0;
#pragma acc loop seq
      for (int k = 0; k < n; k++)
        sum += A[i][k] * B[k][j];
      C[i][j] = sum;
    }
}

// MT: share: {{.*}}in shared memory: in[
// JSON: "share": [
void mt(int n, float in[n][n], float out[n][n]) {
#pragma acc share(in[TB_X][TB_Y]:coalesce)
#pragma acc kernels loop independent collapse(2)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      out[i][j] = in[j][i];
}

// A hull of 25 references: the copy has the neighbours, too. The planner's windows are predicted to be faster, so the hint has to be obeyed.
// GAUSS: share: a block's part of the loops: i:[2:n - 2:TB_Y], j:[2:n - 2:TB_X]
// GAUSS: share: in shared memory: in[TB_Y + {{.*}}][TB_X + {{.*}}]
// GAUSS: share: {{.*}} elements a thread, the least predicted time of
// GAUSS: share: the plan without the hint is kept
// OBEY: __shared__ unsigned char in_tile[36][37];
void gauss(int n, unsigned char in[n][n], unsigned char out[n][n]) {
#pragma acc share(in[TB_Y][TB_X])
#pragma acc parallel loop collapse(2)
  for (int i = 2; i < n - 2; i++)
    for (int j = 2; j < n - 2; j++) {
      int s = 0;
      for (int y = -2; y <= 2; y++)
        for (int x = -2; x <= 2; x++)
          s += in[i + y][j + x];
      out[i][j] = s / 25;
    }
}
