// RUN: %nestwarp compile --time-limit=0.001 --emit=plan %s 2>&1 | FileCheck %s
// CHECK: nw0298_limit.c:[[#@LINE+5]]:3: remark: the time for translating this file, 0.001 s, was over before this nest was finished [NW0298]
// CHECK: help: it stays on the host; --time-limit=SECONDS allows more
// RUN: %nestwarp compile --memory-limit=1 --emit=plan %s 2>&1 | FileCheck --check-prefix=MEMORY %s
// MEMORY: the memory for translating this file, 1 MiB, was used up before this nest was finished [NW0298]
void f(int n, int a[n]) {
  for (int i = 0; i < n; i++)
    a[i] = i;
}
