// A transposition: a block works on a tile of the input.
// staged: in
void mt(int n, float in[n][n], float out[n][n]) {
#pragma acc share(in[TB_X][TB_Y])
#pragma acc parallel loop collapse(2)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      out[i][j] = in[j][i];
}

void mt_coalesce(int n, float in[n][n], float out[n][n]) {
#pragma acc share(in[TB_X][TB_Y]:coalesce)
#pragma acc parallel loop collapse(2)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      out[i][j] = in[j][i];
}
