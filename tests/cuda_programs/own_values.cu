// Loops that go on by as many threads as there are, with values that a thread has for itself: what goes from one of its iterations to the next is not taken for the whole range's.
// as written: 5
#include "values.h"

__global__ void pairs(float *a, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    for (int j = threadIdx.x; j < n; j += blockDim.x)
      a[i * n + j] += 1;
}

__global__ void maxima(const float *a, float *b, int n) {
  float largest = -1e30f;
  for (int j = threadIdx.x; j < n; j += blockDim.x)
    largest = fmaxf(largest, a[blockIdx.x * n + j]);
  for (int j = threadIdx.x; j < n; j += blockDim.x)
    b[blockIdx.x * n + j] = a[blockIdx.x * n + j] - largest;
}

__global__ void counts(float *a, int n, int first) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    a[i] += first;
    first++;
  }
}

__global__ void leaves(float *a, int n, int rows) {
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (y < rows)
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
      if (a[y * n + i] > 15)
        break;
      a[y * n + i] = -1;
    }
}

__global__ void remembers(const float *a, float *b, int n) {
  float last = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    if (a[i] > 11)
      last = a[i];
    b[i] = last;
  }
}

// Set anew in each iteration.
__global__ void anew(const float *a, float *b, int n) {
  float twice;
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    float own[2], chosen;
    twice = a[i] * 2;
    own[0] = twice + 1;
    own[1] = own[0] - i;
    if (a[i] > 11)
      chosen = own[0];
    else
      chosen = own[1];
    b[i] = chosen;
  }
}

__global__ void sums(const float *a, float *b, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
    float sum = 0;
    for (int k = 0; k < 5; k++)
      sum += a[i + k];
    b[i] = sum;
  }
}

// The same value for all, loaded before.
__global__ void factor(const float *a, float *b, int n) {
  float f = a[3];
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    b[i] = f * i;
}

int main() {
  Array<float> a(50 * 50), b(50 * 50, 2), c(50 * 50, 3);
  pairs<<<1, 32>>>(a, 50);
  show("pairs", 50, a);
  maxima<<<4, 32>>>(a, b, 100);
  show("maxima", 100, b);
  counts<<<1, 32>>>(b, 100, 4);
  show("counts", 100, b);
  leaves<<<dim3(1, 4), dim3(8, 2)>>>(c, 100, 8);
  show("leaves", 100, c);
  remembers<<<1, 32>>>(a, b, 100);
  show("remembers", 100, b);
  anew<<<1, 32>>>(a, b, 100);
  show("anew", 100, b);
  sums<<<3, 32>>>(a, c, 150);
  show("sums", 150, c);
  factor<<<1, 32>>>(a, b, 70);
  show("factor", 70, b);
}
