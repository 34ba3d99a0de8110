// RUN: %nestwarp compile %s -o %t.cu 2>&1 | FileCheck %s
// RUN: FileCheck --check-prefix=OUT --input-file=%t.cu %s
#define LAUNCH(kernel, n, a) kernel<<<n, 32>>>(n, a)
__global__ void set(int n, float *a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] = 1;
}
void launch(int n, float *a) {
  // CHECK: nw0122_launch.cu:[[#@LINE+2]]:3: remark: this launch of 'set' stays as it is: its text comes from a macro{{.*}} [NW0122]
  // OUT: {{^  LAUNCH\(set, n, a\);}}
  LAUNCH(set, n, a);
  // OUT: {{^  nw_set\(n, 32, 0, 0, n, a\);}}
  set<<<n, 32>>>(n, a);
}
