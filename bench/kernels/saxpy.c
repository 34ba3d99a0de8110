// y = alpha x + y.
void saxpy(int n, float alpha, const float x[n], float y[n]) {
  for (int i = 0; i < n; i++)
    y[i] = alpha * x[i] + y[i];
}
