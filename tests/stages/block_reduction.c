// Reductions inside a parallel loop that threads share out: rows by neighbouring threads, columns by rows of threads; not where one thread's
// loop holds more than reductions, not in strict arithmetic, and not when it is switched off.
// RUN: %nestwarp compile --emit=kernels %s --device=h200 --function rows | FileCheck --check-prefix=ROWS %s
// RUN: %nestwarp compile --emit=kernels@lines %s --device=h200 --function rows | FileCheck --check-prefix=LINES %s
// RUN: %nestwarp compile --emit=kernels %s --device=h200 --function columns | FileCheck --check-prefix=COLUMNS %s
// RUN: %nestwarp compile --emit=plan %s --device=h200 --function columns | tr -d '\n' | sed 's/"block": \[ *32, *32 *\]/"block": [32, 8, 16]/' > %t.blocks.json
// RUN: %nestwarp compile --emit=kernels %s --device=h200 --function columns --plan %t.blocks.json | FileCheck --check-prefix=BLOCKS %s
// RUN: %nestwarp compile --emit=kernels@partials %s --device=h200 --function columns --plan %t.blocks.json | FileCheck --check-prefix=CELLS %s
// RUN: %nestwarp compile --emit=cuda %s --device=h200 --function rows | FileCheck --check-prefix=CUDA %s
// RUN: %nestwarp compile --emit=opencl %s --device=h200-opencl --function rows | FileCheck --check-prefix=OPENCL %s
// RUN: %nestwarp compile --emit=plan %s --device=h200 --function rows | FileCheck --check-prefix=PLAN %s
// RUN: %nestwarp compile --emit=plan %s --device=h200 --function rows | sed 's/"lineAligned": true/"lineAligned": false/' > %t.first.json
// RUN: %nestwarp compile --emit=kernels %s --device=h200 --function rows --plan %t.first.json | FileCheck --check-prefix=FIRST %s
// RUN: sed 's/"lineAligned": false/"lineAligned": 1/' %t.first.json > %t.word.json && not %nestwarp compile --emit=kernels %s --device=h200 --function rows --plan %t.word.json 2>&1 | FileCheck --check-prefix=WORD %s
// RUN: %nestwarp compile --emit=plan %s --device=h200 --function rows | tr -d '\n' | sed 's/"block": \[ *32, *8 *\]/"block": [16, 8]/' > %t.narrow.json
// RUN: not %nestwarp compile --emit=kernels %s --device=h200 --function rows --plan %t.narrow.json 2>&1 | FileCheck --check-prefix=NARROW %s
// RUN: %nestwarp compile --emit=kernels %s --device=h200 --function known | FileCheck --check-prefix=KNOWN %s
// RUN: %nestwarp compile --emit=plan %s --device=h200 --function known > %t.known.json && FileCheck --check-prefix=KNOWN-PLAN %s < %t.known.json
// RUN: sed 's/"profitableFrom": 128/"profitableFrom": 128, "lineAligned": true/' %t.known.json > %t.refused.json && not %nestwarp compile --emit=kernels %s --device=h200 --function known --plan %t.refused.json 2>&1 | FileCheck --check-prefix=REFUSED %s
// RUN: %nestwarp compile --emit=kernels %s --device=h200 --function chained | FileCheck --check-prefix=NONE %s
// RUN: %nestwarp compile --emit=kernels %s --device=h200 --function rows --fp=strict | FileCheck --check-prefix=NONE %s
// RUN: %nestwarp compile --emit=kernels %s --device=h200 --function rows --no-block-reduction | FileCheck --check-prefix=NONE %s
// RUN: %nestwarp compile --emit=kernels %s --device=cpu --function rows | FileCheck --check-prefix=NONE %s

// ROWS: block reduction, profitable if (((((long long)m - 1) + 1) >= 4096) && (((long long)(n - 1) + 1) <= 4224))
// ROWS-NEXT: launch rows_0_step0_block_reduction on
// ROWS-NEXT: else block reduction, profitable if ((((long long)m - 1) + 1) >= 128)
// ROWS-NEXT: launch rows_0_step0_block_reduction2
// ROWS-NEXT: else
// ROWS-NEXT: launch rows_0_step0 on
// ROWS: kernel rows_0_step0_block_reduction (1024 threads along x share the reduction over j, blocks of 1024x1
// ROWS: kernel rows_0_step0_block_reduction2 (32 threads along x share the reduction over j from the beginning of a line of memory on
// ROWS: int i = ((block.x * 8) + local.y);
// ROWS: float nw_reduced = 0f;
// ROWS: for (int j = local.x; (j <= (m - 1)); j += 32; nw_begin from the line of ((long long)i * (long long)m) on) {
// ROWS-NEXT: nw_reduced = (nw_reduced + (A[i][j] * x[j]));
// ROWS: reduce nw_reduced by + along x;
// ROWS: sum = (sum + nw_reduced);
// ROWS: y[i] = sum;
// LINES: int nw_begin = (local.x - (int)(((long long)i * (long long)m) & 31));
// LINES-NEXT: if (((nw_begin >= 0) && (nw_begin <= (m - 1)))) {
// LINES-NEXT: nw_reduced = (nw_reduced + (A[i][nw_begin] * x[nw_begin]));
// LINES-NEXT: }
// LINES-NEXT: for (int j = (nw_begin + 32); (j <= (m - 1)); j += 32) {
// LINES-NEXT: nw_reduced = (nw_reduced + (A[i][j] * x[j]));

// COLUMNS: launch columns_0_step0_block_reduction on {{.*}} x 32 work-items
// COLUMNS-NEXT: {{^}}else{{$}}
// COLUMNS-NEXT: launch columns_0_step0 on
// COLUMNS: kernel columns_0_step0_block_reduction (32 threads along y share the reduction over i
// BLOCKS: launch columns_0_step0_block_reduction
// BLOCKS-NEXT: launch columns_0_step0_gather
// BLOCKS: kernel columns_0_step0_block_reduction (8 threads along y in up to 16 blocks share the reduction over i
// BLOCKS: int j = thread.x;
// BLOCKS: for (int i = thread.y; (i <= (n - 1)); i += threads.y) {
// BLOCKS: reduce nw_reduced by + along y;
// BLOCKS: leave nw_reduced in partial[[N:[0-9]+]] for column thread.x of nw_columns, by blocks along y;
// BLOCKS: kernel columns_0_step0_gather
// BLOCKS: take {{.*}} by + from partial[[N]] of nw_blocks blocks for column thread.x of nw_columns where {{.*}}, by each thread;
// CELLS: partial[[N:[0-9]+]][((block.y * nw_columns) + thread.x)] = nw_reduced;
// CELLS: for (long long nw_block = 0; (nw_block < nw_blocks); nw_block += 1) {
// CELLS: partial[[N]][((nw_block * nw_columns) + thread.x)]

// CUDA: // 32 threads along x share the reduction over j from the beginning of a line of memory on, blocks of 32x8, over i
// CUDA-NEXT: rows_0_step0_block_reduction2(
// CUDA: int nw_begin = int(threadIdx.x) - (int)((long long)i * (long long)m & 31LL);
// CUDA-NEXT: if (nw_begin >= 0 && nw_begin <= m - 1) {
// CUDA-NEXT: nw_reduced = nw_reduced + A[(long long)i * m + nw_begin] * x[nw_begin];
// CUDA-NEXT: }
// CUDA-NEXT: #pragma unroll 8
// CUDA-NEXT: for (int j = nw_begin + 32; j <= m - 1; j += 32) {
// CUDA: __shfl_xor_sync(0xffffffffu, nw_reduced, 16)
// CUDA: __shfl_xor_sync(0xffffffffu, nw_reduced, 1)

// OPENCL: rows_0_step0_block_reduction2(
// OPENCL: __local float nw_reduction_f32[256];
// OPENCL: int nw_begin = nw_local_x - (int)((long)i * (long)m & 31L);
// OPENCL: barrier(
// OPENCL-NOT: shfl

// PLAN: "blockReductions": [
// PLAN-NEXT: {
// PLAN-NEXT: "loop": "j",
// PLAN-NEXT: "axis": "x",
// PLAN: "profitableFrom": 4096,
// PLAN-NEXT: "rowsUpTo": 4224
// PLAN: "profitableFrom": 128,
// PLAN-NEXT: "lineAligned": true

// FIRST: kernel rows_0_step0_block_reduction2 (32 threads along x share the reduction over j, blocks of 32x8
// FIRST: for (int j = local.x; (j <= (m - 1)); j += 32) {

// KNOWN: kernel known_0_step0_block_reduction (32 threads along x share the reduction over j, blocks of 32x8
// KNOWN: for (int j = local.x; (j <= 1023); j += 32) {
// KNOWN-PLAN-NOT: lineAligned
// REFUSED: the plan for region 0 of known does not fit the program: kernel step0 has a lineAligned reduction, but rows of A begin at the same offset in a line
// NARROW: kernel step0 has a lineAligned reduction, for which 32 threads along x share it; it has 16 along x
// WORD: kernels[0].blockReductions[1].lineAligned of entry 0 must be true or false

// NONE: kernel
// NONE-NOT: blockReduction
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

// Rows of a known length, which lines divide.
void known(int n, float A[n][1024], float *y) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < 1024; j++)
      y[i] += A[i][j];
}
