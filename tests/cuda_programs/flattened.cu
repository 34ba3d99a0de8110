// Flattened arrays with lengths that are no multiples of anything, also of a warp and one more.
// follows: tests/cuda/flattened.cu
// as written: 5
#include "values.h"

int main() {
  for (int n : {1, 31, 32, 33}) {
    int m = n + 2, k = n / 2 + 1;
    dim3 block(32, 8), grid((m + 31) / 32, (n + 2 + 7) / 8);
    Array<float> in(m * m), out(m * m, 2), w(9, 3), tall(n * k, 4), wide(k * m, 5), border((n + 2) * (m + 2), 6);
    transpose<<<grid, block>>>(n, out, in);
    show("transpose", n, out);
    product<<<grid, block>>>(n, m, k, out, tall, wide);
    show("product", n, out);
    stencil<<<grid, block>>>(n, out, in);
    show("stencil", n, out);
    convolution<<<grid, block>>>(n, m, out, in, w);
    show("convolution", n, out);
    unsigned_transpose<<<grid, block>>>(unsigned(n), out, in);
    show("unsigned_transpose", n, out);
    long_transpose<<<grid, block>>>(n, out, in);
    show("long_transpose", n, out);
    bordered<<<grid, block>>>(n, m, out, border);
    show("bordered", n, out);
    also_whole<<<grid, block>>>(n, out, in);
    show("also_whole", n, out);
    two_lengths<<<grid, block>>>(n, m, out, in);
    show("two_lengths", n, out);
  }
  Array<float> in(SIDE * SIDE), out(SIDE * SIDE, 2), thick(5 * 7 * 35), thin(5 * 7 * 35, 2);
  of_constants<<<dim3(2, 8), dim3(32, 8)>>>(out, in);
  show("of_constants", SIDE, out);
  of_constants<<<dim3(1, 8), dim3(32, 8)>>>(in, out); // half of it
  show("of_constants", SIDE / 2, in);
  volume<<<dim3(2, 1), dim3(32, 8)>>>(5, 7, 35, thin, thick);
  show("volume", 5, thin);
}
