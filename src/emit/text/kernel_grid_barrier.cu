// All threads of the grid wait for each other; the grid must be resident as a whole (cooperative launch) or one block.
__device__ void nw_grid_barrier(unsigned *state) {
  unsigned blocks = gridDim.x * gridDim.y;
  __syncthreads();
  if (blocks == 1)
    return;
  if (threadIdx.x == 0 && threadIdx.y == 0) {
    __threadfence();
    unsigned generation = *(volatile unsigned *)(state + 1);
    if (atomicAdd(state, 1u) == blocks - 1) {
      *(volatile unsigned *)state = 0;
      __threadfence();
      atomicAdd(state + 1, 1u);
    } else {
      while (*(volatile unsigned *)(state + 1) == generation) {
      }
    }
    __threadfence();
  }
  __syncthreads();
}
