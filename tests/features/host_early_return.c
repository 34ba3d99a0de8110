// expect: host
// fp: exact
// feature: loops left by return, break or goto once data decides stay on the host
#include <stdio.h>

#define N 301

static int a[N], b[N];

static unsigned seed = 269u;

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

static int find(int n, int wanted) {
  for (int i = 0; i < n; i++)
    if (a[i] == wanted)
      return i;
  return -1;
}

// negates up to the first multiple of d
static int negate_until(int n, int d) {
  for (int i = 0; i < n; i++) {
    if (b[i] % d == 0)
      return i;
    b[i] = -b[i];
  }
  return n;
}

static int first_pair(int n, int sum) {
  int found = -1;
  for (int i = 0; i < n; i++)
    for (int j = i + 1; j < n; j++)
      if (a[i] + a[j] == sum) {
        found = i * n + j;
        goto done;
      }
done:
  return found;
}

int main(void) {
  for (int i = 0; i < N; i++) {
    a[i] = rnd(-200, 200);
    b[i] = rnd(1, 5000);
  }
  for (int k = -3; k <= 3; k++)
    printf("find %d %d\n", find(N, 31 * k), first_pair(N, 57 * k + 100));
  printf("negate %d %d\n", negate_until(N, 17), negate_until(N, 101));
  show("b", N, b);
  return 0;
}
