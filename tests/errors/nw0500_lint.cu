// What lint says, each with its caret.
// RUN: not %nestwarp lint --accesses %s 2>&1 | FileCheck --strict-whitespace %s

__global__ void k(float *a, const int *at) {
  // CHECK: nw0500_lint.cu:[[#@LINE+7]]:20: warning: 'nobody' (256 bytes of shared memory) is never used [NW0508]
  // CHECK-NEXT: [[#@LINE+6]] |   __shared__ float nobody[64];
  // CHECK-NEXT: {{^ +[|]                    \^$}}
  // CHECK-NEXT: = help: take it out
  // CHECK: :[[#@LINE+7]]:3: remark: store of tile[threadIdx.x][0]: 32 turns of the banks per warp, 1 without conflicts [NW0500]
  // CHECK: :[[#@LINE+6]]:3: warning: tile[threadIdx.x][0]: 32 threads of a warp access the same one of 32 banks: 32 turns where 1 would do [NW0502]
  // CHECK: = help: make its rows one element longer: a row then has 33 elements
  __shared__ float nobody[64];
  __shared__ float tile[32][32];
  int i = threadIdx.x;
  // CHECK: :[[#@LINE+1]]:24: remark: the address of a[at[threadIdx.x]] is not known here: it depends on data, or on code that is not followed [NW0510]
  tile[i][0] = at[i] + a[at[i]];
  // CHECK: :[[#@LINE+2]]:7: warning: threads of a warp diverge here: threadIdx.x % 2 holds for 16 of 32 lanes, in 1 of 1 warps of a block [NW0507]
  // CHECK: :[[#@LINE+2]]:5: warning: a[threadIdx.x * 32]: neighbouring threads are 32 elements (128 bytes) apart: 16 transactions of 32 bytes per warp where 2 would do [NW0501]
  if (i % 2)
    a[i * 32] = 1;
}

__global__ void sums(float *c, const float *a, const float *b, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < n; j++)
    // CHECK: :[[#@LINE+2]]:5: warning: c[blockIdx.x * blockDim.x + threadIdx.x] is loaded and stored in each iteration of the loop over j: {{.*}} [NW0505]
    // CHECK: :[[#@LINE+1]]:28: warning: b[j]: in each iteration of the loop over j the 100 threads of a block load 1 different element, each of them 100 times [NW0506]
    c[x] += a[j * n + x] * b[j];
}

__global__ void jumps(float *a) {
// CHECK: :[[#@LINE+1]]:1: remark: 'jumps' cannot be analysed: it jumps (goto) [NW0511]
again:
  if (a[threadIdx.x] < 1)
    goto again;
}

// CHECK: :[[#@LINE+3]]:17: remark: the block shape of 'alone' is not known: 256 is assumed [NW0512]
// CHECK-NEXT: |
// CHECK-NEXT: {{^ +[|]                 \^$}}
__global__ void alone(float *a) { a[threadIdx.x * 2] = 1; }

__global__ void large(float *a) { a[threadIdx.x] = 1; }

void launches(float *a, const int *at, int n) {
  k<<<1, 32>>>(a, at);
  // CHECK: :[[#@LINE+1]]:13: warning: a block of 100 threads leaves 28 of the 128 lanes of its warps without work [NW0504]
  sums<<<1, 100>>>(a, a, a, n);
  // CHECK: :[[#@LINE+1]]:14: warning: a block of 2000 threads is too large: at most 1024; the launch fails [NW0509]
  large<<<1, 2000>>>(a);
  // CHECK: :[[#@LINE+1]]:14: warning: 8 of 64 warps of a multiprocessor can be resident (12 %, NVIDIA H200 SXM5 141 GB): a block of 64 threads is limited by 50000 bytes of shared memory [NW0503]
  large<<<1, 64, 50000>>>(a);
}
