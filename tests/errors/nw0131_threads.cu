// RUN: not %nestwarp compile --emit=program %s 2>&1 | FileCheck %s
// CHECK: nw0131_threads.cu:[[#@LINE+1]]:18: error: a block has at most 1024 threads [NW0131]
#pragma nestwarp kernel(threads=2000)
__global__ void set(float *a) { a[threadIdx.x] = 1; }
