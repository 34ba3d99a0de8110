// Levinson-Durbin recursion: solves the Yule-Walker equations of the Toeplitz matrix of r.
// int: no

#ifndef DATA_TYPE
#define DATA_TYPE float
#endif

void durbin(int n, DATA_TYPE r[n], DATA_TYPE y[n]) {
  DATA_TYPE next[n];
  DATA_TYPE energy = 1;
  DATA_TYPE reflect = -r[0];

  y[0] = -r[0];
  for (int k = 1; k < n; k++) {
    energy = (1 - reflect * reflect) * energy;

    DATA_TYPE sum = 0;
    for (int i = 0; i < k; i++)
      sum += r[k - i - 1] * y[i];
    reflect = -(r[k] + sum) / energy;

    for (int i = 0; i < k; i++)
      next[i] = y[i] + reflect * y[k - i - 1];
    for (int i = 0; i < k; i++)
      y[i] = next[i];
    y[k] = reflect;
  }
}

// Makes r decay like 1/k^2 with a sum below 1/2: the Toeplitz matrix is diagonally dominant.
void prepare_durbin(int n, DATA_TYPE r[n], DATA_TYPE y[n]) {
  for (int i = 0; i < n; i++) {
    r[i] = (DATA_TYPE)0.3 * r[i] / ((DATA_TYPE)(i + 1) * (DATA_TYPE)(i + 1));
    y[i] = 0;
  }
}
