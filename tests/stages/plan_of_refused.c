// A nest that is refused with its plan keeps its number: the plan of the next one is not held
// against it.
// RUN: mkdir -p %t && cd %t
// RUN: %nestwarp compile %s -q --emit=plan -o %t/plan.json
// RUN: %nestwarp compile %s -q --plan %t/plan.json -o %t/own.cu
// RUN: sed -e '0,/"block": \[/s//"blockReductions": [{"loop": "nw_t0", "axis": "x", "block": [32, 4], "profitableFrom": 128}],\n"block": [/' %t/plan.json > %t/refused.json
// RUN: not %nestwarp compile %s -q --plan %t/refused.json -o %t/own.cu 2>&1 | FileCheck %s
// CHECK-NOT: does not fit
// CHECK: the plan has an entry for region 0 of first, but there is no such region
// CHECK: line 14: the verifier rejects {{.*}} [NW0297]
int puts(const char *);
static int twice(int a) { return a * 2; }
void first(int n, int m, char *A, int B[m], const int index[n], int *C) {
  for (int i = 0; i < n; i++) {
    int t0 = 1;
    for (int j = 0; j < i + 2; j++)
      if (twice(A[-i + j + n - 1]) > t0)
        t0 = twice(A[-i + j + n - 1]);
    for (int j = m - 1; j >= 1; j -= 2)
      B[j] = B[j] + ((((i + j) <= (i - 1)) ? index[i] : (t0 & 511)) & 0);
  }
  puts("between");
  for (int i = 0; i < n; i++)
    C[i] = i;
}
