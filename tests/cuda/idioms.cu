// The usual ways to write a naive kernel: each must be understood, and compute the same.
// sizes: grid_x=3 ids.n=200
// kernels: 12
template <class T> __global__ void axpy(int n, T alpha, const T *__restrict__ x, T *__restrict__ y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = alpha * x[i] + y[i];
}

__global__ void early(int n, const float *a, float *b) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i >= n)
    return;
  float v = a[i];
  if (i == 3) {
    b[i] = -v;
    return;
  }
  b[i] = v * 2;
}

__global__ void grid_stride(int n, float f, const float *a, float *b) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    b[i] = a[i] * f;
}

__global__ void transpose(int n, int m, const float *a, float *b) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < m && y < n)
    b[x * n + y] = a[y * m + x];
}

__global__ void mm(int n, const float *A, const float *B, float *C) {
  int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n || col >= n)
    return;
  float sum = 0;
  for (int k = 0; k < n; k++)
    sum += A[row * n + k] * B[k * n + col];
  C[row * n + col] = sum;
}

__global__ void mv(int n, int m, const float *A, const float *x, float *y) {
  unsigned row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < n) {
    float sum = 0.0f;
    for (int j = 0; j < m; j++)
      sum += A[row * m + j] * x[j];
    y[row] = sum;
  }
}

__global__ void ids(int *out, int n) {
  int i = blockIdx.x * 128 + threadIdx.x;
  if (i < n)
    out[i] = threadIdx.x + 1000 * blockIdx.x;
}

// A block for each row.
__global__ void rows(int m, float *a) {
  for (int j = threadIdx.x; j < m; j += blockDim.x)
    a[blockIdx.x * m + j] *= 0.5f;
}

__global__ void volume(int nx, int ny, int nz, const float *a, float *b) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x >= nx || y >= ny || z >= nz)
    return;
  b[(z * ny + y) * nx + x] = a[(z * ny + y) * nx + x] + 1;
}

// Each thread has an argument of its own.
__global__ void changes_argument(int n, int k, int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    k = k + i;
    out[i] = k;
  }
}

__device__ float clamp(float v, float low, float high) { return v < low ? low : v > high ? high : v; }

__global__ void calls(int n, const float *a, float *b) {
  size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    b[i] = sqrtf(clamp(a[i], 0.25f, 4.0f)) + fminf(a[i], 1.0f) + max(n, 3);
}

void launch(int n, float *a, float *b, double *c, double *d, int *o, cudaStream_t stream) {
  axpy<<<(n + 255) / 256, 256>>>(n, 2.0f, a, b);
  axpy<double><<<(n + 255) / 256, 256, 0, stream>>>(n, 2.0, c, d);
  early<<<n / 128 + 1, 128>>>(n, a, b);
  grid_stride<<<32, 256>>>(n, 3.0f, a, b);
  dim3 block(16, 16), grid((n + 15) / 16, (n + 15) / 16);
  transpose<<<grid, block>>>(n, n, a, b);
  mm<<<grid, block, 0>>>(n, a, b, a + n * n);
  mv<<<(n + 127) / 128, dim3(128)>>>(n, n, a, b, a + n * n);
  ids<<<(n + 127) / 128, 128>>>(o, n);
  rows<<<n, 64>>>(n, a);
  volume<<<dim3(1, 1, n), dim3(32, 32, 1)>>>(n, n, n, a, b);
  changes_argument<<<(n + 127) / 128, 128>>>(n, 5, o);
  calls<<<(n + 127) / 128, 128>>>(n, a, b);
}
