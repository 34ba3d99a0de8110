// Loops that stay close to another are counted from there; others keep their values.
// RUN: %nestwarp compile --emit=schedule %s | FileCheck %s

// CHECK: parallel S0
// CHECK-NEXT: i =
// CHECK-NEXT: j_from_i = {{.*}} -> [-i0 + i1] :
void diagonals(int n, float a[restrict n + 2][n + 2]) {
  for (int i = 0; i < n; i++)
    for (int j = i; j < i + 3; j++)
      a[i][j] = i + 2 * j;
}

// Tiles of the source say nothing that the loops inside do not say.
// CHECK: parallel S0
// CHECK-NEXT: i = {{.*}} -> [i1] :
// CHECK-NEXT: inside
void tiles(int n, float b[restrict n]) {
  for (int ii = 0; ii < n; ii += 16)
    for (int i = ii; i < n && i < ii + 16; i++)
      b[i] = i;
}

// Nor do strips of a thread's loops, where they run forwards and do not overlap.
// CHECK: parallel S0
// CHECK-NEXT: i = {{.*}} -> [i0] :
// CHECK-NEXT: inside {{.*}} -> [0, 0, 0, 0, 0, i2, 0] :
// CHECK: parallel S0
// CHECK-NEXT: i = {{.*}} -> [i0] :
// CHECK-NEXT: inside {{.*}} -> [0, 0, 0, i1, 0, i2, 0] :
void strips(int n, unsigned s[restrict n], unsigned t[restrict n + 8][n + 8]) {
  for (int i = 0; i < n; i++)
    for (int kk = 0; kk < n; kk += 8)
      for (int k = kk; k < kk + 8; k++)
        s[i] = s[i] * 3 + t[k][i];
}
void overlapping(int n, unsigned s[restrict n], unsigned t[restrict n + 8][n + 8]) {
  for (int i = 0; i < n; i++)
    for (int kk = 0; kk < n; kk += 8)
      for (int k = kk; k < kk + 9; k++)
        s[i] = s[i] * 3 + t[k][i];
}

// Steps from a number that nobody knows.
// CHECK: parallel S0
// CHECK-NEXT: i_by_3 =
// CHECK-NEXT: inside
void steps(int from, int n, float a[restrict n]) {
  for (int i = from; i < n; i += 3)
    a[i] = i;
}

// As wide as w says, and nothing cuts it off; backwards, two at a time.
// CHECK: parallel S0
// CHECK-NEXT: i =
// CHECK-NEXT: j_from_i = {{.*}} -> [2i0 + i1] :
void slope(int n, int w, float c[restrict n][w]) {
  for (int i = 0; i < n; i++)
    for (int j = -2 * i; j < w - 2 * i; j++)
      c[i][j + 2 * i] = i * j;
}

// Nobody knows that w is less than n, and a triangle has no width.
// CHECK: parallel S0
// CHECK-NEXT: i =
// CHECK-NEXT: j = {{.*}} -> [i1] :
// CHECK: parallel S1
// CHECK-NEXT: i_2 =
// CHECK-NEXT: j_2 = {{.*}} -> [i1] :
void wide(int n, int w, float d[restrict n][n]) {
  for (int i = 0; i < n; i++)
    for (int j = i - w > 0 ? i - w : 0; j <= i + w && j < n; j++)
      d[i][j] = i - j;
  for (int i = 0; i < n; i++)
    for (int j = i; j < n; j++)
      d[j][i] = i + j;
}
