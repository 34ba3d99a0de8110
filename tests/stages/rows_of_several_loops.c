// Reductions in several parallel loops, and over several loops: the threads of a block share out
// the loop whose neighbouring values are neighbours in memory, and a block has one value of each
// parallel loop but the innermost. Not where another mapping coalesces the accesses already, nor
// over several blocks.
// RUN: %nestwarp compile --emit=kernels %s --device=h200 --function softmax | FileCheck --check-prefix=SOFTMAX %s
// RUN: %nestwarp compile --emit=cuda %s --device=h200 --function heads | FileCheck --check-prefix=HEADS %s
// RUN: %nestwarp compile --emit=kernels %s --device=h200 --function norm | FileCheck --check-prefix=NORM %s
// RUN: %nestwarp compile --emit=kernels %s --device=h200 --function pool | FileCheck --check-prefix=POOL %s
// RUN: %nestwarp compile --emit=kernels %s --device=h200 --function columns | FileCheck --check-prefix=NONE %s
// RUN: %nestwarp compile --emit=kernels %s --device=h200 --function three 2>&1 | FileCheck --check-prefix=THREE %s
// RUN: %nestwarp compile --emit=facts %s --device=h200 --function columns | FileCheck --check-prefix=FACTS %s
// RUN: %nestwarp compile --emit=plan %s --device=h200 --function pool | tr -d '\n' | sed 's/"axis": "x"/"axis": "y"/g; s/"block": \[ *[0-9]*, *[0-9]* *\],\( *"profitable\)/"block": [32, 8, 4],\1/g' > %t.json
// RUN: not %nestwarp compile --emit=kernels %s --device=h200 --function pool --plan %t.json 2>&1 | FileCheck --check-prefix=BLOCKS %s
#include <math.h>

// SOFTMAX: block reduction, legal if ({{.*}}b{{.*}} <= 65535), profitable if {{.*}} >= 8192)
// SOFTMAX: kernel softmax_0_step0_block_reduction2 (a block of 256 threads shares out each loop over j for one value of i, k)
// SOFTMAX: int k = block.z;
// SOFTMAX-NEXT: int i = block.x;
// SOFTMAX: kernel softmax_0_step0_block_reduction4 (rows of 32 threads
// SOFTMAX: int k = block.z;
// SOFTMAX-NEXT: int i = ((block.x * 8) + local.y);
void softmax(int b, int n, int m, float x[restrict b][n][m], float y[restrict b][n][m]) {
  for (int k = 0; k < b; k++)
    for (int i = 0; i < n; i++) {
      float most = -INFINITY, s = 0;
      for (int j = 0; j < m; j++)
        most = fmaxf(most, x[k][i][j]);
      for (int j = 0; j < m; j++)
        s += y[k][i][j] = expf(x[k][i][j] - most);
      for (int j = 0; j < m; j++)
        y[k][i][j] /= s;
    }
}

// HEADS: heads_0_step0_block_reduction2(
// HEADS: int h = int(blockIdx.z) % {{.*}};
// HEADS-NEXT: int k = int(blockIdx.z) / {{.*}};
// HEADS-NEXT: int i = int(blockIdx.x) * 8 + int(threadIdx.y);
void heads(int b, int c, int n, int m, float x[b][c][n][m], float y[b][c][n]) {
  for (int k = 0; k < b; k++)
    for (int h = 0; h < c; h++)
      for (int i = 0; i < n; i++) {
        float s = 0;
        for (int j = 0; j < m; j++)
          s += x[k][h][i][j];
        y[k][h][i] = s;
      }
}

// NORM: kernel norm_0_step0_block_reduction2 (a block of 256 threads shares out each loop over j for one value of g, i)
// NORM: for (int j = local.x; {{.*}}; j += 256) {
// NORM-NEXT: for (int c = 0;
void norm(int n, int groups, int m, int p, float x[n][groups][m][p], float y[n][groups][m][p]) {
  for (int i = 0; i < n; i++)
    for (int g = 0; g < groups; g++) {
      float s = 0;
      for (int c = 0; c < m; c++)
        for (int j = 0; j < p; j++)
          s += x[i][g][c][j] * x[i][g][c][j];
      for (int c = 0; c < m; c++)
        for (int j = 0; j < p; j++)
          y[i][g][c][j] = x[i][g][c][j] / s;
    }
}

// POOL: block reduction, legal if {{.*}}profitable if {{.*}} >= 1024) && {{.*}} <= 4224))
// POOL: block reduction, legal if {{.*}}profitable if {{.*}} >= 128) && {{.*}} <= 4224))
// POOL: block reduction, legal if {{.*}}profitable if {{.*}} >= 32)
// POOL: kernel pool_0_step0_block_reduction3 (32 threads along x share the reduction over j, blocks of 32x2, over c, i)
// BLOCKS: over several blocks, which is for steps of one parallel loop
void pool(int n, int m, int h, int w, float x[n][m][h][w], float y[n][m]) {
  for (int i = 0; i < n; i++)
    for (int c = 0; c < m; c++) {
      float s = 0;
      for (int k = 0; k < h; k++)
        for (int j = 0; j < w; j++)
          s += x[i][c][k][j];
      y[i][c] = s;
    }
}

// Neighbouring values of j are neighbours in memory.
// FACTS: "loop": "i"
// NONE: kernel
// NONE-NOT: block_reduction
void columns(int b, int n, int m, float x[b][n][m], float y[b][m]) {
  for (int k = 0; k < b; k++)
    for (int j = 0; j < m; j++) {
      float s = 0;
      for (int i = 0; i < n; i++)
        s += x[k][i][j];
      y[k][j] = s;
    }
}

// Variables that a block's threads share, with two loops taken from the number along z.
// THREE-NOT: NW0297
// THREE: kernel three_0_step0_block_reduction (a block of 1024 threads
// THREE-NEXT: shared float s;
// THREE-NEXT: int g = (block.z %
void three(int b, int h, int n, int m, float x[restrict b][h][n][m],
           float y[restrict b][h][n][m]) {
  for (int k = 0; k < b; k++)
    for (int g = 0; g < h; g++)
      for (int i = 0; i < n; i++) {
        float s = 0;
        for (int j = 0; j < m; j++)
          s += x[k][g][i][j];
        for (int j = 0; j < m; j++)
          y[k][g][i][j] = x[k][g][i][j] / s;
      }
}
