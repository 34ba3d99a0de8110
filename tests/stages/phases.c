// Loops over a row, of which one takes what another has left: the threads of a block share out each
// where rows are long, the threads of a warp where they are short, with barriers where they meet;
// not where an iteration needs the one before.
// RUN: %nestwarp compile --emit=kernels %s --device=h200 --function softmax | FileCheck --check-prefix=SOFTMAX %s
// RUN: %nestwarp compile --emit=cuda %s --device=h200 --function softmax | FileCheck --check-prefix=CUDA %s
// RUN: %nestwarp compile --emit=plan %s --device=h200 --function softmax > %t.json && FileCheck --check-prefix=PLAN %s < %t.json
// RUN: tr -d '\n' < %t.json | sed 's/"axis": "x"/"axis": "y"/' > %t.columns.json
// RUN: not %nestwarp compile --emit=kernels %s --device=h200 --function softmax --plan %t.columns.json 2>&1 | FileCheck --check-prefix=AXIS %s
// RUN: %nestwarp compile --emit=kernels %s --device=h200 --function known | FileCheck --check-prefix=KNOWN %s
// RUN: %nestwarp compile --emit=kernels %s --device=h200 --function long_ | FileCheck --check-prefix=LONG %s
// RUN: %nestwarp compile --emit=plan %s --device=h200 --function wide | FileCheck --check-prefix=WIDE %s
// RUN: %nestwarp compile --emit=kernels %s --device=h200 --function carried | FileCheck --check-prefix=NONE %s
// RUN: %nestwarp compile --emit=kernels %s --device=h200 --function few | FileCheck --check-prefix=NONE %s
// RUN: %nestwarp compile --emit=kernels %s --device=h200 --function columns | FileCheck --check-prefix=NONE %s
// RUN: %nestwarp compile --emit=kernels %s --device=h200 --function large | FileCheck --check-prefix=NONE %s
// RUN: %nestwarp compile --emit=plan %s --device=h200 --function own | tr -d '\n' | sed 's/"block": \[ *32, *32 *\]/"block": [32, 8, 16]/' > %t.own.json
// RUN: %nestwarp compile --emit=kernels %s --device=h200 --function own --plan %t.own.json | FileCheck --check-prefix=OWN %s
#include <math.h>

// SOFTMAX: block reduction, profitable if {{.*}} >= 8192)
// SOFTMAX-NEXT: launch softmax_0_step0_block_reduction on
// SOFTMAX-NEXT: else block reduction, profitable if {{.*}} >= 2048)
// SOFTMAX-NEXT: launch softmax_0_step0_block_reduction2 on
// SOFTMAX-NEXT: else block reduction, profitable if {{.*}} >= 512)
// SOFTMAX-NEXT: launch softmax_0_step0_block_reduction3 on
// SOFTMAX-NEXT: else block reduction, profitable if {{.*}} >= 32)
// SOFTMAX-NEXT: launch softmax_0_step0_block_reduction4 on
// SOFTMAX-NEXT: else
// SOFTMAX-NEXT: launch softmax_0_step0 on
// SOFTMAX: kernel softmax_0_step0_block_reduction2 (a block of 256 threads shares out each loop over j for one value of i)
// SOFTMAX-NEXT: shared float most;
// SOFTMAX-NEXT: shared float s;
// SOFTMAX-NEXT: int i = block.x;
// SOFTMAX: reduce nw_reduced by > along x;
// SOFTMAX-NEXT: if (((local.x == 0) &&
// SOFTMAX-NEXT: most = ((nw_reduced > most) ? nw_reduced : most);
// SOFTMAX: s = (float)0;
// SOFTMAX: barrier;
// SOFTMAX: for (int j = local.x; (j <= (m - 1)); j += 256) {
// SOFTMAX-NEXT: y[i][j] = exp((x[i][j] - most));
// SOFTMAX-NEXT: nw_reduced2 = (nw_reduced2 + y[i][j]);
// SOFTMAX: reduce nw_reduced2 by + along x;
// SOFTMAX: barrier;
// SOFTMAX: y[i][j] = (y[i][j] / s);
// SOFTMAX-NOT: barrier
// SOFTMAX: kernel softmax_0_step0_block_reduction3 (rows of 64 threads, 4 in a block,
// SOFTMAX: kernel softmax_0_step0_block_reduction4 (rows of 32 threads, 8 in a block, share out each loop over j for one value of i)
// SOFTMAX-NEXT: shared float most[8];
// SOFTMAX-NEXT: shared float s[8];
// SOFTMAX-NEXT: int i = ((block.x * 8) + local.y);
// SOFTMAX: reduce nw_reduced by > along x;
// SOFTMAX-NEXT: if (((local.x == 0) &&
// SOFTMAX-NEXT: most[local.y] = ((nw_reduced > most[local.y]) ? nw_reduced : most[local.y]);
// SOFTMAX: {{^}}  barrier;
// SOFTMAX: for (int j = local.x; (j <= (m - 1)); j += 32) {
// SOFTMAX-NEXT: y[i][j] = exp((x[i][j] - most[local.y]));

// CUDA: softmax_0_step0_block_reduction2(
// CUDA: __shared__ float most;
// CUDA: softmax_0_step0_block_reduction4(
// CUDA: __shared__ float most[8];

// PLAN: "blockReductions": [
// PLAN-NEXT: {
// PLAN-NEXT: "loop": "j",
// PLAN-NEXT: "axis": "x",
// PLAN: "profitableFrom": 8192
// PLAN-NEXT: },
// PLAN: "profitableFrom": 2048
// PLAN: "profitableFrom": 512
// PLAN: "profitableFrom": 32
// PLAN-NEXT: }
// PLAN-NEXT: ],
// AXIS: a row of threads has one value of the parallel loop, with axis x

// KNOWN-NOT: 256
// KNOWN: kernel known_0_step0_block_reduction (rows of 32 threads, 8 in a block, share
// LONG: kernel long__0_step0_block_reduction (a block of 256 threads
// LONG-NOT: block_reduction2

// WIDE: "blockReductions": [
// WIDE: "block": [
// WIDE-NEXT: 64,
// WIDE-NEXT: 2
// WIDE-NEXT: ],

// OWN: kernel own_0_step0_block_reduction (8 threads along y in up to 16 blocks
// OWN-NEXT: int j = thread.x;
// OWN-NEXT: int t;

// NONE: kernel
// NONE-NOT: shared
void softmax(int n, int m, float x[n][m], float y[n][m]) {
  for (int i = 0; i < n; i++) {
    float most = x[i][0];
    for (int j = 1; j < m; j++)
      if (x[i][j] > most)
        most = x[i][j];
    float s = 0;
    for (int j = 0; j < m; j++) {
      y[i][j] = expf(x[i][j] - most);
      s += y[i][j];
    }
    for (int j = 0; j < m; j++)
      y[i][j] /= s;
  }
}

// Each element needs the one before.
void carried(int n, int m, float x[n][m], float y[n][m]) {
  for (int i = 0; i < n; i++) {
    float s = 0;
    for (int j = 0; j < m; j++)
      s += x[i][j];
    for (int j = 1; j < m; j++)
      y[i][j] = y[i][j - 1] * s;
  }
}

// Too few for a warp.
void few(int n, float x[n][16], float y[n][16]) {
  for (int i = 0; i < n; i++) {
    float s = 0;
    for (int j = 0; j < 16; j++)
      s += x[i][j];
    for (int j = 0; j < 16; j++)
      y[i][j] = x[i][j] / s;
  }
}

// Never enough for a block.
void known(int n, float x[n][64], float y[n][64]) {
  for (int i = 0; i < n; i++) {
    float s = 0;
    for (int j = 0; j < 64; j++)
      s += x[i][j];
    for (int j = 0; j < 64; j++)
      y[i][j] = x[i][j] / s;
  }
}

// Always enough for a block.
void long_(int n, float x[n][2048], float y[n][2048]) {
  for (int i = 0; i < n; i++) {
    float s = 0;
    for (int j = 0; j < 2048; j++)
      s += x[i][j];
    for (int j = 0; j < 2048; j++)
      y[i][j] = x[i][j] / s;
  }
}

// Variables of two rows fit into shared memory, those of four do not.
void wide(int n, double x[n][1000], double y[n][1000]) {
  for (int i = 0; i < n; i++) {
    double t[1000], u[1000], s = 0;
    for (int j = 0; j < 1000; j++) {
      t[j] = x[i][j] * x[i][j];
      u[j] = t[j] + x[i][j];
      s += t[j];
    }
    for (int j = 0; j < 1000; j++)
      y[i][j] = t[999 - j] / s + u[j];
  }
}

// Neighbouring threads have neighbouring columns already.
void columns(int n, int m, float x[m][n], float y[m][n]) {
  for (int i = 0; i < n; i++) {
    float s = 0;
    for (int j = 0; j < m; j++)
      s += x[j][i];
    for (int j = 0; j < m; j++)
      y[j][i] = x[j][i] / s;
  }
}

// Its variables do not fit into shared memory.
void large(int n, double x[n][4096], double y[n][4096]) {
  for (int i = 0; i < n; i++) {
    double t[4096], u[4096], s = 0;
    for (int j = 0; j < 4096; j++) {
      t[j] = x[i][j] * x[i][j];
      u[j] = t[j] + x[i][j];
      s += t[j];
    }
    for (int j = 0; j < 4096; j++)
      y[i][j] = t[j] / s + u[j];
  }
}

// A variable of each iteration, in a loop that several blocks share.
void own(int n, int m, int x[n][m], int w[m]) {
  for (int j = 0; j < m; j++) {
    w[j] = 1;
    for (int i = 0; i < n; i++) {
      int t = 0;
      for (int k = 0; k < 4; k++)
        t += x[i][j] * (k + 1);
      w[j] += t * t;
    }
  }
}
