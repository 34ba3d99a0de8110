// A product: one kernel, the two outer loops parallel, the reduction inside a thread, j along neighbouring threads.
// RUN: %nestwarp compile --emit=schedule %s | FileCheck --check-prefix=SCHEDULE %s
// RUN: %nestwarp compile --emit=kernels --no-staging %s | FileCheck --check-prefix=KERNELS %s
// RUN: %nestwarp compile --emit=cuda --no-staging %s | FileCheck --check-prefix=CUDA %s
// RUN: %nestwarp compile --emit=opencl --no-staging %s | FileCheck --check-prefix=OPENCL %s
// SCHEDULE: parallel S0 S1
// SCHEDULE-NEXT: i = {{.*}}S1[i0, i1, i2] -> [i0]
// SCHEDULE-NEXT: j = {{.*}}S1[i0, i1, i2] -> [i1]
// SCHEDULE-NEXT: inside {{.*}}S1[i0, i1, i2] -> [{{.*}}i2
// SCHEDULE-NOT: {{parallel|loop|serial|reduction}}
// KERNELS: buffer A {{.*}} in{{$}}
// KERNELS: buffer B {{.*}} in{{$}}
// KERNELS: buffer C {{.*}} out{{$}}
// KERNELS: launch mm_0_step0
// KERNELS-NOT: launch
// KERNELS: kernel mm_0_step0 (j along threads
// KERNELS: for (int k = 0; {{.*}}l
// KERNELS-NOT: barrier
// CUDA: extern "C" __global__ void {{.*}}mm_0_step0(const float *__restrict__ A, const float *__restrict__ B, float *__restrict__ C
// CUDA: blockIdx.x * blockDim.x + threadIdx.x
// CUDA-NOT: __global__
// OPENCL: __kernel __attribute__((reqd_work_group_size(32, 8, 1))) void mm_0_step0(__global const float *restrict A, __global const float *restrict B, __global float *restrict C
// OPENCL: get_global_id(0)
void mm(int n, int m, int l, float C[n][m], float A[n][l], float B[l][m]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      C[i][j] = 0;
      for (int k = 0; k < l; k++)
        C[i][j] += A[i][k] * B[k][j];
    }
}
