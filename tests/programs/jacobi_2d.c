// Five-point averaging of a plane, two phases (A to B, B to A) a time step.
// int: yes

#ifndef DATA_TYPE
#define DATA_TYPE float
#endif

void jacobi_2d(int tsteps, int n, DATA_TYPE A[n][n], DATA_TYPE B[n][n]) {
  for (int t = 0; t < tsteps; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        B[i][j] = (A[i][j] + A[i][j - 1] + A[i][j + 1] + A[i + 1][j] + A[i - 1][j]) / 5;
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        A[i][j] = (B[i][j] + B[i][j - 1] + B[i][j + 1] + B[i + 1][j] + B[i - 1][j]) / 5;
  }
}

// Integers of this size are soon averaged away: spread them.
void prepare_jacobi_2d(int tsteps, int n, DATA_TYPE A[n][n], DATA_TYPE B[n][n]) {
  (void)tsteps;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      A[i][j] *= 1000;
      B[i][j] *= 1000;
    }
}
