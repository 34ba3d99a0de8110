// RUN: %nestwarp compile --emit=program %s 2>&1 | FileCheck --strict-whitespace %s
__constant__ float table[16];
__global__ void bad(float *a) {
  // CHECK: nw0121_variable.cu:[[#@LINE+3]]:20: remark: the kernel uses 'table', a device variable that is not a kernel argument [NW0121]
  // CHECK-NEXT: [[#@LINE+2]] |   a[threadIdx.x] = table[threadIdx.x];
  // CHECK-NEXT: {{^ +[|]                    \^$}}
  a[threadIdx.x] = table[threadIdx.x];
}

__global__ void good(float *a) { a[threadIdx.x] = 1; }
// CHECK: region {{[0-9]+}} of good
