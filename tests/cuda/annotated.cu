// Row-scaling with the annotations of the paper, and once more with pragmas: both are understood, and gone from what is written.
// sizes: grid_x=2
// kernels: 2
#define ASIZE 300
#define TPB 256

__global__ void paper(float *a, float *b) {
  __annotation(L"__global__ 256 3");
  __annotation(L"garray a 2 4 300 300");
  __annotation(L"garray b 2 4 300 300");
  int thi = threadIdx.x;
  int bki = blockIdx.x;
  float t = (float)thi + bki;
  __annotation(L"BoundChk");
  if (bki * TPB + thi >= ASIZE)
    return;
  __annotation(L"loop i 0 300 1");
  for (int i = 0; i < ASIZE; i++)
    b[(bki * TPB + thi) * ASIZE + i] = a[(bki * TPB + thi) * ASIZE + i] * t;
}

#pragma nestwarp kernel(threads=256, blocks_per_sm=3)
#pragma nestwarp array(a[ASIZE][ASIZE], b[300][300]) loop(i, 0, ASIZE, 1)
__global__ void pragmas(float *a, float *b) {
  int thi = threadIdx.x, bki = blockIdx.x;
  if (bki * blockDim.x + thi < ASIZE)
    for (int i = 0; i < ASIZE; i++)
      b[(bki * blockDim.x + thi) * ASIZE + i] = a[(bki * blockDim.x + thi) * ASIZE + i] * (thi + bki);
}

void launch(float *a, float *b, int threads) {
  paper<<<(ASIZE + TPB - 1) / TPB, TPB>>>(a, b);
  pragmas<<<(ASIZE + threads - 1) / threads, threads>>>(a, b);
}
