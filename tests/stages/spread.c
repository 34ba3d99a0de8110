// Folds inside a parallel loop that threads share out: rows by neighbouring threads, columns by rows of threads; not where one thread's
// loop holds more than folds, not in strict arithmetic, and not when it is switched off.
// RUN: %nestwarp compile --emit=kernels %s --device=h200 --function rows | FileCheck --check-prefix=ROWS %s
// RUN: %nestwarp compile --emit=kernels %s --device=h200 --function columns | FileCheck --check-prefix=COLUMNS %s
// RUN: %nestwarp compile --emit=plan %s --device=h200 --function columns | tr -d '\n' | sed 's/"block": \[ *32, *32 *\]/"block": [32, 8, 16]/' > %t.blocks.json
// RUN: %nestwarp compile --emit=kernels %s --device=h200 --function columns --plan %t.blocks.json | FileCheck --check-prefix=BLOCKS %s
// RUN: %nestwarp compile --emit=cuda %s --device=h200 --function rows | FileCheck --check-prefix=CUDA %s
// RUN: %nestwarp compile --emit=opencl %s --device=h200-opencl --function rows | FileCheck --check-prefix=OPENCL %s
// RUN: %nestwarp compile --emit=plan %s --device=h200 --function rows | FileCheck --check-prefix=PLAN %s
// RUN: %nestwarp compile --emit=kernels %s --device=h200 --function chained | FileCheck --check-prefix=NONE %s
// RUN: %nestwarp compile --emit=kernels %s --device=h200 --function rows --fp=strict | FileCheck --check-prefix=NONE %s
// RUN: %nestwarp compile --emit=kernels %s --device=h200 --function rows --no-spread | FileCheck --check-prefix=NONE %s
// RUN: %nestwarp compile --emit=kernels %s --device=cpu --function rows | FileCheck --check-prefix=NONE %s

// ROWS: if ((((long long)m - 1) + 1) >= 128) the first, or else
// ROWS-NEXT: launch rows_0_step0_spread
// ROWS-NEXT: launch rows_0_step0 on
// ROWS: kernel rows_0_step0_spread (32 threads along x share the fold over j
// ROWS: int i = ((block.x * 8) + lane.y);
// ROWS: float nw_folded = 0f;
// ROWS: for (int j = lane.x; (j <= (m - 1)); j += 32) {
// ROWS-NEXT: nw_folded = (nw_folded + (A[i][j] * x[j]));
// ROWS: fold nw_folded by + along x;
// ROWS: sum = (sum + nw_folded);
// ROWS: y[i] = sum;

// COLUMNS: launch columns_0_step0_spread on {{.*}} x 32 work-items
// COLUMNS-NEXT: launch columns_0_step0 on
// COLUMNS: kernel columns_0_step0_spread (32 threads along y share the fold over i
// BLOCKS: launch columns_0_step0_spread
// BLOCKS-NEXT: launch columns_0_step0_gather
// BLOCKS: kernel columns_0_step0_spread (8 threads along y in up to 16 blocks share the fold over i
// BLOCKS: int j = thread.x;
// BLOCKS: for (int i = thread.y; (i <= (n - 1)); i += threads.y) {
// BLOCKS: fold nw_folded by + along y;
// BLOCKS: partial[[N:[0-9]+]][((block.y * nw_columns) + thread.x)] = nw_folded;
// BLOCKS: kernel columns_0_step0_gather
// BLOCKS: for (long long nw_block = 0; (nw_block < nw_blocks); nw_block += 1) {
// BLOCKS: partial[[N]][((nw_block * nw_columns) + thread.x)]

// CUDA: rows_0_step0_spread(
// CUDA: #pragma unroll 8
// CUDA: __shfl_xor_sync(0xffffffffu, nw_folded, 16)
// CUDA: __shfl_xor_sync(0xffffffffu, nw_folded, 1)

// OPENCL: rows_0_step0_spread(
// OPENCL: __local float nw_fold_f32[256];
// OPENCL: barrier(
// OPENCL-NOT: shfl

// PLAN: "spread": {
// PLAN-NEXT: "loop": "j",
// PLAN-NEXT: "axis": "x",

// NONE: kernel
// NONE-NOT: spread
void rows(int n, int m, float A[n][m], float *x, float *y) {
  for (int i = 0; i < n; i++) {
    float sum = 0;
    for (int j = 0; j < m; j++)
      sum += A[i][j] * x[j];
    y[i] = sum;
  }
}

void columns(int n, int m, float A[n][m], float *x, float *y) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      y[j] += A[i][j] * x[i];
}

void chained(int n, int m, float A[n][m], float *x, float *y) {
  for (int i = 0; i < n; i++)
    for (int j = 1; j < m; j++) {
      A[i][j] = A[i][j - 1] + x[j];
      y[i] += A[i][j];
    }
}
