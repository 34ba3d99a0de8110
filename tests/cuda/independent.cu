// Threads are independent, and nothing is copied: memory that is touched only where data say so.
// sizes: csr.n=100 csr.threads_x=128
// kernels: 6
// stepped: csr conditional conditional_read found guarded named
#pragma nestwarp array(column[count], value[count], x[m])
__global__ void csr(int n, int m, int count, const int *start, const int *column, const float *value, const float *x, float *y) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n)
    return;
  float sum = 0;
  for (int k = start[row]; k < start[row + 1]; k++)
    sum += value[k] * x[column[k]];
  y[row] = sum;
}

__global__ void conditional(int n, const float *a, float *b) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && a[i] > 0)
    b[i] = a[i];
}

__global__ void conditional_read(int n, const int *mask, const float *a, float *b) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    b[i] = mask[i] ? a[i + 1] : 0.0f;
}

// All threads that store here store the same.
__global__ void found(int n, const float *a, int *flag, float *b) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  b[i] = a[i] * 2;
  if (a[i] > 0.5f)
    flag[0] = 1;
}

// The memory of b between what is read may not exist: no tile may load it.
__global__ void guarded(int n, const int *mask, const float *a, const float *b, float *c) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= n || y >= n)
    return;
  float sum = 0;
  for (int k = 0; k < n; k++)
    if (mask[k] > 0)
      sum += a[y * n + k] * b[k * n + x];
  c[y * n + x] = sum;
}

// An argument whose name other languages have taken.
__global__ void named(int length, const float *a, float *b) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < length)
    b[i] = a[i] * length;
}
