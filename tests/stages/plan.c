// A plan can be printed, edited and taken back.
// RUN: rm -rf %t && mkdir -p %t
// RUN: %nestwarp compile --emit=plan %s -o %t/given.json
// RUN: FileCheck --check-prefix=GIVEN --input-file=%t/given.json %s
// RUN: sed -e 's/^ *32,/16,/' -e 's/^ *8$/4/' %t/given.json > %t/edited.json
// RUN: %nestwarp compile --plan %t/edited.json --emit=kernels %s | FileCheck --check-prefix=EDITED %s
// What the step is, and what its plan could have, stands beside it.
// RUN: %nestwarp compile --emit=facts %s | FileCheck --check-prefix=FACTS %s
// FACTS: "name": "step0",
// FACTS-NEXT: "kind": "parallel",
// FACTS-NEXT: "statements": [
// FACTS-NEXT: "S0"
// GIVEN: "planVersion": 3,
// GIVEN-NEXT: "function": "f"
// GIVEN: "grid": [
// GIVEN-NEXT: "j",
// GIVEN-NEXT: "i"
// GIVEN: "block": [
// GIVEN-NEXT: 32,
// GIVEN-NEXT: 8
// EDITED: kernel f_0_step0 ({{.*}}), blocks of 16 x 4
void f(int n, int m, int a[n][m], int b[m][n]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      a[i][j] = a[i][j] + 1;
}
