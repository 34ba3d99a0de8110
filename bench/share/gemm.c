// C = A B: a block works on some rows of A and some columns of B.
// staged: A B
void gemm(int n, float A[n][n], float B[n][n], float C[n][n]) {
#pragma acc share(A[TB_Y][*], B[*][TB_X])
#pragma acc parallel loop collapse(2)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      float sum = 0;
      for (int k = 0; k < n; k++)
        sum += A[i][k] * B[k][j];
      C[i][j] = sum;
    }
}

void gemm_coalesce(int n, float A[n][n], float B[n][n], float C[n][n]) {
#pragma acc share(A[TB_Y][*]:coalesce, B[*][TB_X])
#pragma acc parallel loop collapse(2)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      float sum = 0;
      for (int k = 0; k < n; k++)
        sum += A[i][k] * B[k][j];
      C[i][j] = sum;
    }
}
