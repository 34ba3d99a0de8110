// sad: sums of absolute differences of each block of 16 x 16 pixels with 32 x 32 places in the picture before.
#include "common.h"

namespace {

using Byte = unsigned char;

__host__ __device__ inline int difference(const Byte *now, const Byte *before, int columns, int i, int j, int u, int v) {
  int sum = 0;
  for (int k = 0; k < 16; k++)
    for (int l = 0; l < 16; l++) {
      int apart = now[size_t(16 * i + k) * (16 * columns) + 16 * j + l] - before[size_t(16 * i + u + k) * (16 * columns + 32) + 16 * j + v + l];
      sum += apart < 0 ? -apart : apart;
    }
  return sum;
}

__global__ void naive(const Byte *now, const Byte *before, int *out, int columns) {
  int i = blockIdx.y, j = blockIdx.x, u = blockIdx.z * blockDim.y + threadIdx.y, v = threadIdx.x;
  out[((size_t(i) * columns + j) * 32 + u) * 32 + v] = difference(now, before, columns, i, j, u, v);
}

// A thread block for each block of pixels, with what it needs of both pictures in shared memory. A thread has four neighbouring places:
// their words are shifted out of five aligned ones, and four pixels are compared by one instruction.
__global__ void __launch_bounds__(256) packed(const Byte *__restrict__ now, const Byte *__restrict__ before, int *__restrict__ out, int columns) {
  __shared__ unsigned block[16][4], window[48][12];
  const int i = blockIdx.y, j = blockIdx.x, t = threadIdx.x;
  for (int k = t; k < 16 * 4; k += 256)
    block[k / 4][k % 4] = *(const unsigned *)(now + size_t(16 * i + k / 4) * (16 * columns) + 16 * j + 4 * (k % 4));
  for (int k = t; k < 47 * 12; k += 256)
    window[k / 12][k % 12] = *(const unsigned *)(before + size_t(16 * i + k / 12) * (16 * columns + 32) + 16 * j + 4 * (k % 12));
  __syncthreads();
  const int u = t / 8, v = t % 8;
  unsigned sum[4] = {};
#pragma unroll 4
  for (int k = 0; k < 16; k++) {
    unsigned words[5];
#pragma unroll
    for (int q = 0; q < 5; q++)
      words[q] = window[u + k][v + q];
#pragma unroll
    for (int q = 0; q < 4; q++)
#pragma unroll
      for (int e = 0; e < 4; e++)
        sum[e] += __vsadu4(block[k][q], __funnelshift_r(words[q], words[q + 1], 8 * e));
  }
  int *to = out + ((size_t(i) * columns + j) * 32 + u) * 32 + 4 * v;
  *reinterpret_cast<int4 *>(to) = make_int4(sum[0], sum[1], sum[2], sum[3]);
}

int board_main(int argc, char **argv) {
  board::Board board(BOARD_NAME, {"rows", "columns"}, argc, argv);
  int rows = board.size(0), columns = board.size(1);
  auto now = board.input(board::madeUpNumbers<Byte>(size_t(16 * rows) * (16 * columns), 1, 255, 127.5));
  auto before = board.input(board::madeUpNumbers<Byte>(size_t(16 * rows + 32) * (16 * columns + 32), 2, 255, 127.5));
  size_t count = size_t(rows) * columns * 1024;
  auto out = board.output<int>(count);
  std::vector<int> reference(count);
  board::parallelFor(size_t(rows) * columns, [&](size_t begin, size_t end) {
    for (size_t k = begin * 1024; k < end * 1024; k++)
      reference[k] = difference(now.host.data(), before.host.data(), columns, int(k / 1024 / columns), int(k / 1024 % columns), int(k / 32 % 32), int(k % 32));
  });
  board.check("sums that are wrong", 0, [&, reference = std::move(reference)] {
    std::vector<int> result = out.result();
    size_t wrong = 0;
    for (size_t k = 0; k < count; k++)
      wrong += result[k] != reference[k];
    return double(wrong);
  });
  board.floor(256.0 * rows * columns + (16.0 * rows + 32) * (16.0 * columns + 32) + 4.0 * count, 256.0 / 4 * count, board::Precision::Integer,
              "one for four pairs of pixels");
  board.column("naive", "one thread per place", [&](cudaStream_t s) { naive<<<dim3(columns, rows, 4), dim3(32, 8), 0, s>>>(now.device(), before.device(), out.device(), columns); });
  board.column("hand", "pixels in shared memory, four in a word", [&](cudaStream_t s) { packed<<<dim3(columns, rows), 256, 0, s>>>(now.device(), before.device(), out.device(), columns); });
  board.ours(rows, columns, now.device(), before.device(), out.device());
  return board.run();
}

} // namespace

int main(int argc, char **argv) {
  return board::guarded([&] { return board_main(argc, argv); });
}
