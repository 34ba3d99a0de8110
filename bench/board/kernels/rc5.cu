// rc5: the first word of a known text under each of n neighbouring keys of 72 bits.
#include "common.h"

namespace {

struct Search {
  unsigned low, middle, high, plain0, plain1;
};

__host__ __device__ inline unsigned turned(unsigned x, unsigned by) { return x << (by & 31) | x >> ((32 - by) & 31); }

/// As the C program does it: subkeys in an array.
__host__ __device__ inline unsigned word(const Search &s, unsigned i) {
  unsigned S[26], L[3] = {s.high, s.middle, s.low + i}, a = 0, b = 0;
  S[0] = 0xb7e15163u;
  for (int k = 1; k < 26; k++)
    S[k] = S[k - 1] + 0x9e3779b9u;
  for (int k = 0; k < 78; k++) {
    a = S[k % 26] = turned(S[k % 26] + a + b, 3);
    b = L[k % 3] = turned(L[k % 3] + a + b, a + b);
  }
  unsigned p = s.plain0 + S[0], q = s.plain1 + S[1];
  for (int round = 1; round <= 12; round++) {
    p = turned(p ^ q, q) + S[2 * round];
    q = turned(q ^ p, p) + S[2 * round + 1];
  }
  return p;
}

__global__ void naive(Search s, unsigned *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = word(s, i);
}

// All loops unrolled, so that subkeys are in registers; the first words of all subkeys are constants; one instruction turns a word.
__global__ void __launch_bounds__(128) unrolled(Search s, unsigned *__restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  unsigned S[26], L[3] = {s.high, s.middle, s.low + i}, a = 0, b = 0;
#pragma unroll
  for (int k = 0; k < 78; k++) {
    unsigned old = k < 26 ? 0xb7e15163u + unsigned(k) * 0x9e3779b9u : S[k % 26];
    unsigned x = old + a + b;
    a = S[k % 26] = __funnelshift_l(x, x, 3);
    unsigned y = L[k % 3] + a + b;
    b = L[k % 3] = __funnelshift_l(y, y, a + b);
  }
  unsigned p = s.plain0 + S[0], q = s.plain1 + S[1];
#pragma unroll
  for (int round = 1; round <= 12; round++) {
    p = __funnelshift_l(p ^ q, p ^ q, q) + S[2 * round];
    q = __funnelshift_l(q ^ p, q ^ p, p) + S[2 * round + 1];
  }
  out[i] = p;
}

int board_main(int argc, char **argv) {
  board::Board board(BOARD_NAME, {"n"}, argc, argv);
  int n = board.size(0);
  const Search search{0x12345678u, 0x9abcdef0u, 0x42u, 0x20656854u, 0x6e6b6e75u};
  auto out = board.output<unsigned>(n);
  std::vector<unsigned> reference(n);
  board::parallelFor(n, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; i++)
      reference[i] = word(search, unsigned(i));
  });
  board.check("words that are wrong", 0, [&, reference = std::move(reference)] {
    std::vector<unsigned> result = out.result();
    size_t wrong = 0;
    for (int i = 0; i < n; i++)
      wrong += result[i] != reference[i];
    return double(wrong);
  });
  board.floor(4.0 * n, 462.0 * n, board::Precision::Integer, "462 additions, turns and exclusive ors of a key");
  board.column("naive", "one thread per key", [&](cudaStream_t s) { naive<<<blocksFor(n, 256), 256, 0, s>>>(search, out.device(), n); });
  board.column("hand", "unrolled, subkeys in registers", [&](cudaStream_t s) { unrolled<<<blocksFor(n, 128), 128, 0, s>>>(search, out.device(), n); });
  board.ours(n, search.low, search.middle, search.high, search.plain0, search.plain1, out.device());
  return board.run();
}

} // namespace

int main(int argc, char **argv) {
  return board::guarded([&] { return board_main(argc, argv); });
}
