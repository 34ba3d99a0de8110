// Blocks of two dimensions: which threads are a warp follows from the shape.
__global__ void rows(float *a, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  a[y * n + x] = 0;
}

__global__ void columns(float *a, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  a[x * n + y] = 0; //! NW0501 'a[x * n + y]': a[(blockIdx.x * blockDim.x + threadIdx.x) * n + (blockIdx.y * blockDim.y + threadIdx.y)]: neighbouring threads are n elements apart: 16 transactions of 32 bytes per warp where 4 would do (with n = 1024)
}

__global__ void narrow(float *a, int n) { //
  a[threadIdx.y * n + threadIdx.x] = 0; //! NW0501 'a[threadIdx.y * n + threadIdx.x]': a[threadIdx.y * n + threadIdx.x]: rows of 4 threads are too short to fill transactions: 8 transactions of 32 bytes per warp where 4
}

// 2-D arrays of C.
__device__ float table[64][64];
__global__ void arrays(float *a) {
  a[threadIdx.y * 32 + threadIdx.x] = table[threadIdx.y][threadIdx.x];
  a[threadIdx.y * 32 + threadIdx.x] += table[threadIdx.x][threadIdx.y]; //! NW0501 'table[threadIdx.x][threadIdx.y]': table[threadIdx.x][threadIdx.y]: neighbouring threads are 64 elements (256 bytes) apart: 32
}

void launch(float *a, int n) {
  dim3 square(16, 16);
  rows<<<1, square>>>(a, n);
  columns<<<1, square>>>(a, n);
  narrow<<<1, dim3(4, 64)>>>(a, n);
  arrays<<<1, dim3(32, 8)>>>(a);
}
