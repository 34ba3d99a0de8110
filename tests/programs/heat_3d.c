// Explicit heat equation on a cube, two half-steps a time step.
// int: yes

#ifndef DATA_TYPE
#define DATA_TYPE float
#endif

// second difference along one axis, an eighth of it
#define CURVATURE(lo, mid, hi) (((hi)-2 * (mid) + (lo)) / 8)

void heat_3d(int tsteps, int n, DATA_TYPE A[n][n][n], DATA_TYPE B[n][n][n]) {
  for (int t = 1; t <= tsteps; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        for (int k = 1; k < n - 1; k++)
          B[i][j][k] = CURVATURE(A[i - 1][j][k], A[i][j][k], A[i + 1][j][k]) +
                       CURVATURE(A[i][j - 1][k], A[i][j][k], A[i][j + 1][k]) +
                       CURVATURE(A[i][j][k - 1], A[i][j][k], A[i][j][k + 1]) + A[i][j][k];
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        for (int k = 1; k < n - 1; k++)
          A[i][j][k] = CURVATURE(B[i - 1][j][k], B[i][j][k], B[i + 1][j][k]) +
                       CURVATURE(B[i][j - 1][k], B[i][j][k], B[i][j + 1][k]) +
                       CURVATURE(B[i][j][k - 1], B[i][j][k], B[i][j][k + 1]) + B[i][j][k];
  }
}

// Integers of this size lose the eighth: spread them.
void prepare_heat_3d(int tsteps, int n, DATA_TYPE A[n][n][n], DATA_TYPE B[n][n][n]) {
  (void)tsteps;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++) {
        A[i][j][k] *= 1000;
        B[i][j][k] = A[i][j][k];
      }
}
