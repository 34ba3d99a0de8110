// Products that sum over several loops: strips of the innermost loop where that is long, else of the one around loops of few values, whose elements are copied with them.
// RUN: %nestwarp compile -q --emit=cuda --device=h200 --function contract %s 2>&1 | FileCheck --check-prefix=CONTRACT %s
// RUN: %nestwarp compile -q --emit=cuda --device=h200 --function filtered %s 2>&1 | FileCheck --check-prefix=FILTER %s
// CONTRACT: 8 values of l at a time, loads of 16 bytes
// CONTRACT: __shared__ __align__(16) float A_tile[2][8][132];
// CONTRACT: for (int a = 0; a < p; a++) {
// CONTRACT-NEXT: __syncthreads();
// CONTRACT: for (int l_strip = 0; l_strip <= q - 8; l_strip += 8) {
// CONTRACT: for (int l = l_strip; l < l_strip + 8; l++) {
// CONTRACT: s[i_point][j_point] = s[i_point][j_point] + A_tile[l_strip / 8 % 2][l - l_strip][i - i_tile] * B_tile[l_strip
// FILTER: 8 values of c at a time; the last tiles are shifted inwards
// FILTER: __shared__ __align__(16) float w_tile[8][5][132];
// FILTER: __shared__ __align__(16) float x_tile[8][132];
// FILTER: for (int c_strip = 0; c_strip <= p - 8; c_strip += 8) {
// FILTER: for (int d = 0; d <= 4; d++) {
// FILTER: s[k_point][i_point] = s[k_point][i_point] + x_tile[c - c_strip][i - i_tile + d] * w_tile[c - c_strip][d][k - k_tile];

void contract(int m, int n, int p, int q, float A[m][p][q], float B[p][q][n], float C[m][n]) {
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      float s = 0;
      for (int a = 0; a < p; a++)
        for (int l = 0; l < q; l++)
          s += A[i][a][l] * B[a][l][j];
      C[i][j] = s;
    }
}

void filtered(int m, int n, int p, float x[p][n + 4], float w[m][p][5], float y[m][n]) {
  for (int k = 0; k < m; k++)
    for (int i = 0; i < n; i++) {
      float s = 0;
      for (int c = 0; c < p; c++)
        for (int d = 0; d < 5; d++)
          s += x[c][i + d] * w[k][c][d];
      y[k][i] = s;
    }
}
