// LU factorisation without pivoting, both factors replace A.
// int: no

#ifndef DATA_TYPE
#define DATA_TYPE float
#endif

void lu(int n, DATA_TYPE A[n][n]) {
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < i; j++) {
      for (int k = 0; k < j; k++)
        A[i][j] -= A[i][k] * A[k][j];
      A[i][j] /= A[j][j];
    }
    for (int j = i; j < n; j++)
      for (int k = 0; k < i; k++)
        A[i][j] -= A[i][k] * A[k][j];
  }
}

// Makes A diagonally dominant: no pivot comes close to zero.
void prepare_lu(int n, DATA_TYPE A[n][n]) {
  for (int i = 0; i < n; i++)
    A[i][i] += n + 1;
}
