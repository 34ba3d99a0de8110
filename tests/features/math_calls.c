// expect: offload
// kernels: optimized
// fp: tol
// feature: math.h functions in float and double
#include <math.h>
#include <stdio.h>

#define N 229

static float x[N], y[N], f[N], g[N];
static double p[N], q[N];

static unsigned seed = 108u;

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

static void show_double(const char *name, int n, const double *v) {
  printf("%s", name);
  for (int i = 0; i < n; i++)
    printf("%c%.5e", i % 16 ? ' ' : '\n', v[i]);
  printf("\n");
}

static void evaluate(int n) {
  for (int i = 0; i < n; i++) {
    f[i] = sqrtf(x[i]) + expf(-y[i]) * sinf(x[i]) + fabsf(x[i] - y[i]);
    g[i] = fmaxf(x[i], y[i]) - fminf(x[i], 0.5f) + logf(y[i]) + powf(x[i], 1.5f);
    g[i] += floorf(10.0f * y[i]) + ceilf(4.0f * x[i]);
  }
  for (int i = 0; i < n; i++) {
    p[i] = sqrt(x[i]) * cos(y[i]) + exp(x[i]) / (1.0 + tanh(y[i]));
    q[i] = atan2(x[i], y[i]) + pow(y[i], 2.5) + log(x[i] + 1.0) + fabs(x[i] - 1.0);
    q[i] += fmod(p[i], 0.0625 + 64.0) + hypot(x[i], y[i]) + cbrt(y[i]);
  }
}

int main(void) {
  for (int i = 0; i < N; i++) {
    x[i] = frnd();
    y[i] = frnd();
  }
  evaluate(N);
  show("f", N, f);
  show("g", N, g);
  show_double("p", N, p);
  show_double("q", N, q);
  return 0;
}
