// MRI-Q: Q of a reconstruction from samples off the grid: at each of n voxels the sum of m samples, each with its magnitude and the phase
// that its place k gives it there.
#include <math.h>
#ifndef DATA_TYPE
#define DATA_TYPE float
#endif

void mriq(int m, int n, const DATA_TYPE kx[m], const DATA_TYPE ky[m], const DATA_TYPE kz[m], const DATA_TYPE magnitude[m],
          const DATA_TYPE x[n], const DATA_TYPE y[n], const DATA_TYPE z[n], DATA_TYPE Qr[n], DATA_TYPE Qi[n]) {
  for (int i = 0; i < n; i++) {
    DATA_TYPE real = 0, imaginary = 0;
    for (int k = 0; k < m; k++) {
      DATA_TYPE phase = (DATA_TYPE)6.2831853071795864769 * (kx[k] * x[i] + ky[k] * y[i] + kz[k] * z[i]);
      real += magnitude[k] * cosf(phase);
      imaginary += magnitude[k] * sinf(phase);
    }
    Qr[i] = real;
    Qi[i] = imaginary;
  }
}
