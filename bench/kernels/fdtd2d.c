// FDTD: an electromagnetic wave in the plane, step after step; the electric field from the magnetic one, then the other way round.
#ifndef DATA_TYPE
#define DATA_TYPE float
#endif

void fdtd2d(int n, int steps, DATA_TYPE ex[n][n], DATA_TYPE ey[n][n], DATA_TYPE hz[n][n]) {
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n; i++)
      for (int j = 0; j < n; j++)
        ey[i][j] -= (DATA_TYPE)0.5 * (hz[i][j] - hz[i - 1][j]);
    for (int i = 0; i < n; i++)
      for (int j = 1; j < n; j++)
        ex[i][j] -= (DATA_TYPE)0.5 * (hz[i][j] - hz[i][j - 1]);
    for (int i = 0; i < n - 1; i++)
      for (int j = 0; j < n - 1; j++)
        hz[i][j] -= (DATA_TYPE)0.7 * (ex[i][j + 1] - ex[i][j] + ey[i + 1][j] - ey[i][j]);
  }
}
