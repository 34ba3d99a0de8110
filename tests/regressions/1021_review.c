#include <stdio.h>
#include <stddef.h>
__attribute__((noinline)) void f(int *restrict p, size_t len, size_t limit) {
  for (size_t i = 0; i < len && i < limit; i++) p[i] = 5;
}
int main(void) { static int a[100]; f(a, 100, (size_t)-1); printf("%d\n", a[99]); }
