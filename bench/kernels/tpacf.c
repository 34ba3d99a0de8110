// TPACF: how often two of n directions in the sky are some angle apart: a histogram of the angles of all pairs. 'edge' has the cosines
// where the bins end, at most 32 of them, in falling order. Each direction has counts of its own, which are added up at the end.
#ifndef DATA_TYPE
#define DATA_TYPE float
#endif

void tpacf(int n, int bins, const DATA_TYPE x[n], const DATA_TYPE y[n], const DATA_TYPE z[n], const DATA_TYPE edge[bins], unsigned own[n][bins],
           unsigned count[bins]) {
  for (int i = 0; i < n; i++) {
    unsigned mine[32];
    for (int b = 0; b < 32; b++)
      mine[b] = 0;
    for (int j = i + 1; j < n; j++) {
      DATA_TYPE cosine = x[i] * x[j] + y[i] * y[j] + z[i] * z[j];
      int bin = 0;
      while (bin < bins - 1 && cosine < edge[bin])
        bin++;
      mine[bin]++;
    }
    for (int b = 0; b < bins; b++)
      own[i][b] = mine[b];
  }
  for (int b = 0; b < bins; b++) {
    unsigned sum = 0;
    for (int i = 0; i < n; i++)
      sum += own[i][b];
    count[b] = sum;
  }
}
