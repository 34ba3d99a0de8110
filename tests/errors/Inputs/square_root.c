double sqrt(double);
void roots(int n, double a[n]) {
  for (int i = 0; i < n; i++)
    a[i] = sqrt(a[i]);
}
