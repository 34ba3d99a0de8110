// was: b[j + 1] is read only where i == m - 2. Splitting at the collision of b[j + 1] and b[i + 1]
//      lost all other instances.
// now: Every instance runs.
// expect: any
#include <stdio.h>

static int b[40], c[40][80];

static void kernel(int n, int m) {
  for (int i = 0; i < n; i++)
    for (int j = m - 1; j >= i; j--) {
      b[i + 1] = ((i != m - 2 ? -2 : b[j + 1]) * (i + 2) + b[i]) % 1000;
      c[i][2 * j] = i + j;
    }
}

int main(void) {
  for (int i = 0; i < 40; i++) {
    volatile int v = i;
    b[i] = v * 3 + 1;
  }
  kernel(20, 17);
  kernel(9, 30);
  for (int i = 0; i < 40; i++)
    printf("%d %d\n", b[i], c[i][2 * i]);
  return 0;
}
