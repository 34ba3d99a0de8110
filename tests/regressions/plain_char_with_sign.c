// was: where plain char has no sign: the flag reached the host's compiler alone, so that kernels
//      compared and widened another type.
// now: what gcc prints.
// expect: offload
// flags: -fsigned-char
#include <stdio.h>

#define N 100

static char a[N], c[N];
static int b[N], d[N];
static struct pair {
  char letter;
  int count;
} pairs[N];

static void f(int n, char limit) {
  for (int i = 0; i < n; i++)
    b[i] = a[i] < 0;
  for (int i = 0; i < n; i++) {
    d[i] = a[i] + (a[i] > limit) + ('\xf0' < 0 ? 1000 : 2000);
    c[i] = (char)(a[i] >> 1);
    pairs[i].count = pairs[i].letter / 2;
  }
}

int main(void) {
  for (volatile int i = 0; i < N; i++) {
    a[i] = (char)(i - 50);
    pairs[i].letter = (char)(2 * i - 100);
  }
  f(N, (char)-20);
  for (volatile int i = 0; i < N; i++)
    printf("%d %d %d %d\n", b[i], d[i], c[i], pairs[i].count);
  return 0;
}
