// was: isl mixed up two parameters when it made the guard of the second statement: it tested i % 3
//      where the source says j % 3.
// now: The guard tests j % 3, and the nest runs on the device.
// expect: offload
#include <stdio.h>

static int a[20], b[20], chosen[20];

static void kernel(int m) {
  for (int i = 1; i < m; i++)
    for (int j = 1; j < m; j++) {
      if (j % 3 == 0)
        continue;
      for (int k = 2; k < m; k++)
        a[k] = (b[k] * 4 % 1000) ^ a[k];
      if (chosen[i] < 6)
        b[i] = j < 6 ? 1 : j;
    }
}

int main(void) {
  for (int i = 0; i < 20; i++) {
    volatile int v = i;
    a[i] = v * 3;
    b[i] = v * 5;
    chosen[i] = v % 11;
  }
  kernel(20);
  for (int i = 0; i < 20; i++)
    printf("%d %d\n", a[i], b[i]);
  return 0;
}
