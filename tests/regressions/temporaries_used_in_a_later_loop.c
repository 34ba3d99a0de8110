// was: Two variables that are computed from a third became temporaries of one statement, so that the
//      loop behind it read others, and the nest stayed on the host with NW0297.
// now: They are variables of the iteration, which the loop reads.
// expect: offload
#include <stdio.h>

enum { N = 21, M = 150 };
static int x[N][M], y[N][M];

static void scaled(int n, int m) {
  for (int i = 0; i < n; i++) {
    int s = 0;
    for (int j = 0; j < m; j++)
      s += x[i][j];
    int t = s + 1;
    int c = s >> 1;
    for (int j = 0; j < m; j++)
      y[i][j] = x[i][j] * t + c;
  }
}

int main(void) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++)
      x[i][j] = (i * 31 + j * 17) % 101;
  scaled(N, M);
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j += 7)
      printf("%d\n", y[i][j]);
  return 0;
}
