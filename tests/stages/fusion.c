// Two reductions over one array, along its rows and along its columns, in one kernel: each element is loaded once. Not where values of all rows
// are needed first, not in strict arithmetic, not for a CPU, and not when it is switched off.
// RUN: %nestwarp compile --emit=kernels %s --device=h200 --function apart | FileCheck --check-prefix=APART %s
// RUN: %nestwarp compile --emit=kernels@turns %s --device=h200 --function apart | FileCheck --check-prefix=TURNS %s
// RUN: %nestwarp compile --emit=kernels %s --device=h200 --function chain | FileCheck --check-prefix=CHAIN %s
// RUN: %nestwarp compile --emit=kernels %s --device=h200 --function onto | FileCheck --check-prefix=ONTO %s
// RUN: %nestwarp compile --emit=kernels %s --device=h200 --function onward 2>&1 | FileCheck --check-prefix=ONWARD %s
// RUN: %nestwarp compile --emit=cuda %s --device=h200 --function chain | FileCheck --check-prefix=CUDA %s
// RUN: %nestwarp compile --emit=opencl %s --device=h200-opencl --function chain | FileCheck --check-prefix=OPENCL %s
// RUN: %nestwarp compile --emit=plan %s --device=h200 --function chain > %t.plan.json && FileCheck --check-prefix=PLAN %s < %t.plan.json
// RUN: tr -d '\n' < %t.plan.json | sed 's/"rows": 2/"rows": 1/' > %t.one.json
// RUN: %nestwarp compile --emit=kernels %s --device=h200 --function chain --plan %t.one.json | FileCheck --check-prefix=ONE %s
// RUN: tr -d '\n' < %t.plan.json | sed 's/"rows": 2/"rows": 9/' > %t.nine.json
// RUN: not %nestwarp compile --emit=kernels %s --device=h200 --function chain --plan %t.nine.json 2>&1 | FileCheck --check-prefix=NINE %s
// RUN: %nestwarp compile --emit=kernels %s --device=h200 --function twice | FileCheck --check-prefix=NONE %s
// RUN: %nestwarp compile --emit=kernels %s --device=h200 --function chain --fp=strict | FileCheck --check-prefix=NONE %s
// RUN: %nestwarp compile --emit=kernels %s --device=h200 --function chain --no-fusion | FileCheck --check-prefix=NONE %s
// RUN: %nestwarp compile --emit=kernels %s --device=cpu --function chain | FileCheck --check-prefix=NONE %s

// APART: fused, legal if {{.*>= 2048.*<= 8192.*}}, profitable if {{.*>= 1056}}
// APART-NEXT: launch apart_0_step0_fused
// APART-NEXT: launch apart_0_step0_columns
// APART: launch apart_0_step0_block_reduction
// APART: launch apart_0_step1_block_reduction
// APART: kernel apart_0_step0_fused (blocks of 512 threads have 2 rows of A at a time, 16 columns in a thread: the reductions over j and over j_2 in one), blocks of 512 x 1
// APART-NEXT: float nw_sums[8192] of 512 threads;
// APART: for (int nw_rows = block.x; ((nw_rows * 2) <= (n - 1)); nw_rows += blocks.x) {
// APART-NEXT: int i = (nw_rows * 2);
// APART: cyclic (int j = local.x; (j < 8192); j += 512) {
// APART-NEXT: if (((j < 2048) || (j <= (m - 1)))) {
// APART-NEXT: A_row[j] = A[i][j];
// APART: q_here = q[i];
// APART: nw_reduced = (nw_reduced + (A_row[j] (for A[i][j]) * p_column[j] (for p[j])));
// APART: speculate (((j < 2048) || (j <= (m - 1)))) {
// APART: nw_sums[j] = (nw_sums[j] + (A_row[j] (for A[i][j]) * q_here (for q[i])));
// APART: reduce nw_reduced by + along x;
// APART-NEXT: reduce nw_reduced2 by + along x;
// APART-NEXT: if ((local.x == 0)) {
// APART-NEXT: x[i] = (x[i] + nw_reduced);
// APART-NOT: barrier
// APART: leave nw_sums[j] in partial[[N:[0-9]+]] for column (long long)j of nw_columns, by blocks along x;
// Each thread's columns, one turn after the other.
// TURNS: float nw_sums[16];
// TURNS: float A_row[16];
// TURNS: unroll (int nw_column = 0; (nw_column < 16); nw_column += 1) {
// TURNS-NEXT: int j = (local.x + (nw_column * 512));
// TURNS-NEXT: if (((nw_column < 4) || (j <= (m - 1)))) {
// TURNS-NEXT: A_row[nw_column] = A[i][j];
// TURNS: speculate (((nw_column < 4) || (j <= (m - 1)))) {
// TURNS: nw_sums[nw_column] = (nw_sums[nw_column] + (A_row[nw_column] (for A[i][j]) * q_here (for q[i])));
// TURNS: partial[[N:[0-9]+]][((block.x * nw_columns) + (long long)j)] = nw_sums[nw_column];
// TURNS: kernel apart_0_step0_columns
// TURNS: for (long long nw_block = local.y; (nw_block < nw_blocks); nw_block += 32) {
// TURNS-NEXT: nw_reduced = (nw_reduced + partial[[N]][((nw_block * nw_columns) + thread.x)]);
// TURNS: reduce nw_reduced by + along y;
// TURNS: y[i_2] = (y[i_2] + nw_reduced);

// APART: kernel apart_0_step0_columns (32 threads along y take the partial results of a column, over i_2), blocks of 32 x 32
// APART: take y[i_2] by + from partial[[N]] of nw_blocks blocks for column thread.x of nw_columns where (i_2 <= (m - 1)), by the block's threads along y;

// What a row's reduction makes is known to all threads: no barrier, and no load.
// CHAIN: reduce nw_reduced2 by + along x;
// CHAIN: t[i] = (float)0;
// CHAIN: t[i] = (t[i] + nw_reduced);
// CHAIN: float t_known = ((float)0 + nw_reduced);
// CHAIN: nw_sums[j] = (nw_sums[j] + (A_row[j] (for A[i][j]) * t_known (for t[i])));
// CHAIN-NOT: barrier

// Where it is added to what is there, threads wait for the first one and read it.
// ONTO: t[i] = (t[i] + nw_reduced);
// ONTO: barrier;
// ONTO: nw_sums[j] = (nw_sums[j] + (A_row[j] (for A[i][j]) * t[i]));

// Counters without a sign that begin at a size: it is never negative, which the proof of registers needs.
// ONWARD-NOT: NW0297
// ONWARD: kernel onward_0_step0_fused
// ONWARD: A_row[(j - {{.*}})] = A[(unsigned)i][(unsigned)j];

// CUDA: __shared__ float nw_warps_f32[64];
// CUDA: for (int nw_rows = int(blockIdx.x); nw_rows * 2 <= n - 1; nw_rows += int(gridDim.x)) {
// CUDA: nw_reduced2 = nw_reduced2 + __shfl_xor_sync(0xffffffffu, nw_reduced2, 1);
// CUDA-NEXT: if (int(threadIdx.x) % 32 == 0) {
// CUDA-NEXT: nw_warps_f32[nw_turn + 0 + int(threadIdx.x) / 32] = nw_reduced;
// CUDA-NEXT: nw_warps_f32[nw_turn + 16 + int(threadIdx.x) / 32] = nw_reduced2;
// CUDA-NEXT: }
// CUDA-NEXT: __syncthreads();
// CUDA-NEXT: nw_reduced = nw_warps_f32[nw_turn + 0 + 0];
// CUDA: nw_turn = 32 - nw_turn;
// CUDA-NOT: __syncthreads
// CUDA: extern "C"
// OPENCL: nw_rows += (int)get_num_groups(0)

// PLAN: "fuse": {
// PLAN-NEXT: "with": "step1",
// PLAN-NEXT: "block": 512,
// PLAN-NEXT: "columns": 16,
// PLAN-NEXT: "rows": 2,
// PLAN-NEXT: "blocks": 132,
// PLAN: "why": "{{.*}}; from 1056 rows of 2048 columns on, step0 and step1 are one kernel, whose blocks have whole rows of A"
// ONE: kernel chain_0_step0_fused (blocks of 512 threads have one row of A at a time
// ONE: for (int nw_rows = block.x; (nw_rows <= (n - 1)); nw_rows += blocks.x) {
// NINE: the plan is not valid: kernels[0].fuse.rows of entry 0 is 9; expected 1 to 4

// NONE: launch
// NONE-NOT: fused

void apart(int n, int m, const float A[n][m], const float p[m], const float q[n], float x[n], float y[m]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      x[i] += A[i][j] * p[j];
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++)
      y[i] += A[j][i] * q[j];
}

void chain(int n, int m, const float A[n][m], const float p[m], float t[n], float y[m]) {
  for (int i = 0; i < n; i++) {
    t[i] = 0;
    for (int j = 0; j < m; j++)
      t[i] += A[i][j] * p[j];
    for (int j = 0; j < m; j++)
      y[j] += A[i][j] * t[i];
  }
}

void onto(int n, int m, const float A[n][m], const float p[m], float t[n], float y[m]) {
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < m; j++)
      t[i] += A[i][j] * p[j];
    for (int j = 0; j < m; j++)
      y[j] += A[i][j] * t[i];
  }
}

// The second takes the first one's results in another order of rows.
void twice(int n, int m, const float A[n][m], const float p[m], float x[n], float y[m]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      x[i] += A[i][j] * p[j];
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++)
      y[i] += A[j][i] * x[n - 1 - j];
}

void onward(unsigned lo, unsigned n, unsigned m, const float A[n][m], const float p[m], const float q[n], float x[n], float y[m]) {
  for (unsigned i = lo; i < n; i++)
    for (unsigned j = lo; j < m; j++)
      x[i] += A[i][j] * p[j];
  for (unsigned i = lo; i < m; i++)
    for (unsigned j = lo; j < n; j++)
      y[i] += A[j][i] * q[j];
}
