// Regions of one line have places of their own, by which messages and times tell them apart.
// RUN: rm -rf %t && mkdir -p %t
// RUN: %nestwarp cc --quiet --save-temps=%t -c %s -o %t/out.o
// RUN: FileCheck --input-file=%t/one_line.device.h %s
// RUN: FileCheck --check-prefix=ENTER --input-file=%t/one_line.nw.c %s
// CHECK: _f_0_on_device({{.*}} /* one_line.c:[[LINE:[0-9]+]] */
// CHECK: _f_1_on_device({{.*}} /* one_line.c:[[LINE]] (2) */
// CHECK: _f_2_on_device({{.*}} /* one_line.c:[[LINE]] (3) */
// CHECK: _g_3_on_device({{.*}} /* one_line.c:{{[0-9]+}} */
// ENTER: nw_enter(NW_MODULE(), "one_line.c:[[LINE:[0-9]+]]",
// ENTER: nw_enter(NW_MODULE(), "one_line.c:[[LINE]] (2)",
void between(void);
#define STEP(x, n) for (int i = 0; i < n; i++) x[i] = x[i] * 2 + 1
void f(int n, float *a, float *b) { STEP(a, n); between(); STEP(b, 64); between(); STEP(a, 32); }
void g(int n, float *a) { STEP(a, n); }
