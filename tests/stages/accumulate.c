// Sums that live in memory are formed in registers from zero on and added in the end, with the loops in any order: products have the tiles of sums in variables.
// RUN: %nestwarp compile -q --emit=program@accumulate --function rows %s | FileCheck --check-prefix=PROGRAM %s
// RUN: %nestwarp compile -q --emit=cuda --device=h200 --function rows %s | FileCheck --check-prefix=ROWS %s
// RUN: %nestwarp compile -q --emit=cuda --device=h200 --function scaled %s | FileCheck --check-prefix=SCALED %s
// RUN: %nestwarp compile -q --emit=cuda --device=h200 --fp=strict --function rows %s | FileCheck --check-prefix=STRICT %s
// RUN: %nestwarp compile -q --emit=cuda --device=h200 --function blurred %s | FileCheck --check-prefix=BLURRED %s
// PROGRAM: S1_first
// PROGRAM: C_sum = 0
// PROGRAM: C_sum = (C_sum + (A[i][k] * B[k][j_2]));
// PROGRAM: C[i][j_2] = (C[i][j_2] + C_sum);
// ROWS: 8 x 8 in a thread{{.*}}loads of 16 bytes
// ROWS: C_sum[i_point][j_2_point] = 0.0f;
// ROWS-NOT: C[
// ROWS: for (int k_strip
// ROWS: C_sum[i_point][j_2_point] = C_sum[i_point][j_2_point] + A_tile
// ROWS: C[(long long)i * m + j_2] = (float)0;
// ROWS: C[(long long)i * m + j_2] = C[(long long)i * m + j_2] + C_sum[i_point][j_2_point];
// ROWS: the last tiles are shifted inwards
// SCALED: 8 x 8 in a thread{{.*}}loads of 16 bytes
// SCALED: for (int k_strip
// SCALED: C[i][j] = C[i][j] * beta;
// SCALED: C[i][j] = C[i][j] + C_sum[i_point][j_point];
// What scales the elements in loops of its own comes with them.
// RUN: %nestwarp compile -q --emit=cuda --device=h200 --function general %s | FileCheck --check-prefix=GENERAL %s
// GENERAL-NOT: _step1
// GENERAL: general_{{[0-9]+}}_step0_tiles(
// GENERAL-NOT: C[
// GENERAL: for (int k_strip
// GENERAL-NOT: if (
// GENERAL: C[i][j_2] = C[i][j_2] * beta;
// GENERAL-NEXT: C[i][j_2] = C[i][j_2] + C_sum[i_point][j_2_point];
// GENERAL-NOT: _step1
// STRICT-NOT: C_sum
// STRICT: 4 x 8 in a thread
// STRICT: C_kept[i_point][j_2_point] = C_kept[i_point][j_2_point] +
// Points that share no operand keep their sums where they were.
// BLURRED-NOT: _sum
// RUN: %nestwarp compile -q --emit=cuda --device=h200 --function triangle %s | FileCheck --check-prefix=TRIANGLE %s
// Neither do triangles, whose tiles have edges.
// TRIANGLE-NOT: _sum
// TRIANGLE: float C_kept[4][4]

void rows(int n, int m, int p, float A[n][p], float B[p][m], float C[n][m]) {
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < m; j++)
      C[i][j] = 0;
    for (int k = 0; k < p; k++)
      for (int j = 0; j < m; j++)
        C[i][j] += A[i][k] * B[k][j];
  }
}

// One size: fewer forms of the tiles.
#define SIZE 1024
void scaled(float alpha, float beta, float A[SIZE][SIZE], float B[SIZE][SIZE],
            float C[SIZE][SIZE]) {
  for (int i = 0; i < SIZE; i++)
    for (int j = 0; j < SIZE; j++) {
      C[i][j] *= beta;
      for (int k = 0; k < SIZE; k++)
        C[i][j] += alpha * A[i][k] * B[k][j];
    }
}

void general(float alpha, float beta, float A[SIZE][SIZE], float B[SIZE][SIZE],
             float C[SIZE][SIZE]) {
  for (int i = 0; i < SIZE; i++) {
    for (int j = 0; j < SIZE; j++)
      C[i][j] *= beta;
    for (int k = 0; k < SIZE; k++)
      for (int j = 0; j < SIZE; j++)
        C[i][j] += alpha * A[i][k] * B[k][j];
  }
}

void blurred(int n, int m, float in[n][m], float out[n][m]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m - 8; j++)
      for (int k = 0; k < 8; k++)
        out[i][j] += in[i][j + k];
}

void triangle(int n, int p, float A[n][p], float C[n][n]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++)
      for (int k = 0; k < p; k++)
        C[i][j] += A[i][k] * A[j][k];
}
