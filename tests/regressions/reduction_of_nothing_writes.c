// was: The reduction was launched where no iteration exists (i is 0 only), and wrote to an element
//      that was not on the device.
// now: A reduction of nothing leaves everything as it was.
#include <stdio.h>

static float largest(int n, float start) {
  float v = start;
  for (int i = 0; i < n; i += 3)
    for (int j = 0; j < i; j++)
      if ((float)(j * 5 % 7) > v)
        v = (float)(j * 5 % 7);
  return v;
}

int main(void) {
  for (int n = 1; n < 70; n += 2)
    printf("%g %g\n", largest(n, 2), largest(n, 9));
  return 0;
}
