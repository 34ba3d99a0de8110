// Threads that store where data say, or only where data say so: no two of them meet.
// as written: 0
#include "values.h"

#pragma nestwarp array(out[n])
__global__ void scatter(int n, const int *to, const float *in, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[to[i]] = in[i] * 2;
}

#pragma nestwarp array(in[n])
__global__ void gather(int n, const int *from, const float *in, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[from[i]] + 1;
}

__global__ void where(int n, const float *in, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && in[i] > 11)
    out[i] = in[i];
}

// A row of the output for each row of the input, in another order.
#pragma nestwarp array(out[n][16])
__global__ void rows(int n, const int *to, const float *in, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    for (int j = 0; j < 16; j++)
      out[to[i] * 16 + j] = in[i * 16 + j] + j;
}

// What a thread stores where data say, it reads again.
#pragma nestwarp array(out[n])
__global__ void again(int n, const int *to, const float *in, float *out, float *read) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    out[to[i]] = in[i] * 2;
    read[i] = out[to[i]] + 1;
    for (int k = 0; k < 3; k++)
      out[to[i]] = out[to[i]] * 2 + read[i] + k;
  }
}

// Each side of a condition on data has elements of its own.
__global__ void sides(int n, const float *in, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    if (in[i] > 11)
      out[2 * i] = in[i];
    else
      out[2 * i + 1] = out[2 * i] - in[i];
  }
}

int main() {
  for (int n : kSizes) {
    Array<float> in(n * 16), out(n * 16, 2);
    std::vector<int> order(n);
    for (int k = 0; k < n; k++)
      order[k] = (k * 7 + 3) % n; // 7 has no factor in common with the sizes
    Array<int> to(n);
    if (n)
      cudaMemcpy(to.device, order.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    if (!n)
      continue;
    scatter<<<(n + 31) / 32, 32>>>(n, to, in, out);
    show("scatter", n, out);
    gather<<<(n + 31) / 32, 32>>>(n, to, in, out);
    show("gather", n, out);
    where<<<(n + 31) / 32, 32>>>(n, in, out);
    show("where", n, out);
    rows<<<(n + 31) / 32, 32>>>(n, to, in, out);
    show("rows", n, out);
    Array<float> read(n, 4);
    again<<<(n + 31) / 32, 32>>>(n, to, in, out, read);
    show("again", n, out);
    show("read", n, read);
    sides<<<(n + 31) / 32, 32>>>(n, in, out);
    show("sides", n, out);
  }
}
