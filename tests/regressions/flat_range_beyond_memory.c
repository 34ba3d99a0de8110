// was: The copied range of a flattened array was the box of its subscripts: on the way down a
//      diagonal it ended in elements that the program never touches, and that need not exist.
// now: Nothing is copied that the program does not reach.
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

static void diagonal(int n, int *total, const int *b) {
  for (int j = 0; j < n; j++)
    total[j] = b[(j % 5) * n + j];
}

int main(void) {
  enum { N = 63 };
  // b ends behind its last element that is read, and so does the memory.
  size_t page = (size_t)sysconf(_SC_PAGESIZE), count = 4 * N + 60;
  char *base = mmap(0, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (base == MAP_FAILED || mprotect(base + page, page, PROT_NONE) != 0)
    return 1;
  int *b = (int *)(base + page) - count;
  for (size_t k = 0; k < count; k++)
    b[k] = (int)(k * 7 % 11);
  static int total[N];
  diagonal(N, total, b);
  for (int j = 0; j < N; j++)
    printf("%d\n", total[j]);
  return 0;
}
