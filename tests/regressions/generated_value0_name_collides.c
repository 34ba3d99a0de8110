// was: The generated parameter value0, for n * m, was taken for the user's variable value0: 6
//      elements were set.
// now: Generated names are none of the user's: 48 elements are set to 3.
#include <stdio.h>
int r[60], value0 = 3;
__attribute__((noinline)) void h(int n, int m) {
  for (int i = 0; i < n * m + value0; i++) r[i] += value0;
}
int main(void) { h(5, 9); for (volatile int i = 0; i < 60; i++) printf("%d ", r[i]); }
