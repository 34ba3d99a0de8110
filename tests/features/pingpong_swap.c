// expect: any
// kernels: optimized
// fp: exact
// feature: time loop that swaps the pointers to the old and the new array after every step
#include <stdio.h>

#define T 7
#define R 35
#define C 51

static int first[R][C], second[R][C];

static unsigned seed = 213u;

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

static int (*relax(int steps, int (*now)[C], int (*next)[C]))[C] {
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < R - 1; i++)
      for (int j = 1; j < C - 1; j++)
        next[i][j] = (now[i - 1][j] + now[i + 1][j] + now[i][j - 1] + now[i][j + 1]) / 4 + t;
    int(*swap)[C] = now;
    now = next;
    next = swap;
  }
  return now;
}

int main(void) {
  for (int i = 0; i < R; i++)
    for (int j = 0; j < C; j++)
      first[i][j] = second[i][j] = rnd(-100000, 100000);
  int(*result)[C] = relax(T, first, second);
  show("result", R * C, &result[0][0]);
  result = relax(T - 1, result, result == first ? second : first);
  show("result", R * C, &result[0][0]);
  show("first", R * C, &first[0][0]);
  return 0;
}
