// was: A sequential loop that counts down became for (int j = -n + 2; ...) { int j = -j; ... }: the
//      counter was set from itself.
// now: The loop of the kernel has a fresh name.
#include <stdio.h>
#include <stdlib.h>
#define N 45
#ifndef T
#define T double
#endif
static void adi(int ts, int n, T u[N][N], T v[N][N], T p[N][N], T q[N][N]) {
  int t, i, j;
  for (t = 1; t <= ts; t++)
    for (i = 1; i < n - 1; i++) {
      v[0][i] = 1;
      p[i][0] = 0;
      q[i][0] = v[0][i];
      for (j = 1; j < n - 1; j++) {
        p[i][j] = 3 + 2 * p[i][j - 1];
        q[i][j] = u[j][i - 1] + u[j][i + 1] - q[i][j - 1];
      }
      v[n - 1][i] = 1;
      for (j = n - 2; j >= 1; j--)
        v[j][i] = p[i][j] * v[j + 1][i] + q[i][j];
    }
}
int main(void) {
  T (*a[4])[N];
  for (volatile int k = 0; k < 4; k++) {
    a[k] = malloc(N * N * sizeof(T));
    for (volatile int i = 0; i < N * N; i++) ((T *)a[k])[i] = (i * 7 + k) % 11;
  }
  adi(3, N, a[0], a[1], a[2], a[3]);
  for (volatile int k = 0; k < 4; k++) {
    double h = 0;
    for (volatile int i = 0; i < N * N; i++) h = h * .9 + ((T *)a[k])[i] * 1e-10;
    printf("%.10g\n", h);
  }
}
