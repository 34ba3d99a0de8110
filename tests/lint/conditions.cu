// Conditions on which threads of a warp part, and those that are no harm.
__global__ void edge(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  a[i] = 1;
}

__global__ void known_edge(float *a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < 1000)
    a[i] = 1;
}

__global__ void every_second(float *a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x % 2 == 0) //! NW0507 'threadIdx.x % 2 == 0': threads of a warp diverge here: threadIdx.x % 2 == 0 holds for 16 of 32 lanes, in 8 of 8 warps of a block
    a[i] = a[i] + 1;
  else
    a[i] = a[i] * 2;
}

__global__ void leaves_early(float *a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i & 1) //! NW0507 'i & 1': (blockIdx.x * blockDim.x + threadIdx.x) & 1 holds for 16 of 32 lanes
    return;
  a[i] = 1;
}

__global__ void by_warp(float *a) {
  if (threadIdx.x / 32 % 2 == 0)
    a[threadIdx.x] = 1;
}

// One lane of each warp, and a sign.
__global__ void one_lane(float *a) {
  if (threadIdx.x % 32 == 0)
    a[threadIdx.x / 32] = 1;
}

__global__ void sign(float *a) {
  float s = 1;
  if (threadIdx.x % 2)
    s = -1;
  a[threadIdx.x] = s;
}

__global__ void by_data(float *a, const int *flags) {
  int i = threadIdx.x;
  if (flags[i])
    a[i] = 1;
}

// The first version of a reduction.
__global__ void interleaved(float *out, const float *in) {
  __shared__ float part[256];
  unsigned t = threadIdx.x;
  part[t] = in[blockIdx.x * blockDim.x + t];
  __syncthreads();
  for (unsigned s = 1; s < blockDim.x; s *= 2) {
    if (t % (2 * s) == 0) //! NW0507 't % (2 * s) == 0': threadIdx.x % (2 * s) == 0 holds for 16 of 32 lanes, in 8 of 8 warps of a block (at s = 1)
      part[t] += part[t + s];
    __syncthreads();
  }
  if (t == 0)
    out[blockIdx.x] = part[0];
}

__global__ void half_of_each(float *a, int n) {
  if (threadIdx.x < 16) //! NW0507 'threadIdx.x < 16': holds for 16 of 32 lanes, in 8 of 8 warps
    a[threadIdx.y * n + threadIdx.x] = 1;
}

// The threads at the end of each row load a halo; every fourth thread is another matter.
__global__ void halo(float *a, const float *b, int n) {
  __shared__ float s[16][48];
  int x = threadIdx.x, y = threadIdx.y;
  s[y][x] = b[y * n + x];
  if (x < 4)
    s[y][x + 16] = b[y * n + x + 16];
  __syncthreads();
  a[y * n + x] = s[y][x] + s[y][x + 4];
}

__global__ void every_fourth(float *a) {
  int i = threadIdx.x;
  if (i % 4 == 3) //! NW0507 'i % 4 == 3': threadIdx.x % 4 == 3 holds for 8 of 32 lanes
    a[i] = 1;
}

void launch(float *a, const int *flags, int n) {
  halo<<<4, dim3(16, 16)>>>(a, a, n);
  every_fourth<<<4, 256>>>(a);
  edge<<<4, 256>>>(a, n);
  known_edge<<<4, 256>>>(a);
  every_second<<<4, 256>>>(a);
  leaves_early<<<4, 256>>>(a);
  by_warp<<<4, 256>>>(a);
  one_lane<<<4, 256>>>(a);
  sign<<<4, 256>>>(a);
  by_data<<<4, 256>>>(a, flags);
  interleaved<<<4, 256>>>(a, a);
  half_of_each<<<4, dim3(32, 8)>>>(a, n);
}
