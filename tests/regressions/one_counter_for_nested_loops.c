// was: A loop that has the counter of the loop before it, inside of one with another counter, made two
//      loops of one name inside of each other, and the nest stayed on the host with NW0297.
// now: The inner loop has a name of its own.
// expect: offload
#include <stdio.h>

enum { N = 37, M = 40 };
static unsigned x[N][M], y[N];

static void hashed(int n, int m) {
  int j, k;
  for (int i = 0; i < n; i++) {
    unsigned s = 1;
    for (j = 0; j < m; j++)
      s = s * 3 + x[i][j];
    for (k = 0; k < 3; k++)
      for (j = k; j < m; j++)
        s = s * 5 + x[i][j] * (unsigned)(k + 1);
    y[i] = s;
  }
}

int main(void) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++)
      x[i][j] = (unsigned)(i * 31 + j * 17) % 101;
  hashed(N, M);
  for (int i = 0; i < N; i++)
    printf("%u\n", y[i]);
  return 0;
}
