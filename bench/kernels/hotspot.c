// Heat spreads over a chip: each cell takes from its four neighbours, from the power spent in it and from the air. Beyond the border it
// is as warm as at the border. Two steps a round, there and back, so that the result is where the input was.
#ifndef DATA_TYPE
#define DATA_TYPE float
#endif

void hotspot(int n, int rounds, DATA_TYPE step, DATA_TYPE rx, DATA_TYPE ry, DATA_TYPE rz, DATA_TYPE air, const DATA_TYPE power[n][n],
             DATA_TYPE heat[n][n], DATA_TYPE next[n][n]) {
  for (int t = 0; t < rounds; t++) {
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        DATA_TYPE here = heat[i][j];
        DATA_TYPE north = i > 0 ? heat[i - 1][j] : here, south = i < n - 1 ? heat[i + 1][j] : here;
        DATA_TYPE west = j > 0 ? heat[i][j - 1] : here, east = j < n - 1 ? heat[i][j + 1] : here;
        next[i][j] = here + step * (power[i][j] + (north + south - 2 * here) * ry + (west + east - 2 * here) * rx + (air - here) * rz);
      }
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        DATA_TYPE here = next[i][j];
        DATA_TYPE north = i > 0 ? next[i - 1][j] : here, south = i < n - 1 ? next[i + 1][j] : here;
        DATA_TYPE west = j > 0 ? next[i][j - 1] : here, east = j < n - 1 ? next[i][j + 1] : here;
        heat[i][j] = here + step * (power[i][j] + (north + south - 2 * here) * ry + (west + east - 2 * here) * rx + (air - here) * rz);
      }
  }
}
