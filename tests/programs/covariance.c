// Covariance matrix of m variables observed n times (data is centred in place).
// int: yes

#ifndef DATA_TYPE
#define DATA_TYPE float
#endif

void covariance(int m, int n, DATA_TYPE data[n][m], DATA_TYPE cov[m][m], DATA_TYPE mean[m]) {
  int freedom = n > 1 ? n - 1 : 1;

  for (int v = 0; v < m; v++) {
    mean[v] = 0;
    for (int s = 0; s < n; s++)
      mean[v] += data[s][v];
    mean[v] /= n;
  }

  for (int s = 0; s < n; s++)
    for (int v = 0; v < m; v++)
      data[s][v] -= mean[v];

  for (int a = 0; a < m; a++)
    for (int b = a; b < m; b++) {
      cov[a][b] = 0;
      for (int s = 0; s < n; s++)
        cov[a][b] += data[s][a] * data[s][b];
      cov[a][b] /= freedom;
      cov[b][a] = cov[a][b];
    }
}
