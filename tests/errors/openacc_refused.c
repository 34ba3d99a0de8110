// Clauses that Clang takes and nestwarp does not, at the item: the nest stays on the host.
// RUN: %nestwarp compile -fopenacc --emit=program %s 2>&1 | FileCheck --implicit-check-not=region %s
void sums(int n, float a[n]) {
  float s[4] = {0};
  // CHECK: openacc_refused.c:[[#@LINE+1]]:41: warning: 's' is not a number; nestwarp only takes reductions into numbers [NW0302]
#pragma acc parallel loop reduction(+ : s)
  for (int i = 0; i < n; i++)
    s[i & 3] += a[i];
  a[0] = s[0];
}

void large(int n, float a[n]) {
  float t[5000];
  // CHECK: openacc_refused.c:[[#@LINE+1]]:35: warning: the private array 't' has no constant size, or is too large to be private to a thread [NW0107]
#pragma acc parallel loop private(t)
  for (int i = 0; i < n; i++)
    t[i & 7] = a[i], a[i] = t[i & 7];
}

void condition(int n, float a[n], int go) {
  // CHECK: openacc_refused.c:[[#@LINE+1]]:30: warning: the condition of the directive may change while the construct runs, or has effects [NW0104]
#pragma acc parallel loop if(go++)
  for (int i = 0; i < n; i++)
    a[i] = 1;
}
