// expect: offload
// j takes the values of i only, but the loop over it in the kernel runs to the end of the box around them: the guard has
// to say j < n, and had lost it.
#include <stdio.h>

static int a[64], b[64];

static void pick(int n, int m) {
  for (int i = 1; i < n; i++)
    for (int j = i; j < m && j < i + 2; j += 2)
      a[i + 1] = b[j] * 2;
}

int main(void) {
  for (int i = 0; i < 64; i++) {
    volatile int v = i;
    a[i] = v;
    b[i] = v * 5 + 1;
  }
  pick(20, 40);
  pick(33, 34);
  for (int i = 0; i < 64; i++)
    printf("%d\n", a[i]);
  return 0;
}
