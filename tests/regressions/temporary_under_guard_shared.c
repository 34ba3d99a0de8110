// was: A scalar that is set and used only under a condition on data was taken for one that
//      iterations share.
// now: It is private to the iteration, and the nest runs on the device.
// expect: offload
// fp: exact
#include <stdio.h>
static int a[601], b[601], c[601];
static unsigned state = 7u;
static int next(void) {
  state = state * 1664525u + 1013904223u;
  return (int)(state >> 20) % 100;
}
int main(void) {
  int s, t = 5;
  for (int i = 0; i < 601; i++) {
    a[i] = next();
    b[i] = next();
  }
  for (int i = 0; i < 601; i++)
    if (a[i] > b[i]) {
      s = a[i] - b[i] * 3;
      c[i] += s;
      a[i] = s;
    }
  // Here the value comes from the iteration before: nothing is private.
  for (int i = 0; i < 601; i++) {
    if (a[i] > 10)
      t = a[i];
    b[i] = t;
  }
  for (int i = 0; i < 601; i++)
    printf("%d %d %d\n", a[i], b[i], c[i]);
  printf("%d\n", t);
  return 0;
}
