// TPACF as it is usually written: all pairs count into one histogram, whose bin depends on the data.
void tpacf(int n, int bins, const float x[n], const float y[n], const float z[n], const float edge[bins], unsigned count[bins]) {
  for (int i = 0; i < n; i++)
    for (int j = i + 1; j < n; j++) {
      float cosine = x[i] * x[j] + y[i] * y[j] + z[i] * z[j];
      int bin = 0;
      while (bin < bins - 1 && cosine < edge[bin])
        bin++;
      count[bin]++;
    }
}
