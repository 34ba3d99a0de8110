// RUN: %nestwarp compile --time-limit=0.001 --emit=plan %s 2>&1 | FileCheck %s
// CHECK: nw0298_limit.c:[[#@LINE+5]]:3: remark: translating this file reached its time limit of 0.001 s before this nest was finished [NW0298]
// CHECK: help: it stays on the host; --time-limit=SECONDS allows more
// RUN: %nestwarp compile --memory-limit=1 --emit=plan %s 2>&1 | FileCheck --check-prefix=MEMORY %s
// MEMORY: translating this file reached its memory limit of 1 MiB before this nest was finished [NW0298]
void f(int n, int a[n]) {
  for (int i = 0; i < n; i++)
    a[i] = i;
}
