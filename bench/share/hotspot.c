// A step of heat that spreads over a chip; beyond the border it is as warm as at the border. A block works on a tile, and its neighbours.
// staged: heat
void hotspot(int n, float step, float rx, float ry, float rz, float air, float power[n][n], float heat[n][n], float next[n][n]) {
#pragma acc share(heat[TB_Y][TB_X])
#pragma acc parallel loop collapse(2)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      float here = heat[i][j];
      float north = i > 0 ? heat[i - 1][j] : here, south = i < n - 1 ? heat[i + 1][j] : here;
      float west = j > 0 ? heat[i][j - 1] : here, east = j < n - 1 ? heat[i][j + 1] : here;
      next[i][j] = here + step * (power[i][j] + (north + south - 2 * here) * ry + (west + east - 2 * here) * rx + (air - here) * rz);
    }
}

void hotspot_coalesce(int n, float step, float rx, float ry, float rz, float air, float power[n][n], float heat[n][n], float next[n][n]) {
#pragma acc share(heat[TB_Y][TB_X]:coalesce)
#pragma acc parallel loop collapse(2)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      float here = heat[i][j];
      float north = i > 0 ? heat[i - 1][j] : here, south = i < n - 1 ? heat[i + 1][j] : here;
      float west = j > 0 ? heat[i][j - 1] : here, east = j < n - 1 ? heat[i][j + 1] : here;
      next[i][j] = here + step * (power[i][j] + (north + south - 2 * here) * ry + (west + east - 2 * here) * rx + (air - here) * rz);
    }
}
