// RUN: %nestwarp compile --emit=program %s 2>&1 | FileCheck --strict-whitespace %s
__global__ void bad(float *a) {
  // CHECK: nw0120_shared.cu:[[#@LINE+4]]:20: remark: the kernel uses shared memory ('s') [NW0120]
  // CHECK-NEXT: [[#@LINE+3]] |   __shared__ float s[32];
  // CHECK-NEXT: {{^ +[|]                    \^$}}
  // CHECK-NEXT: = help: it is left as it was written
  __shared__ float s[32];
  s[threadIdx.x] = a[threadIdx.x];
  a[threadIdx.x] = s[31 - threadIdx.x];
}

__global__ void good(float *a) { a[threadIdx.x] = 1; }
// The other kernel is not held up by this one.
// CHECK: region {{[0-9]+}} of good
