#include "project.h"
#include <stdio.h>

int main(void) {
  int a[50];
  int last = scale(11, a);
  for (int i = 0; i < 50; i++)
    a[i] = i;
  printf("scale %d total %d static %d\n", last, total(50, a), fixed(8, a));
  return 0;
}
