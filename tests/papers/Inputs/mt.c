// share: mt.
void mt(int n, float out[n][n], float in[n][n]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      out[i][j] = in[j][i];
}
