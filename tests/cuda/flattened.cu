// Flattened arrays, as naive kernels have them: rows are recovered, so that tiles, windows and wide accesses are made as for A[i][j].
// sizes: of_constants.threads_x=64 of_constants.threads_y=70
// kernels: 10
// tiled: transpose product
// wide: stencil convolution
__global__ void transpose(int n, float *out, const float *in) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < n && y < n)
    out[x * n + y] = in[y * n + x];
}

__global__ void product(int m, int n, int k, float *C, const float *A, const float *B) {
  int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < m && col < n) {
    float sum = 0;
    for (int i = 0; i < k; i++)
      sum += A[row * k + i] * B[i * n + col];
    C[row * n + col] = sum;
  }
}

__global__ void stencil(int n, float *out, const float *in) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x > 0 && x < n - 1 && y > 0 && y < n - 1)
    out[y * n + x] = 0.2f * (in[y * n + x] + in[(y - 1) * n + x] + in[(y + 1) * n + x] + in[y * n + x - 1] + in[y * n + x + 1]);
}

__global__ void convolution(int n, int m, float *out, const float *in, const float *w) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < m - 2 && y < n - 2) {
    float s = 0;
    for (int a = 0; a < 3; a++)
      for (int b = 0; b < 3; b++)
        s += in[(y + a) * m + x + b] * w[a * 3 + b];
    out[y * m + x] = s;
  }
}

// Indices without a sign, under the condition that nothing wraps.
__global__ void unsigned_transpose(unsigned n, float *out, const float *in) {
  unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < n && y < n)
    out[x * n + y] = in[y * n + x];
}

__global__ void long_transpose(int n, float *out, const float *in) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < n && y < n)
    out[(size_t)x * n + y] = in[(size_t)y * n + x];
}

// Rows with a border around them.
__global__ void bordered(int n, int m, float *out, const float *in) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < m && y < n)
    out[y * m + x] = in[y * (m + 2) + x] + in[(y + 1) * (m + 2) + x + 1] + in[(y + 2) * (m + 2) + x + 2];
}

#define SIDE 64
__global__ void of_constants(float *out, const float *in) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < SIDE && y < SIDE)
    out[x * SIDE + y] = in[y * SIDE + x];
}

__global__ void volume(int l, int n, int m, float *out, const float *in) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= m || y >= n)
    return;
  for (int z = 1; z < l - 1; z++)
    out[(z * n + y) * m + x] = in[((z - 1) * n + y) * m + x] + in[((z + 1) * n + y) * m + x];
}

// Rows of two lengths in one array: the kernel is left as it is.
__global__ void two_lengths(int n, int m, float *out, const float *in) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < m && y < n)
    out[y * m + x] = in[y * m + x] + in[x * n + y];
}

__global__ void also_whole(int n, float *out, const float *in) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < n && y < n)
    out[y * n + x] = in[y * n + x] + in[x];
}
