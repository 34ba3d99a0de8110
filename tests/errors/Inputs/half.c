// A nest that is translated in little time.
void half(int ni, int nj, float C[ni][nj]) {
  for (int i = 0; i < ni; i++)
    for (int j = 0; j < nj; j++)
      C[i][j] *= 0.5f;
}
