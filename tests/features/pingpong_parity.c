// expect: offload
// fp: exact
// feature: time loop with two planes chosen by the parity of the step
#include <stdio.h>

#define T 9
#define R 37
#define C 49

static int plane[2][R][C];

static unsigned seed = 206u;

static int rnd(int lo, int hi) {
  seed = seed * 1664525u + 1013904223u;
  return lo + (int)((seed >> 10) % (unsigned)(hi - lo + 1));
}

static void show(const char *name, int n, const int *v) {
  printf("%s", name);
  for (int i = 0; i < n; i++)
    printf("%c%d", i % 16 ? ' ' : '\n', v[i]);
  printf("\n");
}

static void diffuse(int steps, int r, int c) {
  for (int t = 0; t < steps; t++)
    for (int i = 1; i < r - 1; i++)
      for (int j = 1; j < c - 1; j++)
        plane[(t + 1) % 2][i][j] =
            (plane[t % 2][i - 1][j] + plane[t % 2][i + 1][j] + 4 * plane[t % 2][i][j] +
             plane[t % 2][i][j - 1] + plane[t % 2][i][j + 1]) /
            8;
}

int main(void) {
  for (int i = 0; i < R; i++)
    for (int j = 0; j < C; j++)
      plane[0][i][j] = plane[1][i][j] = rnd(-100000, 100000);
  diffuse(T, R, C);
  show("odd", R * C, &plane[1][0][0]);
  show("even", R * C, &plane[0][0][0]);
  return 0;
}
