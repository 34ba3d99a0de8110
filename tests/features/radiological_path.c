// expect: offload
// fp: exact
// feature: the paper patterns' radiological path: rays walk through a body of voxels, each step where the next wall is
#include <stdio.h>

#define N 24
#define ROWS 37
#define CELLS 50

static float body[N][N][N], rise[ROWS], slope[CELLS], paths[ROWS][CELLS];

static unsigned seed = 285u;

static int rnd(int lo, int hi) {
  seed = seed * 1664525u + 1013904223u;
  return lo + (int)((seed >> 10) % (unsigned)(hi - lo + 1));
}

// Lengths are multiples of 1/8, so that sums are exact in any order and every device takes the same way.
static void radiological_path(int rows, int cells) {
  for (int row = 0; row < rows; row++)
    for (int cell = 0; cell < cells; cell++) {
      int x = 0, y = 0, z = 0;
      float to_x = 1.0f, to_y = slope[cell], to_z = rise[row], at = 0, sum = 0;
      while (x < N && y < N && z < N) {
        float density = body[x][y][z];
        if (to_x <= to_y && to_x <= to_z) {
          sum = sum + (to_x - at) * density;
          at = to_x;
          to_x = to_x + 1.0f;
          x = x + 1;
        } else if (to_y <= to_z) {
          sum = sum + (to_y - at) * density;
          at = to_y;
          to_y = to_y + slope[cell];
          y = y + 1;
        } else {
          sum = sum + (to_z - at) * density;
          at = to_z;
          to_z = to_z + rise[row];
          z = z + 1;
        }
      }
      paths[row][cell] = sum;
    }
}

int main(void) {
  for (int x = 0; x < N; x++)
    for (int y = 0; y < N; y++)
      for (int z = 0; z < N; z++)
        body[x][y][z] = (float)rnd(0, 9);
  for (int r = 0; r < ROWS; r++)
    rise[r] = (float)rnd(3, 40) * 0.125f;
  for (int c = 0; c < CELLS; c++)
    slope[c] = (float)rnd(3, 40) * 0.125f;
  radiological_path(ROWS, CELLS);
  for (int r = 0; r < ROWS; r++)
    for (int c = 0; c < CELLS; c++)
      printf("%g%c", (double)paths[r][c], c + 1 < CELLS ? ' ' : '\n');
  return 0;
}
