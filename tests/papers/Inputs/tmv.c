// affine, section 4.3.
void tmv(int n, float a[n][n], float x[n], float y[n]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      x[i] += a[j][i] * y[j];
}
