// RUN: %nestwarp compile %s -o %t.cu 2>&1 | FileCheck %s
// RUN: FileCheck --check-prefix=OUT --input-file=%t.cu %s
#define LAUNCH(kernel, n, a) kernel<<<n, 32>>>(n, a)
__global__ void set(int n, float *a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] = 1;
}
int any();
__global__ void usual(float *a, int n = any(), int k = 4) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] = k;
}
namespace place {
__global__ void later(int n, float *a);
__global__ void there(int n, float *a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] = 2;
}
} // namespace place
void too_early(int n, float *a) {
  // CHECK: nw0122_launch.cu:[[#@LINE+2]]:3: remark: this launch of 'later' stays as it is: the kernel is defined later{{.*}} [NW0122]
  // OUT: {{^  place::later<<<n, 32>>>\(n, a\);}}
  place::later<<<n, 32>>>(n, a);
}
__global__ void place::later(int n, float *a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] = 3;
}
void launch(int n, float *a) {
  // CHECK: nw0122_launch.cu:[[#@LINE+2]]:3: remark: this launch of 'set' stays as it is: its text comes from a macro{{.*}} [NW0122]
  // OUT: {{^  LAUNCH\(set, n, a\);}}
  LAUNCH(set, n, a);
  // OUT: {{^  nw_set\(n, 32, 0, 0, n, a\);}}
  set<<<n, 32>>>(n, a);
  // CHECK: nw0122_launch.cu:[[#@LINE+2]]:3: remark: this launch of 'usual' stays as it is: a default argument of the kernel is not a number [NW0122]
  // OUT: {{^  usual<<<n, 32>>>\(a\);}}
  usual<<<n, 32>>>(a);
  // OUT: {{^  nw_usual\(n, 32, 0, 0, a, n, 4\);}}
  usual<<<n, 32>>>(a, n);
  // OUT: {{^  ::place::nw_there\(n, 32, 0, 0, n, a\);}}
  place::there<<<n, 32>>>(n, a);
}
