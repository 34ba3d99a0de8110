// Stores at places that data name: no two threads name the same one, or the kernel would be wrong as it is. Made-up data would.
// compared: no
// stepped: scatter twice rows
#pragma nestwarp array(out[m])
__global__ void scatter(int n, int m, const int *place, const float *a, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[place[i]] = a[i] * 2;
}

// Twice into one element of a thread: the order within it stays.
#pragma nestwarp array(out[m])
__global__ void twice(int n, int m, const int *place, const float *a, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    out[place[i]] = a[i];
    float before = out[place[i]];
    out[place[i]] = before * 2 + a[i];
  }
}

// Rows that begin where data say.
#pragma nestwarp array(y[m])
__global__ void rows(int n, int m, int length, const int *first, const float *x, float *y) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < n)
    for (int j = 0; j < length; j++)
      y[first[row] + j] = x[row * length + j];
}

void launch(int n, const int *place, const float *a, float *out) {
  scatter<<<(n + 127) / 128, 128>>>(n, 2 * n, place, a, out);
  twice<<<(n + 127) / 128, 128>>>(n, 2 * n, place, a, out);
  rows<<<(n + 127) / 128, 128>>>(n, 8 * n, 8, place, a, out);
}
