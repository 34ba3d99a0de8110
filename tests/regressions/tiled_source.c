// was: launches had 256 threads for each element that the source visits in tiles of 16 x 16, and
//      refused products in tiles
// now: tiles, strips and steps of the source are left out where the loops inside say the same
// expect: offload
// fp: tol
#include <stdio.h>

#define MIN(a, b) ((a) < (b) ? (a) : (b))
enum { N = 150, TILE = 16 };
static float A[N][N], B[N][N], C[N][N], D[N][N];
static unsigned s[N], t[N][N];

static void product(int n) {
  for (int kk = 0; kk < n; kk += TILE)
    for (int ii = 0; ii < n; ii += TILE)
      for (int jj = 0; jj < n; jj += TILE)
        for (int i = ii; i < MIN(n, ii + TILE); i++)
          for (int k = kk; k < MIN(n, kk + TILE); k++)
            for (int j = jj; j < MIN(n, jj + TILE); j++)
              C[i][j] += A[i][k] * B[k][j];
}

// Tiles of tiles, of two sizes.
static void turn(int n) {
  for (int i1 = 0; i1 < n; i1 += 4 * TILE)
    for (int j1 = 0; j1 < n; j1 += TILE)
      for (int i2 = i1; i2 < MIN(n, i1 + 4 * TILE); i2 += TILE)
        for (int i = i2; i < MIN(n, i2 + TILE); i++)
          for (int j = j1; j < MIN(n, j1 + TILE); j++)
            D[i][j] = C[j][i] - A[i][j];
}

// The order inside of the strips matters: t is no sum. Strips end one before n.
static void strips(int n) {
  for (int jj = 1; jj < n; jj += TILE)
    for (int kk = 0; kk < n - 1; kk += 5)
      for (int j = jj; j < n && j < jj + TILE; j++)
        for (int k = kk; k < n - 1 && k < kk + 5; k++)
          s[j] = s[j] * 3 + t[j][k];
}

// Strips that overlap: those of k come again.
static void overlapping(int n) {
  for (int j = 0; j < n; j++)
    for (int kk = 0; kk < n; kk += 4)
      for (int k = kk; k < n && k < kk + 6; k++)
        s[j] = s[j] * 5 + t[j][k] + kk;
}

// Strips from the last to the first, elements from the first to the last.
static void backwards(int n) {
  for (int j = 0; j < n; j++)
    for (int kk = (n - 1) / 8 * 8; kk >= 0; kk -= 8)
      for (int k = kk; k < n && k < kk + 8; k++)
        s[j] = s[j] * 7 + t[j][k];
}

// In steps, from a number that is not known; rows of both colours.
static void steps(int n, int from) {
  for (int i = from; i < n; i += 3)
    for (int j = n - 1; j >= 1; j -= 2)
      t[i][j] += 7 * i + j;
  for (int colour = 0; colour < 2; colour++)
    for (int i = 1; i < n - 1; i++)
      for (int j = 1 + (i + colour) % 2; j < n - 1; j += 2)
        t[i][j] = t[i - 1][j] + t[i + 1][j] - t[i][j - 1] + (t[i][j + 1] & 255);
  for (int j = 1; j < n; j += 2)
    for (int k = 0; k < n; k++)
      s[j] = s[j] * 3 + t[k][j];
}

int main(void) {
  static const int sizes[] = {1, 16, 17, 90, 150};
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      A[i][j] = (i * 7 + j * 3) % 17;
      B[i][j] = (i * 5 + j * 11) % 13;
      t[i][j] = (i * 3 + j * 7) % 11;
    }
  for (int k = 0; k < 5; k++) {
    product(sizes[k]);
    turn(sizes[k]);
    strips(sizes[k]);
    overlapping(sizes[k]);
    backwards(sizes[k]);
    steps(sizes[k], k);
    steps(sizes[k] - 5, 2);
  }
  double sums[4] = {0};
  for (int i = 0; i < N; i++) {
    sums[2] = sums[2] * 0.5 + s[i] % 1000;
    for (int j = 0; j < N; j++) {
      sums[0] = sums[0] * 0.5 + C[i][j];
      sums[1] = sums[1] * 0.5 + D[i][j];
      sums[3] = sums[3] * 0.5 + t[i][j] % 1000;
    }
    printf("%g %g %g %g\n", sums[0], sums[1], sums[2], sums[3]);
  }
  return 0;
}
