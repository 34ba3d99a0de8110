// was: A size_t bound beyond INT64_MAX was taken for a negative number, and the loop for empty.
// now: The region asks whether its bounds fit, and else runs on the host; 5 is printed.
#include <stdio.h>
#include <stddef.h>
__attribute__((noinline)) void f(int *restrict p, size_t len, size_t limit) {
  for (size_t i = 0; i < len && i < limit; i++) p[i] = 5;
}
int main(void) { static int a[100]; f(a, 100, (size_t)-1); printf("%d\n", a[99]); }
