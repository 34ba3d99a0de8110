// The usual ways to write a naive kernel, at sizes around a warp's; blocks of none are an error as they were.
// follows: tests/cuda/idioms.cu
#include "values.h"

int main() {
  for (int n : kSizes) {
    Array<float> a(n + 1), b(n + 1, 2), sum(n + 1, 3), square(n * n, 4), other(n * n, 5), third(n * n, 6);
    Array<double> c(n), d(n, 2);
    Array<int> o(n + 1);
    axpy<<<(n + 255) / 256, 256>>>(n, 2.0f, a.device, b.device);
    axpy<double><<<(n + 255) / 256, 256, 0, 0>>>(n, 2.0, c, d);
    show("axpy", n, b);
    show("axpy<double>", n, d);
    early<<<n / 128 + 1, 128>>>(n, a, b);
    show("early", n, b);
    grid_stride<<<2, 256>>>(n, 3.0f, a, b);
    show("grid_stride", n, b);
    dim3 block(16, 16), grid((n + 15) / 16, (n + 15) / 16);
    transpose<<<grid, block>>>(n, n, square, other);
    show("transpose", n, other);
    mm<<<grid, block, 0>>>(n, square, other, third);
    show("mm", n, third);
    mv<<<(n + 127) / 128, dim3(128)>>>(n, n, square, a, sum);
    show("mv", n, sum);
    ids<<<(n + 127) / 128, 128>>>(o, n);
    show("ids", n, o);
    rows<<<n, 64>>>(n, square);
    show("rows", n, square);
    changes_argument<<<(n + 127) / 128, 128>>>(n, 5, o);
    show("changes_argument", n, o);
    calls<<<(n + 127) / 128, 128>>>(n, a, b);
    show("calls", n, b);
  }
  int n = 9;
  Array<float> a(n * n * n), b(n * n * n, 2);
  volume<<<dim3(1, 1, n), dim3(32, 32, 1)>>>(n, n, n, a, b);
  show("volume", n, b);
}
