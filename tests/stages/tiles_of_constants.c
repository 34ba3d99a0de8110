// Tiles of constant sizes: exact ones where they divide these, else those that are shifted inwards; nothing is asked that is known.
// RUN: %nestwarp compile --emit=kernels --device=h200 --function even %s 2>&1 | FileCheck --check-prefix=EVEN %s
// RUN: %nestwarp compile --emit=kernels --device=h200 --function odd %s 2>&1 | FileCheck --check-prefix=ODD %s
// RUN: %nestwarp compile --emit=cuda --device=h200 --function small %s 2>&1 | FileCheck --check-prefix=SMALL %s
// EVEN-NOT: NW0297
// EVEN: {{^}}exact tiles, legal if A lies at a multiple of 16 bytes
// EVEN-NOT: NW0297
// ODD-NOT: NW0297
// ODD-NOT: exact tiles
// ODD: {{^}}shifted tiles
// ODD-NOT: NW0297
// SMALL-NOT: NW0297
// SMALL: small_0_step0(
// SMALL-NOT: NW0297

void even(float A[2048][2048], float B[2048][2048], float C[2048][2048]) {
  for (int i = 0; i < 2048; i++)
    for (int j = 0; j < 2048; j++) {
      float s = 0;
      for (int k = 0; k < 2048; k++)
        s += A[i][k] * B[k][j];
      C[i][j] = s;
    }
}

void odd(float A[2000][2000], float B[2000][2000], float C[2000][2000]) {
  for (int i = 0; i < 2000; i++)
    for (int j = 0; j < 2000; j++) {
      float s = 0;
      for (int k = 0; k < 2000; k++)
        s += A[i][k] * B[k][j];
      C[i][j] = s;
    }
}

void small(float A[64][64], float B[64][64], float C[64][64]) {
  for (int i = 0; i < 64; i++)
    for (int j = 0; j < 64; j++) {
      float s = 0;
      for (int k = 0; k < 64; k++)
        s += A[i][k] * B[k][j];
      C[i][j] = s;
    }
}
