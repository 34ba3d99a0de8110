// Flattened subscripts become rows where every use of the array can be taken apart; then there are tiles and windows as for declared rows.
// RUN: %nestwarp compile -q --emit=program %s | FileCheck --check-prefix=PROGRAM %s
// RUN: %nestwarp compile -q --emit=cuda --device=h200 --function=transpose %s | FileCheck --check-prefix=TILES %s
// RUN: %nestwarp compile -q --emit=kernels --device=h200 --function=star %s | FileCheck --check-prefix=RANGE %s
// PROGRAM-LABEL: of transpose
// PROGRAM: array float in[*][(long long)n], one subscript in the source
// PROGRAM: array float out[*][(long long)n], one subscript in the source
// PROGRAM: out[x][y] = in[y][x];
// PROGRAM-LABEL: of star
// PROGRAM: in[(y + 1)][(x - 1)]
// PROGRAM-LABEL: of volume
// PROGRAM: array float a[*][(long long)n][(long long)m], one subscript in the source
// PROGRAM: a[z][y][x] =
// PROGRAM-LABEL: of bordered
// PROGRAM: array float in[*][(long long)(m + 2)], one subscript in the source
// PROGRAM: out[y][x] = in[(y + 1)][(x + 1)];
// PROGRAM-LABEL: of sizes
// PROGRAM: array float in[*][((long long)m + {{.*}}2)], one subscript in the source
// PROGRAM: out[i][{{.*}}] = in[(i - {{.*}}1)][j];
// PROGRAM-LABEL: of constants
// PROGRAM: array float out[*][1024], one subscript in the source
// PROGRAM: out[y][x] = in[x][y];
// Rows that are left: as they were.
// PROGRAM-LABEL: of hops
// PROGRAM: array float in[*] (pointer)
// PROGRAM: in[((f * 16) + t)]
// TILES: tiles of 64 x 64
// TILES: __shared__ float in_tile[64][65];
// TILES: in[(long long)
// The ends of rows that nobody touches need not exist: nothing is said of them.
// RANGE: buffer in elements [{{.*}}1 + {{.*}}n{{.*}} in
// RANGE: kernel {{.*}}wide
void transpose(int n, float *out, const float *in) {
  for (int y = 0; y < n; y++)
    for (int x = 0; x < n; x++)
      out[x * n + y] = in[y * n + x];
}

void star(int n, float *out, const float *in) {
  for (int y = 1; y < n - 1; y++)
    for (int x = 1; x < n - 1; x++)
      out[y * n + x] = in[y * n + x] + in[(y + 1) * n + x - 1] + in[y * n + x + 1];
}

void volume(int l, int n, int m, float *a) {
  for (long z = 0; z < l; z++)
    for (int y = 0; y < n; y++)
      for (int x = 0; x < m; x++)
        a[(z * n + y) * m + x] = 2 * a[(z * n + y) * m + x];
}

void bordered(int n, int m, float *out, const float *in) {
  for (int y = 0; y < n; y++)
    for (int x = 0; x < m; x++)
      out[y * m + x] = in[(y + 1) * (m + 2) + x + 1];
}

void sizes(unsigned long n, unsigned long m, float *out, const float *in) {
  for (unsigned long i = 1; i < n; i++)
    for (unsigned long j = 0; j < m; j++)
      out[i * (m + 2) + j + 1] = in[(i - 1) * (m + 2) + j];
}

void constants(float *out, const float *in) {
  for (int y = 0; y < 1000; y++)
    for (int x = 0; x < 1000; x++)
      out[y * 1024 + x] = in[x * 1024 + y];
}

void hops(int frames, float *out, const float *in) {
  for (int f = 0; f < frames; f++)
    for (int t = 0; t < 40; t++)
      out[f * 40 + t] = in[f * 16 + t];
}
