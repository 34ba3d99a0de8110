// patterns, Table 2.
void vecadd(int n, float *a, float *b, float *c) {
  for (int i = 0; i < n; i++)
    c[i] = a[i] + b[i];
}
