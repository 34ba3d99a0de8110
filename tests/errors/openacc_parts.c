// Reductions into parts of variables, two of one variable, and of a variable that is private: each at the item; the nest stays on the host.
// RUN: %nestwarp compile -fopenacc --emit=program %s 2>&1 | FileCheck --implicit-check-not=region %s
void element(int n, float a[n], float s[n]) {
  // CHECK: openacc_parts.c:[[#@LINE+1]]:41: warning: 'reduction' names a part of a variable [NW0303]
#pragma acc parallel loop reduction(+ : s[0])
  for (int i = 0; i < n; i++)
    s[0] += a[i];
}

void construct(int n, float a[n], float s[4]) {
  // CHECK: openacc_parts.c:[[#@LINE+1]]:36: warning: 'reduction' names a part of a variable [NW0303]
#pragma acc parallel reduction(+ : s[0:4])
#pragma acc loop
  for (int i = 0; i < n; i++)
    s[0] += a[i];
}

float twice(int n, float a[n]) {
  float s = 0;
#pragma acc parallel loop reduction(+ : s) reduction(* : s)
  for (int i = 0; i < n; i++)
    // CHECK: openacc_parts.c:[[#@LINE+1]]:7: warning: reduction(*: s) is on the loop around{{.*}} [NW0302]
    s += a[i];
  return s;
}

float both(int n, float a[n]) {
  float s = 0;
  // CHECK: openacc_parts.c:[[#@LINE+1]]:35: warning: 's' is private to the iterations of this loop, but is also read outside it [NW0303]
#pragma acc parallel loop private(s) reduction(+ : s)
  for (int i = 0; i < n; i++)
    s += a[i];
  return s;
}
