// was: w[i] is read under a condition on data. All of the range was copied, beyond the end of the
//      memory, and the program crashed.
// now: What is touched only where data say so is not copied as a whole; the program ends.
#include <stdio.h>
#include <sys/mman.h>
#include <string.h>
__attribute__((noinline)) void f(int n, const int *restrict mask, const int *restrict w, int *restrict B) {
  for (int i = 0; i < n; i++) B[i] = mask[i] ? w[i] : 0;
}
int main(void) {
  static int mask[100000], B[100000];
  char *m = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mprotect(m + 4096, 4096, PROT_NONE);
  int *w = (int *)m; for (int i = 0; i < 1024; i++) { w[i] = i; mask[i] = 1; }
  f(100000, mask, w, B);
  printf("%d %d\n", B[1023], B[5000]);
}
