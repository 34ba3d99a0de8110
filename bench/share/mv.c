// y = A x, a row for each thread: a block works on some rows of A.
// staged: A x
void mv(int n, float A[n][n], float x[n], float y[n]) {
#pragma acc share(A[TB_X][*])
#pragma acc parallel loop
  for (int i = 0; i < n; i++) {
    float sum = 0;
    for (int j = 0; j < n; j++)
      sum += A[i][j] * x[j];
    y[i] = sum;
  }
}

void mv_coalesce(int n, float A[n][n], float x[n], float y[n]) {
#pragma acc share(A[TB_X][*]:coalesce)
#pragma acc parallel loop
  for (int i = 0; i < n; i++) {
    float sum = 0;
    for (int j = 0; j < n; j++)
      sum += A[i][j] * x[j];
    y[i] = sum;
  }
}
