// SAYS: pieces.c:5: error: create(a[0:n][k:n]): it is not contiguous; only update takes such a section
static double a[10][20];
int main(void) {
  int n = 8, k = 1;
#pragma acc enter data create(a[0:n][k:n])
  return 0;
}
