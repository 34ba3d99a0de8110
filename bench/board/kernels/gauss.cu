// gauss: a 5 x 5 filter over an image of bytes; beyond the border the image is black.
#include "common.h"

namespace {

using Byte = unsigned char;

__global__ void naive(const Byte *in, const float *weight, Byte *out, int n) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= n || j >= n)
    return;
  float sum = 0;
  for (int u = 0; u < 5; u++)
    for (int v = 0; v < 5; v++) {
      int y = i + u - 2, x = j + v - 2;
      if (y >= 0 && y < n && x >= 0 && x < n)
        sum += weight[u * 5 + v] * in[size_t(y) * n + x];
    }
  out[size_t(i) * n + j] = Byte(sum);
}

constexpr int kRows = 64; // that a thread walks down
__constant__ float constantWeight[25];

/// Bytes of a row from two left of column c to five right of it, as numbers; zero beyond the border.
template <bool kWords> __device__ void loadRow(const Byte *in, int i, int c, int n, float *to) {
  if constexpr (kWords) {
    unsigned left = 0, here = 0, right = 0;
    if (i >= 0 && i < n) {
      const Byte *p = in + size_t(i) * n + c;
      here = *(const unsigned *)p;
      if (c > 0)
        left = *(const unsigned *)(p - 4);
      if (c + 4 < n)
        right = *(const unsigned *)(p + 4);
    }
    to[0] = left >> 16 & 255, to[1] = left >> 24;
    for (int e = 0; e < 4; e++)
      to[2 + e] = here >> 8 * e & 255;
    to[6] = right & 255, to[7] = right >> 8 & 255;
  } else {
#pragma unroll
    for (int e = 0; e < 8; e++) {
      int x = c + e - 2;
      to[e] = i >= 0 && i < n && x >= 0 && x < n ? in[size_t(i) * n + x] : 0;
    }
  }
}

// A thread owns 4 neighbouring columns and walks down with a window of 5 rows in registers. kWords: rows are whole words.
template <bool kWords> __global__ void walking(const Byte *__restrict__ in, Byte *__restrict__ out, int n) {
  int c = (blockIdx.x * blockDim.x + threadIdx.x) * 4, top = blockIdx.y * kRows, bottom = min(top + kRows, n);
  if (c >= n)
    return;
  float window[5][8];
#pragma unroll
  for (int u = 0; u < 4; u++)
    loadRow<kWords>(in, top - 2 + u, c, n, window[u]);
#pragma unroll 5
  for (int i = top; i < bottom; i++) {
    loadRow<kWords>(in, i + 2, c, n, window[4]);
    float sum[4] = {};
#pragma unroll
    for (int u = 0; u < 5; u++)
#pragma unroll
      for (int v = 0; v < 5; v++)
#pragma unroll
        for (int q = 0; q < 4; q++)
          sum[q] += constantWeight[u * 5 + v] * window[u][q + v];
    Byte *p = out + size_t(i) * n + c;
    if constexpr (kWords) {
      *(unsigned *)p = unsigned(sum[0]) | unsigned(sum[1]) << 8 | unsigned(sum[2]) << 16 | unsigned(sum[3]) << 24;
    } else {
#pragma unroll
      for (int q = 0; q < 4; q++)
        if (c + q < n)
          p[q] = Byte(sum[q]);
    }
#pragma unroll
    for (int u = 0; u < 4; u++)
#pragma unroll
      for (int e = 0; e < 8; e++)
        window[u][e] = window[u + 1][e];
  }
}

/// What a result may be: the exact sum, cut to an integer, give or take a thousandth before the cut.
struct Bounds {
  std::vector<Byte> low, high;

  Bounds(const std::vector<Byte> &in, const std::vector<float> &weight, int n) : low(in.size()), high(in.size()) {
    board::parallelFor(n, [&](size_t begin, size_t end) {
      for (int i = int(begin); i < int(end); i++)
        for (int j = 0; j < n; j++) {
          double sum = 0;
          for (int u = std::max(0, 2 - i); u < std::min(5, n + 2 - i); u++)
            for (int v = std::max(0, 2 - j); v < std::min(5, n + 2 - j); v++)
              sum += double(weight[u * 5 + v]) * in[size_t(i + u - 2) * n + j + v - 2];
          low[size_t(i) * n + j] = Byte(std::max(0.0, sum - 1e-3));
          high[size_t(i) * n + j] = Byte(sum + 1e-3);
        }
    });
  }
};

int board_main(int argc, char **argv) {
  board::Board board(BOARD_NAME, {"n"}, argc, argv);
  int n = board.size(0);
  std::vector<float> weights(25);
  for (int k = 0; k < 25; k++)
    weights[k] = float((k % 5 + 1) * (k / 5 + 1)) / 226.0f;
  auto in = board.input(board::madeUpNumbers<Byte>(size_t(n) * n, 1, 255, 127.5));
  auto weight = board.input(weights);
  auto out = board.output<Byte>(size_t(n) * n);
  Bounds bounds(in.host, weights, n);
  board.check("pixels that are wrong", 0, [&] {
    std::vector<Byte> result = out.result();
    size_t wrong = 0;
    for (size_t k = 0; k < result.size(); k++)
      wrong += result[k] < bounds.low[k] || result[k] > bounds.high[k];
    return double(wrong);
  });
  board.floor(2.0 * n * n, 50.0 * n * n, board::Precision::Single);
  board.column("naive", "one thread per pixel", [&](cudaStream_t s) {
    naive<<<dim3(blocksFor(n, 32), blocksFor(n, 8)), dim3(32, 8), 0, s>>>(in.device(), weight.device(), out.device(), n);
  });
  board.column("hand", "4 pixels a thread, a window of rows in registers", [&](cudaStream_t s) {
    MUST(cudaMemcpyToSymbolAsync(constantWeight, weight.device(), sizeof constantWeight, 0, cudaMemcpyDeviceToDevice, s));
    auto kernel = n % 4 == 0 ? walking<true> : walking<false>;
    kernel<<<dim3(blocksFor(n, 4 * 128), blocksFor(n, kRows)), 128, 0, s>>>(in.device(), out.device(), n);
  });
  board.ours(n, in.device(), weight.device(), out.device());
  return board.run();
}

} // namespace

int main(int argc, char **argv) {
  return board::guarded([&] { return board_main(argc, argv); });
}
