// No launch: the shape of a block is assumed, and that is said where it matters.
__global__ void well(float *a) { a[blockIdx.x * blockDim.x + threadIdx.x] = 1; }

__global__ void badly(float *a) { //! note NW0512 'badly': the block shape of 'badly' is not known: 256 is assumed
  a[threadIdx.x * 2] = 1; //! NW0501 'a[threadIdx.x * 2]': 8 transactions
}

#pragma nestwarp kernel(threads=64)
__global__ void annotated(float *a) { a[threadIdx.x] = 1; }

__annotation(L"__global__ 48 1"); //! NW0504 '__global__': a block of 48 threads leaves 16 of the 64 lanes of its warps without work
__global__ void annotated_as_in_the_paper(float *a) { a[threadIdx.x] = 1; }

// The kernel's own number.
__global__ void by_number(float *a) { a[blockIdx.x * 128 + threadIdx.x] = 1; }
