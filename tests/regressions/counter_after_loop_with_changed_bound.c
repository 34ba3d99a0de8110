// was: The counter's value after the nest was computed anew from the bound cnt[i], which the nest
//      changes.
// now: j is what the last loop left it at, by the bound it ran with.
#include <stdio.h>
int main(int argc, char **argv) {
  static int cnt[50], A[50][50]; int i, j;
  for (i = 0; i < 50; i++) cnt[i] = 5 + i % 9;
  for (i = 0; i < 50; i++) {
    for (j = 0; j < cnt[i]; j++) A[i][j] = i + j;
    cnt[i] = 2;
  }
  printf("%d %d\n", i, j);
}
