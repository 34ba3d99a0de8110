// was: An inner loop of one iteration counts down from i to i. isl replaced i in the body, so it
//      was not passed to the kernel, whose guard mentioned it.
// now: What a kernel mentions, it gets; the kernels build.
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
