// was: On PoCL 3.1 a resident kernel skipped a whole step after a barrier (those with j == k and i
//      < k), until thread coordinates were kept in volatile variables.
// now: All steps run, on the device.
// expect: offload
// kernels: optimized
#include <stdio.h>

static void mix(int n, unsigned path[n][n]) {
  for (int k = 0; k < n; k++)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        path[i][j] = path[i][j] * 3u + (path[i][k] ^ path[k][j]);
}

int main(void) {
  enum { N = 13 };
  unsigned path[N][N], sum = 0;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      path[i][j] = (unsigned)(i * 7 + j * 5) % 11u;
  mix(N, path);
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      sum = sum * 31u + path[i][j];
  printf("%u\n", sum);
  return 0;
}
