// A loop over time: inside the kernel where the device has a barrier across blocks, else a launch for each step; either is
// told to be the alternative of the other.
// RUN: %nestwarp explain --verbose %s --registers=model --size t=100 --size n=100000 | FileCheck %s
// RUN: %nestwarp explain --verbose %s --registers=model --size t=100 --size n=100000 --device=h200-opencl | FileCheck --check-prefix=PLAIN %s
// RUN: %nestwarp explain --verbose %s --registers=model --size t=100 --size n=1000 --device=h200-opencl | FileCheck --check-prefix=ONE %s
// CHECK: sequential loops: resident, 196 blocks
// CHECK: kernel jacobi_0_resident0: {{.*}}, 98 % of the region
// CHECK-NEXT: bottleneck: global synchronization
// CHECK: loop s (line {{[0-9]+}}): in the kernel, 100 iterations (s = 0; (s < t))
// 200 barriers of 1.532 us, a third of which grows with the blocks: 196 of them, measured with 132.
// CHECK: limits: global synchronization 355.9 us
// CHECK: in the way: 200 barriers across the grid, one for each step of the loop over s
// CHECK: instead, a launch for each step: {{.*}} times as long
// PLAIN: sequential loops: plain
// PLAIN: kernel jacobi_0_step0: {{.*}} in 100 launches
// PLAIN-NEXT: bottleneck: kernel launches
// PLAIN: in the way: 100 launches of {{.*}} us each: the loop over s (line {{[0-9]+}}) runs on the host
// ONE: sequential loops: resident, 1 block
// ONE: grid of 1 x 1 blocks
// ONE: in the way: 512 threads for a device that holds 270336{{$}}
// ONE: instead, a launch for each step: {{.*}} times as long
void jacobi(int t, int n, float A[n], float B[n]) {
  for (int s = 0; s < t; s++) {
    for (int i = 1; i < n - 1; i++)
      B[i] = A[i - 1] + A[i] + A[i + 1];
    for (int i = 1; i < n - 1; i++)
      A[i] = B[i];
  }
}
