// RUN: not %nestwarp compile --emit=program %s 2>&1 | FileCheck %s
// CHECK: nw0130_annotation.cu:[[#@LINE+1]]:25: error: kernel(…) has no 'thread'; expected threads or blocks_per_sm [NW0130]
#pragma nestwarp kernel(thread=256)
// CHECK: nw0130_annotation.cu:[[#@LINE+1]]:33: error: expected '=' [NW0130]
#pragma nestwarp kernel(threads 256)
// CHECK: nw0130_annotation.cu:[[#@LINE+1]]:33: error: expected a number above 0 [NW0130]
#pragma nestwarp kernel(threads=0)
// CHECK: nw0130_annotation.cu:[[#@LINE+1]]:33: error: 'many' is not a number [NW0130]
#pragma nestwarp kernel(threads=many)
// CHECK: nw0130_annotation.cu:[[#@LINE+1]]:38: error: 'threads' is given twice [NW0130]
#pragma nestwarp kernel(threads=256, threads=128)
// CHECK: nw0130_annotation.cu:[[#@LINE+1]]:25: error: expected '[' [NW0130]
#pragma nestwarp array(a)
// CHECK: nw0130_annotation.cu:[[#@LINE+1]]:29: error: expected ']' [NW0130]
#pragma nestwarp array(a[100)
// CHECK: nw0130_annotation.cu:[[#@LINE+1]]:30: error: expected ')' [NW0130]
#pragma nestwarp array(a[100]
// CHECK: nw0130_annotation.cu:[[#@LINE+1]]:18: error: 'coalesce' is not a clause; expected kernel, array or loop [NW0130]
#pragma nestwarp coalesce(a)
// CHECK: nw0130_annotation.cu:[[#@LINE+1]]:9: error: expected kernel(…), array(…) or loop(…) [NW0130]
#pragma nestwarp
// CHECK: nw0130_annotation.cu:[[#@LINE+1]]:27: error: expected ',' [NW0130]
#pragma nestwarp loop(i, 0)
// CHECK: nw0130_annotation.cu:[[#@LINE+1]]:33: error: the clause has no end [NW0130]
#pragma nestwarp kernel(threads=
__global__ void set(float *a) {
  // CHECK: nw0130_annotation.cu:[[#@LINE+1]]:20: error: the annotation is empty [NW0130]
  __annotation(L"");
  // CHECK: nw0130_annotation.cu:[[#@LINE+1]]:35: error: __global__ takes two numbers [NW0130]
  __annotation(L"__global__ 256 3 4");
  // CHECK: nw0130_annotation.cu:[[#@LINE+1]]:18: error: 'glob' is not an annotation; expected __global__, garray, BoundChk or loop [NW0130]
  __annotation(L"glob 256");
  // CHECK: nw0130_annotation.cu:[[#@LINE+1]]:27: error: the rank is 2, but 1 sizes follow [NW0130]
  __annotation(L"garray a 2 4 100");
  // CHECK: nw0130_annotation.cu:[[#@LINE+1]]:29: error: expected "__global__ <threads per block> <blocks per SM>" [NW0130]
  __annotation(L"__global__ 256");
  // CHECK: nw0130_annotation.cu:[[#@LINE+1]]:27: error: BoundChk takes no arguments [NW0130]
  __annotation(L"BoundChk 4");
  a[threadIdx.x] = 1;
}
