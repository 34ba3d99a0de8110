// Solves L * x = b for a lower triangular matrix by forward substitution.
// int: no

#ifndef DATA_TYPE
#define DATA_TYPE float
#endif

void trisolv(int n, DATA_TYPE L[n][n], DATA_TYPE x[n], DATA_TYPE b[n]) {
  for (int i = 0; i < n; i++) {
    x[i] = b[i];
    for (int j = 0; j < i; j++)
      x[i] -= L[i][j] * x[j];
    x[i] = x[i] / L[i][i];
  }
}

// Makes the diagonal dominant, so that the solution stays bounded.
void prepare_trisolv(int n, DATA_TYPE L[n][n], DATA_TYPE x[n], DATA_TYPE b[n]) {
  for (int i = 0; i < n; i++) {
    L[i][i] += n + 1;
    x[i] = 0;
    b[i] *= n;
  }
}
