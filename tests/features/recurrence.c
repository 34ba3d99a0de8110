// expect: any
// fp: tol
// feature: one-dimensional recurrences: linear, prefix sum, second order
#include <stdio.h>

#define N 401

static float x[N], y[N];
static int prefix[N];
static double z[N];

static unsigned seed = 276u;

static float frnd(void) {
  seed = seed * 1664525u + 1013904223u;
  return 0.25f + (float)(seed >> 9) / 8388608.0f;
}

static void show(const char *name, int n, const float *v) {
  printf("%s", name);
  for (int i = 0; i < n; i++)
    printf("%c%.5e", i % 16 ? ' ' : '\n', v[i]);
  printf("\n");
}

static void recur(int n, float a, float b) {
  for (int i = 1; i < n; i++)
    x[i] = x[i - 1] * a + b;
  for (int i = 1; i < n; i++)
    y[i] = 0.5f * y[i - 1] + 0.25f * x[i] + 0.125f * y[i];
  for (int i = 1; i < n; i++)
    prefix[i] += prefix[i - 1];
  for (int i = n - 3; i >= 0; i--)
    z[i] = z[i] + 0.5 * z[i + 1] - 0.25 * z[i + 2];
}

int main(void) {
  for (int i = 0; i < N; i++) {
    x[i] = frnd();
    y[i] = frnd();
    z[i] = frnd();
    prefix[i] = (int)(1000.0f * frnd());
  }
  recur(N, 0.875f, 0.25f);
  show("x", N, x);
  show("y", N, y);
  for (int i = 0; i < N; i++)
    printf("%d %.5e\n", prefix[i], z[i]);
  return 0;
}
