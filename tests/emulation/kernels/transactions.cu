// Accesses of one warp whose cost is known. A comment "count: ARRAY ACCESS = ACCESSES COST WASTE" in front of a kernel says
// what has to be counted: accesses of warps, then 32-byte sectors and how many of them would do (global memory), or
// cycles and how many of them are due to conflicts (shared memory).
#include "launch.h"

// count: a load = 1 4 4; b store = 1 4 4
__global__ void coalesced(const float *a, float *b) { b[threadIdx.x] = a[threadIdx.x]; }

// count: a load = 1 8 4; b store = 1 4 4
__global__ void every_second(const float *a, float *b) { b[threadIdx.x] = a[2 * threadIdx.x]; }

// count: a load = 1 32 4; b store = 1 4 4
__global__ void column(const float *a, float *b) { b[threadIdx.x] = a[32 * threadIdx.x]; }

// count: a load = 1 5 4; b store = 1 4 4
__global__ void misaligned(const float *a, float *b) { b[threadIdx.x] = a[threadIdx.x + 1]; }

// count: a load = 1 1 1; b store = 1 4 4
__global__ void broadcast(const float *a, float *b) { b[threadIdx.x] = a[5]; }

// count: a load = 1 4 4; b store = 1 4 4
__global__ void backward(const float *a, float *b) { b[threadIdx.x] = a[31 - threadIdx.x]; }

// count: a load = 1 16 16; b store = 1 16 16
__global__ void fours(const float *a, float *b) { ((float4 *)b)[threadIdx.x] = ((const float4 *)a)[threadIdx.x]; }

// count: a load = 4 64 16; b store = 1 4 4
__global__ void fours_one_by_one(const float *a, float *b) {
  float sum = 0;
  for (int k = 0; k < 4; k++)
    sum += a[4 * threadIdx.x + k];
  b[threadIdx.x] = sum;
}

// count: a load = 2 4 4; b store = 1 4 4
__global__ void branches(const float *a, float *b) {
  float x;
  if (threadIdx.x < 16)
    x = a[threadIdx.x];
  else
    x = a[threadIdx.x] + 1;
  b[threadIdx.x] = x;
}

// Lane t reads t elements; after the inner loop all are together again. 31 reads, by 31, 30, ... lanes, in each round.
// count: a load = 93 228 228; b store = 1 4 4
__global__ void triangle(const float *a, float *b) {
  float sum = 0;
  for (int k = 0; k < 3; k++)
    for (int j = 0; j < threadIdx.x; j++)
      sum += a[32 * j + threadIdx.x];
  b[threadIdx.x] = sum;
}

__device__ float at(const float *a, int k) { return k % 2 ? a[k] : a[k + 32]; }

// Half of the lanes at a time, each touching all sectors.
// count: a load = 2 8 4; b store = 1 4 4
__global__ void in_a_function(const float *a, float *b) { b[threadIdx.x] = at(a, threadIdx.x); }

// count: b atomic = 1 1 1
__global__ void atomic_sum(const float *, float *b) { atomicAdd(b, 1.0f); }

// count: t store = 1 1 0; t load = 1 1 0; b store = 1 4 4
__global__ void shared_rows(const float *, float *b) {
  __shared__ float t[32];
  t[threadIdx.x] = 1;
  b[threadIdx.x] = t[threadIdx.x];
}

// count: t store = 1 2 1; b store = 1 4 4
__global__ void shared_every_second(const float *, float *b) {
  __shared__ float t[64];
  t[2 * threadIdx.x] = 1;
  b[threadIdx.x] = 1;
}

// count: t store = 1 32 31; b store = 1 4 4
__global__ void shared_columns(const float *, float *b) {
  __shared__ float t[32][32];
  t[threadIdx.x][3] = 1;
  b[threadIdx.x] = 1;
}

// count: t store = 1 1 0; b store = 1 4 4
__global__ void shared_columns_padded(const float *, float *b) {
  __shared__ float t[32][33];
  t[threadIdx.x][3] = 1;
  b[threadIdx.x] = 1;
}

// count: t store = 1 1 0; t load = 1 1 0; b store = 1 4 4
__global__ void shared_broadcast(const float *, float *b) {
  __shared__ float t[1];
  if (threadIdx.x == 0)
    t[0] = 1;
  __syncthreads();
  b[threadIdx.x] = t[0];
}

// Doubles go by halves of the warp, float4 by quarters: without conflicts where neighbours stand side by side.
// count: t store = 1 2 0; b store = 1 4 4
__global__ void shared_doubles(const float *, float *b) {
  __shared__ double t[32];
  t[threadIdx.x] = 1;
  b[threadIdx.x] = 1;
}

// count: t store = 1 4 0; b store = 1 4 4
__global__ void shared_fours(const float *, float *b) {
  __shared__ float4 t[32];
  t[threadIdx.x] = make_float4(1, 1, 1, 1);
  b[threadIdx.x] = 1;
}

// count: t store = 1 4 2; b store = 1 4 4
__global__ void shared_every_second_double(const float *, float *b) {
  __shared__ double t[64];
  t[2 * threadIdx.x] = 1;
  b[threadIdx.x] = 1;
}

// count: t store = 1 1 0; b store = 1 4 4
__global__ void shared_bytes(const float *, float *b) {
  __shared__ signed char t[32];
  t[threadIdx.x] = 1;
  b[threadIdx.x] = 1;
}

int main() {
  Array<float> a(1024), b(128);
  for (auto kernel : {coalesced, every_second, column, misaligned, broadcast, backward, fours, fours_one_by_one, branches, triangle, in_a_function, atomic_sum, shared_rows,
                      shared_every_second, shared_columns, shared_columns_padded, shared_broadcast, shared_doubles, shared_fours, shared_every_second_double, shared_bytes})
    launch(kernel, 1, 32, a.device, b.device);
}
