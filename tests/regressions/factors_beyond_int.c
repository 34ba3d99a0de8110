// was: The factors of a condition that is computed in long were compared in int.
// now: The condition is computed in long on the device, too.
// expect: offload
#include <stdio.h>

static int a[100], b[100];

static void mark(int n) {
  for (int i = 0; i < n; i++)
    if ((long)i * 100000007 < (long)n * 50000003)
      a[i] = i + 1;
  for (int i = 0; i < n; i++)
    if (2147483647L * i + n > 30 * 2147483647L)
      b[i] = i + 1;
}

int main(void) {
  mark(100);
  for (int i = 0; i < 100; i++)
    printf("%d %d\n", a[i], b[i]);
  return 0;
}
