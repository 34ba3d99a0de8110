// cc takes --share as compile does.
// RUN: rm -rf %t && %nestwarp cc -fopenacc --quiet --share=obey --save-temps=%t -c %s -o %t.o && cat %t/openacc_share_cc.cu | FileCheck %s
// RUN: rm -rf %t && %nestwarp cc -fopenacc --quiet --share=predict --save-temps=%t -c %s -o %t.o && cat %t/openacc_share_cc.cu | FileCheck --check-prefix=PREDICTED %s
// RUN: not %nestwarp cc -fopenacc --share=always -c %s -o %t.o 2>&1 | FileCheck --check-prefix=MISTAKE %s
// MISTAKE: unknown --share=always; expected --share=predict or --share=obey
// CHECK: in_tile
// PREDICTED-NOT: in_tile
void gauss(int n, float in[n][n], float out[n][n]) {
#pragma acc share(in[TB_Y + 2][TB_X + 2])
#pragma acc parallel loop collapse(2)
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < n - 1; j++)
      out[i][j] = in[i - 1][j] + in[i + 1][j] + in[i][j - 1] + in[i][j + 1] + in[i][j] + in[i - 1][j - 1] + in[i + 1][j + 1] + in[i - 1][j + 1] + in[i + 1][j - 1];
}
