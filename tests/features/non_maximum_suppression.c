// expect: offload
// fp: exact
// feature: the paper patterns' non-maximum suppression: from each pixel of a stack of images uphill to a peak
#include <stdio.h>

#define H 45
#define W 61

static float lower[H][W], middle[H][W], upper[H][W], peaks[H][W];

static unsigned seed = 2006u;

static int rnd(int lo, int hi) {
  seed = seed * 1664525u + 1013904223u;
  return lo + (int)((seed >> 10) % (unsigned)(hi - lo + 1));
}

static void suppress(int h, int w) {
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++) {
      int row = y, column = x, climbs = 1;
      float best = middle[y][x];
      while (climbs) {
        int next_row = row, next_column = column;
        for (int k = 0; k < 9; k++) {
          int r = row + k / 3 - 1, c = column + k % 3 - 1;
          if (r >= 0 && r < h && c >= 0 && c < w) {
            float there = middle[r][c];
            if (there < lower[r][c])
              there = lower[r][c];
            if (there < upper[r][c])
              there = upper[r][c];
            if (there > best) {
              best = there;
              next_row = r;
              next_column = c;
            }
          }
        }
        climbs = next_row != row || next_column != column;
        row = next_row;
        column = next_column;
      }
      peaks[y][x] = row == y && column == x ? best : 0.0f;
    }
}

int main(void) {
  for (int y = 0; y < H; y++)
    for (int x = 0; x < W; x++) {
      lower[y][x] = (float)rnd(0, 900);
      middle[y][x] = (float)rnd(0, 900);
      upper[y][x] = (float)rnd(0, 900);
    }
  suppress(H, W);
  for (int y = 0; y < H; y++)
    for (int x = 0; x < W; x++)
      printf("%g%c", (double)peaks[y][x], x + 1 < W ? ' ' : '\n');
  return 0;
}
