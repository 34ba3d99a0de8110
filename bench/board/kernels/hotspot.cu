// hotspot: heat spreads over a chip, step after step; the steps go from heat to next and back.
#include "common.h"

namespace {

struct Coefficients {
  real step, rx, ry, rz, air;

  template <class T> __host__ __device__ T after(T here, T north, T south, T west, T east, T power) const {
    return here + T(step) * (power + (north + south - 2 * here) * T(ry) + (west + east - 2 * here) * T(rx) + (T(air) - here) * T(rz));
  }
};

__global__ void naive(Coefficients c, const real *power, const real *heat, real *next, int n) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= n || j >= n)
    return;
  size_t k = size_t(i) * n + j;
  real here = heat[k];
  real north = i > 0 ? heat[k - n] : here, south = i < n - 1 ? heat[k + n] : here;
  real west = j > 0 ? heat[k - 1] : here, east = j < n - 1 ? heat[k + 1] : here;
  next[k] = c.after(here, north, south, west, east, power[k]);
}

constexpr int kThreads = 128, kRows = 128; // of a block: columns in packs, and rows that it walks down

// STEPS steps in one sweep. A block walks down its columns; level l holds the two last rows after l steps in registers and lies l rows
// behind the reading. Neighbours left and right come through shared memory, one barrier a row. Blocks overlap by STEPS cells on each side.
template <int W, int STEPS> __global__ void __launch_bounds__(kThreads) sweep(Coefficients c, const real *__restrict__ power, const real *__restrict__ heat, real *__restrict__ next, int n) {
  using P = Pack<real, W>;
  constexpr int kHalo = (STEPS + W - 1) / W * W, kColumns = kThreads * W - 2 * kHalo;
  __shared__ real first[2][STEPS][kThreads + 2], last[2][STEPS][kThreads + 2]; // elements of each thread's pack, with a place beyond both ends
  const int t = threadIdx.x, column = int(blockIdx.x) * kColumns - kHalo + t * W, top = blockIdx.y * kRows, bottom = min(top + kRows, n);
  const bool inside = column >= 0 && column < n;
  const bool writes = inside && t * W >= kHalo && t * W < kHalo + kColumns;
  auto row = [&](const real *from, int i) { return inside && i >= 0 && i < n ? P::load(from + size_t(i) * n + column) : P::zero(); };

  P above[STEPS], middle[STEPS], powers[STEPS + 1];
#pragma unroll
  for (int l = 0; l < STEPS; l++)
    above[l] = middle[l] = powers[l] = P::zero();
  P newHeat = row(heat, top - STEPS), newPower = row(power, top - STEPS);
  for (int r = top - STEPS, turn = 0; r < bottom + STEPS; r++, turn ^= 1) {
    P newest = newHeat;
#pragma unroll
    for (int l = STEPS; l > 0; l--)
      powers[l] = powers[l - 1];
    powers[0] = newPower;
    newHeat = row(heat, r + 1);
    newPower = row(power, r + 1);
#pragma unroll
    for (int l = 0; l < STEPS; l++) {
      first[turn][l][t + 1] = middle[l].v[0];
      last[turn][l][t + 1] = middle[l].v[W - 1];
    }
    __syncthreads();
#pragma unroll
    for (int l = 0; l < STEPS; l++) { // row r - l - 1, from after l steps to after l + 1
      const int i = r - l - 1;
      const P here = middle[l];
      const real west = last[turn][l][t], east = first[turn][l][t + 2];
      P result;
#pragma unroll
      for (int e = 0; e < W; e++) {
        real h = here.v[e];
        real left = e > 0 ? here.v[e > 0 ? e - 1 : 0] : column > 0 ? west : h;
        real right = e < W - 1 ? here.v[e < W - 1 ? e + 1 : e] : column + W < n ? east : h;
        result.v[e] = c.after(h, i > 0 ? above[l].v[e] : h, i < n - 1 ? newest.v[e] : h, left, right, powers[l + 1].v[e]);
      }
      above[l] = here;
      middle[l] = newest;
      newest = result;
    }
    if (writes && r - STEPS >= top)
      newest.store(next + size_t(r - STEPS) * n + column);
  }
}

template <int W, int STEPS> void launch(Coefficients c, const real *power, const real *heat, real *next, int n, cudaStream_t stream) {
  constexpr int kHalo = (STEPS + W - 1) / W * W, kColumns = kThreads * W - 2 * kHalo;
  sweep<W, STEPS><<<dim3(blocksFor(n, kColumns), blocksFor(n, kRows)), kThreads, 0, stream>>>(c, power, heat, next, n);
}

/// All steps, four at a time; the number of sweeps is even, so that the result is in heat.
template <int W> void byHand(Coefficients c, const real *power, real *heat, real *next, int n, int steps, cudaStream_t stream) {
  int fours = steps / 4, twos = steps % 4 / 2, ones = 0;
  if ((fours + twos) % 2 && fours)
    fours--, twos += 2;
  else if ((fours + twos) % 2)
    twos--, ones += 2;
  for (int k = 0; k < fours + twos + ones; k++) {
    auto function = k < fours ? launch<W, 4> : k < fours + twos ? launch<W, 2> : launch<W, 1>;
    function(c, power, heat, next, n, stream);
    std::swap(heat, next);
  }
}

std::vector<double> reference(Coefficients c, const std::vector<real> &power, const std::vector<real> &start, int n, int steps) {
  std::vector<double> now(start.begin(), start.end()), next(now.size());
  for (int s = 0; s < steps; s++) {
    board::parallelFor(n, [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; i++) {
        const double *row = &now[i * n], *up = i > 0 ? row - n : row, *down = i + 1 < size_t(n) ? row + n : row;
        for (int j = 0; j < n; j++)
          next[i * n + j] = c.after<double>(row[j], up[j], down[j], row[j > 0 ? j - 1 : j], row[j < n - 1 ? j + 1 : j], power[i * n + j]);
      }
    });
    now.swap(next);
  }
  return now;
}

int board_main(int argc, char **argv) {
  board::Board board(BOARD_NAME, {"n", "steps"}, argc, argv);
  int n = board.size(0), rounds = board.size(1) / 2, steps = 2 * rounds;
  Coefficients c{real(0.5), real(0.1), real(0.2), real(0.01), real(80)};
  size_t cells = size_t(n) * n;
  auto power = board.input(board::madeUpNumbers<real>(cells, 1, 2, 1)), heat = board.changed(board::madeUpNumbers<real>(cells, 2, 40, 320));
  auto next = board.output<real>(cells);
  board.expect(heat, reference(c, power.host, heat.host, n, steps), kDouble ? 1e-13 : 1e-5);
  board.floor(3.0 * cells * sizeof(real), 15.0 * cells * steps, kPrecision, "arrays move once, for all steps together");
  board.column("naive", "one thread per cell, a launch per step", [&](cudaStream_t s) {
    real *from = heat.device(), *to = next.device();
    for (int k = 0; k < steps; k++, std::swap(from, to))
      naive<<<dim3(blocksFor(n, 32), blocksFor(n, 8)), dim3(32, 8), 0, s>>>(c, power.device(), from, to, n);
  });
  board.column("hand", "4 steps a sweep, rows in registers", [&](cudaStream_t s) {
    auto run = n % kWide == 0 ? byHand<kWide> : byHand<1>;
    run(c, power.device(), heat.device(), next.device(), n, steps, s);
  });
  board.ours(n, rounds, c.step, c.rx, c.ry, c.rz, c.air, power.device(), heat.device(), next.device());
  return board.run();
}

} // namespace

int main(int argc, char **argv) {
  return board::guarded([&] { return board_main(argc, argv); });
}
