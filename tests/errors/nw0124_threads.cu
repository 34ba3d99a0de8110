// RUN: %nestwarp compile %s -o %t.cu 2>&1 | FileCheck %s
// RUN: FileCheck --check-prefix=OUT --input-file=%t.cu %s
// CHECK: nw0124_threads.cu:[[#@LINE+1]]:17: remark: different threads of the kernel touch the same elements of 'flag', and nothing orders them [NW0124]
__global__ void all_store(int n, const float *a, int *flag, float *b) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    b[i] = a[i] * 2;
    flag[0] = 1;
  }
}
// CHECK: nw0124_threads.cu:[[#@LINE+1]]:17: remark: different threads of the kernel touch the same elements of 'a', {{.*}} [NW0124]
__global__ void shift(int n, float *a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n - 1)
    a[i] = a[i + 1];
}
// All threads of a block store one element.
// CHECK: nw0124_threads.cu:[[#@LINE+1]]:17: remark: different threads of the kernel touch the same elements of 'out', {{.*}} [NW0124]
__global__ void one_of_a_block(int *out, float *b) {
  b[blockIdx.x * 64 + threadIdx.x] = threadIdx.x;
  out[blockIdx.x] = 3;
}
// CHECK-NOT: NW0124
// The distance is not known: it may be none.
__global__ void off(int n, int distance, float *a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] = a[i + distance];
}
// A thread may take several of these iterations, one after the other: they are no threads.
// CHECK: :[[#@LINE+2]]:17: remark: no loop of this nest is parallel{{.*}} [NW0201]
#pragma nestwarp array(out[m])
__global__ void stride(int n, int m, const int *place, float *out) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    out[place[i]] = i;
}
void launch(int n, int *f, float *a, float *b) {
  // OUT: {{^  all_store<<<n, 32>>>\(n, a, f, b\);}}
  all_store<<<n, 32>>>(n, a, f, b);
  // OUT: {{^  shift<<<n, 32>>>\(n, a\);}}
  shift<<<n, 32>>>(n, a);
  // OUT: {{^  nw_off\(n, 32, 0, 0, n, 4, a\);}}
  off<<<n, 32>>>(n, 4, a);
}
