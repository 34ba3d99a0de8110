// Alternating direction implicit steps for the heat equation, two tridiagonal sweeps a step.
// int: no

#ifndef DATA_TYPE
#define DATA_TYPE float
#endif

// Diffusion numbers of the two axes (time step times diffusivity over squared mesh width).
#define LAMBDA_X ((DATA_TYPE)1.0)
#define LAMBDA_Y ((DATA_TYPE)0.5)

void adi(int tsteps, int n, DATA_TYPE u[n][n], DATA_TYPE v[n][n], DATA_TYPE p[n][n],
         DATA_TYPE q[n][n]) {
  DATA_TYPE a = -LAMBDA_X / 2, b = 1 + LAMBDA_X, c = a;
  DATA_TYPE d = -LAMBDA_Y / 2, e = 1 + LAMBDA_Y, f = d;

  for (int t = 1; t <= tsteps; t++) {
    // columns: explicit in the second axis, implicit in the first
    for (int i = 1; i < n - 1; i++) {
      v[0][i] = 1;
      p[i][0] = 0;
      q[i][0] = v[0][i];
      for (int j = 1; j < n - 1; j++) {
        p[i][j] = -c / (a * p[i][j - 1] + b);
        q[i][j] = (-d * u[j][i - 1] + (1 + 2 * d) * u[j][i] - f * u[j][i + 1] - a * q[i][j - 1]) /
                  (a * p[i][j - 1] + b);
      }
      v[n - 1][i] = 1;
      for (int j = n - 2; j >= 1; j--)
        v[j][i] = p[i][j] * v[j + 1][i] + q[i][j];
    }

    // rows: the other way round
    for (int i = 1; i < n - 1; i++) {
      u[i][0] = 1;
      p[i][0] = 0;
      q[i][0] = u[i][0];
      for (int j = 1; j < n - 1; j++) {
        p[i][j] = -f / (d * p[i][j - 1] + e);
        q[i][j] = (-a * v[i - 1][j] + (1 + 2 * a) * v[i][j] - c * v[i + 1][j] - d * q[i][j - 1]) /
                  (d * p[i][j - 1] + e);
      }
      u[i][n - 1] = 1;
      for (int j = n - 2; j >= 1; j--)
        u[i][j] = p[i][j] * u[i][j + 1] + q[i][j];
    }
  }
}
