#include "project.h"

int total(int n, const int a[n]) {
  int sum = 0;
  for (int i = 0; i < n; i++)
    sum += a[i];
  return sum;
}
