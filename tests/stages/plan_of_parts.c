// Nests that are refused together, and taken one by one: a plan of these is replayed on these.
// RUN: %nestwarp compile -q --emit=plan %s > %t.json && %nestwarp compile -q --emit=cuda --plan %t.json %s > %t.again.cu
// RUN: %nestwarp compile -q --emit=cuda %s > %t.cu && cmp %t.cu %t.again.cu
// RUN: FileCheck --check-prefix=PLAN --input-file=%t.json %s
// PLAN: "region": 0
// PLAN: "region": 1
// Where both subscripts are those of A, the two nests are one region.
// RUN: sed 's/j - 30/j/' %s > %t.one.c && %nestwarp compile -q --emit=plan %t.one.c | FileCheck --check-prefix=ONE %s
// ONE: "region": 0
// ONE-NOT: "region": 1
// Columns are inside of their rows for m from 0 to 15 in the first nest, from 30 to 45 in the second: never for both.
void kernel(int n, int m, float A[][20], float B[][20]) {
  for (int i = 0; i < n; i++)
    for (int j = m; j < m + 5; j++)
      A[i][j] = 1;
  for (int i = 0; i < n; i++)
    for (int j = m; j < m + 5; j++)
      B[i][j - 30] = 2;
}
