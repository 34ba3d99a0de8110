// was: isl merged { 0, 1 } and the multiples of 3 into all numbers that leave 0 or 1: more was
//      copied than there is.
// now: Sets are not enlarged; only what exists is copied.
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static void reduce(int n, short *a, const int *index) {
  for (int i = 0; i < n; i += 3) {
    int first[2];
    for (int z = 0; z < 2; z++)
      first[z] = index[z];
    a[i] = first[0] + first[1] + index[i];
  }
}

int main(void) {
  enum { N = 198 };
  // index ends where the memory does.
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  char *base = mmap(0, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (base == MAP_FAILED || mprotect(base + page, page, PROT_NONE) != 0)
    return 1;
  int *index = (int *)(base + page) - (N - 2);
  for (int i = 0; i < N - 2; i++)
    index[i] = i % 7;
  static short a[N];
  reduce(N, a, index);
  for (int i = 0; i < N; i += 3)
    printf("%d\n", a[i]);
  return 0;
}
