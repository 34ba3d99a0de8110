// was: An unsigned constant beyond INT64_MAX ended the translator with an assertion.
// now: The constant keeps its value; it is not read as -1.
#include <stdio.h>
#include <stdint.h>
unsigned a[100];
int main(void) {
  size_t n = 90;
  for (size_t i = 0; i < n; i++) if (i < SIZE_MAX) a[i] = i + 1;
  for (size_t i = 0; i < n; i++) if (i != (size_t)-1) a[i] += i * 0xFFFFFFFFFFFFFFFEull;
  for (int i = 0; i < 100; i++) printf("%u ", a[i]);
}
