// Names: kernels launched from outside their namespaces, macros with names that generated text has, arguments that are not written, arguments with
// names of ours or of the kernel. All of it has to compile afterwards.
// sizes: threads_x=70 n=65
// kernels: 10
#define threads 256
#define block dim3(threads)
#define grid(n) (((n) + threads - 1) / threads)
#define threads_x 9
#define i_0 +
#define a_window 4
#define ranges 7
#define region 8
#define error 3
#define stream ((cudaStream_t)0)
#define fminf(a, b) ((a) < (b) ? (a) : (b))

namespace outer {
__global__ void elsewhere(float *a, int n);

__global__ void plain(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] = 1;
}

namespace inner {
template <class T> __global__ void fill(T *a, int n, T value = T(3)) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] = value;
}

namespace {
__global__ void hidden(float *a, int n, float factor = 2.5f) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] = fminf(a[i] * factor, a[i] + factor);
}
} // namespace
} // namespace inner

inline namespace version {
__global__ void counted(unsigned long long *a, int n, unsigned long long first = 1ull << 40, bool more = true, int low = -2147483647 - 1) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] = first + more + low + i;
}
} // namespace version

// The kernel is defined in another place than it is declared in.
void before_the_definition(float *a, int n) { elsewhere<<<grid(n), block>>>(a, n); }
} // namespace outer

__global__ void outer::elsewhere(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] += 2;
}

// The argument hides the kernel in the function that launches.
__global__ void same(float *same, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    same[i] = 4;
}

__global__ void ours(float *nw_stream, int n, int nw_grid, int nw_block) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    nw_stream[i] = nw_grid - nw_block;
}

int any();
__global__ void no_number(float *a, int n = any()) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] = 5;
}

// Walked by several launches of its own, with words such as threads in what is written for it.
__global__ void solve(float *L, float *x, int n) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r < n)
    for (int i = 0; i < n; i++)
      x[r * n + i] = x[r * n + i] + L[i * n + r];
}

namespace alias = outer::inner;
using outer::inner::fill;

namespace outer {
namespace other {
void launch_there(float *a, int n) { inner::fill<<<grid(n), block>>>(a, n); }
} // namespace other
} // namespace outer

void launch(float *a, double *d, unsigned long long *u, int n) {
  outer::plain<<<grid(n), block>>>(a, n);
  ::outer::plain<<<grid(n), block, 0, stream>>>(a, n);
  alias::fill<<<grid(n), block>>>(a, n);
  fill<<<grid(n), block>>>(d, n, 2.0);
  {
    using namespace outer;
    inner::hidden<<<grid(n), block>>>(a, n);
    counted<<<grid(n), block>>>(u, n);
  }
  outer::version::counted<<<grid(n), block>>>(u, n, 3);
  outer::elsewhere<<<grid(n), block>>>(a, n);
  same<<<grid(n), block>>>(a, n);
  ours<<<grid(n), block>>>(a, n, 3, 4);
  no_number<<<grid(n), block>>>(a);
  no_number<<<grid(n), block>>>(a, n);
  solve<<<grid(n), block>>>(a, a + n * n, n);
}
