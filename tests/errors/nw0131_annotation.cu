// RUN: not %nestwarp compile --emit=program %s 2>&1 | FileCheck %s
// CHECK: nw0131_annotation.cu:{{[0-9]+}}:24: error: no kernel follows this annotation [NW0131]
// CHECK: nw0131_annotation.cu:[[#@LINE+1]]:24: error: 'c' is not an array argument of the kernel [NW0131]
#pragma nestwarp array(c[100])
// CHECK: nw0131_annotation.cu:[[#@LINE+1]]:23: error: no loop of the kernel counts 'k' [NW0131]
#pragma nestwarp loop(k, 0, 100, 1)
// CHECK: nw0131_annotation.cu:[[#@LINE+1]]:24: error: 'm' is neither a number nor an integer argument of the kernel [NW0131]
#pragma nestwarp array(a[m])
// CHECK: nw0131_annotation.cu:[[#@LINE+1]]:18: error: the kernel is launched with 128 threads in a block, not with 256 [NW0131]
#pragma nestwarp kernel(threads=256)
__global__ void set(float *a) {
  // CHECK: nw0131_annotation.cu:[[#@LINE+1]]:25: error: an element of 'a' has 4 bytes, not 8 [NW0131]
  __annotation(L"garray a 1 8 100");
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  a[i] = 1;
}
void launch(float *a) { set<<<1, 128>>>(a); }
#pragma nestwarp array(a[100])
