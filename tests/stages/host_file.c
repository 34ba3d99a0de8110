// Source to source: the host file calls the region's function and keeps the original loops for when it says no.
// RUN: rm -rf %t && mkdir -p %t
// RUN: %nestwarp compile --target=cuda -q %s -o %t/out.cu 2>&1 | FileCheck --check-prefix=SAYS %s
// RUN: FileCheck --check-prefix=HOST --input-file=%t/out.host.c %s
// RUN: FileCheck --check-prefix=CU --input-file=%t/out.cu %s
// RUN: %nestwarp compile --target=opencl -q %s -o %t/two.cl.c
// RUN: FileCheck --check-prefix=CL --input-file=%t/two.cl.c %s
// RUN: gcc -fsyntax-only -Wall -Werror %t/out.host.c %t/two.host.c
// SAYS: nestwarp: wrote {{.*}}out.cu, {{.*}}out.host.c and {{.*}}out.device.h (1 region)
// HOST: int nw_host_file_touch_0(
// HOST: void touch(int n, int *a) {
// HOST: if (!nw_host_file_touch_0(
// HOST: for (int i = 0; i < n; i++)
// CU: __global__
// CU: int nw_host_file_touch_0(
// CL: __kernel
// CL: int nw_host_file_touch_0(
void touch(int n, int *a) {
  for (int i = 0; i < n; i++)
    a[i] = i;
}
