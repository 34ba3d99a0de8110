// Coulombic potential: on a plane of m x n points, a grid apart, that of 'atoms' charges in space.
#include <math.h>
#ifndef DATA_TYPE
#define DATA_TYPE float
#endif

void cp(int m, int n, int atoms, DATA_TYPE grid, DATA_TYPE height, const DATA_TYPE x[atoms], const DATA_TYPE y[atoms],
        const DATA_TYPE z[atoms], const DATA_TYPE charge[atoms], DATA_TYPE energy[m][n]) {
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      DATA_TYPE sum = 0;
      for (int a = 0; a < atoms; a++) {
        DATA_TYPE dx = grid * j - x[a], dy = grid * i - y[a], dz = height - z[a];
        sum += charge[a] / sqrtf(dx * dx + dy * dy + dz * dz);
      }
      energy[i][j] = sum;
    }
}
