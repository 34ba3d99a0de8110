// expect: offload
// kernels: optimized
// fp: tol
// Rows that are gone over several times: softmax, norms, a row scaled by its sum, weights of a
// row's own.
#include <math.h>
#include <stdio.h>

enum { N = 37, M = 413 };
static float x[N][M], y[N][M], g[M], b[M];
static int counts[N][M], shares[N][M], totals[N];

static void softmax(int n, int m, const float *in, float *out) {
  for (int i = 0; i < n; i++) {
    float most = in[i * m];
    for (int j = 1; j < m; j++)
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

static void layernorm(int n, int m, float in[n][m], float gain[m], float bias[m], float out[n][m]) {
  for (int i = 0; i < n; i++) {
    float mean = 0, var = 0;
    for (int j = 0; j < m; j++)
      mean += in[i][j];
    mean /= m;
    for (int j = 0; j < m; j++) {
      float d = in[i][j] - mean;
      var += d * d;
    }
    float r = 1.0f / sqrtf(var / m + 1e-5f);
    for (int j = 0; j < m; j++)
      out[i][j] = (in[i][j] - mean) * r * gain[j] + bias[j];
  }
}

// In place: each row is read by all of its threads before one of them writes.
static void inPlace(int n, int m, int row[n][m], int total[n]) {
  for (int i = 0; i < n; i++) {
    total[i] = 0;
    for (int j = 0; j < m; j++)
      total[i] += row[i][j];
    for (int j = 0; j < m; j++)
      row[i][j] = row[i][j] * m - total[i];
  }
}

// Two sums of one variable, and neighbours in between: an element of another thread's.
static void twice(int n, int m, int in[n][m], int out[n][m]) {
  for (int i = 0; i < n; i++) {
    int s = 0;
    for (int j = 0; j < m; j++)
      s += in[i][j];
    for (int j = 0; j < m; j++)
      out[i][j] = in[i][j] - s;
    s = i;
    for (int j = 0; j < m - 1; j++)
      s += out[i][j] * out[i][j + 1];
    for (int j = 0; j < m; j++)
      out[i][j] += s;
  }
}

int main(void) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++) {
      x[i][j] = (float)((i * 7 + j * 13) % 29) * 0.25f - 3;
      counts[i][j] = (i * 5 + j * 3) % 23 - 11;
    }
  for (int j = 0; j < M; j++) {
    g[j] = 1 + (float)(j % 5) * 0.5f;
    b[j] = (float)(j % 3) - 1;
  }
  for (int m = 0; m <= M; m += m < 2 ? 1 : 137) {
    if (m > 0) // in[0] is read
      softmax(N, m, &x[0][0], &y[0][0]);
    for (int i = 0; i < N * M; i += 97)
      printf("%g\n", (&y[0][0])[i]);
  }
  layernorm(N, M, x, g, b, y);
  for (int i = 0; i < N * M; i += 97)
    printf("%g\n", (&y[0][0])[i]);
  twice(N, M, counts, shares);
  inPlace(N, M, counts, totals);
  for (int i = 0; i < N * M; i += 11)
    printf("%d %d\n", (&counts[0][0])[i], (&shares[0][0])[i]);
  for (int i = 0; i < N; i++)
    printf("%d\n", totals[i]);
  return 0;
}
