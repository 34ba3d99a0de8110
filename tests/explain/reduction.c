// A sum: a reduction in shared memory without bank conflicts, barriers, and a second kernel with one thread.
// RUN: %nestwarp explain --verbose %s --registers=model --size n=10000000 | FileCheck %s
// CHECK: kernel sum_0_step0:
// CHECK: mapping: reduces into one partial result per block; grid of 256 x 1 blocks
// CHECK: loop i (line {{[0-9]+}}): all threads, reduced
// CHECK: load a[i] {{.*}}: coalesced; 4.0 transactions
// CHECK: nw_shared in shared memory: partial results that the threads of a block reduce
// CHECK-NEXT: store nw_shared[local.x]: no bank conflicts; 1.0 turns of the banks
// CHECK: 1.0 KB of shared memory a block
// CHECK: instead, reductions over 1024 blocks
// CHECK: kernel sum_0_step0_combine
// CHECK: bottleneck: too few threads to hide latency
// CHECK: in the way: one thread does everything
float sum(int n, const float *a) {
  float s = 0;
  for (int i = 0; i < n; i++)
    s += a[i];
  return s;
}
