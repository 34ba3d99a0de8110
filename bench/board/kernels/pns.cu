// pns: n simulations of a stochastic Petri net, each with tokens and random numbers of its own.
#include "common.h"

namespace {

/// A simulation; the tokens of place p are tokens[p * stride].
__host__ __device__ inline int simulation(const int *from, const int *to, unsigned state, int *tokens, int stride, int transitions, int steps) {
  int count = 0;
  for (int t = 0; t < steps; t++) {
    state = state * 1664525u + 1013904223u;
    int chosen = int((state >> 8) % unsigned(transitions)), a = from[2 * chosen] * stride, b = from[2 * chosen + 1] * stride;
    if (tokens[a] > 0 && tokens[b] > 0) {
      tokens[a]--;
      tokens[b]--;
      tokens[to[2 * chosen] * stride]++;
      tokens[to[2 * chosen + 1] * stride]++;
      count++;
    }
  }
  return count;
}

__global__ void naive(const int *from, const int *to, const unsigned *seed, int *tokens, int *fired, int n, int places, int transitions, int steps) {
  int s = blockIdx.x * blockDim.x + threadIdx.x;
  if (s < n)
    fired[s] = simulation(from, to, seed[s], tokens + size_t(s) * places, 1, transitions, steps);
}

constexpr int kThreads = 64;

// Tokens in shared memory, those of one place side by side, so that no two threads of a warp meet in a bank.
__global__ void __launch_bounds__(kThreads) shared(const int *__restrict__ from, const int *__restrict__ to, const unsigned *__restrict__ seed, int *tokens, int *fired, int n,
                                                   int places, int transitions, int steps) {
  extern __shared__ int mine[];
  const int first = blockIdx.x * kThreads, count = min(kThreads, n - first), t = threadIdx.x;
  for (int k = t; k < count * places; k += kThreads)
    mine[k % places * kThreads + k / places] = tokens[size_t(first) * places + k];
  __syncthreads();
  if (t < count)
    fired[first + t] = simulation(from, to, seed[first + t], mine + t, kThreads, transitions, steps);
  __syncthreads();
  for (int k = t; k < count * places; k += kThreads)
    tokens[size_t(first) * places + k] = mine[k % places * kThreads + k / places];
}

int board_main(int argc, char **argv) {
  board::Board board(BOARD_NAME, {"n", "places", "transitions", "steps"}, argc, argv);
  int n = board.size(0), places = board.size(1), transitions = board.size(2), steps = board.size(3);
  auto drawn = [&](uint64_t seed) {
    std::vector<int> numbers(2 * transitions);
    for (int k = 0; k < 2 * transitions; k++)
      numbers[k] = int((board::madeUp(k, seed) + 0.5) * places);
    return numbers;
  };
  auto from = board.input(drawn(1)), to = board.input(drawn(2));
  auto seed = board.input(board::madeUpNumbers<unsigned>(n, 3, 4e9, 2e9));
  auto tokens = board.changed(board::madeUpNumbers<int>(size_t(n) * places, 4, 8, 4));
  auto fired = board.output<int>(n);
  std::vector<int> left = tokens.host, counts(n);
  board::parallelFor(n, [&](size_t begin, size_t end) {
    for (size_t s = begin; s < end; s++)
      counts[s] = simulation(from.host.data(), to.host.data(), seed.host[s], left.data() + s * places, 1, transitions, steps);
  });
  board.check("simulations that are wrong", 0, [&, left = std::move(left), counts = std::move(counts)] {
    std::vector<int> theirs = tokens.result(), theirCounts = fired.result();
    size_t wrong = 0;
    for (int s = 0; s < n; s++)
      wrong += counts[s] != theirCounts[s] || !std::equal(left.begin() + size_t(s) * places, left.begin() + size_t(s + 1) * places, theirs.begin() + size_t(s) * places);
    return double(wrong);
  });
  board.floor(8.0 * n * places + 8.0 * n, 6.0 * n * steps, board::Precision::Integer, "six operations a step, tokens in registers");
  board.column("naive", "one thread per simulation", [&](cudaStream_t s) {
    naive<<<blocksFor(n, 128), 128, 0, s>>>(from.device(), to.device(), seed.device(), tokens.device(), fired.device(), n, places, transitions, steps);
  });
  if (places <= 128)
    board.column("hand", "tokens in shared memory", [&](cudaStream_t s) {
      shared<<<blocksFor(n, kThreads), kThreads, kThreads * places * sizeof(int), s>>>(from.device(), to.device(), seed.device(), tokens.device(), fired.device(), n, places, transitions, steps);
    });
  board.ours(n, places, transitions, steps, from.device(), to.device(), seed.device(), tokens.device(), fired.device());
  return board.run();
}

} // namespace

int main(int argc, char **argv) {
  return board::guarded([&] { return board_main(argc, argv); });
}
