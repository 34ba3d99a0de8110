// expect: offload
// kernels: optimized
// fp: tol
// Rows around the lengths at which another form is launched: a thread for a row, a warp for each of
// several rows in a block, a block for a row. There are rows that fill no block.
#include <math.h>
#include <stdio.h>

enum { N = 21, M = 1030 };
static float x[N * M], y[N * M];
static int counts[N * M], shares[N * M];

static void softmax(int n, int m, const float *in, float *out) {
  for (int i = 0; i < n; i++) {
    float most = -1e30f;
    for (int j = 0; j < m; j++)
      if (in[i * m + j] > most)
        most = in[i * m + j];
    float s = 0;
    for (int j = 0; j < m; j++) {
      out[i * m + j] = expf(in[i * m + j] - most);
      s += out[i * m + j];
    }
    for (int j = 0; j < m; j++)
      out[i * m + j] /= s;
  }
}

// A variable of each row with several elements, and sums that each row has in memory.
static void shared(int n, int m, const int *in, int *out) {
  for (int i = 0; i < n; i++) {
    int ends[2], s = 0;
    ends[0] = 7 * i;
    ends[1] = i - 3;
    for (int j = 0; j < m; j++)
      s += in[i * m + j] * ends[1];
    for (int j = 0; j < m; j++)
      out[i * m + j] = in[i * m + j] + s * ends[0];
    int most = 0;
    for (int j = 0; j < m - 1; j++)
      most = out[i * m + j + 1] > most ? out[i * m + j + 1] : most;
    for (int j = 0; j < m; j++)
      out[i * m + j] -= most + ends[1];
  }
}

// As many rows as a block has, one less and one more.
static void someRows(int m) {
  for (int n = 7; n <= 9; n++) {
    shared(n, m, counts, shares);
    for (int i = 0; i < n * m; i += 13)
      printf("%d\n", shares[i]);
  }
}

int main(void) {
  static const int lengths[] = {0,  1,   2,   31,  32,  33,   63,   64,
                                65, 255, 256, 257, 1000, 1023, 1024, 1025};
  for (int i = 0; i < N * M; i++) {
    x[i] = (float)(i * 7 % 29) * 0.25f - 3;
    counts[i] = i * 5 % 23 - 11;
  }
  for (int k = 0; k < (int)(sizeof lengths / sizeof *lengths); k++) {
    int m = lengths[k];
    softmax(N, m, x, y);
    shared(N, m, counts, shares);
    for (int i = 0; i < N * m; i += m < 65 ? 1 : 31)
      printf("%g %d\n", y[i], shares[i]);
  }
  someRows(33);
  someRows(1024);
  return 0;
}
