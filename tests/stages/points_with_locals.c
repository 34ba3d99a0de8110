// Points of a thread tile whose statements declare variables: each keeps its own, in braces of its own.
// RUN: %nestwarp compile -q --emit=plan --no-vectors %s > %t.json
// RUN: sed 's/"name": "step[0-9]*",/& "threadTile": [1, 2],/' %t.json > %t.two.json
// RUN: %nestwarp compile -q --emit=cuda --plan %t.two.json %s | FileCheck %s
// RUN: %nestwarp compile -q --emit=opencl --plan %t.two.json %s > %t.cl && sed 's/__kernel.*void/void/; s/__global//g; s/get_[a-z]*_[a-z]*([0-9])/0/g' %t.cl > %t.c && gcc -std=c11 -w -fsyntax-only %t.c
// CHECK: int i_1 = i_0 + 1;
// CHECK: {
// CHECK: int t = A[(long long)i_0 * m + j] + 1;
// CHECK: }
// CHECK: {
// CHECK: int t = A[(long long)i_1 * m + j] + 1;
// CHECK: }
void f(int n, int m, int A[n][m], int B[n][m]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      int t = A[i][j] + 1;
      if (t > 3)
        t = t * t;
      B[i][j] = t;
    }
}
