// expect: offload
// fp: exact
// feature: arrays of constant size: globals, static and automatic locals, parameters
#include <stdio.h>

#define R 33
#define C 45

static int global_in[R][C];
int global_out[C][R];

static unsigned seed = 122u;

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

static void transpose(int from[R][C], int to[C][R]) {
  for (int i = 0; i < R; i++)
    for (int j = 0; j < C; j++)
      to[j][i] = from[i][j];
}

static int local_arrays(void) {
  static int kept[C];
  int row[C], diff[C];

  for (int j = 0; j < C; j++) {
    row[j] = 0;
    for (int i = 0; i < R; i++)
      row[j] += global_in[i][j];
  }
  for (int j = 0; j < C; j++)
    diff[j] = row[j] - row[(j + 1) % C];
  for (int j = 0; j < C; j++)
    kept[j] += diff[j];
  show("row", C, row);
  show("diff", C, diff);
  show("kept", C, kept);
  return kept[7];
}

int main(void) {
  for (int i = 0; i < R; i++)
    for (int j = 0; j < C; j++)
      global_in[i][j] = rnd(-2000, 2000);
  transpose(global_in, global_out);
  show("global_out", R * C, &global_out[0][0]);
  int first = local_arrays();
  printf("%d %d\n", first, local_arrays());
  return 0;
}
