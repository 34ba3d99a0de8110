// Shared memory: 32 banks of four bytes.
#define TILE 32
__global__ void transposed(float *out, const float *in, int n) {
  __shared__ float tile[TILE][TILE];
  int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
  for (int k = 0; k < TILE; k += 8)
    tile[threadIdx.y + k][threadIdx.x] = in[(y + k) * n + x];
  __syncthreads();
  x = blockIdx.y * TILE + threadIdx.x;
  y = blockIdx.x * TILE + threadIdx.y;
  for (int k = 0; k < TILE; k += 8)
    out[(y + k) * n + x] = tile[threadIdx.x][threadIdx.y + k]; //! NW0502 'tile[threadIdx.x][threadIdx.y + k]': tile[threadIdx.x][threadIdx.y + k]: 32 threads of a warp access the same one of 32 banks: 32 turns where 1 would do
}

__global__ void padded(float *out, const float *in, int n) {
  __shared__ float tile[TILE][TILE + 1];
  int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
  for (int k = 0; k < TILE; k += 8)
    tile[threadIdx.y + k][threadIdx.x] = in[(y + k) * n + x];
  __syncthreads();
  x = blockIdx.y * TILE + threadIdx.x;
  y = blockIdx.x * TILE + threadIdx.y;
  for (int k = 0; k < TILE; k += 8)
    out[(y + k) * n + x] = tile[threadIdx.x][threadIdx.y + k];
}

__global__ void strided(float *out) {
  __shared__ float s[512];
  s[threadIdx.x * 2] = out[threadIdx.x]; //! NW0502 's[threadIdx.x * 2]': 2 threads of a warp access the same
  __syncthreads();
  out[threadIdx.x] = s[threadIdx.x] + s[0];
}

__global__ void doubles(double *out) {
  __shared__ double s[256];
  s[threadIdx.x] = out[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = s[255 - threadIdx.x];
}

// The stride doubles from step to step.
__global__ void reduced(float *out, const float *in) {
  extern __shared__ float part[];
  unsigned t = threadIdx.x;
  part[t] = in[blockIdx.x * blockDim.x + t];
  __syncthreads();
  for (unsigned s = 1; s < blockDim.x; s *= 2) {
    unsigned at = 2 * s * t;
    if (at < blockDim.x)
      part[at] += part[at + s]; //! NW0502 'part[at + s]': part[2 * s * threadIdx.x + s]: 8 threads of a warp access the same //! NW0502 'part[at]': part[2 * s * threadIdx.x]: 8 threads of a warp access the same
    __syncthreads();
  }
  if (t == 0)
    out[blockIdx.x] = part[0];
}

// As it should be.
__global__ void reduced_well(float *out, const float *in) {
  extern __shared__ float part[];
  unsigned t = threadIdx.x;
  part[t] = in[blockIdx.x * blockDim.x + t];
  __syncthreads();
  for (unsigned s = blockDim.x / 2; s > 0; s >>= 1) {
    if (t < s)
      part[t] += part[t + s];
    __syncthreads();
  }
  if (t == 0)
    out[blockIdx.x] = part[0];
}

__global__ void unused(float *a) {
  __shared__ float nobody[256]; //! NW0508 'nobody': 'nobody' (1024 bytes of shared memory) is never used
  a[threadIdx.x] = 0;
}

void launch(float *a, double *d, int n) {
  transposed<<<1, dim3(32, 8)>>>(a, a, n);
  padded<<<1, dim3(32, 8)>>>(a, a, n);
  strided<<<1, 256>>>(a);
  doubles<<<1, 256>>>(d);
  reduced<<<1, 256, 1024>>>(a, a);
  reduced_well<<<1, 256, 1024>>>(a, a);
  unused<<<1, 256>>>(a);
}
