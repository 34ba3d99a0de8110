#include "project.h"

int scale(int n, int a[n]) {
  for (int i = 0; i < n; i++)
    a[i] = FACTOR * i;
  return a[n - 1];
}
