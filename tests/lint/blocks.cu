// Shapes of blocks, and what they leave of a multiprocessor.
__global__ void plain(float *a) { a[blockIdx.x * blockDim.x + threadIdx.x] = 1; }
__global__ void second(float *a) { a[blockIdx.x * blockDim.x + threadIdx.x] = 2; }
__global__ void third(float *a) { a[blockIdx.x * blockDim.x + threadIdx.x] = 3; }

__global__ void much_memory(float *a) {
  extern __shared__ float s[];
  s[threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  a[threadIdx.x] = s[255 - threadIdx.x];
}

__global__ void on_its_own(float *a) { a[0] = 1; }

void launch(float *a) {
  plain<<<8, 256>>>(a);
  on_its_own<<<1, 1>>>(a);
  second<<<8, 100>>>(a); //! NW0504 '100': a block of 100 threads leaves 28 of the 128 lanes of its warps without work
  third<<<8, dim3(64, 32)>>>(a); //! NW0509 'dim3(64, 32)': a block of 64x32 = 2048 threads is too large: at most 1024; the launch fails
  much_memory<<<8, 256, 100000>>>(a); //! NW0503 '256': 16 of 64 warps of a multiprocessor can be resident (25 %, NVIDIA H200 SXM5 141 GB): a block of 256 threads is limited by 100000 bytes of shared memory
}
