// Parts of an array go to the host and back.
// STATISTICS: exchanges 0
#include <stdio.h>
enum { ROWS = 20, COLUMNS = 30 };

int main(void) {
  int n = ROWS, m = COLUMNS;
  float grid[n][m];
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      grid[i][j] = i * 100 + j;
#pragma acc data copy(grid)
  {
#pragma acc parallel loop collapse(2)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < m; j++)
        grid[i][j] = grid[i][j] + 0.5f;
    int row = 3;
    if (n > 10) {
#pragma acc update host(grid[row : 2][5 : 4]) \
    host(grid[10][0 : 3])
    }
    printf("%.1f %.1f %.1f\n", grid[3][5], grid[4][8], grid[10][2]);
    grid[3][6] = -1;
    grid[4][7] = -2;
#pragma acc update device(grid[3 : 2][5 : 4]) if(n > 10)
#pragma acc update device(grid) if(n > 1000)
#pragma acc wait
#pragma acc parallel loop collapse(2)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < m; j++)
        grid[i][j] = grid[i][j] * 2;
  }
  double sum = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      sum += grid[i][j] * (j + 1);
  printf("%.1f %.1f %.1f\n", sum, grid[3][6], grid[4][7]);
  return 0;
}
