// MRI-FHD: F^H d of the same reconstruction: samples d weighted by the coil's sensitivity, then at each of n voxels the sum of m of them.
#include <math.h>
#ifndef DATA_TYPE
#define DATA_TYPE float
#endif

void mrifhd(int m, int n, const DATA_TYPE phiR[m], const DATA_TYPE phiI[m], const DATA_TYPE dR[m], const DATA_TYPE dI[m],
            const DATA_TYPE kx[m], const DATA_TYPE ky[m], const DATA_TYPE kz[m], const DATA_TYPE x[n], const DATA_TYPE y[n],
            const DATA_TYPE z[n], DATA_TYPE rhoR[m], DATA_TYPE rhoI[m], DATA_TYPE outR[n], DATA_TYPE outI[n]) {
  for (int k = 0; k < m; k++) {
    rhoR[k] = phiR[k] * dR[k] + phiI[k] * dI[k];
    rhoI[k] = phiR[k] * dI[k] - phiI[k] * dR[k];
  }
  for (int i = 0; i < n; i++) {
    DATA_TYPE real = 0, imaginary = 0;
    for (int k = 0; k < m; k++) {
      DATA_TYPE phase = (DATA_TYPE)6.2831853071795864769 * (kx[k] * x[i] + ky[k] * y[i] + kz[k] * z[i]);
      DATA_TYPE c = cosf(phase), s = sinf(phase);
      real += rhoR[k] * c - rhoI[k] * s;
      imaginary += rhoI[k] * c + rhoR[k] * s;
    }
    outR[i] = real;
    outI[i] = imaginary;
  }
}
