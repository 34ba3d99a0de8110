// Transactions of a warp for all kinds of strides, on a device with sectors of 32 bytes.
__global__ void one(float *a, const float *b) { a[threadIdx.x] = b[threadIdx.x]; }

__global__ void two(float *a) {
  int i = blockIdx.x * 256 + threadIdx.x;
  a[i * 2] = 0; //! NW0501 'a[i * 2]': a[(blockIdx.x * 256 + threadIdx.x) * 2]: neighbouring threads are 2 elements (8 bytes) apart: 8 transactions of 32 bytes per warp where 4 would do
}

__global__ void thirty_two(float *a) {
  a[threadIdx.x * 32] = 0; //! NW0501 'a[threadIdx.x * 32]': are 32 elements (128 bytes) apart: 32 transactions of 32 bytes per warp where 4
}

// Not aligned: five instead of four, as in every stencil.
__global__ void off_by_one(float *a, const float *b) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  a[i + 1] = b[i - 1] + b[i + 1];
}

__global__ void backward(float *a) { a[255 - threadIdx.x] = 0; }

__global__ void broadcast(float *a, const float *b) { a[threadIdx.x] = b[blockIdx.x]; }

__global__ void doubles(double *a, const double *b) {
  a[threadIdx.x] = b[threadIdx.x];
  a[3 * threadIdx.x + 768] = 1; //! NW0501 'a[3 * threadIdx.x + 768]': are 3 elements (24 bytes) apart: 24 transactions of 32 bytes per warp where 8
}

__global__ void wide(float4 *a, const float4 *b) { a[threadIdx.x] = b[threadIdx.x]; }

__global__ void through_a_cast(float *a) {
  float4 v = reinterpret_cast<float4 *>(a)[threadIdx.x];
  ((float4 *)a)[threadIdx.x + 256] = v;
}

__global__ void bytes(char *a) { a[threadIdx.x] = 1; }

// The stride is an argument: what is assumed of it is said.
__global__ void by_argument(float *a, int n) {
  a[threadIdx.x * n] = 0; //! NW0501 'a[threadIdx.x * n]': neighbouring threads are n elements apart: 32 transactions of 32 bytes per warp where 4 would do (with n = 1024)
}

__global__ void pitch(float *a, int n) { a[blockIdx.x * n + threadIdx.x] = 0; }

struct point {
  float x, y, z;
};

__global__ void one_member(point *p, float *a) {
  a[threadIdx.x] = p[threadIdx.x].y; //! NW0501 'p[threadIdx.x].y': p[threadIdx.x].y: neighbouring threads are 1 element (12 bytes) apart: 12 transactions of 32 bytes per warp where 4
}

__global__ void all_members(point *p, float *a) {
  a[threadIdx.x] = p[threadIdx.x].x + p[threadIdx.x].y + p[threadIdx.x].z; //! note NW0501 'p[threadIdx.x].x': so do 2 more of its accesses; together they use everything that is moved
}

__global__ void casts_in_a_row(float *a) {
  float4 *p = (float4 *)(a + threadIdx.x * 64);
  float2 *q = (float2 *)(p + 1);
  q[1].x = 0; //! NW0501 'q[1].x': neighbouring threads are 32 elements (256 bytes) apart: 32
}

// The same in an array of numbers: one finding for the three.
__global__ void triples(const float *p, float *a) {
  int i = 3 * threadIdx.x;
  a[threadIdx.x] = p[i] + p[i + 1] + p[i + 2]; //! note NW0501 'p[i]': p[3 * threadIdx.x]: neighbouring threads are 3 elements (12 bytes) apart: 12 transactions of 32 bytes per warp where 4 would do; so do 2 more of its accesses; together
}

// A pointer that walks, and one that is moved first.
__global__ void pointers(float *a, const float *b, int n) {
  const float *row = b + (blockIdx.x * 256 + threadIdx.x) * 64;
  float sum = 0;
  for (int k = 0; k < 64; k++)
    sum += row[k]; //! NW0501 'row[k]': b[(blockIdx.x * 256 + threadIdx.x) * 64 + k]: neighbouring threads are 64 elements (256 bytes) apart: 32
  float *p = a + threadIdx.x;
  for (int k = 0; k < n; k++, p += 256)
    *p = sum;
}

// From thread to thread in steps of the grid.
__global__ void grid_stride(float *a, const float *b, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    a[i] = b[4 * i]; //! NW0501 'b[4 * i]': b[4 * i]: neighbouring threads are 4 elements (16 bytes) apart, where i begins with blockIdx.x * blockDim.x + threadIdx.x: 16 transactions of 32 bytes per warp where 4
}

__global__ void only_some(float *a) {
  if (threadIdx.x < 8)
    a[threadIdx.x * 8] = 0; //! NW0501 'a[threadIdx.x * 8]': are 8 elements (32 bytes) apart: 8 transactions of 32 bytes per warp where 1
}

__device__ float fetched(const float *b, int at) {
  return b[at * 16]; //! NW0501 'b[at * 16]': b[threadIdx.x * 16]: neighbouring threads are 16 elements (64 bytes) apart: 32
}

__global__ void through_a_function(float *a, const float *b) { a[threadIdx.x] = fetched(b, threadIdx.x); }

void launch(float *a, float *b, double *d, float4 *f, char *c, point *p, int n) {
  one<<<1, 256>>>(a, b);
  two<<<1, 256>>>(a);
  thirty_two<<<1, 256>>>(a);
  off_by_one<<<1, 256>>>(a, b);
  backward<<<1, 256>>>(a);
  broadcast<<<1, 256>>>(a, b);
  doubles<<<1, 256>>>(d, d);
  wide<<<1, 256>>>(f, f);
  through_a_cast<<<1, 256>>>(a);
  bytes<<<1, 256>>>(c);
  by_argument<<<1, 256>>>(a, n);
  pitch<<<1, 256>>>(a, n);
  one_member<<<1, 256>>>(p, a);
  all_members<<<1, 256>>>(p, a);
  casts_in_a_row<<<1, 256>>>(a);
  triples<<<1, 256>>>(b, a);
  pointers<<<1, 256>>>(a, b, n);
  grid_stride<<<1, 256>>>(a, b, n);
  only_some<<<1, 256>>>(a);
  through_a_function<<<1, 256>>>(a, b);
}
