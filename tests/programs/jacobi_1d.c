// Three-point averaging of a line, two half-steps a time step.
// int: yes

#ifndef DATA_TYPE
#define DATA_TYPE float
#endif

void jacobi_1d(int tsteps, int n, DATA_TYPE A[n], DATA_TYPE B[n]) {
  for (int t = 0; t < tsteps; t++) {
    for (int i = 1; i < n - 1; i++)
      B[i] = (A[i - 1] + A[i] + A[i + 1]) / 3;
    for (int i = 1; i < n - 1; i++)
      A[i] = (B[i - 1] + B[i] + B[i + 1]) / 3;
  }
}

// Integers of this size are soon averaged away: spread them.
void prepare_jacobi_1d(int tsteps, int n, DATA_TYPE A[n], DATA_TYPE B[n]) {
  (void)tsteps;
  for (int i = 0; i < n; i++) {
    A[i] *= 1000;
    B[i] *= 1000;
  }
}
