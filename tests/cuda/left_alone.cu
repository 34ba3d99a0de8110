// Nothing in this file is understood: it comes out byte for byte. Each kernel says why it stays.
__constant__ float table[16];

__global__ void shared_memory(float *a) {
  __shared__ float s[64];
  s[threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  a[threadIdx.x] = s[63 - threadIdx.x];
}

__global__ void waits(float *a) {
  a[threadIdx.x] = 1;
  __syncthreads();
}

__global__ void counts(int *n, const float *a) {
  if (a[threadIdx.x] > 0)
    atomicAdd(n, 1);
}

__global__ void exchanges(float *a) { a[threadIdx.x] = __shfl_xor_sync(0xffffffffu, a[threadIdx.x], 1); }

__global__ void reads_table(float *a) { a[threadIdx.x] = table[threadIdx.x]; }

__global__ void by_architecture(float *a) {
#if __CUDA_ARCH__ >= 900
  a[threadIdx.x] = 1;
#else
  a[threadIdx.x] = 2;
#endif
}

__global__ void returns_in_loop(int n, float *a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < n; k++) {
    if (a[k] > 0)
      return;
    a[i * n + k] = 1;
  }
}

struct pair { float x, y; };
__global__ void takes_struct(pair p, float *a) { a[threadIdx.x] = p.x + p.y; }

// Assigned by an operator, which has no name of letters.
__global__ void copies_vectors(const float4 *a, float4 *b) { b[threadIdx.x] = a[threadIdx.x]; }

__global__ void mixes(int n, float *a) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = t; i < n; i += blockDim.x * gridDim.x)
    a[i] += t;
}

// A thread has the pairs of values that are the same modulo its block's size, not all.
__global__ void strides_in_strides(int n, float *a) {
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    for (int j = threadIdx.x; j < n; j += blockDim.x)
      a[i * n + j] += 1;
}

// The largest of the elements that the thread has, not of all.
__global__ void own_maximum(int n, const float *a, float *b) {
  float largest = -1e30f;
  for (int j = threadIdx.x; j < n; j += blockDim.x)
    largest = fmaxf(largest, a[blockIdx.x * n + j]);
  for (int j = threadIdx.x; j < n; j += blockDim.x)
    b[blockIdx.x * n + j] = a[blockIdx.x * n + j] - largest;
}

// An array of the thread's own, and an argument, from one iteration to the next.
__global__ void own_array(int n, float *a, int first) {
  float last[2];
  last[0] = 0;
  for (int j = blockIdx.x * blockDim.x + threadIdx.x; j < n; j += blockDim.x * gridDim.x) {
    a[j] += last[0];
    last[0] = a[j];
  }
}
__global__ void own_argument(int n, float *a, int first) {
  for (int j = blockIdx.x * blockDim.x + threadIdx.x; j < n; j += blockDim.x * gridDim.x) {
    first = first + 1;
    a[j] = first;
  }
}

// A thread that finds something leaves; others go on.
__global__ void leaves(int n, float *a) {
  for (int j = threadIdx.x; j < n; j += blockDim.x) {
    if (a[j] > 60)
      break;
    a[j] = 1;
  }
}

void launch(int *n, float *a) {
  leaves<<<1, 16>>>(100, a);
  strides_in_strides<<<1, 16>>>(100, a);
  own_maximum<<<4, 16>>>(100, a, a + 400);
  own_array<<<1, 16>>>(100, a, 0);
  own_argument<<<1, 16>>>(100, a, 0);
  shared_memory<<<1, 64>>>(a);
  waits<<<1, 64>>>(a);
  counts<<<1, 64>>>(n, a);
  exchanges<<<1, 64>>>(a);
  reads_table<<<1, 16>>>(a);
  by_architecture<<<1, 16>>>(a);
  returns_in_loop<<<1, 16>>>(16, a);
  takes_struct<<<1, 16>>>(pair{1, 2}, a);
  copies_vectors<<<1, 16>>>((float4 *)a, (float4 *)a + 16);
  mixes<<<2, 16>>>(100, a);
}
