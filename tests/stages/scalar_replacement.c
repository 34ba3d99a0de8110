// A reduction into an element of an array that is also read elsewhere: the element is kept in a variable through the loop, which threads then share out,
// also where the step stands in a sequential loop. Not where the order of values counts (a NaN begins anew), not where an iteration reads the element
// that it reduces into, not where the element is spelled in two ways or read once more, and not where other statements stand in the loop.
// RUN: %nestwarp compile --emit=kernels %s --device=h200 --function longest | FileCheck --check-prefix=SHARED %s
// RUN: %nestwarp compile --emit=plan %s --device=h200 --function longest | FileCheck --check-prefix=PLAN %s
// RUN: %nestwarp compile --emit=kernels %s --device=h200 --function anew | FileCheck --check-prefix=ANEW %s
// RUN: %nestwarp compile --emit=program %s --device=h200 --function itself | FileCheck --check-prefix=NONE %s
// RUN: %nestwarp compile --emit=program %s --device=h200 --function beside | FileCheck --check-prefix=NONE %s
// RUN: %nestwarp compile --emit=kernels %s --device=h200 --function spelled 2>&1 | FileCheck --check-prefix=SPELLED %s
// RUN: %nestwarp compile --emit=kernels %s --device=h200 --function scaled 2>&1 | FileCheck --check-prefix=SCALED %s
// RUN: %nestwarp compile --emit=program %s --device=h200 --function twice | FileCheck --check-prefix=NONE %s
// RUN: %nestwarp compile --emit=kernels %s --device=h200 --function columns | FileCheck --check-prefix=COLUMNS %s

// SHARED: host loop
// SHARED: launch longest_0_step0_block_reduction
// SHARED: kernel longest_0_step0_block_reduction2 (32 threads along x share the reduction over
// SHARED: t_reduced = t[c1][j];
// SHARED: reduce nw_reduced by > along x;
// SHARED: t[c1][j] = t_reduced;
// PLAN: "form": "plain"
void longest(int n, int t[n][n]) {
  for (int i = n - 1; i >= 0; i--)
    for (int j = i + 1; j < n; j++)
      for (int k = i + 1; k < j; k++)
        t[i][j] = t[i][j] >= t[i][k] + t[k + 1][j] ? t[i][j] : t[i][k] + t[k + 1][j];
}

// ANEW-NOT: _block_reduction
// ANEW: kernel anew_0_step0 (c1 along threads, blocks of 32x1)
// ANEW: float t_reduced;
// ANEW: t_reduced = ((t_reduced >= (t[c1]
void anew(int n, float t[n][n]) {
  for (int i = n - 1; i >= 0; i--)
    for (int j = i + 1; j < n; j++)
      for (int k = i + 1; k < j; k++)
        t[i][j] = t[i][j] >= t[i][k] + t[k + 1][j] ? t[i][j] : t[i][k] + t[k + 1][j];
}

// NONE-NOT: _reduced
void itself(int n, int t[n][n]) {
  for (int i = n - 1; i >= 0; i--)
    for (int j = i + 1; j < n; j++)
      for (int k = i + 1; k <= j; k++)
        t[i][j] += t[i][k];
}

void beside(int n, int t[n][n], int s[n][n]) {
  for (int i = n - 1; i >= 0; i--)
    for (int j = i + 1; j < n; j++)
      for (int k = i + 1; k < j; k++) {
        t[i][j] += t[i][k] + t[k + 1][j];
        s[i][k] = t[i][j];
      }
}

// SPELLED-NOT: {{_reduced|NW0297}}
// SPELLED: kernel spelled_0_step0
// SPELLED-NOT: {{_reduced|NW0297}}
void spelled(int n, int t[n][n]) {
  for (int i = n - 1; i >= 0; i--)
    for (int j = i + 1; j < n; j++)
      for (int k = i + 1; k < j; k++)
        t[i][j] += t[i][j + 0] * t[i][k] + t[k + 1][j];
}

// SCALED-NOT: {{_reduced|NW0297}}
// SCALED: kernel scaled_0_step0
// SCALED-NOT: {{_reduced|NW0297}}
void scaled(int n, int t[n][n]) {
  for (int i = n - 1; i >= 0; i--)
    for (int j = i + 1; j < n; j++)
      for (int k = i + 1; k < j; k++)
        t[i][j] = t[i][j] >= t[i][k] + t[k + 1][j] * t[i][1 * j] ? t[i][j] : t[i][k] + t[k + 1][j] * t[i][1 * j];
}

void twice(int n, int t[n][n]) {
  for (int i = n - 1; i >= 0; i--)
    for (int j = i + 1; j < n; j++)
      for (int k = i + 1; k < j; k++)
        t[i][j] += t[i][j] * t[i][k] + t[k + 1][j];
}

// In every iteration of a loop on the host, what is reduced goes to another row.
// COLUMNS: host loop
// COLUMNS: launch columns_0_step0_block_reduction
// COLUMNS: kernel columns_0_step0_block_reduction (32 threads along y share the reduction over i
// COLUMNS: R[k][j] = (R[k][j] + nw_reduced);
void columns(int n, float A[n][n], float R[n][n]) {
  for (int k = 0; k < n; k++) {
    for (int j = k + 1; j < n; j++)
      for (int i = 0; i < n; i++)
        R[k][j] += A[i][k] * A[i][j];
    for (int j = k + 1; j < n; j++)
      for (int i = 0; i < n; i++)
        A[i][j] -= A[i][k] * R[k][j];
  }
}
