// Correlation matrix of m variables observed n times (data is standardised in place).
// int: no
#include <math.h>

#ifndef DATA_TYPE
#define DATA_TYPE float
#endif

#define ROOT(x) sqrt(x)
#define NEARLY_ZERO ((DATA_TYPE)0.1)

void correlation(int m, int n, DATA_TYPE data[n][m], DATA_TYPE corr[m][m], DATA_TYPE mean[m],
                 DATA_TYPE dev[m]) {
  DATA_TYPE count = (DATA_TYPE)n;

  for (int v = 0; v < m; v++) {
    mean[v] = 0;
    for (int s = 0; s < n; s++)
      mean[v] += data[s][v];
    mean[v] /= count;
  }

  for (int v = 0; v < m; v++) {
    dev[v] = 0;
    for (int s = 0; s < n; s++)
      dev[v] += (data[s][v] - mean[v]) * (data[s][v] - mean[v]);
    dev[v] = ROOT(dev[v] / count);
    // a constant variable would divide by zero below
    dev[v] = dev[v] <= NEARLY_ZERO ? 1 : dev[v];
  }

  for (int s = 0; s < n; s++)
    for (int v = 0; v < m; v++) {
      data[s][v] -= mean[v];
      data[s][v] /= ROOT(count) * dev[v];
    }

  for (int a = 0; a < m - 1; a++) {
    corr[a][a] = 1;
    for (int b = a + 1; b < m; b++) {
      corr[a][b] = 0;
      for (int s = 0; s < n; s++)
        corr[a][b] += data[s][a] * data[s][b];
      corr[b][a] = corr[a][b];
    }
  }
  corr[m - 1][m - 1] = 1;
}

// Spreads the samples so that no variable comes close to being constant.
void prepare_correlation(int m, int n, DATA_TYPE data[n][m], DATA_TYPE corr[m][m],
                         DATA_TYPE mean[m], DATA_TYPE dev[m]) {
  for (int s = 0; s < n; s++)
    for (int v = 0; v < m; v++)
      data[s][v] += (s + v) % 2 == 0 ? 2 : -2;
  for (int v = 0; v < m; v++) {
    mean[v] = 0;
    dev[v] = 0;
    corr[v][v] = 0;
  }
}
