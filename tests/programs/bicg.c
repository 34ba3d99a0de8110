// The two products of a biconjugate gradient step: q = A * p and s = A^T * r.
// int: yes

#ifndef DATA_TYPE
#define DATA_TYPE float
#endif

void bicg(int n, int m, DATA_TYPE A[n][m], DATA_TYPE s[m], DATA_TYPE q[n], DATA_TYPE p[m],
          DATA_TYPE r[n]) {
  for (int j = 0; j < m; j++)
    s[j] = 0;

  for (int i = 0; i < n; i++) {
    q[i] = 0;
    for (int j = 0; j < m; j++) {
      s[j] += r[i] * A[i][j];
      q[i] += A[i][j] * p[j];
    }
  }
}
