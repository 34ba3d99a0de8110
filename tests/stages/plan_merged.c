// The plan of a region that was made of several nests is not held against each of them alone.
// RUN: rm -rf %t && mkdir -p %t
// RUN: %nestwarp compile --emit=plan %s -o %t/merged.json
// RUN: sed 's/256/64/' %t/merged.json > %t/smaller.json
// RUN: %nestwarp compile --plan %t/smaller.json --emit=kernels %s | FileCheck %s
// CHECK: kernel merged_0_step0 {{.*}}blocks of 64 x 1
// CHECK: kernel merged_0_step1
void merged(int n, float a[n], float b[n]) {
  for (int i = 0; i < n; i++)
    a[i] = 1;
  for (int i = 0; i < n; i++)
    b[i] = a[n - 1 - i];
}
