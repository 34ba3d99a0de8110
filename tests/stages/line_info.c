// On request kernels name the lines they come from, and the runtime compiles them for profilers.
// RUN: %nestwarp compile --line-info -q --emit=cuda %s | FileCheck %s
// RUN: %nestwarp compile -q --emit=cuda %s | FileCheck --check-prefix=WITHOUT %s
// RUN: rm -rf %t && mkdir -p %t && cd %t && %nestwarp cc --line-info --quiet --save-temps=saved -c %s -o %t/out.o
// RUN: FileCheck --check-prefix=MODULE --input-file=%t/saved/line_info.nw.c %s
// RUN: FileCheck --check-prefix=HEADER --input-file=%t/saved/line_info.device.h %s
// CHECK: __global__
// CHECK: #line 17 "{{.*}}line_info.c"
// CHECK-NEXT: a[
// WITHOUT-NOT: #line
// MODULE: #line 17
// MODULE: static nw_module module = {{.*}}"reduce", 1, 0}
// HEADER: int nw_{{.*}}_scale_0_on_device(void *a, int n, void *stream); /* {{.*}}line_info.c:16 */
void scale(int n, float *a) {

  for (int i = 0; i < n; i++)
    a[i] = 3 * a[i];
}
