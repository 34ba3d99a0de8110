// expect: offload
// fp: exact
// feature: restrict and const parameters, global sizes, a static function-local array
#include <stdio.h>

static int length = 389;
static const int weight[5] = {1, -2, 5, -2, 1};

static unsigned seed = 185u;

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

static void filter(const int *restrict in, int *restrict out) {
  for (int i = 2; i < length - 2; i++) {
    out[i] = 0;
    for (int k = -2; k <= 2; k++)
      out[i] += weight[k + 2] * in[i + k];
  }
}

static void blend(int n, const int *restrict a, const int *restrict b, int *restrict sum,
                  int *restrict difference) {
  for (int i = 0; i < n; i++) {
    sum[i] = a[i] + b[i];
    difference[i] = a[i] - b[i];
  }
}

static const int *history(int n, const int *restrict in) {
  static int kept[400];
  for (int i = 0; i < n; i++)
    kept[i] = kept[i] / 2 + in[i];
  return kept;
}

int main(void) {
  int in[400], out[400], sum[400], difference[400];
  for (int i = 0; i < 400; i++) {
    in[i] = rnd(-3000, 3000);
    out[i] = rnd(-3000, 3000);
  }
  filter(in, out);
  show("out", 400, out);
  length = 101;
  filter(out, in);
  show("in", 400, in);
  blend(397, in, out, sum, difference);
  show("sum", 397, sum);
  show("difference", 397, difference);
  history(391, sum);
  show("history", 400, history(397, difference));
  return 0;
}
