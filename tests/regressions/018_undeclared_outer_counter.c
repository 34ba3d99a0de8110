// KERNEL BUILD FAILURE at run time: use of undeclared identifier 'i' (one-iteration inner loop counting down from i to i;
// isl replaces i by -minus_j in the body, so i is not passed, but the launch bound / guard still mention i). fuzz p248.
#include <stdio.h>
unsigned A[64], B[64], C[64][64]; int GN = 20;
int main(void) {
  for (volatile int i = 0; i < 64; i++) A[i] = i * 7, B[i] = i * i;
  for (int i = 0; i < GN; i++) {
    for (int j = i + 1 - 1; j >= i; j -= 1) A[j + i] ^= B[i];
    for (int j = i + 1 - 1; j >= i; j--) {
      C[j][j + j] = A[j + i];
      B[j / 2] += C[j][j + 4] + B[2 * j + 3] + A[i + 2];
    }
  }
  for (volatile int i = 0; i < 64; i++) printf("%u %u %u\n", A[i], B[i], C[i][i + i & 63]);
}
