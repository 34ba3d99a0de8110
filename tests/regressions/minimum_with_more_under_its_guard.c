// was: if (v < s) { v = v + 1; s = v; } was reduced as a minimum, and one that breaks, too.
// now: the guard of a minimum holds the one assignment; other such loops keep their order.
#include <stdio.h>
#define N 5000
static float a[N], rows[N][4];
static int found[N];

static float changed(int n) {
  float s = 1e30f;
  for (int i = 0; i < n; i++) {
    float v = a[i];
    if (v < s) {
      v = v + 1;
      s = v;
    }
  }
  return s;
}

static int moved(int n, const int *k) {
  int s = 1000;
  for (int i = 0; i < n; i++) {
    int at = i;
    if (k[at] < s) {
      at += 3;
      s = k[at];
    }
  }
  return s;
}

static float left(int n, float stop) {
  float s = 1e30f;
  for (int i = 0; i < n; i++)
    for (int k = 0; k < 4; k++)
      if (rows[i][k] < s) {
        s = rows[i][k];
        if (stop == 0.25f)
          break;
      }
  return s;
}

static float plain(int n) {
  float s = 1e30f;
  for (int i = 0; i < n; i++) {
    float v = a[i] * 2;
    if (v < s) {
      { s = v; }
    }
  }
  return s;
}

int main(void) {
  for (int i = 0; i < N; i++) {
    a[i] = (float)((i * 7919 + 4321) % 10007) / 64;
    found[i] = (i * 31 + 7) % 1009;
    for (int k = 0; k < 4; k++)
      rows[i][k] = (float)((i * 4 + 3 - k) * 7919 % 10007);
  }
  printf("%g %d %g %g\n", changed(N), moved(N - 3, found), left(N, 0.25f), plain(N));
  return 0;
}
