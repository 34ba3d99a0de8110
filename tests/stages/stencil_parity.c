// The 49 reads of a stencil, in two copies that take turns, are one box to isl: it does not give up.
// RUN: %nestwarp compile %s --function box --emit=cuda 2>&1 | FileCheck %s
// CHECK-NOT: NW0299
// CHECK: __global__ void {{.*}} box_0_step0(
#define AT(a, b) A[t % 2][i + (a)][j + (b)]
#define ROW(a) (AT(a, -3) + AT(a, -2) + AT(a, -1) + AT(a, 0) + AT(a, 1) + AT(a, 2) + AT(a, 3))
void box(int steps, int n, float A[2][n][n]) {
  for (int t = 0; t < steps; t++)
    for (int i = 3; i < n - 3; i++)
      for (int j = 3; j < n - 3; j++)
        A[(t + 1) % 2][i][j] =
            0.02f * (ROW(-3) + ROW(-2) + ROW(-1) + ROW(0) + ROW(1) + ROW(2) + ROW(3));
}

// Remainders by different numbers: no loop is split at them, which took isl half a minute and led to nothing.
// RUN: %nestwarp compile %s --function remainders --emit=cuda 2>&1 | FileCheck --check-prefix=REMAINDERS %s
// REMAINDERS-NOT: NW0299
// REMAINDERS: each iteration needs the one before it{{.*}} [NW0201]
void remainders(int n, float g[5][32]) {
  for (int i = 0; i < n; i++)
    if (i % 3 == 2)
      g[i % 5][i % 32] = g[i & 1][(i / 2) % 32] + g[i % 5][(i / 2) % 32] * g[i % 5][i % 32];
}
