// Kernels that cannot be read or known, beside one that can.
__global__ void jumps(float *a) {
  int i = threadIdx.x;
again: //! note NW0511 'a': 'jumps' cannot be analysed: it jumps (goto)
  a[i * 32] = 1;
  i += 256;
  if (i < 1024)
    goto again;
}

__global__ void gathered(float *a, const float *b, const int *at) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  a[i] = b[at[i]]; //! note NW0510 'b[at[i]]': the address of b[at[blockIdx.x * blockDim.x + threadIdx.x]] is not known here: it depends on data
}

// Where everything is found only through the block index, the lanes are in step.
__global__ void by_block(float *a, const float *b, const int *at) {
  int i = threadIdx.x;
  a[i] = b[at[blockIdx.x] + i];
}

__global__ void counted(int *bins, const int *keys) { //
  atomicAdd(&bins[keys[threadIdx.x]], 1); //! note NW0510 '&bins[keys[threadIdx.x]]': depends on data
}

__global__ void exchanged(float *a) {
  float v = a[threadIdx.x];
  for (int k = 16; k > 0; k /= 2)
    v += __shfl_xor_sync(0xffffffffu, v, k);
  a[threadIdx.x * 2] = v; //! NW0501 'a[threadIdx.x * 2]': 8 transactions
}

// Classes, references, functions that call themselves: what can be followed is, and nothing falls over.
struct vector {
  float d[3];
  __device__ float &at(int i) { return d[i]; }
  __device__ vector operator+(const vector &) const { return *this; }
};

__global__ void classes(vector *v, const vector *w) {
  int i = threadIdx.x;
  v[i] = v[i] + w[i];
  v[i].at(2) = 3;
}

__device__ void swapped(float &x, float &y) {
  float t = x;
  x = y;
  y = t;
}

__global__ void references(float *a) {
  swapped(a[threadIdx.x], a[threadIdx.x + 256]);
  float &r = a[threadIdx.x * 9];
  r += 1; //! NW0501 'r': a[threadIdx.x * 9]: neighbouring threads are 9 elements (36 bytes) apart: 32
}

__device__ int count(int x) { return x < 2 ? x : count(x - 1) + count(x - 2); }

__global__ void calls_itself(float *a) {
  a[count(threadIdx.x)] = 1; //! note NW0510 'a[count(threadIdx.x)]': is not known here
}

#define AT(x) a[(x) * 8]
__global__ void in_a_macro(float *a) {
  AT(threadIdx.x) = 1; //! NW0501 'AT(threadIdx.x)': a[threadIdx.x * 8]: neighbouring threads are 8 elements (32 bytes) apart: 32
}

template <class Number> __global__ void of_type(Number *a) {
  a[threadIdx.x * 2] = 1; //! NW0501 'a[threadIdx.x * 2]': 8 transactions
}

void launch(float *a, const int *i, int *j) {
  jumps<<<1, 256>>>(a);
  classes<<<1, 256>>>((vector *)a, (vector *)a);
  references<<<1, 256>>>(a);
  calls_itself<<<1, 256>>>(a);
  in_a_macro<<<1, 256>>>(a);
  gathered<<<1, 256>>>(a, a, i);
  by_block<<<1, 256>>>(a, a, i);
  counted<<<1, 256>>>(j, i);
  exchanged<<<1, 256>>>(a);
  of_type<float><<<1, 256>>>(a);
  of_type<double><<<1, 256>>>((double *)a);
}
