// --fp=strict keeps CUDA from contracting a product and a sum; so does -ffp-contract=off. OpenCL has a pragma.
// RUN: %nestwarp compile --emit=cuda --fp=strict %s | FileCheck --check-prefix=STRICT %s
// RUN: %nestwarp compile --emit=cuda -ffp-contract=off %s | FileCheck --check-prefix=STRICT %s
// RUN: %nestwarp compile --emit=cuda %s | FileCheck --check-prefix=PLAIN %s
// RUN: %nestwarp compile --emit=opencl --fp=strict %s | FileCheck --check-prefix=OPENCL %s
// STRICT: y[i] = __fmul_rn(a, x[i]) + y[i];
// STRICT: q[i] = __dmul_rn(p[i], p[i]) + q[i];
// PLAIN-NOT: mul_rn
// OPENCL: #pragma OPENCL FP_CONTRACT OFF
void axpy(int n, float a, const float *restrict x, float *restrict y, const double *restrict p, double *restrict q) {
  for (int i = 0; i < n; i++) {
    y[i] = a * x[i] + y[i];
    q[i] = p[i] * p[i] + q[i];
  }
}
