// was: Narrowing casts around the chain of a reduction were ignored: 615000178926 was printed.
// now: Each step narrows, as in the source: 819855598 comes first.
#include <stdio.h>
unsigned a[300];
int main(void) {
  for (volatile int i = 0; i < 300; i++) a[i] = i * 77777777u + 5;
  unsigned long s = 0, t = 1ul << 40, p = 1;
  long u = 0;
  for (int i = 0; i < 300; i++) s = (unsigned)(s + a[i]);
  for (int i = 0; i < 300; i++) t = (unsigned)t + a[i];
  for (int i = 0; i < 300; i++) u = (int)(u + (a[i] >> 8));
  for (int i = 0; i < 300; i++) p = (unsigned)(p * (a[i] | 1));
  printf("%lu %lu %ld %lu\n", s, t, u, p);
}
