// tpacf: a histogram of the angles between all pairs of n directions.
#include "common.h"

namespace {

__host__ __device__ inline int binOf(float cosine, const float *edge, int bins) {
  int bin = 0;
  while (bin < bins - 1 && cosine < edge[bin])
    bin++;
  return bin;
}

__global__ void naive(const float *x, const float *y, const float *z, const float *edge, unsigned *own, int n, int bins) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  unsigned mine[32] = {};
  for (int j = i + 1; j < n; j++)
    mine[binOf(x[i] * x[j] + y[i] * y[j] + z[i] * z[j], edge, bins)]++;
  for (int b = 0; b < bins; b++)
    own[size_t(i) * bins + b] = mine[b];
}

__global__ void sums(const unsigned *own, unsigned *count, int n, int bins) {
  int b = blockIdx.x * blockDim.x + threadIdx.x;
  if (b >= bins)
    return;
  unsigned sum = 0;
  for (int i = 0; i < n; i++)
    sum += own[size_t(i) * bins + b];
  count[b] = sum;
}

constexpr int kThreads = 256, kWarps = kThreads / 32;

// A block has the pairs of one tile of directions with another, the others of which are in shared memory; a histogram for each warp, in
// shared memory; bins are found by halving.
__global__ void __launch_bounds__(kThreads) tiled(const float *__restrict__ x, const float *__restrict__ y, const float *__restrict__ z, const float *__restrict__ edge,
                                                  unsigned *count, int n, int bins) {
  if (blockIdx.x < blockIdx.y)
    return;
  __shared__ float4 other[kThreads];
  __shared__ unsigned mine[kWarps][32];
  __shared__ float edges[32];
  const int t = threadIdx.x, i = blockIdx.y * kThreads + t, begin = blockIdx.x * kThreads;
  mine[t / 32][t % 32] = 0;
  if (t < 32)
    edges[t] = t < bins - 1 ? edge[t] : -2;
  if (begin + t < n)
    other[t] = make_float4(x[begin + t], y[begin + t], z[begin + t], 0);
  __syncthreads();
  if (i < n)
    for (int l = max(0, i + 1 - begin); l < min(kThreads, n - begin); l++) {
      float4 p = other[l];
      float cosine = x[i] * p.x + y[i] * p.y + z[i] * p.z;
      int bin = 0;
#pragma unroll
      for (int step = 16; step; step >>= 1)
        if (cosine < edges[bin + step - 1])
          bin += step;
      atomicAdd(&mine[t / 32][bin], 1u);
    }
  __syncthreads();
  if (t < bins) {
    unsigned sum = 0;
    for (int w = 0; w < kWarps; w++)
      sum += mine[w][t];
    if (sum)
      atomicAdd(&count[t], sum);
  }
}

int board_main(int argc, char **argv) {
  board::Board board(BOARD_NAME, {"n", "bins"}, argc, argv);
  int n = board.size(0), bins = board.size(1);
  if (bins > 32)
    throw board::Failure("at most 32 bins are wanted");
  std::vector<float> places[3] = {std::vector<float>(n), std::vector<float>(n), std::vector<float>(n)}, edges(bins, -2);
  for (int i = 0; i < n; i++) {
    double height = 2 * board::madeUp(i, 1), turn = 2 * M_PI * board::madeUp(i, 2), flat = std::sqrt(1 - height * height);
    places[0][i] = float(flat * std::cos(turn)), places[1][i] = float(flat * std::sin(turn)), places[2][i] = float(height);
  }
  for (int b = 0; b + 1 < bins; b++)
    edges[b] = float(std::cos(M_PI * (b + 1) / bins));
  auto x = board.input(places[0]), y = board.input(places[1]), z = board.input(places[2]), edge = board.input(edges);
  auto own = board.output<unsigned>(size_t(n) * bins), count = board.output<unsigned>(bins);
  std::vector<double> reference(bins);
  std::mutex adding;
  board::parallelFor(n, [&](size_t begin, size_t end) {
    std::vector<size_t> mine(bins);
    for (size_t i = begin; i < end; i++)
      for (size_t j = 0; j < i; j++)
        mine[binOf(places[0][i] * places[0][j] + places[1][i] * places[1][j] + places[2][i] * places[2][j], edges.data(), bins)]++;
    std::lock_guard lock(adding);
    for (int b = 0; b < bins; b++)
      reference[b] += double(mine[b]);
  });
  const double pairs = 0.5 * n * (n - 1.0);
  board.check("pairs in another bin / all pairs", 1e-5, [&, reference = std::move(reference)] {
    std::vector<unsigned> result = count.result();
    double moved = 0;
    for (int b = 0; b < bins; b++)
      moved += std::abs(result[b] - reference[b]) / 2;
    return moved / pairs;
  });
  board.check("pairs missing or counted twice", 0, [&] {
    double sum = 0;
    for (unsigned c : count.result())
      sum += c;
    return std::abs(sum - pairs);
  });
  board.floor(16.0 * n, 11.0 * pairs, board::Precision::Single, "a bin found by five comparisons");
  board.column("naive", "one thread per direction, counts of its own", [&](cudaStream_t s) {
    naive<<<blocksFor(n, 128), 128, 0, s>>>(x.device(), y.device(), z.device(), edge.device(), own.device(), n, bins);
    sums<<<1, 32, 0, s>>>(own.device(), count.device(), n, bins);
  });
  board.column("hand", "tiles in shared memory, a histogram for each warp", [&](cudaStream_t s) {
    MUST(cudaMemsetAsync(count.device(), 0, bins * sizeof(unsigned), s));
    tiled<<<dim3(blocksFor(n, kThreads), blocksFor(n, kThreads)), kThreads, 0, s>>>(x.device(), y.device(), z.device(), edge.device(), count.device(), n, bins);
  });
  board.ours(n, bins, x.device(), y.device(), z.device(), edge.device(), own.device(), count.device());
  return board.run();
}

} // namespace

int main(int argc, char **argv) {
  return board::guarded([&] { return board_main(argc, argv); });
}
