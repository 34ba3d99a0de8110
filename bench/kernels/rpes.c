// RPES: two-electron repulsion integrals of shells of type s. n pairs of shells, each of 'primitives' pairs of Gaussians with an exponent,
// a centre and a factor; Rys's polynomial has one root there, whose weight is Boys's function of order zero.
#include <math.h>
#ifndef DATA_TYPE
#define DATA_TYPE float
#endif

void rpes(int n, int primitives, const DATA_TYPE exponent[n][primitives], const DATA_TYPE factor[n][primitives], const DATA_TYPE x[n][primitives],
          const DATA_TYPE y[n][primitives], const DATA_TYPE z[n][primitives], DATA_TYPE integral[n][n]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      DATA_TYPE sum = 0;
      for (int a = 0; a < primitives; a++)
        for (int b = 0; b < primitives; b++) {
          DATA_TYPE p = exponent[i][a], q = exponent[j][b];
          DATA_TYPE dx = x[i][a] - x[j][b], dy = y[i][a] - y[j][b], dz = z[i][a] - z[j][b];
          DATA_TYPE t = p * q / (p + q) * (dx * dx + dy * dy + dz * dz);
          DATA_TYPE root = sqrtf(t);
          DATA_TYPE weight = t < (DATA_TYPE)0.01 ? 1 - t / 3 + t * t / 10 : (DATA_TYPE)0.88622692545275801365 * erff(root) / root;
          sum += factor[i][a] * factor[j][b] * (DATA_TYPE)34.986836655249725 / (p * q * sqrtf(p + q)) * weight;
        }
      integral[i][j] = sum;
    }
}
