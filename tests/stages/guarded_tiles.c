// Blocks at the edges are partial: every thread checks that it is inside, and the grid is rounded up.
// RUN: %nestwarp compile --emit=kernels %s | FileCheck --check-prefix=KERNELS %s
// RUN: %nestwarp compile --emit=cuda %s | FileCheck --check-prefix=CUDA %s
// KERNELS: launch f_0_step0 on {{.*}}83 x {{.*}}45 work-items
// KERNELS: kernel f_0_step0 ({{.*}}), blocks of 32 x 8
// CUDA: for (int i = {{.*}}; i <= 44; i += int(gridDim.y * blockDim.y))
// CUDA: if ({{.*}}j {{<=|<|>=}} 8{{[23]}}
// CUDA: a[i][j] = i - j;
int a[45][83];
void f(void) {
  for (int i = 0; i < 45; i++)
    for (int j = 0; j < 83; j++)
      a[i][j] = i - j;
}
