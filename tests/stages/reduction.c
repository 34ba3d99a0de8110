// A sum into a scalar: partial sums by blocks, then a second kernel; with --fp=strict it stays on the host.
// RUN: %nestwarp compile --emit=program %s | FileCheck --check-prefix=PROGRAM %s
// RUN: %nestwarp compile --emit=schedule %s | FileCheck --check-prefix=SCHEDULE %s
// RUN: %nestwarp compile --emit=kernels %s | FileCheck --check-prefix=KERNELS %s
// RUN: %nestwarp compile --emit=kernels@partials %s | FileCheck --check-prefix=CELLS %s
// RUN: %nestwarp compile --emit=schedule --fp=strict %s 2>&1 | FileCheck --check-prefix=STRICT %s
// PROGRAM: reduction sum into s
// SCHEDULE: reduction S0
// SCHEDULE-NEXT: i = {{.*}}S0[i0] -> [i0]
// KERNELS: buffer s elements [0, 1) in out
// KERNELS: buffer partial{{.*}}
// KERNELS: launch sum_0_step0 on
// KERNELS: launch sum_0_step0_combine on
// KERNELS: kernel sum_0_step0 (
// KERNELS: reduce nw_reduced by + in the block;
// KERNELS-NEXT: if ((local.x == 0)) {
// KERNELS-NEXT: leave nw_reduced in partial[[N:[0-9]+]], by blocks along x;
// KERNELS: kernel sum_0_step0_combine (one block reduces the partial results), blocks of 256 x 1
// KERNELS-NEXT: take s by + from partial[[N]] of nw_blocks blocks, by all threads of the block;
// KERNELS-NOT: {{^}}kernel
// CELLS: partial{{[0-9]+}}[block.x] = nw_reduced;
// CELLS: kernel sum_0_step0_combine (
// CELLS-NEXT: float nw_reduced = 0f;
// CELLS-NEXT: for (long long nw_block = local.x; (nw_block < nw_blocks); nw_block += 256) {
// CELLS-NEXT: nw_reduced = (nw_reduced + partial{{[0-9]+}}[nw_block]);
// CELLS: reduce nw_reduced by + in the block;
// CELLS-NEXT: if ((local.x == 0)) {
// CELLS-NEXT: s = (s + nw_reduced);
// STRICT: [NW0201]
float sum(int n, const float *a) {
  float s = 0;
  for (int i = 0; i < n; i++)
    s += a[i];
  return s;
}
