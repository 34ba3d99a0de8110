// Values that a thread loads before a loop are loaded in it, so that its iterations can be threads of their own; what is written or set again meanwhile stays where it is.
// kernels: 4
// wide: reader rows
__global__ void reader(int n, const float *a, float *b) {
  float f = a[3];
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    b[i] = f * i;
}

__global__ void rows(int n, int m, const float *x, float *y) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r < n) {
    float v = x[r];
    for (int j = 0; j < m; j++)
      y[r * m + j] = v * j;
  }
}

__global__ void written(int n, int m, float *x, float *y) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r < n) {
    float v = x[r];
    x[r] = 5;
    for (int j = 0; j < m; j++)
      y[r * m + j] = v * j;
  }
}

// A conversion on the way; a use behind the loop.
__global__ void narrow(int n, int m, const float *x, float *y) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r < n) {
    int v = x[r];
    for (int j = 0; j < m; j++) {
      float t = v * 0.3f;
      y[r * m + j] = v * j + t;
    }
    y[r * m] += v;
  }
}

void launch(int n, int m, float *x, float *y) {
  reader<<<1, 64>>>(n, x, y);
  rows<<<(n + 63) / 64, 64>>>(n, m, x, y);
  written<<<(n + 63) / 64, 64>>>(n, m, x, y);
  narrow<<<(n + 63) / 64, 64>>>(n, m, x, y);
}
