// was: The instances of a reduction stand in two places of the kernel, since one is left out in
//      between; the verifier took them for a race.
// now: The kernel is accepted, and runs on the device.
// expect: offload
#include <stdio.h>

static int a[100], sum[1];

static void reduce(int n) {
  for (int i = 0; i < n; i++)
    if (2 * i != 2)
      sum[0] = sum[0] + (a[i] & 511);
}

int main(void) {
  for (int i = 0; i < 100; i++) {
    volatile int v = i;
    a[i] = v * 7;
  }
  reduce(100);
  printf("%d\n", sum[0]);
  return 0;
}
