// c = a + b.
void vecadd(int n, const float a[n], const float b[n], float c[n]) {
  for (int i = 0; i < n; i++)
    c[i] = a[i] + b[i];
}
