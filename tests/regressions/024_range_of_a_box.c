// expect: offload
// j takes the values of i only, but the loop over it in the kernel runs to the end of the box around them: the guard has
// to say j < n, and had lost it.
#include <stdio.h>

static int a[64][64], b[64];

static void pick(int n, int m) {
  for (int i = 1; i < n; i++)
    for (int j = i; j < m && j < i + 2; j += 2)
      a[j][i] = b[j] * 2;
}

int main(void) {
  for (int i = 0; i < 64; i++) {
    volatile int v = i;
    b[i] = v * 5 + 1;
  }
  pick(20, 40);
  pick(33, 34);
  for (int i = 0; i < 64; i++)
    printf("%d %d\n", a[i][i], a[i][(i + 1) % 64]);
  return 0;
}
