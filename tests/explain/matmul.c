// A product: mapping, accesses, occupancy, time, the alternatives, and what is in the way.
// RUN: %nestwarp explain --verbose %s --no-staging --registers=model --size n=4096 --size m=4096 --size l=4096 | FileCheck %s
// RUN: %nestwarp explain --verbose %s --no-staging --registers=model --size n=4096 --size m=4096 --size l=4096 --device=gtx-8800 | FileCheck --check-prefix=OLD %s
// RUN: %nestwarp explain --verbose %s --no-staging --ilp 4 --registers=model --size n=4096 --size m=4096 --size l=4096 | FileCheck --check-prefix=POINTS %s
// POINTS: mapping: j along threads, blocks of 32x8, 4 values of i in a thread, over i; grid of 128 x 128 blocks
// POINTS: load A[i_3][k] {{.*}}: broadcast
// POINTS: B in global memory
// POINTS-NEXT: load B[k][j] {{.*}}: coalesced
// POINTS-NOT: load B
// CHECK: on h200
// CHECK: region 0 of mm: [[TIME:[0-9.]+ ms]] on the device; copies of 134 MB in and 67 MB out
// CHECK-NEXT: sizes: l = 4096, m = 4096, n = 4096
// CHECK-NEXT: kernel mm_0_step0: [[TIME]], 100 % of the region
// CHECK-NEXT: bottleneck: load and store issue
// CHECK-NEXT: mapping: j along threads, blocks of 32x8, over i; grid of 128 x 512 blocks
// CHECK-NEXT: loop j (line [[#@LINE+26]]): threads x
// CHECK-NEXT: loop i (line [[#@LINE+24]]): threads y
// CHECK-NEXT: loop k (line [[#@LINE+26]]): in each thread, 4096 iterations (k = 0; (k < l))
// CHECK-NEXT: A in global memory: {{.*}}catches 88 % of what warps ask for
// CHECK-NEXT: load A[i][k] (line [[#@LINE+25]]): broadcast; 1.0 transactions per access of a warp
// CHECK-NEXT: as scheduled, S1 reads: false linear inter-thread pattern, true linear intra-thread pattern; prefetch candidate; M | o = [1 0 0 | 0; 0 0 1 | 0] of (i=ty, j=tx, k)
// CHECK-NEXT: B in global memory: only read here
// CHECK-NEXT: load B[k][j] (line [[#@LINE+22]]): coalesced; 4.0 transactions per access of a warp
// CHECK-NEXT: as scheduled, S1 reads: true linear inter-thread pattern, false linear intra-thread pattern; coalesced; prefetch candidate
// CHECK-NEXT: C in global memory: written here
// CHECK: occupancy: 8 blocks, 2048 threads on a multiprocessor (100 %), limited by thread contexts; {{[0-9]+}} registers a thread (by the model)
// CHECK: limits: load and store issue {{[0-9.]+}} ms, {{.*}}instruction issue {{[0-9.]+}} ms
// CHECK: instead, blocks of {{.*}} times as long
// CHECK: instead, i along the threads of step0: {{.*}} times as long
// CHECK: in the way: line [[#@LINE+15]]: A[i][k] is read by 32 threads of a block
// CHECK: in the way: line [[#@LINE+14]]: B[k][j] is read by 8 threads of a block
// A broadcast is 32 transactions on a device that combines nothing but rows in order.
// OLD: on gtx-8800
// OLD: bottleneck: global memory bandwidth
// OLD: load A[i][k] {{.*}}: broadcast; 32.0 transactions per access of a warp
// OLD: load B[k][j] {{.*}}: coalesced; 2.0 transactions per access of a warp
// OLD: in the way: line [[#@LINE+8]]: A[i][k] takes 32.0 transactions per access of a warp where {{.*}} would do


void mm(int n, int m, int l, float C[n][m], float A[n][l], float B[l][m]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      C[i][j] = 0;
      for (int k = 0; k < l; k++)
        C[i][j] += A[i][k] * B[k][j];
    }
}
