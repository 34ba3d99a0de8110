// Loads that could be spared.
__global__ void product(float *c, const float *a, const float *b, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  float sum = 0;
  for (int k = 0; k < n; k++)
    sum += a[y * n + k] * b[k * n + x]; //! NW0506 'a[y * n + k]': in each iteration of the loop over k the 256 threads of a block load 16 different elements, each of them 16 times //! NW0506 'b[k * n + x]': 16 different elements, each of them 16 times
  c[y * n + x] = sum;
}

// The same in tiles: nothing to say.
#define T 16
__global__ void tiled(float *c, const float *a, const float *b, int n) {
  __shared__ float left[T][T], right[T][T];
  int x = blockIdx.x * T + threadIdx.x, y = blockIdx.y * T + threadIdx.y;
  float sum = 0;
  for (int m = 0; m < n; m += T) {
    left[threadIdx.y][threadIdx.x] = a[y * n + m + threadIdx.x];
    right[threadIdx.y][threadIdx.x] = b[(m + threadIdx.y) * n + x];
    __syncthreads();
    for (int k = 0; k < T; k++)
      sum += left[threadIdx.y][k] * right[k][threadIdx.x];
    __syncthreads();
  }
  c[y * n + x] = sum;
}

__global__ void in_memory(float *c, const float *a, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < n; k++)
    c[x] += a[k * n + x]; //! NW0505 'c[x]': c[blockIdx.x * blockDim.x + threadIdx.x] is loaded and stored in each iteration of the loop over k
}

// Nothing else can be the same element: the compiler keeps it in a register.
__global__ void in_memory_alone(float *__restrict__ c, const float *__restrict__ a, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < n; k++)
    c[x] += a[k * n + x];
}

__global__ void factor(float *c, const float *f, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < n; k++)
    c[k * n + x] = f[x] * k; //! NW0505 'f[x]': f[blockIdx.x * blockDim.x + threadIdx.x] is loaded in each iteration of the loop over k, though it does not change: the store to c[
}

// Of another type, or nobody writes: the compiler knows.
__global__ void factor_of_ints(float *c, const int *f, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < n; k++)
    c[k * n + x] = f[x] * k;
}

__global__ void twice(float *c, float *d, const float *f) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  c[x] = f[x] * 2;
  d[x] = f[x] * 3; //! NW0505 'f[x]': is loaded again, though the thread loaded it in line 55: the store to c[
}

__global__ void written_between(float *f, float *d) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  f[x] = f[x] * 2;
  d[x] = f[x];
}

// Whoever writes volatile wants it loaded again.
__global__ void watched(float *c, const volatile float *f, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < n; k++)
    c[k * n + x] = f[x];
}

__global__ void no_store(float *c, const float *f) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  c[x] = f[x] * f[x];
}

// A short filter is no reason to go through shared memory.
__global__ void filtered(float *c, const float *f, const float *a) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < 5; k++)
    sum += f[k] * a[x + k];
  c[x] = sum;
}

__global__ void all_of_them(float *c, const float *p, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < n; k++)
    sum += p[k]; //! NW0506 'p[k]': the 256 threads of a block load 1 different element, each of them 256 times
  c[x] = sum;
}

void launch(float *a, const int *i, int n) {
  product<<<1, dim3(16, 16)>>>(a, a, a, n);
  tiled<<<1, dim3(T, T)>>>(a, a, a, n);
  in_memory<<<1, 256>>>(a, a, n);
  in_memory_alone<<<1, 256>>>(a, a, n);
  factor<<<1, 256>>>(a, a, n);
  factor_of_ints<<<1, 256>>>(a, i, n);
  twice<<<1, 256>>>(a, a, a);
  written_between<<<1, 256>>>(a, a);
  watched<<<1, 256>>>(a, a, n);
  no_store<<<1, 256>>>(a, a);
  filtered<<<1, 256>>>(a, a, a);
  all_of_them<<<1, 256>>>(a, a, n);
}
