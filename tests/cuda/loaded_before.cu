// Values that are loaded in front of an inner loop do not tie it to one thread, where nothing changes what they are loaded from.
// sizes: threads_x=64 n=37 m=70
// kernels: 6
// wide: scaled
// tiled: moved
__global__ void scaled(int n, int m, const float *x, float *y) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < n) {
    float v = x[row];
    for (int j = 0; j < m; j++)
      y[row * m + j] = v * 2;
  }
}

__global__ void moved(int n, int m, const float *x, const float *a, float *y) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n)
    return;
  float v = x[row] * 0.5f, w = v + x[row + 1];
  for (int j = 0; j < m; j++)
    y[row * m + j] = a[row * m + j] * v + w;
}

// What it is loaded from is written by the loop: the old value is meant.
__global__ void written(int n, int m, float *y) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < n) {
    float v = y[row * m];
    for (int j = 0; j < m; j++)
      y[row * m + j] = v + j;
  }
}

// It is written in between.
__global__ void between(int n, int m, float *x, float *y) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < n) {
    float v = x[row];
    x[row] = 7;
    for (int j = 0; j < m; j++)
      y[row * m + j] = v + j;
  }
}

// The variable changes.
__global__ void changes(int n, int m, const float *x, float *y) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n)
    return;
  float v = x[row], w = x[row + 1];
  if (x[row] > 0)
    w = 3;
  for (int j = 0; j < m; j++)
    y[row * m + j] = v + w;
}

// A sum in the loop is a chain, and a use behind it wants the variable.
__global__ void sums(int n, int m, const float *x, const float *a, float *y, float *z) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n)
    return;
  float v = x[row], sum = 0;
  for (int j = 0; j < m; j++)
    sum += a[row * m + j] * v;
  for (int j = 0; j < m; j++)
    y[row * m + j] = v;
  z[row] = sum + v;
}
