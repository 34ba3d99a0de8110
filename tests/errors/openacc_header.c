// RUN: not %nestwarp compile -fopenacc --emit=program %s 2>&1 | FileCheck %s
void f(int n, float a[n]) {
  // CHECK: openacc_header.c:[[#@LINE+1]]:{{[0-9]+}}: error: share appears in a header or in _Pragma; write it as a #pragma line in the source file itself [NW0310]
  _Pragma("acc share(a[TB_X])")
  for (int i = 0; i < n; i++)
    a[i] = 1;
}
