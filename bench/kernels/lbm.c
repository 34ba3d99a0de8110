// LBM, D2Q9: particles of nine directions move to the next cell and collide there. Two steps a round, there and back, so that the result
// is where the input was; cells at the border keep what they have.
#ifndef DATA_TYPE
#define DATA_TYPE float
#endif

void lbm(int m, int n, int rounds, DATA_TYPE omega, DATA_TYPE now[9][m][n], DATA_TYPE next[9][m][n]) {
  for (int t = 0; t < rounds; t++) {
    for (int i = 1; i < m - 1; i++)
      for (int j = 1; j < n - 1; j++) {
        DATA_TYPE f0 = now[0][i][j], f1 = now[1][i][j - 1], f2 = now[2][i - 1][j];
        DATA_TYPE f3 = now[3][i][j + 1], f4 = now[4][i + 1][j], f5 = now[5][i - 1][j - 1];
        DATA_TYPE f6 = now[6][i - 1][j + 1], f7 = now[7][i + 1][j + 1], f8 = now[8][i + 1][j - 1];
        DATA_TYPE density = f0 + f1 + f2 + f3 + f4 + f5 + f6 + f7 + f8;
        DATA_TYPE u = (f1 - f3 + f5 - f6 - f7 + f8) / density, v = (f2 - f4 + f5 + f6 - f7 - f8) / density;
        DATA_TYPE rest = 1 - (DATA_TYPE)1.5 * (u * u + v * v);
        next[0][i][j] = f0 + omega * ((DATA_TYPE)(4.0 / 9) * density * rest - f0);
        next[1][i][j] = f1 + omega * ((DATA_TYPE)(1.0 / 9) * density * (rest + 3 * u + (DATA_TYPE)4.5 * u * u) - f1);
        next[2][i][j] = f2 + omega * ((DATA_TYPE)(1.0 / 9) * density * (rest + 3 * v + (DATA_TYPE)4.5 * v * v) - f2);
        next[3][i][j] = f3 + omega * ((DATA_TYPE)(1.0 / 9) * density * (rest - 3 * u + (DATA_TYPE)4.5 * u * u) - f3);
        next[4][i][j] = f4 + omega * ((DATA_TYPE)(1.0 / 9) * density * (rest - 3 * v + (DATA_TYPE)4.5 * v * v) - f4);
        next[5][i][j] = f5 + omega * ((DATA_TYPE)(1.0 / 36) * density * (rest + 3 * (u + v) + (DATA_TYPE)4.5 * (u + v) * (u + v)) - f5);
        next[6][i][j] = f6 + omega * ((DATA_TYPE)(1.0 / 36) * density * (rest + 3 * (v - u) + (DATA_TYPE)4.5 * (v - u) * (v - u)) - f6);
        next[7][i][j] = f7 + omega * ((DATA_TYPE)(1.0 / 36) * density * (rest - 3 * (u + v) + (DATA_TYPE)4.5 * (u + v) * (u + v)) - f7);
        next[8][i][j] = f8 + omega * ((DATA_TYPE)(1.0 / 36) * density * (rest + 3 * (u - v) + (DATA_TYPE)4.5 * (u - v) * (u - v)) - f8);
      }
    for (int i = 1; i < m - 1; i++)
      for (int j = 1; j < n - 1; j++) {
        DATA_TYPE f0 = next[0][i][j], f1 = next[1][i][j - 1], f2 = next[2][i - 1][j];
        DATA_TYPE f3 = next[3][i][j + 1], f4 = next[4][i + 1][j], f5 = next[5][i - 1][j - 1];
        DATA_TYPE f6 = next[6][i - 1][j + 1], f7 = next[7][i + 1][j + 1], f8 = next[8][i + 1][j - 1];
        DATA_TYPE density = f0 + f1 + f2 + f3 + f4 + f5 + f6 + f7 + f8;
        DATA_TYPE u = (f1 - f3 + f5 - f6 - f7 + f8) / density, v = (f2 - f4 + f5 + f6 - f7 - f8) / density;
        DATA_TYPE rest = 1 - (DATA_TYPE)1.5 * (u * u + v * v);
        now[0][i][j] = f0 + omega * ((DATA_TYPE)(4.0 / 9) * density * rest - f0);
        now[1][i][j] = f1 + omega * ((DATA_TYPE)(1.0 / 9) * density * (rest + 3 * u + (DATA_TYPE)4.5 * u * u) - f1);
        now[2][i][j] = f2 + omega * ((DATA_TYPE)(1.0 / 9) * density * (rest + 3 * v + (DATA_TYPE)4.5 * v * v) - f2);
        now[3][i][j] = f3 + omega * ((DATA_TYPE)(1.0 / 9) * density * (rest - 3 * u + (DATA_TYPE)4.5 * u * u) - f3);
        now[4][i][j] = f4 + omega * ((DATA_TYPE)(1.0 / 9) * density * (rest - 3 * v + (DATA_TYPE)4.5 * v * v) - f4);
        now[5][i][j] = f5 + omega * ((DATA_TYPE)(1.0 / 36) * density * (rest + 3 * (u + v) + (DATA_TYPE)4.5 * (u + v) * (u + v)) - f5);
        now[6][i][j] = f6 + omega * ((DATA_TYPE)(1.0 / 36) * density * (rest + 3 * (v - u) + (DATA_TYPE)4.5 * (v - u) * (v - u)) - f6);
        now[7][i][j] = f7 + omega * ((DATA_TYPE)(1.0 / 36) * density * (rest - 3 * (u + v) + (DATA_TYPE)4.5 * (u + v) * (u + v)) - f7);
        now[8][i][j] = f8 + omega * ((DATA_TYPE)(1.0 / 36) * density * (rest + 3 * (u - v) + (DATA_TYPE)4.5 * (u - v) * (u - v)) - f8);
      }
  }
}

// As much in every direction, so that no cell is empty.
void prepare_lbm(int m, int n, int rounds, DATA_TYPE omega, DATA_TYPE now[9][m][n], DATA_TYPE next[9][m][n]) {
  for (int d = 0; d < 9; d++)
    for (int i = 0; i < m; i++)
      for (int j = 0; j < n; j++)
        now[d][i][j] = next[d][i][j] = 1 + (DATA_TYPE)((d + 3 * i + 7 * j) % 5) / 8;
}
