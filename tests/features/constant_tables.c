// expect: offload
// fp: exact
// feature: small tables that all iterations read at one place: arrays of structs, of rows, of bytes; candidates for constant memory
#include <stdio.h>

#define N 300

struct pair {
  int scale;
  int shift[2];
};

static struct pair pairs[4];
static int rows[3][2][2], in[N + 8], out[N], later[8];
static unsigned char bytes[9];

// The tables are parameters, so that their sizes come from the loops.
static void filtered(int n, const struct pair *p, int r[3][2][2], const unsigned char *b) {
  for (int i = 0; i < n; i++) {
    int sum = 0;
    for (int k = 1; k < 4; k++)
      sum += in[i + k] * p[k].scale + p[k].shift[1];
    for (int k = 0; k < 3; k++)
      sum += r[k][1][0] * b[k + 6];
    out[i] = sum;
  }
}

// A table that the region itself changes afterwards.
static void changed(int n) {
  for (int i = 0; i < n; i++)
    for (int k = 0; k < 8; k++)
      out[i] += later[k];
  for (int k = 0; k < 8; k++)
    later[k] = 2 * later[k];
}

int main(void) {
  for (int k = 0; k < N + 8; k++)
    in[k] = k * 37 % 101;
  for (int k = 0; k < 4; k++) {
    struct pair p = {3 * k - 4, {k, -7 * k}};
    pairs[k] = p;
  }
  for (int k = 0; k < 12; k++)
    rows[k / 4][k / 2 % 2][k % 2] = k * k - 9;
  for (int k = 0; k < 9; k++)
    bytes[k] = (unsigned char)(k * 29);
  for (int k = 0; k < 8; k++)
    later[k] = k - 3;
  filtered(N, pairs, rows, bytes);
  changed(N);
  changed(N);
  for (int k = 0; k < N; k++)
    printf("%d\n", out[k]);
  for (int k = 0; k < 8; k++)
    printf("%d\n", later[k]);
  return 0;
}
