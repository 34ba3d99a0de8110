// A sum: partial results of blocks by exchanges within warps, and a second kernel with one block.
// RUN: %nestwarp explain --verbose %s --registers=model --size n=10000000 | FileCheck %s
// CHECK: kernel sum_0_step0:
// CHECK: mapping: reduces into one partial result per block; grid of 1056 x 1 blocks
// CHECK: loop i (line {{[0-9]+}}): all threads, reduced
// CHECK: load a[i] {{.*}}: coalesced; 4.0 transactions
// CHECK: nw_warps_f32 in shared memory: partial results that the threads of a block reduce
// CHECK-NEXT: store nw_warps_f32[{{.*}}]: no bank conflicts; 1.0 turns of the banks
// CHECK: 64 B of shared memory a block
// CHECK: instead, reductions over 256 blocks
// CHECK: kernel sum_0_step0_combine
// CHECK: mapping: one block reduces the partial results; grid of 1 x 1 blocks
// CHECK: in the way: 256 threads for a device that holds 270336
float sum(int n, const float *a) {
  float s = 0;
  for (int i = 0; i < n; i++)
    s += a[i];
  return s;
}
