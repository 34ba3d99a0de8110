// Kernels in namespaces, declared before they are defined, launched from a macro and from a template, never launched, and none of it disturbed.
// sizes: threads_x=70 n=65
// kernels: 5
namespace outer {
namespace {
__global__ void inside(int n, float *a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] += 1;
}
} // namespace
void launch_inside(int n, float *a) { inside<<<n, 1>>>(n, a); }
} // namespace outer

#define WARP 32
extern "C" __global__ void later(int n, float *a);

void launch_later(int n, float *a) {
  if (n > 3)
    later<<<(n + 31) / 32, 32 /* a warp */ >>>(n, a);
  else
    later <<< 1, WARP >>> (n, a); // also with blanks, and with a macro as the last argument
}

extern "C" __global__ void later(int n, float *a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] *= 2;
}

static __global__ void by_macro(int n, float *a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] -= 2;
}
#define LAUNCH(kernel, n, a) kernel<<<n, 32>>>(n, a)
void launch_by_macro(int n, float *a) {
  LAUNCH(by_macro, n, a);
  by_macro<<<n, 32>>>(n, a);
}

template <int W> __global__ void wide(int n, float *a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[W * i] = W;
}
template <int W> void launch_any(int n, float *a) { wide<W><<<n, 32>>>(n, a); }
void launch_wide(int n, float *a) {
  launch_any<2>(n, a);
  wide<2><<<n, 32>>>(n, a);
}

__global__ void never(int n, float *a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] = 7;
}
