// fdtd2d: an electromagnetic wave in the plane; each step the electric field from the magnetic one, then the other way round.
#include "common.h"

namespace {

__global__ void electric(float *ex, float *ey, const float *hz, int n) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= n || j >= n)
    return;
  size_t k = size_t(i) * n + j;
  if (i > 0)
    ey[k] -= 0.5f * (hz[k] - hz[k - n]);
  if (j > 0)
    ex[k] -= 0.5f * (hz[k] - hz[k - 1]);
}

__global__ void magnetic(const float *ex, const float *ey, float *hz, int n) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= n - 1 || j >= n - 1)
    return;
  size_t k = size_t(i) * n + j;
  hz[k] -= 0.7f * (ex[k + 1] - ex[k] + ey[k + n] - ey[k]);
}

// A whole step from one set of fields to another: the electric field to the right and below is computed once more instead of waited for.
__global__ void step(const float *__restrict__ ex, const float *__restrict__ ey, const float *__restrict__ hz, float *__restrict__ nextEx, float *__restrict__ nextEy,
                     float *__restrict__ nextHz, int n) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= n || j >= n)
    return;
  size_t k = size_t(i) * n + j;
  float here = hz[k];
  float y = ey[k] - (i > 0 ? 0.5f * (here - hz[k - n]) : 0), x = ex[k] - (j > 0 ? 0.5f * (here - hz[k - 1]) : 0);
  nextEy[k] = y;
  nextEx[k] = x;
  if (i < n - 1 && j < n - 1) {
    float right = ex[k + 1] - 0.5f * (hz[k + 1] - here), below = ey[k + n] - 0.5f * (hz[k + n] - here);
    here -= 0.7f * (right - x + below - y);
  }
  nextHz[k] = here;
}

struct Fields {
  std::vector<double> ex, ey, hz;
  int n;

  void step() {
    board::parallelFor(n, [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; i++)
        for (int j = 0; j < n; j++) {
          size_t k = i * n + j;
          if (i > 0)
            ey[k] -= 0.5 * (hz[k] - hz[k - n]);
          if (j > 0)
            ex[k] -= 0.5 * (hz[k] - hz[k - 1]);
        }
    });
    board::parallelFor(n - 1, [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; i++)
        for (size_t k = i * n; k < i * n + n - 1; k++)
          hz[k] -= 0.7 * (ex[k + 1] - ex[k] + ey[k + n] - ey[k]);
    });
  }
};

int board_main(int argc, char **argv) {
  board::Board board(BOARD_NAME, {"n", "steps"}, argc, argv);
  int n = board.size(0), steps = board.size(1);
  size_t count = size_t(n) * n;
  auto ex = board.changed(board::madeUpNumbers<float>(count, 1)), ey = board.changed(board::madeUpNumbers<float>(count, 2)), hz = board.changed(board::madeUpNumbers<float>(count, 3));
  auto ex2 = board.output<float>(count), ey2 = board.output<float>(count), hz2 = board.output<float>(count);
  Fields fields{{ex.host.begin(), ex.host.end()}, {ey.host.begin(), ey.host.end()}, {hz.host.begin(), hz.host.end()}, n};
  for (int t = 0; t < steps; t++)
    fields.step();
  // Fields at the border grow with every step, and with them what is rounded off: 4e-7 of the root mean square a step.
  board.expect(ex, fields.ex, 1e-4);
  board.expect(ey, fields.ey, 1e-4);
  board.expect(hz, fields.hz, 1e-4);
  board.floor(24.0 * count, 11.0 * count * steps, board::Precision::Single, "arrays move once, for all steps together");
  const dim3 grid(blocksFor(n, 32), blocksFor(n, 8)), block(32, 8);
  board.column("naive", "one thread per cell, two launches a step", [&](cudaStream_t s) {
    for (int t = 0; t < steps; t++) {
      electric<<<grid, block, 0, s>>>(ex.device(), ey.device(), hz.device(), n);
      magnetic<<<grid, block, 0, s>>>(ex.device(), ey.device(), hz.device(), n);
    }
  });
  if (steps % 2 == 0)
    board.column("hand", "a step in one launch, from one set of fields to another", [&](cudaStream_t s) {
      for (int t = 0; t < steps; t += 2) {
        step<<<grid, block, 0, s>>>(ex.device(), ey.device(), hz.device(), ex2.device(), ey2.device(), hz2.device(), n);
        step<<<grid, block, 0, s>>>(ex2.device(), ey2.device(), hz2.device(), ex.device(), ey.device(), hz.device(), n);
      }
    });
  board.ours(n, steps, ex.device(), ey.device(), hz.device());
  return board.run();
}

} // namespace

int main(int argc, char **argv) {
  return board::guarded([&] { return board_main(argc, argv); });
}
