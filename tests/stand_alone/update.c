// Two arrays that are read and written, and one that is only written.
void update(int n, int *restrict a, int *restrict b, int *restrict c) {
  for (int i = 0; i < n; i++) {
    a[i] = a[i] * 2 + 1;
    c[i] = a[i] + i;
    b[i] = b[i] * 3 + 1;
  }
}
