// Kernels with a mistake each; the command line names the one to run. run_emulation.py knows what has to be reported.
#include "launch.h"

// Right only if neighbours run in one particular order.
__global__ void missing_barrier(int *a) {
  __shared__ int kept[64];
  int t = threadIdx.x;
  kept[t] = a[t];
  a[t] = kept[63 - t];
}

// The barrier in front of the next round is missing.
__global__ void missing_second_barrier(int *a) {
  __shared__ int kept[64];
  int t = threadIdx.x;
  for (int k = 0; k < 2; k++) {
    kept[t] = a[t];
    __syncthreads();
    a[t] = kept[t > 0 ? t - 1 : 63];
  }
}

__global__ void barrier_in_branch(int *a) {
  if (threadIdx.x < 32)
    __syncthreads();
  else
    __syncthreads();
  a[threadIdx.x] = 0;
}

__global__ void barrier_after_return(int *a) {
  if (threadIdx.x == 5)
    return;
  __syncthreads();
  a[threadIdx.x] = 0;
}

__global__ void shuffle_in_branch(int *a) {
  if (threadIdx.x < 8)
    a[threadIdx.x] = __shfl_sync(0xffffffffu, a[threadIdx.x], 0);
  __syncthreads();
}

__global__ void waits_forever(int *a) {
  if (threadIdx.x == 0)
    while (*(volatile int *)a == 0) {
    }
}

__global__ void beyond_array(int *a) { a[threadIdx.x + 1] = 0; }

__global__ void before_array(int *a) { a[(int)threadIdx.x - 1] = 0; }

__global__ void beyond_shared(int *a) {
  __shared__ int kept[63];
  int *p = kept;
  p[threadIdx.x] = 1;
  a[threadIdx.x] = p[threadIdx.x];
}

__global__ void beyond_row(int *a) {
  __shared__ int kept[2][32];
  kept[0][threadIdx.x] = 1;
  a[threadIdx.x] = kept[0][threadIdx.x];
}

__global__ void missing_wait(int *a) {
  __shared__ int kept[64];
  __pipeline_memcpy_async(&kept[threadIdx.x], &a[threadIdx.x], 4);
  __pipeline_commit();
  a[threadIdx.x] = kept[threadIdx.x] + 1;
}

__global__ void blocks_collide(int *a) { a[threadIdx.x] = blockIdx.x; }

__global__ void lanes_collide(int *a) {
  __shared__ int kept[32];
  int t = threadIdx.x;
  kept[t] = t;
  a[t] = kept[t ^ 1];
}

__global__ void lanes_wait(int *a) { // no mistake: lanes_collide with what it lacks
  __shared__ int kept[32];
  int t = threadIdx.x;
  kept[t] = t;
  __syncwarp();
  a[t] = kept[t ^ 1];
}

__global__ void not_shared(int *a) { // no mistake: atomics of all blocks
  atomicAdd(&a[threadIdx.x], 1);
}

int main(int, char **arguments) {
  Array<int> a(64);
  auto run = [&](const char *name, void (*kernel)(int *), int blocks, int threads) {
    if (std::strcmp(arguments[1], name) == 0)
      launch(kernel, blocks, threads, a.device);
  };
#define RUN(kernel, blocks, threads) run(#kernel, kernel, blocks, threads)
  RUN(missing_barrier, 1, 64);
  RUN(missing_second_barrier, 1, 64);
  RUN(barrier_in_branch, 1, 64);
  RUN(barrier_after_return, 1, 64);
  RUN(shuffle_in_branch, 1, 64);
  RUN(waits_forever, 1, 64);
  RUN(beyond_array, 1, 64);
  RUN(before_array, 1, 64);
  RUN(beyond_shared, 1, 64);
  RUN(beyond_row, 1, 64);
  RUN(missing_wait, 1, 64);
  RUN(blocks_collide, 2, 64);
  RUN(lanes_collide, 1, 32);
  RUN(lanes_wait, 1, 32);
  RUN(not_shared, 2, 64);
  for (int value : a.host())
    std::printf("%d\n", value);
}
