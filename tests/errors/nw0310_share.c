// Ways to write a share hint wrongly; the error points at the token.
// RUN: not %nestwarp compile -fopenacc --emit=program %s 2>&1 | FileCheck --strict-whitespace %s
void bad(int n, float A[n][n], float B[n][n]) {
  // CHECK: nw0310_share.c:[[#@LINE+2]]:19: error: share names no array{{.*}} [NW0310]
  // CHECK: {{^ +[|] +\^$}}
#pragma acc share()
  // CHECK: nw0310_share.c:[[#@LINE+1]]:29: error: expected ']' after a length, found ',' [NW0310]
#pragma acc share(A[TB_Y] [*, B[*][TB_X])
  // CHECK: nw0310_share.c:[[#@LINE+1]]:30: error: expected 'coalesce' after ':', found 'coalesced' [NW0310]
#pragma acc share(A[TB_Y][*]:coalesced)
  // CHECK: nw0310_share.c:[[#@LINE+1]]:19: error: expected '(' after share, found 'A' [NW0310]
#pragma acc share A[TB_Y][*]
  // CHECK: nw0310_share.c:[[#@LINE+1]]:21: error: expected a length{{.*}} [NW0310]
#pragma acc share(A[][*])
  // CHECK: nw0310_share.c:[[#@LINE+1]]:21: error: expected a number, TB_X, TB_Y, TB_Z or '(', found 'n' [NW0310]
#pragma acc share(A[n][*])
  // CHECK: nw0310_share.c:[[#@LINE+1]]:25: error: '*' must stand alone{{.*}} [NW0310]
#pragma acc share(A[2 * *][*])
  // CHECK: nw0310_share.c:[[#@LINE+1]]:20: error: expected '[' and a length for each dimension of 'A', found ')' [NW0310]
#pragma acc share(A)
  // CHECK: nw0310_share.c:[[#@LINE+1]]:26: error: expected ')', found ']' [NW0310]
#pragma acc share(A[(TB_X][*])
  // CHECK: nw0310_share.c:[[#@LINE+1]]:28: error: nothing more is expected after share(…) [NW0310]
#pragma acc share(A[1][*]) B
  // CHECK: nw0310_share.c:[[#@LINE+1]]:28: error: expected the name of an array, found ')' [NW0310]
#pragma acc share(A[1][*], )
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      A[i][j] = B[j][i];
}
