// The row-scaling example of the paper CUDA-lite, without a single annotation: each thread has a row, so that neighbouring threads touch
// elements that lie far apart. The indices are used as values, too.
// sizes: grid_x=2
#include <cstdio>
#include <cstdlib>
#define ASIZE 300
#define TPB 256

__global__ void kernel(float *a, float *b) {
  int thi = threadIdx.x;
  int bki = blockIdx.x;
  float t = (float)thi + bki;
  int i;

  if (bki * TPB + thi >= ASIZE)
    return;

  for (i = 0; i < ASIZE; i++) {
    b[(bki * TPB + thi) * ASIZE + i] = a[(bki * TPB + thi) * ASIZE + i] * t;
  }
}

int main() {
  int num_blocks;
  int size = sizeof(float) * ASIZE * ASIZE;
  float *a_device, *b_device;
  float *a_host = (float *)malloc(size), *b_host = (float *)malloc(size);
  for (int k = 0; k < ASIZE * ASIZE; k++)
    a_host[k] = float(k % 17);
  cudaMalloc((void **)&a_device, size);
  cudaMalloc((void **)&b_device, size);
  cudaMemcpy(a_device, a_host, size, cudaMemcpyHostToDevice);
  num_blocks = ASIZE % TPB == 0 ? ASIZE / TPB : (ASIZE / TPB) + 1;
  dim3 gridDim(num_blocks);
  dim3 blockDim(TPB);
  kernel<<<gridDim, blockDim>>>(a_device, b_device);
  cudaMemcpy(b_host, b_device, size, cudaMemcpyDeviceToHost);
  double sum = 0;
  for (int k = 0; k < ASIZE * ASIZE; k++)
    sum += b_host[k];
  printf("%.1f\n", sum);
  return 0;
}
